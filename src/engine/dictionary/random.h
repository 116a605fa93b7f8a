/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random atoms: initial atoms that do not depend on the data, and
 * those of the random dictionary of section 6.5, which have the distribution of learned atoms.
 */
#pragma once

#include "engine/base/context.h"
#include "engine/base/random.h"
#include "engine/dictionary/dictionary.h"
#include "engine/dictionary/project.h"

/* Draws one atom independent of the data: v (D) is standard normal, isotropic in the Frobenius norm, then projected
 * onto the set and scaled to its boundary; b (S) is uniform on the simplex of sum 1, with signed_b each number with a
 * sign of even chances. False after 100 draws whose projection is zero. work: tosst_atom_set_work() doubles. */
bool tosst_random_atom (const TosstAtomSet *set, bool signed_b, TosstRandom *random, double *v, double *b,
                        double *work);

/* The Gaussian that has the mean and the covariance of z_k = (vec B_k, b_k), k = 1..K, of a learned dictionary: B and b
 * together, as what an atom is and where it occurs belong together. The covariance, sum_k (z_k - mean) (z_k - mean)' /
 * (K - 1), has rank K - 1 at most and is kept as its K factors. */
typedef struct TosstAtomDistribution TosstAtomDistribution;

/* The dictionary may be freed after this returns. NULL if out of memory. */
TosstAtomDistribution *tosst_atom_distribution_new (const TosstDictionary *learned);
void tosst_atom_distribution_free (TosstAtomDistribution *self);

/* One draw, as it comes: v (D) and b (S) satisfy no constraint. work: K doubles. */
void tosst_atom_distribution_draw (const TosstAtomDistribution *self, TosstRandom *random, double *v, double *b,
                                   double *work);

/* The random dictionary: K atoms of that distribution, each B projected onto the set (Euclidean, like the updates of
 * learning) and each b onto the l1 ball, without signed_b onto its part b >= 0; drawn again while either projection is
 * zero. Has the scale and the shape of the learned one. TOSST_ERROR_ARGUMENT if the set is for another shape or K < 1;
 * TOSST_ERROR_NUMERIC if 100 draws in a row are of no use, as when all learned atoms are zero. *dictionary is new and
 * the caller's. */
TosstStatus tosst_dictionary_draw (TosstContext *context, const TosstDictionary *learned, const TosstAtomSet *set,
                                   bool signed_b, int K, uint64_t seed, TosstDictionary **dictionary);
