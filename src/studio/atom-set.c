/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "atom-set.h"

#include <glib/gi18n.h>
#include <string.h>

#include "coding/support.h"
#include "draw-slices.h"
#include "error.h"
#include "tensor/rank.h"

/* ||B_k||^2 ||b_k||^2: columns of V are weighted so that their norm is that of the matrix. */
static void
measure_energy (StudioAtomSet *self)
{
  const TosstDictionary *dictionary = self->dictionary;

  for (int k = 0; k < dictionary->K; k++)
    {
      const double *v = dictionary->V + (gsize)k * dictionary->D, *b = dictionary->b + (gsize)k * dictionary->S;
      double first = 0, second = 0;

      for (int p = 0; p < dictionary->D; p++)
        first += v[p] * v[p];
      for (int s = 0; s < dictionary->S; s++)
        second += b[s] * b[s];
      self->energy[k] = first * second;
    }
}

static int
compare_values (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *value = data;
  double x = value[*(const int *)a], y = value[*(const int *)b];

  return x > y ? -1 : x < y ? 1 : *(const int *)a - *(const int *)b;
}

static void
put_in_order (StudioAtomSet *self)
{
  for (int k = 0; k < self->dictionary->K; k++)
    self->order[k] = k;
  g_qsort_with_data (self->order, self->dictionary->K, sizeof *self->order, compare_values, self->energy);
}

static gboolean
measure_ranks (StudioAtomSet *self, int threads, GError **error)
{
  TosstContext *context = tosst_context_new (threads);
  TosstStatus status;
  gboolean fine;

  if (context == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Ranks"), error);
  status
      = tosst_atom_ranks (context, self->dictionary, tosst_rank_tolerance (self->dictionary->shape, TRUE), self->ranks);
  fine = tosst_error_from_status (status, context, _ ("Ranks"), error);
  tosst_context_free (context);
  return fine;
}

StudioAtomSet *
studio_atom_set_new (TosstDictionary *dictionary, const TosstRecipe *recipe, int threads, GError **error)
{
  g_autoptr (StudioAtomSet) self = g_new0 (StudioAtomSet, 1);

  g_atomic_ref_count_init (&self->references);
  self->dictionary = dictionary;
  self->recipe = recipe != NULL ? tosst_recipe_copy (recipe) : NULL;
  self->ranks = g_new0 (int, dictionary->K);
  self->energy = g_new0 (double, dictionary->K);
  self->order = g_new0 (int, dictionary->K);
  if (!measure_ranks (self, threads, error))
    return NULL;
  measure_energy (self);
  put_in_order (self);
  return g_steal_pointer (&self);
}

StudioAtomSet *
studio_atom_set_load (GFile *file, int threads, GError **error)
{
  TosstDictionaryMeta meta = { 0 };
  TosstDictionary *dictionary = tosst_dictionary_load (file, &meta, error);
  g_autofree char *name = g_file_get_basename (file);
  g_autoptr (TosstRecipe) recipe = NULL;
  StudioAtomSet *self = NULL;

  if (dictionary == NULL)
    return NULL;
  /* A recipe that this program cannot read is as none: the atoms are what was asked for. */
  if (meta.recipe != NULL)
    recipe = tosst_recipe_parse (meta.recipe, name, NULL);
  self = studio_atom_set_new (dictionary, recipe, threads, error);
  if (self != NULL)
    self->file = g_filename_display_name (name);
  tosst_dictionary_meta_clear (&meta);
  return self;
}

StudioAtomSet *
studio_atom_set_ref (StudioAtomSet *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
studio_atom_set_unref (StudioAtomSet *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  tosst_dictionary_free (self->dictionary);
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_free (self->file);
  g_free (self->ranks);
  g_free (self->energy);
  g_free (self->order);
  g_free (self);
}

TosstRecipe *
studio_atom_set_recipe (StudioAtomSet *self, const TosstRecipe *otherwise)
{
  return tosst_recipe_copy (self->recipe != NULL ? self->recipe : otherwise);
}

static TosstShape
described_shape (const TosstRecipe *recipe)
{
  return tosst_moment_shape (tosst_recipe_moment (recipe), tosst_recipe_dimension (recipe));
}

char *
studio_atom_set_mismatch (StudioAtomSet *self, const TosstRecipe *recipe)
{
  TosstShape described = described_shape (recipe), shape = self->dictionary->shape;

  if (tosst_shape_fits (described, shape))
    return NULL;
  if (shape.kind == TOSST_SHAPE_GENERAL || described.kind == shape.kind)
    return g_strdup_printf (_ ("Its atoms are for tensors of side %d, and the recipe describes patches by tensors of "
                               "side %d. Choose the features under Descriptor that it was learned with."),
                            shape.d1, described.d1);
  return g_strdup (_ ("Its atoms are for another kind of descriptor. Choose the one that it was learned with under "
                      "Descriptor."));
}

TosstDictionary *
studio_atom_set_select (StudioAtomSet *self, int n, int *chosen)
{
  const TosstDictionary *all = self->dictionary;
  TosstDictionary *some = tosst_dictionary_new_shape (all->shape, n);

  if (some == NULL)
    return NULL;
  some->scale = all->scale;
  for (int i = 0; i < n; i++)
    {
      gsize k = (gsize)self->order[i];

      chosen[i] = self->order[i];
      memcpy (some->V + (gsize)i * all->D, all->V + k * all->D, sizeof *all->V * all->D);
      memcpy (some->b + (gsize)i * all->S, all->b + k * all->S, sizeof *all->b * all->S);
    }
  return some;
}

GArray *
studio_atom_set_groups (StudioAtomSet *self, const TosstRecipe *otherwise)
{
  const TosstRecipe *recipe = self->recipe != NULL ? self->recipe : otherwise;
  TosstFeatureOptions options;

  if (recipe == NULL || !tosst_shape_fits (described_shape (recipe), self->dictionary->shape))
    return NULL;
  tosst_recipe_feature_options (recipe, &options);
  return tosst_feature_groups (&options);
}
