/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/learning/divided.h"

#include "engine/base/base.h"

/* Rows of all ranks to the ranks that add them, rounded to float: sums of floats over thousands of tensors are not more
 * accurate than that. A message for each pair of ranks. */

/* Rows of all blocks of ranks before this one. */
static size_t
rows_before (const TosstExchange *self, int rank)
{
  size_t size = self->learning->run.ranks->size, rounds = self->count / (self->per * size),
         rest = self->count - rounds * self->per * size, before = rank * self->per;
  return rounds * before + (rest < before ? rest : before);
}

static size_t
rows_of (const TosstExchange *self, int rank)
{
  return rows_before (self, rank + 1) - rows_before (self, rank);
}

/* Rounds a block of another rank. */
static TosstStatus
round_task (size_t block, int worker, void *data)
{
  TosstExchange *self = data;
  const TosstRanks *ranks = self->learning->run.ranks;
  size_t first = block * self->per, rest = self->count - first, n = (rest < self->per ? rest : self->per) * self->width;
  int rank = block % ranks->size;
  if (rank == ranks->rank)
    return TOSST_OK;
  const double *from = self->rows + first * self->width;
  float *to = self->sent + (rows_before (self, rank) + block / ranks->size * self->per) * self->width;
  for (size_t i = 0; i < n; i++)
    to[i] = from[i];
  return TOSST_OK;
}

TosstStatus
tosst_exchange_begin (TosstExchange *self, TosstStatus status)
{
  TosstRanks *ranks = self->learning->run.ranks;
  size_t blocks = (self->count + self->per - 1) / self->per, own = rows_of (self, ranks->rank) * self->width;
  int size = ranks->size, n = 0;
  self->message = malloc (sizeof *self->message * 2 * size);
  TosstMessage *out = self->message, *in = out ? out + size : NULL;
  status = status ?: out ? TOSST_OK : TOSST_ERROR_MEMORY;
  TOSST_THEN (status, tosst_parallel_work (self->learning->context, blocks, (double)self->count * self->width,
                                           round_task, self));
  TOSST_TRY (tosst_ranks_agree (ranks, status));
  /* Each rank begins with the next one, so that not all send to the same. */
  for (int i = 1; i < size; i++)
    {
      int to = (ranks->rank + i) % size;
      size_t rows = rows_of (self, to);
      if (rows > 0)
        out[n++] = (TosstMessage){ to, self->sent + rows_before (self, to) * self->width,
                                   sizeof (float) * rows * self->width };
    }
  int outs = n;
  n = 0;
  for (int r = 0; r < size && own > 0; r++)
    if (r != ranks->rank)
      {
        in[n] = (TosstMessage){ r, self->received + n * own, sizeof (float) * own };
        n++;
      }
  self->on_the_way = true;
  return tosst_ranks_begin (ranks, out, outs, in, n);
}

TosstStatus
tosst_exchange_end (TosstExchange *self, TosstStatus status)
{
  TosstStatus arrived = self->on_the_way ? tosst_ranks_end (self->learning->run.ranks) : TOSST_OK;
  self->on_the_way = false;
  free (self->message);
  self->message = NULL;
  return status ?: arrived;
}

void
tosst_exchange_add (const TosstExchange *self, size_t first, size_t n, double *sums)
{
  const TosstRanks *ranks = self->learning->run.ranks;
  size_t own = rows_of (self, ranks->rank) * self->width;
  for (int r = 0; r < ranks->size - 1; r++)
    for (size_t i = 0; i < n; i++)
      sums[i] += self->received[r * own + first + i];
}

/* Sums of symmetric matrices over ranks: their lower triangle piece by piece, each rank adding up a part of a piece,
 * which then goes to all. */

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
