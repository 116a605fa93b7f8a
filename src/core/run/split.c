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

/* Folds of the cross-validation that chooses C. */
#define FOLDS 5

/* Rows and labels of some samples, contiguous for the classifier; NULL with error. */
static float *
select_rows (const TosstRun *self, const float *signatures, const GArray *samples, int **labels, GError **error)
{
  float *rows = tosst_run_select_rows (self, signatures, samples);

  *labels = g_new (int, samples->len);
  for (guint i = 0; i < samples->len; i++)
    (*labels)[i] = tosst_dataset_sample (self->dataset, g_array_index (samples, guint, i))->class_index;
  tosst_error_from_status (rows != NULL ? TOSST_OK : TOSST_ERROR_MEMORY, NULL, _ ("Training the classifier"), error);
  return rows;
}

/* State of training the classifier of a split. */
typedef struct
{
  TosstRun *run;
  const TosstLearned *learned;
  const TosstSignatures *signatures;
  TosstSvmChoice choice;
} Training;

static void
save_choice (Training *self)
{
  tosst_run_save_coded (self->run, self->learned, self->signatures, self->run->patches->images, &self->choice);
}

static void
on_choice (const TosstSvmChoice *choice, void *data)
{
  Training *self = data;

  if (tosst_run_checkpoint_is_due (self->run))
    save_choice (self);
}

static TosstStatus
choose_c (Training *self, const float *rows, gsize n, const int *labels, int split, TosstSvmOptions *options)
{
  TosstRun *run = self->run;
  const TosstCheckpoint *checkpoint = run->checkpoint;
  /* Each split draws its own folds, from the seed of the samples. */
  guint64 seed = run->recipe->dataset.seed + (guint64)split;
  double c = options->c;

  /* The trials of an earlier run of the split. */
  if (checkpoint != NULL && checkpoint->images == run->patches->images && checkpoint->choice.fits > 0
      && checkpoint->choice.fits <= FOLDS * TOSST_SVM_GRID)
    self->choice = checkpoint->choice;
  self->choice.report = on_choice;
  self->choice.data = self;
  tosst_run_part (run, 0, 0.95);
  TosstStatus status
      = tosst_svm_choose_c (run->context, rows, n, (int)run->length, labels, (int)tosst_dataset_classes (run->dataset),
                            options, FOLDS, seed, &self->choice, NULL, &c);
  tosst_run_part (run, 0.95, 1);
  options->c = c;
  return status;
}

static TosstSvm *
train_classifier (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, const GArray *train,
                  TosstSplitResult *outcome, GError **error)
{
  g_autofree int *labels = NULL;
  g_autofree float *rows = NULL;
  Training training = { .run = self, .learned = learned, .signatures = signatures };
  TosstSvmOptions options;
  TosstSvm *svm = NULL;
  TosstStatus status = TOSST_OK;

  tosst_run_enter (self, TOSST_STAGE_TRAIN, outcome->split);
  rows = select_rows (self, signatures->values, train, &labels, error);
  if (rows == NULL)
    return NULL;
  tosst_svm_options_default (&options);
  options.c = self->recipe->classifier.c;
  if (self->recipe->classifier.choose_c)
    status = choose_c (&training, rows, train->len, labels, outcome->split, &options);
  outcome->c = options.c;
  if (status == TOSST_OK)
    status = tosst_svm_train (self->context, rows, train->len, (int)self->length, labels,
                              (int)tosst_dataset_classes (self->dataset), &options, NULL, &svm);
  if (status == TOSST_CANCELLED && tosst_run_has_checkpoints (self))
    save_choice (&training);
  if (!tosst_error_from_status (status, self->context, _ ("Training the classifier"), error))
    return NULL;
  tosst_run_leave (self);
  return svm;
}

