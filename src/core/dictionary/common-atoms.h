/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/dictionary/patch-coder.h"

G_BEGIN_DECLS

/* One atom that samples of a data set have in common. */
typedef struct
{
  int atom;     /* its number in the dictionary, from 0 */
  double least; /* the smallest mean |alpha_k| over the patches of a sample, of all samples */
  double mean;  /* the mean over samples of the same */
  double share; /* mean by its sum over all atoms */
} TosstCommonAtom;

/* The atoms that samples (of guint, at least one) use most in common: those with the largest `least` first, where that
 * is equal (it is 0 where a single sample does without the atom) those with the larger mean; no more than most, and
 * none that is unused. coder: by a dictionary of K atoms, as recipe codes. Of a sample with many patches some hundred
 * are coded, evenly spread. New, of TosstCommonAtom; NULL with an error. */
GArray *tosst_common_atoms (const TosstRecipe *recipe, TosstContext *context, const TosstPatchCoder *coder, int K,
                            TosstDataset *dataset, const GArray *samples, guint most, GError **error);

G_END_DECLS
