/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One-vs-rest training on a Gram matrix, by the solver of svm-newton.c. */

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/classify/kernel-private.h"

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
  TosstStatus status;

  if (n == 0 || classes <= 0 || n > INT32_MAX)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               "a classifier of %d classes cannot be trained on %zu samples", classes, n);
  status = tosst_svm_check_options (context, options);
  if (status == TOSST_OK)
    status = labels ? tosst_svm_check_labels (context, labels, n, classes)
                    : tosst_svm_check_targets (context, targets, n, classes);
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
  TosstStatus status = tosst_kernel_check (context, gram, n, labels, targets, classes, options);
  double *biased;

  *machine = NULL;
  if (status != TOSST_OK)
    return status;
  biased = tosst_kernel_add_bias (gram, n);
  if (biased)
    status = tosst_kernel_solve (context, biased, n, labels, targets, classes, options, objective, machine);
  else
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
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
