/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (5) with stored codes, as a function of the dictionary alone, depends on a few sums over tensors:
 *     A = sum beta beta',   C = sum x beta',   n_k^s = sum alpha_k beta_k^s,   P_kk = sum alpha_k^2,
 *     fit       = sum ||x||^2 - 2 <C, V> + <A, V'V>
 *     proximity = gamma (tr A - 2 <n, b> + sum_k P_kk ||b_k||^2).
 * For gamma = infinity beta = b . alpha, and as a function of b the fit is, with Z_k^s = sum alpha_k v_k'x^s,
 *     sum ||x||^2 - 2 <Z, b> + <(V'V) . P, b'b>.
 * Every worker accumulates a fixed range of tensors, so that the same number of threads gives the same bits.
 */
#include <math.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/vector.h"
#include "engine/learning/stored.h"
#include "engine/learning/tuning.h"

TosstStatus
tosst_stored_gram (TosstStored *self)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  const double *V = l->dictionary->V;
  TosstStatus status = tosst_dgemm (l->context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, V, D, 0, self->G, K);
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j < i; j++)
      self->G[i * K + j] = self->G[j * K + i];
  tosst_stored_set_columns (self);
  return status;
}

void
tosst_stored_set_columns (TosstStored *self)
{
  size_t K = self->learning->K, S = self->learning->S;
  const double *b = self->learning->dictionary->b;
  for (size_t k = 0; k < K; k++)
    for (size_t s = 0; s < S; s++)
      self->columns[s * K + k] = b[k * S + s];
  if (!self->H)
    return;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, K, S, 1, b, S, b, S, 0, self->H, K);
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j <= i; j++)
      self->H[i * K + j] = self->H[j * K + i] = self->H[i * K + j] * self->G[i * K + j];
}

/* Gathers slices and codes of count tensors from first on. */
static void
read_batch (const TosstStored *self, size_t first, size_t count, TosstStoredWork *work)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K;
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < S; s++)
      tosst_learning_slice (l, l->tensors + (first + i) * l->layout->m, s, work->slices + (i * S + s) * D);
  memcpy (work->alphas, self->alpha + first * K, sizeof *work->alphas * count * K);
  if (self->beta)
    {
      memcpy (work->betas, self->beta + first * S * K, sizeof *work->betas * count * S * K);
      return;
    }
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < S; s++)
      for (size_t k = 0; k < K; k++)
        work->betas[(i * S + s) * K + k] = self->columns[s * K + k] * work->alphas[i * K + k];
}

/* moment_k^s += alpha_k * (row k, column s of tables), for count tensors, tables contiguous. */
static void
add_moment (const TosstLearning *l, size_t count, const double *tables, TosstStoredWork *work)
{
  size_t S = l->S, K = l->K;
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < S; s++)
      for (size_t k = 0; k < K; k++)
        work->moment[s * K + k] += work->alphas[i * K + k] * tables[(i * S + s) * K + k];
}

static void
range_of (const TosstStored *self, size_t item, size_t *first, size_t *last)
{
  *first = self->learning->n * item / self->threads;
  *last = self->learning->n * (item + 1) / self->threads;
}

static TosstStatus
sum_task (size_t item, int worker, void *data)
{
  TosstStored *self = data;
  TosstStoredWork *work = &self->work[item];
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K, n, last;
  memset (work->A, 0, sizeof *work->A * K * K);
  memset (work->C, 0, sizeof *work->C * D * K);
  memset (work->moment, 0, sizeof *work->moment * S * K);
  memset (work->P, 0, sizeof *work->P * K * K);
  work->l1 = work->nonzeros = 0;
  for (range_of (self, item, &n, &last); n < last; n += STORED_BATCH)
    {
      size_t count = last - n < STORED_BATCH ? last - n : STORED_BATCH;
      read_batch (self, n, count, work);
      cblas_dsyrk (CblasColMajor, CblasLower, CblasNoTrans, K, count * S, 1, work->betas, K, 1, work->A, K);
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, K, count * S, 1, work->slices, D, work->betas, K, 1,
                   work->C, D);
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      add_moment (l, count, work->betas, work);
      for (size_t i = 0; i < count * K; i++)
        {
          work->P[i % K * (K + 1)] += work->alphas[i] * work->alphas[i];
          work->l1 += fabs (work->alphas[i]);
          work->nonzeros += work->alphas[i] != 0;
        }
    }
  return TOSST_OK;
}

