/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One-vs-rest training: checks, margins and the loop over classes. The solver and the Gram matrix are in svm-newton.c. */
#include "engine/base/base.h"
#include "engine/classify/svm-private.h"
#include "engine/classify/tuning.h"

void
tosst_svm_options_default (TosstSvmOptions *options)
{
  options->c = 100.0;
  options->tolerance = 1e-6;
}

TosstSvm *
tosst_svm_new (int p, int classes)
{
  TosstSvm *svm = calloc (1, sizeof *svm);

  if (!svm)
    return NULL;
  svm->p = p;
  svm->classes = classes;
  svm->w = calloc ((size_t)classes * ((size_t)p + 1), sizeof *svm->w);
  if (!svm->w)
    {
      free (svm);
      return NULL;
    }
  return svm;
}

void
tosst_svm_free (TosstSvm *svm)
{
  if (!svm)
    return;
  free (svm->w);
  free (svm);
}

TosstStatus
tosst_svm_check_labels (TosstContext *context, const int *labels, size_t n, int classes)
{
  size_t *members = calloc ((size_t)classes, sizeof *members);
  TosstStatus status = TOSST_OK;

  if (!members)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  for (size_t i = 0; i < n && status == TOSST_OK; i++)
    if (labels[i] < 0 || labels[i] >= classes)
      status = tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "sample %zu has class %d; classes are 0 to %d", i,
                                   labels[i], classes - 1);
    else
      members[labels[i]]++;
  for (int c = 0; c < classes && status == TOSST_OK; c++)
    if (members[c] == 0)
      status = tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "class %d has no training sample", c);
  free (members);
  return status;
}

TosstStatus
tosst_svm_check_options (TosstContext *context, const TosstSvmOptions *options)
{
  if (!(options->c > 0.0) || isinf (options->c))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "C must be a positive number, not %g", options->c);
  if (!(options->tolerance > 0.0))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the tolerance must be positive, not %g",
                               options->tolerance);
  return TOSST_OK;
}

static TosstStatus
check_samples (TosstContext *context, const float *x, size_t n, int p, int classes, const TosstSvmOptions *options)
{
  if (n == 0 || p <= 0 || classes <= 0 || n > INT32_MAX)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               "a classifier of %d classes cannot be trained on signatures of shape (%zu, %d)", classes,
                               n, p);
  TOSST_TRY (tosst_svm_check_options (context, options));
  for (size_t i = 0; i < n; i++)
    {
      /* Zero times a finite value is zero; otherwise the sum is NaN. */
      float probe = 0.0f;
      for (int j = 0; j < p; j++)
        probe += x[i * (size_t)p + (size_t)j] * 0.0f;
      if (probe != 0.0f)
        return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "signature %zu has a value that is not finite", i);
    }
  return TOSST_OK;
}

TosstStatus
tosst_svm_check (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                 const TosstSvmOptions *options)
{
  TosstStatus status = check_samples (context, x, n, p, classes, options);

  return status == TOSST_OK ? tosst_svm_check_labels (context, labels, n, classes) : status;
}

TosstStatus
tosst_svm_check_targets (TosstContext *context, const signed char *targets, size_t n, int classes)
{
  for (int c = 0; c < classes; c++, targets += n)
    {
      size_t positive = 0, negative = 0;
      for (size_t i = 0; i < n; i++)
        {
          positive += targets[i] == 1;
          negative += targets[i] == -1;
          if (targets[i] < -1 || targets[i] > 1)
            return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "Sample %zu has target %d in class %d", i,
                                       targets[i], c);
        }
      if (positive == 0 || negative == 0)
        return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "Class %d has no %s training sample", c,
                                   positive == 0 ? "positive" : "negative");
    }
  return TOSST_OK;
}

typedef struct
{
  TosstContext *context;
  TosstSvmProblem problem;
  TosstSvmWorkspace *workspaces; /* one per worker */
  double *objective;             /* or NULL */
  double *scale;                 /* classes: ||gradient|| at zero */
  TosstSvmDescent *descent;      /* classes */
  double *margins;               /* n x classes */
  TosstSvm *svm;
  TosstMemory memory;
} Training;

static TosstStatus
margin_rows (size_t item, int worker, void *data)
{
  Training *training = data;
  const TosstSvmProblem *problem = &training->problem;
  size_t first = item * MARGIN_ROWS, rows = problem->n - first < MARGIN_ROWS ? problem->n - first : MARGIN_ROWS;

  tosst_svm_margins (training->svm, problem->x + first * (size_t)problem->p, rows,
                     training->margins + first * (size_t)training->svm->classes);
  return TOSST_OK;
}

