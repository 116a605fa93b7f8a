/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The small tensors on which two ways to learn must come to the same bits.
 */
#pragma once

#include "tosst/tensor.h"

#define THIRD_POWERS_SIDE 6

/* Sums of three third powers of random vectors of THIRD_POWERS_SIDE absolute values, the same every time; n x m, new. */
float *third_powers (const TosstLayout *layout, size_t n);
