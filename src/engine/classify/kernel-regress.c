/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Machines by least squares. Classes that leave the same samples out share a factorisation. */

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/vector.h"
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
  TosstStatus status = factorise (self, c);
  double *out = machine->coefficients + (size_t)c * self->n, scale, reached = 0.0;

  if (status != TOSST_OK)
    return status;
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
  Regression self = { .context = context,
                      .gram = gram,
                      .n = n,
                      .labels = labels,
                      .targets = targets,
                      .ridge = TOSST_KERNEL_RIDGE (options->c) };
  TosstStatus status = tosst_kernel_check (context, gram, n, labels, targets, classes, options);
  TosstKernelMachine *made = NULL;

  *machine = NULL;
  if (status != TOSST_OK)
    return status;
  made = tosst_kernel_machine_new (n, classes);
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
