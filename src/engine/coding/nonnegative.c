/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solver of the problem in coding/nonnegative.h. Given beta, the best alpha is closed form, so beta alone is searched,
 * by projected Newton steps. A step keeps at zero the entries Z^s of beta^s that are zero and want to be below, and
 * solves for the others together with the alpha that are not zero, by conjugate gradients (coding/nonnegative-step.c),
 * as exactly as the present residual is worth. From the Lasso's alpha about six steps and twenty products with V' V
 * are enough. A step is accepted if the objective falls, else halved. Where that does not help, some steps that raise
 * it are tried, once; then steps end at the first zero they meet, and passes of coordinate descent, which always lower
 * the objective, get away from places where that gains nothing. Where even this takes long, as zeros that want to
 * grow together hold each other down, the last steps are those of an active set: they settle on the entries that are
 * not zero, and let one zero go at a time. That lowers the objective from one settlement to the next, and so ends.
 */
#include "engine/coding/nonnegative.h"
#include "engine/base/vector.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/coding/nonnegative-private.h"

/* Newton steps at most. */
#define MOST_STEPS 2000
/* Most monotone steps, which end at the first bound they meet; never more than there are entries. After these, one bound
 * is let go at a time. */
#define MAX_MONOTONE 500
/* What is left where the others have settled, beside how much a zero wants to grow. */
#define SETTLED 0.01
/* Part of a step that is tried at least. */
#define SHORTEST 0.2
/* Whole steps that may raise the objective in a row; mostly what follows them is lower than ever. */
#define MAX_NONMONOTONE 10
/* Passes of coordinate descent where they did not help. */
#define PASSES 3
/* Newton steps in a row that may fail to lower the residual when rounding is all that is left. */
#define PATIENCE 8
/* The same where zeros are let go one at a time, each of which may raise it. */
#define ONE_RELEASE_PATIENCE 64
/* Part of the residual that a Newton step's linear system may leave. */
#define INEXACT 0.1
/* The same after nonmonotone steps have failed to lower the objective. */
#define EXACT 1e-6
/* How far a step goes beyond a zero, relative to its length. */
#define BEYOND 1e-9

/* Passes of exact minimisation over beta_k and alpha_k in turn; each lowers the objective or leaves it. With y = R beta,
 * which is kept up to date, (G beta)_k is the product of column k of R and y. */
static void
descend (const TosstNonnegative *self, const double *c, bool fixed, double *alpha, double *beta,
         TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S, rank = self->rank;
  double product[S], step[S], next[S], *y = w->small;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->root, rank, beta, K, 0, y, rank);
  for (int pass = 0; pass < PASSES; pass++)
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

/* The Lasso's alpha, or the given one, and the beta that belongs to it where that is not negative. */
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

/* Where a part of the step leads, entries that would be negative set to zero: into w->next and w->next_alpha. Returns
 * what that changes the objective by. */
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

/* r after the move that look_ahead() last weighed, which left G w->moved in w->u. */
static void
move_gradient (const TosstNonnegative *self, const double *alpha, TosstNonnegativeWork *w)
{
  size_t K = self->K;
  for (size_t k = 0; k < K; k++)
    w->q[k] = w->next_alpha[k] - alpha[k];
  for (size_t i = 0; i < K * self->S; i++)
    w->r[i] -= w->u[i] + self->gamma * w->moved[i];
  tosst_nonnegative_add_tied (self, w->q, w->r);
}

static void
accept (const TosstNonnegative *self, double *alpha, double *beta, TosstNonnegativeWork *w)
{
  move_gradient (self, alpha, w);
  copy_point (self, w->next_alpha, w->next, alpha, beta);
}

/* The part of the step after which the first alpha_k or beta_k^s that is not zero has become zero, 1 if none does: up to
 * there the step is a minimisation of what it was made for. */
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
  return fmin (first * (1 + BEYOND), 1);
}

/* A monotone step: ends where it meets the first bound, which the next step keeps. */
static bool
advance_monotone (const TosstNonnegative *self, const double *c, bool fixed, bool has_step, double *alpha, double *beta,
                  TosstNonnegativeWork *w)
{
  double change = INFINITY, length = 2;
  while (has_step && !(change < 0) && length > SHORTEST)
    change = look_ahead (self, fixed, length /= 2, alpha, beta, w);
  if (has_step && !(change < 0))
    change = look_ahead (self, fixed, first_crossing (self, fixed, alpha, beta, w), alpha, beta, w);
  if (change < 0)
    copy_point (self, w->next_alpha, w->next, alpha, beta);
  else
    descend (self, c, fixed, alpha, beta, w);
  return false;
}

/* The zero that the next step lets go: the one that wants to grow most, if all that are not zero have settled. */
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
  if (rest > SETTLED * most)
    w->released = n;
}

/* One of the last steps: up to the first zero that it meets. */
static void
advance_one_release (const TosstNonnegative *self, const double *c, bool fixed, bool has_step, double *alpha,
                     double *beta, TosstNonnegativeWork *w)
{
  if (has_step && look_ahead (self, fixed, first_crossing (self, fixed, alpha, beta, w), alpha, beta, w) < 0)
    copy_point (self, w->next_alpha, w->next, alpha, beta);
  else
    descend (self, c, fixed, alpha, beta, w);
}

/* Moves to a point of lower objective, by the step or by coordinate descent; or, while no length of the step lowers it,
 * along whole steps for a while in the hope of what lies behind, once. Returns whether w->r is that of the new point. */
static bool
advance (const TosstNonnegative *self, const double *c, bool fixed, bool has_step, double *alpha, double *beta,
         TosstNonnegativeWork *w)
{
  if (w->one_release)
    {
      advance_one_release (self, c, fixed, has_step, alpha, beta, w);
      return false;
    }
  if (w->monotone)
    return advance_monotone (self, c, fixed, has_step, alpha, beta, w);
  double change = has_step ? look_ahead (self, fixed, 1, alpha, beta, w) : INFINITY, length = 1;
  if (w->nonmonotone == 0)
    {
      while (has_step && !(change < 0) && length > SHORTEST)
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
      w->nonmonotone = MAX_NONMONOTONE;
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
          /* The certificate is computed from a new gradient. */
          tosst_nonnegative_gradient (self, c, alpha, beta, w);
          worst = tosst_nonnegative_violation (self, fixed, alpha, beta, w);
        }
      stale = worst < best ? 0 : stale + 1;
      best = fmin (best, worst);
      int patience = w->one_release ? ONE_RELEASE_PATIENCE : PATIENCE;
      if (worst <= tolerance * scale || i == MOST_STEPS || (stale > patience && worst <= 1e-7 * scale))
        break;
      monotone += w->monotone;
      w->one_release = monotone > (n < MAX_MONOTONE ? n : MAX_MONOTONE);
      if (w->one_release)
        choose_released (self, beta, w);
      double target = w->one_release ? EXACT * worst
                      : w->monotone  ? fmax (EXACT * worst, 0.1 * tolerance * scale)
                                     : fmax (INEXACT * worst, 0.3 * tolerance * scale);
      TosstStatus status = tosst_nonnegative_step (self, context, fixed, target, alpha, beta, w);
      if (status == TOSST_CANCELLED)
        return status;
      fresh = advance (self, c, fixed, status == TOSST_OK, alpha, beta, w) && i % 8 != 7;
    }
  *kkt = scale > 0 ? worst / scale : 0;
  return TOSST_OK;
}
