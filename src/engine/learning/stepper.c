/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the blocks of an exact iteration one at a time, by the functions of the iteration. After an undo, quantities
 * derived from atoms and codes are recomputed when the next block needs them.
 */
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/learning/state.h"

/* Sparse codes (CSR): row n has the entries start[n] .. start[n + 1] - 1. */
typedef struct
{
  size_t *start;
  uint32_t *atom;
  float *value;
} TosstHistoryCodes;

/* State before a block. */
typedef struct
{
  TosstStep step;
  int phase, atom;         /* as in the stepper */
  double *atoms;           /* D x K, then S x K */
  double *pass;            /* D x K: as in the stepper; NULL where atom is 0 */
  double gained;           /* as in the learning */
  bool is_coding, cold;    /* cold: before the first coding there are no codes */
  TosstHistoryCodes codes; /* codes before a coding */
  TosstDictionary *coded;  /* atoms of these codes */
  double *sums;            /* statistics of the coding for beta >= 0; else NULL */
  size_t bytes;
} TosstHistoryEntry;

struct TosstStepper
{
  TosstLearning learning;
  TosstLearnOptions options;
  int iteration;              /* of the next block */
  int phase;                  /* within the iteration: 0 codes, then rounds of B and b, then unused atoms */
  bool single;                /* each B_k is a block */
  int atom;                   /* number of B_k updated singly in this pass; K: only beta, or b, remains */
  double *pass;               /* D x K: V at the start of the pass while atom > 0; allocated on first use */
  double gained;              /* decrease of the fit in the pass so far */
  bool ready;                 /* R, A_float and DK are current for this point of the pass */
  TosstIteration now;         /* current objective */
  bool cold;                  /* there are no codes yet */
  bool stale, stale_sums;     /* quantities derived from the atoms, and from the codes, are out of date */
  TosstDictionary *coded;     /* atoms of the current codes; NULL while cold */
  TosstHistoryEntry *history; /* oldest first */
  int depth, allocated;
  size_t bytes, limit;
  bool is_truncated;
};

/* The undo history. Between two blocks the state of learning consists of atoms, codes and the sums over codes; all
 * else is derived. Only coding changes codes, so that for other blocks the atoms are sufficient. Sums are recomputed
 * from codes, except for beta >= 0, where coding accumulates them from beta. */

/* Copies what coding accumulates for beta >= 0 to or from a saved state, or with NULL neither. Returns its length. */
static size_t
copy_joint_sums (TosstLearning *l, double *copy, bool back)
{
  size_t D = l->D, K = l->K, S = l->S, length = 0;
  struct
  {
    double *sum;
    size_t n, stride;
  } sums[] = { { l->A, K * K, 1 },    { l->Csum, D * K, 1 }, { l->N, S * K, 1 },
               { l->mean, S * K, 1 }, { l->P, K, K + 1 },    { &l->l1, 1, 1 } };
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    for (size_t j = 0; j < sums[i].n; j++, length++)
      if (copy && back)
        sums[i].sum[j * sums[i].stride] = copy[length];
      else if (copy)
        copy[length] = sums[i].sum[j * sums[i].stride];
  return length;
}

static bool
pack_codes (const TosstLearning *l, TosstHistoryCodes *codes, size_t *bytes)
{
  size_t K = l->K, n = l->n, count = 0;
  for (size_t i = 0; i < n * K; i++)
    count += l->codes[i] != 0;
  codes->start = malloc (sizeof *codes->start * (n + 1));
  codes->atom = malloc (sizeof *codes->atom * (count + 1));
  codes->value = malloc (sizeof *codes->value * (count + 1));
  if (!codes->start || !codes->atom || !codes->value)
    return false;
  count = 0;
  for (size_t row = 0; row < n; row++)
    {
      codes->start[row] = count;
      for (size_t k = 0; k < K; k++)
        if (l->codes[row * K + k] != 0)
          {
            codes->atom[count] = k;
            codes->value[count++] = l->codes[row * K + k];
          }
    }
  codes->start[n] = count;
  *bytes += sizeof *codes->start * (n + 1) + (sizeof *codes->atom + sizeof *codes->value) * count;
  return true;
}

