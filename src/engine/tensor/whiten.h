/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/context.h"
#include "engine/tensor/layout.h"

/* Equations (15)-(20) for each of n packed tensors (n x m float32), in place: with A the eigenvectors of the mode-1 unfolding's Gram matrix
 *     E = X x_1 A' x_2 A' x_3 A',   E <- sgn (E) |E|^gamma_eigen,   X <- E x_1 A x_2 A x_3 A,   X <- sgn (X) |X|^gamma_coefficient
 * entry by entry. Both exponents lie in (0, 1]; an exponent of 1 skips its step. Of symmetric matrices, A diag (e) A' with their
 * eigenvalues e, it is e <- sgn (e) |e|^gamma_eigen. The layout is super-symmetric or symmetric.
 *
 * The result does not depend on the signs of eigenvectors: |.|^gamma with its sign is odd. Where an eigenvalue is repeated, A is any basis of its
 * eigenspace and the core depends on which; tensors of images have distinct ones. Directions whose singular value (for a matrix: |e|) is below FLT_EPSILON times the
 * largest one hold nothing but the rounding of float32 entries, which a small exponent would blow up: they are left out. A zero tensor
 * stays zero.
 *
 * How exact: directions of small singular values depend on the last bits of the entries, and the exponent makes their part of the core large. The error
 * against the same steps in float64 is of the size of what half a unit in the last place of the float32 entries does to the answer in float64:
 * that is in the tensor, and more digits here would not help. Of 40 patches of an image (Brodatz D1, d = 35, exponent 0.5) it is 6e-6 to 9e-5 of the largest
 * entry, where rounding the entries does 7e-6 to 4e-4; rounding does most where singular values lie at the limit above, as it decides whether they are left out.
 *
 * A NaN or infinite entry is TOSST_ERROR_NUMERIC. When this fails or is cancelled some tensors are changed and others are not. */
TosstStatus tosst_whiten (TosstContext *context, const TosstLayout *layout, float *tensors, size_t n,
                          double gamma_eigen, double gamma_coefficient);
