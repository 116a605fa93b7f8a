/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moments of the feature vectors of a patch: equation (1), and the second-order descriptors compared with it in
 * section 6.1,
 *     C = 1/(N-1) sum_n (x_n - mean)(x_n - mean)'     region covariance
 *     R = 1/N sum_n x_n x_n'                          autocorrelation
 * The mean of x_n - x_1 is used: these differences are exact for a feature with small variations around a large
 * value, and zero for a constant feature.
 */
#include "tosst/describe.h"

#include <string.h>

#include "engine/descriptor/tuning.h"
#include "engine/simd/kernels.h"

/* Workspace of a second moment; rows are stride values apart and zero-padded beyond d. */
typedef struct
{
  size_t stride;
  double *sum;    /* d x stride */
  double *chunk;  /* MOMENT_CHUNK x stride */
  double *origin; /* stride: x_1 */
  double *mean;   /* stride: of x_n - x_1 */
  int32_t offset[MOMENT_CHUNK];
} Work;

TosstShape
tosst_moment_shape (TosstMoment moment, int d)
{
  return tosst_shape (moment == TOSST_MOMENT_THIRD_ORDER ? TOSST_SHAPE_SUPER_SYMMETRIC : TOSST_SHAPE_SYMMETRIC, d);
}

size_t
tosst_moment_work (TosstMoment moment, int d, bool wide)
{
  if (moment == TOSST_MOMENT_THIRD_ORDER)
    return tosst_third_order_work (d, wide ? sizeof (double) : sizeof (float));
  return ((size_t)d + MOMENT_CHUNK + 2) * tosst_grain (d) * sizeof (double);
}

/* to <- vectors first .. first + count - 1, minus origin and mean. */
static void
load (const Work *work, bool wide, const void *x, size_t first, size_t count, int d, double *to)
{
  for (size_t r = first; r < first + count; r++, to += work->stride)
    for (int j = 0; j < d; j++)
      {
        double value = wide ? ((const double *)x)[r * d + j] : (double)((const float *)x)[r * d + j];
        to[j] = value - work->origin[j] - work->mean[j];
      }
}

static void
find_mean (Work *work, bool wide, const void *x, size_t n, int d)
{
  load (work, wide, x, 0, 1, d, work->chunk);
  memcpy (work->origin, work->chunk, sizeof *work->origin * d);
  /* Partial sums per chunk limit the growth of rounding errors. */
  for (size_t first = 0; first < n; first += MOMENT_CHUNK)
    {
      size_t count = n - first < MOMENT_CHUNK ? n - first : MOMENT_CHUNK;
      load (work, wide, x, first, count, d, work->chunk);
      for (size_t r = 1; r < count; r++)
        for (int j = 0; j < d; j++)
          work->chunk[j] += work->chunk[r * work->stride + j];
      for (int j = 0; j < d; j++)
        work->sum[j] += work->chunk[j];
    }
  for (int j = 0; j < d; j++)
    work->mean[j] = work->sum[j] / n;
  memset (work->sum, 0, sizeof *work->sum * d);
}

static void
second_order (TosstMoment moment, bool wide, const void *x, size_t n, int d, void *memory, float *out)
{
  bool centred = moment == TOSST_MOMENT_COVARIANCE;
  double divisor = centred && n > 1 ? n - 1 : n;
  Work work;

  work.stride = tosst_grain (d);
  memset (memory, 0, tosst_moment_work (TOSST_MOMENT_COVARIANCE, d, true));
  work.sum = memory;
  work.chunk = work.sum + (size_t)d * work.stride;
  work.origin = work.chunk + MOMENT_CHUNK * work.stride;
  work.mean = work.origin + work.stride;
  for (size_t r = 0; r < MOMENT_CHUNK; r++)
    work.offset[r] = (int32_t)(r * work.stride);
  if (centred)
    find_mean (&work, wide, x, n, d);
  for (size_t first = 0; first < n; first += MOMENT_CHUNK)
    {
      size_t count = n - first < MOMENT_CHUNK ? n - first : MOMENT_CHUNK;
      load (&work, wide, x, first, count, d, work.chunk);
      tosst_kernels ()->product_double (work.chunk, 1, work.stride, d, work.chunk, work.offset, (int)count,
                                        (int)work.stride, work.sum, work.stride, true);
    }
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      *out++ = work.sum[i * work.stride + j] / divisor;
}

void
tosst_moment (TosstMoment moment, bool wide, void *x, size_t n, int d, void *work, float *tensor)
{
  const TosstKernels *kernels = tosst_kernels ();
  size_t m = tosst_packed_size (d);

  if (moment != TOSST_MOMENT_THIRD_ORDER)
    second_order (moment, wide, x, n, d, work, tensor);
  else if (wide)
    {
      double *sum = (double *)x + n * d;
      kernels->third_order_double (x, n, d, d, work, sum);
      for (size_t i = 0; i < m; i++)
        tensor[i] = sum[i] / n;
    }
  else
    {
      kernels->third_order_float (x, n, d, d, work, tensor);
      float scale = 1.0f / n;
      for (size_t i = 0; i < m; i++)
        tensor[i] *= scale;
    }
}
