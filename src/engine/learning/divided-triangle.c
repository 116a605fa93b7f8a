/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of symmetric matrices over ranks: their lower triangle piece by piece, each rank adding up a part of a piece,
 * which then goes to all.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/learning/divided.h"

typedef struct
{
  TosstLearning *learning;
  double *X;            /* N x N, or */
  float *X_float;       /* the same */
  size_t N, first, end; /* rows of the current piece, each from its diagonal on */
  double *packed;       /* the piece */
  float *sent, *received;
  bool out; /* from the matrix to the piece */
} Triangle;

/* Numbers of a piece before row k. */
static size_t
place_of (const Triangle *self, size_t k)
{
  size_t rows = k - self->first;
  return rows * (self->N - self->first) - rows * (rows - (rows > 0)) / 2;
}

static TosstStatus
copy_task (size_t item, int worker, void *data)
{
  Triangle *self = data;
  size_t N = self->N, first = self->first + item * TASK_COLUMNS,
         end = self->end - first < TASK_COLUMNS ? self->end : first + TASK_COLUMNS;
  for (size_t k = first; k < end; k++)
    {
      double *packed = self->packed + place_of (self, k), *X = self->X ? self->X + k * N + k : NULL;
      float *X_float = self->X_float ? self->X_float + k * N + k : NULL;
      if (X)
        memcpy (self->out ? packed : X, self->out ? X : packed, sizeof *X * (N - k));
      for (size_t t = 0; t < N - k && !X && self->out; t++)
        packed[t] = X_float[t];
      for (size_t t = 0; t < N - k && !X && !self->out; t++)
        X_float[t] = packed[t];
    }
  return TOSST_OK;
}

static TosstStatus
copy_piece (Triangle *self, bool out)
{
  size_t rows = self->end - self->first;
  self->out = out;
  return tosst_parallel_work (self->learning->context, (rows + TASK_COLUMNS - 1) / TASK_COLUMNS,
                              (double)(rows * (self->N - self->first)), copy_task, self);
}

/* tosst_ranks_sum() of n numbers, what is sent to be added rounded to float; for a float matrix the sums as well. */
static TosstStatus
sum_rounded (Triangle *self, TosstStatus status, size_t n)
{
  TosstRanks *ranks = self->learning->run.ranks;
  size_t size = ranks->size, rank = ranks->rank, per = (n + size - 1) / size;
  TosstExchange exchange = { .learning = self->learning,
                             .rows = self->packed,
                             .width = 1,
                             .per = per,
                             .count = n,
                             .sent = self->sent,
                             .received = self->received };
  status = tosst_exchange_begin (&exchange, status);
  status = tosst_exchange_end (&exchange, status);
  size_t first = per * rank, own = first < n ? (n - first < per ? n - first : per) : 0;
  double *sum = self->packed + first;
  if (status == TOSST_OK)
    tosst_exchange_add (&exchange, 0, own, sum);
  if (self->X)
    return tosst_ranks_gather (ranks, status, self->packed, sizeof *self->packed, per, n);
  for (size_t i = 0; i < own && status == TOSST_OK; i++)
    self->sent[first + i] = sum[i];
  status = tosst_ranks_gather (ranks, status, self->sent, sizeof *self->sent, per, n);
  for (size_t i = 0; i < n && status == TOSST_OK; i++)
    self->packed[i] = self->sent[i];
  return status;
}

TosstStatus
tosst_learning_sum_triangle (TosstLearning *self, TosstStatus status, double *X, float *X_float, size_t N, bool rounded)
{
  TosstRanks *ranks = self->run.ranks;
  if (!ranks)
    return status;
  TosstMemory memory = { .count = 0 };
  Triangle triangle = { .learning = self, .X = X, .X_float = X_float, .N = N };
  size_t most = RANK_PIECE > N ? RANK_PIECE : N, end;
  most = most < N * (N + 1) / 2 ? most : N * (N + 1) / 2;
  triangle.packed = tosst_keep (&memory, malloc (sizeof *triangle.packed * most));
  if (rounded)
    {
      triangle.sent = tosst_keep (&memory, malloc (sizeof *triangle.sent * most));
      triangle.received = tosst_keep (&memory, malloc (sizeof *triangle.received * (most + ranks->size)));
    }
  status = status ?: memory.failed ? TOSST_ERROR_MEMORY : TOSST_OK;
  for (size_t first = 0; first < N; first = end)
    {
      size_t length = N - first;
      for (end = first + 1; end < N && length + N - end <= most; end++)
        length += N - end;
      triangle.first = first;
      triangle.end = end;
      status = status ?: copy_piece (&triangle, true);
      status = rounded ? sum_rounded (&triangle, status, length)
                       : tosst_ranks_sum (ranks, status, triangle.packed, length);
      if (status != TOSST_OK)
        break;
      status = copy_piece (&triangle, false);
    }
  tosst_release (&memory);
  return status;
}
