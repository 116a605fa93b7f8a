/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Main loop of learning: codes for the current dictionary, then the dictionary for the codes, each step exact, so
 * that the objective of equation (5) never increases.
 */
#include "tosst/learn.h"
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/learning/divided.h"
#include "engine/learning/stored.h"

void
tosst_learn_options_default (TosstLearnOptions *options)
{
  *options = (TosstLearnOptions){ .atoms = 200,
                                  .scheme = TOSST_SCHEME_PSD,
                                  .problem = TOSST_PROBLEM_DEFAULT,
                                  .iterations = 50,
                                  .tolerance = 1e-4,
                                  .seed = 1 };
}

void
tosst_learn_coding_options (const TosstLearnOptions *learned, TosstCodingOptions *options)
{
  tosst_coding_options_default (options);
  options->problem = learned->problem;
}

const char *
tosst_learn_options_check (const TosstLearnOptions *options, size_t n, TosstShape shape)
{
  TosstAtomSet set = { shape, options->scheme, options->rank };
  if (options->atoms < 1)
    return "the number of atoms must be at least 1";
  if ((size_t)options->atoms > n * (size_t)tosst_shape_slices (shape))
    return "the tensors have fewer slices than there are atoms: lower the number of atoms K or give more tensors";
  if (tosst_atom_set_check (&set))
    return tosst_atom_set_check (&set);
  if (tosst_problem_check (&options->problem))
    return tosst_problem_check (&options->problem);
  if (options->iterations < 1)
    return "the number of iterations must be at least 1";
  if (!isfinite (options->tolerance) || options->tolerance < 0)
    return "the tolerance must be a number >= 0";
  if (!isfinite (options->eta) || options->eta < 0)
    return "the step size eta must be a number >= 0";
  if ((unsigned)options->solver > TOSST_SOLVER_GRADIENT || (unsigned)options->init > TOSST_INIT_RANDOM)
    return "the solver or the kind of initial atoms is unknown";
  if (options->solver == TOSST_SOLVER_GRADIENT && !isfinite (options->problem.gamma))
    return "the gradient solver takes steps in beta: it needs a finite gamma";
  if (options->solver == TOSST_SOLVER_GRADIENT && options->scheme == TOSST_SCHEME_FULL)
    return "the gradient solver takes steps in beta, and problem (2) of the scheme full has none";
  return NULL;
}

const char *
tosst_learn_run_check (const TosstLearnRun *run, const TosstLearnOptions *options, size_t n, TosstShape shape)
{
  if (!run)
    return NULL;
  const TosstDictionary *initial = run->resume ? run->resume->dictionary : run->initial;
  int done = run->resume ? run->resume->done : run->done;
  if (done < 0 || done >= options->iterations)
    return "all iterations are already done: increase their number";
  if (initial && (initial->K != options->atoms || !tosst_shape_equal (initial->shape, shape)))
    return "the initial dictionary has another number of atoms or another shape than the options";
  if (run->ranks && (options->solver != TOSST_SOLVER_EXACT || options->problem.nonnegative_beta))
    return "several ranks learn with the exact solver and free beta only: start one process, or change solver and "
           "nonnegative-beta";
  if (run->ranks && (size_t)run->ranks->size > n)
    return "there are more ranks than tensors";
  return NULL;
}

/* Bound of a coder without stored atoms. */
static size_t
lean_coder_memory (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads)
{
  TosstCodingOptions least = *options;
  least.memory = 1;
  return tosst_coder_memory (layout, K, &least, threads) + (size_t)LEAN_GATHERED * K * sizeof (float);
}

/* Bytes of Y and of columns of the own atoms, of tensors on their way, and of the largest exchange. */
static size_t
divided_memory (const TosstLayout *layout, const TosstLearnOptions *options, size_t size, int threads)
{
  size_t K = options->atoms, m = layout->m, D = layout->D, blocks = size * RANK_COLUMNS,
         own = (K + blocks - 1) / blocks * RANK_COLUMNS;
  own = own < K ? own : K;
  size_t triangle = K * (K + 1) / 2 < RANK_PIECE ? K * (K + 1) / 2 : RANK_PIECE, gathered = K * RANK_COLUMNS * 6 * size,
         columns = K * LEAN_COLUMNS * 8 * threads;
  return own * (m + D) * 8 + (m + K) * FETCHED * 4
         + tosst_larger (tosst_larger (tosst_learning_divided_bytes (layout, K, size, threads), 2 * triangle * 8),
                         tosst_larger (tosst_larger (D * (D + 1) * 8, gathered), columns));
}

