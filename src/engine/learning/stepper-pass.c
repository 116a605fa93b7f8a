/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pass over all B_k in pieces, with the same bits as in one. Its state between two atoms is the residuals R, which
 * are too large to be saved for every step: after an undo, the pass is repeated from its initial atoms up to the
 * same atom.
 *
 * beta is fixed during the pass. The objective after an atom is for this beta and never increases; minimising beta
 * for the new atoms is a block of its own after the last of them. The gain of a pass, on which the residuals of the
 * next one depend, is summed over its atoms in the same order.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/learning/stepper-private.h"

void
tosst_stepper_reset_sums (TosstLearning *l)
{
  size_t D = l->D, S = l->S, K = l->K;
  l->l1 = 0;
  memset (l->P, 0, sizeof *l->P * K * K);
  if (l->Y)
    memset (l->Y, 0, sizeof *l->Y * K * l->layout->m);
  if (tosst_learning_is_joint (l))
    {
      memset (l->A, 0, sizeof *l->A * K * K);
      memset (l->Csum, 0, sizeof *l->Csum * D * K);
      memset (l->N, 0, sizeof *l->N * S * K);
      memset (l->mean, 0, sizeof *l->mean * S * K);
    }
}

TosstStatus
tosst_stepper_refresh (TosstStepper *self)
{
  TosstLearning *l = &self->learning;
  TosstStatus status = TOSST_OK;
  if (self->stale_sums && self->cold)
    tosst_stepper_reset_sums (l);
  else if (self->stale_sums && !tosst_learning_is_joint (l))
    status = tosst_learning_accumulate_stats (l);
  self->stale_sums = self->stale_sums && status != TOSST_OK;
  if (!self->stale || status != TOSST_OK)
    return status;
  if (!tosst_learning_is_joint (l))
    {
      status = tosst_reduction_update (&l->reduction, l->context, l->dictionary, l->options->problem.gamma);
      l->is_reduced = status == TOSST_OK;
      if (status == TOSST_OK)
        status = tosst_learning_residuals (l);
    }
  self->stale = status != TOSST_OK;
  return status;
}

static TosstStatus
keep_beginning (TosstStepper *self)
{
  const TosstLearning *l = &self->learning;
  size_t bytes = sizeof *self->pass * l->D * l->K;
  if (!self->pass)
    self->pass = malloc (bytes);
  if (!self->pass)
    return tosst_context_fail (l->context, TOSST_ERROR_MEMORY, "not enough memory to update atoms one by one");
  memcpy (self->pass, l->dictionary->V, bytes);
  return TOSST_OK;
}

static TosstStatus
update_next (TosstStepper *self, int k, double *change)
{
  if (tosst_context_checkpoint (self->learning.context))
    return TOSST_CANCELLED;
  TosstStatus status = tosst_learning_sweep_one_B (&self->learning, k, change);
  self->gained -= *change;
  return status;
}

/* Brings the pass to the state before `atom`, also after an undo. */
static TosstStatus
prepare (TosstStepper *self)
{
  TosstLearning *l = &self->learning;
  double change;
  if (self->ready)
    return TOSST_OK;
  if (self->atom > 0)
    memcpy (l->dictionary->V, self->pass, sizeof *self->pass * l->D * l->K);
  TosstStatus status = tosst_stepper_refresh (self);
  if (status == TOSST_OK && self->atom == 0)
    status = keep_beginning (self);
  if (status == TOSST_OK)
    status = tosst_learning_prepare_B (l);
  self->gained = 0;
  for (int k = 0; k < self->atom && status == TOSST_OK; k++)
    status = update_next (self, k, &change);
  self->ready = status == TOSST_OK;
  return status;
}

TosstStatus
tosst_stepper_update_one (TosstStepper *self)
{
  double change = 0;
  TosstStatus status = prepare (self) ?: update_next (self, self->atom, &change);
  self->stale = true;
  self->now.fit += change;
  self->now.objective += change;
  return status;
}

TosstStatus
tosst_stepper_update_rest (TosstStepper *self)
{
  TosstLearning *l = &self->learning;
  double change;
  TosstStatus status = prepare (self);
  for (int k = self->atom; k < l->K && status == TOSST_OK; k++)
    status = update_next (self, k, &change);
  self->stale = true;
  self->ready = false;
  if (status == TOSST_OK)
    l->gained = self->gained;
  if (status == TOSST_OK && tosst_learning_is_joint (l))
    tosst_learning_update_b_nonnegative (l);
  return status ?: tosst_stepper_refresh (self);
}