static void
history_clear (TosstHistoryEntry *entry)
{
  free (entry->atoms);
  free (entry->pass);
  free (entry->codes.start);
  free (entry->codes.atom);
  free (entry->codes.value);
  tosst_dictionary_free (entry->coded);
  free (entry->sums);
}

/* Saves the current state; false if out of memory, the caller then clears *history. */
static bool
history_init (TosstStepper *self, TosstHistoryEntry *entry)
{
  TosstLearning *l = &self->learning;
  size_t V = (size_t)l->D * l->K, b = (size_t)l->S * l->K;
  *entry = (TosstHistoryEntry){ .is_coding = self->phase == 0,
                                .cold = self->cold,
                                .phase = self->phase,
                                .atom = self->atom,
                                .gained = l->gained,
                                .bytes = sizeof *entry + sizeof (double) * (V + b) };
  entry->atoms = malloc (sizeof *entry->atoms * (V + b));
  if (!entry->atoms)
    return false;
  memcpy (entry->atoms, l->dictionary->V, sizeof *entry->atoms * V);
  memcpy (entry->atoms + V, l->dictionary->b, sizeof *entry->atoms * b);
  if (entry->atom > 0)
    {
      entry->pass = malloc (sizeof *entry->pass * V);
      entry->bytes += sizeof *entry->pass * V;
      if (!entry->pass)
        return false;
      memcpy (entry->pass, self->pass, sizeof *entry->pass * V);
    }
  if (!entry->is_coding || entry->cold)
    return true;
  entry->coded = tosst_dictionary_copy (self->coded);
  entry->bytes += sizeof (double) * (V + b);
  if (!entry->coded || !pack_codes (l, &entry->codes, &entry->bytes))
    return false;
  if (!tosst_learning_is_joint (l))
    return true;
  size_t sums = sizeof *entry->sums * copy_joint_sums (l, NULL, false);
  entry->sums = malloc (sums);
  entry->bytes += sums;
  if (entry->sums)
    copy_joint_sums (l, entry->sums, false);
  return entry->sums != NULL;
}

/* Restores the saved state, marks derived quantities as stale and clears the entry. */
static void
history_restore (TosstStepper *self, TosstHistoryEntry *entry)
{
  TosstLearning *l = &self->learning;
  size_t V = (size_t)l->D * l->K, b = (size_t)l->S * l->K;
  memcpy (l->dictionary->V, entry->atoms, sizeof *entry->atoms * V);
  memcpy (l->dictionary->b, entry->atoms + V, sizeof *entry->atoms * b);
  self->stale = true;
  self->ready = false;
  self->phase = entry->phase;
  self->atom = entry->atom;
  l->gained = entry->gained;
  l->is_exact = false;
  if (entry->pass)
    memcpy (self->pass, entry->pass, sizeof *entry->pass * V);
  if (entry->is_coding)
    {
      self->cold = entry->cold;
      self->stale_sums = true;
      tosst_dictionary_free (self->coded);
      self->coded = entry->coded;
      entry->coded = NULL;
      if (entry->cold)
        memset (l->codes, 0, sizeof *l->codes * l->n * l->K);
      else
        {
          size_t K = l->K;
          memset (l->codes, 0, sizeof *l->codes * l->n * K);
          for (size_t row = 0; row < l->n; row++)
            for (size_t i = entry->codes.start[row]; i < entry->codes.start[row + 1]; i++)
              l->codes[row * K + entry->codes.atom[i]] = entry->codes.value[i];
        }
      if (entry->sums)
        copy_joint_sums (l, entry->sums, true);
    }
  history_clear (entry);
}

/* A pass over all B_k in pieces, with the same bits as in one. Its state between two atoms is the residuals R, which
 * are too large to be saved for every step: after an undo, the pass is repeated from its initial atoms up to the
 * same atom.
 *
 * beta is fixed during the pass. The objective after an atom is for this beta and never increases; minimising beta
 * for the new atoms is a block of its own after the last of them. The gain of a pass, on which the residuals of the
 * next one depend, is summed over its atoms in the same order. */

/* Sets the sums over codes to zero. */
static void
stepper_reset_sums (TosstLearning *l)
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

