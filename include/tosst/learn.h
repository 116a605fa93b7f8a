/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning of dictionaries: equations (2) and (5).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tosst/code.h"
#include "tosst/context.h"
#include "tosst/dictionary.h"
#include "tosst/ranks.h"
#include "tosst/tensor.h"

TOSST_BEGIN_DECLS

/* Algorithms that minimise equation (5). */
typedef enum
{
  TOSST_SOLVER_EXACT, /* closed forms and projections, minimising over beta */
  TOSST_SOLVER_PQN,   /* solver of the paper: PQN for B, projected gradient for b, bounded L-BFGS for alpha and beta */
  TOSST_SOLVER_GRADIENT, /* Algorithm 1 of the paper: fixed step length */
} TosstSolver;

/* Initial atoms. */
typedef enum
{
  /* Projected slices of sampled tensors, as in Algorithm 1: one of each tensor; of fewer tensors than atoms different
   * slices, equally many of each. */
  TOSST_INIT_SLICES,
  TOSST_INIT_RANDOM, /* independent of the tensors: tosst/dictionary.h */
} TosstInit;

/* A borrowed block of the solver's state. */
typedef struct
{
  const void *data;
  size_t bytes;
} TosstLearnPart;

enum
{
  TOSST_LEARN_PARTS = 6
};

/* State between iterations (with batches: between batches). Learning resumed from it (run->resume) with the same
 * options and tensors gives the same bits as an uninterrupted run; with the paper's solvers on the same number of
 * threads. Valid for the machine and version that wrote it. All pointers are borrowed. */
typedef struct
{
  const TosstDictionary *dictionary;
  int done;           /* iterations (batches) so far */
  double objective;   /* after the last of these; INFINITY before the first */
  const float *codes; /* n x K, warm start of the next coding; exact solver without batches, else NULL */
  TosstLearnPart part[TOSST_LEARN_PARTS]; /* state of the other solvers; unused parts have bytes = 0 */
} TosstLearnState;

/* Called after each iteration or batch except the last, on the calling thread; state is valid during the call only. */
typedef void (*TosstLearnStateFunc) (const TosstLearnState *state, void *user_data);

/* Called after each batch, on the calling thread; batches: number of batches so far, resumed ones included.
 * dictionary is valid during the call only. */
typedef void (*TosstBatchFunc) (size_t batches, const TosstDictionary *dictionary, void *user_data);

/* One run of learning, as distinct from the problem: where it starts, what is saved, and which processes take part. All zero, or
 * NULL instead of the whole: from the beginning to the end, nothing saved, alone. Dictionaries and states are borrowed
 * during the call. */
typedef struct
{
  const TosstDictionary *initial; /* initial atoms and scale, K atoms of the tensors' shape; NULL: see options->init */
  int done;                       /* iterations before this run, counted in options->iterations */
  size_t batches_done;            /* batches before this run, by tosst_learn_minibatch(); 0: those of `done` epochs */
  const TosstLearnState *resume;  /* or NULL; overrides the three above */
  TosstLearnStateFunc state;      /* or NULL; called with state_data */
  void *state_data;
  TosstBatchFunc batch; /* by tosst_learn_minibatch(), with the user_data of the call, or NULL */
  /* Ranks that learn together, each from tensors of its own, or NULL; the exact solver with free beta only. All make
   * the same calls with the same options, threads and kind of processor, and get the same dictionary, reports and
   * status. The tensors of all ranks follow each other in the order of ranks. Saved states have the codes of the own
   * tensors, those of batches no parts. */
  TosstRanks *ranks;
} TosstLearnRun;

/* Problem and algorithm of dictionary learning, equation (5). */
typedef struct
{
  int atoms; /* K >= 1 */
  TosstScheme scheme;
  int rank; /* R, low-rank only */
  TosstProblem problem;
  int iterations;   /* maximum number, including those before a resumed run */
  double tolerance; /* stops when an iteration lowers the objective by less than this fraction; 0: never */
  uint64_t seed;
  TosstSolver solver;
  TosstInit init; /* used unless the run has initial atoms */
  double eta;     /* step of the gradient solver; 0: inverse of the largest initial curvature */
  /* tosst_learn() with the exact solver and free beta: if Y and four K x K matrices take more bytes, they are not
   * stored, which takes more time and gives other roundings. 0: 4 GiB. */
  size_t most_sums;
  bool signed_b; /* b_k in the l1 ball; else b_k >= 0 with sum <= 1 */
} TosstLearnOptions;

