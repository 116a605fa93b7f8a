/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/tensor/layout.h"

/* Moment of the N feature vectors x of a patch. */
typedef enum
{
  TOSST_MOMENT_THIRD_ORDER,     /* X = 1/N sum x (x) x (x) x, equation (1): super-symmetric */
  TOSST_MOMENT_COVARIANCE,      /* C = 1/(N-1) sum (x - mean)(x - mean)': symmetric, PSD */
  TOSST_MOMENT_AUTOCORRELATION, /* R = 1/N sum x x': symmetric, PSD */
} TosstMoment;

/* Returns the shape of the moment of vectors of length d. */
TosstShape tosst_moment_shape (TosstMoment moment, int d);

/* Computes the moment of n >= 1 vectors. x: n x d, float64 if wide, else float32, followed by space for m + 64
 * elements, which is overwritten. work: tosst_moment_work() bytes, 64-byte aligned. tensor: float32, stored according
 * to its shape.
 *
 * Second moments are accumulated in float64 and rounded once. A covariance is centred before summation, so that a
 * large offset of the features costs no digits; a constant feature has exact zeros in its row, and a single vector
 * gives the zero matrix. */
size_t tosst_moment_work (TosstMoment moment, int d, bool wide);
void tosst_moment (TosstMoment moment, bool wide, void *x, size_t n, int d, void *work, float *tensor);
