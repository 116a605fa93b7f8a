/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/descriptor/features.h"
#include "engine/descriptor/moments.h"

/* Top left corner of a patch, in pixels of its image. */
typedef struct
{
  int x, y;
} TosstPoint;

/* Origins (0, 0), (step, 0), ... of all patches of size x size pixels inside a width x height image, row by row.
 * points may be NULL. Returns the number of patches, 0 if none fits. */
size_t tosst_patch_grid (int width, int height, int size, int step, TosstPoint *points);

/* Equation (1) for each of n patches: X = (1/N) sum_n x_n (x) x_n (x) x_n over the N = size^2 pixels of the patch;
 * derivatives are computed on the whole image. size: pixels per side, >= 2. tensors: n x m float32, packed simplex i
 * <= j <= k, unscaled, m = d(d+1)(d+2)/6. Returns TOSST_ERROR_ARGUMENT if a patch extends beyond the image. */
TosstStatus tosst_describe (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                            int size, const TosstPoint *points, size_t n, float *tensors);

/* tosst_describe() for any moment. tensors: n x m float32, m = tosst_shape_numbers (tosst_moment_shape (moment, d)). */
TosstStatus tosst_describe_moment (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                                   TosstMoment moment, int size, const TosstPoint *points, size_t n, float *tensors);

/* Feature vectors of one patch, the summands of tosst_describe(). features: N x d float32, row by row of the patch. */
TosstStatus tosst_patch_features (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                                  int size, TosstPoint point, float *features);
