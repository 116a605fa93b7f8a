/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/learning/divided.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Copies row i of each owner to all ranks, along binomial trees: a message for each tensor and one for its codes. */
static TosstStatus
spread (TosstRanks *ranks, const int *owner, const TosstFetched *row, size_t count, size_t m, size_t codes)
{
  TosstMessage out[2 * FETCHED], in[2 * FETCHED];
  TosstStatus status = TOSST_OK;
  int size = ranks->size;
  for (int distance = 1; distance < size && status == TOSST_OK; distance *= 2)
    {
      int outs = 0, ins = 0;
      for (size_t i = 0; i < count; i++)
        {
          int place = (ranks->rank - owner[i] + size) % size;
          bool sends = place < distance && place + distance < size,
               receives = place >= distance && place < 2 * distance;
          TosstMessage tensor = { (ranks->rank + (sends ? distance : size - distance)) % size, (float *)row[i].tensor,
                                  sizeof (float) * m },
                       code = { tensor.rank, (float *)row[i].codes, sizeof (float) * codes };
          if (sends)
            out[outs++] = tensor;
          if (sends && codes > 0)
            out[outs++] = code;
          if (receives)
            in[ins++] = tensor;
          if (receives && codes > 0)
            in[ins++] = code;
        }
      status = tosst_ranks_transfer (ranks, out, outs, in, ins);
    }
  return status;
}

TosstStatus
tosst_learning_fetch (TosstLearning *self, const size_t *number, size_t count, bool with_codes, TosstFetched *out)
{
  TosstRanks *ranks = self->run.ranks;
  size_t m = self->layout->m, K = self->K;
  int owner[FETCHED];
  for (size_t i = 0; i < count; i++)
    {
      owner[i] = ranks ? owner_of (self, number[i]) : 0;
      size_t row = ranks ? number[i] - self->start[owner[i]] : number[i];
      float *copy = ranks ? self->fetched + i * (m + K) : NULL;
      bool is_own = !ranks || owner[i] == ranks->rank;
      out[i] = is_own ? (TosstFetched){ self->tensors + row * m, self->codes + row * K }
                      : (TosstFetched){ copy, copy + m };
    }
  TosstStatus status = tosst_ranks_agree (ranks, TOSST_OK);
  return ranks && status == TOSST_OK ? spread (ranks, owner, out, count, m, with_codes ? K : 0) : status;
}

TosstStatus
tosst_learning_gather (TosstLearning *self, TosstStatus status, void *data, size_t bytes)
{
  return tosst_ranks_gather (self->run.ranks, status, data, bytes, RANK_COLUMNS, self->K);
}

typedef struct
{
  const TosstLearning *learning;
  double *packed, *X;
  bool out; /* from X */
} Packing;

static TosstStatus
pack_task (size_t item, int worker, void *data)
{
  Packing *self = data;
  const TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K, first = item * TASK_COLUMNS, count = K - first < TASK_COLUMNS ? K - first : TASK_COLUMNS;
  if (!tosst_learning_owns (l, first))
    return TOSST_OK;
  double *packed = self->packed + tosst_learning_row (l, first) * D, *X = self->X + first * D;
  memcpy (self->out ? packed : X, self->out ? X : packed, sizeof *X * D * count);
  return TOSST_OK;
}

static TosstStatus
pack (const TosstLearning *self, double *packed, double *X, bool out)
{
  size_t K = self->K;
  return tosst_parallel_work (self->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS,
                              tosst_learning_share (self, (double)self->D * K), pack_task,
                              &(Packing){ self, packed, X, out });
}

TosstStatus
tosst_learning_pack (const TosstLearning *self, const double *X, double *packed)
{
  return pack (self, packed, (double *)X, true);
}

TosstStatus
tosst_learning_unpack (const TosstLearning *self, const double *packed, double *X)
{
  return pack (self, (double *)packed, X, false);
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
