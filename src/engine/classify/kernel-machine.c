/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Machines by least squares. Classes that leave the same samples out share a factorisation. */
#include <limits.h>

#include "engine/base/base.h"
#include "engine/classify/kernel-private.h"

typedef struct
{
  TosstContext *context;
  const double *gram; /* n x n, without the 1 of the bias */
  size_t n;
  const int *labels;
  const signed char *targets;
  double ridge;
  size_t *index, *next; /* samples of the factorised system, and of the next class */
  size_t count;
  double *factor; /* count x count */
  double *t, *a;  /* count */
  TosstMemory memory;
} Regression;

static size_t
list_samples (const Regression *self, int c, size_t *index)
{
  size_t count = 0;

  for (size_t i = 0; i < self->n; i++)
    if (tosst_kernel_target (self->labels, self->targets, self->n, c, i) != 0.0)
      index[count++] = i;
  return count;
}

static double
entry (const Regression *self, size_t a, size_t b)
{
  return self->gram[self->index[a] * self->n + self->index[b]] + 1.0 + (a == b ? self->ridge : 0.0);
}

/* Factorises the system of a class unless it is that of the class before. */
static TosstStatus
factorise (Regression *self, int c)
{
  size_t count = list_samples (self, c, self->next), *old = self->index;

  if (count == self->count && memcmp (self->next, self->index, count * sizeof *self->index) == 0)
    return TOSST_OK;
  self->index = self->next;
  self->next = old;
  self->count = count;
  for (size_t b = 0; b < count; b++)
    for (size_t a = b; a < count; a++)
      self->factor[b * count + a] = entry (self, a, b);
  return tosst_cholesky (self->context, (int)count, self->factor);
}

static void
solve (const Regression *self, double *x)
{
  int count = (int)self->count;

  cblas_dtrsv (CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, count, self->factor, count, x, 1);
  cblas_dtrsv (CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, count, self->factor, count, x, 1);
}

/* t - H a, in place of t. Returns its norm. */
static double
find_residual (const Regression *self, const double *a, double *t)
{
  for (size_t i = 0; i < self->count; i++)
    for (size_t j = 0; j < self->count; j++)
      t[i] -= entry (self, i, j) * a[j];
  return tosst_norm (self->count, t);
}

/* One step of refinement after the solution: systems of a large C are badly conditioned. */
static TosstStatus
regress_class (Regression *self, int c, TosstKernelMachine *machine)
{
  double *out = machine->coefficients + (size_t)c * self->n, scale, reached = 0.0;

  TOSST_TRY (factorise (self, c));
  for (size_t i = 0; i < self->count; i++)
    self->t[i] = tosst_kernel_target (self->labels, self->targets, self->n, c, self->index[i]);
  scale = tosst_norm (self->count, self->t);
  memcpy (self->a, self->t, self->count * sizeof *self->a);
  solve (self, self->a);
  find_residual (self, self->a, self->t);
  solve (self, self->t);
  for (size_t i = 0; i < self->count; i++)
    {
      self->a[i] += self->t[i];
      self->t[i] = tosst_kernel_target (self->labels, self->targets, self->n, c, self->index[i]);
    }
  reached = find_residual (self, self->a, self->t) / scale;
  machine->residual = fmax (machine->residual, reached);
  for (size_t i = 0; i < self->count; i++)
    {
      out[self->index[i]] = self->a[i];
      machine->bias[c] += self->a[i];
    }
  return TOSST_OK;
}

static bool
regression_init (Regression *self)
{
  size_t n = self->n;

  self->index = tosst_keep (&self->memory, malloc (n * sizeof *self->index));
  self->next = tosst_keep (&self->memory, malloc (n * sizeof *self->next));
  self->factor = tosst_keep (&self->memory, tosst_alloc_aligned (n * n, sizeof *self->factor));
  self->t = tosst_keep (&self->memory, tosst_alloc_aligned (n, sizeof *self->t));
  self->a = tosst_keep (&self->memory, tosst_alloc_aligned (n, sizeof *self->a));
  return !self->memory.failed;
}

TosstStatus
tosst_kernel_regress (TosstContext *context, const double *gram, size_t n, const int *labels,
                      const signed char *targets, int classes, const TosstSvmOptions *options,
                      TosstKernelMachine **machine)
{
  TOSST_REQUIRE (context, context && gram && options && machine && (labels || targets));
  Regression self = { .context = context,
                      .gram = gram,
                      .n = n,
                      .labels = labels,
                      .targets = targets,
                      .ridge = TOSST_KERNEL_RIDGE (options->c) };
  TosstStatus status = TOSST_OK;

  *machine = NULL;
  TOSST_TRY (tosst_kernel_check (context, gram, n, labels, targets, classes, options));
  TosstKernelMachine *made = tosst_kernel_machine_new (n, classes);
  if (!regression_init (&self) || !made)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  for (int c = 0; c < classes && status == TOSST_OK; c++)
    {
      status = tosst_context_checkpoint (context) ? TOSST_CANCELLED : regress_class (&self, c, made);
      tosst_context_progress (context, (c + 1.0) / classes);
    }
  tosst_release (&self.memory);
  if (status == TOSST_OK)
    *machine = made;
  else
    tosst_kernel_machine_free (made);
  return status;
}

/* One-vs-rest training on a Gram matrix, by the solver of svm-newton.c. */

TosstKernelMachine *
tosst_kernel_machine_new (size_t n, int classes)
{
  TosstKernelMachine *machine = calloc (1, sizeof *machine);

  if (!machine)
    return NULL;
  machine->n = n;
  machine->classes = classes;
  machine->coefficients = calloc ((size_t)classes * n, sizeof *machine->coefficients);
  machine->bias = calloc ((size_t)classes, sizeof *machine->bias);
  if (machine->coefficients && machine->bias)
    return machine;
  tosst_kernel_machine_free (machine);
  return NULL;
}

