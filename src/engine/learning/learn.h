/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/context.h"
#include "engine/coding/coder.h"
#include "engine/dictionary/dictionary.h"
#include "engine/dictionary/project.h"

typedef enum
{
  TOSST_SOLVER_EXACT, /* closed forms and projections, minimising over beta */
  TOSST_SOLVER_PQN,   /* solver of the paper: PQN for B, projected gradient for b, bounded L-BFGS for alpha and beta */
  TOSST_SOLVER_GRADIENT, /* Algorithm 1 of the paper: fixed step length */
} TosstSolver;

/* Initial atoms. */
typedef enum
{
  TOSST_INIT_SLICES, /* projected slices of sampled tensors, as in Algorithm 1 */
  TOSST_INIT_RANDOM, /* independent of the tensors: dictionary/random.h */
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

/* State between iterations (with batches: between batches). Learning resumed from it (options->resume) with the same
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
  TosstInit init;                 /* used if initial is NULL */
  double eta;                     /* step of the gradient solver; 0: inverse of the largest initial curvature */
  bool signed_b;                  /* b_k in the l1 ball; else b_k >= 0 with sum <= 1 */
  const TosstDictionary *initial; /* initial atoms and scale, K atoms of the tensors' shape; borrowed; NULL: see init */
  int done;                       /* iterations before this run, counted in iterations */
  const TosstLearnState *resume;  /* borrowed, or NULL; overrides initial and done */
  TosstLearnStateFunc state;      /* or NULL */
  void *state_data;
} TosstLearnOptions;

void
tosst_learn_options_default (TosstLearnOptions *options); /* K = 200, psd, lambda 2e-3, gamma 1, 50, 1e-4, seed 1 */

/* Returns NULL if the options are valid for n tensors of the shape, else an error message (static). */
const char *tosst_learn_options_check (const TosstLearnOptions *options, size_t n, TosstShape shape);

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
 * Lassos for the first dictionary. func: called after each iteration, or NULL. *dictionary: newly allocated, owned
 * by the caller; after TOSST_CANCELLED the dictionary of the last complete iteration, or NULL. Peak memory besides
 * the tensors: tosst_learn_memory(). */
TosstStatus tosst_learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                         const TosstLearnOptions *options, TosstIterationFunc func, void *user_data,
                         TosstDictionary **dictionary);

/* Upper bound of the bytes allocated by tosst_learn(). */
size_t tosst_learn_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int threads);
