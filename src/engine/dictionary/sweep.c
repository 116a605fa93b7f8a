/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes over all atoms, each of which moves at once to where its block is smallest: the steps of update.c.
 *
 * What a step needs is the residual at its turn, R_k + sum_j (change of atom j) A_jk over the atoms before. They go by
 * blocks: inside a block one after the other, since each needs the last one's projection; meanwhile other threads make
 * the products that the next block needs of all blocks before this one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"
#include "dictionary/state.h"

/* Atoms of a block. */
#define BLOCK 32

/* Rows of the residuals in one task beside the projections. */
#define ROWS 160

/* Steps are longer than those to the minimiser of a block by this factor. Below 2 a projected step on a convex set
 * still never raises a quadratic whose Hessian is a multiple of the identity, and passes over coupled blocks settle
 * sooner. */
#define RELAXATION 1.7

/* Passes over all b_k; each costs next to nothing. */
#define B_PASSES 3

typedef struct
{
  TosstLearning *learning;
  double relaxation;
  double floor;   /* of A_kk: atoms below are in no use */
  double *change; /* D x K: old atom minus new one */
  double *work;
  size_t first, count;           /* the block at hand */
  size_t next_first, next_count; /* the one after it */
} Sweep;

/* One atom. Its change is zero where it stays. */
static TosstStatus
step_atom (Sweep *self, size_t k)
{
  TosstLearning *l = self->learning;
  size_t D = l->D;
  double *v = l->dictionary->V + k * D, *change = self->change + k * D, Akk = l->A[k * l->K + k];
  const double *R = l->R + k * D;
  bool whole = l->set.scheme == TOSST_SCHEME_FULL;
  if (!(Akk > self->floor))
    {
      memset (change, 0, sizeof *change * D);
      return TOSST_OK;
    }
  if (whole && tosst_context_checkpoint (l->context))
    return TOSST_CANCELLED;
  memcpy (change, v, sizeof *change * D);
  cblas_daxpy (D, self->relaxation / Akk, R, 1, v, 1);
  TosstStatus status = tosst_atom_set_project (&l->set, v, self->work);
  if (status != TOSST_OK)
    return tosst_context_fail (l->context, status, "the eigenvalues of atom %zu could not be found", k);
  cblas_daxpy (D, -1, v, 1, change, 1);
  /* Only a projection that iterates to a tolerance can raise the block's quadratic: the old atom is put back. */
  if (whole && Akk * cblas_ddot (D, change, 1, change, 1) + 2 * cblas_ddot (D, change, 1, R, 1) > 0)
    {
      cblas_daxpy (D, 1, change, 1, v, 1);
      memset (change, 0, sizeof *change * D);
    }
  return TOSST_OK;
}

/* The block at hand, atom by atom; the residuals of its later atoms see a change at once. */
static TosstStatus
step_block (Sweep *self)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  for (size_t k = self->first; k < self->first + self->count; k++)
    {
      TosstStatus status = step_atom (self, k);
      if (status != TOSST_OK)
        return status;
      for (size_t j = k + 1; j < self->first + self->count; j++)
        cblas_daxpy (D, l->A[k * K + j], self->change + k * D, 1, l->R + j * D, 1);
    }
  return TOSST_OK;
}

/* Item 0 is the block at hand, others are rows of what the next block's residuals get from all blocks before it. */
static TosstStatus
sweep_task (size_t item, int worker, void *data)
{
  Sweep *self = data;
  TosstLearning *l = self->learning;
  if (item == 0)
    return step_block (self);
  size_t D = l->D, K = l->K, row = (item - 1) * ROWS, rows = D - row < ROWS ? D - row : ROWS;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rows, self->next_count, self->first, 1, self->change + row, D,
               l->A + self->next_first * K, K, 1, l->R + self->next_first * D + row, D);
  return TOSST_OK;
}

