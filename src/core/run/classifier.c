/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The classifier of a split: a linear machine on signatures, or a kernel machine on a Gram matrix of the training
 * samples; then its accuracy on the tests.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"
#include "core/run/private.h"
#include "tosst/svm.h"

/* Folds of the cross-validation that chooses C. */
#define FOLDS 5

void
tosst_trained_clear (TosstTrained *self)
{
  tosst_svm_free (self->svm);
  tosst_kernel_model_free (self->kernel);
  *self = (TosstTrained){ 0 };
}

static void
evidence_clear (TosstEvidence *self)
{
  g_free (self->rows);
  g_free (self->own);
}

/* Similarities of the training samples by their signatures. */
static TosstStatus
compare_rows (TosstEvidence *self)
{
  TosstRun *run = self->run;
  gsize n = self->train->len;
  TosstStatus status;

  self->own = g_try_malloc_n (n, n * sizeof *self->own);
  if (self->own == NULL)
    return tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");
  status = tosst_kernel_compare (run->context, self->kernel, self->rows, n, NULL, 0, (int)run->length, self->own);
  if (status != TOSST_OK)
    return status;
  if (isnan (self->width))
    self->width = tosst_kernel_mean_width (self->kernel, self->own, n);
  tosst_kernel_apply (self->kernel, self->width, self->own, n * n);
  self->gram = self->own;
  return TOSST_OK;
}

static gboolean
evidence_init (TosstEvidence *self, const TosstSignatures *signatures, const TosstSimilar *similar, GError **error)
{
  TosstStatus status = TOSST_OK;

  self->kernel = self->run->recipe->classifier.kernel;
  self->width = self->run->recipe->classifier.width;
  if (similar != NULL)
    {
      self->gram = similar->train;
      return TRUE;
    }
  self->rows = tosst_run_select_rows (self->run, signatures->values, self->train);
  if (self->rows == NULL)
    status = TOSST_ERROR_MEMORY;
  else if (self->kernel != TOSST_KERNEL_LINEAR)
    status = compare_rows (self);
  return tosst_error_from_status (status, self->rows != NULL ? self->run->context : NULL, _ ("Training the classifier"),
                                  error);
}

TosstKernelModel *
tosst_evidence_model (const TosstEvidence *self, TosstKernelMachine *machine)
{
  TosstKernelModel *model = g_new0 (TosstKernelModel, 1);

  model->kernel = self->kernel;
  model->width = self->width;
  model->length = self->run->length;
  model->rows = self->rows != NULL ? g_memdup2 (self->rows, self->train->len * model->length * sizeof (float)) : NULL;
  model->machine = machine;
  return model;
}

static int *
labels_of (const TosstRun *self, const GArray *samples)
{
  int *labels = g_new (int, samples->len);

  for (guint i = 0; i < samples->len; i++)
    labels[i] = tosst_dataset_sample (self->dataset, g_array_index (samples, guint, i))->class_index;
  return labels;
}

/* State of training the classifier of a split. */
typedef struct
{
  const TosstEvidence *evidence;
  const TosstLearned *learned;
  const TosstSignatures *signatures; /* or NULL */
  TosstSvmChoice choice;
} Training;

static void
save_choice (Training *self)
{
  TosstRun *run = self->evidence->run;

  if (self->signatures != NULL)
    tosst_run_save_coded (run, self->learned, self->signatures, run->patches->images, &self->choice);
}

static void
on_choice (const TosstSvmChoice *choice, void *data)
{
  Training *self = data;

  if (tosst_run_checkpoint_is_due (self->evidence->run))
    save_choice (self);
}

static TosstStatus
choose_c (Training *self, const int *labels, int split, TosstSvmOptions *options)
{
  const TosstEvidence *evidence = self->evidence;
  TosstRun *run = evidence->run;
  const TosstCheckpoint *checkpoint = run->checkpoint;
  /* Each split draws its own folds, from the seed of the samples. */
  guint64 seed = run->recipe->dataset.seed + (guint64)split;
  int classes = (int)tosst_dataset_classes (run->dataset);
  gsize n = evidence->train->len;
  double c = options->c;
  TosstStatus status;

  /* The trials of an earlier run of the split. */
  if (self->signatures != NULL && checkpoint != NULL && checkpoint->images == run->patches->images
      && checkpoint->choice.fits > 0 && checkpoint->choice.fits <= FOLDS * TOSST_SVM_GRID)
    self->choice = checkpoint->choice;
  self->choice.report = on_choice;
  self->choice.data = self;
  tosst_run_part (run, 0, 0.95);
  if (evidence->gram != NULL)
    status = tosst_kernel_choose_c (run->context, evidence->gram, n, labels, classes, options, FOLDS, seed,
                                    &self->choice, NULL, &c);
  else
    status = tosst_svm_choose_c (run->context, evidence->rows, n, (int)run->length, labels, classes, options, FOLDS,
                                 seed, &self->choice, NULL, &c);
  tosst_run_part (run, 0.95, 1);
  options->c = c;
  return status;
}

