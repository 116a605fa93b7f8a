/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over vectors in an order that depends on the length alone. With some of OpenBLAS's kernels the order in the
 * corresponding BLAS functions (ddot, dnrm2, dasum) depends on the alignment of their arguments, so that two threads
 * with separate workspaces would get different bits for the same values.
 */
#pragma once

#include <stddef.h>

static inline size_t
tosst_smaller (size_t a, size_t b)
{
  return a < b ? a : b;
}

static inline size_t
tosst_larger (size_t a, size_t b)
{
  return a > b ? a : b;
}

/* sum_i x_i y_i; x may equal y. */
double tosst_dot (size_t n, const double *x, const double *y);

/* sum_i x_i y_{i stride}. */
double tosst_dot_strided (size_t n, const double *x, const double *y, size_t stride);

/* sum_i |x_i|. */
double tosst_sum_abs (size_t n, const double *x);

/* (sum_i x_i^2)^{1/2}, without overflow or underflow of squares. */
double tosst_norm (size_t n, const double *x);
