/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The classifier of a split: a linear machine on signatures, or a kernel machine on a Gram matrix of the training
 * samples; then its accuracy on the tests.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/run/private.h"
#include "core/run/scores.h"
#include "tosst/classify.h"

/* Wrong predictions of a split whose nearest training samples are looked for. */
#define MOST_WRONG 500
/* Folds of the cross-validation that chooses C. */
#define FOLDS 5

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
    tosst_run_save_coded (run, self->learned, self->signatures, run->patches->images, NULL, &self->choice);
}

static void
on_choice (const TosstSvmChoice *choice, void *data)
{
  Training *self = data;

  if (tosst_run_checkpoint_is_due (self->evidence->run))
    save_choice (self);
}

/* Chooses by the first n training samples. gram: of these, for the hinge loss, or NULL. */
static TosstStatus
choose_among (Training *self, const double *gram, gsize n, const int *labels, int split, TosstSvmOptions *options)
{
  const TosstEvidence *evidence = self->evidence;
  TosstRun *run = evidence->run;
  /* Each split draws its own folds, from the seed of the samples. */
  guint64 seed = run->recipe->dataset.seed + (guint64)split;
  int classes = (int)tosst_dataset_classes (run->dataset);
  double c = options->c;
  TosstStatus status;

  if (gram == NULL && evidence->gram != NULL)
    status = tosst_evidence_leave_one_out (evidence, n, labels, NULL, 0, TOSST_SVM_GRID - 1, &c);
  else if (gram != NULL)
    status
        = tosst_kernel_choose_c (run->context, gram, n, labels, classes, options, FOLDS, seed, &self->choice, NULL, &c);
  else
    status = tosst_svm_choose_c (run->context, evidence->rows, n, (int)run->length, labels, classes, options, FOLDS,
                                 seed, &self->choice, NULL, &c);
  options->c = c;
  return status;
}

static TosstStatus
choose_c (Training *self, const int *labels, int split, TosstSvmOptions *options)
{
  const TosstEvidence *evidence = self->evidence;
  TosstRun *run = evidence->run;
  const TosstCheckpoint *checkpoint = run->checkpoint;
  gsize n = tosst_run_choosing (run, evidence->train);
  g_autofree double *own = NULL;
  gboolean folds
      = evidence->gram != NULL && evidence->similar == NULL && run->recipe->classifier.loss != TOSST_LOSS_SQUARES;
  const double *gram = folds ? tosst_run_first_block (evidence->gram, evidence->train->len, n, &own) : NULL;
  TosstStatus status;

  if (folds && gram == NULL)
    return tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to choose C");
  /* The trials of an earlier run of the split. */
  if (self->signatures != NULL && checkpoint != NULL && checkpoint->images == run->patches->images
      && checkpoint->choice.fits > 0 && checkpoint->choice.fits <= FOLDS * TOSST_SVM_GRID)
    self->choice = checkpoint->choice;
  self->choice.report = on_choice;
  self->choice.data = self;
  tosst_run_part (run, 0, 0.95);
  status = choose_among (self, gram, n, labels, split, options);
  tosst_run_part (run, 0.95, 1);
  return status;
}

static gboolean
train_classifier (Training *self, gboolean calibrates, TosstSplitResult *outcome, TosstTrained *trained, GError **error)
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
    status = tosst_evidence_train (evidence, labels, NULL, classes, &options, &machine);
  else if (status == TOSST_OK)
    status = tosst_svm_train (run->context, evidence->rows, n, (int)run->length, labels, classes, &options, NULL,
                              &trained->svm);
  if (status == TOSST_CANCELLED && tosst_run_has_checkpoints (run))
    save_choice (self);
  if (machine != NULL)
    tosst_evidence_take (evidence, machine, trained);
  return tosst_error_from_status (status, run->context, _ ("Training the classifier"), error)
         && (!calibrates || tosst_run_calibrate (evidence, labels, &options, &trained->slope, error));
}

/* Margins of the tests: tests x classes. New; NULL with error. */
static double *
test_margins (const TosstEvidence *self, const TosstTrained *trained, const TosstSignatures *signatures,
              const TosstSimilar *similar, GError **error)
{
  TosstRun *run = self->run;
  gsize n = self->test->len, classes = (gsize)run->result->classes;
  g_autofree double *margins = g_try_malloc_n (n + 1, classes * sizeof *margins);
  TosstStatus status = TOSST_OK;

  if (margins == NULL)
    status = tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to test the classifier");
  else if (similar != NULL)
    tosst_kernel_margins (trained->kernel->machine, similar->test, n, margins);
  for (gsize first = 0; first < n && similar == NULL && status == TOSST_OK; first += TOSST_RUN_ROWS)
    {
      gsize count = MIN (TOSST_RUN_ROWS, n - first);
      g_autofree float *rows = tosst_run_select_rows (run, signatures, self->test, first, count);

      if (rows == NULL)
        status = tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to test the classifier");
      else if (trained->kernel != NULL)
        status = tosst_kernel_model_margins (trained->kernel, run->context, rows, count, margins + first * classes);
      for (gsize i = 0; status == TOSST_OK && trained->kernel == NULL && i < count; i++)
        tosst_svm_margins (trained->svm, rows + i * run->length, 1, margins + (first + i) * classes);
    }
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
      TosstPrediction prediction = { g_array_index (self->test, guint, i), labels[i], predicted, { { 0 } } };

      memset (prediction.nearest, 0xff, sizeof prediction.nearest); /* -1 */
      outcome->confusion[labels[i] * classes + predicted]++;
      g_array_append_val (outcome->predictions, prediction);
      right += predicted == labels[i];
    }
  outcome->accuracy = 100.0 * right / self->test->len;
}

