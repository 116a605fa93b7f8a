/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a classifier of a split is trained on: signatures of the training samples, or their Gram matrix.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/run/private.h"
#include "tosst/classify.h"

void
tosst_trained_clear (TosstTrained *self)
{
  tosst_svm_free (self->svm);
  tosst_kernel_model_free (self->kernel);
  *self = (TosstTrained){ 0 };
}

void
tosst_evidence_clear (TosstEvidence *self)
{
  g_free (self->rows);
  g_free (self->own);
  g_free (self->to_own);
  g_clear_pointer (&self->base, g_array_unref);
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

/* Similarities of the training samples by their signatures. */
double
tosst_run_kernel_width (const TosstRecipe *recipe, const double *distances, gsize n)
{
  TosstKernel kernel = recipe->classifier.kernel;
  double sharpness = recipe->classifier.sharpness;

  /* Exponents are inverse to the square of the width of rbf. */
  return tosst_kernel_mean_width (kernel, distances, n) / (kernel == TOSST_KERNEL_RBF ? sqrt (sharpness) : sharpness);
}

/* landmarks: or NULL. */
static TosstStatus
compare_rows (TosstEvidence *self, const TosstSignatures *signatures, const GArray *landmarks)
{
  TosstRun *run = self->run;
  gsize n = self->n;
  TosstStatus status;

  self->own = g_try_malloc_n (n, n * sizeof *self->own);
  if (landmarks != NULL)
    self->similar = self->to_own = g_try_malloc_n (self->train->len, n * sizeof *self->to_own);
  if (self->own == NULL || (landmarks != NULL && self->to_own == NULL))
    return tosst_context_fail (run->context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");
  status = tosst_kernel_compare (run->context, self->kernel, self->rows, n, NULL, 0, (int)run->length, self->own);
  if (status != TOSST_OK)
    return status;
  if (isnan (self->width))
    self->width = tosst_run_kernel_width (run->recipe, self->own, n);
  tosst_kernel_apply (self->kernel, self->width, self->own, n * n);
  self->gram = self->own;
  return landmarks != NULL
             ? tosst_run_compare (run, self->width, signatures, self->train, self->rows, n, NULL, self->to_own, NULL)
             : TOSST_OK;
}

gboolean
tosst_evidence_init (TosstEvidence *self, const TosstSignatures *signatures, const TosstSimilar *similar,
                     GError **error)
{
  gboolean compares;
  GArray *landmarks;
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
  compares = self->kernel != TOSST_KERNEL_LINEAR || self->run->recipe->classifier.loss == TOSST_LOSS_SQUARES;
  landmarks = compares ? tosst_run_landmarks (self->run, self->train, self->test, 1) : NULL;
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

TosstStatus
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

TosstStatus
tosst_evidence_train (const TosstEvidence *self, const int *labels, const signed char *targets, int classes,
                      const TosstSvmOptions *options, TosstKernelMachine **machine)
{
  return train_on (self, self->similar != NULL ? self->similar : self->gram, self->train->len, labels, targets, classes,
                   options, machine);
}

TosstStatus
tosst_evidence_train_on (const TosstEvidence *self, const double *rows, gsize n, const int *labels,
                         const TosstSvmOptions *options, TosstKernelMachine **machine)
{
  return train_on (self, rows, n, labels, NULL, self->run->result->classes, options, machine);
}

/* w = X' a. */
static TosstSvm *
combine_rows (const TosstEvidence *self, const TosstKernelMachine *machine)
{
  gsize p = self->run->length;
  TosstSvm *svm = tosst_svm_new ((int)p, machine->classes);

  svm->residual = machine->residual;
  for (gsize c = 0; c < (gsize)machine->classes; c++)
    {
      double *w = svm->w + c * (p + 1);

      for (gsize i = 0; i < machine->n; i++)
        for (gsize j = 0; j < p; j++)
          w[j] += machine->coefficients[c * machine->n + i] * self->rows[i * p + j];
      w[p] = machine->bias[c];
    }
  return svm;
}

void
tosst_evidence_take (const TosstEvidence *self, TosstKernelMachine *machine, TosstTrained *trained)
{
  TosstKernelModel *model;

  if (self->rows != NULL && self->kernel == TOSST_KERNEL_LINEAR)
    {
      trained->svm = combine_rows (self, machine);
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
