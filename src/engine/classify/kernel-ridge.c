/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Leave-one-out of ridge regression for many values of the ridge: with k + 1 = U S U'
 *     (H^{-1} T) = U (S + ridge)^{-1} U' T,   (H^{-1})_ii = sum_k U_ik^2 / (s_k + ridge). */

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/blas.h"
#include "engine/classify/kernel-private.h"

bool
tosst_leave_one_out_is_better (const TosstLeaveOneOut *a, const TosstLeaveOneOut *b)
{
  return a->accuracy > b->accuracy || (a->accuracy == b->accuracy && a->error < b->error);
}

void
tosst_kernel_sum_up (const double *residuals, size_t n, const int *labels, const signed char *targets, int classes,
                     TosstLeaveOneOut *result)
{
  size_t right = 0, tested = 0, squares = 0;
  double sum = 0.0;

  for (size_t i = 0; i < n; i++)
    {
      double best = -INFINITY;
      int decided = 0;
      for (int c = 0; c < classes; c++)
        {
          double t = tosst_kernel_target (labels, targets, n, c, i), residual = residuals[(size_t)c * n + i];
          if (t == 0.0)
            continue;
          sum += residual * residual;
          squares++;
          right += !labels && t * (t - residual) > 0.0;
          if (t - residual > best)
            {
              best = t - residual;
              decided = c;
            }
        }
      right += labels && decided == labels[i];
    }
  tested = labels ? n : squares;
  result->accuracy = tested > 0 ? (double)right / (double)tested : 0.0;
  result->error = squares > 0 ? sum / (double)squares : 0.0;
}

typedef struct
{
  double *vectors;          /* n x n, column by column */
  double *values;           /* n */
  double *targets;          /* classes x n */
  double *rotated, *scaled; /* U' T and that divided by eigenvalues: classes x n */
  double *diagonal;         /* n */
  TosstMemory memory;
} Ridge;

static bool
ridge_init (Ridge *self, const double *gram, size_t n, const int *labels, const signed char *targets, int classes)
{
  size_t bytes = (size_t)classes * n * sizeof (double);

  self->vectors = tosst_keep (&self->memory, tosst_kernel_add_bias (gram, n));
  self->values = tosst_keep (&self->memory, malloc (n * sizeof (double)));
  self->targets = tosst_keep (&self->memory, malloc (bytes));
  self->rotated = tosst_keep (&self->memory, malloc (bytes));
  self->scaled = tosst_keep (&self->memory, malloc (bytes));
  self->diagonal = tosst_keep (&self->memory, malloc (n * sizeof (double)));
  for (int c = 0; c < classes && !self->memory.failed; c++)
    for (size_t i = 0; i < n; i++)
      self->targets[(size_t)c * n + i] = tosst_kernel_target (labels, targets, n, c, i);
  return !self->memory.failed;
}

/* Leaves the residuals of one ridge in self->scaled. */
static TosstStatus
try_ridge (TosstContext *context, Ridge *self, size_t n, int classes, double ridge)
{
  size_t count = (size_t)classes * n;
  TosstStatus status;

  for (size_t i = 0; i < n; i++)
    self->diagonal[i] = 0.0;
  for (size_t k = 0; k < n; k++)
    {
      double inverse = 1.0 / (fmax (self->values[k], 0.0) + ridge);
      for (size_t i = 0; i < n; i++)
        self->diagonal[i] += self->vectors[k * n + i] * self->vectors[k * n + i] * inverse;
      for (int c = 0; c < classes; c++)
        self->targets[(size_t)c * n + k] = self->rotated[(size_t)c * n + k] * inverse;
    }
  status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, (int)n, classes, (int)n, 1.0, self->vectors, (int)n,
                        self->targets, (int)n, 0.0, self->scaled, (int)n);
  for (size_t a = 0; a < count; a++)
    self->scaled[a] /= self->diagonal[a % n];
  return status;
}

TosstStatus
tosst_kernel_check_ridges (TosstContext *context, const double *ridge, int count)
{
  for (int i = 0; i < count; i++)
    if (!(ridge[i] > 0.0) || isinf (ridge[i]))
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the ridge must be a positive number, not %g",
                                 ridge[i]);
  return TOSST_OK;
}

TosstStatus
tosst_kernel_leave_one_out (TosstContext *context, const double *gram, size_t n, const int *labels,
                            const signed char *targets, int classes, const double *ridge, int count,
                            TosstLeaveOneOut *result)
{
  Ridge self = { 0 };
  TosstStatus status = tosst_kernel_check_ridges (context, ridge, count);

  if (status != TOSST_OK || tosst_context_checkpoint (context))
    return status != TOSST_OK ? status : TOSST_CANCELLED;
  if (!ridge_init (&self, gram, n, labels, targets, classes))
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for leave-one-out");
  else if (LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'L', (int)n, self.vectors, (int)n, self.values) != 0)
    status = tosst_context_fail (context, TOSST_ERROR_NUMERIC, "the eigenvalues of a Gram matrix did not converge");
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasTrans, CblasNoTrans, (int)n, classes, (int)n, 1.0, self.vectors, (int)n,
                          self.targets, (int)n, 0.0, self.rotated, (int)n);
  for (int i = 0; i < count && status == TOSST_OK; i++)
    {
      if (tosst_context_checkpoint (context))
        status = TOSST_CANCELLED;
      else
        status = try_ridge (context, &self, n, classes, ridge[i]);
      if (status == TOSST_OK)
        tosst_kernel_sum_up (self.scaled, n, labels, targets, classes, &result[i]);
    }
  tosst_release (&self.memory);
  return status;
}