static gboolean
train_classifier (Training *self, TosstSplitResult *outcome, TosstTrained *trained, GError **error)
{
  const TosstEvidence *evidence = self->evidence;
  TosstRun *run = evidence->run;
  g_autofree int *labels = labels_of (run, evidence->train);
  int classes = (int)tosst_dataset_classes (run->dataset);
  gsize n = evidence->train->len;
  TosstKernelMachine *machine = NULL;
  TosstSvmOptions options;
  TosstStatus status = TOSST_OK;

  tosst_svm_options_default (&options);
  options.c = run->recipe->classifier.c;
  if (run->recipe->classifier.choose_c)
    status = choose_c (self, labels, outcome->split, &options);
  outcome->c = options.c;
  if (status == TOSST_OK && evidence->gram != NULL)
    status = tosst_kernel_train (run->context, evidence->gram, n, labels, NULL, classes, &options, NULL, &machine);
  else if (status == TOSST_OK)
    status = tosst_svm_train (run->context, evidence->rows, n, (int)run->length, labels, classes, &options, NULL,
                              &trained->svm);
  if (status == TOSST_CANCELLED && tosst_run_has_checkpoints (run))
    save_choice (self);
  if (machine != NULL)
    trained->kernel = tosst_evidence_model (evidence, machine);
  return tosst_error_from_status (status, run->context, _ ("Training the classifier"), error);
}

/* Margins of the tests: tests x classes. New; NULL with error. */
static double *
test_margins (const TosstEvidence *self, const TosstTrained *trained, const TosstSignatures *signatures,
              const TosstSimilar *similar, GError **error)
{
  TosstRun *run = self->run;
  gsize n = self->test->len, classes = (gsize)run->result->classes;
  g_autofree double *margins = g_try_malloc_n (n + 1, classes * sizeof *margins);
  g_autofree float *rows = similar == NULL ? tosst_run_select_rows (run, signatures->values, self->test) : NULL;
  TosstStatus status = TOSST_OK;

  if (margins == NULL || (similar == NULL && rows == NULL))
    status = tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to test the classifier");
  else if (similar != NULL)
    tosst_kernel_margins (trained->kernel->machine, similar->test, n, margins);
  else if (trained->kernel != NULL)
    status = tosst_kernel_model_margins (trained->kernel, run->context, rows, n, margins);
  else
    for (gsize i = 0; i < n; i++)
      tosst_svm_margins (trained->svm, rows + i * run->length, 1, margins + i * classes);
  return tosst_error_from_status (status, run->context, _ ("Testing"), error) ? g_steal_pointer (&margins) : NULL;
}

static void
count_right (const TosstEvidence *self, const double *margins, TosstSplitResult *outcome)
{
  const TosstRun *run = self->run;
  int classes = run->result->classes;
  g_autofree int *labels = labels_of (run, self->test);
  guint right = 0;

  outcome->predictions = g_array_sized_new (FALSE, FALSE, sizeof (TosstPrediction), self->test->len);
  for (guint i = 0; i < self->test->len; i++)
    {
      const double *own = margins + (gsize)i * (gsize)classes;
      int predicted = 0;

      for (int c = 1; c < classes; c++)
        predicted = own[c] > own[predicted] ? c : predicted;
      const TosstPrediction prediction = { g_array_index (self->test, guint, i), labels[i], predicted };
      outcome->confusion[labels[i] * classes + predicted]++;
      g_array_append_val (outcome->predictions, prediction);
      right += predicted == labels[i];
    }
  outcome->accuracy = 100.0 * right / self->test->len;
}

gboolean
tosst_run_classify (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures,
                    const TosstSimilar *similar, const GArray *train, const GArray *test, TosstSplitResult *outcome,
                    TosstTrained *trained, GError **error)
{
  TosstEvidence evidence = { .run = self, .train = train, .test = test };
  Training training = { .evidence = &evidence, .learned = learned, .signatures = signatures };
  gboolean several = tosst_recipe_has_several_labels (self->recipe), ok;

  *trained = (TosstTrained){ 0 };
  outcome->confusion = g_new0 (int, self->result->classes * self->result->classes);
  tosst_run_enter (self, TOSST_STAGE_TRAIN, outcome->split);
  ok = evidence_init (&evidence, signatures, similar, error)
       && (several ? tosst_run_train_labels (&evidence, outcome, trained, error)
                   : train_classifier (&training, outcome, trained, error));
  if (ok)
    {
      tosst_run_leave (self);
      tosst_run_enter (self, TOSST_STAGE_TEST, outcome->split);
      g_autofree double *margins = test_margins (&evidence, trained, signatures, similar, error);
      ok = margins != NULL;
      if (ok && several)
        ok = tosst_run_score_labels (&evidence, margins, outcome, error);
      else if (ok)
        count_right (&evidence, margins, outcome);
    }
  evidence_clear (&evidence);
  if (ok)
    tosst_run_leave (self);
  else
    tosst_trained_clear (trained);
  return ok;
}
