/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "simd/kernels.h"

/* Of position features p (size x P, those of a column as well as of a row): what the sums of any patch need of them. As
 * floats, or doubles if wide. Freed with free(); NULL if out of memory. */
void *tosst_position_table (const double *p, int size, int P, bool wide);

/* Bytes, a multiple of 64. */
size_t tosst_patch_work (const TosstKernels *kernels, const TosstPatchShape *shape, bool wide);

/* Equation (1) for the patch whose features other than the position begin at pixels, rows shape->row numbers apart and
 * with 64 readable bytes behind the last. work: 64-byte aligned. tensor: m numbers. */
void tosst_patch_third_order (const TosstKernels *kernels, const TosstPatchShape *shape, bool wide, const void *pixels,
                              const void *table, void *work, float *tensor);
