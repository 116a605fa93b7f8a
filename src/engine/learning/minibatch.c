/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Main loop of learning from streams. For a fixed dictionary the objective
 *     <W, E> + lambda sum |alpha|
 * is linear in the sums (Sxx, Y, P, l1), so that the objective of a batch is the increment by blending:
 *     objective (batch) = objective (keep sums + batch) - keep objective (sums).
 */
#include "engine/base/base.h"
#include "engine/learning/divided.h"
#include "tosst/learn.h"

/* Position in the epoch. */
typedef struct
{
  TosstIteration sums;  /* objective of the sums for the current dictionary */
  TosstIteration epoch; /* sum over the batches so far; the package for Python reads it in saved states */
  size_t seen;          /* number of tensors of the epoch so far */
  double before;        /* objective of the previous epoch; INFINITY: none */
} Course;

typedef struct
{
  TosstLearning learning;
  TosstLearnOptions options; /* caller's options */
  TosstLearnRun run;
  const TosstMinibatchOptions *minibatch;
  const TosstStream *stream;
  TosstBatches batches;
  float *tensors;  /* tensors of the current batch */
  size_t *order;   /* runs of the batch */
  size_t patience; /* number of batches after which an unused atom is replaced, and between replacements */
  size_t *idle;    /* K: batches since a code used the atom */
  double *usage;   /* K: sum_n alpha_k^n squared, for the caller */
  Course course;
  double start;
  TosstMemory memory;
} Minibatch;

void
tosst_minibatch_options_default (TosstMinibatchOptions *options)
{
  *options = (TosstMinibatchOptions){ .batch = 4096, .forgetting = 10 };
}

const char *
tosst_minibatch_check (const TosstMinibatchOptions *options, const TosstLearnOptions *learn, TosstShape shape)
{
  if (learn->solver != TOSST_SOLVER_EXACT)
    return "only the exact solver learns from batches";
  if (learn->problem.nonnegative_beta)
    return "learning from batches leaves beta free: nonnegative-beta needs all tensors at once";
  if (learn->atoms < 1 || options->batch * (size_t)tosst_shape_slices (shape) < (size_t)learn->atoms)
    return "the tensors of a batch must have at least as many slices as there are atoms";
  if (!(options->forgetting >= 0))
    return "forgetting must be a number >= 0";
  return NULL;
}

/* Maximum number of tensors of this rank per batch. */
static size_t
share_of (size_t batch, int ranks)
{
  return ranks ? batch / ranks + 1 : batch;
}

size_t
tosst_minibatch_memory (const TosstLayout *layout, const TosstLearnOptions *options,
                        const TosstMinibatchOptions *minibatch, int ranks, int threads)
{
  size_t batch = share_of (minibatch->batch, ranks), K = options->atoms,
         atoms = 2 * K * ((size_t)layout->D + layout->S) * sizeof (double);
  TosstLearnOptions all = *options;
  all.most_sums = SIZE_MAX;
  return tosst_learn_memory (layout, batch, &all, ranks, threads) + batch * layout->m * sizeof (float)
         + batch * sizeof (size_t) + K * 16 + atoms;
}

static bool
minibatch_init (Minibatch *self, TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch, const TosstLearnRun *run)
{
  size_t K = options->atoms;
  *self = (Minibatch){
    .options = *options, .run = *run, .minibatch = minibatch, .stream = stream, .course.before = INFINITY
  };
  self->options.most_sums = SIZE_MAX; /* Y passes from batch to batch */
  if (run->resume)
    {
      self->run.initial = run->resume->dictionary;
      self->run.done = 0;
    }
  if (layout->shape.kind == TOSST_SHAPE_WHOLE)
    self->options.problem.gamma = INFINITY;
  tosst_batches_init (&self->batches, stream->n, layout->m, minibatch->batch, options->seed);
  self->patience = BATCH_PATIENCE * K / minibatch->batch + 1;
  if (self->patience > self->batches.batches)
    self->patience = self->batches.batches;
  size_t most = share_of (self->batches.most, tosst_learn_run_ranks (run));
  self->tensors = tosst_keep (&self->memory, malloc (sizeof *self->tensors * most * layout->m));
  self->order = tosst_keep (&self->memory, malloc (sizeof *self->order * (self->batches.most / self->batches.run)));
  self->idle = tosst_keep (&self->memory, calloc (K, sizeof *self->idle));
  self->usage = tosst_keep (&self->memory, malloc (sizeof *self->usage * K));
  self->start = tosst_context_seconds (context);
  bool fine = tosst_learning_init (&self->learning, context, layout, self->tensors, most, &self->options, &self->run);
  self->learning.spreads = K > minibatch->batch;
  return fine && !self->memory.failed;
}

