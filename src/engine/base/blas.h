/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Level 3 products split over the threads of a context, column-major as in BLAS. Neither the blocks nor the bits of
 * the result depend on the number of threads. Inside a parallel loop BLAS is to be called directly.
 */
#pragma once

#include <cblas.h>

#include "tosst/context.h"

/* Copies n values on all threads. On one thread copying ten megabytes takes as long as a product with them on all
 * threads. */
TosstStatus tosst_copy (TosstContext *context, size_t n, const double *from, double *to);

/* C (M x N) = alpha op (A) op (B) + beta C. */
TosstStatus tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                         double alpha, const double *A, int lda, const double *B, int ldb, double beta, double *C,
                         int ldc);

/* tosst_dgemm() for floats. */
TosstStatus tosst_sgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                         float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc);

/* tosst_dgemm() for N x N products that are symmetric, or whose sum is symmetric: computes at least the lower
 * triangle. */
TosstStatus tosst_dgemm_lower (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int N, int K,
                               double alpha, const double *A, int lda, const double *B, int ldb, double beta, double *C,
                               int ldc);
/* Copies the lower triangle of C (N x N) to the upper one. */
TosstStatus tosst_mirror (TosstContext *context, int N, double *C, int ldc);

/* B (M x N) = op (L)^{-1} B, L lower triangular M x M. */
TosstStatus tosst_dtrsm (TosstContext *context, CBLAS_TRANSPOSE tl, int M, int N, const double *L, int ldl, double *B,
                         int ldb);

/* Factorises the symmetric positive definite A (n x n, lower triangle) in place; the upper triangle is undefined
 * afterwards. Returns TOSST_ERROR_NUMERIC if A is not numerically positive definite. */
TosstStatus tosst_cholesky (TosstContext *context, int n, double *A);
