/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes over all b_k, each of which is set to the minimiser of its block: the steps of update.c. With H = G .* P a
 * step requires Ub_k - sum_j H_jk b_j, computed by blocks as in sweep.c: while the b_k of one block are updated,
 * other threads compute the products of the next block with all others.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/learning/divided.h"
#include "engine/learning/tuning.h"

typedef struct
{
  TosstLearning *learning;
  double *gradient;     /* S x SWEEP_BLOCK: of the current block */
  double *part;         /* SWEEP_PARTS x S x SWEEP_BLOCK, of the next block */
  double *old, *work;   /* S each */
  const double *H;      /* K x SWEEP_BLOCK: columns of the current block, */
  const double *next_H; /* and of the next one */
  double *columns;      /* if lean: 2 K x SWEEP_BLOCK, for both */
  size_t first, count;  /* current block; count is zero before the first one */
  size_t next_first, next_count;
} Sweep;

/* Computes some columns of H from the diagonal down, and the same rows, in the storage of Scc. */
static TosstStatus
scale_task (size_t item, int worker, void *data)
{
  TosstLearning *l = data;
  size_t K = l->K, first = item * TASK_COLUMNS, end = first + TASK_COLUMNS < K ? first + TASK_COLUMNS : K;
  /* A square at a time, for its rows lie K numbers apart. */
  for (size_t from = first; from < K; from += TASK_COLUMNS)
    for (size_t k = first; k < end; k++)
      for (size_t i = from > k ? from : k; i < from + TASK_COLUMNS && i < K; i++)
        l->Scc[k * K + i] = l->Scc[i * K + k] = l->reduction.G[k * K + i] * l->P[k * K + i];
  return TOSST_OK;
}

static void
step_block (Sweep *self)
{
  TosstLearning *l = self->learning;
  size_t K = l->K, S = l->S;
  for (size_t k = 0; k < self->count; k++)
    {
      const double *H = self->H + k * K + self->first;
      double *b = l->dictionary->b + (self->first + k) * S;
      if (!(H[k] > 0))
        continue;
      memcpy (self->old, b, sizeof *b * S);
      cblas_daxpy (S, RELAXATION / H[k], self->gradient + k * S, 1, b, 1);
      tosst_project_l1 (b, S, !l->options->signed_b, self->work);
      for (size_t s = 0; s < S; s++)
        self->old[s] -= b[s];
      for (size_t j = k + 1; j < self->count; j++)
        cblas_daxpy (S, H[j], self->old, 1, self->gradient + j * S, 1);
    }
}

/* out (S x next block) = factor times b_j H_jk over j = from .. end - 1, plus add times out. */
static void
multiply (const Sweep *self, size_t from, size_t end, double factor, double add, double *out)
{
  const TosstLearning *l = self->learning;
  if (end > from || add == 0)
    cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, l->S, self->next_count, end - from, factor,
                 l->dictionary->b + from * l->S, l->S, self->next_H + from, l->K, add, out, l->S);
}

/* Item 0 is the current block, other items are parts of the products that the next block needs with those before and
 * after it. */
static TosstStatus
sweep_task (size_t item, int worker, void *data)
{
  Sweep *self = data;
  size_t S = self->learning->S, K = self->learning->K, part = item - 1;
  size_t after = self->first + self->count, rest = K - after;
  if (item == 0)
    {
      step_block (self);
      return TOSST_OK;
    }
  double *out = self->part + part * S * SWEEP_BLOCK;
  multiply (self, self->first * part / SWEEP_PARTS, self->first * (part + 1) / SWEEP_PARTS, 1, 0, out);
  multiply (self, after + rest * part / SWEEP_PARTS, after + rest * (part + 1) / SWEEP_PARTS, 1, 1, out);
  return TOSST_OK;
}

/* The columns of H of the next block: if lean, where the current ones are not. */
static const double *
take_columns (const Sweep *self)
{
  const TosstLearning *l = self->learning;
  size_t K = l->K, from = self->next_first * K, n = self->next_count * K;
  if (!l->is_lean)
    return l->Scc + from;
  double *columns = self->H == self->columns ? self->columns + K * SWEEP_BLOCK : self->columns;
  for (size_t i = 0; i < n; i++)
    columns[i] = l->A_float[from + i];
  return columns;
}

static TosstStatus
sweep_blocks (Sweep *self)
{
  TosstLearning *l = self->learning;
  size_t K = l->K, blocks = (K + SWEEP_BLOCK - 1) / SWEEP_BLOCK;
  TosstStatus status = TOSST_OK;
  for (size_t step = 0; step <= SWEEP_PASSES * blocks && status == TOSST_OK; step++)
    {
      bool is_last = step == SWEEP_PASSES * blocks;
      self->next_first = step % blocks * SWEEP_BLOCK;
      self->next_count = K - self->next_first < SWEEP_BLOCK ? K - self->next_first : SWEEP_BLOCK;
      self->next_H = take_columns (self);
      status = tosst_parallel_work (l->context, is_last ? 1 : 1 + SWEEP_PARTS, (double)l->S * K * self->next_count,
                                    sweep_task, self);
      if (status == TOSST_OK && !is_last)
        {
          /* Gradient of the next block, after the update of the current one. */
          size_t S = l->S, n = S * self->next_count;
          memcpy (self->gradient, l->Ub + self->next_first * S, sizeof *self->gradient * n);
          for (size_t part = 0; part < SWEEP_PARTS; part++)
            for (size_t i = 0; i < n; i++)
              self->gradient[i] -= self->part[part * S * SWEEP_BLOCK + i];
          multiply (self, self->first, self->first + self->count, -1, 1, self->gradient);
        }
      self->first = self->next_first;
      self->count = self->next_count;
      self->H = self->next_H;
    }
  return status;
}

TosstStatus
tosst_learning_sweep_b (TosstLearning *self)
{
  size_t K = self->K, S = self->S, vectors = S * (SWEEP_BLOCK * (1 + SWEEP_PARTS) + 2);
  double *block = malloc (sizeof *block * (vectors + (self->is_lean ? 2 * K * SWEEP_BLOCK : 0)));
  if (!block)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  Sweep sweep = { .learning = self, .gradient = block, .part = block + S * SWEEP_BLOCK };
  sweep.old = sweep.part + SWEEP_PARTS * S * SWEEP_BLOCK;
  sweep.work = sweep.old + S;
  sweep.columns = block + vectors;
  TosstStatus status = tosst_learning_update_Ub (self);
  if (status == TOSST_OK && self->is_lean)
    status = tosst_learning_gram (self, status, self->P_float);
  else if (status == TOSST_OK)
    status
        = tosst_parallel_work (self->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS, (double)K * K, scale_task, self);
  if (status == TOSST_OK)
    status = sweep_blocks (&sweep);
  free (block);
  return status;
}
