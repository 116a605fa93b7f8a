/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* Incremented whenever a change of the program changes results by more than rounding. Part of the hash of a run. */
#define TOSST_NUMERICS 5

/* The identity of a run, 32 hex digits, new: two runs of the same hash have the same result but for rounding. It covers
 *   - every value of the recipe that matters (tosst_recipe_why_inactive()), those taken from elsewhere with what they
 *     are taken from: coding.lambda left to the dictionary's is the same as one that repeats it;
 *   - fingerprint, the data set's (tosst_dataset_fingerprint()), instead of the folder where it lies and of what is
 *     left out of it;
 *   - split, from 0, of a run of that split alone, which does not depend on how many there are; or -1 for all of them;
 *   - TOSST_NUMERICS.
 * It leaves out threads and the kernel of BLAS, which round differently and are recorded beside it. Files that are the
 * same but have other times are other data: a data set that was copied is run again. */
char *tosst_run_hash (const TosstRecipe *recipe, const char *fingerprint, int split);
/* Whether text has the form of a hash. Checked before a hash from a store becomes part of a file name. */
gboolean tosst_run_is_hash (const char *text);

/* Results that runs share; each depends on the ones before it. */
typedef enum
{
  TOSST_PART_TENSORS,    /* of all patches */
  TOSST_PART_DICTIONARY, /* of a split */
  TOSST_PART_CODES,
  TOSST_PART_SIGNATURES,
  TOSST_N_RUN_PARTS,
} TosstRunPart;

/* The hash of a part of a run, new. Two runs with the same hash share this part, split by split. Without a dictionary
 * there are no codes, and all splits share the signatures. */
char *tosst_run_part_hash (const TosstRecipe *recipe, const char *fingerprint, TosstRunPart part);

G_END_DECLS
