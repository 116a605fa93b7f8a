/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Lasso that a code solves once beta is minimised out (section "Exact coding" of the method):
 *
 *     min_alpha  alpha' H alpha - 2 q' alpha + lambda ||alpha||_1,   alpha >= 0 or signed.
 *
 * With t = lambda / 2 and r = q - H alpha it is optimal when
 *     alpha_k > 0: r_k = t;   alpha_k < 0: r_k = -t;   alpha_k = 0: r_k <= t, and r_k >= -t if signed.
 * The largest violation of these is the KKT residual (of half the gradient) that a solve returns.
 */
#pragma once

#include "simd/kernels.h"

struct TosstLassoWork
{
  int K;
  int *active;   /* K: atoms in the active set, in the order they came */
  int *position; /* K: place in active, or -1 */
  int *list;     /* K: candidates, or the support */
  char *state;   /* K: scratch flags */
  void *r;       /* K: q - H alpha */
  void *x;       /* K: alpha on the active set */
  void *rho;     /* K: r on the active set */
  void *delta;   /* K: a Newton step */
  void *inverse; /* K: 1 / H_kk on the active set */
  void *step;    /* K: H delta on the active set */
  void *G;       /* K x K at most: H on the active set, compact */
  void *L;       /* K x K at most: Cholesky factor of H on the support */
};

/* element: sizeof (float) or sizeof (double). NULL if out of memory. Pages are touched only as active sets need
 * them. */
TosstLassoWork *tosst_lasso_work_new (int K, size_t element);
void            tosst_lasso_work_free (TosstLassoWork *work);
