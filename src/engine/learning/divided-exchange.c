/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of all ranks to the ranks that add them, rounded to float: sums of floats over thousands of tensors are not more
 * accurate than that. A message for each pair of ranks.
 */
#include <stdlib.h>

#include "engine/learning/divided.h"

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
  if (status == TOSST_OK)
    status = tosst_parallel_work (self->learning->context, blocks, (double)self->count * self->width, round_task, self);
  status = tosst_ranks_agree (ranks, status);
  if (status != TOSST_OK)
    return status;
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
