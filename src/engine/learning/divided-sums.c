/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sums Y and P on several ranks. Each rank sums a tile of columns of Y over its tensors, for all atoms, and sends
 * each other rank the rows of that rank's atoms.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/learning/accumulate.h"
#include "engine/learning/divided.h"

static size_t
tile_columns (size_t m, size_t K)
{
  size_t columns = RANK_TILE_BYTES / (sizeof (double) * K) / RANK_TILE_COLUMNS * RANK_TILE_COLUMNS;
  columns = columns < RANK_TILE_COLUMNS ? RANK_TILE_COLUMNS : columns;
  return columns < m ? columns : m;
}

size_t
tosst_learning_divided_bytes (const TosstLayout *layout, size_t K)
{
  return 2 * tile_columns (layout->m, K) * (K + RANK_COLUMNS) * sizeof (double);
}

/* Sums a tile over ranks and adds it to keep times Y. */
static TosstStatus
add_tile (TosstLearning *self, TosstStatus status, double keep, double *tile, size_t from, size_t width)
{
  size_t K = self->K, m = self->layout->m;
  status = tosst_ranks_reduce (self->run.ranks, status, tile, width, RANK_COLUMNS, K);
  for (size_t k = 0; k < K && status == TOSST_OK; k++)
    if (tosst_learning_owns (self, k))
      {
        double *Y = self->Y + tosst_learning_row (self, k) * m + from;
        for (size_t t = 0; t < width; t++)
          Y[t] = tile[k * width + t] + (keep > 0 ? keep * Y[t] : 0);
      }
  return status;
}

/* In float64, for small problems. P and l1 are the own ones afterwards. */
static TosstStatus
add_small (TosstLearning *self, double keep)
{
  double *Y = self->Y, *all = malloc (sizeof *all * self->K * self->layout->m);
  self->Y = all;
  if (all)
    tosst_learning_accumulate_stats_f64 (self);
  self->Y = Y;
  TosstStatus status = add_tile (self, all ? TOSST_OK : TOSST_ERROR_MEMORY, keep, all, 0, self->layout->m);
  free (all);
  return status;
}

static TosstStatus
add_large (TosstLearning *self, double keep)
{
  size_t m = self->layout->m, columns = tile_columns (m, self->K);
  TosstAccumulation sums;
  TosstStatus status = tosst_accumulation_init (&sums, self);
  double *tile = malloc (sizeof *tile * self->K * columns);
  TosstRange range = tosst_context_narrow (self->context, 0, 0);
  status = status ?: tile ? TOSST_OK : TOSST_ERROR_MEMORY;
  for (size_t from = 0; from < m; from += columns)
    {
      size_t end = m - from < columns ? m : from + columns;
      status = status ?: tosst_accumulation_add_Y (&sums, from, end, tile);
      status = add_tile (self, status, keep, tile, from, end - from);
      if (status != TOSST_OK)
        break;
    }
  tosst_learning_lap (self, TOSST_LEARN_Y);
  tosst_context_set_range (self->context, range);
  free (tile);
  if (status == TOSST_OK)
    status = tosst_accumulation_add_P (&sums);
  self->l1 = sums.sum_l1;
  tosst_accumulation_clear (&sums);
  return status;
}

/* The sums of P and l1 over ranks, added to the older ones. */
static TosstStatus
finish (TosstLearning *self, TosstStatus status, double *P, double l1)
{
  size_t K = self->K;
  double *sum = self->P;
  status = tosst_learning_sum_triangle (self, status, sum, self->P_float, K);
  status = tosst_learning_sum (self, status, &self->l1);
  self->P = P;
  if (status != TOSST_OK)
    return status;
  for (size_t k = 0; k < K; k++)
    for (size_t t = k; t < K; t++)
      if (P)
        P[t * K + k] = P[k * K + t] = sum[k * K + t] + (self->keep > 0 ? self->keep * P[k * K + t] : 0);
      else
        self->P_float[t * K + k] = self->P_float[k * K + t];
  self->l1 += self->keep > 0 ? self->keep * l1 : 0;
  return TOSST_OK;
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
