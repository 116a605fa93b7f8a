/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All values that determine the result of a run, as one text and its checksum.
 */
#include "core/run/hash.h"

#include "core/base/base.h"
#include "core/local/texture-vectors.h"
#include "core/method/parts.h"
#include "tosst/pool.h"

#define DIGITS 32

/* A copy of the recipe with derived defaults filled in. */
static TosstRecipe *
resolve (const TosstRecipe *recipe)
{
  TosstRecipe *resolved = tosst_recipe_copy (recipe);
  TosstCodingOptions coding;
  TosstLearnOptions learn;

  tosst_recipe_coding_options (recipe, &coding);
  tosst_recipe_learn_options (recipe, &learn);
  resolved->coding.lambda = coding.problem.lambda;
  resolved->coding.gamma = coding.problem.gamma;
  resolved->dictionary.rank = learn.rank;
  resolved->dataset.block = tosst_recipe_block (recipe);
  resolved->dataset.train_per_class = tosst_recipe_train_per_class (recipe);
  resolved->dataset.validate = tosst_recipe_validate (recipe);
  /* The default for maxexp is the number of codes, which the recipe does not contain. */
  if (isnan (recipe->pooling.parameter) && recipe->pooling.kind != TOSST_POOL_MAXEXP)
    resolved->pooling.parameter = tosst_pool_resolve (recipe->pooling.kind, NAN, 1);
  return resolved;
}

/* Whether a part depends on an active parameter. */
static gboolean
is_of_part (const TosstRecipe *recipe, const TosstParameter *p, TosstRunPart part)
{
  /* Principal components are learned from the training samples, as a dictionary is. */
  gboolean fisher = tosst_recipe_is_fisher (recipe);
  gboolean plain = !tosst_recipe_has_dictionary (recipe) && !fisher && tosst_recipe_coding (recipe) != TOSST_CODING_PCA;

  /* The first part of Fisher vectors are the local features as they are. */
  if (g_str_equal (p->group, "descriptor"))
    return !fisher || part > TOSST_PART_TENSORS
           || !(g_str_has_prefix (p->key, "pca") || g_str_equal (p->key, "normalise"));
  /* These determine the patches and, from the dictionary on, the training samples; of nested splits all stages have only
   * the images of one split, and copies are images. */
  if (g_str_equal (p->group, "dataset"))
    return g_str_has_prefix (p->key, "block") || recipe->dataset.within > 0 || tosst_recipe_has_copies (recipe)
           || tosst_recipe_has_split_tensors (recipe) || (part >= TOSST_PART_DICTIONARY && !plain);
  /* A random dictionary is drawn from the learned one. */
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.source))
    return part > TOSST_PART_DICTIONARY;
  if (g_str_equal (p->group, "dictionary"))
    return part >= TOSST_PART_DICTIONARY;
  if (g_str_equal (p->group, "coding"))
    return part >= TOSST_PART_CODES
           || (part == TOSST_PART_DICTIONARY
               && (p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.signed_alpha)
                   || p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.nonnegative_beta)));
  return g_str_equal (p->group, "pooling") && part >= TOSST_PART_SIGNATURES;
}

/* The hashes of the parts of a combination have the others. */
static gboolean
is_of_combination (const TosstParameter *p)
{
  return g_str_equal (p->group, "dataset") || g_str_equal (p->group, "classifier")
         || p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.kind)
         || p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.parts)
         || p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.weights);
}

/* Earlier versions took this value of whole tensors for one that matters: their runs are found by its default. */
static gboolean
is_kept (const TosstRecipe *recipe, const TosstParameter *p)
{
  return p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.nonnegative_beta)
         && recipe->dictionary.scheme == TOSST_SCHEME_FULL && tosst_recipe_has_dictionary (recipe);
}

