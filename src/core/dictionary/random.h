/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"

/* With dictionary.source=random, replaces the learned *dictionary by one drawn at random from the distribution of its
 * atoms (tosst/dictionary.h). */
gboolean tosst_dictionary_randomize (const TosstRecipe *recipe, TosstContext *context, TosstDictionary **dictionary,
                                     GError **error);
