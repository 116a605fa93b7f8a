/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random atoms: data-independent initial atoms, and the atoms of the random dictionary of section 6.5, which have
 * the distribution of learned atoms.
 */
#pragma once

#include "engine/base/context.h"
#include "engine/base/random.h"
#include "engine/dictionary/dictionary.h"
#include "engine/dictionary/project.h"

/* Draws one atom independent of the data: v (D) is standard normal, isotropic in the Frobenius norm, then projected
 * onto the set and scaled to its boundary; b (S) is uniform on the simplex of sum 1, with signed_b each element has
 * a random sign. Returns false after 100 draws whose projection is zero. work: tosst_atom_set_work() doubles. */
bool tosst_random_atom (const TosstAtomSet *set, bool signed_b, TosstRandom *random, double *v, double *b,
                        double *work);

/* Gaussian with the mean and the covariance of z_k = (vec B_k, b_k), k = 1..K, of a learned dictionary; B and b are
 * modelled jointly because they are correlated. The covariance, sum_k (z_k - mean) (z_k - mean)' / (K - 1), has rank
 * at most K - 1 and is stored as its K factors. */
typedef struct TosstAtomDistribution TosstAtomDistribution;

/* Allocates the distribution; the dictionary may be freed after this returns. Returns NULL if out of memory. */
TosstAtomDistribution *tosst_atom_distribution_new (const TosstDictionary *learned);
void tosst_atom_distribution_free (TosstAtomDistribution *self);

/* Draws one sample without projection: v (D) and b (S) need not satisfy the constraints. work: K doubles. */
void tosst_atom_distribution_draw (const TosstAtomDistribution *self, TosstRandom *random, double *v, double *b,
                                   double *work);

/* Computes the random dictionary: K atoms of that distribution, each B projected onto the set (Euclidean, like the
 * updates of learning) and each b onto the l1 ball, without signed_b onto its part b >= 0; draws with a zero
 * projection are repeated. Scale and shape are those of the learned dictionary. Returns TOSST_ERROR_ARGUMENT if the
 * set is for another shape or K < 1, TOSST_ERROR_NUMERIC after 100 consecutive draws with a zero projection, for
 * example if all learned atoms are zero. *dictionary is newly allocated; the caller owns it. */
TosstStatus tosst_dictionary_draw (TosstContext *context, const TosstDictionary *learned, const TosstAtomSet *set,
                                   bool signed_b, int K, uint64_t seed, TosstDictionary **dictionary);
