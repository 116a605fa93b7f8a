/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>

#include <stddef.h>

#include "base/status.h"

typedef enum
{
  TOSST_SCHEME_PSD,      /* (1): B PSD, tr B <= 1 */
  TOSST_SCHEME_LOW_RANK, /* (2): and rank B <= R */
  TOSST_SCHEME_FREE,     /* (3): ||B||_F <= 1 */
} TosstScheme;

/* Euclidean projection of the symmetric d x d matrix given by v (length D, off-diagonals times sqrt 2) onto the set of the scheme,
 * in place. rank is R for low-rank, ignored else. work: tosst_project_atom_work (d) doubles. */
size_t      tosst_project_atom_work (int d);
TosstStatus tosst_project_atom (TosstScheme scheme, int rank, int d, double *v, double *work);

/* Euclidean projection onto {b : ||b||_1 <= 1}, or with nonnegative {b >= 0, sum b <= 1}, in place. work: n doubles. */
void tosst_project_l1 (double *b, int n, bool nonnegative, double *work);
