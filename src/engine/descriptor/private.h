/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/simd/kernels.h"
#include "tosst/describe.h"

/* features.c. */

#define TOSST_MAX_FEATURES 9

/* Scalar feature of equation (8) and its RBF domain. */
typedef struct
{
  const char *name;
  double low, high, sigma;
} TosstFeature;

/* Lists the scalar features selected by the options in the order of equation (8); the first two are the position.
 * list: up to TOSST_MAX_FEATURES elements. Returns their number. */
int tosst_feature_list (const TosstFeatureOptions *options, TosstFeature *list);

/* pixels.c. */

/* Luminance of row y, or of the nearest row of the image. out: width + 2 values; the first and the last pixel are
 * repeated at the borders. */
void tosst_luminance_row (const TosstImage *image, int y, double *out);

/* Equation (8) without the position for row y. light: tosst_luminance_row() of rows y - 1, y and y + 1, contiguous.
 * out: features x width values, feature by feature, for the selected features. */
void tosst_feature_row (const TosstImage *image, const TosstFeatureOptions *options, int y, const double *light,
                        double *out);

/* blocks.c. */

/* Processing order of the points of a band: square blocks of the image one after the other, so that overlapping
 * patches are processed close together in time. */
typedef struct
{
  int pitch; /* side of a block in pixels */
  int rows;  /* rows of patches per block, for points on a grid */
  int step;  /* smallest distance between rows, or between neighbours of a single row; at least 1 */
} TosstBlocks;

/* Chooses the block size for n points, sorted by row through `order`, so that every one of the threads gets some
 * blocks. */
TosstBlocks tosst_blocks (const TosstPoint *points, const size_t *order, size_t n, int threads);

/* Sorts `order`, indices of n points sorted by row, by block. start (n + 1 elements) receives the offset of each
 * block in `order`, followed by n. width: of the image. scratch: n + 1 + width elements. Returns the number of
 * blocks. */
size_t tosst_blocks_sort (const TosstBlocks *self, const TosstPoint *points, size_t n, int width, size_t *order,
                          size_t *start, size_t *scratch);

/* third-order.c. */

/* Precomputes the products and sums of the position features p (size x P, the same for columns and rows) that every
 * patch needs. The caller frees the table with free(). Returns NULL if out of memory. */
float *tosst_position_table (const double *p, int size, int P);

/* Equation (1) for many patches of one image. Partial sums of regions shared by overlapping patches are cached by
 * position; the tensors do not depend on the state of the cache. */
typedef struct TosstPatchSums TosstPatchSums;

/* Allocates the cache for blocks of `rows` rows of patches, `step` pixels apart. shape is copied, table is borrowed.
 * Returns NULL if out of memory. */
TosstPatchSums *tosst_patch_sums_new (const TosstKernels *kernels, const TosstPatchShape *shape, const float *table,
                                      int step, int rows);
void tosst_patch_sums_free (TosstPatchSums *self);

/* Computes the tensor of the patch at (x, y), m elements. pixels: its features other than the position, rows shape->row
 * values apart; 64 bytes past the last must be readable. */
void tosst_patch_sums_tensor (TosstPatchSums *self, int x, int y, const float *pixels, float *tensor);

/* Writes the first two planes, the position p (size values) along columns and along rows, for patches with few
 * features. The caller frees the result with free(). Returns NULL if out of memory. */
double *tosst_position_planes (const double *p, int size, TosstPlanes *planes);

/* Equation (1) accumulated in double. work: m values. tensor: m elements. */
void tosst_planes_third_order (const TosstKernels *kernels, const TosstPlanes *planes, double *work, float *tensor);
