/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Minimisation of the Lasso of coding/lasso.h over its active atoms: passes of coordinate descent determine the
 * signs; with fixed signs, a linear system on the support, conjugate gradients determine the values, or a Newton
 * step where high accuracy is required. Every step lowers the objective. Included once for float and once for
 * double.
 */

/* Determines the support and factors its part of G into L. Returns the row length of L, 0 if the matrix is not
 * numerically positive definite. */
static int
NAME (factor) (NAME (Lasso) * s, int *size)
{
  REAL *L = s->w->L;
  const REAL *x = s->w->x;
  int *support = s->w->list, *place = s->w->first, n = 0;
  for (int a = 0; a < s->n; a++)
    if (x[a] != 0)
      support[n++] = a;
  int ld = (n + 15) / 16 * 16;
  for (int j = 0; j < n; j++)
    place[j] = support[j] / LANES * TILE + support[j] % LANES;
  for (int j = 0; j < n; j++)
    {
      const REAL *row = NAME (tile) (s, support[j] / LANES, 0) + support[j] % LANES * LANES;
      for (int i = 0; i <= j; i++)
        L[(size_t)i * ld + j] = row[place[i]];
    }
  *size = n;
  return n > 0 && NAME (cholesky) (L, ld, n) ? ld : 0;
}

/* Sets rest = rho - t sign (x) on the support, zero elsewhere. Returns its largest entry in magnitude. */
static REAL
NAME (begin_face) (NAME (Lasso) * s)
{
  const REAL *x = s->w->x, *rho = s->w->rho;
  REAL *rest = s->w->rest, t = s->t, worst = 0;
#pragma omp simd reduction(max : worst)
  for (int a = 0; a < s->bands * LANES; a++)
    {
      REAL e = x[a] > 0 ? rho[a] - t : x[a] < 0 ? rho[a] + t : 0, size = e < 0 ? -e : e;
      rest[a] = e;
      worst = size > worst ? size : worst;
    }
  return worst;
}

/* Sets delta to the Newton step on the support. Returns false if the factorisation fails. */
static bool
NAME (newton) (NAME (Lasso) * s)
{
  REAL *delta = s->w->delta, *right = s->w->direction;
  const REAL *rest = s->w->rest;
  int size, ld = NAME (factor) (s, &size);
  if (ld == 0)
    return false;
  for (int i = 0; i < size; i++)
    right[i] = rest[s->w->list[i]];
  NAME (cholesky_solve) (s->w->L, ld, size, right);
  memset (delta, 0, sizeof *delta * s->bands * LANES);
  for (int i = 0; i < size; i++)
    delta[s->w->list[i]] = right[i];
  return true;
}

/* Updates delta += length direction, moved += length step, rest -= length step on the support. Returns rest' D^{-1}
 * rest; *largest: the largest entry of rest in magnitude. */
static REAL
NAME (follow) (NAME (Lasso) * s, REAL length, REAL *largest)
{
  const REAL *x = s->w->x, *direction = s->w->direction, *step = s->w->step, *inverse = s->w->inverse;
  REAL *delta = s->w->delta, *rest = s->w->rest, *moved = s->w->moved, product = 0, worst = 0;
#pragma omp simd reduction(+ : product) reduction(max : worst)
  for (int a = 0; a < s->bands * LANES; a++)
    {
      REAL e = x[a] != 0 ? rest[a] - length * step[a] : 0, size = e < 0 ? -e : e;
      delta[a] += length * direction[a];
      moved[a] += length * step[a];
      rest[a] = e;
      product += e * e * inverse[a];
      worst = size > worst ? size : worst;
    }
  *largest = worst;
  return product;
}

