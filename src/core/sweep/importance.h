/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* How much of the variance of a result each parameter of a sweep explains.
 *
 * Of a complete grid (every combination of values equally often) the shares are those of the functional analysis of
 * variance: V_i / V, where V is the variance of the result over all runs and V_i that of its means for each value of
 * parameter i; V_ij / V, the interaction of two parameters, is that of the means for each pair of values, less V_i and
 * V_j; what is left is due to three and more parameters.
 *
 * Of other runs, such as those of random search or of a grid that is not finished, the effects of two parameters cannot
 * be told apart exactly: of each parameter the share is then the adjusted coefficient of determination of its means, at
 * least 0, with the values of a parameter that has too many of them in groups of neighbours, and there are no
 * interactions. */
typedef struct
{
  guint a, b;   /* parameters; a == b: a parameter by itself */
  double share; /* 0 .. 1 */
} TosstEffect;

typedef struct
{
  guint runs; /* with a result */
  gboolean complete;
  double variance;
  GArray *effects; /* TosstEffect: parameters by themselves and pairs, largest share first */
  double rest;     /* share of three and more parameters; NAN if not complete */
} TosstImportance;

/* level: runs x parameters, the index of the value of a run, in the order of the values; result: of each run, NAN: none
 * yet. NULL: fewer than two results, or all of them equal. */
TosstImportance *tosst_importance_new (const guint *level, const double *result, guint runs, guint parameters);
void tosst_importance_free (TosstImportance *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstImportance, tosst_importance_free)
