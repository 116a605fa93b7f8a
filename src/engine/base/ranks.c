/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collective operations as messages between pairs of ranks. They are made here and not by a library of messages, so that
 * the order of addition, the messages and their bytes are known exactly.
 */
#include "tosst/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"

/* Numbers that are added up at a time. */
#define ADDED ((size_t)512)

void
tosst_ranks_start (TosstRanks *self)
{
  if (self)
    self->stopped = self->elsewhere = self->lost;
}

typedef TosstStatus (*Transfer) (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *user_data);

static TosstStatus
finish (TosstRanks *self, double start, TosstStatus status)
{
  self->seconds += tosst_seconds () - start;
  self->lost = self->stopped = self->elsewhere = status != TOSST_OK;
  return status;
}

static TosstStatus
count_and_send (TosstRanks *self, Transfer func, const TosstMessage *out, int outs, const TosstMessage *in, int ins)
{
  if (self->lost)
    return TOSST_CANCELLED;
  double start = tosst_seconds ();
  for (int i = 0; i < outs; i++)
    self->bytes += out[i].bytes;
  self->messages += outs;
  return finish (self, start, func (out, outs, in, ins, self->user_data));
}

TosstStatus
tosst_ranks_transfer (TosstRanks *self, const TosstMessage *out, int outs, const TosstMessage *in, int ins)
{
  return self ? count_and_send (self, self->transfer, out, outs, in, ins) : TOSST_ERROR_ARGUMENT;
}

TosstStatus
tosst_ranks_begin (TosstRanks *self, const TosstMessage *out, int outs, const TosstMessage *in, int ins)
{
  return self ? count_and_send (self, self->begin ?: self->transfer, out, outs, in, ins) : TOSST_ERROR_ARGUMENT;
}

TosstStatus
tosst_ranks_end (TosstRanks *self)
{
  if (!self || self->lost)
    return self ? TOSST_CANCELLED : TOSST_ERROR_ARGUMENT;
  return self->begin ? finish (self, tosst_seconds (), self->end (self->user_data)) : TOSST_OK;
}

/* After the round with distance s each rank knows the status of 2 s ranks. */
TosstStatus
tosst_ranks_agree (TosstRanks *self, TosstStatus status)
{
  if (!self)
    return status;
  if (self->stopped)
    return status ?: TOSST_CANCELLED;
  int32_t worst = status, other = 0;
  for (int distance = 1; distance < self->size; distance *= 2)
    {
      int32_t own = worst;
      TosstMessage out = { (self->rank + distance) % self->size, &own, sizeof own },
                   in = { (self->rank - distance + self->size) % self->size, &other, sizeof other };
      TosstStatus sent = tosst_ranks_transfer (self, &out, 1, &in, 1);
      if (sent != TOSST_OK)
        return sent;
      worst = other > worst ? other : worst;
    }
  self->stopped = worst != TOSST_OK;
  self->elsewhere = worst > (int32_t)status;
  return worst;
}

/* Along a binomial tree. */
TosstStatus
tosst_ranks_broadcast (TosstRanks *self, TosstStatus status, int root, void *data, size_t bytes)
{
  status = tosst_ranks_agree (self, status);
  if (!self || status != TOSST_OK)
    return status;
  int size = self->size, place = (self->rank - root + size) % size;
  for (int distance = 1; distance < size && status == TOSST_OK; distance *= 2)
    {
      TosstMessage message = { (self->rank + distance) % size, data, bytes };
      if (place < distance && place + distance < size)
        status = tosst_ranks_transfer (self, &message, 1, NULL, 0);
      message.rank = (self->rank - distance + size) % size;
      if (place >= distance && place < 2 * distance)
        status = tosst_ranks_transfer (self, NULL, 0, &message, 1);
    }
  return status;
}

static size_t
block_size (size_t b, size_t per, size_t count)
{
  return count - b * per < per ? count - b * per : per;
}

