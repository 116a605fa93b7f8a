/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classifiers of classes that do not exclude each other: samples with label 0 of a class are left out of it, and one
 * Gram matrix serves all classes and all values of C.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/run/private.h"
#include "core/run/scores.h"
#include "tosst/classify.h"

/* C is chosen among tosst_svm_grid (FIRST_C) .. (LAST_C): 1, 10, 100. */
#define FIRST_C 1
#define LAST_C 3

/* Folds where no validation images are given. */
#define FOLDS 5

/* Stream of dataset.seed that draws folds. */
#define FOLD_STREAM 2000

/* Training samples with their labels, and the classes that can be trained. */
typedef struct
{
  const TosstEvidence *evidence;
  TosstRun *run;
  const GArray *train;
  double *products;     /* of all rows, for the linear machine; or NULL */
  signed char *targets; /* classes x training samples */
} Training;

static int
label_of (const Training *self, guint row, int class_index)
{
  return tosst_dataset_label (self->run->dataset, g_array_index (self->train, guint, row), (guint)class_index);
}

static gboolean
training_init (Training *self, GError **error)
{
  TosstRun *run = self->run;
  guint n = self->train->len;
  int classes = run->result->classes;
  TosstStatus status = TOSST_OK;

  self->targets = g_new (signed char, (gsize)classes *n);
  for (int c = 0; c < classes; c++)
    for (guint i = 0; i < n; i++)
      self->targets[(gsize)c * n + i] = (signed char)label_of (self, i, c);
  if (self->evidence->gram == NULL)
    status = tosst_svm_gram (run->context, self->evidence->rows, n, (int)run->length, &self->products);
  return tosst_error_from_status (status, run->context, _ ("Training the classifier"), error);
}

static gboolean
has_both (const signed char *targets, guint n)
{
  return memchr (targets, 1, n) != NULL && memchr (targets, -1, n) != NULL;
}

/* Trains `used` classes; the machine of class i of all is that of own class rank[i], or zero for rank -1. */
static TosstStatus
train_linear (const Training *self, const signed char *own, int used, const int *rank, const TosstSvmOptions *options,
              TosstTrained *trained)
{
  TosstRun *run = self->run;
  gsize length = run->length + 1;
  TosstSvm *some = NULL;
  TosstStatus status = tosst_svm_train_targets (run->context, self->evidence->rows, self->train->len, (int)run->length,
                                                own, used, options, self->products, NULL, &some);

  if (status != TOSST_OK)
    return status;
  trained->svm = tosst_svm_new ((int)run->length, run->result->classes);
  trained->svm->residual = some->residual;
  for (int i = 0; i < run->result->classes; i++)
    if (rank[i] >= 0)
      memcpy (trained->svm->w + (gsize)i * length, some->w + (gsize)rank[i] * length, length * sizeof *some->w);
  tosst_svm_free (some);
  return TOSST_OK;
}

static TosstStatus
train_kernel (const Training *self, const signed char *own, int used, const int *rank, const TosstSvmOptions *options,
              TosstTrained *trained)
{
  TosstRun *run = self->run;
  TosstKernelMachine *some = NULL, *machine;
  TosstStatus status = tosst_evidence_train (self->evidence, NULL, own, used, options, &some);

  if (status != TOSST_OK)
    return status;
  gsize n = some->n;
  machine = tosst_kernel_machine_new (n, run->result->classes);
  machine->residual = some->residual;
  for (int i = 0; i < run->result->classes; i++)
    if (rank[i] >= 0)
      {
        memcpy (machine->coefficients + (gsize)i * n, some->coefficients + (gsize)rank[i] * n,
                n * sizeof *some->coefficients);
        machine->bias[i] = some->bias[rank[i]];
      }
  tosst_kernel_machine_free (some);
  tosst_evidence_take (self->evidence, machine, trained);
  return TOSST_OK;
}

