/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One split: tensors of the sample, dictionary, codes and signatures, classifier, accuracy. Where descriptors are
 * pooled as they are there is no dictionary, and what would learn it is passed over.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "classify/svm-choose.h"
#include "draw-dictionary.h"
#include "error.h"
#include "model.h"
#include "patch-coder.h"
#include "run-private.h"

/* Streams of the dictionary's seed from this one on draw the tensors that splits learn from; the engine uses the first
 * ones. */
#define SAMPLE_STREAM 1000

/* Parts of the training samples by which C is chosen. */
#define FOLDS 5

/* Up to dictionary.sample patches of the training samples, ascending. */
static GArray *
draw_sample (const TosstRun *self, const GArray *train, int split)
{
  g_autoptr (GArray) all = tosst_patches_of_samples (self->patches, train);
  gsize wanted = MIN ((gsize)self->recipe->dictionary.sample, all->len);
  GArray *drawn = g_array_sized_new (FALSE, FALSE, sizeof (gsize), (guint)wanted);
  TosstRandom random;

  /* Selection sampling: each patch with the chance that the number still wanted has among those left. */
  tosst_random_init (&random, self->recipe->dictionary.seed, SAMPLE_STREAM + (guint64)split);
  for (gsize i = 0; i < all->len && wanted > 0; i++)
    if (tosst_random_below (&random, all->len - i) < wanted)
      {
        g_array_append_val (drawn, g_array_index (all, gsize, i));
        wanted--;
      }
  return drawn;
}

/* Tensors from sample[first] on. */
static gboolean
gather_sample (TosstRun *self, const GArray *sample, gsize first, gsize count, float *tensors, GError **error)
{
  return tosst_run_tensors_gather (self, (const gsize *)(const void *)sample->data + first, count, tensors, error);
}

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  TosstRun *self = data;

  self->result->split[self->split].objective = iteration->objective;
  if (self->observer != NULL && self->observer->iteration != NULL)
    self->observer->iteration (self->split, iteration, dictionary, usage, self->observer->data);
}

