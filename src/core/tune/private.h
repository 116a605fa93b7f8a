/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* candidates.c. A recipe to try. */
typedef struct
{
  char *name;
  TosstRecipe *recipe;
} TosstCandidate;

void tosst_candidate_free (gpointer candidate);

/* Methods, the most promising first; values of base that are not defaults are kept, and methods that contradict them
 * are omitted. New array of TosstCandidate. */
GPtrArray *tosst_tune_methods (const TosstRecipe *base);
/* Variations of one value of a recipe that has an effect and its default in base. */
GPtrArray *tosst_tune_variations (const TosstRecipe *base, const TosstCandidate *best);

G_END_DECLS
