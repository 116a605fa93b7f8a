/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/context.h"

/* min f (x) over a closed set onto which there is a Euclidean projection. Any status other than TOSST_OK
 * of a callback ends the minimisation and is returned. */
typedef struct
{
  size_t n;    /* numbers in x */
  bool convex; /* the set: between two of its points there are only points of it */
  TosstStatus (*evaluate) (const double *x, double *f, double *gradient, void *data);
  TosstStatus (*project) (double *x, void *data); /* in place */
  void *data;
} TosstProjected;

/* Steps from x, which is projected first and then stays in the set; f never rises. Ends after so many iterations, when
 * one lowers f by at most tolerance |f|, or when rounding leaves no descent. *f: f (x) at the end. Any thread. */

/* Projected quasi-Newton, Schmidt, van den Berg, Friedlander & Murphy (2009). inner: most steps on the quadratic
 * model. */
TosstStatus tosst_pqn (TosstContext *context, const TosstProjected *problem, int iterations, int inner,
                       double tolerance, double *x, double *f);
/* Spectral projected gradient, Birgin, Martinez & Raydan (2000), with a line search that is monotone. */
TosstStatus tosst_spg (TosstContext *context, const TosstProjected *problem, int iterations, double tolerance,
                       double *x, double *f);

/* Doubles that tosst_pqn() allocates for n numbers; tosst_spg() takes fewer. */
size_t tosst_pqn_memory (size_t n);
