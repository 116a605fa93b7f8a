/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear maps of plain descriptors: what a dictionary of as many atoms is compared with.
 */
#include <lapacke.h>

#include "engine/base/base.h"
#include "tosst/code.h"

enum
{
  TILE = 64,    /* descriptors of a product: always as many, so that bits depend on the place of a row alone */
  PANEL = 256,  /* columns of a product */
  BLOCK = 1024, /* entries of a descriptor in a product; larger sums are added up block by block */
};

/* First random stream of the seed for rows of a projection. */
#define ROW_STREAM ((uint64_t)1 << 40)

/* Eigenvalues of the Gram matrix below this, relative to the largest, are rounding errors of float32 descriptors. */
#define ROUNDING 1e-10

static TosstLinear *
new_map (size_t m, int K, bool stored)
{
  TosstLinear *self = K >= 1 ? calloc (1, sizeof *self) : NULL;

  if (!self)
    return NULL;
  *self = (TosstLinear){ .m = m, .K = K };
  self->rows = stored ? tosst_alloc_aligned (m * (size_t)K, sizeof *self->rows) : NULL;
  if (self->rows || !stored)
    return self;
  free (self);
  return NULL;
}

TosstLinear *
tosst_linear_new (size_t m, int K)
{
  TosstLinear *self = new_map (m, K, true);

  if (self)
    memset (self->rows, 0, m * (size_t)K * sizeof *self->rows);
  return self;
}

void
tosst_linear_free (TosstLinear *self)
{
  if (!self)
    return;
  free (self->rows);
  free (self);
}

/* Rows first, first + 1, ... of a random map. */
typedef struct
{
  uint64_t seed;
  size_t first;
  int K;
  float *rows;
} Drawing;

/* Marsaglia's polar method, both values of each pair. */
static TosstStatus
draw_row (size_t item, int worker, void *data)
{
  const Drawing *self = data;
  float *row = self->rows + item * (size_t)self->K;
  double scale = 1 / sqrt (self->K);
  TosstRandom random;

  (void)worker;
  tosst_random_init (&random, self->seed, ROW_STREAM + self->first + item);
  for (int j = 0; j < self->K; j += 2)
    {
      double x, y, r;

      do
        {
          x = 2 * tosst_random_uniform (&random) - 1;
          y = 2 * tosst_random_uniform (&random) - 1;
          r = x * x + y * y;
        }
      while (r >= 1 || r == 0);
      r = scale * sqrt (-2 * log (r) / r);
      row[j] = (float)(r * x);
      if (j + 1 < self->K)
        row[j + 1] = (float)(r * y);
    }
  return TOSST_OK;
}

TosstStatus
tosst_linear_random (TosstContext *context, size_t m, int K, uint64_t seed, size_t memory, TosstLinear **linear)
{
  TOSST_REQUIRE (context, context && linear);
  *linear = NULL;
  if (m < 1 || K < 1)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "a projection of %zu to %d numbers", m, K);

  bool stored = m * sizeof (float) <= memory / (size_t)K;
  TosstLinear *self = new_map (m, K, stored);
  TosstStatus status = TOSST_OK;

  if (!self)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for a projection");
  self->seed = seed;
  if (stored)
    status = tosst_parallel (context, m, draw_row, &(Drawing){ seed, 0, K, self->rows }, 0, 1);
  if (status == TOSST_OK)
    *linear = self;
  else
    tosst_linear_free (self);
  return status;
}

/* --- principal components --- */

/* The lower triangle of the Gram matrix, in float64. */
static TosstStatus
find_gram (TosstContext *context, const float *x, size_t n, size_t m, double *gram)
{
  double *part = malloc (n * tosst_smaller (m, BLOCK) * sizeof *part);
  TosstStatus status = part ? TOSST_OK : TOSST_ERROR_MEMORY;

  for (size_t first = 0, count; first < m && status == TOSST_OK; first += count)
    {
      count = tosst_smaller (m - first, BLOCK);
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < count; j++)
          part[i * count + j] = x[i * m + first + j];
      status = tosst_dgemm_lower (context, CblasTrans, CblasNoTrans, (int)n, (int)count, 1, part, (int)count, part,
                                  (int)count, first > 0, gram, (int)n);
      if (tosst_context_checkpoint (context))
        status = TOSST_CANCELLED;
    }
  free (part);
  return status;
}

/* Stores U L^{-1/2} of the largest eigenvalues, K x n column-major. vectors: column-major; values: ascending. */
static void
scale_vectors (const double *vectors, const double *values, size_t n, size_t K, float *scaled)
{
  for (size_t k = 0; k < K; k++)
    {
      size_t from = n - 1 - k;
      double scale = values[from] > ROUNDING * values[n - 1] ? 1 / sqrt (values[from]) : 0;

      for (size_t i = 0; i < n; i++)
        scaled[i * K + k] = (float)(scale * vectors[from * n + i]);
    }
}

/* R, column-major K x m, is a product of K x n and the transpose of m x n, BLOCK columns of R at a time, so that a
 * dimension fits an int. */
