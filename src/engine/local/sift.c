/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SIFT, dense and at frames. Of dense SIFT the centres of bins are multiples of the greatest common divisor g of stride
 * and bin, so that the filters are computed at every g-th row and column only; they are short sums, without the drift of
 * running sums. Features and patches at frames are of pixels resampled in the coordinates of each frame.
 */
#include "engine/base/base.h"
#include "engine/local/pyramid.h"
#include "engine/simd/kernels.h"

#define CLAMP 0.2f /* of a normalised descriptor */

enum
{
  BINS = 4,         /* spatial bins along a side */
  ORIENTATIONS = 8, /* values of a bin */
};

void
tosst_sift_options_default (TosstSiftOptions *options)
{
  *options = (TosstSiftOptions){ .scales = 4, .radius = { 12, 16, 24, 32 }, .stride = { 4, 6, 8, 10 } };
}

/* Number of centres along a side. */
static int
count_along (int side, int bin, int stride)
{
  return side - 1 < 3 * bin ? 0 : (side - 1 - 3 * bin) / stride + 1;
}

size_t
tosst_sift_count (const TosstSiftOptions *options, int width, int height)
{
  size_t count = 0;

  for (int s = 0; s < options->scales; s++)
    {
      int bin = options->radius[s] / 2;
      count += (size_t)count_along (width, bin, options->stride[s])
               * (size_t)count_along (height, bin, options->stride[s]);
    }
  return count;
}

/* One scale of one image. */
typedef struct
{
  const TosstKernels *kernels;
  int width, height;
  const float *gradient;     /* height x width x ORIENTATIONS */
  int bin, stride, grain;    /* grain: distance of the sampled centres */
  int columns, rows;         /* descriptors */
  float *taps;               /* 2 bin - 1: the triangular filter */
  const float **line;        /* 2 bin - 1 */
  float *padded;             /* width + 2 bin pixels: a filtered row with its borders */
  float *bins;               /* sampled centres of bins, row by row */
  int bin_columns, bin_rows; /* sampled centres */
  float window[BINS * BINS];
  TosstMemory memory;
} Scale;

static int
divisor (int a, int b)
{
  return b == 0 ? a : divisor (b, a % b);
}

/* For bins of `bin` pixels the triangular filter, taps: 2 bin - 1; and window: 16, the mean of the Gaussian window over a
 * bin, the product for both axes. */
static void
make_filter (int bin, float *taps, float *window)
{
  double mean[BINS];

  for (int t = 0; t < 2 * bin - 1; t++)
    taps[t] = (float)(1 - abs (t + 1 - bin) / (double)bin);
  for (int b = 0; b < BINS; b++)
    {
      double sum = 0;
      for (int t = 1 - bin; t < bin; t++)
        {
          double away = (t - bin * (b - 1.5)) / (2.0 * bin);
          sum += exp (-0.5 * away * away);
        }
      mean[b] = sum / (2 * bin - 1);
    }
  for (int b = 0; b < BINS * BINS; b++)
    window[b] = (float)(mean[b / BINS] * mean[b % BINS]);
}

static bool
scale_init (Scale *self)
{
  int taps = 2 * self->bin - 1;
  size_t pixel = ORIENTATIONS * sizeof (float);

  self->grain = divisor (self->bin, self->stride);
  self->bin_columns = ((self->columns - 1) * self->stride + 3 * self->bin) / self->grain + 1;
  self->bin_rows = ((self->rows - 1) * self->stride + 3 * self->bin) / self->grain + 1;
  self->taps = tosst_keep (&self->memory, malloc ((size_t)taps * sizeof *self->taps));
  self->line = tosst_keep (&self->memory, malloc ((size_t)taps * sizeof *self->line));
  self->padded = tosst_keep (&self->memory, tosst_alloc_aligned ((size_t)(self->width + 2 * self->bin), pixel));
  self->bins
      = tosst_keep (&self->memory, tosst_alloc_aligned ((size_t)self->bin_columns * (size_t)self->bin_rows, pixel));
  if (!self->memory.failed)
    make_filter (self->bin, self->taps, self->window);
  return !self->memory.failed;
}

