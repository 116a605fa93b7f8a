/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"

/* The identity of a run, 32 hex digits, new: runs with the same hash have the same result except for rounding. It
 * covers
 *   - every active value of the recipe (tosst_recipe_why_inactive()), with derived values resolved: coding.lambda
 *     inherited from the dictionary is the same as an equal explicit value;
 *   - the fingerprint of its data (->key, or the fingerprint alone if no image is larger than
 *     TOSST_TEXTURE_LONGEST), instead of its folder and excluded files;
 *   - split, from 0, for a run of that split only, which does not depend on the number of splits; or -1 for all;
 *   - TOSST_NUMERICS.
 * Threads and the BLAS kernel, which affect rounding, are not covered but recorded with the run. */
char *tosst_run_hash (const TosstRecipe *recipe, const char *data, int split);
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
char *tosst_run_part_hash (const TosstRecipe *recipe, const char *data, TosstRunPart part);
