/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/recipe/recipe-model.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"

struct _StudioRecipeModel
{
  GObject parent_instance;
  TosstRecipe *recipe;
  StudioHistory *history;
};

G_DEFINE_FINAL_TYPE (StudioRecipeModel, studio_recipe_model, G_TYPE_OBJECT)

static void
studio_recipe_model_finalize (GObject *object)
{
  StudioRecipeModel *self = STUDIO_RECIPE_MODEL (object);

  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_object (&self->history);
  G_OBJECT_CLASS (studio_recipe_model_parent_class)->finalize (object);
}

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
  self->history = studio_history_new ();
}

StudioRecipeModel *
studio_recipe_model_new (void)
{
  return g_object_new (STUDIO_TYPE_RECIPE_MODEL, NULL);
}

const TosstRecipe *
studio_recipe_model_peek (StudioRecipeModel *self)
{
  return self->recipe;
}

StudioHistory *
studio_recipe_model_get_history (StudioRecipeModel *self)
{
  return self->history;
}

static void
become (StudioRecipeModel *self, TosstRecipe *next, const char *name)
{
  g_autoptr (TosstRecipe) old = g_steal_pointer (&self->recipe);

  self->recipe = next;
  if (!tosst_recipe_equal (old, next))
    g_signal_emit_by_name (self, "changed", name);
}

static void
apply (gpointer target, gconstpointer state)
{
  become (target, tosst_recipe_copy (state), NULL);
}

/* Makes next (taken) the recipe and keeps the old one to return to. */
static void
advance (StudioRecipeModel *self, TosstRecipe *next, const char *name)
{
  const TosstParameter *parameter = name != NULL ? tosst_parameter_find (name) : NULL;

  if (!tosst_recipe_equal (self->recipe, next))
    studio_history_add (self->history, parameter != NULL ? _ (parameter->label) : _ ("Recipe"), name, apply, self,
                        tosst_recipe_copy (self->recipe), tosst_recipe_copy (next), (GDestroyNotify)tosst_recipe_free);
  become (self, next, name);
}

gboolean
studio_recipe_model_set (StudioRecipeModel *self, const char *name, const char *text, GError **error)
{
  g_autoptr (TosstRecipe) next = tosst_recipe_copy (self->recipe);

  if (!tosst_recipe_set (next, name, text, error))
    return FALSE;
  advance (self, g_steal_pointer (&next), name);
  return TRUE;
}

void
studio_recipe_model_reset (StudioRecipeModel *self, const TosstParameter *parameter)
{
  g_autofree char *name = g_strconcat (parameter->group, ".", parameter->key, NULL);
  g_autoptr (GError) error = NULL;

  if (!studio_recipe_model_set (self, name, tosst_recipe_default_text (self->recipe, parameter), &error))
    g_warning ("%s", error->message);
}

void
studio_recipe_model_take (StudioRecipeModel *self, TosstRecipe *recipe)
{
  advance (self, recipe, NULL);
}

void
studio_recipe_model_begin (StudioRecipeModel *self, TosstRecipe *recipe)
{
  become (self, recipe, NULL);
  studio_history_clear (self->history);
}
