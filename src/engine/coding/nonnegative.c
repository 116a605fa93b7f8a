/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solver of the problem in coding/nonnegative.h. Given beta, the optimal alpha has a closed form, so the search is
 * over beta alone, by projected Newton steps. A step fixes the entries Z^s of beta^s that are zero with r^s <= 0,
 * and solves for the other entries together with the non-zero alpha, by conjugate gradients
 * (coding/nonnegative-step.c) with an accuracy proportional to the current residual. From the Lasso's alpha about
 * six steps and twenty products with V' V suffice.
 *
 * A step is accepted if it lowers the objective, else halved. If no length lowers the objective, a limited number of
 * nonmonotone steps is tried, once. From then on steps are monotone and may end at the first bound; where they do
 * not lower the objective, they are replaced by passes of coordinate descent, which never increase it. If
 * convergence is still slow, because zeros released together block each other, the last steps form an active-set
 * method: the problem is minimised over the non-zero entries, and one zero is released at a time. The objective
 * decreases from each of these minima to the next, so that the method terminates.
 */
#include "engine/coding/nonnegative.h"
#include "engine/base/vector.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/coding/nonnegative-private.h"
#include "engine/coding/tuning.h"

/* Coordinate descent by exact minimisation over beta_k and alpha_k in turn, which never increases the objective. With
 * y = R beta, which is updated after each coordinate, (G beta)_k is the product of column k of R and y. */
static void
descend (const TosstNonnegative *self, const double *c, bool fixed, double *alpha, double *beta,
         TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S, rank = self->rank;
  double product[S], step[S], next[S], *y = w->small;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->root, rank, beta, K, 0, y, rank);
  for (int pass = 0; pass < DESCENT_PASSES; pass++)
    for (size_t k = 0; k < K; k++)
      {
        const double *b = self->b + k * S, *column = self->root + k * rank;
        double square = tosst_dot (rank, column, column);
        cblas_dgemv (CblasColMajor, CblasTrans, rank, S, 1, y, rank, column, 1, 0, product, 1);
        for (int round = 0; round < (fixed ? 1 : 3); round++)
          {
            double weight = 0;
            for (size_t s = 0; s < S; s++)
              {
                double free_beta = c[s * K + k] - product[s] + square * beta[s * K + k];
                next[s] = fmax (free_beta + self->gamma * b[s] * alpha[k], 0) / (square + self->gamma);
                weight += b[s] * next[s];
              }
            if (!fixed)
              alpha[k] = tosst_nonnegative_best_alpha (self, (int)k, weight);
          }
        for (size_t s = 0; s < S; s++)
          {
            step[s] = next[s] - beta[s * K + k];
            beta[s * K + k] = next[s];
          }
        cblas_dger (CblasColMajor, rank, S, 1, column, 1, step, 1, y, rank);
      }
}

/* Sets the starting point: the Lasso's alpha, or the given one, and the corresponding unconstrained beta with
 * negative entries set to zero. */
static void
begin (const TosstNonnegative *self, const double *c, TosstNonnegativeStart start, double scale, double *alpha,
       double *beta, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S;
  if (start == TOSST_NONNEGATIVE_COLD)
    {
      tosst_nonnegative_invert (self, c, w->u, w->small);
      tosst_nonnegative_tie (self, w->u, w->q);
      cblas_dscal (self->K, self->gamma, w->q, 1);
      memset (alpha, 0, sizeof *alpha * K);
      tosst_kernels ()->lasso_double (self->H, self->K, w->q, self->lambda / 2, self->signed_alpha, 1e-6 * scale, alpha,
                                      w->lasso);
    }
  memcpy (w->r, c, sizeof *w->r * K * S);
  tosst_nonnegative_add_tied (self, alpha, w->r);
  tosst_nonnegative_invert (self, w->r, beta, w->small);
  for (size_t i = 0; i < K * S; i++)
    beta[i] = fmax (beta[i], 0);
  if (start != TOSST_NONNEGATIVE_FIXED)
    tosst_nonnegative_best_alphas (self, beta, alpha);
}

/* Computes the point at a fraction `length` of the step, with negative entries set to zero, into w->next and
 * w->next_alpha. Returns the change of the objective. */
