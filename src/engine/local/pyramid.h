/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tosst/local.h"

/* A plane whose rows are filled up with zeros. */
typedef struct
{
  int width, height, stride; /* stride: floats, a multiple of 8 */
  float *data;               /* aligned, owned; NULL: not computed */
} TosstLevel;

static inline float *
tosst_level_row (const TosstLevel *self, int y)
{
  return self->data + (size_t)y * (size_t)self->stride;
}

/* Returns false if out of memory. The values are not set. */
bool tosst_level_allocate (TosstLevel *self, int width, int height);

/* Every `step`-th pixel of every `step`-th row, rows being `stride` floats apart, as a plane of width x height. */
TosstStatus tosst_level_take (const float *from, size_t stride, int step, int width, int height, TosstLevel *to);

/* Smooths by a Gaussian, which is cut off at `reach` deviations, at most 10 pixels; pixels outside are those of the border.
 * to: new, of the same size. */
TosstStatus tosst_level_smooth (const TosstLevel *from, double deviation, int reach, TosstLevel *to);

/* A plane smoothed by Gaussians. Levels are computed when they are first used, and do not depend on which others are;
 * one thread at a time. Level l has a deviation of 0.5 2^(l / 3) pixels, that of the image itself taken as 0.5. */

enum
{
  TOSST_PYRAMID_LEVELS = 60,
};

typedef struct
{
  const float *plane; /* borrowed */
  int width, height;
  TosstLevel level[TOSST_PYRAMID_LEVELS];
} TosstPyramid;

/* plane: height x width. */
void tosst_pyramid_init (TosstPyramid *self, const float *plane, int width, int height);
void tosst_pyramid_clear (TosstPyramid *self);

/* Samples the plane, smoothed to about `deviation` pixels, at (x, y) + a (u, v) for u and v of -(side - 1) / 2 .. (side -
 * 1) / 2 in steps of 1; outside it has the values of its border. Bilinear. out: side x side, v row by row. */
TosstStatus tosst_pyramid_sample (TosstPyramid *self, double x, double y, const double a[4], double deviation, int side,
                                  float *out);
