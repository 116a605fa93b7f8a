/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cblas.h>
#include <math.h>

#include "engine/coding/nonnegative.h"

struct TosstNonnegativeWork
{
  int K, S;
  double *r;                              /* K x S: half of the negative gradient in beta */
  double *u, *moved, *next;               /* K x S each: scratch */
  double *step;                           /* K x S: the Newton step in beta */
  double *rest, *direction, *conditioned; /* K x S each: of conjugate gradients */
  double *next_alpha;                     /* K */
  double *q;                              /* K: scratch */
  double *right;                          /* K: right-hand side for alpha, then its step */
  double *schur;                          /* K x K at most: of the step in alpha, factored; the Lasso's space */
  double *copy;                           /* its lower triangle before that, by columns: K (K + 1) / 2 */
  double *small;                          /* rank x S: root times K x S */
  double *factor;                         /* S times head^2: Cholesky factors */
  double *gathered;                       /* S head x K: columns of the head of the root, for one slice or all */
  double *tail;                           /* rank x K: rows of the root below the head */
  int *support;                           /* K: atoms with alpha != 0 */
  bool *is_free;                          /* K x S: the entries that a step moves */
  bool *factored;                         /* S: factor is that of is_free */
  double *kept, *kept_alpha;              /* K x S, K: the point before steps that raised the objective */
  double rise;                            /* increase by nonmonotone steps */
  bool monotone;                          /* nonmonotone steps have failed: monotone, more exact steps from then on */
  bool one_release;                       /* so have monotone steps: from then on one bound is released at a time, */
  size_t released;                        /* this entry of K x S; K S: none */
  int nonmonotone;                        /* nonmonotone steps left; 0: none in progress */
  TosstLassoWork *lasso;
};

/* w->step from w->r, its linear system solved until the rest is at most target; TOSST_ERROR_NUMERIC if a factorisation
 * fails. */
TosstStatus tosst_nonnegative_step (const TosstNonnegative *self, TosstContext *context, bool fixed, double target,
                                    const double *alpha, const double *beta, TosstNonnegativeWork *w);

/* out (K x S) = factor V' V in + add out; small: rank x S of scratch. */
void tosst_nonnegative_multiply (const TosstNonnegative *self, double factor, const double *in, double add, double *out,
                                 double *small);

/* out (K x S) = (V' V + gamma I)^{-1} in; out may be in. */
void tosst_nonnegative_invert (const TosstNonnegative *self, const double *in, double *out, double *small);

/* Of a point (alpha, beta); c: K x S, the linear term. */

/* out^s += gamma b^s . alpha, out_k = b_k . beta_k */
void tosst_nonnegative_add_tied (const TosstNonnegative *self, const double *alpha, double *out);
void tosst_nonnegative_tie (const TosstNonnegative *self, const double *beta, double *out);

/* The best alpha_k for weight = b_k . beta_k, and all of them for beta. */
double tosst_nonnegative_best_alpha (const TosstNonnegative *self, int k, double weight);
void tosst_nonnegative_best_alphas (const TosstNonnegative *self, const double *beta, double *alpha);

/* w->r, and the largest violation of optimality with it as it is; fixed: alpha is given. */
void tosst_nonnegative_gradient (const TosstNonnegative *self, const double *c, const double *alpha, const double *beta,
                                 TosstNonnegativeWork *w);
double tosst_nonnegative_violation (const TosstNonnegative *self, bool fixed, const double *alpha, const double *beta,
                                    TosstNonnegativeWork *w);

/* What moving beta by w->moved and alpha to w->next_alpha changes the objective by; leaves G w->moved in w->u. */
double tosst_nonnegative_change (const TosstNonnegative *self, const double *alpha, const double *beta,
                                 TosstNonnegativeWork *w);

/* max |x_i|. */
static inline double
tosst_nonnegative_largest (const double *x, size_t n)
{
  return fabs (x[cblas_idamax (n, x, 1)]);
}