/* Recomputes the sums, the reduction and the residuals where they are stale. */
static TosstStatus
stepper_refresh (TosstStepper *self)
{
  TosstLearning *l = &self->learning;
  TosstStatus status = TOSST_OK;
  if (self->stale_sums && self->cold)
    stepper_reset_sums (l);
  else if (self->stale_sums && !tosst_learning_is_joint (l))
    status = tosst_learning_accumulate_stats (l);
  self->stale_sums = self->stale_sums && status != TOSST_OK;
  if (!self->stale || status != TOSST_OK)
    return status;
  if (!tosst_learning_is_joint (l))
    {
      status = tosst_reduction_update (&l->reduction, l->context, l->dictionary, l->options->problem.gamma);
      l->is_reduced = status == TOSST_OK;
      TOSST_THEN (status, tosst_learning_residuals (l));
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
  TosstStatus status = stepper_refresh (self);
  if (status == TOSST_OK && self->atom == 0)
    status = keep_beginning (self);
  TOSST_THEN (status, tosst_learning_prepare_B (l));
  self->gained = 0;
  for (int k = 0; k < self->atom && status == TOSST_OK; k++)
    status = update_next (self, k, &change);
  self->ready = status == TOSST_OK;
  return status;
}

/* Updates the next B_k of the pass. */
static TosstStatus
stepper_update_one (TosstStepper *self)
{
  double change = 0;
  TosstStatus status = prepare (self) ?: update_next (self, self->atom, &change);
  self->stale = true;
  self->now.fit += change;
  self->now.objective += change;
  return status;
}

/* Completes the pass: the remaining B_k, then the minimum over beta (with beta >= 0: all b_k). */
static TosstStatus
stepper_update_rest (TosstStepper *self)
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
  return status ?: stepper_refresh (self);
}

/* The blocks. */

static int
phases_of_round (const TosstStepper *self)
{
  return tosst_learning_is_joint (&self->learning) || self->learning.S == 1 ? 1 : 2;
}

static int
last_phase (const TosstStepper *self)
{
  return tosst_learning_rounds (&self->learning) * phases_of_round (self);
}

static bool
has_unused (const TosstStepper *self)
{
  for (size_t k = 0, K = self->learning.K; k < K; k++)
    if (self->learning.P[k * K + k] == 0)
      return true;
  return false;
}

static TosstStepKind
kind_of (const TosstStepper *self)
{
  if (self->phase == 0)
    return TOSST_STEP_CODES;
  if (self->phase > last_phase (self))
    return TOSST_STEP_UNUSED;
  if ((self->phase - 1) % phases_of_round (self) != 0)
    return TOSST_STEP_b;
  if (self->atom == self->learning.K)
    return tosst_learning_is_joint (&self->learning) ? TOSST_STEP_b : TOSST_STEP_BETA;
  return self->single ? TOSST_STEP_ONE_B : tosst_learning_is_joint (&self->learning) ? TOSST_STEP_BOTH : TOSST_STEP_B;
}

static TosstStatus
code (TosstStepper *self)
{
  TosstLearning *l = &self->learning;
  TosstDictionary *coded = tosst_dictionary_copy (l->dictionary);
  TosstStatus status
      = coded ? tosst_learning_code (l, !self->cold, &self->now)
              : tosst_context_fail (l->context, TOSST_ERROR_MEMORY, "not enough memory to keep the dictionary");
  tosst_coder_free (l->coder);
  l->coder = NULL;
  TOSST_THEN (status, tosst_learning_update_stats (l));
  if (status != TOSST_OK)
    {
      tosst_dictionary_free (coded);
      return status;
    }
  tosst_dictionary_free (self->coded);
  self->coded = coded;
  self->cold = false;
  return TOSST_OK;
}

/* Reconstruction errors of the current codes are computed with the atoms for which these were computed. */
static TosstStatus
replace (TosstStepper *self)
{
  TosstLearning *l = &self->learning;
  TosstCodingOptions options;
  TosstCoder *coder = NULL;
  TosstRandom random;
  tosst_learning_coding_options (l, &options);
  tosst_learning_init_random (l, self->iteration, &random);
  TosstStatus status = tosst_coder_new_reduced (l->context, self->coded, l->layout, &options, NULL, NULL, &coder);
  TOSST_THEN (status, tosst_learning_replace_unused (l, coder, &random, &self->now));
  tosst_coder_free (coder);
  if (status == TOSST_OK && !l->is_reduced)
    self->stale = true; /* the old atoms were restored */
  return status;
}