void
tosst_learn_options_default (TosstLearnOptions *options); /* K = 200, psd, lambda 2e-3, gamma 1, 50, 1e-4, seed 1 */

/* Sets the options to code with a dictionary learned with `learned`: its problem, else the defaults. Codes are then those
 * that minimise equation (5) as learning does. */
void tosst_learn_coding_options (const TosstLearnOptions *learned, TosstCodingOptions *options);

/* Returns NULL if the options are valid for n tensors of the shape, else an error message (static). There may be as
 * many atoms as the tensors have slices, n S. */
const char *tosst_learn_options_check (const TosstLearnOptions *options, size_t n, TosstShape shape);

/* Returns NULL if the run is valid with these (valid) options for n tensors of the shape, of all ranks, else an error
 * message (static). run: or NULL. */
const char *tosst_learn_run_check (const TosstLearnRun *run, const TosstLearnOptions *options, size_t n,
                                   TosstShape shape);

/* Stages of an iteration, for timing. */
typedef enum
{
  TOSST_LEARN_SETUP,    /* a coder for the dictionary: reduction, H, transformed atoms */
  TOSST_LEARN_PRODUCTS, /* Q = A~'X, on average over threads */
  TOSST_LEARN_LASSOS,   /* computation of codes, by all solvers */
  TOSST_LEARN_Y,        /* Y = X alpha' */
  TOSST_LEARN_P,        /* P = alpha alpha' */
  TOSST_LEARN_SUMS,     /* A and the residuals of all slices, from Y, P and Sxx */
  TOSST_LEARN_B,        /* all B_k: eigenproblems and the products between them */
  TOSST_LEARN_W,        /* W V and V'WV after the update of B_k */
  TOSST_LEARN_b,        /* all b_k */
  TOSST_LEARN_REST,     /* objective, unused atoms */
  TOSST_LEARN_STAGES,
} TosstLearnStage;

/* One row of the trace. The objective is the sum over all tensors of equation (5), tensors divided by the
 * dictionary's scale; objective = fit + proximity + sparsity. */
typedef struct
{
  int iteration;  /* done + 1, done + 2, ... */
  double seconds; /* since the start, excluding pauses */
  double objective, fit, proximity, sparsity;
  double mean_nonzeros; /* mean over codes */
  int unused_atoms;     /* atoms in no code; the exact solver replaces them */
  double
      worst_kkt; /* largest KKT residual of a code / max |2q|; of alpha and beta together / max |2 V'x^s| for others */
  double stage[TOSST_LEARN_STAGES]; /* seconds; zero for the paper's solvers */
} TosstIteration;

/* Called after each iteration, on the calling thread. dictionary and usage (K: sum_n alpha_k^n squared) are valid
 * during the call only. */
typedef void (*TosstIterationFunc) (const TosstIteration *iteration, const TosstDictionary *dictionary,
                                    const double *usage, void *user_data);

/* Learns K atoms from n packed tensors by minimising equation (5). tensors: n x m float32, m of the layout. With the
 * exact and pqn solvers the objective never increases; with gradient it may, and divergence is TOSST_ERROR_NUMERIC.
 * The exact solver does not store beta; the other two store alpha and beta (n (S + 1) K float64), initialised by
 * Lassos for the first dictionary. run: or NULL. func: called after each iteration, or NULL. *dictionary: newly allocated, owned
 * by the caller; after TOSST_CANCELLED the dictionary of the last complete iteration, or NULL. Peak memory besides
 * the tensors: tosst_learn_memory(). */
TosstStatus tosst_learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                         const TosstLearnOptions *options, const TosstLearnRun *run, TosstIterationFunc func,
                         void *user_data, TosstDictionary **dictionary);

/* Upper bound of the bytes allocated by tosst_learn(). n: of this rank; ranks: their number, 0 for a process alone. */
size_t tosst_learn_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int ranks,
                           int threads);

/* Tensors read in blocks instead of stored in memory: rows of a file, or computed on demand. */

/* Writes tensors first .. first + count - 1 to out (count x m float32, unscaled packed entries). Repeated reads of a
 * row give the same values. Called on the thread that made the engine call, never concurrently, and outside parallel
 * loops of the engine, so it may use the same context. A status other than TOSST_OK ends the engine call and is
 * returned. */
