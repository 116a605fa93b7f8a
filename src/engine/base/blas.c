/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/blas.h"

#include <string.h>

#include "engine/base/tuning.h"

typedef struct
{
  CBLAS_TRANSPOSE ta, tb;
  int M, N, K, lda, ldb, ldc;
  double alpha, beta;
  const double *A;
  const double *B;
  double *C;
  const float *A_float, *B_float; /* used instead of A, B and C in a product of floats */
  float *C_float;
  int columns; /* columns per task */
  bool lower;  /* the lower triangle alone */
} Product;

/* Returns an even number of tasks of about equal size. */
static int
split (int N)
{
  int tasks = 2 * ((N + 2 * PRODUCT_COLUMNS - 1) / (2 * PRODUCT_COLUMNS));
  return ((N + tasks - 1) / tasks + 15) / 16 * 16;
}

static size_t
tasks_of (const Product *self)
{
  return (self->N + self->columns - 1) / self->columns;
}

static int
width (const Product *self, size_t item)
{
  int left = self->N - (int)item * self->columns;
  return left < self->columns ? left : self->columns;
}

/* Computes some columns of a product, in either precision, or of a symmetric one from the diagonal down. */
static TosstStatus
gemm_block (size_t item, int worker, void *data)
{
  Product *self = data;
  size_t first = item * self->columns, first_row = self->lower ? first : 0;
  int rows = self->M - (int)first_row, columns = width (self, item);
  size_t a = self->ta == CblasNoTrans ? first_row : first_row * self->lda,
         b = self->tb == CblasNoTrans ? first * self->ldb : first, c = first * self->ldc + first_row;
  if (self->C_float)
    cblas_sgemm (CblasColMajor, self->ta, self->tb, rows, columns, self->K, self->alpha, self->A_float + a, self->lda,
                 self->B_float + b, self->ldb, self->beta, self->C_float + c, self->ldc);
  else
    cblas_dgemm (CblasColMajor, self->ta, self->tb, rows, columns, self->K, self->alpha, self->A + a, self->lda,
                 self->B + b, self->ldb, self->beta, self->C + c, self->ldc);
  return TOSST_OK;
}

TosstStatus
tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K, double alpha,
             const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
  Product self = { ta, tb, M, N, K, lda, ldb, ldc, alpha, beta, A, B, C, .columns = split (N) };
  return tosst_parallel_work (context, tasks_of (&self), (double)M * N * K, gemm_block, &self);
}

TosstStatus
tosst_sgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K, float alpha,
             const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
  Product self
      = { ta, tb, M, N, K, lda, ldb, ldc, alpha, beta, .A_float = A, .B_float = B, .C_float = C, .columns = split (N) };
  return tosst_parallel_work (context, tasks_of (&self), (double)M * N * K, gemm_block, &self);
}

typedef struct
{
  const double *from;
  double *to;
  size_t n;
} Copy;

static TosstStatus
copy_block (size_t item, int worker, void *data)
{
  Copy *self = data;
  size_t first = item * COPIED, count = self->n - first < COPIED ? self->n - first : COPIED;
  memcpy (self->to + first, self->from + first, sizeof *self->to * count);
  return TOSST_OK;
}

TosstStatus
tosst_copy (TosstContext *context, size_t n, const double *from, double *to)
{
  Copy self = { from, to, n };
  return tosst_parallel_work (context, (n + COPIED - 1) / COPIED, n, copy_block, &self);
}

/* Copies rows of the upper triangle from columns of the lower one. */
static TosstStatus
mirror_block (size_t item, int worker, void *data)
{
  Product *self = data;
  size_t ld = self->ldc, n = self->N, first = item * MIRROR_TILE,
         last = first + MIRROR_TILE < n ? first + MIRROR_TILE : n;
  for (size_t j0 = first; j0 < n; j0 += MIRROR_TILE)
    for (size_t i = first; i < last; i++)
      for (size_t j = j0 > i ? j0 : i + 1; j < j0 + MIRROR_TILE && j < n; j++)
        self->C[j * ld + i] = self->C[i * ld + j];
  return TOSST_OK;
}

TosstStatus
tosst_dgemm_lower (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int N, int K, double alpha,
                   const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
  Product self = { ta, tb, N, N, K, lda, ldb, ldc, alpha, beta, A, B, C, .columns = split (N) / 2, .lower = true };
  return tosst_parallel_work (context, tasks_of (&self), .5 * N * N * K, gemm_block, &self);
}

TosstStatus
tosst_mirror (TosstContext *context, int N, double *C, int ldc)
{
  Product self = { .N = N, .C = C, .ldc = ldc };
  return tosst_parallel_work (context, (N + MIRROR_TILE - 1) / MIRROR_TILE, (double)N * N, mirror_block, &self);
}

static TosstStatus
trsm_block (size_t item, int worker, void *data)
{
  Product *self = data;
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, self->ta, CblasNonUnit, self->M, width (self, item), 1, self->A,
               self->lda, self->C + item * self->columns * self->ldc, self->ldc);
  return TOSST_OK;
}

TosstStatus
tosst_dtrsm (TosstContext *context, CBLAS_TRANSPOSE tl, int M, int N, const double *L, int ldl, double *B, int ldb)
{
  Product self = { .ta = tl, .M = M, .N = N, .A = L, .lda = ldl, .C = B, .ldc = ldb, .columns = split (N) };
  return tosst_parallel_work (context, tasks_of (&self), .5 * M * M * N, trsm_block, &self);
}
