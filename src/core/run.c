/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole road, from images to accuracy.
 */
#include "config.h"

#include "run.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "classify/svm-choose.h"
#include "describe-patches.h"
#include "error.h"
#include "memory.h"
#include "model.h"
#include "run-private.h"

/* Part of the available memory that a run may claim. */
#define MEMORY_SHARE 0.85

/* Streams of the dictionary's seed from this one on draw the tensors that splits learn from; the engine uses the first
 * ones. */
#define SAMPLE_STREAM 1000

/* Parts of the training samples by which C is chosen. */
#define FOLDS 5

const char *
tosst_stage_label (TosstStage stage)
{
  static const char *const labels[TOSST_N_STAGES]
      = { N_ ("Describing patches"), N_ ("Learning the dictionary"), N_ ("Coding and pooling"),
          N_ ("Training the classifier"), N_ ("Testing") };

  return labels[stage];
}

/* ---- progress ---- */

/* Expected work of the stages, in floating-point operations or what takes as long: only proportions matter. */
static double
stage_work (const TosstRun *self, TosstStage stage)
{
  double m = self->layout->m, n = self->patches->count, K = self->recipe->dictionary.atoms;
  double pixels = pow (self->recipe->descriptor.patch, 2);
  double sample = MIN (n, self->recipe->dictionary.sample);
  double describe = 4 * n * pixels * m, code = n * K * (2 * m + 20 * K);

  if (self->recipe->descriptor.gamma_eigen < 1)
    describe += 20 * n * pow (self->layout->d, 4);

  switch (stage)
    {
    case TOSST_STAGE_DESCRIBE:
      return describe;
    case TOSST_STAGE_LEARN:
      return 0.6 * self->recipe->dictionary.iterations * sample * K * (4 * m + 10 * K);
    case TOSST_STAGE_CODE:
      return self->tensors != NULL ? code : code + describe;
    case TOSST_STAGE_TRAIN:
      /* Six values of C on five parts, each of four fifths. */
      return 0.02 * code * (self->recipe->classifier.choose_c ? 25 : 1);
    case TOSST_STAGE_TEST:
    case TOSST_N_STAGES:
    default:
      return 0.02 * code;
    }
}

static void
announce (TosstRun *self, double fraction)
{
  const TosstRunObserver *observer = self->observer;

  if (observer == NULL)
    return;
  if (observer->stage != NULL)
    observer->stage (self->stage, self->split, fraction, observer->data);
  if (observer->progress != NULL)
    {
      double whole = MIN ((self->done + fraction * self->weight) / self->total, 1);
      double elapsed = tosst_context_seconds (self->context) - self->start;
      double left = whole > 0.02 && elapsed > 1 ? elapsed * (1 - whole) / whole : -1;
      observer->progress (whole, left, observer->data);
    }
}

static void
on_engine_progress (double fraction, void *data)
{
  TosstRun *self = data;

  announce (self, self->low + (self->high - self->low) * fraction);
}

void
tosst_run_part (TosstRun *self, double low, double high)
{
  self->low = low;
  self->high = high;
}

void
tosst_run_enter (TosstRun *self, TosstStage stage, int split)
{
  self->stage = stage;
  self->split = split;
  self->weight = stage_work (self, stage);
  self->stage_start = tosst_context_seconds (self->context);
  tosst_run_part (self, 0, 1);
  announce (self, 0);
}

void
tosst_run_leave (TosstRun *self)
{
  self->result->seconds[self->stage] += tosst_context_seconds (self->context) - self->stage_start;
  announce (self, 1);
  self->done += self->weight;
}

/* ---- tensors ---- */

gboolean
tosst_run_describe_image (TosstRun *self, guint image, const TosstPoint *points, gsize n, float *tensors,
                          GError **error)
{
  g_autoptr (TosstImage) pixels = NULL;

  if (n == 0)
    return TRUE;
  pixels = tosst_dataset_read (self->dataset, image, error);
  if (pixels == NULL)
    return FALSE;
  TosstStatus status = tosst_describe_patches (self->recipe, self->context, pixels, points, n, tensors);
  return tosst_error_from_status (status, self->context, tosst_dataset_image (self->dataset, image)->name, error);
}

