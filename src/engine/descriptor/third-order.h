/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/simd/kernels.h"

/* Of position features p (size x P, those of a column as well as of a row): what the sums of any patch need of them.
 * Freed with free(); NULL if out of memory. */
float *tosst_position_table (const double *p, int size, int P);

/* Bytes, a multiple of 64. */
size_t tosst_patch_work (const TosstKernels *kernels, const TosstPatchShape *shape);

/* Equation (1) for the patch whose features other than the position begin at pixels, rows shape->row numbers apart and
 * with 64 readable bytes behind the last. work: 64-byte aligned. tensor: m numbers. */
void tosst_patch_third_order (const TosstKernels *kernels, const TosstPatchShape *shape, const float *pixels,
                              const float *table, void *work, float *tensor);

/* The same for many patches of one image. Parts that overlapping patches have in common are kept, and found again by
 * their place in the image; a tensor does not depend on what is found. */
typedef struct TosstPatchSums TosstPatchSums;

/* For blocks of so many rows of patches, `step` pixels apart. shape is copied, table stays the caller's. NULL if out of
 * memory. */
TosstPatchSums *tosst_patch_sums_new (const TosstKernels *kernels, const TosstPatchShape *shape, const float *table,
                                      int step, int rows);
void tosst_patch_sums_free (TosstPatchSums *self);

/* The patch at (x, y), whose features begin at pixels. */
void tosst_patch_sums_tensor (TosstPatchSums *self, int x, int y, const float *pixels, float *tensor);

/* For patches of few features: the first two planes, whose position is p (size numbers) both times. Freed with free();
 * NULL if out of memory. */
double *tosst_position_planes (const double *p, int size, TosstPlanes *planes);

/* Equation (1) in double. work: m numbers. */
void tosst_planes_third_order (const TosstKernels *kernels, const TosstPlanes *planes, double *work, float *tensor);
