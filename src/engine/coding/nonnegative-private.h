/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cblas.h>
#include <math.h>

#include "engine/base/memory.h"
#include "engine/coding/nonnegative.h"

struct TosstNonnegativeWork
{
  int K, S;
  double *r;                              /* K x S: half of the negative gradient in beta */
  double *u, *moved, *next;               /* K x S each: scratch */
  double *step;                           /* K x S: the Newton step in beta */
  double *rest, *direction, *conditioned; /* K x S each: residual, direction, preconditioned residual */
  double *next_alpha;                     /* K */
  double *q;                              /* K: scratch */
  double *right;                          /* K: right-hand side for alpha, then the step in alpha */
  double *schur;             /* at most K x K: factored Schur complement of the step in alpha; storage of the Lasso */
  double *copy;              /* its lower triangle before factorisation, by columns: K (K + 1) / 2 */
  double *small;             /* rank x S: root times K x S */
  double *factor;            /* S times head^2: Cholesky factors */
  double *gathered;          /* S head x K: columns of the head of the root, for one slice or for all */
  double *tail;              /* rank x K: rows of the root below the head */
  int *support;              /* K: atoms with alpha != 0 */
  bool *is_free;             /* K x S: entries that a step may change */
  bool *factored;            /* S: factor is up to date with is_free */
  double *kept, *kept_alpha; /* K x S, K: point before the nonmonotone steps */
  double rise;               /* increase of the objective by nonmonotone steps */
  bool monotone;             /* nonmonotone steps have failed: only monotone, more exact steps from then on */
  bool one_release;          /* monotone steps have failed too: one bound is released at a time from then on */
  size_t released;           /* entry of K x S to release; K S: none */
  int nonmonotone;           /* remaining nonmonotone steps; 0: none in progress */
  TosstLassoWork *lasso;
  TosstMemory memory; /* of all arrays but those of the Lasso */
};

/* Computes w->step from w->r; the residual of its linear system is at most target. Returns TOSST_ERROR_NUMERIC if a
 * factorisation fails. */
TosstStatus tosst_nonnegative_step (const TosstNonnegative *self, TosstContext *context, bool fixed, double target,
                                    const double *alpha, const double *beta, TosstNonnegativeWork *w);

/* out (K x S) = factor V' V in + add out. small: rank x S, scratch. */
void tosst_nonnegative_multiply (const TosstNonnegative *self, double factor, const double *in, double add, double *out,
                                 double *small);

/* out (K x S) = (V' V + gamma I)^{-1} in; out may equal in. */
void tosst_nonnegative_invert (const TosstNonnegative *self, const double *in, double *out, double *small);

/* Functions of a point (alpha, beta). c: K x S, the linear term. */

/* out^s += gamma b^s . alpha, out_k = b_k . beta_k */
void tosst_nonnegative_add_tied (const TosstNonnegative *self, const double *alpha, double *out);
void tosst_nonnegative_tie (const TosstNonnegative *self, const double *beta, double *out);

/* Optimal alpha_k for weight = b_k . beta_k, and all optimal alpha for beta. */
double tosst_nonnegative_best_alpha (const TosstNonnegative *self, int k, double weight);
void tosst_nonnegative_best_alphas (const TosstNonnegative *self, const double *beta, double *alpha);

/* Gradient w->r, and the largest violation of the optimality conditions given w->r; fixed: alpha is given. */
void tosst_nonnegative_gradient (const TosstNonnegative *self, const double *c, const double *alpha, const double *beta,
                                 TosstNonnegativeWork *w);
double tosst_nonnegative_violation (const TosstNonnegative *self, bool fixed, const double *alpha, const double *beta,
                                    TosstNonnegativeWork *w);

/* Change of the objective for a move of beta by w->moved and of alpha to w->next_alpha. w->u receives G w->moved. */
double tosst_nonnegative_change (const TosstNonnegative *self, const double *alpha, const double *beta,
                                 TosstNonnegativeWork *w);

/* max |x_i|. */
static inline double
tosst_nonnegative_largest (const double *x, size_t n)
{
  return fabs (x[cblas_idamax (n, x, 1)]);
}
