/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/blas.h"

#include <lapacke.h>

/* Columns of the result that one task computes. */
#define COLUMNS 128

typedef struct
{
  CBLAS_TRANSPOSE ta, tb;
  int M, N, K, lda, ldb, ldc;
  double alpha, beta;
  const double *A;
  const double *B;
  double *C;
} Product;

static int
width (const Product *self, size_t item)
{
  int left = self->N - (int) item * COLUMNS;
  return left < COLUMNS ? left : COLUMNS;
}

static TosstStatus
gemm_block (size_t item, int worker, void *data)
{
  Product *self = data;
  size_t first = item * COLUMNS;
  const double *B = self->B + (self->tb == CblasNoTrans ? first * self->ldb : first);
  cblas_dgemm (CblasColMajor, self->ta, self->tb, self->M, width (self, item), self->K, self->alpha, self->A, self->lda, B,
               self->ldb, self->beta, self->C + first * self->ldc, self->ldc);
  return TOSST_OK;
}

TosstStatus
tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K, double alpha,
             const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
  Product self = { ta, tb, M, N, K, lda, ldb, ldc, alpha, beta, A, B, C };
  return tosst_parallel (context, (N + COLUMNS - 1) / COLUMNS, gemm_block, &self, 0, 0);
}

static TosstStatus
trsm_block (size_t item, int worker, void *data)
{
  Product *self = data;
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, self->ta, CblasNonUnit, self->M, width (self, item), 1, self->A,
               self->lda, self->C + item * COLUMNS * self->ldc, self->ldc);
  return TOSST_OK;
}

TosstStatus
tosst_dtrsm (TosstContext *context, CBLAS_TRANSPOSE tl, int M, int N, const double *L, int ldl, double *B, int ldb)
{
  Product self = { .ta = tl, .M = M, .N = N, .A = L, .lda = ldl, .C = B, .ldc = ldb };
  return tosst_parallel (context, (N + COLUMNS - 1) / COLUMNS, trsm_block, &self, 0, 0);
}

TosstStatus
tosst_cholesky (TosstContext *context, int n, double *A)
{
  if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', n, A, n) != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "a matrix that must be positive definite is not");
  return TOSST_OK;
}