/* With gamma = infinity beta follows from the codes: the pass ends with the last B_k. */
static bool
ends_pass (const TosstStepper *self, TosstStepKind kind)
{
  return kind != TOSST_STEP_ONE_B
         || (self->atom == self->learning.K - 1 && !tosst_learning_is_joint (&self->learning)
             && !isfinite (self->learning.options->problem.gamma));
}

static TosstStatus
do_block (TosstStepper *self, TosstStepKind kind)
{
  if (!ends_pass (self, kind))
    return stepper_update_one (self);
  TosstStatus status = kind == TOSST_STEP_ONE_B || self->atom > 0 ? stepper_update_rest (self) : stepper_refresh (self);
  if (status != TOSST_OK)
    return status;
  if (kind == TOSST_STEP_UNUSED)
    return replace (self);
  if (kind == TOSST_STEP_CODES)
    status = code (self);
  else if (kind != TOSST_STEP_ONE_B && self->atom == 0)
    status = kind == TOSST_STEP_BOTH ? tosst_learning_update (&self->learning)
             : kind == TOSST_STEP_b  ? tosst_learning_update_b (&self->learning)
                                     : tosst_learning_update_B (&self->learning);
  return status ?: tosst_learning_objective (&self->learning, &self->now);
}

void
tosst_stepper_peek (const TosstStepper *self, TosstStep *next)
{
  *next = (TosstStep){ .kind = kind_of (self), .iteration = self->iteration, .before = self->now, .after = self->now };
  if (next->kind == TOSST_STEP_ONE_B || (self->atom > 0 && self->atom < self->learning.K))
    next->atom = self->atom + 1;
  if (next->kind != TOSST_STEP_CODES && next->kind != TOSST_STEP_UNUSED)
    {
      next->round = (self->phase - 1) / phases_of_round (self) + 1;
      next->rounds = tosst_learning_rounds (&self->learning);
    }
}

/* Advances to the next block. Returns true if it belongs to another iteration. */
static bool
advance (TosstStepper *self, TosstStepKind done)
{
  if (!ends_pass (self, done))
    {
      self->atom++;
      return false;
    }
  self->atom = 0;
  if (self->phase < last_phase (self) || (self->phase == last_phase (self) && has_unused (self)))
    {
      self->phase++;
      return false;
    }
  self->phase = 0;
  self->iteration++;
  return true;
}

static bool
make_room (TosstStepper *self)
{
  if (self->depth < self->allocated)
    return true;
  int allocated = self->allocated ? 2 * self->allocated : 16;
  TosstHistoryEntry *history = realloc (self->history, sizeof *history * allocated);
  if (!history)
    return false;
  self->history = history;
  self->allocated = allocated;
  return true;
}

TosstStatus
tosst_stepper_step (TosstStepper *self, TosstContext *context, TosstStep *done)
{
  TOSST_REQUIRE (context, self && context && done);
  TosstHistoryEntry history = { .atoms = NULL };
  TosstIteration before = self->now;
  self->learning.context = context;
  if (!make_room (self) || !history_init (self, &history))
    {
      history_clear (&history);
      return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for the history of steps");
    }
  tosst_stepper_peek (self, done);
  memset (self->learning.stage, 0, sizeof self->learning.stage);
  self->learning.lap = tosst_context_seconds (context);
  self->now.iteration = self->iteration;
  if (done->kind == TOSST_STEP_CODES)
    self->now.unused_atoms = 0;
  TosstStatus status = do_block (self, done->kind);
  if (status != TOSST_OK)
    {
      history_restore (self, &history);
      self->stale_sums = true; /* they may be incomplete */
      self->now = before;
      return status;
    }
  done->after = self->now;
  done->ends = advance (self, done->kind);
  history.step = *done;
  self->history[self->depth++] = history;
  self->bytes += history.bytes;
  while (self->bytes > self->limit && self->depth > 1)
    {
      self->bytes -= self->history[0].bytes;
      history_clear (&self->history[0]);
      self->depth--;
      memmove (self->history, self->history + 1, sizeof *self->history * self->depth);
      self->is_truncated = true;
    }
  return TOSST_OK;
}

