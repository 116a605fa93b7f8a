/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/context.h"
#include "engine/coding/problem.h"
#include "engine/dictionary/dictionary.h"
#include "engine/dictionary/project.h"

typedef enum
{
  TOSST_SOLVER_EXACT,    /* closed forms and projections, beta minimised out */
  TOSST_SOLVER_PQN,      /* the paper's: PQN for B, projected gradient for b, bounded L-BFGS for alpha and beta */
  TOSST_SOLVER_GRADIENT, /* the paper's Algorithm 1: steps of one length */
} TosstSolver;

/* Atoms that learning begins with. */
typedef enum
{
  TOSST_INIT_SLICES, /* projected slices of sampled tensors, as in Algorithm 1 */
  TOSST_INIT_RANDOM, /* they know nothing of the tensors: dictionary/random.h */
} TosstInit;

/* Memory of a learning as it is. */
typedef struct
{
  const void *data;
  size_t bytes;
} TosstLearnPart;

enum
{
  TOSST_LEARN_PARTS = 6
};

/* All that an iteration (of batches: a batch) hands to the next: who goes on from it as options->resume, with the same
 * options and tensors, comes to the same bits as who never stopped; with the paper's solvers on as many threads. For the
 * machine and the version that made it. Borrowed. */
typedef struct
{
  const TosstDictionary *dictionary;
  int done;                               /* iterations; of batches: batches */
  double objective;                       /* of the last of them; INFINITY: there is none yet */
  const float *codes;                     /* n x K, which the next ones start from; exact solver, not in batches */
  TosstLearnPart part[TOSST_LEARN_PARTS]; /* all others: what they remember; without bytes from some number on */
} TosstLearnState;

/* After each iteration or batch but the last, on the calling thread; state is valid during the call only. */
typedef void (*TosstLearnStateFunc) (const TosstLearnState *state, void *user_data);

/* How equation (5) is to be minimised. */
typedef struct
{
  int atoms; /* K >= 1 */
  TosstScheme scheme;
  int rank; /* R, low-rank only */
  TosstProblem problem;
  int iterations;   /* at most, those done before included */
  double tolerance; /* stop when the objective falls by less than this fraction in an iteration; 0: never */
  uint64_t seed;
  TosstSolver solver;
  TosstInit init; /* without initial */
  double eta;     /* step of the gradient solver; 0: the inverse of the largest curvature at the start */
  bool signed_b;  /* b_k in the l1 ball, else in the simplex part b >= 0 */
  const TosstDictionary *initial; /* atoms and scale to go on from (K of them, the same shape), borrowed; NULL: as init
                                     says */
  int done;                       /* iterations before this run, part of all that are asked for */
  const TosstLearnState *resume;  /* borrowed; NULL: none. Takes the place of initial and done */
  TosstLearnStateFunc state;      /* or NULL */
  void *state_data;
} TosstLearnOptions;

void
tosst_learn_options_default (TosstLearnOptions *options); /* K = 200, psd, lambda 2e-3, gamma 1, 50, 1e-4, seed 1 */

/* NULL if the options make sense for n tensors of a shape, else one sentence (static). */
const char *tosst_learn_options_check (const TosstLearnOptions *options, size_t n, TosstShape shape);

/* Where the seconds of an iteration went. */
typedef enum
{
  TOSST_LEARN_SETUP,    /* a coder for the dictionary: reduction, H, transformed atoms */
  TOSST_LEARN_PRODUCTS, /* Q = A~'X, on average over threads */
  TOSST_LEARN_LASSOS,   /* the codes, other solvers' too */
  TOSST_LEARN_Y,        /* Y = X alpha' */
  TOSST_LEARN_P,        /* P = alpha alpha' */
  TOSST_LEARN_SUMS,     /* A and the residuals of all slices, from Y, P and Sxx */
  TOSST_LEARN_B,        /* all B_k: eigenproblems and the products between */
  TOSST_LEARN_W,        /* W V and V'WV after them */
  TOSST_LEARN_b,        /* all b_k */
  TOSST_LEARN_REST,     /* the objective, unused atoms */
  TOSST_LEARN_STAGES,
} TosstLearnStage;

/* One line of the trace. The objective is the sum over all tensors of equation (5), tensors divided by the
 * dictionary's scale; objective = fit + proximity + sparsity. */
typedef struct
{
  int iteration;  /* done + 1, done + 2, ... */
  double seconds; /* since the start, pauses left out */
  double objective, fit, proximity, sparsity;
  double mean_nonzeros; /* of a code */
  int unused_atoms;     /* in no code; the exact solver has replaced them */
  double
      worst_kkt; /* largest KKT residual of a code / max |2q|; of alpha and beta together / max |2 V'x^s| for others */
  double stage[TOSST_LEARN_STAGES]; /* seconds; zero for the paper's solvers */
} TosstIteration;

/* After each iteration, on the calling thread. dictionary and usage (K: sum_n alpha_k^n squared) are valid during the
 * call only. */
typedef void (*TosstIterationFunc) (const TosstIteration *iteration, const TosstDictionary *dictionary,
                                    const double *usage, void *user_data);

/* Learns K atoms from n packed tensors (n x m float32, layout's m). The exact block scheme never stores beta, and the
 * objective never increases; nor does it with pqn, while with gradient it may, and a run that diverges is
 * TOSST_ERROR_NUMERIC. The other two store alpha and beta, n (S + 1) K float64, and start both from Lassos for the first
 * dictionary. *dictionary is new and the caller's. When cancelled it is the dictionary of the last whole
 * iteration, or NULL if there was none. Peak memory beside the tensors: tosst_learn_memory(). */
TosstStatus tosst_learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                         const TosstLearnOptions *options, TosstIterationFunc func, void *user_data,
                         TosstDictionary **dictionary);

/* Bytes that tosst_learn() allocates at most. */
size_t tosst_learn_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int threads);