static void
minibatch_clear (Minibatch *self)
{
  tosst_learning_clear (&self->learning);
  tosst_release (&self->memory);
}

/* keep_t of batch number step = t - 1. */
static double
keep_of (const Minibatch *self, size_t step)
{
  return step == 0 ? 0 : pow (step / (step + 1.0), self->minibatch->forgetting);
}

static TosstStatus
read_batch (Minibatch *self, size_t step)
{
  TosstContext *context = self->learning.context;
  if (tosst_context_checkpoint (context))
    return TOSST_CANCELLED;
  /* The source must not report progress. */
  TosstRange range = tosst_context_narrow (context, 0, 0);
  const TosstRanks *ranks = self->run.ranks;
  TosstStatus status
      = tosst_batches_read_part (&self->batches, self->stream, self->learning.layout->m, step, ranks ? ranks->rank : 0,
                                 ranks ? ranks->size : 1, self->order, self->tensors, &self->learning.n);
  tosst_context_set_range (context, range);
  bool spreads = self->learning.spreads;
  self->learning.total = self->learning.n;
  status = tosst_learning_count (&self->learning, status);
  self->learning.spreads = spreads;
  return status;
}

/* Codes a batch with the current dictionary and blends its sums into the current sums. */
static TosstStatus
absorb (Minibatch *self, size_t step, double keep, TosstIteration *iteration)
{
  TosstLearning *learning = &self->learning;
  TosstContext *context = learning->context;
  TOSST_TRY (read_batch (self, step));
  learning->keep = keep;
  TosstRange range = tosst_context_narrow (context, 0, 0.5);
  TosstStatus status = tosst_learning_code (learning, false, iteration);
  tosst_context_set_range (context, range);
  tosst_context_narrow (context, 0.5, 0.7);
  TOSST_THEN (status, tosst_learning_update_Sxx (learning));
  tosst_context_set_range (context, range);
  tosst_context_narrow (context, 0.7, 1);
  TOSST_THEN (status, tosst_learning_update_stats (learning));
  tosst_context_set_range (context, range);
  return status;
}

/* Removes the contribution of atoms unused for a long time from the sums, so that they count as unused. */
static TosstStatus
forget_idle (Minibatch *self)
{
  TosstLearning *learning = &self->learning;
  size_t K = learning->K, m = learning->layout->m, forgotten = 0;
  double *uses = self->usage;
  memset (uses, 0, sizeof *uses * K);
  for (size_t n = 0; n < learning->n; n++)
    for (size_t k = 0; k < K; k++)
      uses[k] += learning->codes[n * K + k] != 0;
  TOSST_TRY (tosst_ranks_sum (self->run.ranks, TOSST_OK, uses, K));
  for (size_t k = 0; k < K; k++)
    self->idle[k] = uses[k] > 0 ? 0 : self->idle[k] + 1;
  for (size_t k = 0; k < K; k++)
    if (self->idle[k] >= self->patience && learning->P[k * K + k] > 0)
      {
        if (tosst_learning_owns (learning, k))
          memset (learning->Y + tosst_learning_row (learning, k) * m, 0, sizeof *learning->Y * m);
        for (size_t j = 0; j < K; j++)
          learning->P[k * K + j] = learning->P[j * K + k] = 0;
        forgotten++;
      }
  return forgotten ? tosst_learning_residuals (learning) : TOSST_OK;
}