/* Sum of the samples of each class, stored in place of its w. */
static TosstStatus
sum_class (size_t item, int worker, void *data)
{
  Training *training = data;
  const TosstSvmProblem *problem = &training->problem;
  TosstSvmWorkspace *work = &training->workspaces[worker];
  size_t members = 0;

  for (size_t i = 0; i < problem->n; i++)
    if (problem->labels[i] == (int)item)
      {
        work->residual[members] = 1.0;
        work->active[members++] = i;
      }
  tosst_svm_combine_rows (problem, work->active, members, work->residual,
                          training->svm->w + item * ((size_t)problem->p + 1));
  return TOSST_OK;
}

static TosstStatus
find_scale (size_t item, int worker, void *data)
{
  Training *training = data;

  training->scale[item]
      = 2.0 * training->problem.c * tosst_svm_sum_norm (&training->problem, (int)item, &training->workspaces[worker]);
  return TOSST_OK;
}

/* The gradient at zero is 2 C times the sum of all samples minus twice the sum of the class. */
static TosstStatus
find_scales (Training *training)
{
  size_t width = (size_t)training->problem.p + 1, classes = (size_t)training->svm->classes;
  double *all = training->workspaces[0].w;

  if (training->problem.targets)
    return tosst_parallel (training->context, classes, find_scale, training, 0.0, 0.0);
  TosstStatus status = tosst_parallel (training->context, classes, sum_class, training, 0.0, 0.0);

  memset (all, 0, width * sizeof *all);
  for (size_t c = 0; c < classes; c++)
    for (size_t j = 0; j < width; j++)
      all[j] += training->svm->w[c * width + j];
  for (size_t c = 0; c < classes; c++)
    {
      double sum = 0.0;
      for (size_t j = 0; j < width; j++)
        {
          double difference = all[j] - 2.0 * training->svm->w[c * width + j];
          sum += difference * difference;
        }
      training->scale[c] = 2.0 * training->problem.c * sqrt (sum);
    }
  return status;
}

static TosstStatus
train_class (size_t item, int worker, void *data)
{
  Training *training = data;

  return tosst_svm_solve_class (training->context, &training->problem, (int)item, training->scale[item],
                                &training->workspaces[worker],
                                training->svm->w + item * ((size_t)training->problem.p + 1), training->descent + item);
}

static TosstStatus
finish_class (size_t item, int worker, void *data)
{
  Training *training = data;

  return tosst_svm_refine (training->context, &training->problem, (int)item, training->scale[item],
                           training->margins + item, (size_t)training->svm->classes, &training->workspaces[worker],
                           training->svm->w + item * ((size_t)training->problem.p + 1),
                           training->objective ? training->objective + item : NULL, training->descent + item);
}

/* Margins of all classes, as one matrix product. */
static TosstStatus
train_classes (Training *training)
{
  TosstContext *context = training->context;
  size_t classes = (size_t)training->svm->classes, n = training->problem.n;
  TosstStatus status = find_scales (training);

  TOSST_THEN (status, tosst_parallel (context, classes, train_class, training, 0.0, 0.9));
  TOSST_THEN (status, tosst_parallel (context, (n + MARGIN_ROWS - 1) / MARGIN_ROWS, margin_rows, training, 0.9, 0.95));
  TOSST_THEN (status, tosst_parallel (context, classes, finish_class, training, 0.95, 1.0));
  for (size_t c = 0; status == TOSST_OK && c < classes; c++)
    training->svm->residual = fmax (training->svm->residual, training->descent[c].reached);
  return status;
}

static bool
start_workspaces (Training *training)
{
  int threads = tosst_context_threads (training->context);

  training->workspaces = tosst_keep (&training->memory, calloc ((size_t)threads, sizeof *training->workspaces));
  for (int i = 0; training->workspaces && i < threads; i++)
    if (!tosst_svm_workspace_init (&training->workspaces[i], training->problem.n, training->problem.p))
      return false;
  return training->workspaces != NULL;
}

