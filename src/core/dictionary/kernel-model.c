/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/kernel-model.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"

/* Signatures that are compared at a time: bounds the memory of their similarities. */
#define ROWS ((gsize)256)

void
tosst_kernel_model_free (TosstKernelModel *self)
{
  if (self == NULL)
    return;
  g_free (self->rows);
  tosst_kernel_machine_free (self->machine);
  g_free (self);
}

TosstStatus
tosst_kernel_model_margins (const TosstKernelModel *self, TosstContext *context, const float *signatures, gsize n,
                            double *margins)
{
  const TosstKernelMachine *machine = self->machine;
  g_autofree double *similar = g_try_malloc_n (MIN (n, ROWS), machine->n * sizeof (double));
  TosstStatus status = TOSST_OK;

  if (similar == NULL && n > 0)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");
  for (gsize first = 0; first < n && status == TOSST_OK; first += ROWS)
    {
      gsize count = MIN (ROWS, n - first);

      status = tosst_kernel_compare (context, self->kernel, signatures + first * self->length, count, self->rows,
                                     machine->n, (int)self->length, similar);
      if (status != TOSST_OK)
        break;
      tosst_kernel_apply (self->kernel, self->width, similar, count * machine->n);
      tosst_kernel_margins (machine, similar, count, margins + first * (gsize)machine->classes);
    }
  return status;
}

static void
put (TosstNpz *npz, const char *name, TosstNpyType type, int ndim, gsize rows, gsize columns, const void *values)
{
  gsize shape[2] = { rows, columns };
  TosstNpy *array = tosst_npy_new (type, ndim, shape);

  memcpy (array->data, values, array->count * (type == TOSST_NPY_FLOAT32 ? sizeof (float) : sizeof (double)));
  tosst_npz_steal_array (npz, name, array);
}

void
tosst_kernel_model_to_npz (const TosstKernelModel *self, TosstNpz *npz)
{
  const TosstKernelMachine *machine = self->machine;
  gsize classes = (gsize)machine->classes;

  put (npz, "signatures", TOSST_NPY_FLOAT32, 2, machine->n, self->length, self->rows);
  put (npz, "coefficients", TOSST_NPY_FLOAT64, 2, classes, machine->n, machine->coefficients);
  put (npz, "bias", TOSST_NPY_FLOAT64, 1, classes, 1, machine->bias);
  put (npz, "width", TOSST_NPY_FLOAT64, 1, 1, 1, &self->width);
}

/* A member of this type and shape; NULL if there is none. columns 0: a vector. */
static const TosstNpy *
take (TosstNpz *npz, const char *name, TosstNpyType type, gsize rows, gsize columns)
{
  const TosstNpy *array = tosst_npz_array (npz, name);
  int ndim = columns > 0 ? 2 : 1;

  return array != NULL && array->type == type && array->ndim == ndim && array->shape[0] == rows
                 && (ndim == 1 || array->shape[1] == columns)
             ? array
             : NULL;
}

TosstKernelModel *
tosst_kernel_model_from_npz (TosstNpz *npz, const char *name, TosstKernel kernel, gsize length, guint classes,
                             GError **error)
{
  const TosstNpy *all = tosst_npz_array (npz, "coefficients");
  gsize n = all != NULL && all->ndim == 2 ? all->shape[1] : 0;
  const TosstNpy *coefficients = n > 0 ? take (npz, "coefficients", TOSST_NPY_FLOAT64, classes, n) : NULL,
                 *rows = n > 0 ? take (npz, "signatures", TOSST_NPY_FLOAT32, n, length) : NULL,
                 *bias = take (npz, "bias", TOSST_NPY_FLOAT64, classes, 0),
                 *width = take (npz, "width", TOSST_NPY_FLOAT64, 1, 0);
  TosstKernelModel *self;

  if (coefficients == NULL || rows == NULL || bias == NULL || width == NULL || !(*(double *)width->data > 0))
    return tosst_fail_input (error, name,
                             _ ("has a kernel machine (signatures, coefficients, bias, width) that does not match its "
                                "classes and descriptors")),
           NULL;
  self = g_new0 (TosstKernelModel, 1);
  self->kernel = kernel;
  self->width = *(double *)width->data;
  self->length = length;
  self->rows = g_try_malloc_n (n, length * sizeof (float));
  self->machine = tosst_kernel_machine_new (n, (int)classes);
  if (self->rows == NULL || self->machine == NULL)
    {
      tosst_kernel_model_free (self);
      return tosst_fail_input (error, name, _ ("does not fit into memory")), NULL;
    }
  memcpy (self->rows, rows->data, n * length * sizeof (float));
  memcpy (self->machine->coefficients, coefficients->data, coefficients->count * sizeof (double));
  memcpy (self->machine->bias, bias->data, bias->count * sizeof (double));
  return self;
}