/* Sums the lower triangles of all workers into a full matrix; member: offset of the matrix of a worker. */
static void
add_lower (const TosstStored *self, size_t member, double *out)
{
  size_t K = self->learning->K;
  for (size_t j = 0; j < K; j++)
    for (size_t i = j; i < K; i++)
      {
        double sum = 0;
        for (int w = 0; w < self->threads; w++)
          sum += (*(double **)((char *)&self->work[w] + member))[j * K + i];
        out[j * K + i] = out[i * K + j] = sum;
      }
}

static void
add_moments (TosstStored *self)
{
  size_t K = self->learning->K, S = self->learning->S;
  for (size_t k = 0; k < K; k++)
    for (size_t s = 0; s < S; s++)
      {
        double sum = 0;
        for (int w = 0; w < self->threads; w++)
          sum += self->work[w].moment[s * K + k];
        self->moment[k * S + s] = sum;
      }
}

TosstStatus
tosst_stored_sum (TosstStored *self)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  TosstStatus status = tosst_parallel (l->context, self->threads, sum_task, self, 0, 0);
  if (status != TOSST_OK)
    return status;
  add_lower (self, offsetof (TosstStoredWork, A), l->A);
  add_lower (self, offsetof (TosstStoredWork, P), l->P);
  add_moments (self);
  l->l1 = 0;
  memset (l->C, 0, sizeof *l->C * D * K);
  for (int w = 0; w < self->threads; w++)
    {
      cblas_daxpy (D * K, 1, self->work[w].C, 1, l->C, 1);
      l->l1 += self->work[w].l1;
    }
  return TOSST_OK;
}

static TosstStatus
correlate_task (size_t item, int worker, void *data)
{
  TosstStored *self = data;
  TosstStoredWork *work = &self->work[item];
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K, n, last;
  memset (work->moment, 0, sizeof *work->moment * S * K);
  memset (work->P, 0, sizeof *work->P * K * K);
  for (range_of (self, item, &n, &last); n < last; n += STORED_BATCH)
    {
      size_t count = last - n < STORED_BATCH ? last - n : STORED_BATCH;
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      read_batch (self, n, count, work);
      cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, count * S, D, 1, l->dictionary->V, D, work->slices, D, 0,
                   work->betas, K);
      cblas_dsyrk (CblasColMajor, CblasLower, CblasNoTrans, K, count, 1, work->alphas, K, 1, work->P, K);
      add_moment (l, count, work->betas, work);
    }
  return TOSST_OK;
}

TosstStatus
tosst_stored_correlate (TosstStored *self)
{
  TosstStatus status = tosst_parallel (self->learning->context, self->threads, correlate_task, self, 0, 0);
  if (status != TOSST_OK)
    return status;
  add_lower (self, offsetof (TosstStoredWork, P), self->learning->P);
  add_moments (self);
  return TOSST_OK;
}

TosstStatus
tosst_stored_objective (const TosstStored *self, TosstIteration *iteration)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K;
  const double *b = l->dictionary->b;
  double fit = self->squares, apart = 0;
  if (self->beta)
    {
      fit += tosst_dot (K * K, l->A, self->G) - 2 * tosst_dot (D * K, l->C, l->dictionary->V);
      apart = -2 * tosst_dot (S * K, self->moment, b);
      for (size_t k = 0; k < K; k++)
        apart += l->A[k * K + k] + l->P[k * K + k] * tosst_dot (S, b + k * S, b + k * S);
      apart *= l->options->problem.gamma;
    }
  else
    fit += tosst_dot (K * K, self->H, l->P) - 2 * tosst_dot (S * K, self->moment, b);
  iteration->fit = fit;
  iteration->proximity = apart;
  iteration->sparsity = l->options->problem.lambda * l->l1;
  iteration->objective = fit + apart + iteration->sparsity;
  return isfinite (iteration->objective)
             ? TOSST_OK
             : tosst_context_fail (l->context, TOSST_ERROR_NUMERIC, "the objective is no longer a finite number");
}

void
tosst_stored_report (const TosstStored *self, TosstIteration *iteration)
{
  const TosstLearning *l = self->learning;
  size_t K = l->K;
  double nonzeros = 0;
  iteration->worst_kkt = 0;
  for (int w = 0; w < self->threads; w++)
    {
      nonzeros += self->work[w].nonzeros;
      iteration->worst_kkt = fmax (iteration->worst_kkt, self->work[w].worst_kkt);
    }
  iteration->mean_nonzeros = nonzeros / l->n;
  iteration->unused_atoms = 0;
  for (size_t k = 0; k < K; k++)
    iteration->unused_atoms += l->P[k * K + k] == 0;
}
