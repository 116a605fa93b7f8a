/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/data/dataset.h"
#include "core/dictionary/patch-coder.h"
#include "tosst/dictionary.h"

/* An atom used by all samples of a set. */
typedef struct
{
  int atom;     /* index in the dictionary, from 0 */
  double least; /* minimum over samples of the mean |alpha_k| over the patches of a sample */
  double mean;  /* mean over samples of the same quantity */
  double share; /* mean divided by its sum over all atoms */
} TosstCommonAtom;

/* Finds the atoms that all given samples (guint, at least one) use most, by decreasing `least` and, where that is
 * equal (0 if one sample does not use the atom), by decreasing mean; at most `most`, and no unused ones. coder: for
 * a dictionary of K atoms, as recipe codes. Of samples with many patches some hundred are coded, evenly spaced.
 * Returns a new array of TosstCommonAtom, or NULL with error. */
GArray *tosst_common_atoms (const TosstRecipe *recipe, TosstContext *context, const TosstPatchCoder *coder, int K,
                            TosstDataset *dataset, const GArray *samples, guint most, GError **error);

/* Assigns each row a column of its own, or -1 if there are fewer columns than rows, so that the sum of weights (rows
 * x columns, C order, at least 0) is maximal. With more than TOSST_MATCH_EXACT rows or columns the assignment is
 * greedy, by decreasing weight, which gives at least half of the maximum. Returns FALSE if memory is short. */
#define TOSST_MATCH_EXACT 600
gboolean tosst_match (const double *weights, int rows, int columns, int *column);