static gboolean
learn_at_once (TosstRun *self, const GArray *sample, const TosstLearnOptions *options, TosstDictionary **dictionary,
               GError **error)
{
  g_autofree float *tensors = g_try_malloc_n (sample->len, sizeof (float) * self->layout->m);

  if (tensors == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Learning"), error);
  tosst_run_part (self, 0, 0);
  if (!gather_sample (self, sample, 0, sample->len, tensors, error))
    return FALSE;
  tosst_run_part (self, 0, 1);
  TosstStatus status
      = tosst_learn (self->context, self->layout, tensors, sample->len, options, on_iteration, self, dictionary);
  return tosst_error_from_status (status, self->context, _ ("Learning"), error);
}

/* The sample as a stream. */
typedef struct
{
  TosstRun *run;
  const GArray *sample;
  GError *error;
} SampleStream;

static TosstStatus
read_sample (size_t first, size_t count, float *tensors, void *data)
{
  SampleStream *self = data;

  return gather_sample (self->run, self->sample, first, count, tensors, &self->error) ? TOSST_OK
         : g_error_matches (self->error, TOSST_ERROR, TOSST_FAILED_CANCELLED)         ? TOSST_CANCELLED
                                                                                      : TOSST_ERROR_ARGUMENT;
}

static gboolean
learn_in_batches (TosstRun *self, const GArray *sample, const TosstLearnOptions *options,
                  const TosstMinibatchOptions *minibatch, TosstDictionary **dictionary, GError **error)
{
  SampleStream source = { .run = self, .sample = sample };
  TosstStream stream = { read_sample, &source, sample->len };

  tosst_run_part (self, 0, 1);
  TosstStatus status = tosst_learn_minibatch (self->context, self->layout, &stream, options, minibatch, on_iteration,
                                              self, dictionary);
  if (source.error == NULL)
    return tosst_error_from_status (status, self->context, _ ("Learning"), error);
  g_propagate_error (error, source.error);
  return FALSE;
}

static TosstDictionary *
learn (TosstRun *self, const GArray *train, int split, GError **error)
{
  g_autoptr (GArray) sample = draw_sample (self, train, split);
  g_autoptr (TosstDictionary) dictionary = NULL;
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;

  tosst_run_enter (self, TOSST_STAGE_LEARN, split);
  tosst_recipe_learn_options (self->recipe, &options);
  if (!(tosst_recipe_minibatch_options (self->recipe, &minibatch)
            ? learn_in_batches (self, sample, &options, &minibatch, &dictionary, error)
            : learn_at_once (self, sample, &options, &dictionary, error)))
    return NULL;
  if (!tosst_draw_dictionary (self->recipe, self->context, &dictionary, error))
    return NULL;
  tosst_run_leave (self);
  return g_steal_pointer (&dictionary);
}

/* Pools the codes of one image's patches for each of its samples. */
static gboolean
pool_image (const TosstRun *self, guint image, const float *codes, float *signatures, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize K = self->length;

  for (gsize s = patches->by_image[image]; s < patches->by_image[image + 1]; s++)
    {
      guint sample = patches->sample[s];
      gsize n = patches->offset[sample + 1] - patches->offset[sample];
      g_autofree gsize *rows = g_new (gsize, n);
      float *out = signatures + sample * K;

      for (gsize i = 0; i < n; i++)
        rows[i] = patches->member[patches->offset[sample] + i] - patches->first[image];
      TosstStatus status
          = tosst_pool (self->recipe->pooling.kind, self->recipe->pooling.parameter, codes, (int)K, rows, n, out);
      if (!tosst_error_from_status (status, NULL, _ ("Pooling"), error))
        return FALSE;
      tosst_normalise_signature (out, (int)K, self->recipe->pooling.power, self->recipe->pooling.l2);
    }
  return TRUE;
}

static gboolean
code_image (TosstRun *self, const TosstPatchCoder *coder, guint image, float *scratch, float *codes,
            TosstCodingReport *report, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize first = patches->first[image], n = patches->first[image + 1] - first;
  const float *tensors;

  tosst_run_part (self, (double)first / patches->count, (double)(first + n) / patches->count);
  tensors = tosst_run_tensors_of_image (self, image, scratch, error);
  if (tensors == NULL)
    return FALSE;
  TosstStatus status = tosst_patch_coder_code (coder, self->context, tensors, n, codes, report);
  return tosst_error_from_status (status, self->context, _ ("Coding"), error);
}

/* Signatures of all samples (samples x length), new. */
static float *
code (TosstRun *self, const TosstDictionary *dictionary, TosstSplitResult *outcome, GError **error)
{
  gsize most = tosst_run_largest_image (self->patches);
  g_autofree float *signatures = g_try_malloc_n (self->patches->samples, sizeof (float) * self->length);
  g_autofree float *codes = g_try_malloc_n (most, sizeof (float) * self->length);
  g_autofree float *scratch = self->tensors == NULL ? g_try_malloc_n (most, sizeof (float) * self->layout->m) : NULL;
  g_autoptr (TosstPatchCoder) coder = NULL;

  tosst_run_enter (self, TOSST_STAGE_CODE, outcome->split);
  if (signatures == NULL || codes == NULL || (self->tensors == NULL && scratch == NULL))
    {
      tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error);
      return NULL;
    }
  TosstStatus status = tosst_patch_coder_new (self->recipe, self->context, dictionary, &coder);
  gboolean fine = tosst_error_from_status (status, self->context, _ ("Coding"), error);
  for (guint i = 0; fine && i < self->patches->images; i++)
    {
      TosstCodingReport report = { 0 };
      gsize n = self->patches->first[i + 1] - self->patches->first[i];
      fine = n == 0 || code_image (self, coder, i, scratch, codes, &report, error);
      if (fine && n > 0)
        {
          /* NaN, for want of a problem that is solved, stays. */
          outcome->worst_kkt = outcome->worst_kkt > report.worst_kkt ? outcome->worst_kkt : report.worst_kkt;
          outcome->mean_nonzeros += report.mean_nonzeros * (double)n / (double)self->patches->count;
          fine = pool_image (self, i, codes, signatures, error);
        }
    }
  if (!fine)
    return NULL;
  tosst_run_leave (self);
  return g_steal_pointer (&signatures);
}

/* Rows and labels of some samples, contiguous as the classifier wants them. */
static float *
select_rows (const TosstRun *self, const float *signatures, const GArray *samples, int **labels)
{
  gsize K = self->length;
  float *rows = g_new (float, samples->len *K);

  *labels = g_new (int, samples->len);
  for (guint i = 0; i < samples->len; i++)
    {
      guint j = g_array_index (samples, guint, i);
      memcpy (rows + i * K, signatures + j * K, sizeof (float) * K);
      (*labels)[i] = tosst_dataset_sample (self->dataset, j)->class_index;
    }
  return rows;
}

