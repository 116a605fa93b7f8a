/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"
#include "tosst/tensor.h"

/* Arrays of tensors in files, by number of dimensions:
 *     (N, m)            super-symmetric, packed: m = d(d+1)(d+2)/6
 *     (N, d, d)         symmetric matrices, second-order descriptors
 *     (N, d1, d2, d3)   general tensors
 * Checks the dimensions, N >= 1, the symmetry of matrices and that entries are at most TOSST_LARGEST; converts the
 * array to the form of the engine, (N, numbers of the shape). name is used in messages. */
gboolean tosst_tensor_array_prepare (TosstNpy *array, const char *name, TosstShape *shape, GError **error);

/* Whether matrix n of side d of an array is symmetric, but for rounding. */
gboolean tosst_tensor_array_is_symmetric (const TosstNpy *array, gsize n, gsize d);

/* Inverse for n matrices of side d: packed upper triangles to n x d x d. */
void tosst_tensor_array_unpack (const float *packed, gsize n, int d, float *matrices);