bool
tosst_stepper_back (TosstStepper *self, TosstStep *undone)
{
  if (self->depth == 0)
    return false;
  TosstHistoryEntry *history = &self->history[--self->depth];
  *undone = history->step;
  self->bytes -= history->bytes;
  self->iteration = undone->iteration;
  self->now = undone->before;
  history_restore (self, history);
  return true;
}

/* Creation and destruction. */

static TosstStatus
begin (TosstStepper *self)
{
  TosstLearning *l = &self->learning;
  TosstStatus status = tosst_learning_update_Sxx (l);
  if (status == TOSST_OK && self->learning.run.resume)
    status = tosst_learning_restore (l, self->learning.run.resume);
  else if (status == TOSST_OK)
    status = tosst_learning_init_atoms (l);
  self->cold = !self->learning.run.resume;
  self->iteration = self->now.iteration = self->learning.run.done;
  self->iteration++;
  if (self->learning.run.resume)
    self->coded = tosst_dictionary_copy (l->dictionary);
  self->stale = self->stale_sums = true;
  if (status == TOSST_OK && !(tosst_learning_is_joint (&self->learning) && !self->cold))
    status = stepper_refresh (self);
  /* For beta >= 0 the sums of restored codes are unknown until the next coding. */
  if (status == TOSST_OK && tosst_learning_is_joint (&self->learning) && !self->cold)
    {
      stepper_reset_sums (l);
      self->stale_sums = self->stale = false;
      self->now.objective = self->learning.run.resume->objective;
      self->now.fit = self->now.proximity = self->now.sparsity = NAN;
    }
  else if (status == TOSST_OK)
    status = tosst_learning_objective (l, &self->now);
  l->run.resume = NULL; /* owned by the caller */
  return status;
}

TosstStatus
tosst_stepper_new (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                   const TosstLearnOptions *options, const TosstLearnRun *given, size_t history, TosstStepper **stepper)
{
  TOSST_REQUIRE (context, context && layout && tensors && options && stepper);
  *stepper = NULL;
  TosstLearnOptions own = *options;
  TosstLearnRun run = given ? *given : (TosstLearnRun){ 0 };
  run.ranks = NULL;
  TOSST_REFUSE (context, options->solver != TOSST_SOLVER_EXACT ? "steps are blocks of the exact solver"
                                                               : tosst_learn_settle (&own, &run, layout, n));
  own.most_sums = SIZE_MAX;
  TosstStepper *self = calloc (1, sizeof *self);
  if (!self)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to learn %d atoms from %zu tensors",
                               options->atoms, n);
  self->options = own;
  self->limit = history;
  TosstStatus status
      = tosst_learning_init (&self->learning, context, layout, tensors, n, &self->options, &run)
            ? begin (self)
            : tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to learn %d atoms from %zu tensors",
                                  options->atoms, n);
  if (status == TOSST_OK)
    *stepper = self;
  else
    tosst_stepper_free (self);
  return status;
}

void
tosst_stepper_free (TosstStepper *self)
{
  if (!self)
    return;
  for (int i = 0; i < self->depth; i++)
    history_clear (&self->history[i]);
  free (self->history);
  free (self->pass);
  tosst_dictionary_free (self->coded);
  tosst_learning_clear (&self->learning);
  free (self);
}

void
tosst_stepper_set_single (TosstStepper *self, bool single)
{
  self->single = single;
}

int
tosst_stepper_undo_depth (const TosstStepper *self)
{
  return self->depth;
}

bool
tosst_stepper_is_truncated (const TosstStepper *self)
{
  return self->is_truncated;
}

const TosstDictionary *
tosst_stepper_dictionary (const TosstStepper *self)
{
  return self->learning.dictionary;
}

void
tosst_stepper_usage (const TosstStepper *self, double *usage)
{
  const TosstLearning *l = &self->learning;
  size_t K = l->K;
  memset (usage, 0, sizeof *usage * K);
  for (size_t i = 0; i < l->n * K; i++)
    usage[i % K] += (double)l->codes[i] * l->codes[i];
}
