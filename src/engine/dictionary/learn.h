/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "dictionary/dictionary.h"
#include "dictionary/project.h"

/* How equation (5) is to be minimised. */
typedef struct
{
  int atoms; /* K >= 1 */
  TosstScheme scheme;
  int rank;         /* R, low-rank only */
  double lambda;    /* >= 0, once per tensor */
  double gamma;     /* > 0, INFINITY is problem (3) */
  int iterations;   /* at most */
  double tolerance; /* stop when the objective falls by less than this fraction in an iteration; 0: never */
  uint64_t seed;
  bool signed_b;                  /* b_k in the l1 ball, else in the simplex part b >= 0 */
  const TosstDictionary *initial; /* atoms to go on from (K of them, the same side), borrowed; NULL: sampled slices */
} TosstLearnOptions;

void
tosst_learn_options_default (TosstLearnOptions *options); /* K = 200, psd, lambda 2e-3, gamma 1, 50, 1e-4, seed 1 */

/* NULL if the options make sense for n tensors of side d, else one sentence (static). */
const char *tosst_learn_options_check (const TosstLearnOptions *options, size_t n, int d);

/* One line of the trace. The objective is the sum over all tensors of equation (5), tensors divided by the
 * dictionary's scale; objective = fit + proximity + sparsity. */
typedef struct
{
  int iteration;  /* 1, 2, ... */
  double seconds; /* since the start, pauses left out */
  double objective, fit, proximity, sparsity;
  double mean_nonzeros; /* of a code */
  int unused_atoms;     /* replaced in this iteration */
  double worst_kkt;     /* largest KKT residual of a code / max |2q| */
} TosstIteration;

/* After each iteration, on the calling thread. dictionary and usage (K: sum_n alpha_k^n squared) are valid during the
 * call only. */
typedef void (*TosstIterationFunc) (const TosstIteration *iteration, const TosstDictionary *dictionary,
                                    const double *usage, void *user_data);

/* Learns K atoms from n packed tensors (n x m float32, layout's m), the exact block scheme: never stores beta, the
 * objective never increases. *dictionary is new and the caller's. When cancelled it is the dictionary of the last whole
 * iteration, or NULL if there was none. Peak memory beside the tensors: tosst_learn_memory(). */
TosstStatus tosst_learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                         const TosstLearnOptions *options, TosstIterationFunc func, void *user_data,
                         TosstDictionary **dictionary);

/* Bytes that tosst_learn() allocates at most. */
size_t tosst_learn_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int threads);
