/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes of tensors for a dictionary: equations (3) and (5).
 */
#pragma once

#include <stdbool.h>

#include "tosst/context.h"
#include "tosst/dictionary.h"
#include "tosst/tensor.h"

TOSST_BEGIN_DECLS

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

/* Sets these defaults. */
void tosst_problem_default (TosstProblem *problem);
/* Returns NULL if lambda and gamma are in range, else an error message (static). */
const char *tosst_problem_check (const TosstProblem *problem);

/* Codes alpha of equation (5) for a fixed dictionary, minimised over beta:
 *     min  alpha' H alpha - 2 q' alpha + lambda ||alpha||_1,  H = (V' W V) .* (b' b),  q_k = <sym ((W v_k) (x) b_k), X>
 * or with beta >= 0, which has no closed form, over alpha and beta together.
 *
 * With span instead the projection of a tensor onto the span of the atoms B_k (x) b_k, as K coordinates in an
 * orthonormal basis, that of Gram-Schmidt in the order of the atoms: inner products and norms of rows are those of
 * projections, but for a ridge of 1e-4 of the mean square norm of atoms. The problem has no effect then, and a report
 * has no certificate. */
typedef struct
{
  TosstProblem problem; /* gamma = INFINITY: W = I; beta >= 0: see coding/nonnegative.h */
  double tolerance;     /* target of the KKT residual, relative to max |2q| */
  bool span;            /* projections instead of codes */
  bool wide;            /* prepare for tosst_code_double(); tosst_code() then converts in each call */
  size_t memory;        /* upper bound in bytes, as counted by tosst_coder_memory(); 0: none. Does not affect codes */
} TosstCodingOptions;

void tosst_coding_options_default (TosstCodingOptions *options); /* lambda 2e-3, gamma 1, alpha >= 0, 1e-6 */
/* Returns NULL if the options are valid, else an error message (static). */
const char *tosst_coding_options_check (const TosstCodingOptions *options);

/* Statistics of a coding call. */
typedef struct
{
  /* Max over tensors of max_k |violation of optimality| / max |2q|; with beta >= 0 that of alpha and beta together /
   * max_{k,s} |2 v_k . x^s|, the largest gradient at alpha = beta = 0. As the solver measures it: that of tosst_code()
   * has the rounding of float32, some 1e-7 to 1e-6, and tosst_code_certificate() has not. */
  double worst_kkt;
  double mean_nonzeros;    /* this and worst_kkt are NaN with options.span */
  double seconds;          /* wall time */
  double seconds_products; /* wall time of the correlations Q (summed over threads / threads) */
} TosstCodingReport;

/* A dictionary prepared for coding: H and the transformed atoms. Immutable; several threads may use it. */
typedef struct TosstCoder TosstCoder;

/* Prepares a dictionary; dictionary and layout may be freed after this returns. Returns TOSST_ERROR_ARGUMENT for invalid
 * options, another shape, no atoms or an invalid scale, TOSST_ERROR_NUMERIC for atoms that are not finite, and
 * TOSST_ERROR_MEMORY if options->memory is too small. */
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

/* The same residual of each tensor at its code, computed in float64 throughout from the tensors and the dictionary.
 * Takes as long as the correlations of tosst_code_double(). kkt: n; NaN with beta >= 0 and finite gamma, where alpha
 * alone has none. */
TosstStatus tosst_code_certificate (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n,
                                    const double *codes, double *kkt);

