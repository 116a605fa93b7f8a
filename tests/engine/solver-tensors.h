/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The small problem on which solvers are compared.
 */
#pragma once

#include "tosst/learn.h"

#define SIDE 6
#define VEC (SIDE * (SIDE + 1) / 2)
#define TENSORS 24
#define ATOMS 8

/* Means of third-order products of random feature vectors that are a mixture of few kinds; n x m, new. */
float *make_tensors (const TosstLayout *layout, size_t n);
TosstLearnOptions default_options (TosstSolver solver);
