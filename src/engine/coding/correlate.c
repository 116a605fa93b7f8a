/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/coding/coder-private.h"

#include <cblas.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/coding/tuning.h"
#include "engine/simd/kernels.h"

int
tosst_correlate_tile (size_t m, size_t K)
{
  size_t tile = TILE_NUMBERS / m / TILE_FEWEST_ATOMS * TILE_FEWEST_ATOMS;
  tile = tile < TILE_FEWEST_ATOMS ? TILE_FEWEST_ATOMS : tile > TILE_MOST_ATOMS ? TILE_MOST_ATOMS : tile;
  return tile < K ? tile : K;
}

size_t
tosst_correlate_bytes (size_t m, bool wide)
{
  return tosst_atoms_are_packed (wide) ? tosst_thread_stride (tosst_kernels ()->product_packed_work (m)) : 64;
}

/* Correlates with atoms first .. first + width - 1, stored at `atoms`. */
static void
correlate_tile (const TosstCoder *coder, bool wide, const void *atoms, size_t first, int width, const void *tensors,
                int count, void *Q, void *work)
{
  int K = coder->K, m = coder->m;
  if (wide)
    cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, width, count, m, 1, atoms, m, tensors, m, 0,
                 (double *)Q + first, K);
  else if (tosst_atoms_are_packed (wide))
    tosst_kernels ()->product_packed (atoms, width, m, tensors, count, (float *)Q + first, K, work);
  else
    cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, width, count, m, 1, atoms, m, tensors, m, 0,
                 (float *)Q + first, K);
}

static int
tile_width (const TosstCoder *coder, size_t first, size_t tile)
{
  return coder->K - first < tile ? coder->K - first : tile;
}

/* product_packed() gives the same bits for all atoms at once as for tiles of them. */
void
tosst_correlate (const TosstCoder *coder, bool wide, const void *atoms, const void *tensors, size_t count, void *Q,
                 void *work)
{
  size_t K = coder->K, m = coder->m, tile = tosst_atoms_are_packed (wide) ? K : (size_t)tosst_correlate_tile (m, K);
  size_t element = wide ? sizeof (double) : sizeof (float);
  for (size_t first = 0; first < K; first += tile)
    correlate_tile (coder, wide, (const char *)atoms + first * m * element, first, tile_width (coder, first, tile),
                    tensors, count, Q, work);
}

typedef struct
{
  const TosstCoder *coder;
  bool wide;
  const char *tensors;
  char *Q;
  void *atoms; /* a tile */
  char *work;  /* `bytes` per thread */
  size_t bytes, count, block, first;
  int width;
} Stream;

static TosstStatus
stream_task (size_t item, int worker, void *data)
{
  Stream *self = data;
  size_t element = self->wide ? sizeof (double) : sizeof (float), from = item * self->block;
  size_t count = self->count - from < self->block ? self->count - from : self->block;
  correlate_tile (self->coder, self->wide, self->atoms, self->first, self->width,
                  self->tensors + from * self->coder->m * element, count, self->Q + from * self->coder->K * element,
                  self->work + self->bytes * worker);
  return TOSST_OK;
}

TosstStatus
tosst_correlate_streamed (const TosstCoder *coder, TosstContext *context, bool wide, const void *tensors, size_t count,
                          size_t block, void *Q)
{
  size_t K = coder->K, tile = tosst_correlate_tile (coder->m, K), element = wide ? sizeof (double) : sizeof (float);
  Stream self = { .coder = coder, .wide = wide, .tensors = tensors, .Q = Q, .count = count, .block = block };
  self.bytes = tosst_correlate_bytes (coder->m, wide);
  self.atoms = tosst_alloc_aligned (tosst_atoms_numbers (tile, coder->m, wide), element);
  self.work = tosst_alloc_aligned (self.bytes * tosst_context_threads (context), 1);
  TosstStatus status = TOSST_OK;
  if (!self.atoms || !self.work)
    status = tosst_coding_no_memory (context);
  for (size_t first = 0; first < K && status == TOSST_OK; first += tile)
    {
      self.first = first;
      self.width = tile_width (coder, first, tile);
      status = tosst_transform_atoms (coder, context, first, self.width, wide, self.atoms);
      if (status == TOSST_OK)
        status = tosst_parallel (context, (count + block - 1) / block, stream_task, &self, 0, 0);
    }
  free (self.atoms);
  free (self.work);
  return status;
}