static gboolean
describe_all (TosstRun *self, GError **error)
{
  const TosstPatches *patches = self->patches;

  tosst_run_enter (self, TOSST_STAGE_DESCRIBE, -1);
  for (guint i = 0; i < patches->images; i++)
    {
      gsize first = patches->first[i], n = patches->first[i + 1] - first;
      tosst_run_part (self, (double)first / patches->count, (double)(first + n) / patches->count);
      if (!tosst_run_describe_image (self, i, patches->points + first, n, self->tensors + first * self->layout->m,
                                     error))
        return FALSE;
    }
  tosst_run_leave (self);
  return TRUE;
}

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

static gboolean
gather_sample (TosstRun *self, const GArray *sample, float *tensors, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize m = self->layout->m;
  const gsize *number = (const gsize *)(const void *)sample->data;

  for (gsize i = 0; i < sample->len;)
    {
      guint image = tosst_patches_image (patches, number[i]);
      gsize n = 0;
      while (i + n < sample->len && number[i + n] < patches->first[image + 1])
        n++;
      if (self->tensors != NULL)
        for (gsize j = 0; j < n; j++)
          memcpy (tensors + (i + j) * m, self->tensors + number[i + j] * m, sizeof (float) * m);
      else
        {
          g_autofree TosstPoint *points = g_new (TosstPoint, n);
          for (gsize j = 0; j < n; j++)
            points[j] = patches->points[number[i + j]];
          if (!tosst_run_describe_image (self, image, points, n, tensors + i * m, error))
            return FALSE;
        }
      i += n;
    }
  return TRUE;
}

/* ---- one split ---- */

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  TosstRun *self = data;

  self->result->split[self->split].objective = iteration->objective;
  if (self->observer != NULL && self->observer->iteration != NULL)
    self->observer->iteration (self->split, iteration, dictionary, usage, self->observer->data);
}

static TosstDictionary *
learn (TosstRun *self, const GArray *train, int split, GError **error)
{
  g_autoptr (GArray) sample = draw_sample (self, train, split);
  g_autofree float *tensors = g_try_malloc_n (sample->len, sizeof (float) * self->layout->m);
  TosstLearnOptions options;
  g_autoptr (TosstDictionary) dictionary = NULL;

  tosst_run_enter (self, TOSST_STAGE_LEARN, split);
  tosst_recipe_learn_options (self->recipe, &options);
  if (tensors == NULL)
    {
      tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Learning"), error);
      return NULL;
    }
  tosst_run_part (self, 0, 0);
  if (!gather_sample (self, sample, tensors, error))
    return NULL;
  tosst_run_part (self, 0, 1);
  TosstStatus status
      = tosst_learn (self->context, self->layout, tensors, sample->len, &options, on_iteration, self, &dictionary);
  if (!tosst_error_from_status (status, self->context, _ ("Learning"), error))
    return NULL;
  tosst_run_leave (self);
  return g_steal_pointer (&dictionary);
}

