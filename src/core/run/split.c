/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One split: tensors of the sample, dictionary, codes and signatures, classifier, accuracy. With plain descriptors
 * there is no dictionary, and learning is skipped.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dictionary/model.h"
#include "core/run/private.h"
#include "tosst/svm.h"

static int
compare_sides (gconstpointer a, gconstpointer b)
{
  return *(const int *)a - *(const int *)b;
}

/* Median of the shorter sides of the samples. */
static int
sample_side (TosstDataset *dataset)
{
  guint n = tosst_dataset_samples (dataset);
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

/* Dictionary, if any, and model of the first split become those of the result. */
static void
store_model (TosstRun *self, const TosstDictionary *dictionary, const TosstSignatures *signatures,
             TosstTrained *trained)
{
  TosstModel *model = tosst_run_model_new (self, dictionary, signatures);

  model->svm = g_steal_pointer (&trained->svm);
  model->kernel = g_steal_pointer (&trained->kernel);
  self->result->dictionary = dictionary != NULL ? tosst_dictionary_copy (dictionary) : NULL;
  self->result->model = model;
  self->result->split[0].model = model;
  self->result->usage = g_steal_pointer (&self->atom_usage);
  self->result->split[0].usage = self->result->usage;
}

/* A checkpoint file is newer than the checkpoint in the store, since saving to the store deletes the file. */
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
}

/* Trains the classifier and tests it. */
static gboolean
classify (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, const GArray *train,
          const GArray *test, TosstSplitResult *outcome, GError **error)
{
  TosstTrained trained = { 0 };

  outcome->worst_kkt = signatures->worst_kkt;
  outcome->mean_nonzeros = signatures->mean_nonzeros;
  if (!tosst_run_classify (self, learned, signatures, NULL, train, test, outcome, &trained, error))
    return FALSE;
  if (outcome->split == 0)
    store_model (self, tosst_run_dictionary (self, learned), signatures, &trained);
  tosst_trained_clear (&trained);
  return TRUE;
}

/* Predictions name samples of the whole data set. */
static void
number_predictions (const TosstRun *self, TosstSplitResult *outcome)
{
  for (guint i = 0; outcome->predictions != NULL && i < outcome->predictions->len; i++)
    {
      TosstPrediction *prediction = &g_array_index (outcome->predictions, TosstPrediction, i);

      prediction->sample = tosst_dataset_origin (self->dataset, prediction->sample);
    }
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
  return tosst_run_code (self, *learned != NULL ? (*learned)->data : NULL, (int)split, error);
}

/* A split of one descriptor. */
static gboolean
sign_and_classify (TosstRun *self, const GArray *train, const GArray *test, TosstSplitResult *outcome, GError **error)
{
  g_autoptr (TosstShared) learned = NULL, signatures = NULL;

  signatures = tosst_run_sign (self, train, (guint)outcome->split, &learned, error);
  if (signatures == NULL)
    return FALSE;
  self->result->tensors = tosst_recipe_has_tensors (self->recipe) ? self->patches->count : 0;
  self->result->d = self->layout->d;
  return classify (self, learned != NULL ? learned->data : NULL, signatures->data, train, test, outcome, error);
}

gboolean
tosst_run_one_split (TosstRun *self, guint split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  TosstSplitResult *outcome = &self->result->split[split];

  *outcome = (TosstSplitResult){ .split = (int)split, .objective = NAN };
  if (!tosst_dataset_split (self->dataset, self->recipe, split, &train, &test, error)
      || !(self->combined != NULL ? tosst_combined_split (self->combined, train, test, outcome, error)
                                  : sign_and_classify (self, train, test, outcome, error)))
    return FALSE;
  number_predictions (self, outcome);
  self->result->splits = (int)split + 1;
  if (self->observer != NULL && self->observer->split != NULL)
    self->observer->split (outcome, self->observer->data);
  return TRUE;
}
