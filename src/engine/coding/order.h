/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms in the order of their use. Codes use few atoms often and most of them seldom: at K = 2000 a fifth of them makes up
 * two thirds of all non-zeros. Where those lie side by side, what a Lasso reads of H on its active atoms lies in half as
 * many cache lines. Codes that are made again show the use.
 */
#pragma once

#include "engine/base/context.h"

/* order: K, receives the atoms, those first that most of the n codes (n x K, float or, wide, double) use; of equal ones the
 * lower first. Some thousand codes are looked at. false if out of memory. */
bool tosst_order_by_use (const void *codes, bool wide, size_t n, size_t K, int *order);

/* out_ij = H_{order i, order j}; both K x K. */
TosstStatus tosst_order_gram (TosstContext *context, const void *H, bool wide, size_t K, const int *order, void *out);

/* Brings `count` rows of K numbers into the order, or back from it. work: K doubles. */
void tosst_order_rows (void *rows, bool wide, size_t count, size_t K, const int *order, bool back, void *work);