TosstStatus
tosst_svm_solve (TosstContext *context, const float *x, size_t n, int p, const int *labels, const signed char *targets,
                 int classes, const TosstSvmOptions *options, const double *gram, double *objective, TosstSvm **svm)
{
  Training training = { .context = context, .objective = objective };
  TosstMemory *memory = &training.memory;
  TosstStatus status;

  training.problem = (TosstSvmProblem){ x, n, p, labels, targets, options->c, options->tolerance, gram };
  training.svm = tosst_svm_new (p, classes);
  training.scale = tosst_keep (memory, malloc ((size_t)classes * sizeof *training.scale));
  training.descent = tosst_keep (memory, malloc ((size_t)classes * sizeof *training.descent));
  training.margins = tosst_keep (memory, malloc (n * (size_t)classes * sizeof *training.margins));
  if (training.svm && start_workspaces (&training) && !memory->failed)
    status = train_classes (&training);
  else
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  for (int i = 0; training.workspaces && i < tosst_context_threads (context); i++)
    tosst_svm_workspace_clear (&training.workspaces[i]);
  tosst_release (memory);
  if (status == TOSST_OK)
    *svm = training.svm;
  else
    tosst_svm_free (training.svm);
  return status;
}

/* By labels or targets, one of which is NULL. gram: or NULL. */
static TosstStatus
train (TosstContext *context, const float *x, size_t n, int p, const int *labels, const signed char *targets,
       int classes, const TosstSvmOptions *options, const double *gram, double *objective, TosstSvm **svm)
{
  double *own = NULL;
  TosstRange range = tosst_context_narrow (context, 0.0, 0.2);
  TosstStatus status = gram ? TOSST_OK : tosst_svm_gram (context, x, n, p, &own);

  tosst_context_set_range (context, range);
  if (status != TOSST_OK)
    return status;
  range = tosst_context_narrow (context, own ? 0.2 : 0.0, 1.0);
  status = tosst_svm_solve (context, x, n, p, labels, targets, classes, options, gram ? gram : own, objective, svm);
  tosst_context_set_range (context, range);
  free (own);
  return status;
}

TosstStatus
tosst_svm_train (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                 const TosstSvmOptions *options, double *objective, TosstSvm **svm)
{
  TOSST_REQUIRE (context, context && options && svm && x && labels);
  *svm = NULL;
  return tosst_svm_check (context, x, n, p, labels, classes, options)
             ?: train (context, x, n, p, labels, NULL, classes, options, NULL, objective, svm);
}

TosstStatus
tosst_svm_train_targets (TosstContext *context, const float *x, size_t n, int p, const signed char *targets,
                         int classes, const TosstSvmOptions *options, const double *gram, double *objective,
                         TosstSvm **svm)
{
  TOSST_REQUIRE (context, context && options && svm && x && targets);
  *svm = NULL;
  return check_samples (context, x, n, p, classes, options)
             ?: tosst_svm_check_targets (context, targets, n, classes)
             ?: train (context, x, n, p, NULL, targets, classes, options, gram, objective, svm);
}

void
tosst_svm_margins (const TosstSvm *svm, const float *x, size_t n, double *margins)
{
  /* Products in double from tiles of x on the stack, without allocation and thus without a failure path. */
  double tile[MARGIN_TILE_ROWS * MARGIN_TILE_COLUMNS];
  int width = svm->p + 1;

  for (size_t first = 0; first < n; first += MARGIN_TILE_ROWS)
    {
      int rows = n - first < MARGIN_TILE_ROWS ? (int)(n - first) : MARGIN_TILE_ROWS;
      double *out = margins + first * (size_t)svm->classes;
      for (int i = 0; i < rows; i++)
        for (int c = 0; c < svm->classes; c++)
          out[i * svm->classes + c] = svm->w[(size_t)c * (size_t)width + (size_t)svm->p];
      for (int column = 0; column < svm->p; column += MARGIN_TILE_COLUMNS)
        {
          int columns = svm->p - column < MARGIN_TILE_COLUMNS ? svm->p - column : MARGIN_TILE_COLUMNS;
          for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++)
              tile[i * MARGIN_TILE_COLUMNS + j] = x[(first + (size_t)i) * (size_t)svm->p + (size_t)(column + j)];
          cblas_dgemm (CblasRowMajor, CblasNoTrans, CblasTrans, rows, svm->classes, columns, 1.0, tile,
                       MARGIN_TILE_COLUMNS, svm->w + column, width, 1.0, out, svm->classes);
        }
    }
}

int
tosst_svm_decide (const TosstSvm *svm, const double *margins)
{
  return tosst_svm_largest (margins, svm->classes);
}
