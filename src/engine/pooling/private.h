/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of pooling, and the signed power.
 */
#pragma once

#include <math.h>

/* Columns per pass: sums in double fit the stack, as float would round thousands of small values. */
#define POOL_RUN 512
#define SELECT_RUN 16 /* columns transposed at a time for a selection */
/* Eigenvalues below this share of the largest count as zero. */
#define SMALLEST_EIGENVALUE 1e-12

static inline double
signed_power (double value, double power)
{
  if (value == 0.0 || power == 1.0)
    return value;
  return copysign (power == 0.5 ? sqrt (fabs (value)) : pow (fabs (value), power), value);
}
