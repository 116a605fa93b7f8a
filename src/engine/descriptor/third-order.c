/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for patches that share their position features: simd/third-order-patch-impl.h, and
 * simd/third-order-planes-impl.h for few features.
 */
#include "descriptor/third-order.h"

#include <stdlib.h>

#include "tensor/layout.h"

/* Products and sums of p_i with p_j and p_k, j and k from i on; each list goes on where that of i - 1 ended. */
static void
fill_from (float *table, const double *p, size_t size, size_t P, size_t i, size_t *square, size_t *cube)
{
  size_t squares = P * (P + 1) / 2, sums = size * (P + squares);
  double first = 0;

  for (size_t x = 0; x < size; x++)
    {
      first += p[x * P + i];
      table[x * P + i] = (float)p[x * P + i];
    }
  table[sums + i] = (float)first;
  for (size_t j = i; j < P; j++, ++*square)
    {
      double second = 0;
      for (size_t x = 0; x < size; x++)
        {
          second += p[x * P + i] * p[x * P + j];
          table[size * P + x * squares + *square] = (float)(p[x * P + i] * p[x * P + j]);
        }
      table[sums + P + *square] = (float)second;
      for (size_t k = j; k < P; k++, ++*cube)
        {
          double third = 0;
          for (size_t x = 0; x < size; x++)
            third += p[x * P + i] * p[x * P + j] * p[x * P + k];
          table[sums + P + squares + *cube] = (float)third;
        }
    }
}

float *
tosst_position_table (const double *p, int size, int P)
{
  size_t n = (size_t)P, squares = n * (n + 1) / 2, cubes = tosst_packed_size (P), square = 0, cube = 0;
  float *table = malloc (((size_t)size * (n + squares) + n + squares + cubes) * sizeof *table);

  for (size_t i = 0; table && i < n; i++)
    fill_from (table, p, (size_t)size, n, i, &square, &cube);
  return table;
}

size_t
tosst_patch_work (const TosstKernels *kernels, const TosstPatchShape *shape)
{
  return (kernels->third_order_patch_work (shape) + 63) / 64 * 64;
}

void
tosst_patch_third_order (const TosstKernels *kernels, const TosstPatchShape *shape, const float *pixels,
                         const float *table, void *work, float *tensor)
{
  size_t m = tosst_packed_size (2 * shape->position + shape->features), N = (size_t)shape->size * (size_t)shape->size;
  float scale = 1.0f / (float)N;

  kernels->third_order_patch (shape, pixels, table, work, tensor);
  for (size_t i = 0; i < m; i++)
    tensor[i] *= scale;
}

double *
tosst_position_planes (const double *p, int size, TosstPlanes *planes)
{
  /* A register at most is read behind the last column, and one for each row. */
  size_t n = (size_t)size, lanes = 64 / sizeof (double);
  double *table = calloc (n + lanes + n * lanes, sizeof *table), *rows = table + n + lanes;

  for (size_t x = 0; table && x < n; x++)
    {
      table[x] = p[x];
      for (size_t l = 0; l < lanes; l++)
        rows[x * lanes + l] = p[x];
    }
  planes->size = size;
  planes->feature[0] = (TosstPlane){ table, 0, 1 };
  planes->feature[1] = (TosstPlane){ rows, lanes, 0 };
  return table;
}

void
tosst_planes_third_order (const TosstKernels *kernels, const TosstPlanes *planes, double *work, float *tensor)
{
  double N = (double)planes->size * planes->size;
  size_t m = tosst_packed_size (planes->d);

  kernels->third_order_planes (planes, work);
  for (size_t i = 0; i < m; i++)
    tensor[i] = (float)(work[i] / N);
}
