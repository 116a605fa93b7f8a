/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"

/* Named ways from an image to a signature and a classifier: the parts of descriptor.kind=combined, and what tosst
 * compare compares. Each is a list of values of a recipe; all others stay as they are. */
typedef struct
{
  const char *name;   /* in recipes and commands: "tosst-rbf" */
  const char *title;  /* to be translated */
  const char *help;   /* to be translated: one sentence */
  const char *values; /* "group.key=value group.key=value ..." */
} TosstMethod;

/* All methods, in the order in which they are shown. */
const TosstMethod *tosst_methods (guint *n);
/* NULL with TOSST_FAILED_RECIPE if there is none of this name. */
const TosstMethod *tosst_method_find (const char *name, GError **error);
/* Methods of a list of names separated by semicolons, without repetition; new array of const TosstMethod *. */
GPtrArray *tosst_methods_parse (const char *names, GError **error);
/* Sets the values of a method in a recipe, or in a copy of base: FALSE if that has another value of its own for one of the
 * parameters. base: or NULL. */
gboolean tosst_method_apply (const TosstMethod *method, const TosstRecipe *base, TosstRecipe *recipe);
/* Sets a value in a copy of base. FALSE if it is invalid or base has another one of its own. */
gboolean tosst_method_set (TosstRecipe *copy, const TosstRecipe *base, const char *name, const char *text);
