/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <lapacke.h>

#include "engine/base/base.h"
#include "engine/descriptor/private.h"

#define TOSST_LBP_LENGTH (10 + 18 + 26)
#define TOSST_LBP_SIDE 7

#define TOSST_CHANNELS 16
#define TOSST_CHANNELS_SIDE 4

/* Rows of the matrix: channels, and one of their means. */
#define TOSST_INVARIANT_SIZE 31

/* Local binary patterns: neighbour p of P on a circle of radius R sets bit p if it is at least as bright as the centre,
 * by bilinear interpolation. A pattern with at most two changes around the circle counts by its number of bits, any
 * other as P + 1. */

#define SCALES 3
#define MOST_NEIGHBOURS 24

/* Rounding of interpolation in flat regions; levels of a file are 1/65535 apart or more. */
#define EQUAL 1e-9

/* Four pixels around a neighbour, relative to the centre, and their weights. */
typedef struct
{
  int x, y;
  double weight[4];
} Neighbour;

/* The first quarter of the circle is turned by right angles, so that turned images have the same patterns. */
static void
place_neighbours (int P, int R, Neighbour *neighbours)
{
  for (int p = 0; p < P; p++)
    {
      double angle = 2.0 * M_PI * (p % (P / 4)) / P, x = R * cos (angle), y = R * sin (angle);
      for (int turn = 0; turn < p / (P / 4); turn++)
        {
          double old = x;
          x = -y;
          y = old;
        }
      /* Neighbours that fall on a pixel. */
      x = fabs (x - rint (x)) < 1e-6 ? rint (x) : x;
      y = fabs (y - rint (y)) < 1e-6 ? rint (y) : y;
      int left = (int)floor (x), top = (int)floor (y);
      double u = x - left, v = y - top;
      neighbours[p] = (Neighbour){ left, top, { (1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v } };
    }
}

/* Sets bit[x] of `count` centres of a row, from `centre` on. */
static void
compare_row (const double *centre, int width, const Neighbour *neighbour, int count, int *bit)
{
  const double *a = centre + (ptrdiff_t)neighbour->y * width + neighbour->x;
  /* A pixel of weight zero may be outside of the image. */
  ptrdiff_t right = neighbour->weight[1] > 0.0 || neighbour->weight[3] > 0.0,
            below = neighbour->weight[2] > 0.0 || neighbour->weight[3] > 0.0 ? width : 0;
  double w0 = neighbour->weight[0], w1 = neighbour->weight[1], w2 = neighbour->weight[2], w3 = neighbour->weight[3];

  for (int x = 0; x < count; x++)
    {
      double value = (w0 * a[x] + w1 * a[x + right]) + (w2 * a[x + below] + w3 * a[x + below + right]);
      bit[x] = value >= centre[x] - EQUAL;
    }
}

static void
count_row (const double *centre, int width, const Neighbour *neighbours, int P, int count, int *work, size_t *bins)
{
  int *bit = work, *last = work + count, *first = work + 2 * count, *ones = work + 3 * count, *changes = ones + count;

  memset (ones, 0, 2 * (size_t)count * sizeof *ones);
  for (int p = 0; p < P; p++)
    {
      compare_row (centre, width, &neighbours[p], count, bit);
      for (int x = 0; x < count; x++)
        {
          ones[x] += bit[x];
          changes[x] += p > 0 && bit[x] != last[x];
          last[x] = bit[x];
        }
      if (p == 0)
        memcpy (first, bit, (size_t)count * sizeof *bit);
    }
  for (int x = 0; x < count; x++)
    bins[changes[x] + (first[x] != last[x]) <= 2 ? ones[x] : P + 1]++;
}

/* grey: height x width, contiguous. */
static TosstStatus
lbp (const double *grey, int width, int height, float *histogram)
{
  int *work = malloc (5 * (size_t)width * sizeof *work);

  if (!work)
    return TOSST_ERROR_MEMORY;
  for (int R = 1; R <= SCALES; R++)
    {
      int P = 8 * R, count = width - 2 * R;
      size_t bins[MOST_NEIGHBOURS + 2] = { 0 };
      Neighbour neighbours[MOST_NEIGHBOURS];
      place_neighbours (P, R, neighbours);
      for (int y = R; y < height - R; y++)
        count_row (grey + (size_t)y * (size_t)width + R, width, neighbours, P, count, work, bins);
      for (int b = 0; b < P + 2; b++)
        histogram[b] = (float)((double)bins[b] / ((double)count * (height - 2 * R)));
      histogram += P + 2;
    }
  free (work);
  return TOSST_OK;
}

/* Log-Euclidean covariances of an image. Upright: of the intensity, and at three scales sigma of the absolute values of
 * first and second derivatives of the smoothed intensity, times sigma to their order. Absolute values are essential: the
 * covariance of derivatives with their signs knows only the power spectrum.
 *
 * Invariant: at six scales, of the length of the gradient, and of the eigenvalues of the Hessian in two orders, by their
 * values (bright and dark lines and spots differ) and by their absolute values (an edge has both signs). None of them
 * changes when the image turns. Their means m tell as much as their covariance S: the logarithm is of the matrix
 *     S + m m'  m
 *     m'        1
 * The intensity itself, which changes with the light, is no channel. */

#define REACH 4.0 /* radius of a filter / sigma */
#define MOST_SCALES 6
#define MOST TOSST_INVARIANT_SIZE /* rows of a matrix */

/* Channels at each scale. */
#define DERIVATIVES 5

/* Added to the diagonal: bounds the logarithm where channels are constant. An intensity is in [0, 1]. */
#define FLOOR 1e-6

/* Channels of one scale for a row of a smoothed plane: DERIVATIVES x width values. */
typedef void (*Fill) (const double *plane, int width, int height, int y, double sigma, double *out);

typedef struct
{
  int scales;
  double sigmas[MOST_SCALES];
  int intensity; /* planes that are channels themselves: the first ones; the others have derivatives */
  bool means;    /* in the matrix */
  Fill fill;
} Layout;

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

/* Rows about row y, the last of an image continued. */
typedef struct
{
  const double *above, *here, *below;
} Rows;

static Rows
rows_about (const double *plane, int width, int height, int y)
{
  const double *here = plane + (size_t)y * (size_t)width;

  return (Rows){ y > 0 ? here - width : here, here, y < height - 1 ? here + width : here };
}

static void
fill_upright (const double *plane, int width, int height, int y, double sigma, double *out)
{
  Rows at = rows_about (plane, width, height, y);

  for (int x = 0; x < width; x++)
    {
      int l = x > 0 ? x - 1 : x, r = x < width - 1 ? x + 1 : x;
      out[x] = 0.5 * sigma * fabs (at.here[r] - at.here[l]);
      out[width + x] = 0.5 * sigma * fabs (at.below[x] - at.above[x]);
      out[2 * width + x] = sigma * sigma * fabs (at.here[r] - 2.0 * at.here[x] + at.here[l]);
      out[3 * width + x] = sigma * sigma * fabs (at.below[x] - 2.0 * at.here[x] + at.above[x]);
      out[4 * width + x] = 0.25 * sigma * sigma * fabs ((at.below[r] - at.below[l]) - (at.above[r] - at.above[l]));
    }
}

static void
fill_invariant (const double *plane, int width, int height, int y, double sigma, double *out)
{
  Rows at = rows_about (plane, width, height, y);

  for (int x = 0; x < width; x++)
    {
      int l = x > 0 ? x - 1 : x, r = x < width - 1 ? x + 1 : x;
      double right = 0.5 * sigma * (at.here[r] - at.here[l]), down = 0.5 * sigma * (at.below[x] - at.above[x]);
      double xx = sigma * sigma * (at.here[r] - 2.0 * at.here[x] + at.here[l]);
      double yy = sigma * sigma * (at.below[x] - 2.0 * at.here[x] + at.above[x]);
      double xy = 0.25 * sigma * sigma * ((at.below[r] - at.below[l]) - (at.above[r] - at.above[l]));
      /* Eigenvalues are mean +- half their difference. */
      double mean = 0.5 * (xx + yy), half = sqrt (0.25 * (xx - yy) * (xx - yy) + xy * xy);

      out[x] = sqrt (right * right + down * down);
      out[width + x] = mean + half;
      out[2 * width + x] = mean - half;
      out[3 * width + x] = fabs (mean) + half;
      out[4 * width + x] = fabs (fabs (mean) - half);
    }
}

static const Layout upright = { 4, { 0.7, 1.0, 2.0, 4.0 }, 1, false, fill_upright };
static const Layout invariant = { 6, { 0.7, 1.0, M_SQRT2, 2.0, 2.0 * M_SQRT2, 4.0 }, 0, true, fill_invariant };

typedef struct
{
  const Layout *layout;
  int width, height, count; /* channels */
  double *planes;           /* scales x height x width */
  double *between, *row, *weights;
  double *channels; /* count x width, of one row */
  TosstMemory memory;
} Work;

static bool
work_init (Work *self)
{
  size_t width = (size_t)self->width, pixels = width * (size_t)self->height, scales = (size_t)self->layout->scales;
  size_t most = (size_t)(REACH * self->layout->sigmas[scales - 1]) + 1;

  self->count = self->layout->intensity + (self->layout->scales - self->layout->intensity) * DERIVATIVES;
  self->planes = tosst_keep (&self->memory, malloc (scales * pixels * sizeof (double)));
  self->between = tosst_keep (&self->memory, malloc (pixels * sizeof (double)));
  self->row = tosst_keep (&self->memory, malloc ((width + 2 * most) * sizeof (double)));
  self->weights = tosst_keep (&self->memory, malloc ((2 * most + 1) * sizeof (double)));
  self->channels = tosst_keep (&self->memory, tosst_alloc_aligned ((size_t)self->count * width, sizeof (double)));
  return !self->memory.failed;
}

/* Each scale is smoothed from the one before. */
static void
make_planes (Work *self, const double *grey)
{
  const double *from = grey;
  double before = 0.0;

  for (int s = 0; s < self->layout->scales; s++)
    {
      double *to = self->planes + (size_t)s * (size_t)self->width * (size_t)self->height;
      double sigma = self->layout->sigmas[s];
      int radius = make_filter (sqrt (sigma * sigma - before * before), self->weights);
      smooth (from, self->width, self->height, self->weights, radius, self->row, self->between, to);
      from = to;
      before = sigma;
    }
}

static void
fill_channels (Work *self, int y)
{
  const Layout *layout = self->layout;
  size_t w = (size_t)self->width, pixels = w * (size_t)self->height;
  double *to = self->channels;

  for (int s = 0; s < layout->intensity; s++, to += w)
    memcpy (to, self->planes + (size_t)s * pixels + (size_t)y * w, w * sizeof (double));
  for (int s = layout->intensity; s < layout->scales; s++, to += DERIVATIVES * w)
    layout->fill (self->planes + (size_t)s * pixels, self->width, self->height, y, layout->sigmas[s], to);
}

/* Lower triangle of the covariance in the first rows of a matrix of `size`, from sums of products about the means of the
 * first pass. */
static void
covariance (Work *self, double *mean, double *matrix, int size)
{
  int width = self->width, count = self->count;
  double n = (double)width * self->height;

  for (int y = 0; y < self->height; y++)
    {
      fill_channels (self, y);
      for (int c = 0; c < count; c++)
        {
          double sum = 0.0;
          for (int x = 0; x < width; x++)
            sum += self->channels[c * width + x];
          mean[c] += sum / n;
        }
    }
  for (int y = 0; y < self->height; y++)
    {
      fill_channels (self, y);
      for (int c = 0; c < count; c++)
        for (int x = 0; x < width; x++)
          self->channels[c * width + x] -= mean[c];
      cblas_dsyrk (CblasRowMajor, CblasLower, CblasNoTrans, count, width, 1.0 / n, self->channels, width, 1.0, matrix,
                   size);
    }
}

/* S to the matrix above, in the lower triangle. */
static void
add_means (const double *mean, double *matrix, int count, int size)
{
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++)
      matrix[i * size + j] += mean[i] * mean[j];
  for (int j = 0; j < count; j++)
    matrix[count * size + j] = mean[j];
  matrix[count * size + count] = 1.0;
}