/* Filters the rows around y, then the columns at the sampled centres. */
static void
filter_row (Scale *self, int y, float *out)
{
  int taps = 2 * self->bin - 1, border = self->bin - 1;
  float *inside = self->padded + (size_t)border * ORIENTATIONS;
  size_t pixel = ORIENTATIONS * sizeof (float);

  for (int t = 0; t < taps; t++)
    {
      int row = y + t - border;
      row = row < 0 ? 0 : row >= self->height ? self->height - 1 : row;
      self->line[t] = self->gradient + (size_t)row * (size_t)self->width * ORIENTATIONS;
    }
  self->kernels->sift_filter_rows (self->line, self->taps, taps, (size_t)self->width * ORIENTATIONS, inside);
  for (int x = 0; x < border; x++)
    {
      memcpy (self->padded + (size_t)x * ORIENTATIONS, inside, pixel);
      memcpy (inside + (size_t)(self->width + x) * ORIENTATIONS, inside + (size_t)(self->width - 1) * ORIENTATIONS,
              pixel);
    }
  self->kernels->sift_filter_columns (self->padded, self->grain, self->taps, taps, self->bin_columns, out);
}

static void
describe_row (const Scale *self, int row, float *descriptors, float *mass)
{
  size_t width = (size_t)self->bin_columns * ORIENTATIONS;
  int apart = self->bin / self->grain * ORIENTATIONS;
  float area = (float)(3 * self->bin + 1) * (float)(3 * self->bin + 1);
  const float *line[BINS];

  for (int x = 0; x < self->columns; x++)
    {
      for (int b = 0; b < BINS; b++)
        line[b] = self->bins + (size_t)((row * self->stride + b * self->bin) / self->grain) * width
                  + (size_t)(x * self->stride / self->grain) * ORIENTATIONS;
      mass[x] = self->kernels->sift_descriptor (line, apart, self->window, CLAMP,
                                                descriptors + (size_t)x * TOSST_SIFT_LENGTH)
                / area;
    }
}

static TosstStatus
describe_scale (Scale *self, float *descriptors, float *mass)
{
  size_t columns = (size_t)self->columns;

  if (!scale_init (self))
    return TOSST_ERROR_MEMORY;
  for (int y = 0; y < self->bin_rows; y++)
    filter_row (self, y * self->grain, self->bins + (size_t)y * (size_t)self->bin_columns * ORIENTATIONS);
  for (int row = 0; row < self->rows; row++)
    describe_row (self, row, descriptors + (size_t)row * columns * TOSST_SIFT_LENGTH, mass + (size_t)row * columns);
  return TOSST_OK;
}

/* Turns a descriptor into RootSIFT. Descriptors are not negative: the sum is the l1 norm. */
static void
take_root (float *descriptor)
{
  float sum = 0;

  for (int i = 0; i < TOSST_SIFT_LENGTH; i++)
    sum += descriptor[i];
  for (int i = 0; sum > 0 && i < TOSST_SIFT_LENGTH; i++)
    descriptor[i] = sqrtf (descriptor[i] / sum);
}

static bool
is_valid (const TosstSiftOptions *options)
{
  bool valid = options->scales >= 1 && options->scales <= TOSST_SIFT_MAX_SCALES;

  for (int s = 0; valid && s < options->scales; s++)
    valid = options->radius[s] >= 4 && options->radius[s] % 2 == 0 && options->stride[s] >= 1;
  return valid;
}

static float *
compute_gradient (const TosstKernels *kernels, const float *grey, int width, int height)
{
  size_t row = (size_t)width;
  float *gradient = tosst_alloc_aligned (row * (size_t)height, ORIENTATIONS * sizeof (float));

  for (int y = 0; gradient && y < height; y++)
    {
      int above = y > 0 ? y - 1 : 0, below = y + 1 < height ? y + 1 : y;
      kernels->sift_gradient (grey + (size_t)y * row, grey + (size_t)above * row, grey + (size_t)below * row,
                              below - above == 2 ? 0.5f : 1.0f, width, gradient + (size_t)y * row * ORIENTATIONS);
    }
  return gradient;
}

/* Centres and scales of the descriptors of one scale. */
static void
fill_places (const Scale *self, int index, double *xy, int *scale)
{
  for (int i = 0; i < self->rows * self->columns; i++)
    {
      if (xy)
        {
          xy[2 * i] = 1.5 * self->bin + (double)(i % self->columns) * self->stride;
          xy[2 * i + 1] = 1.5 * self->bin + (double)(i / self->columns) * self->stride;
        }
      if (scale)
        scale[i] = index;
    }
}

