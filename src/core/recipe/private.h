/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* The group that makes many runs of one recipe: sweep.h. */
#define SWEEP_GROUP "sweep"

/* One line key=value of that group, the value as the file has it. */
typedef gboolean (*TosstSweepLineFunc) (const char *key, guint line, const char *value, gpointer data, GError **error);

/* The text of a recipe file, new; what cannot be one is refused. */
char *tosst_recipe_read (GFile *file, GError **error);

/* tosst_recipe_parse(), with the group [sweep] given to sweep line by line; errors of it get the line in front. */
TosstRecipe *tosst_recipe_parse_sweep (const char *text, const char *name, TosstSweepLineFunc sweep, gpointer data,
                                       GError **error);

G_END_DECLS
