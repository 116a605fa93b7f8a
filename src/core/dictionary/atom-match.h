/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "tosst/dictionary.h"

/* Assigns each row a column of its own, or -1 if there are fewer columns than rows, so that the sum of weights (rows
 * x columns, C order, at least 0) is maximal. With more than TOSST_MATCH_EXACT rows or columns the assignment is
 * greedy, by decreasing weight, which gives at least half of the maximum. Returns FALSE if memory is short. */
#define TOSST_MATCH_EXACT 600
gboolean tosst_match (const double *weights, int rows, int columns, int *column);
