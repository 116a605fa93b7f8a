/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sums Y and P on several ranks. Each rank sums a tile of columns of Y over its tensors, for all atoms, and sends
 * each other rank the rows of that rank's atoms; meanwhile it sums the next tile.
 */
#include "engine/base/base.h"
#include "engine/learning/accumulate.h"
#include "engine/learning/divided.h"
#include "engine/simd/kernels.h"

/* A small tile is still in a cache when it is rounded; every thread sums columns of it. */
static size_t
tile_columns (size_t m, size_t K, size_t threads)
{
  size_t columns = RANK_TILE_BYTES / (sizeof (double) * K) / RANK_TILE_COLUMNS * RANK_TILE_COLUMNS,
         least = threads * TOSST_TILE_COLUMNS > RANK_TILE_COLUMNS ? threads * TOSST_TILE_COLUMNS : RANK_TILE_COLUMNS;
  columns = columns < least ? least : columns;
  return columns < m ? columns : m;
}

size_t
tosst_learning_divided_bytes (const TosstLayout *layout, size_t K, int size, int threads)
{
  size_t columns = tile_columns (layout->m, K, threads), blocks = size * RANK_COLUMNS,
         own = (K + blocks - 1) / blocks * RANK_COLUMNS;
  own = own < K ? own : K;
  return columns * (K * (sizeof (double) + sizeof (float)) + own * (size - 1) * sizeof (float));
}

/* Sums of tiles of columns of Y over ranks. A tile is on its way while the next one is summed, and so ranks need not
 * reach a tile at the same time. */
typedef struct
{
  TosstLearning *learning;
  double keep;
  double *tile;           /* K x width: the last tile summed, by this rank */
  size_t from, width;     /* its columns */
  TosstExchange exchange; /* of the tile before it, and then of this one */
  TosstMemory memory;
} Tiles;

static bool
tiles_init (Tiles *self, TosstLearning *learning, double keep, size_t columns)
{
  TosstRanks *ranks = learning->run.ranks;
  size_t K = learning->K, own = tosst_learning_own (learning);
  *self = (Tiles){ .learning = learning, .keep = keep };
  self->tile = tosst_keep (&self->memory, malloc (sizeof *self->tile * K * columns));
  self->exchange = (TosstExchange){ .learning = learning, .rows = self->tile, .per = RANK_COLUMNS, .count = K };
  self->exchange.sent = tosst_keep (&self->memory, malloc (sizeof (float) * K * columns));
  self->exchange.received
      = tosst_keep (&self->memory, malloc (sizeof (float) * (own * (ranks->size - 1) * columns + 1)));
  return !self->memory.failed;
}

/* The own part of a tile. */
static TosstStatus
keep_task (size_t item, int worker, void *data)
{
  const Tiles *self = data;
  const TosstLearning *l = self->learning;
  size_t first = item * TASK_COLUMNS, end = l->K - first < TASK_COLUMNS ? (size_t)l->K : first + TASK_COLUMNS;
  for (size_t k = first; k < end && tosst_learning_owns (l, first); k++)
    {
      double *Y = l->Y + tosst_learning_row (l, k) * l->layout->m + self->from;
      const double *tile = self->tile + k * self->width;
      for (size_t t = 0; t < self->width; t++)
        Y[t] = tile[t] + (self->keep > 0 ? self->keep * Y[t] : 0);
    }
  return TOSST_OK;
}

/* The parts of the other ranks of a tile that has arrived. */
static TosstStatus
add_task (size_t row, int worker, void *data)
{
  const Tiles *self = data;
  const TosstLearning *l = self->learning;
  size_t width = self->exchange.width;
  tosst_exchange_add (&self->exchange, row * width, width, l->Y + row * l->layout->m + self->from);
  return TOSST_OK;
}

/* Waits for the tile that is on its way, whose columns begin at `from`. */
static TosstStatus
receive (Tiles *self, TosstStatus status, size_t from)
{
  TosstLearning *l = self->learning;
  size_t own = tosst_learning_own (l);
  if (!self->exchange.on_the_way)
    return status;
  self->from = from;
  status = tosst_exchange_end (&self->exchange, status);
  return status ?: tosst_parallel_work (l->context, own, (double)own * self->exchange.width, add_task, self);
}

/* Sends a tile, and adds what is the own part of it. */
static TosstStatus
send (Tiles *self, TosstStatus status, size_t from, size_t width)
{
  TosstLearning *l = self->learning;
  size_t K = l->K;
  self->from = from;
  self->width = self->exchange.width = width;
  status = tosst_exchange_begin (&self->exchange, status);
  return status
             ?: tosst_parallel_work (l->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS,
                                     tosst_learning_share (l, (double)K * width), keep_task, self);
}

