/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/method/parts.h"

#include "core/base/base.h"

/* A model file has room for so many. */
#define MOST_PARTS 8

static gboolean
read_weights (TosstParts *self, const char *text, GError **error)
{
  double sum = 0;

  self->search = g_strcmp0 (text, TOSST_WEIGHTS_CHOSEN) == 0;
  if (!text || self->search)
    return TRUE;
  self->weights = g_new (double, self->n);
  g_auto (GStrv) list = g_strsplit (text, ";", -1);
  if (g_strv_length (list) != self->n)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("descriptor.weights has %u numbers for %u parts"),
                       g_strv_length (list), self->n);
  for (guint i = 0; i < self->n; i++)
    {
      char *end;

      g_strstrip (list[i]);
      self->weights[i] = g_ascii_strtod (list[i], &end);
      if (end == list[i] || *end || !isfinite (self->weights[i]) || self->weights[i] < 0)
        return tosst_fail (error, TOSST_FAILED_RECIPE,
                           _ ("descriptor.weights must be numbers of at least 0, or choose, not “%s”"), list[i]);
      sum += self->weights[i];
    }
  if (!(sum > 0))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("one of descriptor.weights must be above 0"));
  for (guint i = 0; i < self->n; i++)
    self->weights[i] /= sum;
  return TRUE;
}

/* Kernel and normalisation are those of the method; a method that sets neither has the defaults. */
static TosstRecipe *
combine (const TosstMethod *method, const TosstRecipe *recipe)
{
  static const char *const own[]
      = { "descriptor.parts",     "descriptor.weights", "classifier.kernel", "classifier.width",
          "classifier.sharpness", "pooling.normalise",  "classifier.beside", NULL };
  TosstRecipe *part = tosst_recipe_copy (recipe);

  /* A default of the combination is that of the part's kind, too. */
  tosst_recipe_set (part, "descriptor.kind", "rbf", NULL);
  for (const char *const *name = own; *name; name++)
    tosst_recipe_set (part, *name, tosst_parameter_find (*name)->default_text, NULL);
  tosst_method_apply (method, NULL, part);
  return part;
}

/* The recipe itself, or a method with the data set and the classifier of the recipe. */
static TosstRecipe *
stand_beside (const TosstMethod *method, const TosstRecipe *recipe)
{
  TosstRecipe *part = method ? tosst_recipe_new () : tosst_recipe_copy (recipe);

  for (const TosstParameter *p = tosst_parameters (NULL); method && p->name; p++)
    if (g_str_equal (p->group, "dataset") || p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.loss)
        || p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.c)
        || p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.choose_c))
      {
        g_autofree char *value = tosst_recipe_get (recipe, p);

        tosst_recipe_set_parameter (part, p, value, NULL);
      }
  if (method)
    tosst_method_apply (method, NULL, part);
  tosst_recipe_set (part, "classifier.beside", "", NULL);
  tosst_recipe_set (part, "descriptor.weights", "", NULL);
  return part;
}

TosstParts *
tosst_parts_new (const TosstRecipe *recipe, GError **error)
{
  g_autoptr (TosstParts) self = g_new0 (TosstParts, 1);
  gboolean combined = tosst_recipe_is_combined (recipe);
  const char *names = combined ? recipe->descriptor.parts : recipe->classifier.beside;
  g_autoptr (GPtrArray) methods = tosst_methods_parse (names ? names : "", error);

  if (!methods)
    return NULL;
  if (!combined)
    g_ptr_array_insert (methods, 0, NULL);
  if (methods->len > MOST_PARTS)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s names %u methods, more than %d"),
                       combined ? "descriptor.parts" : "classifier.beside", methods->len - !combined,
                       MOST_PARTS - !combined),
           NULL;
  self->n = methods->len;
  self->method = g_new0 (const TosstMethod *, self->n);
  self->recipe = g_new0 (TosstRecipe *, self->n);
  for (guint i = 0; i < self->n; i++)
    {
      const TosstMethod *method = self->method[i] = g_ptr_array_index (methods, i);
      TosstRecipe *part = self->recipe[i] = combined ? combine (method, recipe) : stand_beside (method, recipe);
      g_autoptr (GError) cause = NULL;

      if (tosst_recipe_is_combined (part))
        return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s has %s, which is a combination itself"),
                           combined ? "descriptor.parts" : "classifier.beside", method->name),
               NULL;
      if (!tosst_recipe_check (part, &cause))
        {
          if (method)
            tosst_fail (error, TOSST_FAILED_RECIPE, _ ("the part %s: %s"), method->name, cause->message);
          else
            g_propagate_error (error, g_steal_pointer (&cause));
          return NULL;
        }
    }
  return read_weights (self, recipe->descriptor.weights, error) ? g_steal_pointer (&self) : NULL;
}

const char *
tosst_parts_name (const TosstParts *self, guint i)
{
  if (self->method[i])
    return self->method[i]->name;
  return tosst_recipe_has_dictionary (self->recipe[i]) ? "dictionary" : "descriptor";
}

const char *
tosst_parts_title (const TosstParts *self, guint i)
{
  if (self->method[i])
    return self->method[i]->title;
  return tosst_recipe_has_dictionary (self->recipe[i]) ? N_ ("The dictionary") : N_ ("The descriptor");
}

void
tosst_parts_free (TosstParts *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->n; i++)
    tosst_recipe_free (self->recipe[i]);
  g_free (self->recipe);
  g_free (self->method);
  g_free (self->weights);
  g_free (self);
}
