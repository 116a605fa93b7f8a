/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes of a few tensors while lambda and gamma change: what a slider moves. Codes of the last call are the starting
 * point of the next, and only what depends on what has changed is computed again.
 *
 * With F = I + V V' / gamma = L L', W = F^{-1} and U = L^{-1} V the problem of coding/coder.h has
 *     H_ij = (u_i . u_j) (b_i . b_j),   q_k = sum_s b_k^s v_k . W x^s.
 * V V' stays; L and q change with gamma and not with lambda. H is made for the atoms that enter codes and no others: what
 * certifies a code, q - H alpha over all K atoms, are products with W (x^s - V c^s), c^s = b^s . alpha, 2 K D S of them
 * however many atoms the code has. There is no table of K x m transformed atoms and none of K x K numbers, so that a new
 * gamma costs a Cholesky factor of side D and q, and then, as a new lambda does, a Lasso. With the second gamma the
 * eigenvectors of V V' are found (up to D = 1024), in whose basis W is diagonal: there it costs q. All in float64.
 *
 * With beta >= 0 the matrices of coding/nonnegative.h take their place, and alpha is where its steps start.
 */
#pragma once

#include "engine/coding/coder.h"

typedef struct TosstRecoding TosstRecoding;

/* Equation (5) of one tensor at its present code, beta at its minimum; tensors are in the dictionary's unit (divided by
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

/* tensors: n x m, unscaled packed entries, n >= 1; copied, as are dictionary and layout. Codes are zero until the first
 * tosst_recode(). options give signed_alpha and the tolerance, and the lambda and gamma that tosst_recode() is first
 * called with. TOSST_ERROR_ARGUMENT for options or shapes that make no sense, TOSST_ERROR_NUMERIC for tensors that are
 * not finite. */
TosstStatus tosst_recoding_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                                const TosstCodingOptions *options, const float *tensors, size_t n,
                                TosstRecoding **self);
void tosst_recoding_free (TosstRecoding *self);

/* Starts from codes that are already known, n x K; TOSST_ERROR_ARGUMENT unless they are finite, and >= 0 where alpha is
 * not signed. */
TosstStatus tosst_recoding_set_codes (TosstContext *context, TosstRecoding *self, const double *codes);

/* Codes for this lambda >= 0 and gamma > 0 (INFINITY allowed, and taken for whole atoms). report may be NULL; its
 * seconds_products are those that a new gamma took. When cancelled, codes are somewhere between the old and the new,
 * and the next call goes on from there. */
TosstStatus tosst_recode (TosstContext *context, TosstRecoding *self, double lambda, double gamma,
                          TosstCodingReport *report);

/* n x K, owned by self; changed by tosst_recode() only. */
const double *tosst_recoding_codes (const TosstRecoding *self);

/* What tensor i < n costs at its present code, for the last lambda and gamma. */
TosstStatus tosst_recoding_state (TosstContext *context, const TosstRecoding *self, size_t i,
                                  TosstRecodingState *state);

/* What is left of tensor i: residual is S x D, slice s as a vector (tensor/layout.h), in the dictionary's unit. Its
 * reconstruction is the slice less this, the error of slice s the norm of row s. tied: X^s - sum_k B_k b_k^s alpha_k,
 * what problem (3) reconstructs; else X^s - sum_k B_k beta_k^s with beta at its minimum, equation (5). The same for
 * gamma = infinity. */
TosstStatus tosst_recoding_residual (TosstContext *context, const TosstRecoding *self, size_t i, bool tied,
                                     double *residual);