/* Codes of a few tensors for changing lambda and gamma, as set by a slider. Each call starts from the previous codes
 * and recomputes only quantities that depend on the changed parameter.
 *
 * With F = I + V V' / gamma = L L', W = F^{-1} and U = L^{-1} V the problem of tosst/code.h has
 *     H_ij = (u_i . u_j) (b_i . b_j),   q_k = sum_s b_k^s v_k . W x^s.
 * V V' is constant; L and q depend on gamma and not on lambda. H is computed on the active atoms only. The
 * certificate q - H alpha over all K atoms is computed from W (x^s - V c^s), c^s = b^s . alpha, with 2 K D S
 * operations independent of the number of non-zeros. Since neither a K x m table of transformed atoms nor a K x K
 * matrix is needed, a new gamma costs a Cholesky factorisation of order D, q and a Lasso, a new lambda a Lasso. All in
 * float64, but for H.
 *
 * With beta >= 0 the solver of coding/nonnegative.h is used, starting from the last alpha. */

/* State of repeated coding of a few tensors. */
typedef struct TosstRecoding TosstRecoding;

/* Equation (5) of one tensor at its code, beta at its minimum; tensors are in the dictionary's unit (divided by
 * its scale). */
typedef struct
{
  double objective; /* fit + proximity + sparsity */
  double fit;       /* sum_s ||X^s - sum_k B_k beta_k^s||^2 */
  double proximity; /* gamma sum_s ||beta^s - b^s . alpha||^2; 0 for gamma = infinity */
  double sparsity;  /* lambda ||alpha||_1 */
  double kkt;       /* largest violation of optimality / max |2q| */
  size_t nonzeros;  /* |Supp (alpha)| */
} TosstRecodingState;

/* Allocates the state for n >= 1 tensors. tensors: n x m, unscaled packed entries; copied, as are dictionary and
 * layout. Codes are zero until the first tosst_recode(). options: the problem (lambda and gamma of the first
 * tosst_recode()) and the tolerance. Returns TOSST_ERROR_ARGUMENT for invalid options or a shape other than the
 * dictionary's, TOSST_ERROR_NUMERIC for tensors or atoms that are not finite. */
TosstStatus tosst_recoding_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                                const TosstCodingOptions *options, const float *tensors, size_t n,
                                TosstRecoding **self);
void tosst_recoding_free (TosstRecoding *self);

/* Sets the starting codes of the next tosst_recode(). codes: n x K. Returns TOSST_ERROR_ARGUMENT unless they are
 * finite, and >= 0 if alpha is not signed. */
TosstStatus tosst_recoding_set_codes (TosstContext *context, TosstRecoding *self, const double *codes);

/* Computes the codes for lambda >= 0 and gamma > 0 (INFINITY allowed, and always used for whole atoms). report may
 * be NULL; its seconds_products is the time spent on a new gamma. After TOSST_CANCELLED codes are intermediate
 * iterates, from which the next call starts. */
TosstStatus tosst_recode (TosstContext *context, TosstRecoding *self, double lambda, double gamma,
                          TosstCodingReport *report);

/* Returns the codes, n x K, owned by self; changed by tosst_recode() only. */
const double *tosst_recoding_codes (const TosstRecoding *self);

/* Objective and certificate of tensor i < n at its code, for the last lambda and gamma. */
TosstStatus tosst_recoding_state (TosstContext *context, const TosstRecoding *self, size_t i,
                                  TosstRecodingState *state);

/* Reconstruction error of tensor i. residual: S x D, slice s as a vector (tosst/tensor.h), in the dictionary's
 * unit. The reconstruction is the slice minus its residual. tied: X^s - sum_k B_k b_k^s alpha_k as in problem (3);
 * else X^s - sum_k B_k beta_k^s with beta at its minimum, equation (5). Both are equal for gamma = infinity. */
TosstStatus tosst_recoding_residual (TosstContext *context, const TosstRecoding *self, size_t i, bool tied,
                                     double *residual);

/* Supp (alpha) = {k : alpha_k != 0} and Theorem 2: a bound of the rank of the reconstructed tensor from its code. */

/* Computes rank (B_k) of all atoms: the number of eigenvalues (for general atoms singular values) whose magnitude
 * exceeds tolerance (> 0) times the largest of their atom; 0 for a zero atom; TRank for a whole atom, which is a
 * third-order tensor. ranks: K. */
