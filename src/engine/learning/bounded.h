/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

/* Computes f and its gradient at x. A status other than TOSST_OK ends the minimisation and is returned. */
typedef TosstStatus (*TosstEvaluateFunc) (const double *x, double *f, double *gradient, void *data);

/* Work space for n numbers; one thread uses it at a time. */
typedef struct TosstBounded TosstBounded;

TosstBounded *tosst_bounded_new (size_t n); /* NULL if out of memory */
void tosst_bounded_free (TosstBounded *work);
size_t tosst_bounded_memory (size_t n); /* bytes */

/* min f (x) with x_i >= 0 for i >= first, the others free, by limited-memory BFGS. x: n, read as the starting point,
 * whose negative parts are cut off first, and written; f never rises. Ends after so many iterations, or once violation,
 * the largest |entry| of the projected gradient, is at most tolerance, or when rounding leaves no descent. violation is
 * that at the end. */
TosstStatus tosst_bounded_minimise (TosstBounded *work, TosstEvaluateFunc evaluate, void *data, size_t first,
                                    int iterations, double tolerance, double *x, double *violation);