/* Processes one batch: coding, blending, dictionary update. */
static TosstStatus
learn_batch (Minibatch *self, size_t step)
{
  TosstLearning *learning = &self->learning;
  TosstIteration batch = { 0 }, sums = { 0 };
  TosstRandom random;
  TosstStatus status = absorb (self, step, keep_of (self, step), &batch);
  TOSST_THEN (status, tosst_learning_objective (learning, &sums));
  if (status == TOSST_OK)
    {
      /* Adds the objective of the current batch to that of its epoch. */
      const TosstIteration *old = &self->course.sums;
      TosstIteration *epoch = &self->course.epoch;
      double keep = self->learning.keep;
      epoch->objective += sums.objective - keep * old->objective;
      epoch->fit += sums.fit - keep * old->fit;
      epoch->proximity += sums.proximity - keep * old->proximity;
      epoch->sparsity += sums.sparsity - keep * old->sparsity;
      epoch->mean_nonzeros += batch.mean_nonzeros * self->learning.total;
      epoch->worst_kkt = fmax (epoch->worst_kkt, batch.worst_kkt);
      self->course.seen += self->learning.total;
      status = forget_idle (self);
    }
  TOSST_THEN (status, tosst_learning_update_dictionary (learning, &sums));
  if (status == TOSST_OK && (step + 1) % self->patience == 0)
    {
      tosst_learning_init_random (learning, step + 1, &random);
      status = tosst_learning_replace_unused (learning, learning->coder, &random, &sums);
    }
  self->course.sums = sums;
  self->course.epoch.unused_atoms += sums.unused_atoms;
  return status;
}

/* Recomputes the sums of the batches before step that have a significant weight, coded with the current dictionary. */
static TosstStatus
rebuild_sums (Minibatch *self, size_t step)
{
  double weighty = ceil (step / (self->minibatch->forgetting + 1)), epoch = self->batches.batches;
  size_t count = fmax (fmin (weighty, epoch), 1);
  TosstStatus status = TOSST_OK;
  for (size_t i = step - count; i < step && status == TOSST_OK; i++)
    {
      TosstIteration ignored;
      status = absorb (self, i, i == step - count ? 0 : keep_of (self, i), &ignored);
    }
  return status ?: tosst_learning_objective (&self->learning, &self->course.sums);
}

/* Extrapolates the sums of a partial epoch to a complete one, and reports it. */
static void
finish_epoch (Minibatch *self, TosstIterationFunc func, void *user_data)
{
  TosstIteration *epoch = &self->course.epoch;
  double factor = (double)self->batches.n / self->course.seen;
  epoch->objective *= factor;
  epoch->fit *= factor;
  epoch->proximity *= factor;
  epoch->sparsity *= factor;
  epoch->mean_nonzeros /= self->course.seen;
  epoch->seconds = tosst_context_seconds (self->learning.context) - self->start;
  self->course.seen = 0;
  for (size_t k = 0, K = self->learning.K; k < K; k++)
    self->usage[k] = self->learning.P[k * K + k];
  if (func)
    func (epoch, self->learning.dictionary, self->usage, user_data);
}

/* Stores the state between batches besides the dictionary. */
static void
list_parts (const Minibatch *self, TosstLearnPart *part)
{
  const TosstLearning *l = &self->learning;
  size_t K = l->K, D = l->D;
  part[0] = (TosstLearnPart){ l->Y, sizeof *l->Y * K * l->layout->m };
  part[1] = (TosstLearnPart){ l->P, sizeof *l->P * K * K };
  part[2] = (TosstLearnPart){ l->Sxx, sizeof *l->Sxx * D * D };
  part[3] = (TosstLearnPart){ &l->l1, sizeof l->l1 };
  part[4] = (TosstLearnPart){ self->idle, sizeof *self->idle * K };
  part[5] = (TosstLearnPart){ &self->course, sizeof self->course };
}

