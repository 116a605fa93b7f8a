/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pass over all B_k, each of which is set to the minimiser of its block: the steps of update.c.
 *
 * A step requires the current residual, R_k + sum_j (change of atom j) A_jk over the previous atoms. Atoms are
 * processed by blocks: sequentially within a block, because each depends on the projection of the previous one;
 * meanwhile other threads compute the products of the next block with all blocks before the current one.
 *
 * On several ranks each updates its own atoms, and sends them to the others, which meanwhile compute these products for
 * the next atoms of their own.
 */
#include "engine/learning/sweep.h"
#include "engine/base/base.h"
#include "engine/learning/tuning.h"

/* Updates one atom; step is zero if it does not change. */
static TosstStatus
step_atom (TosstSweep *self, size_t k)
{
  TosstLearning *l = self->learning;
  size_t D = l->D;
  double *v = l->dictionary->V + k * D, *step = self->step, Akk = l->A_diagonal[k];
  const double *R = l->R + k * D;
  bool whole = l->set.scheme == TOSST_SCHEME_FULL;
  if (!(Akk > self->floor))
    {
      memset (step, 0, sizeof *step * D);
      return TOSST_OK;
    }
  if (whole && tosst_context_checkpoint (l->context))
    return TOSST_CANCELLED;
  memcpy (step, v, sizeof *step * D);
  cblas_daxpy (D, self->relaxation / Akk, R, 1, v, 1);
  TosstStatus status = tosst_atom_set_project (&l->set, v, self->work);
  if (status != TOSST_OK)
    return tosst_context_fail (l->context, status, "the eigenvalues of atom %zu could not be found", k);
  cblas_daxpy (D, -1, v, 1, step, 1);
  /* Only an iterative projection with a tolerance can raise the block's quadratic; the old atom is then restored. */
  if (whole && Akk * tosst_dot (D, step, step) + 2 * tosst_dot (D, step, R) > 0)
    {
      cblas_daxpy (D, 1, step, 1, v, 1);
      memset (step, 0, sizeof *step * D);
    }
  return TOSST_OK;
}

/* Updates the atoms of the current block in sequence; the residuals of its later atoms include each change. */
static TosstStatus
step_atoms (TosstSweep *self, size_t first, size_t end)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  for (size_t k = first; k < end; k++)
    {
      TOSST_TRY (step_atom (self, k));
      /* The change of the fit sum ||x - V beta||^2 by v_k - step; R_k does not include its own atom's step. */
      self->gained
          -= 2 * tosst_dot (D, self->step, l->R + k * D) + l->A_diagonal[k] * tosst_dot (D, self->step, self->step);
      for (size_t j = k + 1; j < self->first + self->count; j++)
        cblas_daxpy (D, l->A_float[j * K + k], self->step, 1, l->R + j * D, 1);
      for (size_t p = 0; p < D; p++)
        self->change[k * D + p] = self->step[p];
    }
  return TOSST_OK;
}

void
tosst_sweep_add (TosstSweep *self, size_t row, size_t rows, size_t first, size_t count)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  float *product = self->product + row;
  cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rows, self->next_count, count, 1,
               self->change + first * D + row, D, l->A_float + self->next_first * K + first, K, 0, product, D);
  for (size_t k = 0; k < self->next_count; k++)
    {
      double *R = l->R + (self->next_first + k) * D + row;
      for (size_t p = 0; p < rows; p++)
        R[p] += product[k * D + p];
    }
}

/* Item 0 is the current block, other items are rows of the contribution of all previous blocks to the residuals of
 * the next one. */
static TosstStatus
sweep_task (size_t item, int worker, void *data)
{
  TosstSweep *self = data;
  if (item == 0)
    return step_atoms (self, self->first, self->first + self->count);
  size_t D = self->learning->D, row = (item - 1) * SWEEP_ROWS;
  tosst_sweep_add (self, row, D - row < SWEEP_ROWS ? D - row : SWEEP_ROWS, 0, self->first);
  return TOSST_OK;
}

