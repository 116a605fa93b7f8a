/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tosst/context.h"

/* Computes f and its gradient at x. A status other than TOSST_OK ends the minimisation and is returned. */
typedef TosstStatus (*TosstEvaluateFunc) (const double *x, double *f, double *gradient, void *data);

/* Workspace for n variables; used by one thread at a time. */
typedef struct TosstBounded TosstBounded;

TosstBounded *tosst_bounded_new (size_t n); /* NULL if out of memory */
void tosst_bounded_free (TosstBounded *work);
size_t tosst_bounded_memory (size_t n); /* bytes */

/* Minimises f (x) subject to x_i >= 0 for i >= first by limited-memory BFGS. x: n, starting point on entry, whose
 * negative bounded entries are set to zero; solution on return. f never increases. Ends after `iterations`
 * iterations, when violation, the largest |entry| of the projected gradient, is at most tolerance, or when rounding
 * permits no descent. *violation receives its final value. */
TosstStatus tosst_bounded_minimise (TosstBounded *work, TosstEvaluateFunc evaluate, void *data, size_t first,
                                    int iterations, double tolerance, double *x, double *violation);
