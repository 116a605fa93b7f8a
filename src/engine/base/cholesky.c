/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A = L L' by blocks of columns, where the panel P consists of the diagonal block and the rows below it:
 *     P11 = L11 L11',   L21 = P21 L11'^{-1},   A22 <- A22 - L21 L21'.
 * The task that updates the columns of the next panel also factorises it, while other tasks update the remaining
 * columns, so that no thread waits for a panel. The result does not depend on the number of threads.
 */
#include <lapacke.h>

#include "engine/base/blas.h"
#include "engine/base/tuning.h"
#include "engine/base/vector.h"

typedef struct
{
  TosstContext *context;
  double *A;
  size_t n;
  size_t first, next; /* first column of the factorised panel, and of the next one */
} Step;

/* Factorises the panel that starts at this column. */
static TosstStatus
factor_panel (const Step *self, size_t first)
{
  size_t n = self->n, width = tosst_smaller (CHOLESKY_BLOCK, n - first), below = n - first - width;
  double *P = self->A + first * n + first;
  if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', width, P, n) != 0)
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "a matrix is not positive definite");
  if (below > 0)
    cblas_dtrsm (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, below, width, 1, P, n, P + width, n);
  return TOSST_OK;
}

/* Updates A22, a block of columns from the diagonal down; the first block is the next panel. */
static TosstStatus
update_columns (size_t item, int worker, void *data)
{
  const Step *self = data;
  size_t n = self->n, column = self->next + item * CHOLESKY_BLOCK;
  const double *rows = self->A + self->first * n + column;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, n - column, tosst_smaller (CHOLESKY_BLOCK, n - column),
               self->next - self->first, -1, rows, n, rows, n, 1, self->A + column * n + column, n);
  return item == 0 ? factor_panel (self, column) : TOSST_OK;
}

TosstStatus
tosst_cholesky (TosstContext *context, int n, double *A)
{
  Step step = { context, A, n };
  TosstStatus status = n > 0 ? factor_panel (&step, 0) : TOSST_OK;
  for (step.next = CHOLESKY_BLOCK; status == TOSST_OK && step.next < step.n;
       step.first = step.next, step.next += CHOLESKY_BLOCK)
    {
      double below = step.n - step.next;
      status = tosst_parallel_work (context, (step.n - step.next + CHOLESKY_BLOCK - 1) / CHOLESKY_BLOCK,
                                    .5 * CHOLESKY_BLOCK * below * below, update_columns, &step);
    }
  return status;
}
