/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is tried: methods, and variations of their values.
 */
#include "config.h"

#include "core/tune/private.h"

#include <math.h>
#include <string.h>

#include "core/method/methods.h"

/* Methods by their accuracy on photographs of textures for the time that they take, the highest first. */
static const char *const methods[]
    = { "fisher", "fisher-covariance", "image-covariance", "combined", "fisher-affine", "tensor", "fisher-dense",
        "lbp",    "log-covariance",    "tosst-rbf" };

/* Values to try instead of the present one: factors of numbers, or words. */
static const struct
{
  const char *key, *values; /* separated by spaces; "*2" is a factor */
} variations[] = {
  { "classifier.c", "*0.1 *10" },
  { "coding.gaussians", "*2 *0.5" },
  { "descriptor.pca", "*1.5 *0.6" },
  { "pooling.power", "*0.6 *1.6" },
  { "dictionary.atoms", "*2 *4" },
  { "descriptor.longest-side", "*1.5" },
  { "classifier.width", "3 10" },
  { "descriptor.patch", "*0.7 *1.5" },
  { "descriptor.detector", "hessian dog" },
  { "descriptor.shape", "affine similarity" },
  { "descriptor.radii", "8;12;16;24 16;24;32;48" },
  { "descriptor.gamma-eigen", "*0.5 1" },
  { "descriptor.features", "linear" },
  { "dictionary.lambda", "*0.3 *3" },
};

void
tosst_candidate_free (gpointer candidate)
{
  TosstCandidate *self = candidate;

  g_free (self->name);
  tosst_recipe_free (self->recipe);
  g_free (self);
}

static void
add (GPtrArray *all, char *name, TosstRecipe *recipe)
{
  TosstCandidate *candidate = g_new (TosstCandidate, 1);

  *candidate = (TosstCandidate){ name, recipe };
  g_ptr_array_add (all, candidate);
}

GPtrArray *
tosst_tune_methods (const TosstRecipe *base)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (tosst_candidate_free);

  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (base);

      if (tosst_method_apply_to (tosst_method_find (methods[i], NULL), base, recipe))
        add (all, g_strdup (methods[i]), g_steal_pointer (&recipe));
    }
  return all;
}

/* The value that a word of the table stands for, in the form of files. New; NULL: none. */
static char *
varied_value (const TosstRecipe *recipe, const TosstParameter *p, const char *word)
{
  g_autofree char *now = tosst_recipe_get (recipe, p);
  double value;

  if (word[0] != '*')
    return strcmp (word, now) == 0 ? NULL : g_strdup (word);
  value = g_ascii_strtod (now, NULL) * g_ascii_strtod (word + 1, NULL);
  if (*now == '\0' || value == 0)
    return NULL;
  value = CLAMP (value, p->minimum, p->maximum);
  return p->type == TOSST_PARAMETER_INTEGER ? g_strdup_printf ("%.0f", round (value)) : g_strdup_printf ("%.4g", value);
}

static void
vary (GPtrArray *all, const TosstRecipe *base, const TosstCandidate *best, const TosstParameter *p, const char *word)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (best->recipe);
  g_autofree char *value = varied_value (best->recipe, p, word);
  g_autofree char *name = g_strdup_printf ("%s.%s", p->group, p->key);

  if (value && tosst_method_set (recipe, base, name, value) && !tosst_recipe_equal (recipe, best->recipe)
      && tosst_recipe_check (recipe, NULL))
    add (all, g_strdup_printf ("%s %s=%s", best->name, name, value), g_steal_pointer (&recipe));
}

GPtrArray *
tosst_tune_variations (const TosstRecipe *base, const TosstCandidate *best)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (tosst_candidate_free);

  for (gsize i = 0; i < G_N_ELEMENTS (variations); i++)
    {
      const TosstParameter *p = tosst_parameter_find (variations[i].key);
      g_auto (GStrv) words = g_strsplit (variations[i].values, " ", -1);

      for (char **word = words; p && !tosst_recipe_why_inactive (best->recipe, p) && *word; word++)
        vary (all, base, best, p, *word);
    }
  return all;
}
