/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whitening of batches of tensors, one per register lane, by simd/whiten-impl.h. Tensors stay packed, and sides that
 * are not a multiple of the register length need no padding.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/tensor/tuning.h"
#include "engine/tensor/whiten-private.h"

typedef struct
{
  TosstContext *context;
  const TosstKernels *kernels;
  TosstWhitenTables tables;
  int32_t *memory; /* storage of tables */
  float *tensors;
  size_t n;
  float gamma_eigen, gamma_coefficient;
  char *work;   /* workspaces of all workers */
  size_t share; /* bytes per worker */
} LaneWhitener;

bool
tosst_whiten_fits_lanes (const TosstKernels *kernels, int d)
{
  return tosst_packed_size (d) * sizeof (float) * (size_t)kernels->lanes <= LANES_MOST_BYTES;
}

static int
padded (int n, int tile)
{
  return (n + tile - 1) / tile * tile;
}

static bool
fill_tables (LaneWhitener *self, const TosstLayout *layout)
{
  int d = layout->d, D = layout->D, tile = self->kernels->tile, side = padded (d, tile), pairs = padded (D, tile);
  int32_t *index = malloc (sizeof *index * (size_t)(d * (pairs + side + d) + D)), *pair, *run, *order, p = 0;

  if (!index)
    return false;
  pair = index + pairs * d;
  run = pair + side * d;
  order = run + d * d;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, p++)
      {
        pair[i * d + j] = pair[j * d + i] = p;
        order[i == j ? i : d + p - i - 1] = p;
        run[i * d + j] = run[j * d + i] = (int32_t)tosst_packed_index (d, i, j, j);
        for (int k = 0; k < d; k++)
          index[p * d + k] = layout->index[k * D + p];
      }
  for (int i = D * d; i < pairs * d; i++)
    index[i] = (int32_t)layout->m;
  for (int i = d * d; i < side * d; i++)
    pair[i] = 0;
  self->memory = index;
  self->tables = (TosstWhitenTables){ d, side, pairs, layout->m, index, pair, run, order };
  return true;
}

static bool
allocate_work (LaneWhitener *self, int threads)
{
  size_t bytes = self->kernels->whiten_work (&self->tables);

  self->share = tosst_thread_stride (bytes);
  self->work = tosst_alloc_aligned ((size_t)threads, self->share);
  for (int t = 0; self->work && t < threads; t++)
    memset (self->work + (size_t)t * self->share, 0, bytes);
  return self->work != NULL;
}

static TosstStatus
whiten_bundle (size_t item, int worker, void *data)
{
  LaneWhitener *self = data;
  size_t lanes = (size_t)self->kernels->lanes, first = item * lanes,
         count = self->n - first < lanes ? self->n - first : lanes;

  size_t m = self->tables.m, i = first * m;
  if (self->kernels->whiten (&self->tables, self->tensors + i, (int)count, self->gamma_eigen, self->gamma_coefficient,
                             self->work + (size_t)worker * self->share))
    return TOSST_OK;
  while (i + 1 < (first + count) * m && isfinite (self->tensors[i]))
    i++;
  return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu has a value that is not finite", i / m);
}

TosstStatus
tosst_whiten_lanes (TosstContext *context, const TosstKernels *kernels, const TosstLayout *layout, float *tensors,
                    size_t n, double gamma_eigen, double gamma_coefficient)
{
  LaneWhitener self = { .context = context,
                        .kernels = kernels,
                        .tensors = tensors,
                        .n = n,
                        .gamma_eigen = (float)gamma_eigen,
                        .gamma_coefficient = (float)gamma_coefficient };
  int threads = tosst_context_threads (context);
  size_t lanes = (size_t)kernels->lanes;
  TosstStatus status;

  if (fill_tables (&self, layout) && allocate_work (&self, threads))
    status = tosst_parallel (context, (n + lanes - 1) / lanes, whiten_bundle, &self, 0, 0);
  else
    status
        = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to whiten tensors of side %d", layout->d);
  free (self.work);
  free (self.memory);
  return status;
}
