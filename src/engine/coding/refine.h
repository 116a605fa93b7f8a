/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The end of a Lasso (coding/lasso.h) that float32 cannot solve to its tolerance: residuals computed in floats are wrong by
 * some 1e-7 of sum_j |H_kj alpha_j|, which is far above max |q| where large parts of a code cancel each other.
 */
#pragma once

#include <stdbool.h>

/* Improves alpha (K; read, and written with the best code that is found) until the KKT residual of half the gradient is at
 * most the tolerance, everything but alpha itself in float64. H: K x K symmetric, q: K, t = lambda / 2. *kkt receives the
 * residual of what alpha holds. The bits do not depend on other codes or on threads. A code whose every number is the
 * float nearest to its minimum is left at that: it violates at most H_kk ulp (alpha_k) / 2. false if out of memory. */
bool tosst_lasso_refine (const float *H, int K, const float *q, double t, bool is_signed, double tolerance,
                         float *alpha, double *kkt);
