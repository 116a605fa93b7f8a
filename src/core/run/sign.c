/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signatures of a split: tensors of the sample, dictionary, codes; and their part of a model. With plain descriptors
 * there is no dictionary, and learning is skipped.
 */
#include "core/base/base.h"
#include "core/dictionary/model.h"
#include "core/run/private.h"

static int
compare_sides (gconstpointer a, gconstpointer b)
{
  return *(const int *)a - *(const int *)b;
}

/* Median of the shorter sides of the samples. */
static int
sample_side (TosstDataset *dataset)
{
  guint n = tosst_dataset_own_samples (dataset);
  g_autofree int *sides = g_new (int, n);

  for (guint i = 0; i < n; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, i);

      sides[i] = MIN (sample->width, sample->height);
    }
  qsort (sides, n, sizeof *sides, compare_sides);
  return sides[n / 2];
}

TosstModel *
tosst_run_model_new (TosstRun *self, const TosstDictionary *dictionary, const TosstSignatures *signatures)
{
  const TosstPca *pca = signatures->pca != NULL ? signatures->pca : self->source->pca;
  TosstModel *model = g_new0 (TosstModel, 1);

  model->recipe = tosst_recipe_copy (self->recipe);
  model->dictionary = dictionary != NULL ? tosst_dictionary_copy (dictionary) : NULL;
  model->pca = pca != NULL ? tosst_pca_copy (pca) : NULL;
  model->mixture = signatures->mixture != NULL ? tosst_mixture_copy (signatures->mixture) : NULL;
  model->components = g_steal_pointer (&self->components);
  model->class_names = g_strdupv (self->result->class_names);
  model->sample_side = sample_side (self->dataset);
  return model;
}

/* All processes of a divided run have the checkpoint of process 0. A checkpoint file is newer than the checkpoint in the
 * store, since saving to the store deletes the file. */
static void
load_rest (TosstRun *self, int split)
{
  const TosstRunOptions *options = self->options;
  g_autoptr (GBytes) bytes = options->load != NULL ? options->load (split, options->data) : NULL;
  g_autoptr (GFile) file = options->place != NULL ? options->place (split, options->data) : NULL;
  TosstShape shape = self->layout->shape;
  int atoms = tosst_recipe_has_dictionary (self->recipe) ? self->recipe->dictionary.atoms : 0;
  gsize numbers = self->patches->samples * self->length;

  g_clear_pointer (&self->checkpoint, tosst_checkpoint_free);
  self->checkpoint = file != NULL ? tosst_checkpoint_read (file, shape, atoms, numbers) : NULL;
  if (self->checkpoint == NULL && bytes != NULL)
    self->checkpoint = tosst_checkpoint_from_bytes (bytes, shape, atoms, numbers);
  if (!(options->ranks != NULL && options->interval > 0))
    return;
  g_clear_pointer (&bytes, g_bytes_unref);
  bytes = self->checkpoint != NULL ? tosst_checkpoint_to_bytes (self->checkpoint) : NULL;
  g_clear_pointer (&self->checkpoint, tosst_checkpoint_free);
  g_autoptr (GBytes) shared = tosst_run_share_checkpoint (self, bytes);
  self->checkpoint = shared != NULL ? tosst_checkpoint_from_bytes (shared, shape, atoms, numbers) : NULL;
}

TosstShared *
tosst_run_sign (TosstRun *self, const GArray *train, guint split, TosstShared **learned, GError **error)
{
  *learned = NULL;
  if (tosst_recipe_has_split_tensors (self->recipe) && !tosst_run_tensors_open (self, (int)split, error))
    return NULL;
  load_rest (self, (int)split);
  if (tosst_recipe_has_dictionary (self->recipe) && !(*learned = tosst_run_learn (self, train, (int)split, error)))
    return NULL;
  if (!tosst_run_find_components (self, train, (int)split, error))
    return NULL;
  TosstShared *signatures = tosst_run_code (self, *learned != NULL ? (*learned)->data : NULL, (int)split, error);
  if (signatures != NULL && split == 0 && self->atom_usage != NULL)
    tosst_atom_usage_set_frames (self->atom_usage, self->patches);
  return signatures;
}

void
tosst_run_keep_dictionary (TosstRun *self, const TosstDictionary *dictionary, TosstSplitResult *outcome)
{
  if (outcome->split == 0)
    {
      self->result->usage = outcome->usage = g_steal_pointer (&self->atom_usage);
      self->result->dictionary = dictionary != NULL ? tosst_dictionary_copy (dictionary) : NULL;
      return;
    }
  if (!self->options->dictionaries || dictionary == NULL || tosst_recipe_has_split_tensors (self->recipe))
    return;
  gsize bytes = sizeof *dictionary->V * (gsize)dictionary->K * (gsize)(dictionary->D + dictionary->S);
  if (bytes <= TOSST_SPLIT_DICTIONARIES / (gsize)outcome->split)
    outcome->dictionary = tosst_dictionary_copy (dictionary);
}

TOSST_DEFINE_PUBLIC_CLEAR (TosstRun, tosst_run_release, TosstRun *, (atom_usage, tosst_atom_usage_unref),
                           (checkpoint, tosst_checkpoint_free), (components, tosst_linear_free),
                           (drawn, tosst_dictionary_free), (shared_tensors, tosst_shared_unref))

void
tosst_run_count_empty (TosstRun *self, const TosstSignatures *signatures)
{
  guint n = 0, first = 0;

  for (guint i = tosst_dataset_own_samples (self->dataset); i-- > 0;)
    {
      if (tosst_signature_is_empty (signatures->values + i * self->length, (int)self->length))
        {
          first = i;
          n++;
        }
      tosst_signatures_release (signatures, self->length, i, 1);
    }
  if (n <= self->result->empty)
    return;
  self->result->empty = n;
  g_free (self->result->empty_name);
  self->result->empty_name
      = g_strdup (tosst_dataset_image (self->dataset, (guint)tosst_dataset_sample (self->dataset, first)->image)->name);
}
