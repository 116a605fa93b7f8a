/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of an experiment that depend on data with several labels an image.
 */
#include "config.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/data/voc.h"
#include "core/reproduce/private.h"

/* Sets values or axes in all parts, except those that the caller has set. */
static gboolean
set_in_all (TosstReproduction *self, const TosstExperimentValue *values, gboolean axes, GError **error)
{
  for (; values && values->key; values++)
    for (guint i = 0; i < self->sweeps->len && !g_hash_table_contains (self->own, values->key); i++)
      {
        TosstSweep *sweep = g_ptr_array_index (self->sweeps, i);

        if (!(axes ? tosst_sweep_set_axis : tosst_sweep_set) (sweep, values->key, values->value, error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
set_official (TosstReproduction *self, const TosstRecipe *base, GError **error)
{
  g_autoptr (GFile) folder = g_file_new_for_path (base->dataset.path);
  g_autoptr (GPtrArray) missing = base->dataset.kind == TOSST_DATASET_VOC2007 ? tosst_voc_missing (folder) : NULL;

  self->official = missing && missing->len == 0;
  if (!self->official || self->flags & (TOSST_REPRODUCE_QUICK | TOSST_REPRODUCE_CHOOSE))
    return TRUE;
  return set_in_all (self, self->experiment->official_values, FALSE, error)
         && set_in_all (self, self->experiment->official_axes, TRUE, error);
}

/* The average precision of a rare class is mostly noise. */
static gboolean
leave_out_rare (TosstReproduction *self, const TosstRecipe *base, TosstDataset *dataset, GError **error)
{
  guint n = tosst_dataset_classes (dataset), rare = 0;
  g_autoptr (GString) names = g_string_new (NULL);

  g_clear_pointer (&self->left_out, g_free);
  for (guint i = 0; i < n; i++)
    if (tosst_dataset_count_label (dataset, TOSST_SIDE_TEST, i, 1) < TOSST_REPRODUCE_POSITIVES)
      {
        g_string_append_printf (names, "%s%s", rare > 0 ? "," : "", tosst_dataset_class_name (dataset, i));
        rare++;
      }
  if (rare == 0 || rare == n || base->dataset.exclude)
    return TRUE;
  const TosstExperimentValue exclude[] = { { "dataset.exclude", names->str }, { NULL } };

  if (!set_in_all (self, exclude, FALSE, error))
    return FALSE;
  g_string_replace (names, ",", ", ", 0);
  self->left_out = g_strdup (names->str);
  return TRUE;
}

/* Limits the values of dictionary.atoms of a part with principal components. */
static gboolean
limit_atoms (TosstSweep *sweep, guint most, GError **error)
{
  g_autoptr (GStrvBuilder) some = g_strv_builder_new ();
  g_auto (GStrv) values = NULL;
  g_autofree char *last = g_strdup_printf ("%u", most), *text = NULL;
  guint n = 0, all = 0;

  for (guint i = 0; i < sweep->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (sweep->axes, i);

      if (axis->parameter != tosst_parameter_find ("dictionary.atoms") || !axis->values)
        continue;
      for (char **value = axis->values; *value; value++, all++)
        if (g_ascii_strtoull (*value, NULL, 10) <= most)
          {
            g_strv_builder_add (some, *value);
            n++;
          }
    }
  if (all == 0)
    return sweep->base->dictionary.atoms <= (int)most || tosst_sweep_set (sweep, "dictionary.atoms", last, error);
  if (n == 0)
    return tosst_sweep_set (sweep, "dictionary.atoms", last, error);
  values = g_strv_builder_end (some);
  text = g_strjoinv (";", values);
  return tosst_sweep_set_axis (sweep, "dictionary.atoms", text, error);
}

static gboolean
limit_components (TosstReproduction *self, TosstDataset *dataset, GError **error)
{
  for (guint i = 0; i < self->sweeps->len; i++)
    {
      TosstSweep *sweep = g_ptr_array_index (self->sweeps, i);
      g_autoptr (GArray) train = NULL, test = NULL;

      if (sweep->base->coding.method != TOSST_CODING_PCA)
        continue;
      if (!tosst_dataset_split (dataset, sweep->base, 0, &train, &test, error)
          || !limit_atoms (sweep, train->len, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tosst_reproduction_adapt (TosstReproduction *self, GError **error)
{
  const TosstRecipe *base = ((TosstSweep *)g_ptr_array_index (self->sweeps, 0))->base;
  g_autoptr (TosstDataset) dataset = NULL;

  if (!self->experiment->methods || !tosst_recipe_has_several_labels (base))
    return TRUE;
  dataset = tosst_dataset_open (base, NULL, error);
  return dataset && set_official (self, base, error) && leave_out_rare (self, base, dataset, error)
         && limit_components (self, dataset, error);
}