/* Whether the completed epoch is the last. */
static bool
is_settled (const Minibatch *self)
{
  double before = self->course.before, fall = before - self->course.epoch.objective;
  return isfinite (before) && self->options.tolerance > 0
         && fall < self->batches.batches * self->options.tolerance * fabs (before);
}

/* Runs epochs until the stopping criterion, from batch number first on. */
static TosstStatus
iterate (Minibatch *self, size_t first, TosstIterationFunc func, void *user_data, TosstDictionary **last)
{
  TosstLearning *learning = &self->learning;
  TosstIteration *epoch = &self->course.epoch;
  size_t batches = self->batches.batches, end = batches * self->options.iterations;
  TosstStatus status = TOSST_OK;
  for (size_t step = first; step < end && status == TOSST_OK; step++)
    {
      double total = end - first;
      TosstRange range = tosst_context_narrow (learning->context, (step - first) / total, (step - first + 1) / total);
      status = learn_batch (self, step);
      tosst_context_set_range (learning->context, range);
      status = tosst_ranks_agree (self->run.ranks, status);
      TOSST_THEN (status, tosst_learning_keep_dictionary (learning, last));
      if (status != TOSST_OK)
        break;
      if (self->run.batch)
        self->run.batch (step + 1, learning->dictionary, user_data);
      if ((step + 1) % batches == 0)
        {
          epoch->iteration = (step + 1) / batches;
          finish_epoch (self, func, user_data);
          if (is_settled (self))
            break;
          self->course.before = epoch->objective;
          *epoch = (TosstIteration){ 0 };
        }
      if (self->run.state && step + 1 < end)
        {
          TosstLearnState state
              = { .dictionary = self->learning.dictionary, .done = step + 1, .objective = self->course.before };
          if (!self->run.ranks)
            list_parts (self, state.part);
          self->run.state (&state, self->run.state_data);
        }
    }
  return status;
}

/* Each rank reads a part of the stream. */
static TosstStatus
find_scale (Minibatch *self)
{
  TosstLearning *learning = &self->learning;
  TosstRanks *ranks = self->run.ranks;
  size_t n = self->stream->n, rank = ranks ? ranks->rank : 0, size = ranks ? ranks->size : 1;
  double squares = 0;
  TosstStatus status = tosst_stream_squares (learning->context, learning->layout, self->stream, n * rank / size,
                                             n * (rank + 1) / size, &squares);
  status = tosst_learning_sum (learning, status, &squares);
  return status ?: tosst_tensor_scale (learning->context, squares, n, &learning->dictionary->scale);
}

/* Sets scale and initial atoms, from the first batch or the resumed dictionary; then the sums of the previous
 * batches. */
static TosstStatus
start (Minibatch *self, size_t *first)
{
  TosstLearning *learning = &self->learning;
  if (self->run.resume)
    {
      *first = self->run.resume->done;
      if (*first >= self->batches.batches * self->options.iterations)
        return tosst_context_fail (learning->context, TOSST_ERROR_ARGUMENT, "all batches are already done");
      TosstLearnPart own[TOSST_LEARN_PARTS] = { { NULL, 0 } };
      list_parts (self, own);
      tosst_learning_restore_atoms (learning, self->run.resume->dictionary);
      return tosst_learning_restore_solver (learning->context, self->run.resume->part, own);
    }
  bool goes_on = self->run.initial != NULL;
  TosstStatus status = TOSST_OK;
  *first = 0;
  if (goes_on && self->run.batches_done > 0)
    *first = self->run.batches_done;
  else if (goes_on)
    *first = self->batches.batches * self->run.done;
  if (!goes_on)
    {
      status = find_scale (self);
      learning->scaled = true;
      TOSST_THEN (status, read_batch (self, 0));
    }
  TOSST_THEN (status, tosst_learning_init_atoms (learning));
  return status == TOSST_OK && *first > 0 ? rebuild_sums (self, *first) : status;
}

