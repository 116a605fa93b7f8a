/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "recipe-model.h"

#define MAX_UNDO 200
#define MERGE_US (G_USEC_PER_SEC)

struct _StudioRecipeModel
{
  GObject parent_instance;
  TosstRecipe *recipe;
  GPtrArray *undo, *redo; /* of TosstRecipe, newest last */
  char *last_name;        /* of the last change, to merge a slider's steps */
  gint64 last_time;
};

enum
{
  PROP_CAN_UNDO = 1,
  PROP_CAN_REDO,
  N_PROPERTIES,
};
static GParamSpec *properties[N_PROPERTIES];
static guint changed_signal;

G_DEFINE_FINAL_TYPE (StudioRecipeModel, studio_recipe_model, G_TYPE_OBJECT)

static void
studio_recipe_model_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  StudioRecipeModel *self = STUDIO_RECIPE_MODEL (object);

  if (id == PROP_CAN_UNDO)
    g_value_set_boolean (value, self->undo->len > 0);
  else if (id == PROP_CAN_REDO)
    g_value_set_boolean (value, self->redo->len > 0);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
studio_recipe_model_finalize (GObject *object)
{
  StudioRecipeModel *self = STUDIO_RECIPE_MODEL (object);

  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_pointer (&self->undo, g_ptr_array_unref);
  g_clear_pointer (&self->redo, g_ptr_array_unref);
  g_free (self->last_name);
  G_OBJECT_CLASS (studio_recipe_model_parent_class)->finalize (object);
}

static void
studio_recipe_model_class_init (StudioRecipeModelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = studio_recipe_model_get_property;
  object_class->finalize = studio_recipe_model_finalize;
  properties[PROP_CAN_UNDO] = g_param_spec_boolean ("can-undo", NULL, NULL, FALSE, flags);
  properties[PROP_CAN_REDO] = g_param_spec_boolean ("can-redo", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  changed_signal = g_signal_new ("changed", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
studio_recipe_model_init (StudioRecipeModel *self)
{
  self->recipe = tosst_recipe_new ();
  self->undo = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_recipe_free);
  self->redo = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_recipe_free);
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

static void
announce (StudioRecipeModel *self, const char *name)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_UNDO]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_REDO]);
  g_signal_emit (self, changed_signal, 0, name);
}

static gboolean
continues_last_change (StudioRecipeModel *self, const char *name)
{
  gint64 now = g_get_monotonic_time ();
  gboolean same = name != NULL && g_strcmp0 (name, self->last_name) == 0 && now - self->last_time < MERGE_US;

  self->last_time = now;
  g_free (self->last_name);
  self->last_name = g_strdup (name);
  return same && self->undo->len > 0;
}

/* Makes next (taken) the recipe and keeps the old one to return to. */
static void
advance (StudioRecipeModel *self, TosstRecipe *next, const char *name)
{
  g_autoptr (TosstRecipe) old = g_steal_pointer (&self->recipe);

  self->recipe = next;
  if (tosst_recipe_equal (old, next))
    return;
  if (!continues_last_change (self, name))
    g_ptr_array_add (self->undo, g_steal_pointer (&old));
  if (self->undo->len > MAX_UNDO)
    g_ptr_array_remove_index (self->undo, 0);
  g_ptr_array_set_size (self->redo, 0);
  announce (self, name);
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

  if (!studio_recipe_model_set (self, name, parameter->default_text, &error))
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
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  self->recipe = recipe;
  g_ptr_array_set_size (self->undo, 0);
  g_ptr_array_set_size (self->redo, 0);
  g_clear_pointer (&self->last_name, g_free);
  announce (self, NULL);
}

static void
travel (StudioRecipeModel *self, GPtrArray *from, GPtrArray *to)
{
  if (from->len == 0)
    return;
  g_ptr_array_add (to, g_steal_pointer (&self->recipe));
  self->recipe = g_ptr_array_steal_index (from, from->len - 1);
  g_clear_pointer (&self->last_name, g_free);
  announce (self, NULL);
}

void
studio_recipe_model_undo (StudioRecipeModel *self)
{
  travel (self, self->undo, self->redo);
}

void
studio_recipe_model_redo (StudioRecipeModel *self)
{
  travel (self, self->redo, self->undo);
}
