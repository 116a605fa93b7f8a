/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/context.h"
#include "engine/tensor/layout.h"

/* Equations (15)-(20) for each of n packed tensors (n x m float32), in place. With A the eigenvectors of the mode-1
 * unfolding's Gram matrix
 *     E = X x_1 A' x_2 A' x_3 A',   E <- sgn (E) |E|^gamma_eigen,   X <- E x_1 A x_2 A x_3 A,   X <- sgn (X) |X|^gamma_coefficient
 * entry by entry. Both exponents are in (0, 1]; an exponent of 1 skips its step. For symmetric matrices A diag (e)
 * A' with eigenvalues e, the core step is e <- sgn (e) |e|^gamma_eigen. The layout is super-symmetric or symmetric.
 *
 * The result does not depend on the signs of eigenvectors, since sgn (.) |.|^gamma is odd. For a repeated eigenvalue
 * A is an arbitrary basis of its eigenspace and the core depends on that choice; tensors of images have distinct
 * eigenvalues. Directions whose singular value (for a matrix: |e|) is below FLT_EPSILON times the largest one
 * contain only the rounding of float32 entries, which a small exponent would amplify, and are set to zero. A zero
 * tensor remains zero.
 *
 * Accuracy: directions of small singular values depend on the last bits of the entries, and the exponent amplifies
 * their part of the core. The error relative to the same steps in float64 is of the order of the effect that
 * rounding the float32 entries by half a unit in the last place has on the float64 result, so that higher precision
 * would not reduce it. For 40 patches of an image (Brodatz D1, d = 35, exponent 0.5) it is 6e-6 to 9e-5 of the
 * largest entry, where rounding the entries causes 7e-6 to 4e-4; the effect is largest for singular values near the
 * limit above, where rounding decides whether a direction is set to zero.
 *
 * Returns TOSST_ERROR_NUMERIC for a NaN or infinite entry. On failure or cancellation part of the tensors is
 * changed. */
TosstStatus tosst_whiten (TosstContext *context, const TosstLayout *layout, float *tensors, size_t n,
                          double gamma_eigen, double gamma_coefficient);
