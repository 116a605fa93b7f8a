/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms, the sets of their constraints, and random atoms.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tosst/context.h"
#include "tosst/tensor.h"

TOSST_BEGIN_DECLS

/* Upper bound of entries of tensors and of scales; its inverse is the lower bound of scales. float32 retains full
 * precision in this range. */
#define TOSST_LARGEST 1e30

/* Atoms (B_k, b_k), k = 1..K, of equation (5). */
typedef struct
{
  TosstShape shape; /* shape of the tensors to be coded */
  int d;            /* side of a tensor: shape.d1 */
  int D;            /* length of a slice, as in TosstLayout */
  int S;            /* number of slices */
  int K;            /* number of atoms */
  double *V;        /* D x K column-major: column k is vec B_k, weighted as slices are. Owned. */
  double *b;        /* S x K column-major: column k is b_k. Owned. */
  double scale;     /* tensors are divided by this before coding; > 0 */
} TosstDictionary;

TosstDictionary *tosst_dictionary_new (int d, int K); /* super-symmetric; zeros, scale 1 */
/* Allocates a dictionary for tensors of any shape: zeros, scale 1. Returns NULL if out of memory, for K < 1, or for a shape
 * that tosst_shape_check() refuses. */
TosstDictionary *tosst_dictionary_new_shape (TosstShape shape, int K);
TosstDictionary *tosst_dictionary_new_undefined (TosstShape shape, int K); /* V and b are uninitialised */
/* Copies a dictionary. Returns NULL if out of memory. */
TosstDictionary *tosst_dictionary_copy (const TosstDictionary *dictionary);
/* Frees a dictionary; NULL is ignored. */
void tosst_dictionary_free (TosstDictionary *dictionary);

/* Sets or gets the atoms as arrays in C order, float64, as stored in files. B: K x d x d (general: K x d1 x d2,
 * whole: K x d x d x d), b: K x S. tosst_dictionary_set() symmetrises B_k unless the shape is general. */
void tosst_dictionary_set (TosstDictionary *dictionary, const double *B, const double *b);
void tosst_dictionary_get (const TosstDictionary *dictionary, double *B, double *b);

/* Computes B_k for display: d1 x d2 values, C order; for a whole atom the mean of its slices. */
void tosst_dictionary_matrix (const TosstDictionary *dictionary, int k, double *matrix);

/* Compares all pairs of atoms of two dictionaries: |<B_i, B'_j>| / (||B_i|| ||B'_j||), in [0, 1]; 0 if one of them is
 * zero. similarity: first->K x second->K, C order. Returns TOSST_ERROR_ARGUMENT unless both have slices of the same
 * length (D). Any thread. */
TosstStatus tosst_dictionary_similarity (const TosstDictionary *first, const TosstDictionary *second,
                                         double *similarity);

/* Constraints of the atoms B, equation (5); full: equation (2). */
typedef enum
{
  TOSST_SCHEME_PSD,      /* (1): B PSD, tr B <= 1 */
  TOSST_SCHEME_LOW_RANK, /* (2): (1) with rank B <= R */
  TOSST_SCHEME_FREE,     /* (3): ||B||_F <= 1 */
  TOSST_SCHEME_FULL,     /* problem (2): B third-order, every slice of it PSD with trace <= 1 */
} TosstScheme;

/* Constraint set of B. The scheme full requires whole atoms and whole atoms require full; general atoms are free. */
typedef struct
{
  TosstShape shape;
  TosstScheme scheme;
  int rank; /* R, low-rank only */
} TosstAtomSet;

/* Returns NULL if scheme and rank are valid for the shape, else an error message (static). */
const char *tosst_atom_set_check (const TosstAtomSet *set);
/* Workspace of the functions below in doubles. */
size_t tosst_atom_set_work (const TosstAtomSet *set);
/* Euclidean projection of the atom v (length D of the shape) onto the set, in place. */
TosstStatus tosst_atom_set_project (const TosstAtomSet *set, double *v, double *work);
/* Projection of the paper's Algorithm 1, which is not the Euclidean one: U diag (mu) U' is replaced by U max (diag
 * (mu), 0) U' divided by its trace, with only the R largest mu for low-rank; free atoms are divided by their
 * Frobenius norm. *exists is false, and v undefined, if the divisor is 0. Not for the scheme full. */
TosstStatus tosst_atom_set_normalise (const TosstAtomSet *set, double *v, bool *exists, double *work);
/* Divisor that scales v of admissible signs and rank to the boundary of the set: its trace (full: the largest trace
 * of its slices) or its Frobenius norm. */
double tosst_atom_set_size (const TosstAtomSet *set, const double *v);

/* Euclidean projection of the symmetric d x d matrix given by v (length D, off-diagonals times sqrt 2) onto the set
 * of the scheme, in place. rank: R for low-rank, else ignored. work: tosst_project_atom_work (d) doubles. */
size_t tosst_project_atom_work (int d);
TosstStatus tosst_project_atom (TosstScheme scheme, int rank, int d, double *v, double *work);

/* Euclidean projection onto {b : ||b||_1 <= 1}, or with nonnegative {b >= 0, sum b <= 1}, in place. work: n doubles. */
void tosst_project_l1 (double *b, int n, bool nonnegative, double *work);

/* Largest side for which whole atoms are learned. */
#define TOSST_FULL_SIDE 10

/* Euclidean projection of a super-symmetric tensor (packed, scaled by the square roots of multiplicities) onto the
 * tensors whose slices are all PSD with trace at most 1, in place; see project.c. work:
 * tosst_project_whole_work (d) doubles. */
size_t tosst_project_whole_work (int d);
TosstStatus tosst_project_whole (int d, double *v, double *work);

/* Random atoms: data-independent initial atoms, and the atoms of the random dictionary of section 6.5, which have
 * the distribution of learned atoms. */

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

TOSST_END_DECLS
