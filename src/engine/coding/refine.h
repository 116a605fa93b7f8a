/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Refinement of a Lasso (coding/lasso.h) that float32 cannot solve to its tolerance: residuals in float32 have
 * errors of about 1e-7 sum_j |H_kj alpha_j|, which by far exceeds max |q| if large parts of a code cancel.
 */
#pragma once

#include <stdbool.h>

/* Refines alpha (K; in and out: the best code found) until the KKT residual of half the gradient is at most the
 * tolerance, with everything but alpha itself in float64. H: K x K symmetric, q: K, t = lambda / 2. *kkt receives
 * the residual of the returned alpha. The bits do not depend on other codes or on threads. Ends early if every entry
 * is the float nearest to its coordinate-wise minimum: the violation is then at most H_kk ulp (alpha_k) / 2. Returns
 * false if out of memory. */
bool tosst_lasso_refine (const float *H, int K, const float *q, double t, bool is_signed, double tolerance,
                         float *alpha, double *kkt);