/* Trains the classes that have samples of both signs; the others have margin 0. targets: classes x samples. */
static gboolean
train_targets (const Training *self, const signed char *targets, double c, TosstTrained *trained, GError **error)
{
  guint n = self->train->len;
  int classes = self->run->result->classes, used = 0;
  g_autofree signed char *own = g_new (signed char, (gsize)classes *n);
  g_autofree int *rank = g_new (int, classes);
  TosstSvmOptions options;
  TosstStatus status;

  for (int i = 0; i < classes; i++)
    {
      rank[i] = has_both (targets + (gsize)i * n, n) ? used : -1;
      if (rank[i] >= 0)
        memcpy (own + (gsize)used++ * n, targets + (gsize)i * n, n);
    }
  if (used == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("no class has training images that show it and others that do not"));
  tosst_svm_options_default (&options);
  options.c = c;
  status = self->evidence->gram != NULL ? train_kernel (self, own, used, rank, &options, trained)
                                        : train_linear (self, own, used, rank, &options, trained);
  return tosst_error_from_status (status, self->run->context, _ ("Training the classifier"), error);
}

/* Average precision of a class with fewer positives is mostly noise, and has no say in the choice of C unless all classes
 * are so rare. */
#define ENOUGH_POSITIVES 10

static double
mean_of_frequent (const TosstScores *scores, const double *per_class, guint enough)
{
  double sum = 0;
  int used = 0;

  for (int c = 0; c < scores->classes; c++)
    {
      guint positives = 0;

      for (guint i = 0; i < scores->samples; i++)
        positives += scores->label[(gsize)c * scores->samples + i] > 0;
      if (positives < enough || isnan (per_class[c]))
        continue;
      sum += per_class[c];
      used++;
    }
  return used > 0 ? sum / used : NAN;
}

/* Mean average precision of rows (guint) that were held out. */
static gboolean
score_rows (const Training *self, const TosstTrained *trained, const GArray *held, double *mean, GError **error)
{
  const TosstEvidence *evidence = self->evidence;
  int classes = self->run->result->classes;
  g_autoptr (TosstScores) scores = tosst_scores_new (held->len, classes);
  g_autofree double *per_class = g_new (double, classes);

  for (guint i = 0; i < held->len; i++)
    {
      guint row = g_array_index (held, guint, i);
      double *margins = scores->margin + (gsize)i * (gsize)classes;

      if (trained->svm != NULL)
        tosst_svm_margins (trained->svm, evidence->rows + row * self->run->length, 1, margins);
      else
        tosst_kernel_margins (trained->kernel->machine, evidence->gram + (gsize)row * self->train->len, 1, margins);
      for (int c = 0; c < classes; c++)
        scores->label[(gsize)c * held->len + i] = label_of (self, row, c);
    }
  if (!tosst_scores_mean (scores, self->run->result->score, per_class, mean, error))
    return FALSE;
  double frequent = mean_of_frequent (scores, per_class, ENOUGH_POSITIVES);
  if (!isnan (frequent))
    *mean = frequent;
  return TRUE;
}

/* Adds to score[] the mean average precision of each C on rows of a fold, trained on the others. fold: of each row. */
static gboolean
try_fold (const Training *self, const int *fold, int held_out, double *score, GError **error)
{
  guint n = self->train->len;
  int classes = self->run->result->classes;
  g_autofree signed char *targets = g_memdup2 (self->targets, (gsize)classes * n);
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < n; i++)
    if (fold[i] == held_out)
      {
        g_array_append_val (held, i);
        for (int c = 0; c < classes; c++)
          targets[(gsize)c * n + i] = 0;
      }
  for (int i = FIRST_C; i <= LAST_C; i++)
    {
      double mean = NAN;
      TosstTrained trained = { 0 };
      gboolean ok = train_targets (self, targets, tosst_svm_grid (i), &trained, error)
                    && score_rows (self, &trained, held, &mean, error);

      tosst_trained_clear (&trained);
      if (!ok)
        return FALSE;
      if (!isnan (mean))
        score[i] += mean;
    }
  return TRUE;
}

/* The validation images, where all images train and the data set has such a list; else folds drawn at random. Returns
 * the number of folds to hold out. */
