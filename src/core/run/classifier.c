/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a classifier of a split is trained on: signatures of the training samples, or their Gram matrix.
 */
#include "core/base/base.h"
#include "core/run/private.h"
#include "core/run/scores.h"

void
tosst_trained_clear (TosstTrained *self)
{
  TOSST_CLEAR_MEMBERS (self, (svm, tosst_svm_free), (kernel, tosst_kernel_model_free), (sigmoids, g_free),
                       (rows, g_free));
  *self = (TosstTrained){ 0 };
}

const double *
tosst_run_first_block (const double *gram, gsize n, gsize some, double **own)
{
  *own = NULL;
  if (some == n)
    return gram;
  *own = g_try_malloc_n (some, some * sizeof **own);
  for (gsize i = 0; *own != NULL && i < some; i++)
    memcpy (*own + i * some, gram + i * n, some * sizeof **own);
  return *own;
}

/* landmarks: or NULL. */
static TosstStatus
compare_rows (TosstEvidence *self, const TosstSignatures *signatures, const GArray *landmarks)
{
  TosstRun *run = self->run;
  gsize n = self->n;

  self->own = g_try_malloc_n (n, n * sizeof *self->own);
  if (landmarks != NULL)
    self->similar = self->to_own = g_try_malloc_n (self->train->len, n * sizeof *self->to_own);
  if (self->own == NULL || (landmarks != NULL && self->to_own == NULL))
    return tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");
  TosstStatus status
      = tosst_kernel_compare (run->context, self->kernel, self->rows, n, NULL, 0, (int)run->length, self->own);
  if (status != TOSST_OK)
    return status;
  if (isnan (self->width))
    self->width = tosst_kernel_width (run->recipe, self->own, n);
  tosst_kernel_apply (self->kernel, self->width, self->own, n * n);
  self->gram = self->own;
  return landmarks != NULL
             ? tosst_run_compare (run, self->width, signatures, self->train, self->rows, n, NULL, self->to_own, NULL)
             : TOSST_OK;
}

/* Fills in rows and Gram matrix by classifier.kernel, or those of `similar`. Cleared by the caller after a
 * failure, too. */
static gboolean
tosst_evidence_init (TosstEvidence *self, const TosstSignatures *signatures, const TosstSimilar *similar,
                     GError **error)
{
  TosstStatus status = TOSST_OK;

  self->n = self->train->len;
  self->kernel = self->run->recipe->classifier.kernel;
  self->width = self->run->recipe->classifier.width;
  if (similar != NULL)
    {
      self->gram = similar->train;
      self->similar = similar->rows;
      self->n = similar->rows != NULL ? similar->landmarks : self->n;
      self->base = g_array_ref ((GArray *)similar->base);
      return TRUE;
    }
  gboolean compares = self->kernel != TOSST_KERNEL_LINEAR || self->run->recipe->classifier.loss == TOSST_LOSS_SQUARES;
  GArray *landmarks = compares ? tosst_run_landmarks (self->run, self->train, self->test, 1) : NULL;
  self->base = landmarks != NULL ? landmarks : g_array_ref ((GArray *)self->train);
  self->n = self->base->len;
  self->rows = tosst_run_select_rows (self->run, signatures, self->base, 0, self->n);
  if (self->rows == NULL)
    status = TOSST_ERROR_MEMORY;
  else if (compares)
    status = compare_rows (self, signatures, landmarks);
  return tosst_error_from_status (status, self->rows != NULL ? self->run->context : NULL, _ ("Training the classifier"),
                                  error);
}

/* Leave-one-out of the first n training samples with values of tosst_svm_grid() from first to last; *c is the smallest of the
 * best ones: by accuracy or, of targets, of which few are positive, by error. */