static REAL
NAME (dot) (const REAL *a, const REAL *b, int n)
{
  REAL sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Computes delta by conjugate gradients with diagonal preconditioner until the residual is at most goal; moved = G
 * delta. Returns whether the goal is reached. */
static bool
NAME (conjugate) (NAME (Lasso) * s, REAL worst, REAL goal)
{
  int end = s->bands * LANES;
  const REAL *rest = s->w->rest, *inverse = s->w->inverse;
  REAL *delta = s->w->delta, *direction = s->w->direction, *step = s->w->step, *moved = s->w->moved, product = 0;
  for (int a = 0; a < end; a++)
    {
      delta[a] = moved[a] = 0;
      direction[a] = rest[a] * inverse[a];
    }
  product = NAME (dot) (rest, direction, end);
  for (int i = 0; i < FACE_STEPS && worst > goal; i++)
    {
      NAME (multiply) (s, direction, step);
      REAL curvature = NAME (dot) (direction, step, end), before = product;
      if (!(curvature > 0))
        return false;
      product = NAME (follow) (s, product / curvature, &worst);
      REAL turn = product / before;
#pragma omp simd
      for (int a = 0; a < end; a++)
        direction[a] = rest[a] * inverse[a] + turn * direction[a];
    }
  return worst <= goal;
}

/* Change of the objective by delta: delta' G delta - 2 e' delta with step = G delta and e = rho - t sign (x). */
static REAL
NAME (weigh) (const NAME (Lasso) * s, const REAL *step)
{
  const REAL *x = s->w->x, *rho = s->w->rho, *delta = s->w->delta;
  REAL sum = 0, t = s->t;
#pragma omp simd reduction(+ : sum)
  for (int a = 0; a < s->bands * LANES; a++)
    sum += delta[a] * (step[a] - 2 * (rho[a] - (x[a] > 0 ? t : -t)));
  return sum;
}

/* Computes step = G delta and returns the change of the objective. */
static REAL
NAME (change) (NAME (Lasso) * s)
{
  NAME (multiply) (s, s->w->delta, s->w->step);
  return NAME (weigh) (s, s->w->step);
}

/* Sets delta to length times direction; a coordinate whose sign would change ends at zero. Returns the number of
 * these coordinates. */
static int
NAME (cut) (NAME (Lasso) * s, REAL length)
{
  const REAL *x = s->w->x, *full = s->w->direction;
  REAL *delta = s->w->delta;
  int crossing = 0;
#pragma omp simd reduction(+ : crossing)
  for (int a = 0; a < s->bands * LANES; a++)
    {
      REAL there = x[a] + length * full[a];
      bool crosses = x[a] != 0 && (x[a] > 0) != (there > 0);
      delta[a] = crosses ? -x[a] : length * full[a];
      crossing += crosses;
    }
  return crossing;
}

/* Fraction of direction at which the first coordinate reaches zero. */
static REAL
NAME (first_crossing) (const NAME (Lasso) * s)
{
  const REAL *x = s->w->x, *full = s->w->direction;
  REAL first = 1;
  for (int a = 0; a < s->n; a++)
    {
      REAL there = x[a] + full[a];
      if (x[a] != 0 && (x[a] > 0) != (there > 0) && x[a] / (x[a] - there) < first)
        first = x[a] / (x[a] - there);
    }
  return first;
}

/* Moves by delta; known: `moved` contains H delta. First all coordinates that would cross zero are set to zero
 * together, which often lowers the objective; while it does not, the step is halved, and the shortest step ends at
 * the first crossing. Returns false if delta does not lower the objective; *whole: no coordinate was cut. */
static bool
NAME (advance) (NAME (Lasso) * s, bool known, bool *whole)
{
  REAL *x = s->w->x, *rho = s->w->rho, *delta = s->w->delta, length = 1;
  memcpy (s->w->direction, delta, sizeof *delta * s->bands * LANES);
  *whole = NAME (cut) (s, length) == 0;
  known = known && *whole;
  REAL gain = known ? NAME (weigh) (s, s->w->moved) : NAME (change) (s);
  const REAL *step = known ? s->w->moved : s->w->step;
  if (*whole && !(gain < 0))
    return false;
  for (; !(gain < 0) && length > FACE_SHORTEST; gain = NAME (change) (s))
    NAME (cut) (s, length /= 2);
  if (!(gain < 0))
    {
      NAME (cut) (s, NAME (first_crossing) (s));
      NAME (change) (s);
    }
  for (int a = 0; a < s->bands * LANES; a++)
    {
      REAL there = x[a] + delta[a];
      x[a] = x[a] != 0 && (x[a] > 0) == (there > 0) ? there : 0;
      rho[a] -= step[a];
    }
  return true;
}

/* One step on the support with fixed signs. If the support is settled it is solved to the target. */
static bool
NAME (step_face) (NAME (Lasso) * s, REAL target, bool settled, bool *exact, bool *whole)
{
  REAL worst = NAME (begin_face) (s), goal = worst * GRADIENTS_LEAVE;
  *exact = *exact || worst > target * NEWTON_FROM;
  if (*exact && NAME (newton) (s))
    return NAME (advance) (s, false, whole);
  *exact = !NAME (conjugate) (s, worst, goal > target && !settled ? goal : target);
  return NAME (advance) (s, true, whole);
}

/* Violations by residuals on the active set: of atoms with non-zero coefficients, and of others that may enter. */
static REAL
NAME (violation) (const NAME (Lasso) * s, REAL *others)
{
  const REAL *x = s->w->x, *rho = s->w->rho, *inverse = s->w->inverse;
  REAL t = s->t, inner = 0, outer = -t, mirror = s->is_signed ? -1 : 1;
#pragma omp simd reduction(max : inner, outer)
  for (int a = 0; a < s->bands * LANES; a++)
    {
      REAL r = rho[a], size = r < 0 ? mirror * r : r, off = r - (x[a] > 0 ? t : -t);
      REAL held = x[a] != 0 ? off < 0 ? -off : off : 0, beyond = ((x[a] == 0) & (inverse[a] != 0)) ? size - t : -t;
      inner = held > inner ? held : inner;
      outer = beyond > outer ? beyond : outer;
    }
  *others = outer;
  return inner;
}

/* Repeats steps on the support up to the first in which no coordinate is cut. Returns false if the last step did not
 * lower the objective. */
static bool
NAME (go_on_face) (NAME (Lasso) * s, REAL target, bool settled, bool *exact)
{
  bool gains = true, whole = false;
  for (int i = 0; i < 4 && !whole && gains; i++)
    gains = NAME (step_face) (s, target, settled && i == 0, exact, &whole);
  return gains;
}

/* Solves on the active set to the target violation; passes of coordinate descent precede each step on the support,
 * unless no other atom violates. */
static void
NAME (minimise) (NAME (Lasso) * s, REAL target, int passes)
{
  bool exact = false, settled = false;
  for (int round = 0; round < 60; round++)
    {
      for (int i = 0; i < passes && !settled; i++)
        if (NAME (sweep) (s) <= target)
          return;
      if (round == 0)
        NAME (shrink) (s, STAYS * s->t);
      passes = passes < LATER_PASSES ? passes : LATER_PASSES;
      bool gains = NAME (go_on_face) (s, target, settled, &exact);
      REAL others, own = NAME (violation) (s, &others);
      if (own <= target && others <= target)
        return;
      settled = gains && others <= target;
    }
}
