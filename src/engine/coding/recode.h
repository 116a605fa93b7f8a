/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes of a few tensors for changing lambda and gamma, as set by a slider. Each call starts from the previous codes
 * and recomputes only quantities that depend on the changed parameter.
 *
 * With F = I + V V' / gamma = L L', W = F^{-1} and U = L^{-1} V the problem of coding/coder.h has
 *     H_ij = (u_i . u_j) (b_i . b_j),   q_k = sum_s b_k^s v_k . W x^s.
 * V V' is constant; L and q depend on gamma and not on lambda. H is computed on the active atoms only. The
 * certificate q - H alpha over all K atoms is computed from W (x^s - V c^s), c^s = b^s . alpha, with 2 K D S
 * operations independent of the number of non-zeros. Since neither a K x m table of transformed atoms nor a K x K
 * matrix is needed, a new gamma costs a Cholesky factorisation of order D, q and a Lasso, a new lambda a Lasso. From
 * the second gamma on (up to D = 1024) the eigenvectors of V V' replace the factorisation: in their basis W is
 * diagonal. All in float64.
 *
 * With beta >= 0 the solver of coding/nonnegative.h is used, starting from the last alpha.
 */
#pragma once

#include "engine/coding/coder.h"

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
 * dictionary's, TOSST_ERROR_NUMERIC for tensors that are not finite. */
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

/* Reconstruction error of tensor i. residual: S x D, slice s as a vector (tensor/layout.h), in the dictionary's
 * unit. The reconstruction is the slice minus its residual. tied: X^s - sum_k B_k b_k^s alpha_k as in problem (3);
 * else X^s - sum_k B_k beta_k^s with beta at its minimum, equation (5). Both are equal for gamma = infinity. */
TosstStatus tosst_recoding_residual (TosstContext *context, const TosstRecoding *self, size_t i, bool tied,
                                     double *residual);