static TosstStatus
tosst_evidence_leave_one_out (const TosstEvidence *self, gsize n, const int *labels, const signed char *targets,
                              int first, int last, double *c)
{
  TosstContext *context = self->run->context;
  int classes = self->run->result->classes, count = last - first + 1, best = 0;
  TosstLeaveOneOut result[TOSST_SVM_GRID];
  double ridge[TOSST_SVM_GRID];
  g_autofree double *own = NULL;
  const double *gram;
  TosstStatus status;

  for (int i = 0; i < count; i++)
    ridge[i] = TOSST_KERNEL_RIDGE (tosst_svm_grid (first + i));
  if (self->similar != NULL)
    status = tosst_kernel_train_landmarks (context, self->gram, self->n, self->similar, n, labels, targets, classes,
                                           ridge, count, result, NULL);
  else if ((gram = tosst_run_first_block (self->gram, self->n, n, &own)) != NULL)
    status = tosst_kernel_leave_one_out (context, gram, n, labels, targets, classes, ridge, count, result);
  else
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to choose C");
  for (int i = 1; i < count && status == TOSST_OK; i++)
    best = (labels != NULL ? tosst_leave_one_out_is_better (&result[i], &result[best])
                           : result[i].error < result[best].error)
               ? i
               : best;
  *c = tosst_svm_grid (first + best);
  return status;
}

/* rows: with landmarks samples x landmarks, else the Gram matrix of the samples. */
static TosstStatus
train_on (const TosstEvidence *self, const double *rows, gsize n, const int *labels, const signed char *targets,
          int classes, const TosstSvmOptions *options, TosstKernelMachine **machine)
{
  const double ridge = TOSST_KERNEL_RIDGE (options->c);
  TosstContext *context = self->run->context;

  if (self->similar != NULL)
    return tosst_kernel_train_landmarks (context, self->gram, self->n, rows, n, labels, targets, classes, &ridge, 1,
                                         NULL, machine);
  return self->run->recipe->classifier.loss == TOSST_LOSS_SQUARES
             ? tosst_kernel_regress (context, rows, n, labels, targets, classes, options, machine)
             : tosst_kernel_train (context, rows, n, labels, targets, classes, options, NULL, machine);
}

/* Trains the classes on the Gram matrix by classifier.loss (with landmarks by least squares), by labels or, with labels NULL,
 * targets. */
static TosstStatus
tosst_evidence_train (const TosstEvidence *self, const int *labels, const signed char *targets, int classes,
                      const TosstSvmOptions *options, TosstKernelMachine **machine)
{
  return train_on (self, self->similar != NULL ? self->similar : self->gram, self->train->len, labels, targets, classes,
                   options, machine);
}

/* Makes a classifier of a machine (taken): a linear one of a machine on products of rows, else a kernel model. */
static void
tosst_evidence_take (const TosstEvidence *self, TosstKernelMachine *machine, TosstTrained *trained)
{
  TosstKernelModel *model;

  if (self->rows != NULL && self->kernel == TOSST_KERNEL_LINEAR)
    {
      trained->svm = tosst_linear_of_machine (machine, self->rows, self->run->length, FALSE);
      tosst_kernel_machine_free (machine);
      return;
    }
  trained->kernel = model = g_new0 (TosstKernelModel, 1);
  model->kernel = self->kernel;
  model->width = self->width;
  model->length = self->run->length;
  model->rows = self->rows != NULL ? g_memdup2 (self->rows, self->n * model->length * sizeof (float)) : NULL;
  model->machine = machine;
}

/* Classifiers of classes that do not exclude each other: samples with label 0 of a class are left out of it, and one
 * Gram matrix serves all classes and all values of C. */

/* C is chosen among tosst_svm_grid (FIRST_C) .. (LAST_C): 1, 10, 100. */
#define FIRST_C 1
#define LAST_C 3

/* Folds of cross-validation, where no validation images are given. */
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
} Labelled;

static int
label_of (const Labelled *self, guint row, int class_index)
{
  return tosst_dataset_label (self->run->dataset, g_array_index (self->train, guint, row), (guint)class_index);
}

static gboolean
training_init (Labelled *self, GError **error)
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

