/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coding of many tensors with beta >= 0, by blocks: slices are unfolded, V' X of a block is one product, and each
 * tensor is then solved separately. beta is stored for one block; the statistics for learning are accumulated block
 * by block, in products that are split over threads by rows and columns, so that the result does not depend on the
 * number of threads.
 */
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/tuning.h"

typedef struct
{
  const TosstCoder *coder;
  TosstContext *context;
  bool wide;
  TosstNonnegativeStart start;
  const void *tensors; /* n x m */
  void *codes;         /* n x K */
  size_t n, block, first;
  double *x;                   /* D x (S block): slices, divided by the scale */
  double *c;                   /* K x (S block): V' x */
  double *beta;                /* K x (S block) */
  double *alpha;               /* K x block */
  double *kkt;                 /* block */
  TosstNonnegativeWork **work; /* per worker */
  TosstMemory memory;
} Job;

static size_t
block_length (size_t D, size_t S, size_t K)
{
  size_t fits = BETA_BLOCK_BYTES / ((D + 2 * K) * S * sizeof (double));
  return fits < BETA_LEAST_BLOCK ? BETA_LEAST_BLOCK : fits > BETA_MOST_BLOCK ? BETA_MOST_BLOCK : fits;
}

size_t
tosst_code_nonnegative_bytes (int D, int S, int K, int threads)
{
  size_t block = block_length (D, S, K), k = K;
  size_t numbers = block * (((size_t)D + 2 * k) * S + k + 1);
  return numbers * sizeof (double) + tosst_nonnegative_bytes (D, S, K)
         + threads * tosst_nonnegative_work_bytes (D, S, K);
}

/* Detects non-finite values by 0 times their sum. */
static TosstStatus
unfold_task (size_t i, int worker, void *data)
{
  Job *self = data;
  const TosstCoder *coder = self->coder;
  size_t D = coder->D, n = self->first + i;
  const float *narrow = (const float *)self->tensors + n * coder->m;
  const double *wide = (const double *)self->tensors + n * coder->m;
  double *x = self->x + i * D * coder->S, zero = 0;
  for (int s = 0; s < coder->S; s++, x += D)
    for (size_t p = 0; p < D; p++)
      {
        int32_t t = coder->index[s * D + p];
        x[p] = coder->weight[p] * (self->wide ? wide[t] : (double)narrow[t]) / coder->scale;
        zero += x[p] * 0;
      }
  if (zero != 0 || !isfinite (zero))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu holds NaN or infinity, or is too large",
                               n);
  return TOSST_OK;
}

static void
write_codes (const Job *self, size_t i)
{
  size_t K = self->coder->K, n = self->first + i;
  for (size_t k = 0; k < K; k++)
    if (self->wide)
      ((double *)self->codes)[n * K + k] = self->alpha[i * K + k];
    else
      ((float *)self->codes)[n * K + k] = self->alpha[i * K + k];
}

static TosstStatus
solve_task (size_t i, int worker, void *data)
{
  Job *self = data;
  const TosstCoder *coder = self->coder;
  size_t K = coder->K, slices = K * coder->S;
  double tolerance = fmax (coder->options.tolerance, TOSST_FLOOR_DOUBLE);
  size_t at = (self->first + i) * K;
  for (size_t k = 0; k < K && self->start != TOSST_NONNEGATIVE_COLD; k++)
    self->alpha[i * K + k] = self->wide ? ((const double *)self->codes)[at + k] : ((const float *)self->codes)[at + k];
  return tosst_nonnegative_solve (coder->nonnegative, self->context, self->c + i * slices, self->start, tolerance,
                                  self->alpha + i * K, self->beta + i * slices, self->kkt + i, self->work[worker]);
}

/* Computes codes and beta of a block of count tensors. */
static TosstStatus
solve_block (Job *self, size_t count, double *seconds_products)
{
  const TosstCoder *coder = self->coder;
  int D = coder->D, S = coder->S, K = coder->K;
  double fraction0 = (double)self->first / self->n, fraction1 = (double)(self->first + count) / self->n;
  TosstStatus status = tosst_parallel (self->context, count, unfold_task, self, 0, 0);
  double start = tosst_context_seconds (self->context);
  TOSST_THEN (status, tosst_dgemm (self->context, CblasTrans, CblasNoTrans, K, S * count, D, 1, coder->dictionary->V, D,
                                   self->x, D, 0, self->c, K));
  *seconds_products += tosst_context_seconds (self->context) - start;
  return status ?: tosst_parallel (self->context, count, solve_task, self, fraction0, fraction1);
}

static bool
allocate (Job *self)
{
  const TosstCoder *coder = self->coder;
  size_t D = coder->D, S = coder->S, K = coder->K;
  int threads = tosst_context_threads (self->context);
  bool whole = true;
  TosstMemory *memory = &self->memory;
  self->block = block_length (D, S, K);
  if (self->n < self->block)
    self->block = self->n ? self->n : 1;
  self->x = tosst_keep (memory, malloc (sizeof *self->x * D * S * self->block));
  self->c = tosst_keep (memory, malloc (sizeof *self->c * K * S * self->block));
  self->beta = tosst_keep (memory, malloc (sizeof *self->beta * K * S * self->block));
  self->alpha = tosst_keep (memory, malloc (sizeof *self->alpha * K * self->block));
  self->kkt = tosst_keep (memory, malloc (sizeof *self->kkt * self->block));
  self->work = tosst_keep (memory, calloc (threads, sizeof *self->work));
  for (int i = 0; self->work && i < threads; i++)
    whole = (self->work[i] = tosst_nonnegative_work_new (D, S, K)) && whole;
  return whole && !memory->failed;
}

