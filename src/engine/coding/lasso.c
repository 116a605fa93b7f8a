/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/coding/lasso.h"

#include "engine/base/base.h"
#include "engine/simd/tuning.h"

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

typedef struct
{
  TosstLassoWork work;
  TosstMemory memory;
} Owned;

TosstLassoWork *
tosst_lasso_work_new (int K, int rows, size_t element)
{
  Owned *owned = calloc (1, sizeof *owned);
  if (!owned)
    return NULL;
  TosstLassoWork *work = &owned->work;
  TosstMemory *memory = &owned->memory;
  size_t n = K, side = padded (n);
  void **vectors[] = { &work->r,     &work->x,    &work->rho,       &work->inverse, &work->diagonal,
                       &work->delta, &work->step, &work->direction, &work->moved,   &work->rest };
  work->K = K;
  work->rows = rows;
  work->active = tosst_keep (memory, malloc (sizeof *work->active * (side + 1)));
  work->list = tosst_keep (memory, malloc (sizeof *work->list * (n + 1)));
  work->state = tosst_keep (memory, calloc (n + 64, 1));
  work->piece = tosst_keep (memory, malloc (sizeof *work->piece * (n + 1)));
  work->first = tosst_keep (memory, malloc (sizeof *work->first * (n + 2)));
  work->G = tosst_keep (memory, aligned (side * (side + 16) / 2, element));
  work->L = tosst_keep (memory, aligned (side * (side + 16), element));
  work->start = tosst_keep (memory, malloc (sizeof *work->start * (rows + 1)));
  work->index = tosst_keep (memory, malloc (sizeof *work->index * (n * rows + 1)));
  work->value = tosst_keep (memory, malloc (element * (n * rows + 1)));
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = tosst_keep (memory, aligned (side, element));
  if (rows > 1) /* residuals of many codes at a time */
    {
      work->place = tosst_keep (memory, malloc (sizeof *work->place * places (n, rows)));
      work->tile = tosst_keep (memory, aligned (TOSST_LASSO_TILE_ROWS, TOSST_LASSO_TILE_WIDTH));
      work->sums = tosst_keep (memory, aligned (rows, TOSST_LASSO_TILE_WIDTH));
    }
  if (!memory->failed)
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
  if (work)
    tosst_release (&((Owned *)work)->memory);
  free (work);
}
