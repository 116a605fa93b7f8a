/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coding with beta >= 0: equation (5) of one tensor in alpha and beta together,
 *
 *     min  sum_s ||x^s - V beta^s||^2 + gamma ||beta^s - b^s . alpha||^2 + lambda ||alpha||_1,   beta >= 0,
 *
 * alpha >= 0 or signed: a convex quadratic programme. With G = V' V, c^s = V' x^s and half of the negative gradient,
 *
 *     r^s = c^s - G beta^s - gamma (beta^s - b^s . alpha),   a_k = gamma (b_k . beta_k - ||b_k||^2 alpha_k),
 *
 * a point is optimal when
 *
 *     beta_k^s > 0:  r_k^s = 0                          beta_k^s = 0:  r_k^s <= 0
 *     alpha_k != 0:  a_k = sign (alpha_k) lambda / 2    alpha_k = 0:   a_k <= lambda / 2, and a_k >= -lambda / 2 if signed.
 *
 * The KKT residual is the largest violation of these, relative to max |c|: twice that is the largest gradient at
 * alpha = beta = 0, as max |2q| is for the Lasso.
 *
 * gamma = infinity is the constraint beta = b . alpha, so that every alpha_k must have the sign of all entries of
 * b_k: atoms whose b_k has both signs have alpha_k = 0, the others are coded by the Lasso.
 */
#pragma once

#include "engine/base/memory.h"
#include "engine/coding/lasso.h"
#include "tosst/code.h"

/* Quantities shared by all tensors; root, eigenvalue, columns and norm are owned, others borrowed. */
typedef struct
{
  int K, S;
  int rank;             /* min (D, K) */
  int head;             /* rows of the root in the preconditioner of a Newton step */
  double lambda, gamma; /* finite */
  bool signed_alpha;
  const double *b; /* S x K column-major */
  const double
      *H;       /* K x K: H of the Lasso with beta free, gamma diag ||b_k||^2 - gamma^2 (G + gamma I)^{-1} .* (b' b) */
  double *root; /* rank x K: G = root' root, and root root' = diag (eigenvalue) */
  double *eigenvalue; /* rank: eigenvalues of G, decreasing */
  float *narrow;      /* root, or G (K x K) where that is smaller, in float, for inexact linear systems */
  bool narrow_gram;   /* narrow contains G */
  double *columns;    /* K x S column-major: transpose of b */
  double *norm;       /* K: ||b_k||^2 */
  TosstMemory memory; /* of the owned arrays */
} TosstNonnegative;

static inline TosstStatus
tosst_coding_no_memory (TosstContext *context)
{
  return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
}

/* Workspace of one worker; opaque. */
typedef struct TosstNonnegativeWork TosstNonnegativeWork;
TosstNonnegativeWork *tosst_nonnegative_work_new (int D, int S, int K);
void tosst_nonnegative_work_free (TosstNonnegativeWork *work);
size_t tosst_nonnegative_work_bytes (int D, int S,
                                     int K); /* upper bound; pages are touched only as supports need them */

typedef enum
{
  TOSST_NONNEGATIVE_COLD,  /* alpha is output only */
  TOSST_NONNEGATIVE_WARM,  /* alpha is the starting point */
  TOSST_NONNEGATIVE_FIXED, /* alpha is not changed; beta is optimal for it */
} TosstNonnegativeStart;

/* Solves the problem for one tensor. c: K x S, column s is V' x^s. alpha: K. beta: K x S, written. kkt: receives the
 * KKT residual relative to max |c|; tolerance is its target. Returns TOSST_CANCELLED or TOSST_OK. */
TosstStatus tosst_nonnegative_solve (const TosstNonnegative *self, TosstContext *context, const double *c,
                                     TosstNonnegativeStart start, double tolerance, double *alpha, double *beta,
                                     double *kkt, TosstNonnegativeWork *work);

/* Allocates the solver for a finite gamma. b of the dictionary and H are borrowed; H is needed for cold starts only
 * and may be NULL. */
TosstStatus tosst_nonnegative_new (TosstContext *context, const TosstDictionary *dictionary, int S, const double *H,
                                   const TosstCodingOptions *options, TosstNonnegative **self);
/* Sets another lambda and finite gamma. */
void tosst_nonnegative_set (TosstNonnegative *self, double lambda, double gamma);
size_t tosst_nonnegative_bytes (int D, int S, int K); /* during set-up; at most two thirds of it afterwards */
void tosst_nonnegative_free (TosstNonnegative *self);

/* Returns the feasible sign of alpha_k for beta = b_k . alpha_k >= 0 (gamma = infinity); 0: only alpha_k = 0 is
 * feasible. b: S. */
int tosst_nonnegative_sign (const double *b, int S, bool signed_alpha);

/* Sums over codes and their beta for learning, of tensors divided by the dictionary's scale. tosst_code_nonnegative()
 * adds to them. */
typedef struct
{
  double *A;     /* K x K: sum_{n,s} beta beta' */
  double *C;     /* D x K: sum_{n,s} x beta' */
  double *N;     /* S x K: sum_n alpha_k beta_k^s */
  double *mean;  /* S x K: sum_n beta_k^s */
  double *power; /* K: sum_n alpha_k^2 */
  double l1;     /* sum_n ||alpha||_1 */
} TosstNonnegativeSums;

/* tosst_code() for a coder of this kind; beta is stored for one block of tensors at a time. tensors and codes are
 * float, or double if wide. sums may be NULL; the order of summation does not depend on the number of threads. */
TosstStatus tosst_code_nonnegative (TosstContext *context, const TosstCoder *coder, bool wide, const void *tensors,
                                    size_t n, bool warm, void *codes, TosstNonnegativeSums *sums,
                                    TosstCodingReport *report);

/* tosst_code_objective() for a coder of this kind, with the optimal beta >= 0. */
TosstStatus tosst_nonnegative_objective (TosstContext *context, const TosstCoder *coder, const double *tensors,
                                         size_t n, const double *codes, double *objective, double *parts);

/* Upper bound of the bytes allocated by tosst_code_nonnegative(), and by the coder beyond those of every coder. */
size_t tosst_code_nonnegative_bytes (int D, int S, int K, int threads);
