/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Level 3 products split over the threads of a context, column-major as in BLAS. Blocks do not depend on the number of
 * threads, so neither do the bits of the result. Inside a parallel loop call BLAS itself.
 */
#pragma once

#include <cblas.h>

#include "engine/base/context.h"

/* Copies n numbers on all threads. On one thread copying ten megabytes takes as long as a product with them on all. */
TosstStatus tosst_copy (TosstContext *context, size_t n, const double *from, double *to);

/* C (M x N) = alpha op (A) op (B) + beta C. */
TosstStatus tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                         double alpha, const double *A, int lda, const double *B, int ldb, double beta, double *C,
                         int ldc);

/* The same for floats. */
TosstStatus tosst_sgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                         float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc);

/* tosst_dgemm() for N x N products that are symmetric, or whose sum is: computes at least the lower triangle. */
TosstStatus tosst_dgemm_lower (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int N, int K,
                               double alpha, const double *A, int lda, const double *B, int ldb, double beta, double *C,
                               int ldc);
/* Copies the lower triangle of C (N x N) to the upper one. */
TosstStatus tosst_mirror (TosstContext *context, int N, double *C, int ldc);

/* B (M x N) = op (L)^{-1} B, L lower triangular M x M. */
TosstStatus tosst_dtrsm (TosstContext *context, CBLAS_TRANSPOSE tl, int M, int N, const double *L, int ldl, double *B,
                         int ldb);

/* Factors the symmetric positive definite A (n x n, lower triangle) in place; the upper triangle is undefined
 * afterwards. TOSST_ERROR_NUMERIC if A is not numerically positive definite. */
TosstStatus tosst_cholesky (TosstContext *context, int n, double *A);