static TosstStatus
sweep_blocks (Sweep *self)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K, pieces = (D + ROWS - 1) / ROWS;
  TosstStatus status = TOSST_OK;
  for (size_t first = 0; first < K && status == TOSST_OK; first += BLOCK)
    {
      self->first = first;
      self->count = K - first < BLOCK ? K - first : BLOCK;
      self->next_first = first + self->count;
      self->next_count = K - self->next_first < BLOCK ? K - self->next_first : BLOCK;
      status = tosst_parallel (l->context, first > 0 && self->next_count > 0 ? 1 + pieces : 1, sweep_task, self, 0, 0);
      if (status == TOSST_OK && self->next_count > 0)
        cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, self->next_count, self->count, 1,
                     self->change + first * D, D, l->A + self->next_first * K + first, K, 1,
                     l->R + self->next_first * D, D);
    }
  return status;
}

TosstStatus
tosst_learning_update_B (TosstLearning *self)
{
  size_t K = self->K;
  Sweep sweep = { .learning = self,
                  .relaxation = self->options->scheme == TOSST_SCHEME_LOW_RANK ? 1 : RELAXATION,
                  .change = self->DK2,
                  .work = malloc (sizeof (double) * tosst_atom_set_work (&self->set)) };
  if (!sweep.work)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  for (size_t k = 0; k < K; k++)
    sweep.floor = fmax (sweep.floor, 1e-14 * self->A[k * K + k]);
  TosstStatus status = sweep_blocks (&sweep);
  free (sweep.work);
  return status;
}

/* Ub[:,k] = U_k' W v_k */
static TosstStatus
correlate_task (size_t k, int worker, void *data)
{
  TosstLearning *self = data;
  const TosstLayout *layout = self->layout;
  const double *Y = self->Y + k * layout->m, *u = self->reduction.WV + k * self->D;
  size_t D = self->D;
  for (int s = 0; s < self->S; s++)
    {
      const int32_t *index = layout->index + s * D;
      double sum = 0;
      for (size_t p = 0; p < D; p++)
        sum += layout->weight[p] * Y[index[p]] * u[p];
      self->Ub[k * self->S + s] = sum / self->dictionary->scale;
    }
  return TOSST_OK;
}

/* The b_k of a block. rows: K x BLOCK, gradient: S x BLOCK, work: S. */
static void
step_vectors (TosstLearning *self, size_t first, size_t count, double *rows, double *gradient, double *work)
{
  size_t K = self->K, S = self->S;
  double *b = self->dictionary->b;
  const double *G = self->reduction.G + first * K, *P = self->P + first * K;
  for (size_t i = 0; i < count * K; i++)
    rows[i] = G[i] * P[i];
  memcpy (gradient, self->Ub + first * S, sizeof *gradient * S * count);
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, S, count, K, -1, b, S, rows, K, 1, gradient, S);
  for (size_t k = 0; k < count; k++)
    {
      const double *row = rows + k * K + first;
      double *here = b + (first + k) * S, old[S];
      if (!(row[k] > 0))
        continue;
      memcpy (old, here, sizeof old);
      cblas_daxpy (S, RELAXATION / row[k], gradient + k * S, 1, here, 1);
      tosst_project_l1 (here, S, !self->options->signed_b, work);
      for (size_t s = 0; s < S; s++)
        old[s] -= here[s];
      for (size_t j = k + 1; j < count; j++)
        cblas_daxpy (S, row[j], old, 1, gradient + j * S, 1);
    }
}

TosstStatus
tosst_learning_update_b (TosstLearning *self)
{
  size_t K = self->K, S = self->S;
  double *rows = malloc (sizeof *rows * (K * BLOCK + S * BLOCK + S));
  if (!rows)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  TosstStatus status = tosst_parallel (self->context, K, correlate_task, self, 0, 0);
  for (int pass = 0; pass < B_PASSES && status == TOSST_OK; pass++)
    for (size_t first = 0; first < K && status == TOSST_OK; first += BLOCK)
      if (tosst_context_checkpoint (self->context))
        status = TOSST_CANCELLED;
      else
        step_vectors (self, first, K - first < BLOCK ? K - first : BLOCK, rows, rows + K * BLOCK,
                      rows + K * BLOCK + S * BLOCK);
  free (rows);
  return status;
}