/* tosst_learn_memory() if learning is lean. */
static size_t
lean_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int ranks, int threads)
{
  size_t K = options->atoms, D = layout->D, S = layout->S, t = threads, padded = K + 8;
  size_t small = tosst_reduction_small (D, K) ? K * K * 8 : 0, factor = small ? small : D * D * 8;
  TosstCodingOptions coding;
  tosst_coding_options_default (&coding);
  coding.problem = options->problem;
  /* Codes, P, H; dictionary, its last copy, R, Exc, DK, W V; b, Ub, reports; Sxx, E, DD; Scc. */
  size_t own = n * K * 4 + 2 * K * K * 4 + 6 * D * padded * 8 + 8 * S * padded * 8 + 3 * D * D * 8 + factor + small;
  /* Without the dictionary, reduction and H that the coder borrows. */
  size_t coder = lean_coder_memory (layout, options->atoms, &coding, threads) - 2 * D * K * 8 - K * K * 4;
  size_t columns = t * K * LEAN_COLUMNS * 8, replaced = D * padded * 8 + factor;
  size_t lists = (size_t)(LEAN_DENSE_FROM * n * K * 6) + (n / 128 + 1) * (K + 5) * 4 + t * (K * 768 + 2048 * 64 * 4);
  size_t rounds = tosst_larger (lists, t * K * 512 * 4) + tosst_learning_tiles_bytes (layout, K, threads)
                  + tosst_larger (tosst_larger (coder, columns), replaced);
  own += ranks ? divided_memory (layout, options, ranks, threads) : 0;
  return own + tosst_larger (rounds, tosst_learning_partial_sums (D) * D * D * 8 + t * D * S * 16 * 8);
}

size_t
tosst_learn_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int ranks, int threads)
{
  if (tosst_learning_is_lean (layout, options, ranks))
    return lean_memory (layout, n, options, ranks, threads);
  size_t K = options->atoms, D = layout->D, m = layout->m, t = threads;
  size_t own = n * K * 4 + K * m * 8 + 4 * K * K * 8 + (8 * D + 4 * layout->S) * K * 8 + 3 * D * D * 8
               + 2 * (tosst_reduction_small (D, K) ? K * K * 8 : D * D * 8);
  TosstCodingOptions coding;
  tosst_coding_options_default (&coding);
  coding.problem = options->problem;
  /* Includes a second H, in the order used by warm codings. */
  size_t coder = tosst_coder_memory (layout, options->atoms, &coding, threads) + K * K * 4;
  /* Partial sums of Y and P per worker, and upper bound of the lists of non-zero codes. */
  size_t workers = t * (K * 512 + 2048 * 64) * 4 + n * K * 12 / 5 + (n / 128 + 1) * (K + 5) * 4
                   + t * tosst_learning_slices_work (layout) * 8;
  size_t measure = tosst_learning_partial_sums (D) * D * D * 8 + t * D * layout->S * 16 * 8;
  if (options->problem.nonnegative_beta && isfinite (options->problem.gamma) && layout->shape.kind != TOSST_SHAPE_WHOLE)
    {
      own += (D + 2 * layout->S) * K * 8 + K * K * 4 - K * m * 8;
      workers = 0;
    }
  if (ranks)
    own = own - K * m * 8 + divided_memory (layout, options, ranks, threads);
  if (options->solver != TOSST_SOLVER_EXACT)
    coder = tosst_stored_memory (layout, n, options, threads), workers = 0;
  return own + (coder + workers > measure ? coder + workers : measure);
}

void
tosst_learning_coding_options (const TosstLearning *self, TosstCodingOptions *options)
{
  tosst_coding_options_default (options);
  options->problem = self->options->problem;
  options->tolerance = LEARN_TOLERANCE;
  if (self->is_lean)
    options->memory = lean_coder_memory (self->layout, self->K, options, tosst_context_threads (self->context));
}