/* The nearest samples of a class: those of the largest 2 k (x, x_i) - k (x_i, x_i), which falls with the distance to x. */
static void
choose_nearest (const TosstEvidence *self, const double *similar, const double *diagonal, int class_index, int *nearest)
{
  const TosstDataset *dataset = self->run->dataset;
  double best[TOSST_NEAREST];
  gsize last = MIN (self->n, tosst_run_choosing (self->run, self->train)); /* copies come after it */
  int n = 0;

  for (gsize i = 0; i < last; i++)
    {
      guint sample = g_array_index (self->base, guint, i);
      double value = 2 * similar[i] - diagonal[i];
      int at = n;

      if (tosst_dataset_sample ((TosstDataset *)dataset, sample)->class_index != class_index)
        continue;
      for (; at > 0 && value > best[at - 1]; at--)
        if (at < TOSST_NEAREST)
          {
            best[at] = best[at - 1];
            nearest[at] = nearest[at - 1];
          }
      if (at == TOSST_NEAREST)
        continue;
      best[at] = value;
      nearest[at] = (int)sample;
      n = MIN (n + 1, TOSST_NEAREST);
    }
}

/* Similarities of one test to the samples of the base. */
static TosstStatus
compare_test (const TosstEvidence *self, const TosstSignatures *signatures, guint test, double *values)
{
  TosstRun *run = self->run;
  g_autofree float *row = tosst_run_select_rows (run, signatures, self->test, test, 1);
  TosstStatus status
      = row != NULL
            ? tosst_kernel_compare (run->context, self->kernel, row, 1, self->rows, self->n, (int)run->length, values)
            : tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");

  tosst_kernel_apply (self->kernel, self->width, values, status == TOSST_OK ? self->n : 0);
  return status;
}

/* The training samples that are nearest to tests with a wrong prediction. */
static gboolean
find_nearest (const TosstEvidence *self, const TosstSignatures *signatures, const TosstSimilar *similar,
              TosstSplitResult *outcome, GError **error)
{
  g_autofree double *diagonal = g_new (double, self->n), *values = g_new (double, self->n);
  TosstStatus status = TOSST_OK;
  guint wrong = 0;

  if (similar == NULL)
    tosst_kernel_diagonal (self->kernel, self->rows, self->n, (int)self->run->length, diagonal);
  for (gsize i = 0; similar != NULL && i < self->n; i++)
    diagonal[i] = similar->train[i * self->n + i];
  for (guint i = 0; i < self->test->len && wrong < MOST_WRONG && status == TOSST_OK; i++)
    {
      TosstPrediction *one = &g_array_index (outcome->predictions, TosstPrediction, i);
      const double *own = similar != NULL ? similar->test + (gsize)i * self->n : values;

      if (one->truth == one->predicted)
        continue;
      wrong++;
      if (similar == NULL)
        status = compare_test (self, signatures, i, values);
      for (int side = 0; side < 2 && status == TOSST_OK; side++)
        choose_nearest (self, own, diagonal, side == 0 ? one->predicted : one->truth, one->nearest[side]);
    }
  return tosst_error_from_status (status, self->run->context, _ ("Testing"), error);
}

/* Margins of all classes, for other scores of a run with one class a sample. */
static TosstScores *
keep_margins (const TosstEvidence *self, const double *margins)
{
  guint n = self->test->len;
  int classes = self->run->result->classes;
  g_autofree int *labels = labels_of (self->run, self->test);
  TosstScores *kept = tosst_scores_new (n, classes);

  memcpy (kept->margin, margins, (gsize)n * (gsize)classes * sizeof *margins);
  for (guint i = 0; i < n; i++)
    kept->sample[i] = g_array_index (self->test, guint, i);
  for (int c = 0; c < classes; c++)
    for (guint i = 0; i < n; i++)
      kept->label[(gsize)c * n + i] = labels[i] == c ? 1 : -1;
  return kept;
}

gboolean
tosst_run_classify (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures,
                    const TosstSimilar *similar, const GArray *train, const GArray *test, TosstSplitResult *outcome,
                    TosstTrained *trained, GError **error)
{
  TosstEvidence evidence = { .run = self, .train = train, .test = test };
  Training training = { .evidence = &evidence, .learned = learned, .signatures = signatures };
  gboolean several = tosst_recipe_has_several_labels (self->recipe), ok;
  gboolean calibrates = outcome->split == 0 && (similar == NULL || !similar->alone); /* it is that of the model */

  *trained = (TosstTrained){ .slope = NAN };
  outcome->confusion = g_new0 (int, self->result->classes * self->result->classes);
  tosst_run_enter (self, TOSST_STAGE_TRAIN, outcome->split);
  ok = tosst_evidence_init (&evidence, signatures, similar, error)
       && (several ? tosst_run_train_labels (&evidence, outcome, trained, error)
                   : train_classifier (&training, calibrates, outcome, trained, error));
  if (ok)
    {
      tosst_run_leave (self);
      tosst_run_enter (self, TOSST_STAGE_TEST, outcome->split);
      g_autofree double *margins = test_margins (&evidence, trained, signatures, similar, error);
      ok = margins != NULL;
      if (ok && several)
        ok = tosst_run_score_labels (&evidence, margins, outcome, error);
      else if (ok)
        {
          count_right (&evidence, margins, outcome);
          outcome->margins = keep_margins (&evidence, margins);
          ok = find_nearest (&evidence, signatures, similar, outcome, error);
        }
    }
  tosst_evidence_clear (&evidence);
  if (ok)
    tosst_run_leave (self);
  else
    tosst_trained_clear (trained);
  return ok;
}
