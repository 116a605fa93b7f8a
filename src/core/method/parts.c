/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/method/parts.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"

/* A model file has room for so many. */
#define MOST_PARTS 8

static gboolean
read_weights (TosstParts *self, const char *text, GError **error)
{
  g_auto (GStrv) list = NULL;
  double sum = 0;

  self->search = g_strcmp0 (text, TOSST_WEIGHTS_CHOSEN) == 0;
  if (!text || self->search)
    return TRUE;
  self->weights = g_new (double, self->n);
  list = g_strsplit (text, ";", -1);
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
static gboolean
make_recipe (TosstParts *self, guint i, const TosstRecipe *recipe, GError **error)
{
  static const char *const own[] = { "descriptor.parts",
                                     "descriptor.weights",
                                     "classifier.kernel",
                                     "classifier.width",
                                     "classifier.sharpness",
                                     "pooling.normalise",
                                     NULL };
  g_autoptr (GError) cause = NULL;
  TosstRecipe *part = self->recipe[i] = tosst_recipe_copy (recipe);

  /* A default of the combination is that of the part's kind, too. */
  tosst_recipe_set (part, "descriptor.kind", "rbf", NULL);
  for (const char *const *name = own; *name; name++)
    tosst_recipe_set (part, *name, tosst_parameter_find (*name)->default_text, NULL);
  tosst_method_apply (self->method[i], part);
  if (tosst_recipe_is_combined (part))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("descriptor.parts has %s, which is a combination itself"),
                       self->method[i]->name);
  return tosst_recipe_check (part, &cause)
         || tosst_fail (error, TOSST_FAILED_RECIPE, _ ("the part %s: %s"), self->method[i]->name, cause->message);
}

TosstParts *
tosst_parts_new (const TosstRecipe *recipe, GError **error)
{
  g_autoptr (TosstParts) self = g_new0 (TosstParts, 1);
  g_autoptr (GPtrArray) methods = tosst_methods_parse (recipe->descriptor.parts ? recipe->descriptor.parts : "", error);

  if (!methods)
    return NULL;
  if (methods->len > MOST_PARTS)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("descriptor.parts names %u methods, more than %d"), methods->len,
                       MOST_PARTS),
           NULL;
  self->n = methods->len;
  self->method = g_new0 (const TosstMethod *, self->n);
  self->recipe = g_new0 (TosstRecipe *, self->n);
  for (guint i = 0; i < self->n; i++)
    {
      self->method[i] = g_ptr_array_index (methods, i);
      if (!make_recipe (self, i, recipe, error))
        return NULL;
    }
  return read_weights (self, recipe->descriptor.weights, error) ? g_steal_pointer (&self) : NULL;
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