static void
clear (Job *self)
{
  for (int i = 0; self->work && i < tosst_context_threads (self->context); i++)
    tosst_nonnegative_work_free (self->work[i]);
  tosst_release (&self->memory);
}

static TosstStatus
add_block (const Job *self, size_t count, TosstNonnegativeSums *sums)
{
  const TosstCoder *coder = self->coder;
  size_t D = coder->D, S = coder->S, K = coder->K, columns = S * count;
  TosstStatus status = tosst_dgemm (self->context, CblasNoTrans, CblasTrans, K, K, columns, 1, self->beta, K,
                                    self->beta, K, 1, sums->A, K);
  TOSST_THEN (status, tosst_dgemm (self->context, CblasNoTrans, CblasTrans, D, K, columns, 1, self->x, D, self->beta, K,
                                   1, sums->C, D));
  if (status != TOSST_OK)
    return status;
  for (size_t i = 0; i < count; i++)
    {
      const double *alpha = self->alpha + i * K;
      for (size_t k = 0; k < K; k++)
        {
          sums->power[k] += alpha[k] * alpha[k];
          sums->l1 += fabs (alpha[k]);
        }
      for (size_t s = 0; s < S; s++)
        {
          const double *beta = self->beta + (i * S + s) * K;
          for (size_t k = 0; k < K; k++)
            {
              sums->N[k * S + s] += alpha[k] * beta[k];
              sums->mean[k * S + s] += beta[k];
            }
        }
    }
  return TOSST_OK;
}

TosstStatus
tosst_code_nonnegative (TosstContext *context, const TosstCoder *coder, bool wide, const void *tensors, size_t n,
                        bool warm, void *codes, TosstNonnegativeSums *sums, TosstCodingReport *report)
{
  double start = tosst_context_seconds (context), worst = 0, products = 0;
  size_t nonzeros = 0, K = coder->K;
  Job self = { .coder = coder,
               .context = context,
               .wide = wide,
               .start = warm ? TOSST_NONNEGATIVE_WARM : TOSST_NONNEGATIVE_COLD,
               .tensors = tensors,
               .codes = codes,
               .n = n };
  TosstStatus status = allocate (&self) ? TOSST_OK : tosst_coding_no_memory (context);
  for (; status == TOSST_OK && self.first < n; self.first += self.block)
    {
      size_t count = n - self.first < self.block ? n - self.first : self.block;
      status = solve_block (&self, count, &products);
      if (status == TOSST_OK && sums)
        status = add_block (&self, count, sums);
      for (size_t i = 0; status == TOSST_OK && i < count; i++)
        {
          write_codes (&self, i);
          worst = fmax (worst, self.kkt[i]);
          for (size_t k = 0; k < K; k++)
            nonzeros += self.alpha[i * K + k] != 0;
        }
    }
  clear (&self);
  if (report)
    *report = (TosstCodingReport){ .worst_kkt = worst,
                                   .mean_nonzeros = n ? (double)nonzeros / n : 0,
                                   .seconds = tosst_context_seconds (context) - start,
                                   .seconds_products = products };
  return status;
}

/* Fit, proximity and sparsity terms of tensor i of the block, from its residuals. */
static TosstStatus
evaluate (Job *self, size_t i, double *parts)
{
  const TosstCoder *coder = self->coder;
  size_t D = coder->D, S = coder->S, K = coder->K;
  double *x = self->x + i * D * S, *beta = self->beta + i * K * S, *alpha = self->alpha + i * K, apart = 0;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, S, K, -1, coder->dictionary->V, D, beta, K, 1, x, D);
  for (size_t s = 0; s < S; s++)
    for (size_t k = 0; k < K; k++)
      {
        double e = beta[s * K + k] - coder->dictionary->b[k * S + s] * alpha[k];
        apart += e * e;
      }
  parts[0] = tosst_dot (D * S, x, x);
  parts[1] = coder->options.problem.gamma * apart;
  parts[2] = coder->options.problem.lambda * tosst_sum_abs (K, alpha);
  return TOSST_OK;
}

TosstStatus
tosst_nonnegative_objective (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n,
                             const double *codes, double *objective, double *parts)
{
  double products = 0;
  Job self = { .coder = coder,
               .context = context,
               .wide = true,
               .start = TOSST_NONNEGATIVE_FIXED,
               .tensors = tensors,
               .codes = (void *)codes, /* only read with this start */
               .n = n };
  TosstStatus status = allocate (&self) ? TOSST_OK : tosst_coding_no_memory (context);
  for (; status == TOSST_OK && self.first < n; self.first += self.block)
    {
      size_t count = n - self.first < self.block ? n - self.first : self.block;
      status = solve_block (&self, count, &products);
      for (size_t i = 0; status == TOSST_OK && i < count; i++)
        {
          double own[3], *out = parts ? parts + 3 * (self.first + i) : own;
          status = evaluate (&self, i, out);
          objective[self.first + i] = out[0] + out[1] + out[2];
        }
    }
  clear (&self);
  return status;
}