typedef TosstStatus (*TosstTensorSource) (size_t first, size_t count, float *out, void *user_data);

/* Tensors that are read in blocks. */
typedef struct
{
  TosstTensorSource read;
  void *user_data;
  size_t n; /* number of tensors */
} TosstStream;

/* Computes the RMS norm of a tensor, sqrt (sum_n ||X_n||_F^2 / n), by which tensors are divided before coding;
 * squares is the sum. Returns TOSST_ERROR_NUMERIC if all tensors are zero, or the norm is outside the range of a
 * dictionary's scale. */
TosstStatus tosst_tensor_scale (TosstContext *context, double squares, size_t n, double *scale);
/* tosst_tensor_scale() for a stream, read once in order. Also fails for NaN and infinity. */
TosstStatus tosst_stream_scale (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                double *scale);

/* Sum of ||X_n||_F^2 over tensors first .. end - 1, of which tosst_stream_scale() makes the scale. */
TosstStatus tosst_stream_squares (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                  size_t first, size_t end, double *squares);

/* Partition of a stream into batches, in a new random order for each epoch. Runs of neighbouring rows are shuffled:
 * long enough for sequential read speed, short enough that every batch has rows from many places. No list of rows is
 * stored. */
typedef struct
{
  size_t n;   /* number of tensors */
  size_t run; /* tensors per run; the last one may be shorter */
  size_t runs;
  size_t batches; /* batches per epoch */
  size_t most;    /* maximum number of tensors per batch */
  uint64_t seed;
} TosstBatches;

/* Divides n tensors of m stored values into batches of at most `batch` tensors, in the orders given by the seed. */
void tosst_batches_init (TosstBatches *self, size_t n, size_t m, size_t batch, uint64_t seed);
/* Reads batch number step (0, 1, ...; an epoch has `batches` batches and contains every tensor once) to out, rows
 * ascending; *count receives the number of tensors. order: most / run elements, scratch. */
TosstStatus tosst_batches_read (const TosstBatches *self, const TosstStream *stream, size_t m, size_t step,
                                size_t *order, float *out, size_t *count);

/* The part number index of `parts` parts of the batch, in order. */
TosstStatus tosst_batches_read_part (const TosstBatches *self, const TosstStream *stream, size_t m, size_t step,
                                     int index, int parts, size_t *order, float *out, size_t *count);

/* Learning from more tensors than fit into memory: online dictionary learning (Mairal, Bach, Ponce & Sapiro 2010) on
 * equation (5). Batch t = 1, 2, ... is coded with the current dictionary; the sums Y, P, Sxx and ||alpha||_1 of
 * earlier batches are multiplied by keep_t = (1 - 1/t)^rho and the sums of the batch are added, so that batch s has
 * weight (s/t)^rho at time t; the exact block updates then use these sums. rho = 0 weights all batches equally, rho
 * = INFINITY uses the current batch only. */

/* How tosst_learn_minibatch() divides and weights a stream. */
typedef struct
{
  size_t batch;      /* maximum number of tensors per batch, with at least K slices in total */
  double forgetting; /* rho >= 0; INFINITY allowed */
} TosstMinibatchOptions;

void tosst_minibatch_options_default (TosstMinibatchOptions *options); /* 4096 tensors, rho 10 */

/* Returns NULL if both are valid together, else an error message (static). */
const char *tosst_minibatch_check (const TosstMinibatchOptions *options, const TosstLearnOptions *learn,
                                   TosstShape shape);

/* tosst_learn() by batches. An iteration is an epoch: every tensor once, in a random order determined by the seed.
 * func receives equation (5) of each tensor for the dictionary before the update with its batch, summed over the
 * epoch. Since the dictionary improves during the epoch, this estimates the objective of tosst_learn() from above;
 * the tolerance applies to it. tosst_learn_evaluate() computes the objective itself.
 *
 * The scale is computed first, by an additional pass over the stream, unless there is an initial dictionary. A
 * resumed run (run->initial with run->done or batches_done) first recomputes the sums, which are not stored
 * in files, by coding those of its last batches (at most an epoch) that have a significant weight, with the
 * dictionary fixed.
 *
 * With run->ranks every rank has the stream of all tensors, and reads and codes a part of each batch.
 *
 * After TOSST_CANCELLED *dictionary is that of the last complete batch, or NULL. Memory does not depend on the
 * stream's length: tosst_minibatch_memory(). */
