/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A = L L' by blocks of columns. One thread factors the block on the diagonal; all divide the rows below it by its
 * factor, then take what these make out of the columns to the right:
 *     A11 = L11 L11',   L21 = A21 L11'^{-1},   A22 <- A22 - L21 L21'.
 * Nothing depends on the number of threads but who does it.
 */
#include <lapacke.h>

#include "base/blas.h"

/* Columns of a block, and rows that a task divides: what one thread makes alone is the square of it in n^2. */
#define BLOCK 64

typedef struct
{
  double *A;
  size_t n;
  size_t first, next; /* columns of the block, and where the next one begins */
} Step;

static size_t
smaller (size_t a, size_t b)
{
  return a < b ? a : b;
}

static size_t
blocks_after (const Step *self)
{
  return (self->n - self->next + BLOCK - 1) / BLOCK;
}

/* L21, some rows of it. */
static TosstStatus
divide_rows (size_t item, int worker, void *data)
{
  const Step *self = data;
  size_t n = self->n, row = self->next + item * BLOCK;
  cblas_dtrsm (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, smaller (BLOCK, n - row),
               self->next - self->first, 1, self->A + self->first * n + self->first, n, self->A + self->first * n + row,
               n);
  return TOSST_OK;
}

/* A22, some columns of it from their diagonal down. */
static TosstStatus
update_columns (size_t item, int worker, void *data)
{
  const Step *self = data;
  size_t n = self->n, column = self->next + item * BLOCK;
  const double *rows = self->A + self->first * n + column;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, n - column, smaller (BLOCK, n - column),
               self->next - self->first, -1, rows, n, rows, n, 1, self->A + column * n + column, n);
  return TOSST_OK;
}

TosstStatus
tosst_cholesky (TosstContext *context, int n, double *A)
{
  TosstStatus status = TOSST_OK;
  for (size_t first = 0; status == TOSST_OK && first < (size_t)n; first += BLOCK)
    {
      Step step = { A, n, first, smaller (first + BLOCK, n) };
      double below = n - step.next, width = step.next - first;
      if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', width, A + first * n + first, n) != 0)
        return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "a matrix that must be positive definite is not");
      status = tosst_parallel_work (context, blocks_after (&step), .5 * width * width * below, divide_rows, &step);
      if (status == TOSST_OK)
        status = tosst_parallel_work (context, blocks_after (&step), .5 * width * below * below, update_columns, &step);
    }
  return status;
}
