/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/descriptor/features.h"
#include "engine/descriptor/moments.h"

/* Top left corner of a patch, in pixels of its image. */
typedef struct
{
  int x, y;
} TosstPoint;

/* Origins (0, 0), (step, 0), ... of all patches of size x size inside width x height, row by row. Returns their number
 * (0 if none fits); points may be NULL to count. */
size_t tosst_patch_grid (int width, int height, int size, int step, TosstPoint *points);

/* Equation (1) for each patch: X = (1/N) sum_n x_n (x) x_n (x) x_n over its N = size^2 pixels, derivatives taken on the
 * whole image. tensors: n x m float32, packed simplex i <= j <= k, unscaled, m = d(d+1)(d+2)/6.
 * size >= 2. A patch that leaves the image is TOSST_ERROR_ARGUMENT. */
TosstStatus tosst_describe (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                            int size, const TosstPoint *points, size_t n, float *tensors);

/* The same for any moment: n x m float32, m = tosst_shape_numbers (tosst_moment_shape (moment, d)). */
TosstStatus tosst_describe_moment (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                                   TosstMoment moment, int size, const TosstPoint *points, size_t n, float *tensors);

/* The feature vectors of one patch, N x d float32, row by row of the patch: what tosst_describe() sums over. */
TosstStatus tosst_patch_features (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                                  int size, TosstPoint point, float *features);
