/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of pooling.
 */
#pragma once

/* Columns per pass: sums in double fit the stack, as float would round thousands of small values. */
#define POOL_RUN 512
#define SELECT_RUN 16 /* columns transposed at a time for a selection */
