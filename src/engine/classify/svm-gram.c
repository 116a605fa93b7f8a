/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Gram matrix of the samples, tile by tile, by the engine's own kernel, which skips zeros, or by dgemm; of long rows
 * by sgemm on panels of columns, added up in float64. */

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/classify/svm-private.h"
#include "engine/classify/tuning.h"
#include "engine/simd/kernels.h"

typedef struct
{
  const float *x;
  size_t n, p;
  size_t tile; /* rows of a tile */
  double *gram;
  double *work; /* `share` values per worker */
  size_t share;
  bool leaves_out; /* use the kernel that skips zeros */
  bool is_long;    /* use sgemm */
} Gram;

/* Packs GRAM_PANEL columns of some samples, including the trailing 1. */
static void
copy_panel (const Gram *self, size_t row, size_t rows, size_t first, double *panel)
{
  size_t used = self->p - first < GRAM_PANEL ? self->p - first : GRAM_PANEL;

  for (size_t i = 0; i < rows; i++)
    {
      const float *from = self->x + (row + i) * self->p + first;
      for (size_t j = 0; j < used; j++)
        panel[i * GRAM_PANEL + j] = from[j];
      if (used < GRAM_PANEL)
        panel[i * GRAM_PANEL + used] = 1.0;
    }
}

/* Computes a tile with all products, by dgemm. */
static void
multiply_tile (const Gram *self, size_t row, size_t rows, size_t column, size_t columns, double *work)
{
  double *left = work, *right = row == column ? left : left + GRAM_TILE * GRAM_PANEL;
  double *tile = self->gram + row * self->n + column;

  for (size_t first = 0; first <= self->p; first += GRAM_PANEL)
    {
      int used = (int)(self->p + 1 - first < GRAM_PANEL ? self->p + 1 - first : GRAM_PANEL);
      double keep = first > 0 ? 1.0 : 0.0;
      copy_panel (self, row, rows, first, left);
      if (row == column)
        cblas_dsyrk (CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, used, 1.0, left, GRAM_PANEL, keep, tile,
                     (int)self->n);
      else
        {
          copy_panel (self, column, columns, first, right);
          cblas_dgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, used, 1.0, left, GRAM_PANEL,
                       right, GRAM_PANEL, keep, tile, (int)self->n);
        }
    }
}

/* The same in float, from x itself. */
static void
multiply_long_tile (const Gram *self, size_t row, size_t rows, size_t column, size_t columns, float *sum)
{
  const float *left = self->x + row * self->p, *right = self->x + column * self->p;
  double *tile = self->gram + row * self->n + column;

  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      tile[i * self->n + j] = 1.0;
  for (size_t first = 0; first < self->p; first += GRAM_LONG_PANEL)
    {
      int used = (int)(self->p - first < GRAM_LONG_PANEL ? self->p - first : GRAM_LONG_PANEL);
      if (row == column)
        cblas_ssyrk (CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, used, 1.0F, left + first, (int)self->p, 0.0F,
                     sum, (int)columns);
      else
        cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, used, 1.0F, left + first,
                     (int)self->p, right + first, (int)self->p, 0.0F, sum, (int)columns);
      for (size_t i = 0; i < rows; i++)
        for (size_t j = 0, end = row == column ? i + 1 : columns; j < end; j++)
          tile[i * self->n + j] += sum[i * columns + j];
    }
}

