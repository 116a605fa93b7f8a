/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the blocks of an exact iteration one at a time, by the functions of the iteration. After an undo, quantities
 * derived from atoms and codes are recomputed when the next block needs them.
 */
#include "tosst/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/coding/coder-private.h"
#include "engine/learning/stepper-private.h"

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
  if (status == TOSST_OK)
    status = tosst_learning_update_stats (l);
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
  if (status == TOSST_OK)
    status = tosst_learning_replace_unused (l, coder, &random, &self->now);
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
    return tosst_stepper_update_one (self);
  TosstStatus status
      = kind == TOSST_STEP_ONE_B || self->atom > 0 ? tosst_stepper_update_rest (self) : tosst_stepper_refresh (self);
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
  TosstHistoryEntry history = { .atoms = NULL };
  TosstIteration before = self->now;
  self->learning.context = context;
  if (!make_room (self) || !tosst_history_init (self, &history))
    {
      tosst_history_clear (&history);
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
      tosst_history_restore (self, &history);
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
      tosst_history_clear (&self->history[0]);
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
  tosst_history_restore (self, history);
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
    status = tosst_stepper_refresh (self);
  /* For beta >= 0 the sums of restored codes are unknown until the next coding. */
  if (status == TOSST_OK && tosst_learning_is_joint (&self->learning) && !self->cold)
    {
      tosst_stepper_reset_sums (l);
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
  *stepper = NULL;
  TosstLearnOptions own = *options;
  TosstLearnRun run = given ? *given : (TosstLearnRun){ 0 };
  run.ranks = NULL;
  const char *wrong = options->solver != TOSST_SOLVER_EXACT ? "steps are blocks of the exact solver"
                                                            : tosst_learn_settle (&own, &run, layout, n);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
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
    tosst_history_clear (&self->history[i]);
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
