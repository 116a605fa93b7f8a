/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/simd/kernels.h"
#include "tosst/describe.h"

/* Luminance of row y, or of the nearest row of the image. out: width + 2 values; the first and the last pixel are
 * repeated at the borders. */
void tosst_luminance_row (const TosstImage *image, int y, double *out);

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
