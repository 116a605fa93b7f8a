/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/context.h"
#include "engine/tensor/layout.h"

/* Descriptors as vectors, without a dictionary: the baselines of section 6. Both functions write n x m float32, to
 * be pooled like codes. */

/* The uncompressed descriptor: its stored values times the square roots of their multiplicities, so that inner
 * products of rows equal those of tensors. layout: of a shape with one slice; whole for super-symmetric tensors. */
TosstStatus tosst_plain_raw (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                             float *out);

/* Log-Euclidean signature of positive semi-definite matrices: log (C + eps I), off-diagonals times sqrt 2, eps =
 * TOSST_LOG_FLOOR times the mean eigenvalue tr (C) / d, so that scaling C only adds a multiple of the identity.
 * layout: of shape symmetric. Returns TOSST_ERROR_NUMERIC for a matrix that is zero, not positive semi-definite
 * beyond rounding, or not finite. */
#define TOSST_LOG_FLOOR 1e-4

TosstStatus tosst_plain_log_euclidean (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                                       float *out);
