/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/dictionary/part-kernel.h"

#include "core/base/base.h"

void
tosst_part_kernel_clear (TosstPartKernel *self)
{
  TOSST_CLEAR_MEMBERS (self, (rows, g_free), (gram, g_free), (diagonal, g_free), (empty, g_free), (means, g_free));
  *self = (TosstPartKernel){ 0 };
}

double
tosst_kernel_width (const TosstRecipe *recipe, const double *distances, gsize n)
{
  TosstKernel kernel = recipe->classifier.kernel;
  double sharpness = recipe->classifier.sharpness;

  /* Exponents are inverse to the square of the width of rbf. */
  return tosst_kernel_mean_width (kernel, distances, n) / (kernel == TOSST_KERNEL_RBF ? sqrt (sharpness) : sharpness);
}

TosstStatus
tosst_part_kernel_compare (TosstPartKernel *self, TosstContext *context, const TosstRecipe *recipe, gboolean unit)
{
  gsize n = self->n;

  self->gram = g_try_malloc_n (n, n * sizeof *self->gram);
  if (self->gram == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");
  TosstStatus status
      = tosst_kernel_compare (context, self->kernel, self->rows, n, NULL, 0, (int)self->length, self->gram);
  if (status != TOSST_OK)
    return status;
  if (isnan (self->width))
    self->width = tosst_kernel_width (recipe, self->gram, n);
  tosst_kernel_apply (self->kernel, self->width, self->gram, n * n);
  if (unit && self->kernel == TOSST_KERNEL_LINEAR)
    {
      self->diagonal = g_new (double, n + 1);
      tosst_kernel_diagonal (self->kernel, self->rows, n, (int)self->length, self->diagonal);
      tosst_kernel_normalise (self->gram, n, n, self->diagonal, self->diagonal);
    }
  return TOSST_OK;
}

/* The mean over the training samples that are not empty. */
static double
mean_of (const TosstPartKernel *self, const double *values)
{
  double sum = 0;
  gsize count = 0;

  for (gsize i = 0; i < self->n; i++)
    if (!self->empty[i])
      {
        sum += values[i];
        count++;
      }
  return count > 0 ? sum / (double)count : 0;
}

/* own: m (x) of the sample of the row. */
static void
centre_row (const TosstPartKernel *self, double *row, double own, gboolean empty)
{
  for (gsize j = 0; j < self->n; j++)
    row[j] = empty || self->empty[j] ? 0 : (row[j] - own - self->means[j] + self->mean) / self->scale;
}

void
tosst_part_kernel_centre (TosstPartKernel *self)
{
  gsize n = self->n;
  g_autofree double *diagonal = g_new (double, n);

  self->empty = g_new (gboolean, n + 1);
  self->means = g_new (double, n);
  for (gsize i = 0; i < n; i++)
    self->empty[i] = tosst_signature_is_empty (self->rows + i * self->length, (int)self->length);
  for (gsize i = 0; i < n; i++)
    {
      self->means[i] = mean_of (self, self->gram + i * n);
      diagonal[i] = self->gram[i * n + i];
    }
  self->mean = mean_of (self, self->means);
  self->scale = mean_of (self, diagonal) - self->mean;
  self->scale = self->scale > 0 ? self->scale : 1;
  for (gsize i = 0; i < n; i++)
    centre_row (self, self->gram + i * n, self->means[i], self->empty[i]);
}

void
tosst_part_kernel_centre_row (const TosstPartKernel *self, double *row, gboolean empty)
{
  centre_row (self, row, mean_of (self, row), empty);
}

/* With the centred k'
 *     w sum_i a_i k' (x_i, x) = sum_i b_i k (x_i, x) - w / v (sum_i a_i m (x_i) - m sum_i a_i),  b_i = w / v (a_i - mean a)
 * over the training samples that are not empty; b_i of the others is 0. The bias of the whole is shared among the parts by
 * their weights; it is the margin of an empty signature. */
static TosstKernelMachine *
machine_of (const TosstPartKernel *self, const TosstKernelMachine *whole, double weight, double *empty)
{
  gsize n = whole->n;
  TosstKernelMachine *machine = tosst_kernel_machine_new (n, whole->classes);

  for (int c = 0; c < whole->classes; c++)
    {
      const double *a = whole->coefficients + (gsize)c * n;
      double *b = machine->coefficients + (gsize)c * n, mean = mean_of (self, a), factor = weight / self->scale;

      machine->bias[c] = empty[c] = weight * whole->bias[c];
      for (gsize i = 0; i < n; i++)
        if (!self->empty[i])
          {
            b[i] = factor * (a[i] - mean);
            machine->bias[c] += factor * a[i] * (self->mean - self->means[i]);
          }
    }
  return machine;
}

TosstSvm *
tosst_linear_of_machine (const TosstKernelMachine *machine, const float *rows, gsize length, gboolean unit)
{
  TosstSvm *svm = tosst_svm_new ((int)length, machine->classes);
  g_autofree double *squares = g_new (double, machine->n);

  svm->residual = machine->residual;
  tosst_kernel_diagonal (TOSST_KERNEL_LINEAR, rows, machine->n, (int)length, squares);
  for (int c = 0; c < machine->classes; c++)
    {
      double *w = svm->w + (gsize)c * (length + 1);

      w[length] = machine->bias[c];
      for (gsize i = 0; i < machine->n; i++)
        {
          double factor = squares[i] > 0 ? machine->coefficients[(gsize)c * machine->n + i] : 0;

          factor /= unit && squares[i] > 0 ? sqrt (squares[i]) : 1;
          for (gsize j = 0; j < length && factor != 0; j++)
            w[j] += factor * rows[i * length + j];
        }
    }
  return svm;
}

void
tosst_part_kernel_finish (TosstPartKernel *self, const TosstKernelMachine *whole, double weight, TosstModel *part)
{
  part->empty = g_renew (double, part->empty, whole->classes);
  TosstKernelMachine *machine = machine_of (self, whole, weight, part->empty);
  g_clear_pointer (&part->svm, tosst_svm_free);
  g_clear_pointer (&part->kernel, tosst_kernel_model_free);
  if (self->kernel == TOSST_KERNEL_LINEAR)
    {
      part->svm = tosst_linear_of_machine (machine, self->rows, self->length, TRUE);
      tosst_kernel_machine_free (machine);
      return;
    }
  part->kernel = g_new0 (TosstKernelModel, 1);
  *part->kernel = (TosstKernelModel){ .kernel = self->kernel,
                                      .width = self->width,
                                      .length = self->length,
                                      .rows = g_steal_pointer (&self->rows),
                                      .machine = machine };
}