void
tosst_kernel_machine_free (TosstKernelMachine *machine)
{
  if (!machine)
    return;
  free (machine->coefficients);
  free (machine->bias);
  free (machine);
}

TosstStatus
tosst_kernel_check (TosstContext *context, const double *gram, size_t n, const int *labels, const signed char *targets,
                    int classes, const TosstSvmOptions *options)
{
  if (n == 0 || classes <= 0 || n > INT32_MAX)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               "a classifier of %d classes cannot be trained on %zu samples", classes, n);
  TosstStatus status = tosst_svm_check_options (context, options);
  TOSST_THEN (status, labels ? tosst_svm_check_labels (context, labels, n, classes)
                             : tosst_svm_check_targets (context, targets, n, classes));
  for (size_t i = 0; i < n && status == TOSST_OK; i++)
    {
      double probe = 0.0;
      for (size_t j = 0; j < n; j++)
        probe += gram[i * n + j] * 0.0;
      if (probe != 0.0 || gram[i * n + i] < 0.0)
        status = tosst_context_fail (context, TOSST_ERROR_NUMERIC, "row %zu of the Gram matrix is not finite", i);
    }
  return status;
}

double *
tosst_kernel_add_bias (const double *gram, size_t n)
{
  double *biased = tosst_alloc_aligned (n * n, sizeof *biased);

  for (size_t i = 0; biased && i < n * n; i++)
    biased[i] = gram[i] + 1.0;
  return biased;
}

typedef struct
{
  TosstContext *context;
  TosstSvmProblem problem;
  TosstSvmWorkspace *workspaces; /* one per worker */
  double *objective;             /* or NULL */
  TosstSvmDescent *descent;      /* classes */
  TosstKernelMachine *machine;
} Training;

static TosstStatus
train_class (size_t item, int worker, void *data)
{
  Training *training = data;
  TosstSvmWorkspace *work = &training->workspaces[worker];
  const TosstSvmProblem *problem = &training->problem;
  double *alpha = training->machine->coefficients + item * problem->n, sum = 0.0;
  double scale = 2.0 * problem->c * tosst_svm_sum_norm (problem, (int)item, work);
  TosstStatus status
      = tosst_svm_solve_kernel (training->context, problem, (int)item, scale, work, alpha,
                                training->objective ? training->objective + item : NULL, training->descent + item);

  for (size_t i = 0; i < problem->n; i++)
    sum += alpha[i];
  training->machine->bias[item] = sum;
  return status;
}

TosstStatus
tosst_kernel_solve (TosstContext *context, const double *biased, size_t n, const int *labels,
                    const signed char *targets, int classes, const TosstSvmOptions *options, double *objective,
                    TosstKernelMachine **machine)
{
  Training training = { .context = context, .objective = objective };
  int threads = tosst_context_threads (context);
  TosstStatus status = TOSST_OK;

  training.problem = (TosstSvmProblem){ .n = n,
                                        .p = INT_MAX,
                                        .labels = labels,
                                        .targets = labels ? NULL : targets,
                                        .c = options->c,
                                        .tolerance = options->tolerance,
                                        .gram = biased };
  training.machine = tosst_kernel_machine_new (n, classes);
  training.workspaces = calloc ((size_t)threads, sizeof *training.workspaces);
  training.descent = calloc ((size_t)classes, sizeof *training.descent);
  if (!training.machine || !training.workspaces || !training.descent)
    status = TOSST_ERROR_MEMORY;
  for (int i = 0; i < threads && status == TOSST_OK; i++)
    if (!tosst_svm_workspace_init (&training.workspaces[i], n, 0))
      status = TOSST_ERROR_MEMORY;
  if (status == TOSST_OK)
    status = tosst_parallel (context, (size_t)classes, train_class, &training, 0.0, 1.0);
  else
    tosst_context_fail (context, status, "not enough memory to train the classifier");
  for (int c = 0; c < classes && status == TOSST_OK; c++)
    training.machine->residual = fmax (training.machine->residual, training.descent[c].reached);
  for (int i = 0; training.workspaces && i < threads; i++)
    tosst_svm_workspace_clear (&training.workspaces[i]);
  free (training.workspaces);
  free (training.descent);
  if (status == TOSST_OK)
    *machine = training.machine;
  else
    tosst_kernel_machine_free (training.machine);
  return status;
}

TosstStatus
tosst_kernel_train (TosstContext *context, const double *gram, size_t n, const int *labels, const signed char *targets,
                    int classes, const TosstSvmOptions *options, double *objective, TosstKernelMachine **machine)
{
  TOSST_REQUIRE (context, context && gram && options && machine && (labels || targets));
  *machine = NULL;
  TOSST_TRY (tosst_kernel_check (context, gram, n, labels, targets, classes, options));
  double *biased = tosst_kernel_add_bias (gram, n);
  TosstStatus status
      = biased ? tosst_kernel_solve (context, biased, n, labels, targets, classes, options, objective, machine)
               : tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  free (biased);
  return status;
}

void
tosst_kernel_margins (const TosstKernelMachine *machine, const double *gram, size_t m, double *margins)
{
  for (size_t i = 0; i < m; i++)
    for (int c = 0; c < machine->classes; c++)
      margins[i * (size_t)machine->classes + (size_t)c]
          = machine->bias[c]
            + tosst_dot (machine->n, gram + i * machine->n, machine->coefficients + (size_t)c * machine->n);
}

int
tosst_kernel_decide (const TosstKernelMachine *machine, const double *margins)
{
  return tosst_svm_largest (margins, machine->classes);
}
