/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tosst/context.h"

/* Minimisation of f (x) over a closed set with a Euclidean projection. A callback status other than TOSST_OK ends
 * the minimisation and is returned. */
typedef struct
{
  size_t n;    /* number of variables */
  bool convex; /* whether the set is convex */
  TosstStatus (*evaluate) (const double *x, double *f, double *gradient, void *data);
  TosstStatus (*project) (double *x, void *data); /* in place */
  void *data;
} TosstProjected;

/* Both functions start from the projection of x and keep x in the set; f never increases. They end after
 * `iterations` iterations, when one lowers f by at most tolerance |f|, or when rounding permits no descent. *f
 * receives f (x) at the end. Any thread. */

/* Projected quasi-Newton, Schmidt, van den Berg, Friedlander & Murphy (2009). inner: maximum number of steps on the
 * quadratic model. */
TosstStatus tosst_pqn (TosstContext *context, const TosstProjected *problem, int iterations, int inner,
                       double tolerance, double *x, double *f);
/* Spectral projected gradient, Birgin, Martinez & Raydan (2000), with a monotone line search. */
TosstStatus tosst_spg (TosstContext *context, const TosstProjected *problem, int iterations, double tolerance,
                       double *x, double *f);

/* Doubles allocated by tosst_pqn() for n variables; tosst_spg() allocates fewer. */
size_t tosst_pqn_memory (size_t n);

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