/* Trains `used` classes; the machine of class i of all is that of own class rank[i], or zero for rank -1. */
static TosstStatus
train_linear (const Labelled *self, const signed char *own, int used, const int *rank, const TosstSvmOptions *options,
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
train_kernel (const Labelled *self, const signed char *own, int used, const int *rank, const TosstSvmOptions *options,
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
train_targets (const Labelled *self, const signed char *targets, double c, TosstTrained *trained, GError **error)
{
  guint n = self->train->len;
  int classes = self->run->result->classes, used = 0;
  g_autofree signed char *own = g_new (signed char, (gsize)classes *n);
  g_autofree int *rank = g_new (int, classes);
  TosstSvmOptions options;

  for (int i = 0; i < classes; i++)
    {
      const signed char *target = targets + (gsize)i * n;

      rank[i] = memchr (target, 1, n) != NULL && memchr (target, -1, n) != NULL ? used : -1;
      if (rank[i] >= 0)
        memcpy (own + (gsize)used++ * n, target, n);
    }
  if (used == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("no class has training images that show it and others that do not"));
  tosst_svm_options_default (&options);
  options.c = c;
  TosstStatus status = self->evidence->gram != NULL ? train_kernel (self, own, used, rank, &options, trained)
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

/* Margins of a training sample. */
static void
row_margins (const Labelled *self, const TosstTrained *trained, gsize row, double *margins)
{
  const TosstEvidence *evidence = self->evidence;

  if (trained->svm != NULL)
    tosst_svm_margins (trained->svm, evidence->rows + row * self->run->length, 1, margins);
  else
    tosst_kernel_margins (trained->kernel->machine,
                          evidence->similar != NULL ? evidence->similar + row * evidence->n
                                                    : evidence->gram + row * self->train->len,
                          1, margins);
}

/* Mean average precision of rows (guint) that were held out. */
static gboolean
score_rows (const Labelled *self, const TosstTrained *trained, const GArray *held, double *mean, GError **error)
{
  int classes = self->run->result->classes;
  g_autoptr (TosstScores) scores = tosst_scores_new (held->len, classes);
  g_autofree double *per_class = g_new (double, classes);

  for (guint i = 0; i < held->len; i++)
    {
      guint row = g_array_index (held, guint, i);
      double *margins = scores->margin + (gsize)i * (gsize)classes;

      row_margins (self, trained, row, margins);
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

/* The targets without those of a fold, which *held (guint) receives. New. */
static signed char *
leave_out (const Labelled *self, const int *fold, int held_out, GArray *held)
{
  guint n = self->train->len;
  int classes = self->run->result->classes;
  signed char *targets = g_memdup2 (self->targets, (gsize)classes * n);

  for (guint i = 0; i < n; i++)
    if (fold[i] == held_out)
      {
        g_array_append_val (held, i);
        for (int c = 0; c < classes; c++)
          targets[(gsize)c * n + i] = 0;
      }
  return targets;
}

/* Adds to score[] the mean average precision of each C on rows of a fold, trained on the others. fold: of each row. */
static gboolean
try_fold (const Labelled *self, const int *fold, int held_out, double *score, GError **error)
{
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree signed char *targets = leave_out (self, fold, held_out, held);

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
draw_folds (const Labelled *self, int *fold)
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
choose_common_c (const Labelled *self, double *c, GError **error)
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

#define NEWTON_STEPS 100
#define SETTLED 1e-10 /* gradient of a sample */

/* The mean of the cross-entropy of the targets, which are 1 and 0 but for a little: a share of 1 / (n + 2) of each side, as Platt
 * has it, so that classes that separate have a finite slope. Convex. */
static double
cross_entropy (const double *f, gsize stride, const double *t, gsize n, double a, double b, double gradient[2],
               double hessian[3])
{
  double sum = 0;

  memset (gradient, 0, 2 * sizeof *gradient);
  memset (hessian, 0, 3 * sizeof *hessian);
  for (gsize i = 0; i < n; i++)
    {
      double x = f[i * stride], z = a * x + b, p = 1 / (1 + exp (-z)), weight = p * (1 - p);

      if (isnan (t[i]))
        continue;
      sum += (z > 0 ? log1p (exp (-z)) + z : log1p (exp (z))) - t[i] * z;
      gradient[0] += (p - t[i]) * x;
      gradient[1] += p - t[i];
      hessian[0] += weight * x * x;
      hessian[1] += weight * x;
      hessian[2] += weight;
    }
  return sum;
}

/* Newton's method with halved steps. */
void
tosst_run_fit_sigmoid (const double *margins, gsize stride, const signed char *labels, gsize n, double *a, double *b)
{
  g_autofree double *t = g_new (double, n + 1);
  double gradient[2], hessian[3], value, positive = 0, negative = 0;

  for (gsize i = 0; i < n; i++)
    {
      positive += labels[i] > 0;
      negative += labels[i] < 0;
    }
  for (gsize i = 0; i < n; i++)
    t[i] = labels[i] > 0 ? (positive + 1) / (positive + 2) : labels[i] < 0 ? 1 / (negative + 2) : NAN;
  *a = 0;
  *b = log ((positive + 1) / (negative + 1));
  for (int step = 0; step < NEWTON_STEPS && positive > 0 && negative > 0; step++)
    {
      value = cross_entropy (margins, stride, t, n, *a, *b, gradient, hessian);
      if (fmax (fabs (gradient[0]), fabs (gradient[1])) <= SETTLED * (double)n)
        break;
      /* A little more than the curvature where all margins are equal. */
      double ridge = 1e-12 * (hessian[0] + hessian[2]), h0 = hessian[0] + ridge, h2 = hessian[2] + ridge;
      double determinant = h0 * h2 - hessian[1] * hessian[1], length = 1;
      double da = -(h2 * gradient[0] - hessian[1] * gradient[1]) / determinant,
             db = -(h0 * gradient[1] - hessian[1] * gradient[0]) / determinant;

      while (length > 1e-10
             && !(cross_entropy (margins, stride, t, n, *a + length * da, *b + length * db, gradient, hessian) < value))
        length /= 2;
      if (length <= 1e-10)
        break;
      *a += length * da;
      *b += length * db;
    }
  if (*a < 0) /* the margins say nothing */
    {
      *a = 0;
      *b = log ((positive + 1) / (negative + 1));
    }
}

/* The sigmoids of the classes, by margins of classifiers that were trained without the samples; none without memory, or where
 * too few samples are left. FALSE when cancelled. */
static gboolean
calibrate_labels (const Labelled *self, double c, double **sigmoids, GError **error)
{
  gsize n = self->train->len, classes = (gsize)self->run->result->classes, known = 0;
  g_autofree int *fold = g_new (int, n);
  g_autofree double *margins = g_try_malloc_n (n + 1, classes * sizeof *margins);
  g_autofree signed char *labels = g_new (signed char, classes *n + 1);
  int folds = draw_folds (self, fold);

  if (margins == NULL)
    return TRUE;
  for (int held_out = 0; held_out < folds; held_out++)
    {
      g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint));
      g_autofree signed char *targets = leave_out (self, fold, held_out, held);
      TosstTrained trained = { 0 };
      g_autoptr (GError) cause = NULL;

      if (!train_targets (self, targets, c, &trained, &cause))
        return g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED) ? tosst_pass_error (error, &cause) : TRUE;
      for (guint i = 0; i < held->len; i++, known++)
        {
          guint row = g_array_index (held, guint, i);

          row_margins (self, &trained, row, margins + known * classes);
          for (gsize k = 0; k < classes; k++)
            labels[k * n + known] = self->targets[k * n + row];
        }
      tosst_trained_clear (&trained);
    }
  *sigmoids = g_new (double, 2 * classes);
  for (gsize k = 0; k < classes; k++)
    tosst_run_fit_sigmoid (margins + k, classes, labels + k * n, known, *sigmoids + 2 * k, *sigmoids + 2 * k + 1);
  return TRUE;
}

/* Trains classes that do not exclude each other. */
static gboolean
tosst_run_train_labels (const TosstEvidence *evidence, gboolean calibrates, TosstSplitResult *outcome,
                        TosstTrained *trained, GError **error)
{
  TosstRun *run = evidence->run;
  Labelled training = { .evidence = evidence, .run = run, .train = evidence->train };

  outcome->c = run->recipe->classifier.c;
  gboolean ok = training_init (&training, error)
                && (!run->recipe->classifier.choose_c || choose_common_c (&training, &outcome->c, error))
                && train_targets (&training, training.targets, outcome->c, trained, error)
                && (!calibrates || calibrate_labels (&training, outcome->c, &trained->sigmoids, error));
  free (training.products);
  g_free (training.targets);
  return ok;
}

/* The margins of tests (tests x classes), without labels. New. */
static TosstScores *
scores_of (const TosstEvidence *self, const double *margins)
{
  guint n = self->test->len;
  TosstScores *scores = tosst_scores_new (n, self->run->result->classes);

  memcpy (scores->margin, margins, (gsize)n * (gsize)scores->classes * sizeof *margins);
  for (guint i = 0; i < n; i++)
    scores->sample[i] = g_array_index (self->test, guint, i);
  return scores;
}

/* Scores the margins (tests x classes). */
static gboolean
tosst_run_score_labels (const TosstEvidence *evidence, const double *margins, TosstSplitResult *outcome, GError **error)
{
  const TosstRun *run = evidence->run;
  const GArray *test = evidence->test;
  int classes = run->result->classes;
  TosstScores *scores = outcome->scores = scores_of (evidence, margins);

  for (int c = 0; c < classes; c++)
    {
      gboolean positive = FALSE, negative = FALSE;

      /* Whether training samples have both labels. */
      for (guint i = 0; i < evidence->train->len && !(positive && negative); i++)
        {
          int label = tosst_dataset_label (run->dataset, g_array_index (evidence->train, guint, i), (guint)c);

          positive |= label > 0;
          negative |= label < 0;
        }
      for (guint i = 0; positive && negative && i < test->len; i++)
        scores->label[(gsize)c * test->len + i] = tosst_dataset_label (run->dataset, scores->sample[i], (guint)c);
    }
  return tosst_scores_mean (scores, run->result->score, NULL, &outcome->accuracy, error);
}

/* The slope s of the probabilities of a model,
 *     p_c = exp (s f_c) / sum_k exp (s f_k),   f: margins of the classes.
 * It is the one with the largest likelihood of the classes of training samples by margins of classifiers that were trained
 * without them. The order of the classes stays that of the margins. */

#define HALVINGS 60 /* of the interval of the slope: 2^-60 of it is beyond the precision of a double */
#define LARGEST 1e4

/* A fold for each training sample, -1: it always trains. As in a split, units are in one fold as a whole; those of each class are
 * divided evenly. Copies of a sample (dataset.copies) are in its fold, and are not held out themselves. */
static void
divide (const TosstEvidence *self, gsize n, const int *labels, int *fold)
{
  TosstDataset *dataset = self->run->dataset;
  g_autofree int *units = g_new0 (int, self->run->result->classes);
  g_autoptr (GHashTable) units_seen = g_hash_table_new (NULL, NULL); /* their numbers in their classes, from 1 */
  g_autoptr (GHashTable) number = g_hash_table_new (NULL, NULL);     /* that of the unit of an original sample */

  for (gsize i = 0; i < n; i++)
    {
      guint sample = g_array_index (self->train, guint, i);
      gpointer unit = GUINT_TO_POINTER (tosst_dataset_unit (dataset, sample)), known;

      known = g_hash_table_lookup (units_seen, unit);
      if (known == NULL)
        g_hash_table_insert (units_seen, unit, known = GINT_TO_POINTER (++units[labels[i]]));
      g_hash_table_insert (number, GUINT_TO_POINTER (tosst_dataset_origin (dataset, sample)), known);
    }
  for (gsize i = 0; i < self->train->len; i++)
    {
      guint original = tosst_dataset_origin (dataset, g_array_index (self->train, guint, i));
      int unit = GPOINTER_TO_INT (g_hash_table_lookup (number, GUINT_TO_POINTER (original)));

      fold[i] = units[labels[i]] > 1 ? unit % MIN (FOLDS, units[labels[i]]) : -1;
    }
}

/* The training samples without a fold, and those of it that are held out. */
typedef struct
{
  gsize *in, *out, n_in, n_out;
  int *labels; /* of in */
} Part;

static void
part_init (Part *part, const TosstEvidence *self, gsize n, const int *labels, const int *fold, int held)
{
  gsize all = self->train->len;

  *part = (Part){ g_new (gsize, all), g_new (gsize, all), 0, 0, g_new (int, all) };
  for (gsize i = 0; i < all; i++)
    if (fold[i] == held && i < n)
      part->out[part->n_out++] = i;
    else if (fold[i] != held)
      {
        part->labels[part->n_in] = labels[i];
        part->in[part->n_in++] = i;
      }
}

/* On the Gram matrix of all training samples, or with landmarks on their similarities to these. */
static TosstStatus
hold_out_of_gram (const TosstEvidence *self, const Part *part, const TosstSvmOptions *options, double *margins)
{
  const double *rows = self->similar != NULL ? self->similar : self->gram;
  gsize columns = self->similar != NULL ? self->n : part->n_in;
  g_autofree double *in = g_try_malloc_n (part->n_in + 1, columns * sizeof *in);
  g_autofree double *out = g_try_malloc_n (part->n_out + 1, columns * sizeof *out);
  TosstKernelMachine *machine = NULL;

  if (in == NULL || out == NULL)
    return tosst_context_fail (self->run->context, TOSST_ERROR_MEMORY, "not enough memory to calibrate the classifier");
  for (gsize i = 0; i < part->n_in + part->n_out; i++)
    {
      const double *row = rows + (i < part->n_in ? part->in[i] : part->out[i - part->n_in]) * self->n;
      double *to = i < part->n_in ? in + i * columns : out + (i - part->n_in) * columns;

      for (gsize j = 0; j < columns; j++)
        to[j] = row[self->similar != NULL ? j : part->in[j]];
    }
  TosstStatus status
      = train_on (self, in, part->n_in, part->labels, NULL, self->run->result->classes, options, &machine);
  if (status == TOSST_OK)
    tosst_kernel_margins (machine, out, part->n_out, margins);
  tosst_kernel_machine_free (machine);
  return status;
}

static TosstStatus
hold_out_of_rows (const TosstEvidence *self, const Part *part, const TosstSvmOptions *options, double *margins)
{
  gsize p = self->run->length;
  g_autofree float *in = g_try_malloc_n (part->n_in + 1, p * sizeof *in);
  TosstSvm *svm = NULL;

  if (in == NULL)
    return tosst_context_fail (self->run->context, TOSST_ERROR_MEMORY, "not enough memory to calibrate the classifier");
  for (gsize i = 0; i < part->n_in; i++)
    memcpy (in + i * p, self->rows + part->in[i] * p, p * sizeof *in);
  TosstStatus status = tosst_svm_train (self->run->context, in, part->n_in, (int)p, part->labels,
                                        self->run->result->classes, options, NULL, &svm);
  for (gsize i = 0; status == TOSST_OK && i < part->n_out; i++)
    tosst_svm_margins (svm, self->rows + part->out[i] * p, 1, margins + i * (gsize)svm->classes);
  tosst_svm_free (svm);
  return status;
}

/* d/ds of the log-likelihood of n samples: it falls with s. A share of 1 / (n + 2) of each sample is of the other classes, as in
 * Platt's method: without it, n samples that are all right would have an infinite slope. */
static double
derivative (const double *margins, const int *labels, gsize n, int classes, double s)
{
  double sum = 0, wrong = 1 / (double)(n + 2) / (classes - 1);

  for (gsize i = 0; i < n; i++)
    {
      const double *f = margins + i * (gsize)classes;
      double largest = -INFINITY, total = 0, mean = 0;

      for (int c = 0; c < classes; c++)
        largest = fmax (largest, f[c]);
      for (int c = 0; c < classes; c++)
        {
          double weight = exp (s * (f[c] - largest));

          total += weight;
          mean += weight * f[c];
          sum += f[c] * (c == labels[i] ? 1 - wrong * (classes - 1) : wrong);
        }
      sum -= mean / total;
    }
  return sum;
}

double
tosst_run_fit_slope (const double *margins, const int *labels, gsize n, int classes)
{
  double low = 0, high = LARGEST;

  if (n == 0 || classes < 2)
    return NAN;
  for (int i = 0; i < HALVINGS; i++)
    {
      double middle = 0.5 * (low + high);

      *(derivative (margins, labels, n, classes, middle) > 0 ? &low : &high) = middle;
    }
  return 0.5 * (low + high);
}

/* The slope of the probabilities of a classifier with these options, by cross-validation on the training samples
 * with these labels; NAN if no sample can be held out, memory is short or a classifier fails. FALSE when cancelled. */
static gboolean
tosst_run_calibrate (const TosstEvidence *self, const int *labels, const TosstSvmOptions *options, double *slope,
                     GError **error)
{
  gsize n = tosst_run_choosing (self->run, self->train), classes = (gsize)self->run->result->classes, known = 0;
  g_autofree int *fold = g_new (int, self->train->len), *truth = g_new (int, self->train->len);
  g_autofree double *margins = g_try_malloc_n (n + 1, classes * sizeof *margins);

  *slope = NAN;
  if (margins == NULL)
    return TRUE;
  tosst_run_part (self->run, 1, 1);
  divide (self, n, labels, fold);
  for (int held = 0; held < FOLDS; held++)
    {
      TosstStatus status = TOSST_OK;
      Part part;

      part_init (&part, self, n, labels, fold, held);
      if (part.n_out > 0)
        status = self->gram != NULL ? hold_out_of_gram (self, &part, options, margins + known * classes)
                                    : hold_out_of_rows (self, &part, options, margins + known * classes);
      for (gsize i = 0; i < part.n_out; i++)
        truth[known++] = labels[part.out[i]];
      g_free (part.in);
      g_free (part.out);
      g_free (part.labels);
      if (status == TOSST_CANCELLED)
        return tosst_error_from_status (status, self->run->context, _ ("Calibrating the classifier"), error);
      if (status != TOSST_OK)
        return TRUE; /* the model has no probabilities */
    }
  *slope = tosst_run_fit_slope (margins, truth, known, (int)classes);
  return TRUE;
}

/* The classifier of a split: a linear machine on signatures, or a kernel machine on a Gram matrix of the training
 * samples; then its accuracy on the tests. */

/* Wrong predictions of a split whose nearest training samples are looked for. */
#define MOST_WRONG 500

static int *
labels_of (const TosstRun *self, const GArray *samples)
{
  int *labels = g_new (int, samples->len);

  for (guint i = 0; i < samples->len; i++)
    labels[i] = tosst_dataset_sample (self->dataset, g_array_index (samples, guint, i))->class_index;
  return labels;
}

#define MOST_TRAINING ((gsize)256 << 20) /* bytes of signatures that a model keeps */

gboolean
tosst_run_keeps_training (const TosstRun *self, gsize n, gsize length)
{
  return self->options->training && !tosst_recipe_has_several_labels (self->recipe)
         && n * length <= MOST_TRAINING / sizeof (float);
}

TosstTraining *
tosst_run_training_new (const TosstRun *self, const GArray *train, double c)
{
  TosstTraining *training = g_new0 (TosstTraining, 1);

  training->n = train->len;
  training->labels = labels_of (self, train);
  training->c = c;
  training->rows = g_ptr_array_new_with_free_func (g_free);
  return training;
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
  int classes = (int)run->dataset->classes->len;
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

  if (folds && gram == NULL)
    return tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to choose C");
  /* The trials of an earlier run of the split. */
  if (self->signatures != NULL && checkpoint != NULL && checkpoint->images == run->patches->images
      && checkpoint->choice.fits > 0 && checkpoint->choice.fits <= FOLDS * TOSST_SVM_GRID)
    self->choice = checkpoint->choice;
  self->choice.report = on_choice;
  self->choice.data = self;
  tosst_run_part (run, 0, 0.95);
  TosstStatus status = choose_among (self, gram, n, labels, split, options);
  tosst_run_part (run, 0.95, 1);
  return status;
}

static gboolean
train_classifier (Training *self, gboolean calibrates, TosstSplitResult *outcome, TosstTrained *trained, GError **error)
{
  const TosstEvidence *evidence = self->evidence;
  TosstRun *run = evidence->run;
  g_autofree int *labels = labels_of (run, evidence->train);
  int classes = (int)run->dataset->classes->len;
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
  g_autofree int *labels = labels_of (self->run, self->test);
  TosstScores *kept = scores_of (self, margins);

  for (int c = 0; c < kept->classes; c++)
    for (guint i = 0; i < self->test->len; i++)
      kept->label[(gsize)c * self->test->len + i] = labels[i] == c ? 1 : -1;
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
       && (several ? tosst_run_train_labels (&evidence, calibrates, outcome, trained, error)
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
  if (ok && outcome->split == 0 && similar == NULL && evidence.similar == NULL
      && tosst_run_keeps_training (self, evidence.n, self->length))
    trained->rows = g_steal_pointer (&evidence.rows);
  TOSST_CLEAR_MEMBERS (&evidence, (rows, g_free), (own, g_free), (to_own, g_free), (base, g_array_unref));
  if (ok)
    tosst_run_leave (self);
  else
    tosst_trained_clear (trained);
  return ok;
}