static TosstStatus
choose_c (TosstRun *self, const float *rows, gsize n, const int *labels, int split, TosstSvmOptions *options)
{
  /* Each split draws its parts anew, from the seed that drew its samples. */
  guint64 seed = self->recipe->dataset.seed + (guint64)split;
  double c = options->c;

  tosst_run_part (self, 0, 0.95);
  TosstStatus status = tosst_svm_choose_c (self->context, rows, n, (int)self->length, labels,
                                           (int)tosst_dataset_classes (self->dataset), options, FOLDS, seed, NULL, &c);
  tosst_run_part (self, 0.95, 1);
  options->c = c;
  return status;
}

static TosstSvm *
train_classifier (TosstRun *self, const float *signatures, const GArray *train, TosstSplitResult *outcome,
                  GError **error)
{
  g_autofree int *labels = NULL;
  g_autofree float *rows = NULL;
  TosstSvmOptions options;
  TosstSvm *svm = NULL;
  TosstStatus status = TOSST_OK;

  tosst_run_enter (self, TOSST_STAGE_TRAIN, outcome->split);
  rows = select_rows (self, signatures, train, &labels);
  tosst_svm_options_default (&options);
  options.c = self->recipe->classifier.c;
  if (self->recipe->classifier.choose_c)
    status = choose_c (self, rows, train->len, labels, outcome->split, &options);
  outcome->c = options.c;
  if (status == TOSST_OK)
    status = tosst_svm_train (self->context, rows, train->len, (int)self->length, labels,
                              (int)tosst_dataset_classes (self->dataset), &options, NULL, &svm);
  if (!tosst_error_from_status (status, self->context, _ ("Training the classifier"), error))
    return NULL;
  tosst_run_leave (self);
  return svm;
}

static void
test_classifier (TosstRun *self, const TosstSvm *svm, const float *signatures, const GArray *test,
                 TosstSplitResult *outcome)
{
  g_autofree int *labels = NULL;
  g_autofree float *rows = NULL;
  g_autofree double *margins = g_new (double, svm->classes);
  guint right = 0;

  tosst_run_enter (self, TOSST_STAGE_TEST, outcome->split);
  rows = select_rows (self, signatures, test, &labels);
  outcome->confusion = g_new0 (int, svm->classes * svm->classes);
  for (guint i = 0; i < test->len; i++)
    {
      tosst_svm_margins (svm, rows + (gsize)i * (gsize)svm->p, 1, margins);
      int said = tosst_svm_decide (svm, margins);
      outcome->confusion[labels[i] * svm->classes + said]++;
      right += said == labels[i];
    }
  outcome->accuracy = 100.0 * right / test->len;
  tosst_run_leave (self);
}

static int
compare_sides (gconstpointer a, gconstpointer b)
{
  return *(const int *)a - *(const int *)b;
}

/* The shorter side of samples, their median. */
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

/* What the first split learned is the result's dictionary, if there is one, and model. */
static void
keep_model (TosstRun *self, TosstDictionary *dictionary, TosstSvm *svm)
{
  TosstModel *model = g_new0 (TosstModel, 1);

  model->recipe = tosst_recipe_copy (self->recipe);
  model->dictionary = dictionary != NULL ? tosst_dictionary_copy (dictionary) : NULL;
  model->svm = svm;
  model->class_names = g_strdupv (self->result->class_names);
  model->sample_side = sample_side (self->dataset);
  self->result->dictionary = dictionary;
  self->result->model = model;
  self->result->split[0].model = model;
}

gboolean
tosst_run_one_split (TosstRun *self, guint split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  g_autofree float *signatures = NULL;
  TosstSplitResult *outcome = &self->result->split[split];
  TosstDictionary *dictionary = NULL;
  TosstSvm *svm;

  *outcome = (TosstSplitResult){ .split = (int)split, .objective = NAN };
  if (!tosst_dataset_split (self->dataset, self->recipe, split, &train, &test, error))
    return FALSE;
  if (tosst_recipe_has_dictionary (self->recipe) && !(dictionary = learn (self, train, (int)split, error)))
    return FALSE;
  signatures = code (self, dictionary, outcome, error);
  svm = signatures != NULL ? train_classifier (self, signatures, train, outcome, error) : NULL;
  if (svm == NULL)
    {
      tosst_dictionary_free (dictionary);
      return FALSE;
    }
  test_classifier (self, svm, signatures, test, outcome);
  if (split == 0)
    keep_model (self, dictionary, svm);
  else
    {
      tosst_dictionary_free (dictionary);
      tosst_svm_free (svm);
    }
  self->result->splits = (int)split + 1;
  if (self->observer != NULL && self->observer->split != NULL)
    self->observer->split (outcome, self->observer->data);
  return TRUE;
}
