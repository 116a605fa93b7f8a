/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms ordered by usage. At K = 2000 a fifth of the atoms accounts for two thirds of all non-zeros. With these
 * atoms adjacent, the part of H on a Lasso's active atoms occupies half as many cache lines. Usage is counted in the
 * codes before a warm start.
 */
#pragma once

#include "engine/base/context.h"

/* Orders the atoms by decreasing usage in the n codes (n x K, float, or double if wide), ties by index. order: K,
 * receives the atoms. Samples about 2000 codes. Returns false if out of memory. */
bool tosst_order_by_use (const void *codes, bool wide, size_t n, size_t K, int *order);

/* out_ij = H_{order i, order j}; both K x K. */
TosstStatus tosst_order_gram (TosstContext *context, const void *H, bool wide, size_t K, const int *order, void *out);

/* Permutes `count` rows of K values into the order, or back. work: K doubles. */
void tosst_order_rows (void *rows, bool wide, size_t count, size_t K, const int *order, bool back, void *work);