/* log (S + floor I) as a vector. */
static TosstStatus
take_logarithm (double *matrix, int size, float *out)
{
  double values[MOST], log_of[MOST * MOST];

  for (int c = 0; c < size; c++)
    matrix[c * size + c] += FLOOR;
  if (LAPACKE_dsyevd (LAPACK_ROW_MAJOR, 'V', 'L', size, matrix, size, values) != 0)
    return TOSST_ERROR_NUMERIC;
  for (int i = 0; i < size; i++)
    for (int j = i; j < size; j++)
      {
        double sum = 0.0;
        for (int k = 0; k < size; k++)
          sum += matrix[i * size + k] * matrix[j * size + k] * log (fmax (values[k], 0.5 * FLOOR));
        log_of[i * size + j] = sum;
      }
  for (int i = 0; i < size; i++)
    for (int j = i; j < size; j++)
      *out++ = (float)(log_of[i * size + j] * (i == j ? 1.0 : M_SQRT2));
  return TOSST_OK;
}

static TosstStatus
describe (const Layout *layout, const double *grey, int width, int height, float *out)
{
  Work work = { .layout = layout, .width = width, .height = height };
  double matrix[MOST * MOST] = { 0 }, mean[MOST] = { 0 };
  TosstStatus status = TOSST_ERROR_MEMORY;

  if (work_init (&work))
    {
      int size = work.count + layout->means;

      make_planes (&work, grey);
      covariance (&work, mean, matrix, size);
      if (layout->means)
        add_means (mean, matrix, work.count, size);
      status = take_logarithm (matrix, size, out);
    }
  tosst_release (&work.memory);
  return status;
}

