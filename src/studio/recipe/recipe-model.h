/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"
#include "studio/recipe/history.h"

/* The recipe being edited, with undo, and the recipe of its data set or preset, its base: values that differ from the
 * base are the user's changes. Emits "changed" (const char *name) after each change; name is "group.key" of the one value
 * that changed, NULL when several may have, and "base" when none has. */
#define STUDIO_TYPE_RECIPE_MODEL (studio_recipe_model_get_type ())
G_DECLARE_FINAL_TYPE (StudioRecipeModel, studio_recipe_model, STUDIO, RECIPE_MODEL, GObject)

/* Other files only read the members. */
struct _StudioRecipeModel
{
  GObject parent_instance;
  TosstRecipe *recipe, *base; /* valid until the next change */
  StudioHistory *history;     /* of its changes, for undo and redo; others may add theirs */
};

gboolean studio_recipe_model_is_changed (StudioRecipeModel *self, const TosstParameter *parameter); /* by the user */

/* text as tosst_recipe_set() takes it. Changes of one value that follow each other quickly (a slider) undo as one. */
gboolean studio_recipe_model_set (StudioRecipeModel *self, const char *name, const char *text, GError **error);
void studio_recipe_model_reset (StudioRecipeModel *self, const TosstParameter *parameter);
void studio_recipe_model_take (StudioRecipeModel *self, TosstRecipe *recipe); /* takes recipe; one undo step */
/* As studio_recipe_model_take(), with another base, which it takes, too. label: of the step, or NULL */
void studio_recipe_model_take_based (StudioRecipeModel *self, TosstRecipe *recipe, TosstRecipe *base,
                                     const char *label);

/* Takes both; base NULL: unchanged. Nothing to undo. */
void studio_recipe_model_begin (StudioRecipeModel *self, TosstRecipe *recipe, TosstRecipe *base);
