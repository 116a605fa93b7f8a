/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A = L L' by blocks of columns, of which the panel P is the block on the diagonal and all below it:
 *     P11 = L11 L11',   L21 = P21 L11'^{-1},   A22 <- A22 - L21 L21'.
 * The task that updates the columns of the next panel also factors it, while other tasks update the columns behind it, so that no
 * thread waits for a panel. The result does not depend on the number of threads.
 */
#include <lapacke.h>

#include "engine/base/blas.h"

/* Columns of a block: what one thread makes alone, a panel, is the square of it in n^2. */
#define BLOCK 64

typedef struct
{
  TosstContext *context;
  double *A;
  size_t n;
  size_t first, next; /* columns of the panel that is factored, and where the next one begins */
} Step;

static size_t
smaller (size_t a, size_t b)
{
  return a < b ? a : b;
}

/* The panel that begins with this column. */
static TosstStatus
factor_panel (const Step *self, size_t first)
{
  size_t n = self->n, width = smaller (BLOCK, n - first), below = n - first - width;
  double *P = self->A + first * n + first;
  if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', width, P, n) != 0)
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "a matrix that must be positive definite is not");
  if (below > 0)
    cblas_dtrsm (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, below, width, 1, P, n, P + width, n);
  return TOSST_OK;
}

/* A22, a block of its columns from their diagonal down; the first one is the next panel. */
static TosstStatus
update_columns (size_t item, int worker, void *data)
{
  const Step *self = data;
  size_t n = self->n, column = self->next + item * BLOCK;
  const double *rows = self->A + self->first * n + column;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, n - column, smaller (BLOCK, n - column),
               self->next - self->first, -1, rows, n, rows, n, 1, self->A + column * n + column, n);
  return item == 0 ? factor_panel (self, column) : TOSST_OK;
}

TosstStatus
tosst_cholesky (TosstContext *context, int n, double *A)
{
  Step step = { context, A, n };
  TosstStatus status = n > 0 ? factor_panel (&step, 0) : TOSST_OK;
  for (step.next = BLOCK; status == TOSST_OK && step.next < step.n; step.first = step.next, step.next += BLOCK)
    {
      double below = step.n - step.next;
      status = tosst_parallel_work (context, (step.n - step.next + BLOCK - 1) / BLOCK, .5 * BLOCK * below * below,
                                    update_columns, &step);
    }
  return status;
}
