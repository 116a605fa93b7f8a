/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/learning/state.h"

#include <stdlib.h>
#include <string.h>

bool
tosst_learning_init (TosstLearning *self, TosstContext *context, const TosstLayout *layout, const float *tensors,
                     size_t n, const TosstLearnOptions *options)
{
  size_t D = layout->D, S = layout->S, K = options->atoms;
  *self = (TosstLearning){ .context = context,
                           .layout = layout,
                           .tensors = tensors,
                           .n = n,
                           .options = options,
                           .D = D,
                           .S = S,
                           .K = K,
                           .spreads = K > n,
                           .set = { layout->shape, options->scheme, options->rank } };
  TosstMemory *memory = &self->memory;
  self->dictionary = tosst_dictionary_new_shape (layout->shape, K);
  self->scaled = options->initial != NULL;
  if (self->dictionary && options->initial)
    self->dictionary->scale = options->initial->scale;
  bool joint = tosst_learning_is_joint (self);
  self->codes = tosst_keep (memory, calloc (n * K, sizeof *self->codes));
  if (joint)
    {
      self->Csum = tosst_keep (memory, calloc (D * K, sizeof *self->Csum));
      self->N = tosst_keep (memory, calloc (S * K, sizeof *self->N));
      self->mean = tosst_keep (memory, calloc (S * K, sizeof *self->mean));
    }
  else
    self->Y = tosst_keep (memory, malloc (sizeof *self->Y * K * layout->m));
  self->P = tosst_keep (memory, malloc (sizeof *self->P * K * K));
  self->Sxx = tosst_keep (memory, malloc (sizeof *self->Sxx * D * D));
  self->Sxc = tosst_keep (memory, malloc (sizeof *self->Sxc * D * K));
  self->Scc = tosst_keep (memory, malloc (sizeof *self->Scc * K * K));
  self->E = tosst_keep (memory, malloc (sizeof *self->E * D * D));
  bool exact = options->solver == TOSST_SOLVER_EXACT;
  if (exact)
    {
      self->A_float = tosst_keep (memory, malloc (sizeof *self->A_float * K * K));
      self->A_diagonal = tosst_keep (memory, malloc (sizeof *self->A_diagonal * K));
      self->R = tosst_keep (memory, malloc (sizeof *self->R * D * K));
    }
  else
    self->C = tosst_keep (memory, malloc (sizeof *self->C * D * K));
  if (joint || !exact)
    self->A = tosst_keep (memory, malloc (sizeof *self->A * K * K));
  self->Exc = tosst_keep (memory, malloc (sizeof *self->Exc * D * K));
  self->DK = tosst_keep (memory, malloc (sizeof *self->DK * D * K));
  self->DD = tosst_keep (memory, malloc (sizeof *self->DD * D * D));
  self->Ub = tosst_keep (memory, malloc (sizeof *self->Ub * S * K));
  return self->dictionary && !memory->failed && tosst_reduction_init (&self->reduction, D, K, true);
}

void
tosst_learning_clear (TosstLearning *self)
{
  tosst_dictionary_free (self->dictionary);
  tosst_coder_free (self->coder);
  tosst_reduction_clear (&self->reduction);
  tosst_release (&self->memory);
}

TosstStatus
tosst_learning_restore_solver (TosstContext *context, const TosstLearnPart *given, const TosstLearnPart *own)
{
  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    if (given[i].bytes != own[i].bytes)
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                                 "the saved state does not fit these options and tensors");
  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    if (own[i].bytes)
      memcpy ((void *)own[i].data, given[i].data, own[i].bytes);
  return TOSST_OK;
}

TosstStatus
tosst_learning_keep_dictionary (const TosstLearning *self, TosstDictionary **copy)
{
  tosst_dictionary_free (*copy);
  *copy = tosst_dictionary_copy (self->dictionary);
  return *copy ? TOSST_OK
               : tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to keep the dictionary");
}

/* Not projected again, because that would round. */
void
tosst_learning_restore_atoms (TosstLearning *self, const TosstDictionary *dictionary)
{
  size_t K = self->K;

  memcpy (self->dictionary->V, dictionary->V, sizeof *self->dictionary->V * self->D * K);
  memcpy (self->dictionary->b, dictionary->b, sizeof *self->dictionary->b * self->S * K);
}
