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
}

gsize
tosst_run_choosing (const TosstRun *self, const GArray *train)
{
  guint own = tosst_dataset_own_samples (self->dataset);
  gsize n = 0;

  while (n < train->len && g_array_index (train, guint, n) < own)
    n++;
  return n;
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
    self->width = tosst_run_kernel_width (run->recipe, self->own, n);
  tosst_kernel_apply (self->kernel, self->width, self->own, n * n);
  self->gram = self->own;
  return TOSST_OK;
}

gboolean
tosst_evidence_init (TosstEvidence *self, const TosstSignatures *signatures, const TosstSimilar *similar,
                     GError **error)
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
  else if (self->kernel != TOSST_KERNEL_LINEAR || self->run->recipe->classifier.loss == TOSST_LOSS_SQUARES)
    status = compare_rows (self);
  return tosst_error_from_status (status, self->rows != NULL ? self->run->context : NULL, _ ("Training the classifier"),
                                  error);
}

TosstStatus
tosst_evidence_train (const TosstEvidence *self, const int *labels, const signed char *targets, int classes,
                      const TosstSvmOptions *options, TosstKernelMachine **machine)
{
  gsize n = self->train->len;

  return self->run->recipe->classifier.loss == TOSST_LOSS_SQUARES
             ? tosst_kernel_regress (self->run->context, self->gram, n, labels, targets, classes, options, machine)
             : tosst_kernel_train (self->run->context, self->gram, n, labels, targets, classes, options, NULL, machine);
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
  model->rows = self->rows != NULL ? g_memdup2 (self->rows, self->train->len * model->length * sizeof (float)) : NULL;
  model->machine = machine;
}
