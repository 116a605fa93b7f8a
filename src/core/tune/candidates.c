/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is tried: methods, and variations of their values.
 */
#include "config.h"

#include "core/tune/private.h"

#include <math.h>
#include <string.h>

#define KEYPOINTS                                                                                                      \
  { "descriptor.kind", "sift" }, { "descriptor.frames", "keypoints" }, { "descriptor.root", "true" },                  \
  {                                                                                                                    \
    "descriptor.spatial", "none"                                                                                       \
  }

/* Methods by their accuracy on photographs of textures, the highest first. */
static const struct
{
  const char *name;
  const char *const values[10][2];
} methods[] = {
  { "fisher", { KEYPOINTS, { "coding.method", "fisher" }, { "descriptor.pca", "64" }, { "classifier.c", "10" } } },
  { "image-covariance", { { "descriptor.kind", "image-covariance" }, { "classifier.kernel", "rbf" } } },
  { "fisher-dense",
    { { "descriptor.kind", "sift" },
      { "descriptor.root", "true" },
      { "descriptor.spatial", "none" },
      { "coding.method", "fisher" },
      { "descriptor.pca", "64" } } },
  { "tensor", { KEYPOINTS, { "coding.method", "raw" }, { "descriptor.pca", "40" } } },
  { "lbp", { { "descriptor.kind", "lbp" }, { "classifier.kernel", "chi2" } } },
  { "covariance",
    { { "descriptor.kind", "covariance" }, { "descriptor.features", "rbf" }, { "coding.method", "log-euclidean" } } },
  { "dictionary", { { "descriptor.kind", "rbf" }, { "coding.method", "sparse" } } },
};

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

/* Sets a value unless base has another one of its own. */
static gboolean
set (TosstRecipe *recipe, const TosstRecipe *base, const char *name, const char *text)
{
  const TosstParameter *p = tosst_parameter_find (name);
  g_autofree char *own = p ? tosst_recipe_get (base, p) : NULL;

  return p && (tosst_recipe_is_default (base, p) || strcmp (own, text) == 0)
         && tosst_recipe_set_parameter (recipe, p, text, NULL);
}

static TosstRecipe *
recipe_of_method (const TosstRecipe *base, gsize method)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (base);

  for (int pass = 0; pass < 2; pass++)
    for (gsize i = 0; i < G_N_ELEMENTS (methods[method].values) && methods[method].values[i][0]; i++)
      {
        const char *const *value = methods[method].values[i];

        if (tosst_parameter_sets_defaults (value[0]) == (pass == 0) && !set (recipe, base, value[0], value[1]))
          return NULL;
      }
  return g_steal_pointer (&recipe);
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
      TosstRecipe *recipe = recipe_of_method (base, i);

      if (recipe)
        add (all, g_strdup (methods[i].name), recipe);
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

  if (value && set (recipe, base, name, value) && !tosst_recipe_equal (recipe, best->recipe)
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
