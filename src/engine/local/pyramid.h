/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tosst/local.h"

/* A plane smoothed by Gaussians. Levels are computed when they are first used, and do not depend on which others are;
 * one thread at a time. Level l has a deviation of 0.5 2^(l / 3) pixels, that of the image itself taken as 0.5. */
typedef struct
{
  int width, height, stride; /* stride: floats, a multiple of 8 */
  float *data;               /* aligned; NULL: not computed */
} TosstLevel;

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