/* Appends the active values that part (TOSST_N_RUN_PARTS: the whole run) depends on. */
static void
append_values (GString *text, const TosstRecipe *resolved, TosstRunPart part, gboolean splits)
{
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      /* The fingerprint of the data set covers these. */
      gboolean of_data = g_str_equal (p->group, "dataset")
                         && (g_str_equal (p->key, "path") || g_str_equal (p->key, "exclude")
                             || g_str_equal (p->key, "additions") || g_str_equal (p->key, "hard"));
      gboolean inactive = tosst_recipe_why_inactive (resolved, p) != NULL, kept = inactive && is_kept (resolved, p);
      g_autofree char *value = kept ? g_strdup (p->default_text) : tosst_recipe_get (resolved, p);
      if (of_data || (p->added && strcmp (value, p->default_text) == 0) || (inactive && !kept)
          || (tosst_recipe_is_combined (resolved) && !is_of_combination (p))
          || (!splits && p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.splits))
          || (part < TOSST_N_RUN_PARTS && !is_of_part (resolved, p, part)))
        continue;
      g_string_append_printf (text, "%s=%s\n", p->name, value);
    }
}

static char *
digest (const GString *text)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text->str, (gssize)text->len);

  return g_strndup (sum, DIGITS);
}

/* Appends the fingerprint and, where images are reduced, a line that tells such runs from those of versions that described
 * the whole images. Those versions had no invariant-covariance. */
static void
append_data (GString *text, const TosstRecipe *recipe, const char *data)
{
  const char *colon = strchr (data, ':');

  g_string_append_printf (text, "data=%.*s\n", (int)(colon != NULL ? colon - data : (gssize)strlen (data)), data);
  if (colon != NULL && recipe->descriptor.kind != TOSST_DESCRIPTOR_INVARIANT_COVARIANCE
      && tosst_texture_reduces (recipe, atoi (colon + 1)))
    g_string_append_printf (text, "longest=%d\n", TOSST_TEXTURE_LONGEST);
}

/* The recipe of a combination names methods, whose values may differ in another version. Their kernels are their own. */
static void
append_parts (GString *text, const TosstRecipe *recipe, const char *data)
{
  TosstParts *parts = tosst_recipe_has_parts (recipe) ? tosst_parts_new (recipe, NULL) : NULL;

  for (guint i = 0; parts != NULL && i < parts->n; i++)
    {
      g_autofree char *hash = tosst_run_part_hash (parts->recipe[i], data, TOSST_PART_SIGNATURES);

      gboolean linear = parts->recipe[i]->classifier.kernel == TOSST_KERNEL_LINEAR;
      g_autofree char *width
          = linear ? g_strdup ("") : tosst_recipe_get (parts->recipe[i], tosst_parameter_find ("classifier.width"));

      g_string_append_printf (text, "method=%s\nkernel=%d %s\n", hash, (int)parts->recipe[i]->classifier.kernel, width);
      if (!linear && parts->recipe[i]->classifier.sharpness != 1)
        g_string_append_printf (text, "sharpness=%.17g\n", parts->recipe[i]->classifier.sharpness);
    }
  tosst_parts_free (parts);
}

char *
tosst_run_hash (const TosstRecipe *recipe, const char *data, int split)
{
  g_autoptr (TosstRecipe) resolved = resolve (recipe);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "numerics=%d\n", TOSST_NUMERICS);
  append_data (text, resolved, data);
  append_values (text, resolved, TOSST_N_RUN_PARTS, split < 0);
  append_parts (text, recipe, data);
  if (split >= 0)
    g_string_append_printf (text, "split=%d\n", split);
  return digest (text);
}

char *
tosst_run_part_hash (const TosstRecipe *recipe, const char *data, TosstRunPart part)
{
  g_autoptr (TosstRecipe) resolved = resolve (recipe);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "part=%d\n", part);
  append_data (text, resolved, data);
  /* The layout of tensors in memory depends on the scheme. Where there are none it is that of the defaults. */
  if (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.order")))
    resolved->descriptor.order = 3;
  g_string_append_printf (text, "shape=%d\n", (int)tosst_recipe_shape (resolved).kind);
  append_values (text, resolved, part, FALSE);
  return digest (text);
}

gboolean
tosst_run_is_hash (const char *text)
{
  return strlen (text) == DIGITS && strspn (text, "0123456789abcdef") == DIGITS;
}
