/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/lasso.h"
#include "engine/coding/tuning.h"

typedef struct
{
  const float *H, *q;
  int K;
  double t, tolerance;
  double none; /* violation of the zero code */
  bool is_signed;
  double *r;         /* K: q - H alpha */
  int *atom;         /* K: the active set */
  int n;             /* size of the active set */
  double *G, *x, *p; /* n x n: H on the active set; n: the code; q, then q - H x */
} Refinement;

static double
violation (const Refinement *self, double a, double r)
{
  if (a != 0)
    return fabs (r - copysign (self->t, a));
  return fmax ((self->is_signed ? fabs (r) : r) - self->t, 0);
}

/* Computes r of a code. Returns the largest violation. */
static double
measure (Refinement *self, const float *alpha)
{
  double *restrict r = self->r, worst = 0;
  for (int k = 0; k < self->K; k++)
    r[k] = self->q[k];
  for (int j = 0; j < self->K; j++)
    {
      const float *row = self->H + (size_t)j * self->K;
      for (int k = 0; alpha[j] != 0 && k < self->K; k++)
        r[k] -= (double)alpha[j] * row[k];
    }
  for (int k = 0; k < self->K; k++)
    {
      double size = violation (self, alpha[k], r[k]);
      worst = size <= worst ? worst : isfinite (size) ? size : INFINITY;
    }
  return worst;
}

/* Determines the active set: atoms of the code and violators. Returns the number of violators. */
static int
activate (Refinement *self, const float *alpha)
{
  int entering = 0;
  self->n = 0;
  for (int k = 0; k < self->K; k++)
    {
      bool enters = alpha[k] == 0 && violation (self, 0, self->r[k]) > self->tolerance * REFINE_SETTLED_LEAVES;
      entering += enters;
      if ((enters || alpha[k] != 0) && self->H[(size_t)k * self->K + k] > 0)
        self->atom[self->n++] = k;
    }
  return entering;
}

static void
subtract (Refinement *self, int a, double step)
{
  const double *row = self->G + (size_t)a * self->n;
  for (int c = 0; c < self->n; c++)
    self->p[c] -= step * row[c];
}

/* Rounds x to float. The change of one atom is compensated by the others: every step lowers the objective, and when
 * no step is left an atom violates by at most half a unit in its last place, for any number of atoms. */
static void
round_to_float (Refinement *self)
{
  for (int a = 0; a < self->n; a++)
    {
      self->x[a] = (float)self->x[a];
      subtract (self, a, self->x[a]);
    }
  for (int pass = 0, moved = 1; pass < REFINE_PASSES && moved > 0; pass++)
    {
      moved = 0;
      for (int a = 0; a < self->n; a++)
        {
          if (violation (self, self->x[a], self->p[a]) <= self->tolerance * REFINE_SETTLED_LEAVES)
            continue;
          /* Float nearest to the minimum along a coordinate with all others fixed; no other float has a lower
           * objective. */
          double g = self->G[(size_t)a * self->n + a], pull = self->p[a] + g * self->x[a];
          double size = fmax ((self->is_signed ? fabs (pull) : pull) - self->t, 0);
          double there = (float)(copysign (size, pull) / g);
          moved += there != self->x[a];
          subtract (self, a, there - self->x[a]);
          self->x[a] = there;
        }
    }
}

/* Solves on the active set; alpha receives the code. */
static bool
solve (Refinement *self, float *alpha)
{
  size_t n = self->n;
  TosstLassoWork *work = tosst_lasso_work_new (n, 1, sizeof (double));
  self->G = malloc (sizeof *self->G * (n * n + 2 * n + 1));
  bool fine = work && self->G;
  if (fine)
    {
      self->x = self->G + n * n;
      self->p = self->x + n;
      for (size_t a = 0; a < n; a++)
        {
          const float *row = self->H + (size_t)self->atom[a] * self->K;
          self->x[a] = alpha[self->atom[a]];
          self->p[a] = self->q[self->atom[a]];
          for (size_t c = 0; c < n; c++)
            self->G[a * n + c] = row[self->atom[c]];
        }
      if (self->t < TOSST_ILL_CONDITIONED_BELOW * self->none)
        {
          /* Adds a ridge centred at the current code: a proximal step. */
          double most = 0;
          for (size_t a = 0; a < n; a++)
            most = fmax (most, self->G[a * n + a]);
          most *= TOSST_RIDGE * sqrt ((double)n);
          for (size_t a = 0; a < n; a++)
            {
              self->G[a * n + a] += most;
              self->p[a] += most * self->x[a];
            }
        }
      tosst_kernels ()->lasso_double (self->G, n, self->p, self->t, self->is_signed,
                                      REFINE_EXACT_LEAVES * self->tolerance, self->x, work);
      round_to_float (self);
      memset (alpha, 0, sizeof *alpha * self->K);
      for (size_t a = 0; a < n; a++)
        alpha[self->atom[a]] = self->x[a];
    }
  free (self->G);
  tosst_lasso_work_free (work);
  return fine;
}

/* best: K, the best code so far. */
static bool
run (Refinement *self, float *alpha, float *best, double *kkt)
{
  *kkt = measure (self, alpha);
  self->none = 0;
  for (int k = 0; k < self->K; k++)
    {
      double size = violation (self, 0, self->q[k]);
      self->none = size > self->none ? size : self->none; /* fmax() causes an internal error of GCC 12 for arm64 */
    }
  /* Worse than the zero code, or not finite: dominated by rounding. For negligible lambda rounding alone limits a
   * code, which may be arbitrary. */
  if (!(*kkt <= self->none) || self->t < TOSST_ILL_CONDITIONED_BELOW * self->none)
    {
      memset (alpha, 0, sizeof *alpha * self->K);
      *kkt = measure (self, alpha);
    }
  memcpy (best, alpha, sizeof *best * self->K);
  bool fine = true;
  for (int round = 0; round<REFINE_ROUNDS && * kkt> self->tolerance && fine; round++)
    {
      int entering = activate (self, alpha);
      fine = solve (self, alpha);
      double worst = measure (self, alpha);
      bool better = worst < *kkt;
      if (better)
        {
          *kkt = worst;
          memcpy (best, alpha, sizeof *best * self->K);
        }
      else if (entering == 0)
        break;
    }
  memcpy (alpha, best, sizeof *best * self->K);
  return fine;
}

bool
tosst_lasso_refine (const float *H, int K, const float *q, double t, bool is_signed, double tolerance, float *alpha,
                    double *kkt)
{
  Refinement self = { .H = H, .q = q, .K = K, .t = t, .tolerance = tolerance, .is_signed = is_signed };
  float *best = malloc (sizeof *best * K);
  self.r = malloc (sizeof *self.r * K);
  self.atom = malloc (sizeof *self.atom * K);
  bool fine = best && self.r && self.atom && run (&self, alpha, best, kkt);
  free (best);
  free (self.r);
  free (self.atom);
  return fine;
}