static gboolean
test_classifier (TosstRun *self, const TosstSvm *svm, const float *signatures, const GArray *test,
                 TosstSplitResult *outcome, GError **error)
{
  g_autofree int *labels = NULL;
  g_autofree float *rows = NULL;
  g_autofree double *margins = g_new (double, svm->classes);
  guint right = 0;

  tosst_run_enter (self, TOSST_STAGE_TEST, outcome->split);
  rows = select_rows (self, signatures, test, &labels, error);
  if (rows == NULL)
    return FALSE;
  outcome->predictions = g_array_sized_new (FALSE, FALSE, sizeof (TosstPrediction), test->len);
  for (guint i = 0; i < test->len; i++)
    {
      tosst_svm_margins (svm, rows + (gsize)i * (gsize)svm->p, 1, margins);
      int predicted = tosst_svm_decide (svm, margins);
      const TosstPrediction prediction = { g_array_index (test, guint, i), labels[i], predicted };
      outcome->confusion[labels[i] * svm->classes + predicted]++;
      g_array_append_val (outcome->predictions, prediction);
      right += predicted == labels[i];
    }
  outcome->accuracy = 100.0 * right / test->len;
  tosst_run_leave (self);
  return TRUE;
}

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

static TosstPca *
copy_components (const TosstPca *pca)
{
  TosstPca *copy = pca != NULL ? tosst_pca_new (pca->D, pca->q) : NULL;

  if (copy != NULL)
    {
      memcpy (copy->mean, pca->mean, (gsize)pca->D * sizeof (double));
      memcpy (copy->values, pca->values, (gsize)pca->D * sizeof (double));
      memcpy (copy->basis, pca->basis, (gsize)pca->D * (gsize)pca->q * sizeof (double));
    }
  return copy;
}

/* Dictionary, if any, and model of the first split become those of the result. */
static void
store_model (TosstRun *self, const TosstDictionary *dictionary, TosstSvm *svm)
{
  TosstModel *model = g_new0 (TosstModel, 1);

  model->recipe = tosst_recipe_copy (self->recipe);
  model->dictionary = dictionary != NULL ? tosst_dictionary_copy (dictionary) : NULL;
  model->pca = copy_components (self->source->pca);
  model->components = g_steal_pointer (&self->components);
  model->svm = svm;
  model->class_names = g_strdupv (self->result->class_names);
  model->sample_side = sample_side (self->dataset);
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

/* Codes all samples, trains the classifier and tests it. */
static gboolean
classify (TosstRun *self, const TosstLearned *learned, const GArray *train, const GArray *test,
          TosstSplitResult *outcome, GError **error)
{
  g_autoptr (TosstShared) shared = tosst_run_code (self, learned, outcome->split, error);
  const TosstSignatures *signatures = shared != NULL ? shared->data : NULL;
  gboolean labels = tosst_recipe_has_several_labels (self->recipe);
  TosstSvm *svm;

  if (signatures == NULL)
    return FALSE;
  outcome->worst_kkt = signatures->worst_kkt;
  outcome->mean_nonzeros = signatures->mean_nonzeros;
  outcome->confusion = g_new0 (int, self->result->classes * self->result->classes);
  if (labels)
    svm = tosst_run_train_labels (self, signatures->values, train, outcome, error);
  else
    svm = train_classifier (self, learned, signatures, train, outcome, error);
  if (svm == NULL)
    return FALSE;
  if (!(labels ? tosst_run_score_labels (self, svm, signatures->values, train, test, outcome, error)
               : test_classifier (self, svm, signatures->values, test, outcome, error)))
    {
      tosst_svm_free (svm);
      return FALSE;
    }
  if (outcome->split == 0)
    store_model (self, tosst_run_dictionary (self, learned), svm);
  else
    tosst_svm_free (svm);
  return TRUE;
}

gboolean
tosst_run_one_split (TosstRun *self, guint split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  g_autoptr (TosstShared) learned = NULL;
  TosstSplitResult *outcome = &self->result->split[split];

  *outcome = (TosstSplitResult){ .split = (int)split, .objective = NAN };
  if (!tosst_dataset_split (self->dataset, self->recipe, split, &train, &test, error))
    return FALSE;
  if (tosst_recipe_has_split_tensors (self->recipe) && !tosst_run_tensors_open (self, (int)split, error))
    return FALSE;
  self->result->tensors = self->patches->count;
  self->result->d = self->layout->d;
  load_rest (self, (int)split);
  if (tosst_recipe_has_dictionary (self->recipe) && !(learned = tosst_run_learn (self, train, (int)split, error)))
    return FALSE;
  if (!tosst_run_find_components (self, train, (int)split, error))
    return FALSE;
  if (!classify (self, learned != NULL ? learned->data : NULL, train, test, outcome, error))
    return FALSE;
  self->result->splits = (int)split + 1;
  if (self->observer != NULL && self->observer->split != NULL)
    self->observer->split (outcome, self->observer->data);
  return TRUE;
}
