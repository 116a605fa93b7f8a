/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/dictionary/dictionary.h"

/* Parameters of equation (5) shared by learning and coding: with equal parameters codes solve the problem for which
 * the dictionary was learned. */

typedef struct
{
  double lambda;         /* sparsity, >= 0, once per tensor */
  double gamma;          /* proximity, > 0; INFINITY: problem (3), beta = b . alpha; always for whole atoms */
  bool signed_alpha;     /* codes may be negative; else alpha >= 0 */
  bool nonnegative_beta; /* beta >= 0; else free */
} TosstProblem;

/* lambda 2e-3, gamma 1, alpha >= 0, beta free. */
#define TOSST_PROBLEM_DEFAULT ((TosstProblem){ .lambda = 2e-3, .gamma = 1 })

/* Returns NULL if lambda and gamma are in range, else an error message (static). */
const char *tosst_problem_check (const TosstProblem *problem);

/* Codes alpha of equation (5) for a fixed dictionary, minimised over beta:
 *     min  alpha' H alpha - 2 q' alpha + lambda ||alpha||_1,  H = (V' W V) .* (b' b),  q_k = <sym ((W v_k) (x) b_k), X>
 * or with beta >= 0, which has no closed form, over alpha and beta together. */
typedef struct
{
  TosstProblem problem; /* gamma = INFINITY: W = I; beta >= 0: see coding/nonnegative.h */
  double tolerance;     /* target of the KKT residual, relative to max |2q| */
  bool wide;            /* prepare for tosst_code_double(); tosst_code() then converts in each call */
  size_t memory;        /* upper bound in bytes, as counted by tosst_coder_memory(); 0: none. Does not affect codes */
} TosstCodingOptions;

void tosst_coding_options_default (TosstCodingOptions *options); /* lambda 2e-3, gamma 1, alpha >= 0, 1e-6 */
/* Returns NULL if the options are valid, else an error message (static). */
const char *tosst_coding_options_check (const TosstCodingOptions *options);

/* Statistics of a coding call. */
typedef struct
{
  double worst_kkt; /* max over tensors of max_k |violation of optimality| / max |2q|; with beta >= 0 that of alpha and
                            * beta together / max_{k,s} |2 v_k . x^s|, the largest gradient at alpha = beta = 0 */
  double mean_nonzeros;
  double seconds;          /* wall time */
  double seconds_products; /* wall time of the correlations Q (summed over threads / threads) */
} TosstCodingReport;

/* A dictionary prepared for coding: H and the transformed atoms. Immutable; several threads may use it. */
typedef struct TosstCoder TosstCoder;

/* Prepares a dictionary; dictionary and layout may be freed after this returns. Returns TOSST_ERROR_MEMORY if
 * options->memory is too small. */
TosstStatus tosst_coder_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                             const TosstCodingOptions *options, TosstCoder **coder);
void tosst_coder_free (TosstCoder *coder);

/* Upper bound of the bytes used by tosst_coder_new() and coding on `threads` threads. If storing all transformed
 * atoms exceeds options->memory, they are recomputed for every few thousand tensors (free beta only); the result
 * exceeds options->memory if that is not sufficient. Solver matrices, whose touched size grows with the support, are
 * counted for up to 4096 non-zeros. Coding in the other precision than options->wide takes more. */
size_t tosst_coder_memory (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads);
double tosst_coder_setup_seconds (const TosstCoder *coder);

/* Computes the codes of n tensors. tensors: n x m, unscaled packed entries (the coder divides by the dictionary's
 * scale). codes: n x K, written; with warm also read as starting points. report may be NULL. After TOSST_CANCELLED
 * codes are partly written. tosst_code_double() computes in float64 throughout. */
TosstStatus tosst_code (TosstContext *context, const TosstCoder *coder, const float *tensors, size_t n, bool warm,
                        float *codes, TosstCodingReport *report);
TosstStatus tosst_code_double (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n,
                               bool warm, double *codes, TosstCodingReport *report);

/* Equation (5) of each tensor at its code, beta at its minimum, evaluated from the residuals in float64 (no
 * cancellation). objective: n. parts: n x 3 (fit, proximity, sparsity) or NULL. INFINITY if no beta >= 0 is feasible
 * for the code (gamma = INFINITY). */
TosstStatus tosst_code_objective (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n,
                                  const double *codes, double *objective, double *parts);
