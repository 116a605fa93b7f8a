/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model with further training samples: signatures stay as they are, and the classifier is trained anew on all of them.
 */
#include "core/base/base.h"
#include "core/dictionary/part-kernel.h"
#include "core/predict/predictor.h"

typedef struct
{
  const TosstModel *model;
  TosstModel *copy;
  TosstContext *context;
  gsize n; /* training samples, the added ones last */
  int *labels;
  guint parts;
  TosstPartKernel *part;
} Retraining;

static const TosstModel *
part_of (const TosstModel *model, guint index)
{
  return model->parts != NULL ? model->parts->pdata[index] : model;
}

/* The signatures of the training samples and of the added ones, whose part begins at offset. */
static gboolean
join_rows (Retraining *self, guint index, gsize offset, const float *const *signatures)
{
  const TosstTraining *training = self->model->training;
  const TosstModel *model = part_of (self->model, index);
  const float *rows = training->rows->pdata[index] != NULL ? training->rows->pdata[index] : model->kernel->rows;
  gsize length = (gsize)tosst_model_signature_length (model);
  TosstPartKernel *part = &self->part[index];

  *part = (TosstPartKernel){ .kernel = model->recipe->classifier.kernel,
                             .width = model->recipe->classifier.width,
                             .n = self->n,
                             .length = length,
                             .rows = g_try_malloc_n (self->n + 1, length * sizeof (float)) };
  if (part->rows == NULL)
    return FALSE;
  memcpy (part->rows, rows, training->n * length * sizeof (float));
  for (gsize i = training->n; i < self->n; i++)
    memcpy (part->rows + i * length, signatures[i - training->n] + offset, length * sizeof (float));
  return TRUE;
}

/* Adds up the similarities of the parts in the matrix of the first. */
static TosstStatus
compare (Retraining *self)
{
  const TosstTraining *training = self->model->training;

  for (guint k = 0; k < self->parts; k++)
    {
      TosstPartKernel *part = &self->part[k];
      TosstStatus status = tosst_part_kernel_compare (part, self->context, part_of (self->model, k)->recipe,
                                                      training->weights != NULL);

      if (status != TOSST_OK)
        return status;
      if (training->weights == NULL)
        continue;
      tosst_part_kernel_centre (part);
      for (gsize i = 0; i < self->n * self->n; i++)
        self->part[0].gram[i] = (k > 0 ? self->part[0].gram[i] : 0) + training->weights[k] * part->gram[i];
    }
  return TOSST_OK;
}

static TosstStatus
train (Retraining *self, TosstKernelMachine **machine)
{
  const double *gram = self->part[0].gram;
  int classes = tosst_model_classes (self->model);
  TosstSvmOptions options;

  tosst_svm_options_default (&options);
  options.c = self->model->training->c;
  return self->model->recipe->classifier.loss == TOSST_LOSS_SQUARES
             ? tosst_kernel_regress (self->context, gram, self->n, self->labels, NULL, classes, &options, machine)
             : tosst_kernel_train (self->context, gram, self->n, self->labels, NULL, classes, &options, NULL, machine);
}

/* Takes the machine. */
static void
take (Retraining *self, TosstKernelMachine *machine)
{
  TosstKernelModel *kernel = self->copy->kernel;

  for (guint k = 0; self->copy->parts != NULL && k < self->parts; k++)
    tosst_part_kernel_finish (&self->part[k], machine, self->model->training->weights[k], self->copy->parts->pdata[k]);
  if (self->copy->parts == NULL && kernel == NULL)
    {
      tosst_svm_free (self->copy->svm);
      self->copy->svm = tosst_linear_of_machine (machine, self->part[0].rows, self->part[0].length, FALSE);
    }
  else if (self->copy->parts == NULL)
    {
      tosst_kernel_machine_free (kernel->machine);
      g_free (kernel->rows);
      kernel->machine = machine;
      kernel->rows = g_steal_pointer (&self->part[0].rows);
      kernel->width = self->part[0].width;
      return;
    }
  tosst_kernel_machine_free (machine);
}

TosstModel *
tosst_model_retrain (const TosstModel *model, TosstContext *context, const float *const *signatures, const int *labels,
                     gsize n, GError **error)
{
  const TosstTraining *training = model->training;
  g_autoptr (GBytes) bytes = tosst_model_to_bytes (model, _ ("the model"), error);
  g_autoptr (TosstModel) copy = bytes != NULL ? tosst_model_from_bytes (bytes, _ ("the model"), error) : NULL;
  Retraining self = { model, copy, context, training->n + n };
  TosstKernelMachine *machine = NULL;
  TosstStatus status = TOSST_OK;
  gsize offset = 0;

  if (copy == NULL)
    return NULL;
  self.labels = g_new (int, self.n);
  memcpy (self.labels, training->labels, training->n * sizeof *labels);
  if (n > 0)
    memcpy (self.labels + training->n, labels, n * sizeof *labels);
  self.parts = training->rows->len;
  self.part = g_new0 (TosstPartKernel, self.parts);
  for (guint k = 0; k < self.parts && status == TOSST_OK; offset += self.part[k++].length)
    if (!join_rows (&self, k, offset, signatures))
      status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  if (status == TOSST_OK)
    status = compare (&self);
  if (status == TOSST_OK)
    status = train (&self, &machine);
  if (status == TOSST_OK)
    take (&self, machine);
  for (guint k = 0; k < self.parts; k++)
    tosst_part_kernel_clear (&self.part[k]);
  g_free (self.part);
  g_free (self.labels);
  return tosst_error_from_status (status, context, _ ("Training the classifier"), error) ? g_steal_pointer (&copy)
                                                                                         : NULL;
}