TosstStatus tosst_learn_minibatch (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                   const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch,
                                   const TosstLearnRun *run, TosstIterationFunc func, void *user_data,
                                   TosstDictionary **dictionary);

/* Upper bound of the bytes allocated by tosst_learn_minibatch() and tosst_learn_evaluate(), batches of tensors
 * included. ranks: as of tosst_learn_memory(). */
size_t tosst_minibatch_memory (const TosstLayout *layout, const TosstLearnOptions *options,
                               const TosstMinibatchOptions *minibatch, int ranks, int threads);

/* Sum of equation (5) over all tensors of a stream for a fixed dictionary, coded in blocks of minibatch->batch tensors.
 * ranks: that call it together, each with the stream of all tensors, or NULL. result receives objective, fit, proximity, sparsity, mean_nonzeros, worst_kkt and seconds. */
TosstStatus tosst_learn_evaluate (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                  const TosstDictionary *dictionary, const TosstLearnOptions *options,
                                  const TosstMinibatchOptions *minibatch, TosstRanks *ranks, TosstIteration *result);

/* Learning by single blocks, with undo: the blocks of an iteration of the exact solver of tosst_learn(), in the same
 * order and with the same bits, and the objective after every block. */

/* Blocks of an iteration. */
typedef enum
{
  TOSST_STEP_CODES,  /* all codes, minimised over beta, for the current atoms */
  TOSST_STEP_B,      /* all B_k in sequence with beta fixed; then beta is minimised */
  TOSST_STEP_b,      /* all b_k, minimised over beta */
  TOSST_STEP_BOTH,   /* all B_k and b_k: with beta >= 0 */
  TOSST_STEP_UNUSED, /* unused atoms are replaced by slices of badly reconstructed tensors */
  TOSST_STEP_ONE_B,  /* one B_k with beta fixed; all of them and TOSST_STEP_BETA equal TOSST_STEP_B bit by bit */
  TOSST_STEP_BETA,   /* minimises beta; absent for gamma = infinity, replaced by TOSST_STEP_b for beta >= 0 */
} TosstStepKind;

/* A block of learning, before or after it has run. */
typedef struct
{
  TosstStepKind kind;
  int iteration;     /* from 1 */
  int round, rounds; /* of B and b since the last coding, from 1; 0 for other kinds */
  int atom;          /* from 1: the updated B_k, or the first of the remaining ones after single updates; else 0 */
  bool ends;         /* last block of its iteration */
  TosstIteration before, after; /* objective, its parts and statistics of the codes; after a whole iteration `after`
                                 * equals the report of tosst_learn() except for seconds */
} TosstStep;

/* Dictionary learning that runs block by block and can be undone. */
typedef struct TosstStepper TosstStepper;

/* Creates a stepper before the first block of learning from n tensors (n x m, borrowed), with run->resume after
 * its iterations. Of the run only its start is used; it may be NULL. history: upper bound in bytes of the undo history. Returns TOSST_ERROR_ARGUMENT for solvers other
 * than the exact one. */
TosstStatus tosst_stepper_new (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                               const TosstLearnOptions *options, const TosstLearnRun *run, size_t history,
                               TosstStepper **stepper);
void tosst_stepper_free (TosstStepper *self);

/* Describes the next block: kind, iteration, round and rounds; before is the current objective. */
void tosst_stepper_peek (const TosstStepper *self, TosstStep *next);
/* Runs the next block. On an error or cancellation the state is unchanged. */
TosstStatus tosst_stepper_step (TosstStepper *self, TosstContext *context, TosstStep *done);
/* Sets whether each B_k is a block of its own (default: all are one block). If switched off during a pass over them the
 * remaining ones are one block. */
void tosst_stepper_set_single (TosstStepper *self, bool single);
/* Undoes the last block. Returns false if the history is empty. Repeating the block gives the same bits. */
bool tosst_stepper_back (TosstStepper *self, TosstStep *undone);

int tosst_stepper_undo_depth (const TosstStepper *self); /* number of blocks that can be undone */
bool
tosst_stepper_is_truncated (const TosstStepper *self); /* old blocks were dropped from the history for lack of space */

/* Current atoms, owned by the stepper and valid until the next call that changes it. usage: K, sum_n (alpha_k^n)^2. */
const TosstDictionary *tosst_stepper_dictionary (const TosstStepper *self);
void tosst_stepper_usage (const TosstStepper *self, double *usage);

TOSST_END_DECLS
