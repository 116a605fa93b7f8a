/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Evaluation of a point (alpha, beta) for the solver in coding/nonnegative.c: gradient, optimal alpha for a beta,
 * violation of the optimality conditions, and change of the objective by a move.
 */
#include <math.h>
#include <string.h>

#include "engine/coding/nonnegative-private.h"

/* out^s += gamma b^s . alpha */
void
tosst_nonnegative_add_tied (const TosstNonnegative *self, const double *alpha, double *out)
{
  for (int s = 0; s < self->S; s++)
    {
      const double *b = self->columns + (size_t)s * self->K;
      double *column = out + (size_t)s * self->K;
      for (int k = 0; k < self->K; k++)
        column[k] += self->gamma * b[k] * alpha[k];
    }
}

/* out_k = b_k . beta_k */
void
tosst_nonnegative_tie (const TosstNonnegative *self, const double *beta, double *out)
{
  memset (out, 0, sizeof *out * self->K);
  for (int s = 0; s < self->S; s++)
    {
      const double *b = self->columns + (size_t)s * self->K, *column = beta + (size_t)s * self->K;
      for (int k = 0; k < self->K; k++)
        out[k] += b[k] * column[k];
    }
}

/* Optimal alpha_k for weight = b_k . beta_k. */
double
tosst_nonnegative_best_alpha (const TosstNonnegative *self, int k, double weight)
{
  double z = self->gamma * weight, t = self->lambda / 2, curvature = self->gamma * self->norm[k];
  if (!(curvature > 0))
    return 0;
  if (z > t)
    return (z - t) / curvature;
  return self->signed_alpha && z < -t ? (z + t) / curvature : 0;
}

void
tosst_nonnegative_best_alphas (const TosstNonnegative *self, const double *beta, double *alpha)
{
  tosst_nonnegative_tie (self, beta, alpha);
  for (int k = 0; k < self->K; k++)
    alpha[k] = tosst_nonnegative_best_alpha (self, k, alpha[k]);
}

/* r = c - G beta - gamma (beta - b . alpha) */
void
tosst_nonnegative_gradient (const TosstNonnegative *self, const double *c, const double *alpha, const double *beta,
                            TosstNonnegativeWork *w)
{
  double *r = w->r;
  size_t n = (size_t)self->K * self->S;
  for (size_t i = 0; i < n; i++)
    r[i] = c[i] - self->gamma * beta[i];
  tosst_nonnegative_add_tied (self, alpha, r);
  tosst_nonnegative_multiply (self, -1, beta, 1, r, w->small);
}

/* Change of the objective for a move of beta by w->moved and of alpha to w->next_alpha, computed from differences, so
 * that it is accurate to the rounding of the step itself. w->u receives G w->moved. */
double
tosst_nonnegative_change (const TosstNonnegative *self, const double *alpha, const double *beta,
                          TosstNonnegativeWork *w)
{
  const double *next = w->next_alpha, *step = w->moved, *r = w->r;
  double *product = w->u, *slope = w->q;
  size_t K = self->K, n = K * self->S;
  double sum = 0;
  tosst_nonnegative_multiply (self, 1, step, 0, product, w->small);
  for (size_t i = 0; i < n; i++)
    sum += step[i] * (product[i] - 2 * r[i]);
  for (int s = 0; s < self->S; s++)
    {
      const double *b = self->columns + s * K, *d = step + s * K;
      double squares = 0;
      for (size_t k = 0; k < K; k++)
        {
          double apart = d[k] - b[k] * (next[k] - alpha[k]);
          squares += apart * apart;
        }
      sum += self->gamma * squares;
    }
  /* -2 a_k dalpha + lambda (|alpha + dalpha| - |alpha|), where 2 a_k = sign (alpha_k) lambda cancels for alpha_k != 0.
   */
  tosst_nonnegative_tie (self, beta, slope);
  for (size_t k = 0; k < K; k++)
    {
      double d = next[k] - alpha[k], size = fabs (next[k]) - fabs (alpha[k]);
      if (d == 0)
        continue;
      if (alpha[k] != 0)
        sum += self->lambda * (size - (alpha[k] > 0 ? d : -d));
      else
        sum += self->lambda * size - 2 * self->gamma * slope[k] * d;
    }
  return sum;
}

/* Largest violation of the optimality conditions, given w->r. */
double
tosst_nonnegative_violation (const TosstNonnegative *self, bool fixed, const double *alpha, const double *beta,
                             TosstNonnegativeWork *w)
{
  const double *r = w->r, *a = w->q;
  double t = self->lambda / 2, worst = 0;
  for (size_t i = 0; i < (size_t)self->K * self->S; i++)
    {
      double size = beta[i] > 0 ? fabs (r[i]) : r[i];
      worst = size > worst ? size : worst;
    }
  if (!fixed)
    tosst_nonnegative_tie (self, beta, w->q);
  for (int k = 0; k < self->K && !fixed; k++)
    {
      double slope = self->gamma * (a[k] - self->norm[k] * alpha[k]);
      if (alpha[k] != 0)
        worst = fmax (worst, fabs (slope - copysign (t, alpha[k])));
      else
        worst = fmax (worst, (self->signed_alpha ? fabs (slope) : slope) - t);
    }
  return worst;
}