/* In float64, for small problems. P and l1 are the own ones afterwards. */
static TosstStatus
add_small (TosstLearning *self, double keep)
{
  size_t K = self->K, m = self->layout->m;
  double *Y = self->Y, *all = malloc (sizeof *all * K * m);
  self->Y = all;
  if (all)
    tosst_learning_accumulate_stats_f64 (self);
  self->Y = Y;
  TosstStatus status
      = tosst_ranks_reduce (self->run.ranks, all ? TOSST_OK : TOSST_ERROR_MEMORY, all, m, RANK_COLUMNS, K);
  Tiles tiles = { .learning = self, .keep = keep, .tile = all, .width = m };
  for (size_t item = 0; status == TOSST_OK && item * TASK_COLUMNS < K; item++)
    keep_task (item, 0, &tiles);
  free (all);
  return status;
}

static TosstStatus
add_tiles (Tiles *self, TosstAccumulation *sums, TosstStatus status, size_t columns)
{
  size_t m = self->learning->layout->m, last = 0;
  for (size_t from = 0; from < m; from += columns)
    {
      size_t end = m - from < columns ? m : from + columns;
      status = status ?: tosst_accumulation_add_Y (sums, from, end, self->tile);
      status = receive (self, status, last);
      status = send (self, status, from, end - from);
      if (status != TOSST_OK)
        break;
      last = from;
    }
  return receive (self, status, last);
}

static TosstStatus
add_large (TosstLearning *self, double keep)
{
  size_t columns = tile_columns (self->layout->m, self->K, tosst_context_threads (self->context));
  TosstAccumulation sums;
  Tiles tiles;
  TosstStatus status = tosst_accumulation_init (&sums, self);
  bool fine = tiles_init (&tiles, self, keep, columns);
  TosstRange range = tosst_context_narrow (self->context, 0, 0);
  status = add_tiles (&tiles, &sums, status ?: fine ? TOSST_OK : TOSST_ERROR_MEMORY, columns);
  tosst_learning_lap (self, TOSST_LEARN_Y);
  tosst_context_set_range (self->context, range);
  tosst_release (&tiles.memory);
  TOSST_THEN (status, tosst_accumulation_add_P (&sums));
  self->l1 = sums.sum_l1;
  tosst_accumulation_clear (&sums);
  return status;
}

typedef struct
{
  const TosstLearning *learning;
  const double *sum;
  double *P;
} Symmetric;

/* Some columns of P below the diagonal. */
static TosstStatus
keep_P_task (size_t item, int worker, void *data)
{
  Symmetric *self = data;
  size_t K = self->learning->K, first = item * TASK_COLUMNS, end = K - first < TASK_COLUMNS ? K : first + TASK_COLUMNS;
  double keep = self->learning->keep;
  for (size_t k = first; k < end; k++)
    for (size_t t = k; t < K; t++)
      self->P[k * K + t] = self->sum[k * K + t] + (keep > 0 ? keep * self->P[k * K + t] : 0);
  return TOSST_OK;
}

/* The sums of P and l1 over ranks, added to the older ones. */
static TosstStatus
finish (TosstLearning *self, TosstStatus status, double *P, double l1)
{
  size_t K = self->K;
  double *sum = self->P;
  Symmetric symmetric = { self, sum, P };
  status = tosst_learning_sum_triangle (self, status, sum, self->P_float, K, !tosst_learning_is_small (self));
  status = tosst_learning_sum (self, status, &self->l1);
  self->P = P;
  if (status != TOSST_OK)
    return status;
  self->l1 += self->keep > 0 ? self->keep * l1 : 0;
  if (!P)
    return tosst_learning_mirror_P (self);
  return tosst_parallel_work (self->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS, (double)K * K / 2, keep_P_task,
                              &symmetric)
             ?: tosst_mirror (self->context, K, P, K);
}

TosstStatus
tosst_learning_accumulate_divided (TosstLearning *self)
{
  double keep = self->keep, l1 = self->l1, *P = self->P;
  /* Own sums without older ones; those of P where Scc will be. */
  self->keep = 0;
  if (P)
    self->P = self->Scc;
  TosstStatus status = tosst_learning_is_small (self) && P ? add_small (self, keep) : add_large (self, keep);
  self->keep = keep;
  status = finish (self, status, P, l1);
  tosst_learning_lap (self, TOSST_LEARN_P);
  return status;
}
