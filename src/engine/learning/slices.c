/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with U_k, the slices of Y_k divided by the scale (D x S), directly from the packed Y_k.
 */
#include <stdlib.h>

#include "engine/learning/divided.h"
#include "engine/simd/kernels.h"

#define ABREAST TOSST_ABREAST

typedef struct
{
  TosstLearning *learning;
  double *work; /* per worker: tosst_learning_slices_work() */
  bool by_b;    /* times b_k, else times W v_k */
} Slices;

size_t
tosst_learning_slices_work (const TosstLayout *layout)
{
  return (layout->m + layout->D + layout->S) * ABREAST;
}

/* Sxc[:,k] = U_k b_k, or Ub[:,k] = U_k' W v_k, for the Y_k of a group. */
static TosstStatus
group_task (size_t item, int worker, void *data)
{
  Slices *self = data;
  TosstLearning *l = self->learning;
  const TosstLayout *layout = l->layout;
  const TosstKernels *kernels = tosst_kernels ();
  size_t D = l->D, S = l->S, m = layout->m, first = item * ABREAST, in = self->by_b ? S : D,
         length = self->by_b ? D : S;
  double *group = self->work + worker * tosst_learning_slices_work (layout), *factor = group + m * ABREAST,
         *out = factor + in * ABREAST, *result = (self->by_b ? l->Sxc : l->Ub) + first * length;
  int count = l->K - first < ABREAST ? l->K - first : ABREAST;
  if (!tosst_learning_owns (l, first))
    return TOSST_OK;
  kernels->set_abreast (l->Y + tosst_learning_row (l, first) * m, m, count, m, group);
  kernels->set_abreast ((self->by_b ? l->dictionary->b : l->reduction.WV) + first * in, in, count, in, factor);
  for (size_t p = 0; p < D && !self->by_b; p++)
    for (int k = 0; k < ABREAST; k++)
      factor[p * ABREAST + k] *= layout->weight[p];
  (self->by_b ? kernels->slices_times_b : kernels->slices_times_u) (group, layout->index, D, S, factor, out);
  for (int k = 0; k < count; k++)
    for (size_t p = 0; p < length; p++)
      result[k * length + p] = out[p * ABREAST + k] * (self->by_b ? layout->weight[p] : 1) / l->dictionary->scale;
  return TOSST_OK;
}

static TosstStatus
for_groups (TosstLearning *self, bool by_b)
{
  size_t size = tosst_learning_slices_work (self->layout) * tosst_context_threads (self->context);
  Slices slices = { self, aligned_alloc (64, sizeof (double) * size), by_b };
  if (!slices.work)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  TosstStatus status = tosst_parallel_work (self->context, (self->K + ABREAST - 1) / ABREAST,
                                            2. * self->K * self->layout->m, group_task, &slices);
  free (slices.work);
  return status;
}

TosstStatus
tosst_learning_update_Sxc (TosstLearning *self)
{
  return self->Y ? for_groups (self, true) : tosst_learning_add_tiles (self, true);
}

TosstStatus
tosst_learning_update_Ub (TosstLearning *self)
{
  TosstStatus status = self->Y ? for_groups (self, false) : tosst_learning_add_tiles (self, false);
  return tosst_learning_gather (self, status, self->Ub, sizeof *self->Ub * self->S);
}
