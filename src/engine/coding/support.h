/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Supp (alpha) = {k : alpha_k != 0} and Theorem 2: a bound of the rank of the reconstructed tensor from its code.
 */
#pragma once

#include "engine/base/context.h"
#include "engine/dictionary/dictionary.h"

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
 * (tensor/rank.h): planes x d1 x d2. For super-symmetric tensors it is symmetric only as far as the code makes it
 * so. B: tosst_shape_atom_numbers() elements of scratch. */
void tosst_code_planes (const TosstDictionary *dictionary, const double *alpha, double *B, double *planes);
