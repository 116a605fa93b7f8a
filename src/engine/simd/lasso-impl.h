/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solver of the Lasso in coding/lasso.h, in rounds: the residual of a code over all atoms certifies it or identifies
 * the worst violators, and the problem is solved again on the active set with these atoms. The code is the only
 * state between rounds, so that residuals of many codes can be computed together, reading H once. The objective of a
 * warm start never increases. Included once for float and once for double.
 */

#include "engine/simd/lasso-gram-impl.h"

#include "engine/simd/lasso-face-impl.h"

#include "engine/simd/lasso-residual-impl.h"
#include "engine/simd/tuning.h"

/* Certificate and violators of a code, from its residual. */
typedef struct
{
  REAL worst;    /* largest violation */
  REAL inner;    /* largest violation by atoms of the code */
  int support;   /* number of atoms in the code */
  int violators; /* number of violating atoms outside the code */
} NAME (Verdict);

/* Computes the violations of the optimality conditions r = t sign (x), and for x = 0 |r| <= t (signed) or r <= t
 * (alpha >= 0). */
static NAME (Verdict) NAME (judge) (const NAME (Lasso) * s, const REAL *r, const REAL *x, REAL limit)
{
  REAL inner = 0, outer = 0, t = s->t, mirror = s->is_signed ? -1 : 1;
  int support = 0, violators = 0;
#pragma omp simd reduction(max : inner, outer) reduction(+ : support, violators)
  for (int k = 0; k < s->K; k++)
    {
      REAL size = r[k] < 0 ? mirror * r[k] : r[k], off = r[k] - (x[k] > 0 ? t : -t);
      REAL held = x[k] != 0 ? off < 0 ? -off : off : 0, beyond = x[k] != 0 ? 0 : size - t;
      inner = held > inner ? held : inner;
      outer = beyond > outer ? beyond : outer;
      support += x[k] != 0;
      violators += x[k] == 0 && size > limit;
    }
  return (NAME (Verdict)){ inner > outer ? inner : outer, inner, support, violators };
}

/* Number of atoms outside the code with a residual above a bound. */
static int
NAME (count_near) (const NAME (Lasso) * s, const REAL *r, const REAL *x, REAL bound)
{
  REAL mirror = s->is_signed ? -1 : 1;
  int near = 0;
#pragma omp simd reduction(+ : near)
  for (int k = 0; k < s->K; k++)
    near += x[k] == 0 && (r[k] < 0 ? mirror * r[k] : r[k]) > bound;
  return near;
}

/* Finds a bound between low and high above which there are about `wanted` residuals of atoms outside the code, or
 * slightly fewer; more only in case of ties. No residual is above `high`. */
static REAL
NAME (bound_for) (const NAME (Lasso) * s, const REAL *r, const REAL *x, REAL low, REAL high, int wanted)
{
  int above = 0;
  for (int i = 0; i < TAKEN_HALVINGS && above < wanted - wanted / TAKEN_FEWER; i++)
    {
      REAL middle = (low + high) / 2;
      int count = NAME (count_near) (s, r, x, middle);
      if (count > wanted)
        low = middle;
      else
        {
          high = middle;
          above = count;
        }
    }
  return above > 0 ? high : low;
}

/* Flags the atoms of the code, and other atoms with a residual above a bound. */
static void
NAME (choose) (NAME (Lasso) * s, const REAL *r, const REAL *x, REAL bound)
{
  REAL mirror = s->is_signed ? -1 : 1;
  char *state = s->w->state;
#pragma omp simd
  for (int k = 0; k < s->K; k++)
    state[k] = (x[k] != 0) | ((r[k] < 0 ? mirror * r[k] : r[k]) > bound);
}

/* Makes the flagged atoms the active set. */
static void
NAME (activate) (NAME (Lasso) * s, const REAL *r, const REAL *alpha)
{
  int *active = s->w->active, n = 0;
  REAL *x = s->w->x, *rho = s->w->rho;
  for (int first = 0; first < s->K; first += GLANCE)
    {
      int end = first + GLANCE < s->K ? first + GLANCE : s->K;
      if (end - first == GLANCE && !NAME (any_set) (s->w->state + first, GLANCE))
        continue;
      for (int k = first; k < end; k++)
        {
          active[n] = k;
          n += s->w->state[k];
        }
    }
  s->n = n;
  s->bands = (n + LANES - 1) / LANES;
  for (int a = 0; a < n; a++)
    {
      x[a] = alpha[active[a]];
      rho[a] = r[active[a]];
    }
}