/* Pools the codes of one image's patches for each of its samples. */
static gboolean
pool_image (const TosstRun *self, guint image, const float *codes, float *signatures, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize K = (gsize)self->recipe->dictionary.atoms;

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
code_image (TosstRun *self, const TosstCoder *coder, guint image, float *scratch, float *codes,
            TosstCodingReport *report, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize first = patches->first[image], n = patches->first[image + 1] - first;
  const float *tensors = self->tensors != NULL ? self->tensors + first * self->layout->m : scratch;

  tosst_run_part (self, (double)first / patches->count, (double)(first + n) / patches->count);
  if (self->tensors == NULL && !tosst_run_describe_image (self, image, patches->points + first, n, scratch, error))
    return FALSE;
  TosstStatus status = tosst_code (self->context, coder, tensors, n, FALSE, codes, report);
  return tosst_error_from_status (status, self->context, _ ("Coding"), error);
}

static gsize
largest_image (const TosstPatches *patches)
{
  gsize most = 0;

  for (guint i = 0; i < patches->images; i++)
    most = MAX (most, patches->first[i + 1] - patches->first[i]);
  return most;
}

/* Signatures of all samples (samples x K), new. */
static float *
code (TosstRun *self, const TosstDictionary *dictionary, TosstSplitResult *outcome, GError **error)
{
  gsize K = (gsize)dictionary->K, most = largest_image (self->patches);
  g_autofree float *signatures = g_try_malloc_n (self->patches->samples, sizeof (float) * K);
  g_autofree float *codes = g_try_malloc_n (most, sizeof (float) * K);
  g_autofree float *scratch = self->tensors == NULL ? g_try_malloc_n (most, sizeof (float) * self->layout->m) : NULL;
  TosstCodingOptions options;
  TosstCoder *coder = NULL;

  tosst_run_enter (self, TOSST_STAGE_CODE, outcome->split);
  tosst_recipe_coding_options (self->recipe, &options);
  if (signatures == NULL || codes == NULL || (self->tensors == NULL && scratch == NULL))
    {
      tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error);
      return NULL;
    }
  TosstStatus status = tosst_coder_new (self->context, dictionary, self->layout, &options, &coder);
  gboolean fine = tosst_error_from_status (status, self->context, _ ("Coding"), error);
  for (guint i = 0; fine && i < self->patches->images; i++)
    {
      TosstCodingReport report = { 0 };
      gsize n = self->patches->first[i + 1] - self->patches->first[i];
      fine = n == 0 || code_image (self, coder, i, scratch, codes, &report, error);
      if (fine && n > 0)
        {
          outcome->worst_kkt = MAX (outcome->worst_kkt, report.worst_kkt);
          outcome->mean_nonzeros += report.mean_nonzeros * (double)n / (double)self->patches->count;
          fine = pool_image (self, i, codes, signatures, error);
        }
    }
  tosst_coder_free (coder);
  if (!fine)
    return NULL;
  tosst_run_leave (self);
  return g_steal_pointer (&signatures);
}

