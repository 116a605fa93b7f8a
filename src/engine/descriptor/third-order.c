/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for patches that share their position features: simd/third-order-patch-impl.h.
 */
#include "descriptor/third-order.h"

#include <stdlib.h>

#include "tensor/layout.h"

typedef struct
{
  void *numbers;
  bool wide;
} Table;

static void
set (const Table *table, size_t at, double value)
{
  if (table->wide)
    ((double *)table->numbers)[at] = value;
  else
    ((float *)table->numbers)[at] = (float)value;
}

/* Products and sums of p_i with p_j and p_k, j and k from i on; each list goes on where that of i - 1 ended. */
static void
fill_from (const Table *table, const double *p, size_t size, size_t P, size_t i, size_t *square, size_t *cube)
{
  size_t squares = P * (P + 1) / 2, sums = size * (P + squares);
  double first = 0;

  for (size_t x = 0; x < size; x++)
    {
      first += p[x * P + i];
      set (table, x * P + i, p[x * P + i]);
    }
  set (table, sums + i, first);
  for (size_t j = i; j < P; j++, ++*square)
    {
      double second = 0;
      for (size_t x = 0; x < size; x++)
        {
          second += p[x * P + i] * p[x * P + j];
          set (table, size * P + x * squares + *square, p[x * P + i] * p[x * P + j]);
        }
      set (table, sums + P + *square, second);
      for (size_t k = j; k < P; k++, ++*cube)
        {
          double third = 0;
          for (size_t x = 0; x < size; x++)
            third += p[x * P + i] * p[x * P + j] * p[x * P + k];
          set (table, sums + P + squares + *cube, third);
        }
    }
}

void *
tosst_position_table (const double *p, int size, int P, bool wide)
{
  size_t n = (size_t)P, squares = n * (n + 1) / 2, cubes = tosst_packed_size (P), square = 0, cube = 0;
  size_t numbers = (size_t)size * (n + squares) + n + squares + cubes;
  Table table = { malloc (numbers * (wide ? sizeof (double) : sizeof (float))), wide };

  for (size_t i = 0; table.numbers && i < n; i++)
    fill_from (&table, p, (size_t)size, n, i, &square, &cube);
  return table.numbers;
}

/* The work space of the sums, and behind it one tensor of them before they are divided. */
static size_t
sums_bytes (const TosstKernels *kernels, const TosstPatchShape *shape, bool wide)
{
  size_t bytes = wide ? kernels->third_order_patch_work_double (shape) : kernels->third_order_patch_work_float (shape);
  return (bytes + 63) / 64 * 64;
}

size_t
tosst_patch_work (const TosstKernels *kernels, const TosstPatchShape *shape, bool wide)
{
  size_t m = tosst_packed_size (2 * shape->position + shape->features);
  return sums_bytes (kernels, shape, wide) + (wide ? m * sizeof (double) + 63 : 0) / 64 * 64;
}

void
tosst_patch_third_order (const TosstKernels *kernels, const TosstPatchShape *shape, bool wide, const void *pixels,
                         const void *table, void *work, float *tensor)
{
  size_t m = tosst_packed_size (2 * shape->position + shape->features), N = (size_t)shape->size * (size_t)shape->size;

  if (wide)
    {
      double *sum = (double *)work + sums_bytes (kernels, shape, wide) / sizeof *sum;
      kernels->third_order_patch_double (shape, pixels, table, work, sum);
      for (size_t i = 0; i < m; i++)
        tensor[i] = (float)(sum[i] / (double)N);
      return;
    }
  float scale = 1.0f / (float)N;
  kernels->third_order_patch_float (shape, pixels, table, work, tensor);
  for (size_t i = 0; i < m; i++)
    tensor[i] *= scale;
}
