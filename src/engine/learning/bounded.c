/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * min f (x) with x_i >= 0 for some i, by limited-memory BFGS with an active set (the two-metric projection of
 * Bertsekas 1982).
 *
 * Entries at their bound with a gradient directed against it are fixed in a step. For the others
 *     p = -H g,   H from the last pairs of steps and changes of gradient, both restricted to these entries,
 * and the search is along x (l) = max (0, x + l p). If the projected p is not a descent direction, p = -t g is used.
 */
#include "engine/learning/bounded.h"
#include "engine/base/vector.h"
#include "engine/learning/tuning.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct TosstBounded
{
  size_t n;
  double *block;                   /* storage of all following arrays */
  double *g, *p, *trial, *trial_g; /* n each */
  double *S[MEMORY], *Y[MEMORY];   /* n each; the newest pair is the last */
  int pairs;
  double size[MEMORY]; /* |s| |y| of each pair */
  double *is_free;     /* n: 0 for entries fixed at the bound, else 1; a factor in vectorised sums */
};

TosstBounded *
tosst_bounded_new (size_t n)
{
  TosstBounded *self = calloc (1, sizeof *self);
  if (!self)
    return NULL;
  self->n = n;
  self->block = malloc (sizeof *self->block * n * (5 + 2 * MEMORY));
  if (!self->block)
    {
      tosst_bounded_free (self);
      return NULL;
    }
  self->g = self->block;
  self->p = self->g + n;
  self->trial = self->p + n;
  self->trial_g = self->trial + n;
  self->is_free = self->trial_g + n;
  for (int i = 0; i < MEMORY; i++)
    {
      self->S[i] = self->block + (5 + 2 * i) * n;
      self->Y[i] = self->S[i] + n;
    }
  return self;
}

void
tosst_bounded_free (TosstBounded *work)
{
  if (!work)
    return;
  free (work->block);
  free (work);
}

size_t
tosst_bounded_memory (size_t n)
{
  return n * sizeof (double) * (5 + 2 * MEMORY);
}

/* Marks the fixed entries. Returns the largest entry of the projected gradient. */
static double
mark_active_bounds (TosstBounded *self, const double *x, size_t first)
{
  double worst = 0;
  for (size_t i = 0; i < self->n; i++)
    {
      bool active = i >= first && x[i] <= 0 && self->g[i] > 0;
      self->is_free[i] = active ? 0 : 1;
      /* Using the factor causes an internal error of gcc 12 for arm64. */
      worst = fmax (worst, active ? 0 : fabs (self->g[i]));
    }
  return worst;
}

static double
free_dot (const TosstBounded *self, const double *a, const double *b)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < self->n; i++)
    sum += self->is_free[i] * a[i] * b[i];
  return sum;
}

static void
set_gradient (TosstBounded *self, double factor)
{
  for (size_t i = 0; i < self->n; i++)
    self->p[i] = -factor * self->is_free[i] * self->g[i];
}

/* p = -H g by the two-loop recursion of Nocedal (1980) over the pairs with positive curvature on the free entries. */
static void
set_newton (TosstBounded *self)
{
  double rho[MEMORY], factor[MEMORY], scale = 0;
  set_gradient (self, 1);
  for (int i = self->pairs - 1; i >= 0; i--)
    {
      double sy = free_dot (self, self->S[i], self->Y[i]);
      rho[i] = sy > BOUNDED_CURVED * self->size[i] ? 1 / sy : 0;
      if (rho[i] == 0)
        continue;
      if (scale == 0)
        scale = sy / free_dot (self, self->Y[i], self->Y[i]);
      factor[i] = rho[i] * free_dot (self, self->S[i], self->p);
      cblas_daxpy (self->n, -factor[i], self->Y[i], 1, self->p, 1);
    }
  cblas_dscal (self->n, scale > 0 ? scale : 1, self->p, 1);
  for (int i = 0; i < self->pairs; i++)
    if (rho[i] > 0)
      cblas_daxpy (self->n, factor[i] - rho[i] * free_dot (self, self->Y[i], self->p), self->S[i], 1, self->p, 1);
  for (size_t i = 0; i < self->n; i++)
    self->p[i] *= self->is_free[i];
}