static int
draw_folds (const Training *self, int *fold)
{
  const TosstRecipe *recipe = self->run->recipe;
  guint n = self->train->len, validate = 0;
  TosstRandom random;

  for (guint i = 0; i < n; i++)
    {
      guint sample = g_array_index (self->train, guint, i);
      guint image = (guint)tosst_dataset_sample (self->run->dataset, sample)->image;

      fold[i] = tosst_dataset_side (self->run->dataset, image) == TOSST_SIDE_VALIDATE ? 0 : 1;
      validate += fold[i] == 0;
    }
  if (validate > 0 && validate < n)
    return 1;
  tosst_random_init (&random, recipe->dataset.seed, FOLD_STREAM);
  for (guint i = 0; i < n; i++)
    fold[i] = (int)(i % FOLDS);
  for (guint i = n; i > 1; i--)
    {
      guint j = (guint)tosst_random_below (&random, i);
      int other = fold[j];

      fold[j] = fold[i - 1];
      fold[i - 1] = other;
    }
  return FOLDS;
}

/* The smallest C with the largest mean score; with landmarks, by leave-one-out. */
static gboolean
choose_c (const Training *self, double *c, GError **error)
{
  g_autofree int *fold = g_new (int, self->train->len);
  double score[TOSST_SVM_GRID] = { 0 };
  int folds = draw_folds (self, fold), best = FIRST_C;

  if (self->evidence->similar != NULL)
    return tosst_error_from_status (
        tosst_evidence_leave_one_out (self->evidence, self->train->len, NULL, self->targets, FIRST_C, LAST_C, c),
        self->run->context, _ ("Training the classifier"), error);

  for (int held_out = 0; held_out < folds; held_out++)
    if (!try_fold (self, fold, held_out, score, error))
      return FALSE;
  for (int i = FIRST_C; i <= LAST_C; i++)
    if (score[i] > score[best])
      best = i;
  *c = tosst_svm_grid (best);
  return TRUE;
}

gboolean
tosst_run_train_labels (const TosstEvidence *evidence, TosstSplitResult *outcome, TosstTrained *trained, GError **error)
{
  TosstRun *run = evidence->run;
  Training training = { .evidence = evidence, .run = run, .train = evidence->train };
  gboolean ok;

  outcome->c = run->recipe->classifier.c;
  ok = training_init (&training, error)
       && (!run->recipe->classifier.choose_c || choose_c (&training, &outcome->c, error))
       && train_targets (&training, training.targets, outcome->c, trained, error);
  free (training.products);
  g_free (training.targets);
  return ok;
}

/* Whether training samples have both labels. */
static gboolean
is_trained (const TosstRun *self, const GArray *train, int class_index)
{
  gboolean positive = FALSE, negative = FALSE;

  for (guint i = 0; i < train->len && !(positive && negative); i++)
    {
      int label = tosst_dataset_label (self->dataset, g_array_index (train, guint, i), (guint)class_index);

      positive |= label > 0;
      negative |= label < 0;
    }
  return positive && negative;
}

gboolean
tosst_run_score_labels (const TosstEvidence *evidence, const double *margins, TosstSplitResult *outcome, GError **error)
{
  const TosstRun *run = evidence->run;
  const GArray *test = evidence->test;
  int classes = run->result->classes;
  TosstScores *scores = tosst_scores_new (test->len, classes);

  outcome->scores = scores;
  memcpy (scores->margin, margins, (gsize)test->len * (gsize)classes * sizeof *margins);
  for (guint i = 0; i < test->len; i++)
    scores->sample[i] = g_array_index (test, guint, i);
  for (int c = 0; c < classes; c++)
    {
      gboolean trained = is_trained (run, evidence->train, c);

      for (guint i = 0; trained && i < test->len; i++)
        scores->label[(gsize)c * test->len + i] = tosst_dataset_label (run->dataset, scores->sample[i], (guint)c);
    }
  return tosst_scores_mean (scores, run->result->score, NULL, &outcome->accuracy, error);
}
