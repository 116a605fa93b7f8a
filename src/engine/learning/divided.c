/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/learning/divided.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"

TosstStatus
tosst_learning_end_ranks (TosstContext *context, TosstRanks *ranks, TosstStatus status)
{
  status = tosst_ranks_agree (ranks, status);
  if (ranks && ranks->elsewhere && status > TOSST_CANCELLED)
    tosst_context_fail (context, status, "another rank failed");
  return status;
}

TosstStatus
tosst_learning_start_ranks (TosstContext *context, TosstRanks *ranks, size_t *total)
{
  double sum = *total;
  tosst_ranks_start (ranks);
  TosstStatus status = tosst_ranks_sum (ranks, TOSST_OK, &sum, 1);
  *total = sum;
  return status == TOSST_OK ? status : tosst_learning_end_ranks (context, ranks, status);
}

TosstStatus
tosst_learning_count (TosstLearning *self, TosstStatus status)
{
  TosstRanks *ranks = self->run.ranks;
  if (!ranks)
    return status;
  size_t *start = self->start + 1;
  start[ranks->rank] = self->n;
  status = tosst_ranks_gather (ranks, status, start, sizeof *start, 1, ranks->size);
  for (int r = 0; r < ranks->size && status == TOSST_OK; r++)
    start[r] += r > 0 ? start[r - 1] : 0;
  if (status == TOSST_OK)
    self->total = start[ranks->size - 1];
  self->spreads = (size_t)self->K > self->total;
  return status;
}

static int
owner_of (const TosstLearning *self, size_t number)
{
  int r = 0;
  while (number >= self->start[r + 1])
    r++;
  return r;
}

TosstStatus
tosst_learning_fetch (TosstLearning *self, const size_t *number, size_t count, bool with_codes, TosstFetched *out)
{
  TosstRanks *ranks = self->run.ranks;
  size_t m = self->layout->m, K = self->K;
  TosstStatus status = TOSST_OK;
  for (size_t i = 0; i < count && status == TOSST_OK; i++)
    {
      int owner = ranks ? owner_of (self, number[i]) : 0;
      size_t row = ranks ? number[i] - self->start[owner] : number[i];
      float *copy = ranks ? self->fetched + i * (m + K) : NULL;
      bool is_own = !ranks || owner == ranks->rank;
      out[i] = is_own ? (TosstFetched){ self->tensors + row * m, self->codes + row * K }
                      : (TosstFetched){ copy, copy + m };
      status = tosst_ranks_broadcast (ranks, status, owner, (float *)out[i].tensor, sizeof *copy * m);
      if (with_codes)
        status = tosst_ranks_broadcast (ranks, status, owner, (float *)out[i].codes, sizeof *copy * K);
    }
  return status;
}

TosstStatus
tosst_learning_gather (TosstLearning *self, TosstStatus status, void *data, size_t bytes)
{
  return tosst_ranks_gather (self->run.ranks, status, data, bytes, RANK_COLUMNS, self->K);
}

/* Copies a block of columns down to the diagonal of its last one. */
static void
copy_upper (const TosstLearning *self, size_t first, float *packed, bool out)
{
  size_t K = self->K, count = K - first < RANK_COLUMNS ? K - first : RANK_COLUMNS, height = first + count;
  for (size_t k = 0; k < count; k++)
    {
      float *column = self->A_float + (first + k) * K;
      memcpy (out ? packed + k * height : column, out ? column : packed + k * height, sizeof *packed * height);
    }
}

/* A block of each rank at a time. */
TosstStatus
tosst_learning_gather_upper (TosstLearning *self, TosstStatus status)
{
  TosstRanks *ranks = self->run.ranks;
  if (!ranks)
    return status;
  size_t K = self->K, block = K * RANK_COLUMNS, size = ranks->size;
  float *packed = malloc (sizeof *packed * block * size);
  TosstMessage *out = malloc (sizeof *out * 2 * size), *in = out + size;
  status = tosst_ranks_agree (ranks, status ?: packed && out ? TOSST_OK : TOSST_ERROR_MEMORY);
  for (size_t first = 0; first < K && status == TOSST_OK; first += RANK_COLUMNS * size)
    {
      int outs = 0, ins = 0;
      for (size_t r = 0; r < size && first + r * RANK_COLUMNS < K; r++)
        {
          size_t at = first + r * RANK_COLUMNS, count = K - at < RANK_COLUMNS ? K - at : RANK_COLUMNS;
          TosstMessage message = { r, packed + r * block, sizeof *packed * (at + count) * count };
          if (r != (size_t)ranks->rank)
            in[ins++] = message;
          else
            copy_upper (self, at, packed + r * block, true);
          for (size_t i = 1; i < size && r == (size_t)ranks->rank; i++)
            {
              message.rank = (r + i) % size;
              out[outs++] = message;
            }
        }
      status = tosst_ranks_transfer (ranks, out, outs, in, ins);
      for (size_t r = 0; r < size && first + r * RANK_COLUMNS < K && status == TOSST_OK; r++)
        if (r != (size_t)ranks->rank)
          copy_upper (self, first + r * RANK_COLUMNS, packed + r * block, false);
    }
  free (packed);
  free (out);
  return status;
}