static TosstStatus
combine (TosstContext *context, const float *x, size_t n, const float *scaled, TosstLinear *linear)
{
  TosstStatus status = TOSST_OK;

  for (size_t first = 0, count; first < linear->m && status == TOSST_OK; first += count)
    {
      count = tosst_smaller (linear->m - first, (size_t)16 * BLOCK);
      status = tosst_sgemm (context, CblasNoTrans, CblasTrans, linear->K, (int)count, (int)n, 1, scaled, linear->K,
                            x + first, (int)linear->m, 0, linear->rows + first * (size_t)linear->K, linear->K);
    }
  return status;
}

static TosstStatus
find_components (TosstContext *context, const float *x, size_t n, TosstMemory *memory, TosstLinear *linear)
{
  size_t K = (size_t)linear->K;
  double *gram = tosst_keep (memory, malloc (n * n * sizeof *gram)),
         *values = tosst_keep (memory, malloc (n * sizeof *values));
  float *scaled = tosst_keep (memory, malloc (n * K * sizeof *scaled));

  if (memory->failed)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for principal components");
  TOSST_TRY (find_gram (context, x, n, linear->m, gram));
  if (!isfinite (cblas_dasum ((int)n, gram, (int)n + 1))
      || LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'L', (int)n, gram, (int)n, values) != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "the principal components did not converge");
  scale_vectors (gram, values, n, K, scaled);
  return combine (context, x, n, scaled, linear);
}

TosstStatus
tosst_linear_components (TosstContext *context, const float *x, size_t n, size_t m, int K, TosstLinear **linear)
{
  TOSST_REQUIRE (context, context && x && linear);
  TosstMemory memory = { 0 };

  *linear = NULL;
  if (K < 1 || (size_t)K > n)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%d principal components of %zu descriptors: at most %zu",
                               K, n, n);
  TosstLinear *self = tosst_linear_new (m, K);
  if (!self)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for principal components");
  TosstStatus status = find_components (context, x, n, &memory, self);
  tosst_release (&memory);
  if (status == TOSST_OK)
    *linear = self;
  else
    tosst_linear_free (self);
  return status;
}

/* --- products --- */

/* Products of all descriptors with one block of rows. */
typedef struct
{
  const TosstLayout *layout;
  const float *tensors, *rows;
  size_t n, first, count, K, panels;
  float *work; /* for each worker: a tile of descriptors, and one of results */
  float *out;
} Product;

#define WORK ((size_t)TILE * (BLOCK + PANEL))

static TosstStatus
multiply_tile (size_t item, int worker, void *data)
{
  const Product *self = data;
  size_t row = item / self->panels * TILE, column = item % self->panels * PANEL;
  size_t rows = tosst_smaller (self->n - row, TILE), columns = tosst_smaller (self->K - column, PANEL),
         m = self->layout->m;
  float *x = self->work + (size_t)worker * WORK, *y = x + (size_t)TILE * BLOCK;
  const double *weight = self->layout->weight + self->first;

  memset (x, 0, (size_t)TILE * BLOCK * sizeof *x);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < self->count; j++)
      x[i * BLOCK + j] = (float)(weight[j] * self->tensors[(row + i) * m + self->first + j]);
  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, TILE, (int)columns, (int)self->count, 1, x, BLOCK,
               self->rows + column, (int)self->K, 0, y, PANEL);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      self->out[(row + i) * self->K + column + j] += y[i * PANEL + j];
  return TOSST_OK;
}

static TosstStatus
map_block (TosstContext *context, const TosstLinear *linear, Product *product, float *drawn)
{
  size_t items = (product->n + TILE - 1) / TILE * product->panels;
  double m = (double)linear->m, low = (double)product->first / m, high = (double)(product->first + product->count) / m;
  TosstStatus status = TOSST_OK;

  if (linear->rows)
    product->rows = linear->rows + product->first * product->K;
  else
    {
      Drawing drawing = { linear->seed, product->first, linear->K, drawn };

      product->rows = drawn;
      status = tosst_parallel (context, product->count, draw_row, &drawing, low, (low + high) / 2);
    }
  return status == TOSST_OK ? tosst_parallel (context, items, multiply_tile, product, (low + high) / 2, high) : status;
}

TosstStatus
tosst_linear_map (TosstContext *context, const TosstLayout *layout, const TosstLinear *linear, const float *tensors,
                  size_t n, float *out)
{
  TOSST_REQUIRE (context, context && layout && linear && (n == 0 || (tensors && out)));
  size_t K = (size_t)linear->K;
  TosstMemory memory = { 0 };
  Product product
      = { .layout = layout, .tensors = tensors, .n = n, .K = K, .panels = (K + PANEL - 1) / PANEL, .out = out };
  float *drawn = linear->rows ? NULL : tosst_keep (&memory, tosst_alloc_aligned (BLOCK * K, sizeof *drawn));
  TosstStatus status = TOSST_OK;

  product.work = tosst_keep (
      &memory, tosst_alloc_aligned ((size_t)tosst_context_threads (context) * WORK, sizeof *product.work));
  if (memory.failed)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for a linear map");
  else if (layout->S != 1 || layout->m != linear->m)
    status = tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "a linear map of other descriptors");
  else
    memset (out, 0, n * K * sizeof *out);
  for (; status == TOSST_OK && product.first < linear->m; product.first += product.count)
    {
      product.count = tosst_smaller (linear->m - product.first, BLOCK);
      status = map_block (context, linear, &product, drawn);
    }
  tosst_release (&memory);
  return status;
}