/* Rows and labels of some samples, contiguous as the classifier wants them. */
static float *
select_rows (const TosstRun *self, const float *signatures, const GArray *samples, int **labels)
{
  gsize K = (gsize)self->recipe->dictionary.atoms;
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
  TosstStatus status = tosst_svm_choose_c (self->context, rows, n, self->recipe->dictionary.atoms, labels,
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
    status = tosst_svm_train (self->context, rows, train->len, self->recipe->dictionary.atoms, labels,
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

/* What the first split learned is the result's dictionary and model. */
static void
keep_model (TosstRun *self, TosstDictionary *dictionary, TosstSvm *svm)
{
  TosstModel *model = g_new0 (TosstModel, 1);

  model->recipe = tosst_recipe_copy (self->recipe);
  model->dictionary = tosst_dictionary_copy (dictionary);
  model->svm = svm;
  model->class_names = g_strdupv (self->result->class_names);
  self->result->dictionary = dictionary;
  self->result->model = model;
}

static gboolean
run_split (TosstRun *self, guint split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  g_autofree float *signatures = NULL;
  TosstSplitResult *outcome = &self->result->split[split];
  TosstDictionary *dictionary;
  TosstSvm *svm;

  *outcome = (TosstSplitResult){ .split = (int)split };
  if (!tosst_dataset_split (self->dataset, self->recipe, split, &train, &test, error))
    return FALSE;
  dictionary = learn (self, train, (int)split, error);
  if (dictionary == NULL)
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

/* ---- the whole ---- */

static gsize
base_bytes (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches, const TosstLayout *layout,
            int threads)
{
  TosstLearnOptions options;
  gsize m = layout->m, K = (gsize)recipe->dictionary.atoms, D = (gsize)layout->D;
  gsize sample = MIN ((gsize)recipe->dictionary.sample, patches->count), most = largest_image (patches);

  tosst_recipe_learn_options (recipe, &options);
  gsize learning = sample * m * 4 + tosst_learn_memory (layout, sample, &options, threads);
  gsize coding = K * m * 4 + K * K * 20 + 2 * D * K * 8 + most * K * 4 + patches->samples * K * 8
                 + (gsize)threads * (512 * K * 4 + 2 * K * K * 4);
  /* Lists of patches, the pixels of one image and what describing it takes, the program itself. */
  gsize lists = patches->count * sizeof (TosstPoint) + patches->offset[patches->samples] * sizeof (gsize);
  gsize image = tosst_dataset_largest_bytes (dataset) + most * 2 * sizeof (gsize);
  return MAX (learning, coding) + lists + image + ((gsize)200 << 20);
}

static gboolean
is_resident (const TosstPatches *patches, const TosstLayout *layout, gsize base, gsize available)
{
  return (double)(patches->count * layout->m * 4 + base) < 0.5 * (double)available;
}

static void
estimate (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches, const TosstLayout *layout,
          int threads, TosstRunEstimate *out)
{
  gsize base = base_bytes (recipe, dataset, patches, layout, threads);

  out->tensors = patches->count;
  out->samples = patches->samples;
  out->d = layout->d;
  out->available = tosst_memory_available ();
  out->resident = is_resident (patches, layout, base, out->available);
  out->bytes = base + (out->resident ? patches->count : largest_image (patches)) * layout->m * 4;
}

static gboolean
is_affordable (const TosstRunEstimate *needs)
{
  return (double)needs->bytes <= MEMORY_SHARE * (double)needs->available;
}

/* What the lists of patches alone need; FALSE if that is too much already. */
static gboolean
estimate_lists (const TosstRecipe *recipe, TosstDataset *dataset, TosstRunEstimate *out)
{
  *out = (TosstRunEstimate){ .samples = tosst_dataset_samples (dataset),
                             .d = tosst_recipe_dimension (recipe),
                             .available = tosst_memory_available () };
  out->bytes = tosst_patches_bytes (dataset, recipe->descriptor.patch, recipe->descriptor.step, &out->tensors);
  return is_affordable (out) && out->tensors <= G_MAXINT;
}

void
tosst_run_estimate (const TosstRecipe *recipe, TosstDataset *dataset, int threads, TosstRunEstimate *out)
{
  g_autoptr (TosstPatches) patches = NULL;
  TosstLayout *layout;

  if (!estimate_lists (recipe, dataset, out))
    return;
  patches = tosst_patches_new (dataset, recipe->descriptor.patch, recipe->descriptor.step);
  layout = tosst_layout_new (tosst_recipe_dimension (recipe));
  estimate (recipe, dataset, patches, layout, threads, out);
  tosst_layout_free (layout);
}

static gboolean
fits (const TosstRunEstimate *needs, GError **error)
{
  if (is_affordable (needs) && needs->tensors <= G_MAXINT)
    return TRUE;
  g_autofree char *needed = g_format_size (needs->bytes), *available = g_format_size (needs->available);
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY,
               _ ("this run needs %s of memory and %s are available: lower dictionary.atoms, dictionary.sample or "
                  "descriptor.pivots, or raise descriptor.step"),
               needed, available);
  return FALSE;
}

static void
summarise (TosstRunResult *result)
{
  int classes = result->classes;
  double sum = 0, squares = 0;

  for (int i = 0; i < classes; i++)
    result->per_class[i] = 0;
  memset (result->confusion, 0, sizeof *result->confusion * (gsize)(classes * classes));
  for (int s = 0; s < result->splits; s++)
    {
      sum += result->split[s].accuracy;
      for (int i = 0; i < classes * classes; i++)
        result->confusion[i] += result->split[s].confusion[i];
    }
  result->accuracy_mean = result->splits > 0 ? sum / result->splits : NAN;
  for (int s = 0; s < result->splits; s++)
    squares += pow (result->split[s].accuracy - result->accuracy_mean, 2);
  result->accuracy_std = result->splits > 1 ? sqrt (squares / (result->splits - 1)) : 0;
  for (int i = 0; i < classes; i++)
    {
      int all = 0;
      for (int j = 0; j < classes; j++)
        all += result->confusion[i * classes + j];
      result->per_class[i] = all > 0 ? 100.0 * result->confusion[i * classes + i] / all : NAN;
    }
}

static TosstRunResult *
result_new (TosstDataset *dataset, guint splits)
{
  TosstRunResult *result = g_new0 (TosstRunResult, 1);
  guint classes = tosst_dataset_classes (dataset);

  result->classes = (int)classes;
  result->class_names = g_new0 (char *, classes + 1);
  for (guint i = 0; i < classes; i++)
    result->class_names[i] = g_strdup (tosst_dataset_class_name (dataset, i));
  result->split = g_new0 (TosstSplitResult, splits);
  result->allocated_splits = (int)splits;
  result->per_class = g_new0 (double, classes);
  result->confusion = g_new0 (int, classes *classes);
  return result;
}

void
tosst_run_result_free (TosstRunResult *result)
{
  if (result == NULL)
    return;
  g_strfreev (result->class_names);
  for (int s = 0; s < result->allocated_splits; s++)
    g_free (result->split[s].confusion);
  g_free (result->split);
  g_free (result->per_class);
  g_free (result->confusion);
  tosst_dictionary_free (result->dictionary);
  tosst_model_free (result->model);
  g_free (result);
}

static double
total_work (const TosstRun *self)
{
  double split = stage_work (self, TOSST_STAGE_LEARN) + stage_work (self, TOSST_STAGE_CODE)
                 + stage_work (self, TOSST_STAGE_TRAIN) + stage_work (self, TOSST_STAGE_TEST);

  return (self->tensors != NULL ? stage_work (self, TOSST_STAGE_DESCRIBE) : 0) + self->splits * split;
}

/* Asked before anything is described; the first split stands for all, learning checks each. */
static gboolean
has_enough_patches (const TosstRun *self, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL, patches = NULL;

  if (!tosst_dataset_split (self->dataset, self->recipe, 0, &train, &test, error))
    return FALSE;
  patches = tosst_patches_of_samples (self->patches, train);
  if (patches->len >= (guint)self->recipe->dictionary.atoms)
    return TRUE;
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE,
               _ ("dictionary.atoms is %d, more than the %u patches that train: lower it, or descriptor.step"),
               self->recipe->dictionary.atoms, patches->len);
  return FALSE;
}

static gboolean
execute (TosstRun *self, GError **error)
{
  TosstRunEstimate needs;

  if (!estimate_lists (self->recipe, self->dataset, &needs))
    return fits (&needs, error);
  self->patches = tosst_patches_new (self->dataset, self->recipe->descriptor.patch, self->recipe->descriptor.step);
  estimate (self->recipe, self->dataset, self->patches, self->layout, tosst_context_threads (self->context), &needs);
  if (!fits (&needs, error) || !has_enough_patches (self, error))
    return FALSE;
  if (needs.resident)
    self->tensors = g_try_malloc_n (self->patches->count, sizeof (float) * self->layout->m);
  self->total = total_work (self);
  self->result->tensors = self->patches->count;
  self->result->d = self->layout->d;
  if (self->tensors != NULL && !describe_all (self, error))
    return FALSE;
  for (guint split = 0; split < self->splits; split++)
    if (!run_split (self, split, error))
      return FALSE;
  return TRUE;
}

TosstRunResult *
tosst_run_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                   const TosstRunObserver *observer, TosstRunResult **partial, GError **error)
{
  TosstRun self = { .recipe = recipe, .dataset = dataset, .context = context, .observer = observer };

  if (partial != NULL)
    *partial = NULL;
  if (!tosst_recipe_check (recipe, error))
    return NULL;
  self.start = tosst_context_seconds (context);
  self.splits = tosst_dataset_splits (dataset, recipe);
  self.layout = tosst_layout_new (tosst_recipe_dimension (recipe));
  self.result = result_new (dataset, self.splits);
  tosst_context_set_progress (context, on_engine_progress, &self);

  gboolean fine = execute (&self, error);

  tosst_context_set_progress (context, NULL, NULL);
  self.result->seconds_total = tosst_context_seconds (context) - self.start;
  self.result->peak_memory_mb = tosst_memory_peak_mb ();
  summarise (self.result);
  g_free (self.tensors);
  tosst_patches_free (self.patches);
  tosst_layout_free (self.layout);
  if (fine)
    return self.result;
  if (partial != NULL)
    *partial = self.result;
  else
    tosst_run_result_free (self.result);
  return NULL;
}
