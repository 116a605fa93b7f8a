/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Log-Euclidean covariance of an image: the intensity, and at three scales sigma the absolute values of first and
 * second derivatives of the smoothed intensity, times sigma to their order. Absolute values are essential: the
 * covariance of derivatives with their signs knows only the power spectrum.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/descriptor/texture-private.h"

#define C TOSST_CHANNELS
#define SCALES 4
#define REACH 4.0 /* radius of a filter / sigma */

/* Of the intensity, and of the derivatives. */
static const double sigmas[SCALES] = { 0.7, 1.0, 2.0, 4.0 };
#define DERIVATIVES 5

/* Added to all variances: bounds the logarithm where channels are constant. An intensity is in [0, 1]. */
#define FLOOR 1e-6

/* Index in [0, n) of pixel i of the image continued by reflection about its border. */
static int
reflect (int i, int n)
{
  int period = 2 * n;

  i = ((i % period) + period) % period;
  return i < n ? i : period - 1 - i;
}

/* Weights of a Gaussian of sum 1 at -radius .. radius. */
static int
make_filter (double sigma, double *weights)
{
  int radius = (int)(REACH * sigma + 0.5);
  double sum = 0.0;

  for (int i = -radius; i <= radius; i++)
    sum += weights[i + radius] = exp (-0.5 * i * i / (sigma * sigma));
  for (int i = 0; i <= 2 * radius; i++)
    weights[i] /= sum;
  return radius;
}

/* Filters rows, then columns. rows: width + 2 radius values; between: height x width. */
static void
smooth (const double *from, int width, int height, const double *weights, int radius, double *row, double *between,
        double *to)
{
  size_t w = (size_t)width;

  for (int y = 0; y < height; y++)
    {
      double *out = between + (size_t)y * w;
      for (int x = -radius; x < width + radius; x++)
        row[x + radius] = from[(size_t)y * w + (size_t)reflect (x, width)];
      memset (out, 0, w * sizeof *out);
      for (int i = 0; i <= 2 * radius; i++)
        for (size_t x = 0; x < w; x++)
          out[x] += weights[i] * row[x + (size_t)i];
    }
  for (int y = 0; y < height; y++)
    {
      double *out = to + (size_t)y * w;
      memset (out, 0, w * sizeof *out);
      for (int i = -radius; i <= radius; i++)
        {
          const double *in = between + (size_t)reflect (y + i, height) * w;
          for (size_t x = 0; x < w; x++)
            out[x] += weights[i + radius] * in[x];
        }
    }
}

/* Derivatives of one scale for a row: 5 x width values. */
static void
differentiate (const double *plane, int width, int height, int y, double sigma, double *out)
{
  size_t w = (size_t)width;
  const double *here = plane + (size_t)y * w, *above = y > 0 ? here - w : here,
               *below = y < height - 1 ? here + w : here;

  for (int x = 0; x < width; x++)
    {
      int l = x > 0 ? x - 1 : x, r = x < width - 1 ? x + 1 : x;
      out[x] = 0.5 * sigma * fabs (here[r] - here[l]);
      out[width + x] = 0.5 * sigma * fabs (below[x] - above[x]);
      out[2 * width + x] = sigma * sigma * fabs (here[r] - 2.0 * here[x] + here[l]);
      out[3 * width + x] = sigma * sigma * fabs (below[x] - 2.0 * here[x] + above[x]);
      out[4 * width + x] = 0.25 * sigma * sigma * fabs ((below[r] - below[l]) - (above[r] - above[l]));
    }
}

typedef struct
{
  double *planes; /* SCALES x height x width */
  double *between, *row, *weights;
  double *channels; /* C x width, of one row */
  TosstMemory memory;
} Work;