size_t
tosst_ranks_own (const TosstRanks *self, size_t per, size_t count)
{
  if (!self)
    return count;
  size_t own = 0;
  for (size_t b = self->rank; b * per < count; b += self->size)
    own += block_size (b, per, count);
  return own;
}

TosstStatus
tosst_ranks_gather (TosstRanks *self, TosstStatus status, void *data, size_t bytes, size_t per, size_t count)
{
  if (!self)
    return status;
  size_t blocks = (count + per - 1) / per, size = self->size, rank = self->rank, outs = 0, ins = 0;
  TosstMessage *message = malloc (sizeof *message * (blocks / size + 1 + blocks + 1) * size);
  TosstMessage *out = message, *in = message + (blocks / size + 1) * size;
  status = tosst_ranks_agree (self, status ?: message ? TOSST_OK : TOSST_ERROR_MEMORY);
  for (size_t b = 0; b < blocks && status == TOSST_OK; b++)
    {
      TosstMessage block = { b % size, (char *)data + b * per * bytes, block_size (b, per, count) * bytes };
      if (b % size != rank)
        in[ins++] = block;
      for (size_t i = 1; b % size == rank && i < size; i++)
        {
          block.rank = (rank + i) % size;
          out[outs++] = block;
        }
    }
  TOSST_THEN (status, tosst_ranks_transfer (self, out, outs, in, ins));
  free (message);
  return status;
}

/* Adds this rank's rows, and those of other ranks from work, in the order of ranks. own: values of this rank. */
static void
add_up (const TosstRanks *self, double *rows, size_t n, const double *work, size_t own)
{
  for (size_t first = 0; first < n; first += ADDED)
    {
      size_t count = n - first < ADDED ? n - first : ADDED;
      const double *other = work + first;
      double sum[ADDED] = { 0 };
      for (int r = 0; r < self->size; r++)
        {
          const double *from = r == self->rank ? rows + first : other;
          other += r == self->rank ? 0 : own;
          for (size_t i = 0; i < count; i++)
            sum[i] += from[i];
        }
      memcpy (rows + first, sum, sizeof *sum * count);
    }
}

TosstStatus
tosst_ranks_reduce (TosstRanks *self, TosstStatus status, double *rows, size_t width, size_t per, size_t count)
{
  if (!self)
    return status;
  size_t blocks = (count + per - 1) / per, size = self->size, rank = self->rank, outs = 0, ins = 0,
         own = tosst_ranks_own (self, per, count) * width;
  TosstMessage *message = malloc (sizeof *message * (2 * blocks + size));
  TosstMessage *out = message, *in = message + blocks;
  double *work = malloc (sizeof *work * (own * (size - 1) + 1)), *at = work;
  status = tosst_ranks_agree (self, status ?: message && work ? TOSST_OK : TOSST_ERROR_MEMORY);
  for (size_t b = 0; b < blocks && status == TOSST_OK; b++)
    if (b % size != rank)
      out[outs++]
          = (TosstMessage){ b % size, rows + b * per * width, sizeof *rows * block_size (b, per, count) * width };
  for (size_t r = 0; r < size && status == TOSST_OK; r++)
    for (size_t b = rank; b < blocks && r != rank; b += size)
      {
        size_t n = block_size (b, per, count) * width;
        in[ins++] = (TosstMessage){ r, at, sizeof *rows * n };
        at += n;
      }
  TOSST_THEN (status, tosst_ranks_transfer (self, out, outs, in, ins));
  at = work;
  for (size_t b = rank; b < blocks && status == TOSST_OK; b += size)
    {
      size_t n = block_size (b, per, count) * width;
      add_up (self, rows + b * per * width, n, at, own);
      at += n;
    }
  free (message);
  free (work);
  return status;
}

TosstStatus
tosst_ranks_sum (TosstRanks *self, TosstStatus status, double *values, size_t n)
{
  if (!self || n == 0)
    return status;
  size_t per = (n + self->size - 1) / self->size;
  status = tosst_ranks_reduce (self, status, values, 1, per, n);
  return tosst_ranks_gather (self, status, values, sizeof *values, per, n);
}