static double
look_ahead (const TosstNonnegative *self, bool fixed, double length, const double *alpha, const double *beta,
            TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S;
  for (size_t i = 0; i < n; i++)
    {
      w->next[i] = beta[i] + length * w->step[i] > 0 ? beta[i] + length * w->step[i] : 0;
      w->moved[i] = w->next[i] - beta[i];
    }
  if (fixed)
    memcpy (w->next_alpha, alpha, sizeof *alpha * self->K);
  else
    tosst_nonnegative_best_alphas (self, w->next, w->next_alpha);
  return tosst_nonnegative_change (self, alpha, beta, w);
}

static void
copy_point (const TosstNonnegative *self, const double *from_alpha, const double *from_beta, double *alpha,
            double *beta)
{
  memcpy (alpha, from_alpha, sizeof *alpha * self->K);
  memcpy (beta, from_beta, sizeof *beta * self->K * self->S);
}

static void
accept (const TosstNonnegative *self, double *alpha, double *beta, TosstNonnegativeWork *w)
{
  /* Updates r for the move evaluated by the last look_ahead(), for which w->u contains G w->moved. */
  size_t K = self->K;
  for (size_t k = 0; k < K; k++)
    w->q[k] = w->next_alpha[k] - alpha[k];
  for (size_t i = 0; i < K * self->S; i++)
    w->r[i] -= w->u[i] + self->gamma * w->moved[i];
  tosst_nonnegative_add_tied (self, w->q, w->r);
  copy_point (self, w->next_alpha, w->next, alpha, beta);
}

/* Fraction of the step at which the first non-zero alpha_k or beta_k^s becomes zero, 1 if none does; the quadratic
 * model of the step is valid up to this point. */
static double
first_crossing (const TosstNonnegative *self, bool fixed, const double *alpha, const double *beta,
                TosstNonnegativeWork *w)
{
  size_t K = self->K, n = K * self->S;
  double first = 1;
  tosst_nonnegative_tie (self, w->step, w->q);
  for (size_t k = 0; k < K && !fixed; k++)
    {
      double moved = alpha[k] != 0 ? w->q[k] / self->norm[k] : 0;
      if (moved * alpha[k] < 0)
        first = fmin (first, -alpha[k] / moved);
    }
  for (size_t i = 0; i < n; i++)
    if (beta[i] > 0 && w->step[i] < 0)
      first = fmin (first, -beta[i] / w->step[i]);
  return fmin (first * (1 + BEYOND_BOUND), 1);
}

/* Monotone step: halved while it does not lower the objective, then cut at the first bound, which the next step
 * keeps; otherwise coordinate descent. */
static bool
advance_monotone (const TosstNonnegative *self, const double *c, bool fixed, bool has_step, double *alpha, double *beta,
                  TosstNonnegativeWork *w)
{
  double change = INFINITY, length = 2;
  while (has_step && !(change < 0) && length > NEWTON_SHORTEST)
    change = look_ahead (self, fixed, length /= 2, alpha, beta, w);
  if (has_step && !(change < 0))
    change = look_ahead (self, fixed, first_crossing (self, fixed, alpha, beta, w), alpha, beta, w);
  if (change < 0)
    copy_point (self, w->next_alpha, w->next, alpha, beta);
  else
    descend (self, c, fixed, alpha, beta, w);
  return false;
}

/* Selects the zero to release: the one with the largest r, provided that the residual of the positive entries is
 * small in comparison. */
static void
choose_released (const TosstNonnegative *self, const double *beta, TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S;
  double rest = 0, most = 0;
  w->released = n;
  for (size_t i = 0; i < n; i++)
    if (beta[i] > 0)
      rest = fmax (rest, fabs (w->r[i]));
    else if (w->r[i] > most)
      {
        most = w->r[i];
        w->released = i;
      }
  if (rest > RELEASE_BELOW * most)
    w->released = n;
}

/* Moves to a point of lower objective, by the step or by coordinate descent; or, if no length of the step lowers it,
 * by full nonmonotone steps for a limited number of iterations, once. Returns whether w->r belongs to the new point. */
