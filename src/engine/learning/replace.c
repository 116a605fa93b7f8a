/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replacement of unused atoms.
 */
#include "engine/base/base.h"
#include "engine/learning/divided.h"
#include "tosst/code.h"

typedef struct
{
  double objective;
  size_t n;
} Candidate;

static TosstStatus
out_of_memory (const TosstLearning *self)
{
  return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to replace unused atoms");
}

/* Worst first; ties in the order of tensors. */
static int
compare_candidates (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;
  return x->objective != y->objective ? (x->objective < y->objective ? 1 : -1) : (x->n > y->n) - (x->n < y->n);
}

/* Computes the objectives of drawn tensors, each by the rank that has it. work: REPLACE_DRAWN (m + K). */
static TosstStatus
judge_tensors (TosstLearning *self, const TosstCoder *coder, const size_t *number, size_t count, double *work,
               double *objective)
{
  size_t m = self->layout->m, K = self->K, own[REPLACE_MOST], owned = 0;
  double *tensors = work, *codes = work + REPLACE_DRAWN * m, found[REPLACE_DRAWN];
  TosstStatus status = TOSST_OK;
  for (size_t i = 0; i < count; i++)
    {
      objective[i] = 0;
      if (tosst_learning_has (self, number[i]))
        own[owned++] = i;
    }
  for (size_t first = 0; first < owned && status == TOSST_OK; first += REPLACE_DRAWN)
    {
      size_t some = owned - first < REPLACE_DRAWN ? owned - first : REPLACE_DRAWN;
      for (size_t i = 0; i < some; i++)
        {
          TosstFetched row = tosst_learning_own_row (self, number[own[first + i]]);
          for (size_t t = 0; t < m; t++)
            tensors[i * m + t] = row.tensor[t];
          for (size_t k = 0; k < K; k++)
            codes[i * K + k] = row.codes[k];
        }
      status = tosst_code_objective (self->context, coder, tensors, some, codes, found, NULL);
      for (size_t i = 0; i < some; i++)
        objective[own[first + i]] = found[i];
    }
  return tosst_ranks_sum (self->run.ranks, status, objective, count);
}

/* Draws tensors with replacement; coder: of the current codes. */
static TosstStatus
draw_tensors (TosstLearning *self, const TosstCoder *coder, TosstRandom *random, size_t count, double *work,
              Candidate *candidates)
{
  size_t number[REPLACE_MOST];
  double objective[REPLACE_MOST];
  for (size_t i = 0; i < count; i++)
    number[i] = tosst_random_below (random, self->total);
  TosstStatus status = judge_tensors (self, coder, number, count, work, objective);
  for (size_t i = 0; i < count; i++)
    candidates[i] = (Candidate){ .objective = objective[i], .n = number[i] };
  return status;
}

/* Selects tensors: for each unused atom one of the worst reconstructed among REPLACE_CHOICE as many drawn ones, each
 * once; then any. */
static TosstStatus
find_bad_tensors (TosstLearning *self, const TosstCoder *coder, TosstRandom *random, size_t unused, size_t wanted,
                  size_t *bad)
{
  size_t count
      = REPLACE_CHOICE * unused + REPLACE_DRAWN < REPLACE_MOST ? REPLACE_CHOICE * unused + REPLACE_DRAWN : REPLACE_MOST,
      different = 0;
  Candidate *candidates = malloc (sizeof *candidates * count);
  double *work = malloc (sizeof *work * REPLACE_DRAWN * (self->layout->m + self->K));
  TosstStatus status
      = candidates && work ? draw_tensors (self, coder, random, count, work, candidates) : out_of_memory (self);
  if (status == TOSST_OK)
    {
      qsort (candidates, count, sizeof *candidates, compare_candidates);
      for (size_t i = 0; i < count; i++)
        if (i == 0 || candidates[i].n != candidates[different - 1].n)
          candidates[different++] = candidates[i];
      for (size_t i = 0; i < wanted; i++)
        bad[i] = i < (different + 1) / REPLACE_CHOICE ? candidates[i].n : tosst_random_below (random, self->total);
    }
  free (candidates);
  free (work);
  return status;
}

