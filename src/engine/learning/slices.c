/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with U_k, the slices of Y_k divided by the scale (D x S), directly from the packed Y_k.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/learning/state.h"
#include "engine/simd/kernels.h"

#define ABREAST TOSST_ABREAST

typedef struct
{
  TosstLearning *learning;
  double *work; /* per worker: tosst_learning_slices_work() */
} Slices;

size_t
tosst_learning_slices_work (const TosstLayout *layout)
{
  return (layout->m + layout->D + layout->S) * ABREAST;
}

/* Gathers the Y_k of an item; returns their number. */
static int
take_group (const TosstLearning *l, size_t first, double *data)
{
  size_t m = l->layout->m;
  int count = l->K - first < ABREAST ? l->K - first : ABREAST;
  tosst_kernels ()->set_abreast (l->Y + first * m, m, count, m, data);
  return count;
}

/* Sxc[:,k] = U_k b_k */
static TosstStatus
average_task (size_t item, int worker, void *data)
{
  Slices *self = data;
  TosstLearning *l = self->learning;
  const TosstLayout *layout = l->layout;
  size_t D = l->D, S = l->S, first = item * ABREAST;
  double *group = self->work + worker * tosst_learning_slices_work (layout);
  double *b = group + layout->m * ABREAST, *out = b + S * ABREAST;
  int count = take_group (l, first, group);
  tosst_kernels ()->set_abreast (l->dictionary->b + first * S, S, count, S, b);
  tosst_kernels ()->slices_times_b (group, layout->index, D, S, b, out);
  for (int k = 0; k < count; k++)
    for (size_t p = 0; p < D; p++)
      l->Sxc[(first + k) * D + p] = out[p * ABREAST + k] * layout->weight[p] / l->dictionary->scale;
  return TOSST_OK;
}

/* Ub[:,k] = U_k' W v_k */
static TosstStatus
correlate_task (size_t item, int worker, void *data)
{
  Slices *self = data;
  TosstLearning *l = self->learning;
  const TosstLayout *layout = l->layout;
  size_t D = l->D, S = l->S, first = item * ABREAST;
  double *group = self->work + worker * tosst_learning_slices_work (layout);
  double *u = group + layout->m * ABREAST, *out = u + D * ABREAST;
  int count = take_group (l, first, group);
  tosst_kernels ()->set_abreast (l->reduction.WV + first * D, D, count, D, u);
  for (size_t p = 0; p < D; p++)
    for (int k = 0; k < ABREAST; k++)
      u[p * ABREAST + k] *= layout->weight[p];
  tosst_kernels ()->slices_times_u (group, layout->index, D, S, u, out);
  for (int k = 0; k < count; k++)
    for (size_t s = 0; s < S; s++)
      l->Ub[(first + k) * S + s] = out[s * ABREAST + k] / l->dictionary->scale;
  return TOSST_OK;
}

static TosstStatus
for_groups (TosstLearning *self, TosstTaskFunc task)
{
  size_t size = tosst_learning_slices_work (self->layout) * tosst_context_threads (self->context);
  Slices slices = { self, aligned_alloc (64, sizeof (double) * size) };
  if (!slices.work)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  TosstStatus status = tosst_parallel_work (self->context, (self->K + ABREAST - 1) / ABREAST,
                                            2. * self->K * self->layout->m, task, &slices);
  free (slices.work);
  return status;
}

TosstStatus
tosst_learning_update_Sxc (TosstLearning *self)
{
  return for_groups (self, average_task);
}

TosstStatus
tosst_learning_update_Ub (TosstLearning *self)
{
  return for_groups (self, correlate_task);
}
