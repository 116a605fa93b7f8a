/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/recipe-model.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"

/* A step of the history. */
typedef struct
{
  TosstRecipe *recipe, *base;
} State;

G_DEFINE_FINAL_TYPE (StudioRecipeModel, studio_recipe_model, G_TYPE_OBJECT)

STUDIO_DEFINE_FINALIZE (StudioRecipeModel, studio_recipe_model, (recipe, tosst_recipe_free), (base, tosst_recipe_free),
                        (history, g_object_unref))

static void
studio_recipe_model_class_init (StudioRecipeModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_recipe_model_finalize;
  studio_add_signal (klass, "changed", 1, G_TYPE_STRING);
}

static void
studio_recipe_model_init (StudioRecipeModel *self)
{
  self->recipe = tosst_recipe_new ();
  self->base = tosst_recipe_new ();
  self->history = studio_history_new ();
}

gboolean
studio_recipe_model_is_changed (StudioRecipeModel *self, const TosstParameter *parameter)
{
  return !tosst_parameter_is_source (parameter) && tosst_recipe_is_changed (self->recipe, self->base, parameter)
         && !tosst_recipe_why_inactive (self->recipe, parameter);
}

static State *
state_new (StudioRecipeModel *self)
{
  State *state = g_new (State, 1);

  *state = (State){ tosst_recipe_copy (self->recipe), tosst_recipe_copy (self->base) };
  return state;
}

TOSST_DEFINE_FREE (State, state_free, (recipe, tosst_recipe_free), (base, tosst_recipe_free))

/* Both are taken; base NULL: the same as before. Returns whether anything changed. */
static gboolean
replace (StudioRecipeModel *self, TosstRecipe *recipe, TosstRecipe *base)
{
  g_autoptr (TosstRecipe) old = self->recipe, old_base = self->base;

  self->recipe = recipe;
  self->base = base != NULL ? base : tosst_recipe_copy (old_base);
  return !tosst_recipe_equal (old, self->recipe) || !tosst_recipe_equal (old_base, self->base);
}

/* With the name of a parameter that does not exist where the base alone changed: no value did. */
static void
tell (StudioRecipeModel *self, const TosstRecipe *before, const char *name)
{
  g_signal_emit_by_name (self, "changed", tosst_recipe_equal (before, self->recipe) ? "base" : name);
}

static void
apply (StudioRecipeModel *self, const State *state)
{
  g_autoptr (TosstRecipe) before = tosst_recipe_copy (self->recipe);

  if (replace (self, tosst_recipe_copy (state->recipe), tosst_recipe_copy (state->base)))
    tell (self, before, NULL);
}

/* Makes next the recipe and base, unless it is NULL, its base, both taken, and keeps the old ones to return to. */
static void
advance (StudioRecipeModel *self, TosstRecipe *next, TosstRecipe *base, const char *label, const char *name)
{
  State *before = state_new (self);
  g_autoptr (TosstRecipe) old = tosst_recipe_copy (self->recipe);

  if (replace (self, next, base))
    {
      studio_history_add (self->history, label, name, (StudioHistoryFunc)apply, self, before, state_new (self),
                          state_free);
      tell (self, old, name);
    }
  else
    state_free (before);
}

gboolean
studio_recipe_model_set (StudioRecipeModel *self, const char *name, const char *text, GError **error)
{
  const TosstParameter *parameter = tosst_parameter_find (name);
  g_autoptr (TosstRecipe) next = tosst_recipe_copy (self->recipe);

  if (!tosst_recipe_set (next, name, text, error))
    return FALSE;
  advance (self, g_steal_pointer (&next), NULL, _ (parameter->label), name);
  return TRUE;
}

void
studio_recipe_model_reset (StudioRecipeModel *self, const TosstParameter *parameter)
{
  g_autofree char *name = g_strconcat (parameter->group, ".", parameter->key, NULL);
  g_autofree char *text = tosst_recipe_base_text (self->recipe, self->base, parameter);
  g_autoptr (GError) error = NULL;

  if (!studio_recipe_model_set (self, name, text, &error))
    g_warning ("%s", error->message);
}

void
studio_recipe_model_take (StudioRecipeModel *self, TosstRecipe *recipe)
{
  advance (self, recipe, NULL, _ ("Recipe"), NULL);
}

void
studio_recipe_model_take_based (StudioRecipeModel *self, TosstRecipe *recipe, TosstRecipe *base, const char *label)
{
  advance (self, recipe, base, label != NULL ? label : _ ("Recipe"), NULL);
}

void
studio_recipe_model_begin (StudioRecipeModel *self, TosstRecipe *recipe, TosstRecipe *base)
{
  if (replace (self, recipe, base))
    g_signal_emit_by_name (self, "changed", NULL);
  studio_history_clear (self->history);
}