static bool
work_init (Work *self, size_t width, size_t height)
{
  size_t most = (size_t)(REACH * sigmas[SCALES - 1]) + 1;

  self->planes = tosst_keep (&self->memory, malloc (SCALES * width * height * sizeof (double)));
  self->between = tosst_keep (&self->memory, malloc (width * height * sizeof (double)));
  self->row = tosst_keep (&self->memory, malloc ((width + 2 * most) * sizeof (double)));
  self->weights = tosst_keep (&self->memory, malloc ((2 * most + 1) * sizeof (double)));
  self->channels = tosst_keep (&self->memory, tosst_alloc_aligned (C * width, sizeof (double)));
  return !self->memory.failed;
}

/* Each scale is smoothed from the one before. */
static void
make_planes (Work *self, const double *grey, int width, int height)
{
  const double *from = grey;
  double before = 0.0;

  for (int s = 0; s < SCALES; s++)
    {
      double *to = self->planes + (size_t)s * (size_t)width * (size_t)height;
      int radius = make_filter (sqrt (sigmas[s] * sigmas[s] - before * before), self->weights);
      smooth (from, width, height, self->weights, radius, self->row, self->between, to);
      from = to;
      before = sigmas[s];
    }
}

static void
fill_channels (Work *self, int width, int height, int y)
{
  size_t w = (size_t)width, pixels = w * (size_t)height;

  memcpy (self->channels, self->planes + (size_t)y * w, w * sizeof (double));
  for (int s = 1; s < SCALES; s++)
    differentiate (self->planes + (size_t)s * pixels, width, height, y, sigmas[s],
                   self->channels + (1 + (size_t)(s - 1) * DERIVATIVES) * w);
}

/* Lower triangle of the covariance, from sums of products about the means of the first pass. */
static void
covariance (Work *self, int width, int height, double *matrix)
{
  double mean[C] = { 0 }, n = (double)width * height;

  for (int y = 0; y < height; y++)
    {
      fill_channels (self, width, height, y);
      for (int c = 0; c < C; c++)
        {
          double sum = 0.0;
          for (int x = 0; x < width; x++)
            sum += self->channels[c * width + x];
          mean[c] += sum / n;
        }
    }
  memset (matrix, 0, C * C * sizeof *matrix);
  for (int y = 0; y < height; y++)
    {
      fill_channels (self, width, height, y);
      for (int c = 0; c < C; c++)
        for (int x = 0; x < width; x++)
          self->channels[c * width + x] -= mean[c];
      cblas_dsyrk (CblasRowMajor, CblasLower, CblasNoTrans, C, width, 1.0 / n, self->channels, width, 1.0, matrix, C);
    }
}

/* log (S + floor I) as a vector. */
static TosstStatus
take_logarithm (double *matrix, float *out)
{
  double values[C], log_of[C * C];

  for (int c = 0; c < C; c++)
    matrix[c * C + c] += FLOOR;
  if (LAPACKE_dsyevd (LAPACK_ROW_MAJOR, 'V', 'L', C, matrix, C, values) != 0)
    return TOSST_ERROR_NUMERIC;
  for (int i = 0; i < C; i++)
    for (int j = i; j < C; j++)
      {
        double sum = 0.0;
        for (int k = 0; k < C; k++)
          sum += matrix[i * C + k] * matrix[j * C + k] * log (fmax (values[k], 0.5 * FLOOR));
        log_of[i * C + j] = sum;
      }
  for (int i = 0; i < C; i++)
    for (int j = i; j < C; j++)
      *out++ = (float)(log_of[i * C + j] * (i == j ? 1.0 : M_SQRT2));
  return TOSST_OK;
}

TosstStatus
tosst_image_covariance (const double *grey, int width, int height, float *out)
{
  Work work = { 0 };
  double matrix[C * C];
  TosstStatus status = TOSST_ERROR_MEMORY;

  if (work_init (&work, (size_t)width, (size_t)height))
    {
      make_planes (&work, grey, width, height);
      covariance (&work, width, height, matrix);
      status = take_logarithm (matrix, out);
    }
  tosst_release (&work.memory);
  return status;
}