TosstStatus
tosst_sift (const TosstSiftOptions *options, const float *grey, int width, int height, float *descriptors, double *xy,
            float *mass, int *scale)
{
  TOSST_REQUIRE (NULL, options && grey);
  const TosstKernels *kernels = tosst_kernels ();
  TosstStatus status = TOSST_OK;
  float *gradient, *unused = NULL;
  size_t done = 0, count;

  if (width < 1 || height < 1 || !is_valid (options))
    return TOSST_ERROR_ARGUMENT;
  count = tosst_sift_count (options, width, height);
  if (count == 0)
    return TOSST_OK;
  TOSST_REQUIRE (NULL, descriptors);
  gradient = compute_gradient (kernels, grey, width, height);
  if (!mass)
    mass = unused = malloc (count * sizeof *mass);
  if (!gradient || !mass)
    status = TOSST_ERROR_MEMORY;
  for (int s = 0; s < options->scales && status == TOSST_OK; s++)
    {
      Scale self = { .kernels = kernels, .width = width, .height = height, .gradient = gradient };
      self.bin = options->radius[s] / 2;
      self.stride = options->stride[s];
      self.columns = count_along (width, self.bin, self.stride);
      self.rows = count_along (height, self.bin, self.stride);
      if (self.columns == 0 || self.rows == 0)
        continue;
      status = describe_scale (&self, descriptors + done * TOSST_SIFT_LENGTH, mass + done);
      fill_places (&self, s, xy ? xy + 2 * done : NULL, scale ? scale + done : NULL);
      tosst_release (&self.memory);
      done += (size_t)self.rows * (size_t)self.columns;
    }
  for (size_t i = 0; options->root && status == TOSST_OK && i < count; i++)
    take_root (descriptors + i * TOSST_SIFT_LENGTH);
  free (gradient);
  free (unused);
  return status;
}

enum
{
  BIN = 6,                   /* samples */
  TAPS = 2 * BIN - 1,        /* of the filter */
  INSIDE = 3 * BIN + TAPS,   /* samples that bins cover */
  SIDE = INSIDE + 2,         /* and one on each side, for gradients */
  ROW = SIDE * ORIENTATIONS, /* gradients of a row of samples */
};

/* Work space of one image. */
typedef struct
{
  const TosstKernels *kernels;
  float samples[SIDE * SIDE], taps[TAPS], window[BINS * BINS];
  float *gradient; /* INSIDE x ROW */
  float *filtered; /* ROW */
  float *bins;     /* BINS x BINS x ORIENTATIONS */
} Sift;

/* Length of a unit of the frame's coordinates in the image. */
static double
scale_of (const TosstFrame *frame)
{
  return sqrt (fabs ((double)frame->a[0] * frame->a[3] - (double)frame->a[1] * frame->a[2]));
}

static TosstStatus
sample (TosstPyramid *pyramid, const TosstFrame *frame, double step, double deviation, int side, float *out)
{
  const float *a = frame->a;

  return tosst_pyramid_sample (pyramid, frame->x, frame->y,
                               (double[]){ step * a[0], step * a[1], step * a[2], step * a[3] },
                               deviation * scale_of (frame), side, out);
}

static float
describe (Sift *self, float *descriptor)
{
  const float *line[TAPS], *row[BINS], area = (float)(3 * BIN + 1) * (float)(3 * BIN + 1);

  for (int v = 0; v < INSIDE; v++)
    {
      const float *middle = self->samples + (v + 1) * SIDE;

      self->kernels->sift_gradient (middle, middle - SIDE, middle + SIDE, 0.5f, SIDE, self->gradient + v * ROW);
    }
  for (int b = 0; b < BINS; b++)
    {
      for (int t = 0; t < TAPS; t++)
        line[t] = self->gradient + (b * BIN + t) * ROW;
      row[b] = self->bins + b * BINS * ORIENTATIONS;
      self->kernels->sift_filter_rows (line, self->taps, TAPS, ROW, self->filtered);
      self->kernels->sift_filter_columns (self->filtered + ORIENTATIONS, BIN, self->taps, TAPS, BINS,
                                          self->bins + b * BINS * ORIENTATIONS);
    }
  return self->kernels->sift_descriptor (row, ORIENTATIONS, self->window, CLAMP, descriptor) / area;
}

