/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over vectors in an order that the length alone decides. The functions of BLAS for them (ddot, dnrm2, dasum) add in an
 * order that depends on the alignment of their arguments with some of OpenBLAS's kernels, so that two threads with work
 * space of their own would get other bits for the same numbers.
 */
#pragma once

#include <stddef.h>

/* sum_i x_i y_i; x and y may be the same. */
double tosst_dot (size_t n, const double *x, const double *y);

/* sum_i x_i y_{i stride}. */
double tosst_dot_strided (size_t n, const double *x, const double *y, size_t stride);

/* sum_i |x_i|. */
double tosst_sum_abs (size_t n, const double *x);

/* (sum_i x_i^2)^{1/2}, also where squares overflow or underflow. */
double tosst_norm (size_t n, const double *x);