int
tosst_texture_length (TosstTexture kind)
{
  int size = kind == TOSST_TEXTURE_INVARIANT ? TOSST_INVARIANT_SIZE : TOSST_CHANNELS;

  return kind == TOSST_TEXTURE_LBP ? TOSST_LBP_LENGTH : size * (size + 1) / 2;
}

int
tosst_texture_side (TosstTexture kind)
{
  return kind == TOSST_TEXTURE_LBP ? TOSST_LBP_SIDE : TOSST_CHANNELS_SIDE;
}

/* Luminance of a part of the image; NULL if out of memory. */
static double *
cut_grey (const TosstImage *image, TosstPoint at, size_t width, size_t height)
{
  double *grey = malloc (width * height * sizeof *grey), *row = malloc (((size_t)image->width + 2) * sizeof *row);

  for (size_t y = 0; grey && row && y < height; y++)
    {
      tosst_luminance_row (image, at.y + (int)y, row);
      memcpy (grey + y * width, row + 1 + at.x, width * sizeof *grey);
    }
  if (!row)
    {
      free (grey);
      return NULL;
    }
  free (row);
  return grey;
}

TosstStatus
tosst_texture (TosstTexture kind, const TosstImage *image, TosstPoint at, int width, int height, float *out)
{
  int side = tosst_texture_side (kind);

  if (!image || !out || width < side || height < side || at.x < 0 || at.y < 0 || width > image->width - at.x
      || height > image->height - at.y)
    return TOSST_ERROR_ARGUMENT;
  double *grey = cut_grey (image, at, (size_t)width, (size_t)height);
  if (!grey)
    return TOSST_ERROR_MEMORY;
  TosstStatus status = kind == TOSST_TEXTURE_LBP ? lbp (grey, width, height, out)
                                                 : describe (kind == TOSST_TEXTURE_INVARIANT ? &invariant : &upright,
                                                             grey, width, height, out);
  free (grey);
  return status;
}
