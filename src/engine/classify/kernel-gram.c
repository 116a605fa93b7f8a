/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products and distances of rows, tile by tile. Tiles are filled up with zeros to one shape, so that BLAS adds up the
 * products of two rows in the same order wherever they are. */
#include "engine/base/base.h"
#include "engine/classify/tuning.h"
#include "engine/simd/kernels.h"
#include "tosst/classify.h"

#define TILE KERNEL_TILE
#define PANEL KERNEL_PANEL
#define WORK (2 * TILE * PANEL + TILE * TILE) /* doubles of a worker */

typedef struct
{
  TosstKernel kernel;
  const float *x, *y;
  size_t n, m, p;
  bool is_symmetric;    /* y is x */
  double *left, *right; /* squared lengths of rows, rbf only; right = left if symmetric */
  double *values;       /* n x m */
  double *work;
  size_t columns; /* tiles in a row of tiles */
} Comparison;

/* Some columns of some rows in float64, filled up with zeros. */
static void
copy_panel (const float *x, size_t p, size_t rows, size_t first, double *panel)
{
  size_t used = p - first < PANEL ? p - first : PANEL;

  if (rows < TILE || used < PANEL)
    memset (panel, 0, TILE * PANEL * sizeof *panel);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < used; j++)
      panel[i * PANEL + j] = x[i * p + first + j];
}

/* terms: columns that are used. */
static void
add_panel (const Comparison *self, const double *left, const double *right, size_t rows, size_t columns, size_t terms,
           double *tile)
{
  const TosstKernels *kernels = tosst_kernels ();

  if (self->kernel != TOSST_KERNEL_CHI2)
    cblas_dgemm (CblasRowMajor, CblasNoTrans, CblasTrans, TILE, TILE, PANEL, 1.0, left, PANEL, right, PANEL, 1.0, tile,
                 TILE);
  else
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < columns; j++) /* padding adds nothing */
        tile[i * TILE + j] += kernels->chi2_distance (left + i * PANEL, right + j * PANEL, (terms + 7) / 8 * 8);
}

/* Rounding must not leave a negative squared distance. */
static void
finish_tile (const Comparison *self, size_t row, size_t column, size_t rows, size_t columns, double *tile)
{
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      {
        double *value = self->values + (row + i) * self->m + column + j;
        if (self->is_symmetric && column + j > row + i)
          continue;
        *value = tile[i * TILE + j];
        if (self->kernel == TOSST_KERNEL_RBF)
          *value = fmax (self->left[row + i] + self->right[column + j] - 2.0 * *value, 0.0);
        if (self->is_symmetric && self->kernel == TOSST_KERNEL_RBF && row + i == column + j)
          *value = 0.0;
        if (self->is_symmetric)
          self->values[(column + j) * self->m + row + i] = *value;
      }
}

static TosstStatus
compare_tile (size_t item, int worker, void *data)
{
  const Comparison *self = data;
  double *left = self->work + (size_t)worker * tosst_thread_stride (WORK * sizeof (double)) / sizeof (double);
  double *right = left + TILE * PANEL, *tile = right + TILE * PANEL;
  size_t row = item / self->columns * TILE, column = item % self->columns * TILE, rows, columns;

  if (self->is_symmetric && column > row)
    return TOSST_OK;
  rows = self->n - row < TILE ? self->n - row : TILE;
  columns = self->m - column < TILE ? self->m - column : TILE;
  memset (tile, 0, TILE * TILE * sizeof *tile);
  for (size_t first = 0; first < self->p; first += PANEL)
    {
      copy_panel (self->x + row * self->p, self->p, rows, first, left);
      copy_panel (self->y + column * self->p, self->p, columns, first, right);
      add_panel (self, left, right, rows, columns, self->p - first < PANEL ? self->p - first : PANEL, tile);
    }
  finish_tile (self, row, column, rows, columns, tile);
  return TOSST_OK;
}

void
tosst_kernel_diagonal (TosstKernel kernel, const float *x, size_t n, int p, double *diagonal)
{
  for (size_t i = 0; i < n; i++)
    {
      double sum = 0.0;
      for (size_t j = 0; kernel == TOSST_KERNEL_LINEAR && j < (size_t)p; j++)
        sum += (double)x[i * (size_t)p + j] * x[i * (size_t)p + j];
      diagonal[i] = kernel == TOSST_KERNEL_LINEAR ? sum : 1.0;
    }
}

TosstStatus
tosst_kernel_compare (TosstContext *context, TosstKernel kernel, const float *x, size_t n, const float *y, size_t m,
                      int p, double *values)
{
  TOSST_REQUIRE (context, context && (n == 0 || (x && (values || (y && m == 0)))));
  Comparison self = { kernel, x, y ? y : x, n, y ? m : n, (size_t)p, y == NULL, .values = values };
  TosstMemory memory = { 0 };
  size_t share = tosst_thread_stride (WORK * sizeof (double)), lines = (n + TILE - 1) / TILE;
  TosstStatus status;

  self.columns = (self.m + TILE - 1) / TILE;
  self.work = tosst_keep (&memory, tosst_alloc_aligned ((size_t)tosst_context_threads (context), share));
  self.left = tosst_keep (&memory, malloc (n * sizeof *self.left));
  self.right = y ? tosst_keep (&memory, malloc (m * sizeof *self.right)) : self.left;
  if (memory.failed)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");
  else
    {
      if (kernel == TOSST_KERNEL_RBF)
        {
          tosst_kernel_diagonal (TOSST_KERNEL_LINEAR, x, n, p, self.left);
          if (y)
            tosst_kernel_diagonal (TOSST_KERNEL_LINEAR, y, m, p, self.right);
        }
      status = tosst_parallel (context, lines * self.columns, compare_tile, &self, 0.0, 0.0);
    }
  tosst_release (&memory);
  return status;
}

double
tosst_kernel_mean_width (TosstKernel kernel, const double *values, size_t n)
{
  double sum = 0.0, mean;

  for (size_t i = 0; i < n; i++)
    {
      double row = 0.0;
      for (size_t j = 0; j < i; j++)
        row += values[i * n + j];
      sum += row;
    }
  mean = n > 1 ? sum / (0.5 * (double)n * (double)(n - 1)) : 0.0;
  if (kernel == TOSST_KERNEL_LINEAR || !(mean > 0.0))
    return 1.0;
  return kernel == TOSST_KERNEL_RBF ? sqrt (RBF_WIDTH * mean) : mean;
}

void
tosst_kernel_apply (TosstKernel kernel, double width, double *values, size_t count)
{
  double factor = kernel == TOSST_KERNEL_RBF ? -0.5 / (width * width) : -1.0 / width;

  for (size_t i = 0; kernel != TOSST_KERNEL_LINEAR && i < count; i++)
    values[i] = exp (factor * values[i]);
}

void
tosst_kernel_normalise (double *gram, size_t n, size_t m, const double *left, const double *right)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++)
      {
        double scale = sqrt (left[i]) * sqrt (right[j]);
        gram[i * m + j] = scale > 0.0 ? gram[i * m + j] / scale : 0.0;
      }
}

void
tosst_kernel_sum (const double *const *grams, const double *weights, int parts, size_t count, double *sum)
{
  memset (sum, 0, count * sizeof *sum);
  for (int s = 0; s < parts; s++)
    for (size_t i = 0; weights[s] != 0.0 && i < count; i++)
      sum[i] += weights[s] * grams[s][i];
}