/* Exchanges all but G, on which the objective does not depend. */
static void
exchange (TosstReduction *a, TosstReduction *b)
{
  TosstReduction old = *a;
  double *G = b->G;
  *a = *b;
  *b = old;
  b->G = G;
  a->G = old.G;
}

/* Restores the atoms if the new ones raise the objective, and redirects them instead; V: the old atoms, bad: TURNED
 * tensors or more, trial: without G. No code uses the new atoms, so that the sums E and Exc do not change. */
static TosstStatus
accept_or_turn (TosstLearning *self, TosstReduction *trial, const double *V, const size_t *bad,
                TosstIteration *iteration)
{
  TosstIteration after;
  TOSST_TRY (tosst_learning_factor (self, trial));
  exchange (&self->reduction, trial);
  TOSST_TRY (tosst_learning_objective (self, &after));
  if (after.objective > iteration->objective)
    {
      exchange (&self->reduction, trial);
      memcpy (self->dictionary->V, V, sizeof *V * self->D * self->K);
      return tosst_learning_redirect_unused (self, bad, TURNED);
    }
  iteration->objective = after.objective;
  iteration->fit = after.fit;
  iteration->proximity = after.proximity;
  return tosst_learning_complete (self);
}

/* Replaces unused atoms by slices of badly reconstructed tensors. Their b_k does not enter the objective while P_kk
 * = 0, but for finite gamma their B_k does, through W: if the new ones would raise the objective, the old ones are
 * kept and only b_k is redirected. With beta >= 0 an atom without alpha may still be used by beta, and then keeps
 * its B_k; an atom without either does not enter the objective. */
TosstStatus
tosst_learning_replace_unused (TosstLearning *self, const TosstCoder *coder, TosstRandom *random,
                               TosstIteration *iteration)
{
  size_t K = self->K, D = self->D, next = 0;
  bool joint = tosst_learning_is_joint (self);
  int unused = 0;
  TosstReduction trial = { 0 };
  TosstFetched row[FETCHED];
  for (size_t k = 0; k < K; k++)
    unused += tosst_learning_power (self, k) == 0;
  iteration->unused_atoms = unused;
  if (unused == 0)
    return TOSST_OK;

  /* Copy of V; R is scratch here, and has room for it. */
  double *V = self->is_lean ? self->R : malloc (sizeof *V * D * K),
         *work = malloc (sizeof *work * tosst_learning_init_atom_work (self));
  size_t wanted = unused > TURNED ? (size_t)unused : TURNED, *bad = malloc (sizeof *bad * wanted);
  TosstStatus status
      = V && work && bad ? find_bad_tensors (self, coder, random, (size_t)unused, wanted, bad) : out_of_memory (self);
  if (status == TOSST_OK)
    memcpy (V, self->dictionary->V, sizeof *V * D * K);
  for (size_t k = 0; k < K && status == TOSST_OK; k++)
    if (tosst_learning_power (self, k) == 0 && joint && self->A[k * K + k] > 0)
      tosst_learning_redirect_b (self, k);
    else if (tosst_learning_power (self, k) == 0)
      {
        if (next % FETCHED == 0)
          status
              = tosst_learning_fetch (self, bad + next, wanted - next < FETCHED ? wanted - next : FETCHED, false, row);
        if (status != TOSST_OK || tosst_context_checkpoint (self->context))
          status = status ?: TOSST_CANCELLED;
        else if (!tosst_learning_init_atom (self, k, row[next++ % FETCHED].tensor, NULL, random, work))
          memcpy (self->dictionary->V + k * D, V + k * D, sizeof *V * D);
      }
  if (status == TOSST_OK && !joint)
    status = tosst_reduction_init (&trial, (int)D, (int)K, false) ? accept_or_turn (self, &trial, V, bad, iteration)
                                                                  : out_of_memory (self);
  tosst_reduction_clear (&trial);
  if (!self->is_lean)
    free (V);
  free (work);
  free (bad);
  return status;
}