static bool
advance (const TosstNonnegative *self, const double *c, bool fixed, bool has_step, double *alpha, double *beta,
         TosstNonnegativeWork *w)
{
  if (w->one_release)
    {
      /* Step of the active-set method: up to the first bound. */
      if (has_step && look_ahead (self, fixed, first_crossing (self, fixed, alpha, beta, w), alpha, beta, w) < 0)
        copy_point (self, w->next_alpha, w->next, alpha, beta);
      else
        descend (self, c, fixed, alpha, beta, w);
      return false;
    }
  if (w->monotone)
    return advance_monotone (self, c, fixed, has_step, alpha, beta, w);
  double change = has_step ? look_ahead (self, fixed, 1, alpha, beta, w) : INFINITY, length = 1;
  if (w->nonmonotone == 0)
    {
      while (has_step && !(change < 0) && length > NEWTON_SHORTEST)
        change = look_ahead (self, fixed, length /= 2, alpha, beta, w);
      if (change < 0)
        {
          accept (self, alpha, beta, w);
          return true;
        }
      if (!has_step)
        {
          descend (self, c, fixed, alpha, beta, w);
          return false;
        }
      copy_point (self, alpha, beta, w->kept_alpha, w->kept);
      w->rise = 0;
      w->nonmonotone = NONMONOTONE_STEPS;
      change = look_ahead (self, fixed, 1, alpha, beta, w);
    }
  w->rise += change;
  if (has_step)
    accept (self, alpha, beta, w);
  if (w->rise < 0)
    w->nonmonotone = 0;
  else if (!has_step || --w->nonmonotone == 0)
    {
      w->nonmonotone = 0;
      w->monotone = true;
      copy_point (self, w->kept_alpha, w->kept, alpha, beta);
      descend (self, c, fixed, alpha, beta, w);
      return false;
    }
  return true;
}

TosstStatus
tosst_nonnegative_solve (const TosstNonnegative *self, TosstContext *context, const double *c,
                         TosstNonnegativeStart start, double tolerance, double *alpha, double *beta, double *kkt,
                         TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S, monotone = 0;
  bool fixed = start == TOSST_NONNEGATIVE_FIXED, fresh = false;
  double scale = tosst_nonnegative_largest (c, n), best = INFINITY, worst;
  int stale = 0;

  begin (self, c, start, scale, alpha, beta, w);
  memset (w->factored, 0, sizeof *w->factored * self->S);
  w->nonmonotone = 0;
  w->monotone = w->one_release = false;
  for (int i = 0;; i++)
    {
      if (!fresh)
        tosst_nonnegative_gradient (self, c, alpha, beta, w);
      worst = tosst_nonnegative_violation (self, fixed, alpha, beta, w);
      if (fresh && worst <= tolerance * scale)
        {
          /* The certificate is computed from a recomputed gradient. */
          tosst_nonnegative_gradient (self, c, alpha, beta, w);
          worst = tosst_nonnegative_violation (self, fixed, alpha, beta, w);
        }
      stale = worst < best ? 0 : stale + 1;
      best = fmin (best, worst);
      int patience = w->one_release ? RELEASE_PATIENCE : NEWTON_PATIENCE;
      if (worst <= tolerance * scale || i == NEWTON_STEPS || (stale > patience && worst <= 1e-7 * scale))
        break;
      monotone += w->monotone;
      w->one_release = monotone > (n < MONOTONE_STEPS ? n : MONOTONE_STEPS);
      if (w->one_release)
        choose_released (self, beta, w);
      double target = w->one_release ? NEWTON_EXACT * worst
                      : w->monotone  ? fmax (NEWTON_EXACT * worst, 0.1 * tolerance * scale)
                                     : fmax (NEWTON_INEXACT * worst, 0.3 * tolerance * scale);
      TosstStatus status = tosst_nonnegative_step (self, context, fixed, target, alpha, beta, w);
      if (status == TOSST_CANCELLED)
        return status;
      fresh = advance (self, c, fixed, status == TOSST_OK, alpha, beta, w) && i % 8 != 7;
    }
  *kkt = scale > 0 ? worst / scale : 0;
  return TOSST_OK;
}
