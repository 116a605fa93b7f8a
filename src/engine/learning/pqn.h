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