TosstStatus
tosst_learning_code (TosstLearning *self, bool warm, TosstIteration *iteration)
{
  TosstCodingOptions options;
  TosstCodingReport report = { 0 };
  tosst_learning_coding_options (self, &options);
  bool joint = tosst_learning_is_joint (self);
  TosstStatus status = joint || self->is_reduced ? TOSST_OK : tosst_learning_reduce (self);
  self->is_reduced = !joint && status == TOSST_OK;
  const TosstReduction *reduction = joint ? NULL : &self->reduction;
  if (self->is_lean)
    status = tosst_learning_gram (self, status, NULL);
  if (status == TOSST_OK && self->coder)
    status = tosst_coder_update (self->coder, self->context, self->dictionary, reduction);
  else if (status == TOSST_OK)
    status = tosst_coder_new_reduced (self->context, self->dictionary, self->layout, &options, reduction,
                                      self->is_lean ? self->A_float : NULL, &self->coder);
  tosst_learning_lap (self, TOSST_LEARN_SETUP);
  TOSST_THEN (status,
              joint ? tosst_learning_code_nonnegative (self, self->coder, warm, &report)
                    : tosst_code (self->context, self->coder, self->tensors, self->n, warm, self->codes, &report));
  tosst_learning_lap (self, TOSST_LEARN_LASSOS);
  self->stage[TOSST_LEARN_LASSOS] -= report.seconds_products;
  self->stage[TOSST_LEARN_PRODUCTS] += report.seconds_products;
  iteration->mean_nonzeros = report.mean_nonzeros;
  iteration->worst_kkt = report.worst_kkt;
  return tosst_learning_join_report (self, status, iteration);
}

TosstStatus
tosst_learning_update_stats (TosstLearning *self)
{
  if (tosst_learning_is_joint (self))
    return TOSST_OK; /* computed while coding */
  TosstStatus status = tosst_learning_accumulate_stats (self);
  self->gained = 0;
  TOSST_THEN (status, tosst_learning_residuals (self));
  tosst_learning_lap (self, TOSST_LEARN_SUMS);
  return status;
}

int
tosst_learning_rounds (const TosstLearning *self)
{
  return self->set.scheme == TOSST_SCHEME_FULL ? ROUNDS_WHOLE : ROUNDS;
}

TosstStatus
tosst_learning_update_dictionary (TosstLearning *self, TosstIteration *iteration)
{
  TosstStatus status = TOSST_OK;
  for (int round = 0; round < tosst_learning_rounds (self) && status == TOSST_OK; round++)
    status = tosst_learning_update (self);
  return status ?: tosst_learning_objective (self, iteration);
}

void
tosst_learning_init_random (const TosstLearning *self, size_t iteration, TosstRandom *random)
{
  tosst_random_init (random, self->options->seed, (uint64_t)iteration << 32 | 1);
}

typedef struct
{
  TosstIterationFunc func;
  void *data;
  double *usage; /* K */
} Report;

static void
report_iteration (const TosstLearning *self, const TosstIteration *iteration, const Report *report)
{
  if (!report->func)
    return;
  for (size_t k = 0; k < (size_t)self->K; k++)
    report->usage[k] = tosst_learning_power (self, k);
  report->func (iteration, self->dictionary, report->usage, report->data);
}

/* One iteration: codes, then the dictionary. start: cold start of the codes. Progress is mapped to the current
 * range. */
static TosstStatus
exact_iteration (TosstLearning *self, bool start, TosstIteration *iteration)
{
  TosstRandom random;
  memset (self->stage, 0, sizeof self->stage);
  self->lap = tosst_context_seconds (self->context);
  TosstRange range = tosst_context_narrow (self->context, 0, 0.7);
  TosstStatus status = tosst_learning_code (self, !start, iteration);
  tosst_context_set_range (self->context, range);
  tosst_context_narrow (self->context, 0.7, 1);
  TOSST_THEN (status, tosst_learning_update_stats (self));
  TOSST_THEN (status, tosst_learning_update_dictionary (self, iteration));
  if (status == TOSST_OK)
    {
      tosst_learning_init_random (self, iteration->iteration, &random);
      status = tosst_learning_replace_unused (self, self->coder, &random, iteration);
    }
  tosst_context_set_range (self->context, range);
  tosst_learning_lap (self, TOSST_LEARN_REST);
  memcpy (iteration->stage, self->stage, sizeof self->stage);
  return status;
}

/* Stopping criterion. A large increase, possible with the gradient solver, does not stop. */
static bool
is_settled (const TosstLearnOptions *options, double before, double now)
{
  double fall = options->solver == TOSST_SOLVER_GRADIENT ? fabs (before - now) : before - now;
  return options->tolerance > 0 && isfinite (before) && fall < options->tolerance * fabs (before);
}

static void
report_state (const TosstLearning *self, int done, double objective)
{
  TosstLearnState state = { .dictionary = self->dictionary, .done = done, .objective = objective };
  if (self->stored)
    tosst_stored_parts (self->stored, state.part);
  else
    state.codes = self->codes;
  self->run.state (&state, self->run.state_data);
}

