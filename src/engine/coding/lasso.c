/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/coding/lasso.h"

#include <stdlib.h>

static void *
aligned (size_t count, size_t element)
{
  return aligned_alloc (64, (count * element + 127) / 64 * 64);
}

/* Active sets are padded to whole registers. */
static size_t
padded (size_t n)
{
  return (n + 31) / 16 * 16;
}

/* Number of positions in the lists of codes, for all tiles of a column. */
static size_t
places (size_t K, size_t rows)
{
  return rows * (K / TOSST_LASSO_TILE_LEAST + 2);
}

/* Allocates the buffers for residuals of many codes at a time. */
static bool
allocate_tiles (TosstLassoWork *work)
{
  work->place = malloc (sizeof *work->place * places (work->K, work->rows));
  work->tile = aligned (TOSST_LASSO_TILE_ROWS, TOSST_LASSO_TILE_WIDTH);
  work->sums = aligned (work->rows, TOSST_LASSO_TILE_WIDTH);
  return work->place && work->tile && work->sums;
}

TosstLassoWork *
tosst_lasso_work_new (int K, int rows, size_t element)
{
  TosstLassoWork *work = calloc (1, sizeof *work);
  if (!work)
    return NULL;
  size_t n = K, side = padded (n);
  void **vectors[] = { &work->r,     &work->x,    &work->rho,       &work->inverse, &work->diagonal,
                       &work->delta, &work->step, &work->direction, &work->moved,   &work->rest };
  work->K = K;
  work->rows = rows;
  work->active = malloc (sizeof *work->active * (side + 1));
  work->list = malloc (sizeof *work->list * (n + 1));
  work->state = calloc (n + 64, 1);
  work->piece = malloc (sizeof *work->piece * (n + 1));
  work->first = malloc (sizeof *work->first * (n + 2));
  work->G = aligned (side * (side + 16) / 2, element);
  work->L = aligned (side * (side + 16), element);
  work->start = malloc (sizeof *work->start * (rows + 1));
  work->index = malloc (sizeof *work->index * (n * rows + 1));
  work->value = malloc (element * (n * rows + 1));
  bool fine = work->active && work->list && work->state && work->piece && work->first && work->G && work->L
              && work->start && work->index && work->value;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    {
      *vectors[i] = aligned (side, element);
      fine = fine && *vectors[i];
    }
  if (fine && (rows == 1 || allocate_tiles (work)))
    return work;
  tosst_lasso_work_free (work);
  return NULL;
}

size_t
tosst_lasso_work_bytes (int K, int rows, int support, size_t element)
{
  size_t n = K, side = padded (support);
  return side * (3 * side + 48) / 2 * element + 10 * padded (n) * element
         + n * (3 * sizeof (int) + sizeof (TosstLassoPiece) + 1)
         + rows * (n * (element + sizeof (int)) + sizeof (size_t))
         + (rows > 1)
               * (places (n, rows) * sizeof (uint32_t) + (TOSST_LASSO_TILE_ROWS + rows) * TOSST_LASSO_TILE_WIDTH);
}

void
tosst_lasso_work_free (TosstLassoWork *work)
{
  if (!work)
    return;
  free (work->active);
  free (work->list);
  free (work->state);
  free (work->piece);
  free (work->first);
  free (work->r);
  free (work->x);
  free (work->rho);
  free (work->inverse);
  free (work->diagonal);
  free (work->delta);
  free (work->step);
  free (work->direction);
  free (work->moved);
  free (work->rest);
  free (work->G);
  free (work->L);
  free (work->start);
  free (work->index);
  free (work->value);
  free (work->place);
  free (work->tile);
  free (work->sums);
  free (work);
}