/* Copies some rows of the triangle, each from its diagonal on; returns their length. */
static size_t
copy_rows (double *X, float *X_float, size_t N, size_t first, size_t end, double *packed, bool out)
{
  size_t at = 0;
  for (size_t k = first; k < end; at += N - k, k++)
    for (size_t t = k; t < N; t++)
      {
        double *value = packed + at + t - k;
        if (out)
          *value = X ? X[k * N + t] : X_float[k * N + t];
        else if (X)
          X[k * N + t] = *value;
        else
          X_float[k * N + t] = *value;
      }
  return at;
}

TosstStatus
tosst_learning_sum_triangle (TosstLearning *self, TosstStatus status, double *X, float *X_float, size_t N)
{
  TosstRanks *ranks = self->run.ranks;
  if (!ranks)
    return status;
  size_t most = RANK_PIECE > N ? RANK_PIECE : N, end;
  most = most < N * (N + 1) / 2 ? most : N * (N + 1) / 2;
  double *packed = malloc (sizeof *packed * most);
  status = status ?: packed ? TOSST_OK : TOSST_ERROR_MEMORY;
  for (size_t first = 0; first < N; first = end)
    {
      size_t length = N - first;
      for (end = first + 1; end < N && length + N - end <= most; end++)
        length += N - end;
      if (status == TOSST_OK)
        copy_rows (X, X_float, N, first, end, packed, true);
      status = tosst_ranks_sum (ranks, status, packed, length);
      if (status != TOSST_OK)
        break;
      copy_rows (X, X_float, N, first, end, packed, false);
    }
  free (packed);
  return status;
}

TosstStatus
tosst_learning_sum (TosstLearning *self, TosstStatus status, double *value)
{
  return tosst_ranks_sum (self->run.ranks, status, value, 1);
}

TosstStatus
tosst_learning_join_report (TosstLearning *self, TosstStatus status, TosstIteration *iteration)
{
  TosstRanks *ranks = self->run.ranks;
  if (!ranks)
    return status;
  double (*report)[2] = malloc (sizeof *report * ranks->size);
  if (!report)
    status = status ?: TOSST_ERROR_MEMORY;
  else
    {
      report[ranks->rank][0] = iteration->mean_nonzeros * self->n;
      report[ranks->rank][1] = iteration->worst_kkt;
    }
  status = tosst_ranks_gather (ranks, status, report, sizeof *report, 1, ranks->size);
  if (status == TOSST_OK)
    iteration->mean_nonzeros = iteration->worst_kkt = 0;
  for (int r = 0; r < ranks->size && status == TOSST_OK; r++)
    {
      iteration->mean_nonzeros += report[r][0] / self->total;
      iteration->worst_kkt = fmax (iteration->worst_kkt, report[r][1]);
    }
  free (report);
  return status;
}

/* Computes some columns of W V. */
static TosstStatus
substitute_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t D = self->D, K = self->K, first = item * TASK_COLUMNS,
         count = K - first < TASK_COLUMNS ? K - first : TASK_COLUMNS;
  double *WV = self->reduction.WV + first * D;
  if (!tosst_learning_owns (self, first))
    return TOSST_OK;
  memcpy (WV, self->dictionary->V + first * D, sizeof *WV * D * count);
  for (int transposed = 0; transposed < 2; transposed++)
    cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, D, count,
                 1, self->reduction.L, D, WV, D);
  return TOSST_OK;
}

/* L from the own columns of V: F = I + V V' / gamma = L L'. */
static TosstStatus
factor (TosstLearning *self)
{
  TosstReduction *to = &self->reduction;
  size_t D = self->D, first = 0, count;
  const double *V = self->dictionary->V;
  TosstStatus status = TOSST_OK;
  to->gamma = self->options->problem.gamma;
  memset (to->L, 0, sizeof *to->L * D * D);
  for (; status == TOSST_OK && (count = tosst_learning_next (self, &first)) > 0; first += count)
    status = tosst_dgemm_lower (self->context, CblasNoTrans, CblasTrans, D, count, 1 / to->gamma, V + first * D, D,
                                V + first * D, D, 1, to->L, D);
  status = tosst_learning_sum_triangle (self, status, to->L, NULL, D);
  for (size_t i = 0; i < D && status == TOSST_OK; i++)
    to->L[i * D + i] += 1;
  return status ?: tosst_cholesky (self->context, D, to->L);
}

TosstStatus
tosst_learning_reduce (TosstLearning *self)
{
  TosstReduction *to = &self->reduction;
  size_t D = self->D, K = self->K;
  if (!self->run.ranks || !to->L || !isfinite (self->options->problem.gamma))
    return tosst_reduction_update (to, self->context, self->dictionary, self->options->problem.gamma);
  TosstStatus status = factor (self);
  if (status == TOSST_OK)
    status = tosst_parallel_work (self->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS, (double)D * D * K,
                                  substitute_task, self);
  status = tosst_learning_gather (self, status, to->WV, sizeof *to->WV * D);
  if (status != TOSST_OK || !to->G)
    return status;
  return tosst_dgemm_lower (self->context, CblasTrans, CblasNoTrans, K, D, 1, self->dictionary->V, D, to->WV, D, 0,
                            to->G, K)
             ?: tosst_mirror (self->context, K, to->G, K);
}