/* Iterates until the stopping criterion. last receives a copy of the dictionary after each complete iteration. */
static TosstStatus
iterate (TosstLearning *self, const Report *report, double start, TosstDictionary **last)
{
  const TosstLearnOptions *options = self->options;
  const TosstLearnRun *run = &self->run;
  double before = run->resume ? run->resume->objective : INFINITY, total = options->iterations - run->done;
  int first = run->done + 1;

  for (int i = first; i <= options->iterations; i++)
    {
      TosstIteration iteration = { .iteration = i };
      TosstRange range = tosst_context_narrow (self->context, (i - first) / total, (i - first + 1) / total);
      TosstStatus status = options->solver == TOSST_SOLVER_PQN ? tosst_pqn_iteration (self->stored, &iteration)
                           : options->solver == TOSST_SOLVER_GRADIENT
                               ? tosst_gradient_iteration (self->stored, &iteration)
                               : exact_iteration (self, i == first && !run->resume, &iteration);
      tosst_context_set_range (self->context, range);
      /* All ranks complete an iteration, or none. */
      TOSST_TRY (tosst_ranks_agree (run->ranks, status));
      iteration.seconds = tosst_context_seconds (self->context) - start;
      TOSST_TRY (tosst_learning_keep_dictionary (self, last));
      report_iteration (self, &iteration, report);
      if (is_settled (options, before, iteration.objective))
        break;
      before = iteration.objective;
      if (run->state && i < options->iterations)
        report_state (self, i, before);
    }
  return TOSST_OK;
}

TosstStatus
tosst_learning_restore (TosstLearning *self, const TosstLearnState *state)
{
  tosst_learning_restore_atoms (self, state->dictionary);
  if (self->options->solver != TOSST_SOLVER_EXACT)
    return TOSST_OK; /* codes are stored: see prepare_solver() */
  if (!state->codes)
    return tosst_context_fail (self->context, TOSST_ERROR_ARGUMENT,
                               "the saved state does not fit these options and tensors");
  memcpy (self->codes, state->codes, sizeof *self->codes * self->n * self->K);
  return TOSST_OK;
}

const char *
tosst_learn_settle (TosstLearnOptions *options, TosstLearnRun *run, const TosstLayout *layout, size_t n)
{
  const char *wrong = tosst_learn_options_check (options, n, layout->shape);
  wrong = wrong ? wrong : tosst_learn_run_check (run, options, n, layout->shape);
  if (run->resume)
    {
      run->initial = run->resume->dictionary;
      run->done = run->resume->done;
    }
  if (layout->shape.kind == TOSST_SHAPE_WHOLE)
    options->problem.gamma = INFINITY;
  /* beta = b . alpha >= 0: see update.c. */
  if (options->problem.nonnegative_beta && !isfinite (options->problem.gamma))
    options->problem.nonnegative_beta = options->problem.signed_alpha = options->signed_b = false;
  return wrong;
}

TosstStatus
tosst_learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
             const TosstLearnOptions *options, const TosstLearnRun *given, TosstIterationFunc func, void *user_data,
             TosstDictionary **dictionary)
{
  TOSST_REQUIRE (context, context && layout && options && dictionary && (tensors || n == 0));
  *dictionary = NULL;
  TosstLearnOptions own = *options;
  TosstLearnRun run = given ? *given : (TosstLearnRun){ 0 };
  size_t total = n;
  TosstStatus status = tosst_learning_start_ranks (context, run.ranks, &total);
  if (status != TOSST_OK)
    return status;
  TOSST_REFUSE (context, tosst_learn_settle (&own, &run, layout, total));
  TosstLearning self;
  Report report = { func, user_data, malloc (sizeof (double) * options->atoms) };
  if (!tosst_learning_init (&self, context, layout, tensors, n, &own, &run) || !report.usage)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to learn %d atoms from %zu tensors",
                                 options->atoms, n);
  status = tosst_learning_count (&self, status);
  TOSST_THEN (status, tosst_learning_update_Sxx (&self));
  if (status == TOSST_OK && run.resume)
    status = tosst_learning_restore (&self, run.resume);
  else if (status == TOSST_OK)
    status = tosst_learning_init_atoms (&self);
  double start = tosst_context_seconds (context);
  if (status == TOSST_OK && options->solver != TOSST_SOLVER_EXACT)
    {
      self.stored = tosst_stored_new (&self);
      status = self.stored ? tosst_stored_start (self.stored) : TOSST_ERROR_MEMORY;
    }
  TOSST_THEN (status, iterate (&self, &report, start, dictionary));
  status = tosst_learning_end_ranks (context, run.ranks, status);
  if (status != TOSST_OK && status != TOSST_CANCELLED)
    {
      tosst_dictionary_free (*dictionary);
      *dictionary = NULL;
    }
  tosst_stored_free (self.stored);
  tosst_learning_clear (&self);
  free (report.usage);
  return status;
}