/* Computes one tile on or below the diagonal, numbered row by row, and its mirror image. */
static TosstStatus
make_tile (size_t item, int worker, void *data)
{
  const Gram *self = data;
  double *work = self->work + (size_t)worker * self->share;
  size_t row = (size_t)((sqrt (8.0 * (double)item + 1.0) - 1.0) / 2.0), column, rows, columns;

  while (row * (row + 1) / 2 > item)
    row--;
  while ((row + 1) * (row + 2) / 2 <= item)
    row++;
  column = (item - row * (row + 1) / 2) * self->tile;
  row *= self->tile;
  rows = self->n - row < self->tile ? self->n - row : self->tile;
  columns = self->n - column < self->tile ? self->n - column : self->tile;
  if (self->leaves_out)
    tosst_kernels ()->gram (self->x + row * self->p, (int)rows, self->x + column * self->p, (int)columns, self->p,
                            self->gram + row * self->n + column, self->n, work);
  else if (self->is_long)
    multiply_long_tile (self, row, rows, column, columns, (float *)work);
  else
    multiply_tile (self, row, rows, column, columns, work);
  /* Copies the lower triangle to the upper one by tiles that fit the cache. */
  for (size_t j0 = 0; j0 < columns; j0 += GRAM_MIRROR)
    for (size_t i = 0; i < rows; i++)
      for (size_t j = j0; j < j0 + GRAM_MIRROR && j < columns && column + j < row + i; j++)
        self->gram[(column + j) * self->n + row + i] = self->gram[(row + i) * self->n + column + j];
  return TOSST_OK;
}

/* Whether enough products are skipped, estimated from the common zeros of a few neighbouring signatures, which mostly
 * belong to one class; of long rows from GRAM_LONG_GROUPS of such groups. */
static bool
is_sparse (const float *x, size_t n, size_t p)
{
  size_t groups = (n + GRAM_NEIGHBOURS - 1) / GRAM_NEIGHBOURS,
         step = p >= GRAM_LONG ? (groups + GRAM_LONG_GROUPS - 1) / GRAM_LONG_GROUPS : 1;
  double kept = 0.0, all = (double)p * (double)((groups + step - 1) / step);

  for (size_t i = 0; i < n; i += step * GRAM_NEIGHBOURS)
    for (size_t first = 0; first < p; first += GRAM_PANEL)
      {
        size_t used = p - first < GRAM_PANEL ? p - first : GRAM_PANEL;
        int any[GRAM_PANEL] = { 0 }, count = 0;
        for (size_t a = i; a < i + GRAM_NEIGHBOURS && a < n; a++)
          for (size_t j = 0; j < used; j++)
            any[j] |= x[a * p + first + j] != 0.0f;
        for (int j = 0; j < GRAM_PANEL; j++)
          count += any[j];
        kept += count;
      }
  return kept * kept <= GRAM_SHARE * all * all;
}

TosstStatus
tosst_svm_gram (TosstContext *context, const float *x, size_t n, int p, double **gram)
{
  Gram self = { .x = x, .n = n, .p = (size_t)p, .tile = GRAM_TILE, .share = TOSST_GRAM_WORK * sizeof (double) };
  size_t tiles;
  TosstStatus status;

  *gram = NULL;
  self.is_long = self.p >= GRAM_LONG;
  /* A Gram matrix is profitable if its rows are not much longer than the signatures. */
  if (!(n <= (self.is_long ? GRAM_LONG_MOST_ROWS : GRAM_MOST_ROWS) && n <= 8 * ((size_t)p + 1)))
    return TOSST_OK;
  self.leaves_out = tosst_kernels ()->gram && is_sparse (x, n, self.p);
  if (self.is_long && !self.leaves_out && n >= GRAM_LONG_FROM)
    {
      self.tile = GRAM_LONG_TILE;
      self.share = sizeof (float) * GRAM_LONG_TILE * GRAM_LONG_TILE;
    }
  tiles = (n + self.tile - 1) / self.tile;
  self.share = tosst_thread_stride (self.share);
  self.gram = tosst_alloc_aligned (n * n, sizeof *self.gram);
  self.work = tosst_alloc_aligned ((size_t)tosst_context_threads (context), self.share);
  self.share /= sizeof *self.work;
  if (self.gram && self.work)
    status = tosst_parallel (context, tiles * (tiles + 1) / 2, make_tile, &self, 0.0, 1.0);
  else
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  free (self.work);
  if (status == TOSST_OK)
    *gram = self.gram;
  else
    free (self.gram);
  return status;
}
