/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/base.h"
#include "engine/learning/divided.h"
#include "engine/simd/kernels.h"

bool
tosst_learning_is_lean (const TosstLayout *layout, const TosstLearnOptions *options, int ranks)
{
  size_t K = options->atoms, most = options->most_sums ? options->most_sums : LEAN_FROM;
  size_t m = ranks ? layout->m / ranks + 1 : layout->m;
  return options->solver == TOSST_SOLVER_EXACT && !options->problem.nonnegative_beta
         && sizeof (double) * K * (m + 4 * K) > most;
}

/* Allocates the sums and matrices that depend on whether learning is lean. */
static void
allocate_sums (TosstLearning *self)
{
  TosstMemory *memory = &self->memory;
  size_t D = self->D, S = self->S, K = self->K, m = self->layout->m;
  bool exact = self->options->solver == TOSST_SOLVER_EXACT;
  /* Sxc and Ub, of all atoms in groups of TOSST_ABREAST, are made in place. */
  size_t padded = (K + TOSST_ABREAST - 1) / TOSST_ABREAST * TOSST_ABREAST;
  if (self->run.ranks)
    {
      size_t size = self->run.ranks->size, own = tosst_ranks_own (self->run.ranks, RANK_COLUMNS, K);
      self->Y = tosst_keep (memory, malloc (sizeof *self->Y * (own * m + 1)));
      self->start = tosst_keep (memory, calloc (size + 1, sizeof *self->start));
      self->packed = tosst_keep (memory, tosst_alloc_aligned (D * own + 1, sizeof *self->packed));
      self->fetched = tosst_keep (memory, malloc (sizeof *self->fetched * FETCHED * (m + K)));
    }
  if (!self->is_lean)
    {
      if (!tosst_learning_is_joint (self) && !self->run.ranks)
        self->Y = tosst_keep (memory, malloc (sizeof *self->Y * K * m));
      self->P = tosst_keep (memory, malloc (sizeof *self->P * K * K));
      self->Sxc = tosst_keep (memory, malloc (sizeof *self->Sxc * D * K));
    }
  else
    self->P_float = tosst_keep (memory, tosst_alloc_aligned (K * K, sizeof *self->P_float));
  if (!self->is_lean || tosst_reduction_small (D, K))
    self->Scc = tosst_keep (memory, malloc (sizeof *self->Scc * K * K));
  if (exact)
    {
      self->A_float = tosst_keep (memory, self->is_lean ? tosst_alloc_aligned (K * K, sizeof *self->A_float)
                                                        : malloc (sizeof *self->A_float * K * K));
      self->A_diagonal = tosst_keep (memory, malloc (sizeof *self->A_diagonal * K));
      self->R = tosst_keep (memory, self->is_lean ? tosst_alloc_aligned (D * padded, sizeof *self->R)
                                                  : malloc (sizeof *self->R * D * K));
    }
  if (self->is_lean)
    self->Sxc = self->R;
  self->Ub = tosst_keep (memory, malloc (sizeof *self->Ub * S * K));
}

bool
tosst_learning_init (TosstLearning *self, TosstContext *context, const TosstLayout *layout, const float *tensors,
                     size_t n, const TosstLearnOptions *options, const TosstLearnRun *run)
{
  size_t D = layout->D, S = layout->S, K = options->atoms;
  *self = (TosstLearning){ .context = context,
                           .layout = layout,
                           .tensors = tensors,
                           .n = n,
                           .total = n,
                           .options = options,
                           .run = run ? *run : (TosstLearnRun){ 0 },
                           .D = D,
                           .S = S,
                           .K = K,
                           .spreads = K > n,
                           .is_lean = tosst_learning_is_lean (layout, options, tosst_learn_run_ranks (run)),
                           .set = { layout->shape, options->scheme, options->rank } };
  TosstMemory *memory = &self->memory;
  self->dictionary = tosst_dictionary_new_shape (layout->shape, K);
  self->scaled = self->run.initial != NULL;
  if (self->dictionary && self->scaled)
    self->dictionary->scale = self->run.initial->scale;
  bool joint = tosst_learning_is_joint (self);
  self->codes = tosst_keep (memory, calloc (n * K, sizeof *self->codes));
  if (joint)
    {
      self->Csum = tosst_keep (memory, calloc (D * K, sizeof *self->Csum));
      self->N = tosst_keep (memory, calloc (S * K, sizeof *self->N));
      self->mean = tosst_keep (memory, calloc (S * K, sizeof *self->mean));
    }
  allocate_sums (self);
  self->Sxx = tosst_keep (memory, malloc (sizeof *self->Sxx * D * D));
  self->E = tosst_keep (memory, malloc (sizeof *self->E * D * D));
  bool exact = options->solver == TOSST_SOLVER_EXACT;
  if (!exact)
    self->C = tosst_keep (memory, malloc (sizeof *self->C * D * K));
  if (joint || !exact)
    self->A = tosst_keep (memory, malloc (sizeof *self->A * K * K));
  self->Exc = tosst_keep (memory, malloc (sizeof *self->Exc * D * K));
  self->DK = tosst_keep (memory, malloc (sizeof *self->DK * D * K));
  self->DD = tosst_keep (memory, malloc (sizeof *self->DD * D * D));
  return self->dictionary && !memory->failed && tosst_reduction_init (&self->reduction, D, K, !self->is_lean);
}

void
tosst_learning_clear (TosstLearning *self)
{
  tosst_dictionary_free (self->dictionary);
  tosst_learning_free_tiles (self);
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