TosstStatus tosst_atom_ranks (TosstContext *context, const TosstDictionary *dictionary, double tolerance, int *ranks);

/* Lists the indices k with alpha_k != 0, ascending. support: K, or NULL. Returns |Supp (alpha)|. */
int tosst_code_support (const double *alpha, int K, int *support);

/* Theorem 2. TRank (sum_k alpha_k B_k (x) b_k) <= sum_{k in Supp (alpha)} rank (B_k): every slice is the sum of
 * alpha_k b_k^s B_k, and ranks are subadditive. The rank of a slice is at most limit = min (d1, d2), so that the
 * smaller of the two is returned; *sum, unless NULL, receives the sum. */
int tosst_code_rank_bound (const double *alpha, const int *ranks, int K, int limit, long *sum);

/* Computes the tensor sum_k alpha_k scale (B_k (x) b_k), in the unit of the coded tensors, plane by plane
 * (tosst/tensor.h): planes x d1 x d2. For super-symmetric tensors it is symmetric only as far as the code makes it
 * so. B: tosst_shape_atom_numbers() elements of scratch. */
void tosst_code_planes (const TosstDictionary *dictionary, const double *alpha, double *B, double *planes);

/* Descriptors as vectors, without a dictionary: the baselines of section 6. Both functions write n x m float32, to
 * be pooled like codes. */

/* The uncompressed descriptor: its stored values times the square roots of their multiplicities, so that inner
 * products of rows equal those of tensors. layout: of a shape with one slice; whole for super-symmetric tensors. */
TosstStatus tosst_plain_raw (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                             float *out);

/* Log-Euclidean signature of positive semi-definite matrices: log (C + eps I), off-diagonals times sqrt 2, eps =
 * TOSST_LOG_FLOOR times the mean eigenvalue tr (C) / d, so that scaling C only adds a multiple of the identity.
 * layout: of shape symmetric. Returns TOSST_ERROR_NUMERIC for a matrix that is zero, not positive semi-definite
 * beyond rounding, or not finite. */
#define TOSST_LOG_FLOOR 1e-4
TosstStatus tosst_plain_log_euclidean (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                                       float *out);

/* A linear map of plain descriptors to K numbers, for comparison with codes: x -> x R, R of m x K, row-major. */
typedef struct
{
  size_t m;
  int K;
  float *rows;   /* R, owned; or NULL: drawn from the seed, block by block, in each call */
  uint64_t seed; /* of a random R */
} TosstLinear;

/* A zero map with stored rows; NULL without memory. */
TosstLinear *tosst_linear_new (size_t m, int K);
void tosst_linear_free (TosstLinear *self);

/* Gaussian random projection: independent normal entries of variance 1 / K, so that inner products are kept in the mean,
 * with a deviation of about |x| |y| sqrt (2 / K) (Johnson and Lindenstrauss). Row i depends on seed, i and, by its
 * scale, on K. R is stored if it takes `memory` bytes at most. */
TosstStatus tosst_linear_random (TosstContext *context, size_t m, int K, uint64_t seed, size_t memory,
                                 TosstLinear **linear);

/* The first K <= n principal components, without subtracting a mean, of n plain descriptors x (n x m), from the
 * eigenvectors U and eigenvalues L of their Gram matrix: R = x' U L^{-1/2}. With K = n inner products of x are kept.
 * Directions whose eigenvalue is rounding error have R = 0. */
TosstStatus tosst_linear_components (TosstContext *context, const float *x, size_t n, size_t m, int K,
                                     TosstLinear **linear);

/* Maps tensors (n x m, of a layout of tosst_plain_raw()) as plain descriptors; out: n x K. A row of the result does not
 * depend on the others. */
TosstStatus tosst_linear_map (TosstContext *context, const TosstLayout *layout, const TosstLinear *linear,
                              const float *tensors, size_t n, float *out);

TOSST_END_DECLS
