/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>

#include <stddef.h>

#include "engine/base/status.h"
#include "engine/tensor/layout.h"

typedef enum
{
  TOSST_SCHEME_PSD,      /* (1): B PSD, tr B <= 1 */
  TOSST_SCHEME_LOW_RANK, /* (2): and rank B <= R */
  TOSST_SCHEME_FREE,     /* (3): ||B||_F <= 1 */
  TOSST_SCHEME_FULL,     /* problem (2): B third-order, every slice of it PSD with trace <= 1 */
} TosstScheme;

/* The set that B of every atom lies in. full goes with whole atoms and with no others, general atoms are free. */
typedef struct
{
  TosstShape shape;
  TosstScheme scheme;
  int rank; /* R, low-rank only */
} TosstAtomSet;

/* NULL if scheme and rank go with the shape, else one sentence (static). */
const char *tosst_atom_set_check (const TosstAtomSet *set);
/* Doubles of work space that the calls below want. */
size_t tosst_atom_set_work (const TosstAtomSet *set);
/* Euclidean projection of the atom v (length D of the shape) onto the set, in place. */
TosstStatus tosst_atom_set_project (const TosstAtomSet *set, double *v, double *work);
/* The projection of the paper's Algorithm 1, which is not the Euclidean one: U diag (mu) U' to U max (diag (mu), 0) U'
 * divided by its trace, only the R largest mu for low-rank; free atoms are divided by their Frobenius norm. *exists is
 * false, and v of no use, where that would be 0 / 0. Not for the scheme full. */
TosstStatus tosst_atom_set_normalise (const TosstAtomSet *set, double *v, bool *exists, double *work);
/* The number by which v of the right signs and rank is divided to lie on the boundary: its trace (full: the largest of
 * its slices) or its Frobenius norm. */
double tosst_atom_set_size (const TosstAtomSet *set, const double *v);

/* Euclidean projection of the symmetric d x d matrix given by v (length D, off-diagonals times sqrt 2) onto the set of
 * the scheme, in place. rank is R for low-rank, ignored else. work: tosst_project_atom_work (d) doubles. */
size_t tosst_project_atom_work (int d);
TosstStatus tosst_project_atom (TosstScheme scheme, int rank, int d, double *v, double *work);

/* Euclidean projection onto {b : ||b||_1 <= 1}, or with nonnegative {b >= 0, sum b <= 1}, in place. work: n doubles. */
void tosst_project_l1 (double *b, int n, bool nonnegative, double *work);

/* Largest side for which whole atoms are learned. */
#define TOSST_FULL_SIDE 10

/* Euclidean projection of a super-symmetric tensor (packed, scaled by the square roots of multiplicities) onto those
 * whose slices are all PSD with trace at most 1, in place; project-whole.c. */
size_t tosst_project_whole_work (int d);
TosstStatus tosst_project_whole (int d, double *v, double *work);
