/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/dictionary/atom-usage.h"
#include "core/recipe/recipe.h"

/* Computes the usage of a dictionary's atoms by the patches of a data set, if no run has recorded it: describes and
 * codes all patches by the recipe, which must have a dictionary of this shape. An unreadable image is an error.
 * Of local features all images are coded, with the principal components of the training images of the first split.
 * Memory: the lists of patches and the pixels of one image. Reports progress to the context. Returns a new
 * TosstAtomUsage, or NULL with error. */
TosstAtomUsage *tosst_find_usage (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                                  TosstDataset *dataset, GError **error);