static void
take_block (TosstSweep *self, size_t first)
{
  size_t K = self->learning->K;
  self->first = first;
  self->count = K - first < SWEEP_BLOCK ? K - first : SWEEP_BLOCK;
  self->next_first = first + self->count;
  self->next_count = K - self->next_first < SWEEP_BLOCK ? K - self->next_first : SWEEP_BLOCK;
}

/* Number of tasks of products for the next block. */
static size_t
pieces_beside (const TosstSweep *self)
{
  return self->first > 0 && self->next_count > 0 ? (self->learning->D + SWEEP_ROWS - 1) / SWEEP_ROWS : 0;
}

TosstStatus
tosst_sweep_whole (TosstSweep *self)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  TosstStatus status = TOSST_OK;
  for (size_t first = 0; first < K && status == TOSST_OK; first += SWEEP_BLOCK)
    {
      take_block (self, first);
      status = tosst_parallel_work (l->context, 1 + pieces_beside (self), (double)D * first * self->next_count,
                                    sweep_task, self);
      if (status == TOSST_OK && self->next_count > 0)
        tosst_sweep_add (self, 0, D, self->first, self->count);
    }
  return status;
}

TosstStatus
tosst_sweep_step (TosstSweep *self, size_t first, size_t end)
{
  TosstStatus status = TOSST_OK;
  for (; first < end && status == TOSST_OK; first = self->next_first)
    {
      take_block (self, first);
      status = step_atoms (self, first, self->next_first);
      if (status == TOSST_OK && self->next_first < end)
        tosst_sweep_add (self, 0, self->learning->D, first, self->count);
    }
  return status;
}

TosstStatus
tosst_sweep_init (TosstSweep *self, TosstLearning *l)
{
  size_t K = l->K, D = l->D, more = tosst_atom_set_work (&l->set), columns = l->run.ranks ? RANK_COLUMNS : SWEEP_BLOCK;
  double *work = malloc (sizeof *work * (more + D) + sizeof (float) * D * columns);
  if (!work)
    return tosst_context_fail (l->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  *self = (TosstSweep){ .learning = l,
                        .relaxation = l->options->scheme == TOSST_SCHEME_LOW_RANK ? 1 : RELAXATION,
                        .change = (float *)l->DK,
                        .product = (float *)(work + more + D),
                        .step = work + more,
                        .work = work };
  for (size_t k = 0; k < K; k++)
    self->floor = fmax (self->floor, 1e-14 * l->A_diagonal[k]);
  return TOSST_OK;
}

TosstStatus
tosst_learning_sweep_one_B (TosstLearning *self, size_t k, double *change)
{
  TosstSweep sweep;
  TOSST_TRY (tosst_sweep_init (&sweep, self));
  take_block (&sweep, k / SWEEP_BLOCK * SWEEP_BLOCK);
  TosstStatus status = step_atoms (&sweep, k, k + 1);
  *change = -sweep.gained;
  /* Last atom of its block: the same products, in the same pieces and order, as in the whole pass. */
  if (status == TOSST_OK && k + 1 == sweep.next_first && sweep.next_count > 0)
    {
      for (size_t item = 1; item <= pieces_beside (&sweep); item++)
        sweep_task (item, 0, &sweep);
      tosst_sweep_add (&sweep, 0, self->D, sweep.first, sweep.count);
    }
  free (sweep.work);
  return status;
}

/* Passes over all b_k, each of which is set to the minimiser of its block: the steps of update.c. With H = G .* P a
 * step requires Ub_k - sum_j H_jk b_j, computed by blocks as in sweep.c: while the b_k of one block are updated,
 * other threads compute the products of the next block with all others. */

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
vectors_task (size_t item, int worker, void *data)
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
                                    vectors_task, self);
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
  TOSST_THEN (status, sweep_blocks (&sweep));
  free (block);
  return status;
}