/* Maximum number of violators added in a round. */
static int
NAME (most_taken) (const NAME (Verdict) * verdict)
{
  return verdict->support > FEWEST_TAKEN ? verdict->support : FEWEST_TAKEN;
}

/* Residual above which atoms are added. */
static REAL
NAME (entry_bound) (const NAME (Lasso) * s, const REAL *r, const REAL *x, const NAME (Verdict) * verdict, REAL limit)
{
  int violators = verdict->violators, most = NAME (most_taken) (verdict), some = verdict->support / 3 + 8;
  if (violators > most)
    return NAME (bound_for) (s, r, x, limit, s->t + verdict->worst, most);
  if (violators == 0 || violators >= some)
    return limit;
  REAL near = NEAR * s->t, changed = s->t - CHANGES * verdict->worst, bound = near > changed ? near : changed;
  return NAME (count_near) (s, r, x, bound) > some ? NAME (bound_for) (s, r, x, bound, limit, some) : bound;
}

/* Sets up the active set of a round. */
static void
NAME (take_in) (NAME (Lasso) * s, const REAL *r, const REAL *alpha, const NAME (Verdict) * verdict, REAL limit)
{
  NAME (choose) (s, r, alpha, NAME (entry_bound) (s, r, alpha, verdict, limit));
  NAME (activate) (s, r, alpha);
  NAME (gather) (s);
}

/* Solves on the active set, inexactly while many further atoms are expected. */
static void
NAME (improve) (NAME (Lasso) * s, const NAME (Verdict) * verdict, REAL tolerance)
{
  REAL worst = verdict->worst;
  int many_from = verdict->inner < SETTLED * worst ? MANY_FROM_SETTLED : worst > FAR * s->t ? MANY_FROM_FAR : MANY_FROM;
  if (verdict->violators > NAME (most_taken) (verdict) && worst * CROWDED_LEAVE > tolerance)
    NAME (minimise) (s, worst * CROWDED_LEAVE, CROWDED_PASSES);
  else if (verdict->violators * many_from > verdict->support && worst * MANY_LEAVE > tolerance)
    NAME (minimise) (s, worst * MANY_LEAVE, MANY_PASSES);
  else
    NAME (minimise) (s, tolerance * LAST_LEAVES, LAST_PASSES);
}

/* Computes the violation of a code with residual r, and updates the code if it exceeds the tolerance. */
static double
NAME (lasso_round) (const REAL *H, int K, const REAL *r, REAL t, bool is_signed, REAL tolerance, REAL *alpha,
                    TosstLassoWork *work)
{
  NAME (Lasso) s = { .H = H, .K = K, .t = t, .is_signed = is_signed, .w = work };
  REAL limit = t + tolerance;
  NAME (Verdict) verdict = NAME (judge) (&s, r, alpha, limit);
  if (verdict.worst <= tolerance)
    return verdict.worst;
  NAME (take_in) (&s, r, alpha, &verdict, limit);
  NAME (improve) (&s, &verdict, tolerance);
  const REAL *x = work->x;
  memset (alpha, 0, sizeof *alpha * K);
  for (int a = 0; a < s.n; a++)
    alpha[work->active[a]] = x[a];
  return verdict.worst;
}

/* The returned violation is measured on a recomputed residual. */
static double
NAME (lasso) (const REAL *H, int K, const REAL *q, REAL t, bool is_signed, REAL tolerance, REAL *alpha,
              TosstLassoWork *work)
{
  static const int first = 0;
  double worst = 0;
  for (int round = 0; round <= TOSST_LASSO_ROUNDS; round++)
    {
      NAME (lasso_residuals) (H, K, q, alpha, &first, 1, work->r, work);
      worst = NAME (lasso_round) (H, K, work->r, t, is_signed, round < TOSST_LASSO_ROUNDS ? tolerance : INFINITY, alpha,
                                  work);
      if (worst <= tolerance)
        break;
    }
  return worst;
}

#undef LANES
#undef TILE
