/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/dictionary/atom-usage.h"
#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* How codes of the patches of a data set use the atoms of a dictionary that no run has told of: all patches are described
 * and coded as the recipe says, which has a dictionary of this shape. An image that cannot be read ends it. Memory does
 * not grow with images but for the pixels of one of them and the lists of patches. Progress is the context's. New; NULL
 * with an error. */
TosstAtomUsage *tosst_find_usage (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                                  TosstDataset *dataset, GError **error);

G_END_DECLS