TosstStatus
tosst_frames_sift (const float *grey, int width, int height, const TosstFrame *frames, size_t n, bool root,
                   float *descriptors, float *mass)
{
  TOSST_REQUIRE (NULL, grey && (n == 0 || (frames && descriptors)));
  float *work = tosst_alloc_aligned ((INSIDE + 1) * ROW + BINS * BINS * ORIENTATIONS, sizeof *work);
  TosstStatus status = work ? TOSST_OK : TOSST_ERROR_MEMORY;
  TosstPyramid pyramid;
  Sift sift = { .kernels = tosst_kernels () };

  tosst_pyramid_init (&pyramid, grey, width, height);
  if (work)
    {
      sift.gradient = work;
      sift.filtered = work + INSIDE * ROW;
      sift.bins = work + (INSIDE + 1) * ROW;
      make_filter (BIN, sift.taps, sift.window);
    }
  for (size_t i = 0; i < n && status == TOSST_OK; i++)
    {
      float *descriptor = descriptors + i * TOSST_SIFT_LENGTH, sum;

      status = sample (&pyramid, &frames[i], TOSST_FRAME_EXTENT / (2 * BIN), 1, SIDE, sift.samples);
      sum = status == TOSST_OK ? describe (&sift, descriptor) : 0;
      if (mass)
        mass[i] = sum;
      if (root && status == TOSST_OK)
        take_root (descriptor);
    }
  tosst_pyramid_clear (&pyramid);
  free (work);
  return status;
}

/* Deviations below this are those of rounding to levels of grey. */
static const double LOWEST_DEVIATION = 0.004;

static double
grey_of (const float *patch, int channels, size_t plane, size_t i)
{
  return channels == 1 ? patch[i] : 0.299 * patch[i] + 0.587 * patch[plane + i] + 0.114 * patch[2 * plane + i];
}

/* Grey values of the patch without its margin to a mean of 0.5 and a deviation of 0.2. */
static void
normalise (const TosstFramePatch *options, int channels, float *patch)
{
  size_t side = (size_t)(options->side + 2 * options->margin), plane = side * side, n = 0;
  double sum = 0, squares = 0;

  for (size_t i = 0; i < plane; i++)
    {
      int u = (int)(i % side) - options->margin, v = (int)(i / side) - options->margin;

      if (u < 0 || u >= options->side || v < 0 || v >= options->side)
        continue;
      double value = grey_of (patch, channels, plane, i);
      sum += value;
      squares += value * value;
      n++;
    }
  double mean = sum / (double)n, deviation = sqrt (fmax (squares / (double)n - mean * mean, 0));
  double factor = 0.2 / fmax (deviation, LOWEST_DEVIATION);
  for (size_t i = 0; i < plane * (size_t)channels; i++)
    patch[i] = (float)(0.5 + factor * (patch[i] - mean));
}

TosstStatus
tosst_frames_patches (const TosstFramePatch *options, const TosstImage *image, const TosstFrame *frames, size_t n,
                      float *patches)
{
  TOSST_REQUIRE (NULL, options && image && (n == 0 || (frames && patches)));
  TosstPyramid pyramid[3];
  TosstStatus status = TOSST_OK;
  double step = 2 * options->extent / options->side;
  int side = options->side + 2 * options->margin, channels = image->channels;
  size_t plane = (size_t)side * (size_t)side;

  if (options->side < 1 || options->margin < 0 || !(options->extent > 0) || channels < 1 || channels > 3)
    return TOSST_ERROR_ARGUMENT;
  for (int c = 0; c < channels; c++)
    tosst_pyramid_init (&pyramid[c], image->data + (size_t)c * (size_t)image->width * (size_t)image->height,
                        image->width, image->height);
  for (size_t i = 0; i < n && status == TOSST_OK; i++)
    {
      float *patch = patches + i * plane * (size_t)channels;

      for (int c = 0; c < channels && status == TOSST_OK; c++)
        status = sample (&pyramid[c], &frames[i], step, 0.5 * step, side, patch + (size_t)c * plane);
      if (options->photometric && status == TOSST_OK)
        normalise (options, channels, patch);
    }
  for (int c = 0; c < channels; c++)
    tosst_pyramid_clear (&pyramid[c]);
  return status;
}
