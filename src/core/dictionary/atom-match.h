/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/dictionary/dictionary.h"

G_BEGIN_DECLS

/* How alike two atoms are: |<B_i, B'_j>| / (||B_i|| ||B'_j||), in 0 .. 1; 0 where one of them is zero. Both dictionaries
 * must have slices of one length (D). similarity: first->K x second->K, C order. FALSE: not enough memory. */
gboolean tosst_atom_similarity (const TosstDictionary *first, const TosstDictionary *second, double *similarity);

/* Each of `rows` gets a column of its own, or -1 where there are fewer columns than rows, so that the sum of weights
 * (rows x columns, C order, at least 0) is largest; above TOSST_MATCH_EXACT of either, pair by pair from the heaviest on,
 * which gives at least half of that. FALSE: not enough memory. */
#define TOSST_MATCH_EXACT 600
gboolean tosst_match (const double *weights, int rows, int columns, int *column);

G_END_DECLS
