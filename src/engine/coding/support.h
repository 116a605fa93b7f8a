/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Supp (alpha) = {k : alpha_k != 0} and Theorem 2: a bound of the rank of the reconstructed tensor from its code.
 */
#pragma once

#include "engine/base/context.h"
#include "engine/dictionary/dictionary.h"

/* rank (B_k) of all atoms: eigenvalues (of general atoms singular values) above tolerance (> 0) times the largest size
 * in their atom; 0 for an atom that is zero. Of a whole atom, which is a tensor itself, TRank. ranks: K. */
TosstStatus tosst_atom_ranks (TosstContext *context, const TosstDictionary *dictionary, double tolerance, int *ranks);

/* The indices k with alpha_k != 0, ascending, into support (K, or NULL). Returns |Supp (alpha)|. */
int tosst_code_support (const double *alpha, int K, int *support);

/* Theorem 2. TRank (sum_k alpha_k B_k (x) b_k) <= sum_{k in Supp (alpha)} rank (B_k): every slice is the sum of
 * alpha_k b_k^s B_k, and ranks are subadditive. No slice has a rank above limit = min (d1, d2), so that the smaller of
 * the two is returned; *sum, unless NULL, receives the sum. */
int tosst_code_rank_bound (const double *alpha, const int *ranks, int K, int limit, long *sum);

/* The tensor sum_k alpha_k scale (B_k (x) b_k), in the unit of the tensors that were coded, plane by plane
 * (tensor/rank.h): planes x d1 x d2. Of super-symmetric tensors it is so only as far as the code makes it. B:
 * tosst_shape_atom_numbers() of scratch. */
void tosst_code_planes (const TosstDictionary *dictionary, const double *alpha, double *B, double *planes);