/* trial = max (0, x + l p); returns the change of f predicted by the gradient. */
static double
step_to (TosstBounded *self, const double *x, size_t first, double l)
{
  double promise = 0;
  for (size_t i = 0; i < self->n; i++)
    {
      double to = x[i] + l * self->p[i];
      self->trial[i] = i >= first && to < 0 ? 0 : to;
      promise += self->g[i] * (self->trial[i] - x[i]);
    }
  return promise;
}

/* Line search; *f receives the value at trial if a point is found. */
static TosstStatus
search (TosstBounded *self, TosstEvaluateFunc evaluate, void *data, size_t first, const double *x, double *f,
        bool *found)
{
  double l = 1;
  *found = false;
  for (int i = 0; i < SEARCH_POINTS; i++)
    {
      double at, promise = step_to (self, x, first, l);
      if (!(promise < -DBL_EPSILON * fabs (*f) / 8))
        break;
      TosstStatus status = evaluate (self->trial, &at, self->trial_g, data);
      if (status != TOSST_OK)
        return status;
      if (at < *f && at <= *f + SUFFICIENT * promise)
        {
          *f = at;
          *found = true;
          break;
        }
      /* Minimum of the parabola through both values and the slope. */
      double shorter = -promise / (2 * (at - *f - promise));
      l *= isfinite (shorter) ? fmin (fmax (shorter, 0.02), 0.5) : 0.1;
    }
  return TOSST_OK;
}

static void
accept_trial (TosstBounded *self, double *x)
{
  int last = self->pairs;
  if (last == MEMORY)
    {
      double *s = self->S[0], *y = self->Y[0];
      last--;
      memmove (self->S, self->S + 1, sizeof *self->S * last);
      memmove (self->Y, self->Y + 1, sizeof *self->Y * last);
      memmove (self->size, self->size + 1, sizeof *self->size * last);
      self->S[last] = s;
      self->Y[last] = y;
    }
  for (size_t i = 0; i < self->n; i++)
    {
      self->S[last][i] = self->trial[i] - x[i];
      self->Y[last][i] = self->trial_g[i] - self->g[i];
    }
  self->size[last] = tosst_norm (self->n, self->S[last]) * tosst_norm (self->n, self->Y[last]);
  self->pairs = last + 1;
  memcpy (x, self->trial, sizeof *x * self->n);
  double *g = self->g;
  self->g = self->trial_g;
  self->trial_g = g;
}

TosstStatus
tosst_bounded_minimise (TosstBounded *work, TosstEvaluateFunc evaluate, void *data, size_t first, int iterations,
                        double tolerance, double *x, double *violation)
{
  double f;
  for (size_t i = first; i < work->n; i++)
    x[i] = fmax (x[i], 0);
  work->pairs = 0;
  TosstStatus status = evaluate (x, &f, work->g, data);
  *violation = status == TOSST_OK ? mark_active_bounds (work, x, first) : INFINITY;
  for (int i = 0; i < iterations && status == TOSST_OK && *violation > tolerance; i++)
    {
      bool found = false;
      if (work->pairs > 0)
        {
          set_newton (work);
          status = search (work, evaluate, data, first, x, &f, &found);
        }
      if (status == TOSST_OK && !found)
        {
          work->pairs = 0;
          /* Initial step of the length of x, without curvature information. */
          double size = sqrt (free_dot (work, work->g, work->g));
          set_gradient (work, size > 0 ? fmax (1, tosst_norm (work->n, x)) / size : 0);
          status = search (work, evaluate, data, first, x, &f, &found);
        }
      if (status != TOSST_OK || !found)
        break;
      accept_trial (work, x);
      *violation = mark_active_bounds (work, x, first);
    }
  return status;
}
