/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* What dictionary.source asks for beyond learning: with random, *dictionary, just learned, gives way to one drawn from
 * the distribution of its atoms (dictionary/random.h). */
gboolean tosst_dictionary_randomize (const TosstRecipe *recipe, TosstContext *context, TosstDictionary **dictionary,
                                     GError **error);

G_END_DECLS
