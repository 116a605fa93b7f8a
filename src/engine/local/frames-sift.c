/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Features and patches at frames, from pixels resampled in the coordinates of each frame.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/local/pyramid.h"
#include "engine/local/sift.h"
#include "engine/simd/kernels.h"

enum
{
  BINS = 4,                  /* along a side */
  ORIENTATIONS = 8,          /* values of a bin */
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
  return self->kernels->sift_descriptor (row, ORIENTATIONS, self->window, TOSST_SIFT_CLAMP, descriptor) / area;
}

TosstStatus
tosst_frames_sift (const float *grey, int width, int height, const TosstFrame *frames, size_t n, bool root,
                   float *descriptors, float *mass)
{
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
      tosst_sift_filter (BIN, sift.taps, sift.window);
    }
  for (size_t i = 0; i < n && status == TOSST_OK; i++)
    {
      float *descriptor = descriptors + i * TOSST_SIFT_LENGTH, sum;

      status = sample (&pyramid, &frames[i], TOSST_FRAME_EXTENT / (2 * BIN), 1, SIDE, sift.samples);
      sum = status == TOSST_OK ? describe (&sift, descriptor) : 0;
      if (mass)
        mass[i] = sum;
      if (root && status == TOSST_OK)
        tosst_sift_take_root (descriptor);
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
