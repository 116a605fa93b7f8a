/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Lasso of a code after minimisation over beta (section "Exact coding" of the method):
 *
 *     min_alpha  alpha' H alpha - 2 q' alpha + lambda ||alpha||_1,   alpha >= 0 or signed.
 *
 * With t = lambda / 2 and r = q - H alpha it is optimal when
 *     alpha_k > 0: r_k = t;   alpha_k < 0: r_k = -t;   alpha_k = 0: r_k <= t, and r_k >= -t if signed.
 * The largest violation of these is the KKT residual (of half the gradient) returned by a solve.
 */
#pragma once

#include "engine/simd/kernels.h"
#include "engine/simd/lasso.h"

/* Allocates a workspace for codes of K atoms and residuals of `rows` codes at a time. element: sizeof (float) or
 * sizeof (double). Returns NULL if out of memory. Pages are touched only as active sets need them. */
TosstLassoWork *tosst_lasso_work_new (int K, int rows, size_t element);
void tosst_lasso_work_free (TosstLassoWork *work);

/* Bytes of the workspace for active sets of at most `support` atoms. */
size_t tosst_lasso_work_bytes (int K, int rows, int support, size_t element);
