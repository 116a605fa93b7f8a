/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>

#include <stddef.h>

#include "engine/base/status.h"
#include "engine/tensor/layout.h"

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
 * tensors whose slices are all PSD with trace at most 1, in place; see project-whole.c. work:
 * tosst_project_whole_work (d) doubles. */
size_t tosst_project_whole_work (int d);
TosstStatus tosst_project_whole (int d, double *v, double *work);