static const char *
check (const TosstLayout *layout, const TosstStream *stream, const TosstLearnOptions *options,
       const TosstMinibatchOptions *minibatch, const TosstLearnRun *run)
{
  /* A state counts batches: start() compares them. */
  TosstLearnRun rest = *run;
  if (run->resume)
    {
      rest.initial = run->resume->dictionary;
      rest.done = 0;
      rest.resume = NULL;
    }
  const char *wrong = tosst_learn_options_check (options, stream->n, layout->shape);
  wrong = wrong ? wrong : tosst_learn_run_check (&rest, options, stream->n, layout->shape);
  return wrong ? wrong : tosst_minibatch_check (minibatch, options, layout->shape);
}

static TosstStatus
out_of_memory (TosstContext *context, const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch)
{
  return tosst_context_fail (context, TOSST_ERROR_MEMORY,
                             "not enough memory to learn %d atoms from batches of %zu tensors", options->atoms,
                             minibatch->batch);
}

TosstStatus
tosst_learn_minibatch (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                       const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch,
                       const TosstLearnRun *given, TosstIterationFunc func, void *user_data,
                       TosstDictionary **dictionary)
{
  TOSST_REQUIRE (context, context && layout && stream && options && minibatch && dictionary);
  *dictionary = NULL;
  TosstLearnRun run = given ? *given : (TosstLearnRun){ 0 };
  TOSST_REFUSE (context, check (layout, stream, options, minibatch, &run));

  Minibatch self;
  size_t first = 0, ignored = 0;
  TosstStatus status = tosst_learning_start_ranks (context, run.ranks, &ignored);
  if (status != TOSST_OK)
    return status;
  if (!minibatch_init (&self, context, layout, stream, options, minibatch, &run))
    status = out_of_memory (context, options, minibatch);
  TOSST_THEN (status, start (&self, &first));
  TOSST_THEN (status, iterate (&self, first, func, user_data, dictionary));
  status = tosst_learning_end_ranks (context, run.ranks, status);
  if (status != TOSST_OK && status != TOSST_CANCELLED)
    {
      tosst_dictionary_free (*dictionary);
      *dictionary = NULL;
    }
  minibatch_clear (&self);
  return status;
}

TosstStatus
tosst_learn_evaluate (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                      const TosstDictionary *dictionary, const TosstLearnOptions *options,
                      const TosstMinibatchOptions *minibatch, TosstRanks *ranks, TosstIteration *result)
{
  TOSST_REQUIRE (context, context && layout && stream && dictionary && options && minibatch && result);
  TosstLearnOptions rest = *options;
  rest.atoms = dictionary->K;
  TosstLearnRun run = { .initial = dictionary, .ranks = ranks };
  *result = (TosstIteration){ 0 };
  TOSST_REFUSE (context, check (layout, stream, &rest, minibatch, &run));

  Minibatch self;
  size_t ignored = 0;
  TosstStatus status = tosst_learning_start_ranks (context, ranks, &ignored);
  if (status != TOSST_OK)
    return status;
  if (!minibatch_init (&self, context, layout, stream, &rest, minibatch, &run))
    status = out_of_memory (context, &rest, minibatch);
  TOSST_THEN (status, tosst_learning_init_atoms (&self.learning));
  size_t batches = self.batches.batches;
  for (size_t i = 0; i < batches && status == TOSST_OK; i++)
    {
      TosstIteration batch = { 0 };
      TosstRange range = tosst_context_narrow (context, (double)i / batches, (i + 1.0) / batches);
      status = absorb (&self, i, i == 0 ? 0 : 1, &batch);
      tosst_context_set_range (context, range);
      result->mean_nonzeros += batch.mean_nonzeros * self.learning.total / stream->n;
      result->worst_kkt = fmax (result->worst_kkt, batch.worst_kkt);
    }
  TOSST_THEN (status, tosst_learning_objective (&self.learning, result));
  status = tosst_learning_end_ranks (context, ranks, status);
  result->seconds = tosst_context_seconds (context) - self.start;
  minibatch_clear (&self);
  return status;
}
