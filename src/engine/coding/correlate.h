/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Correlations Q = A~' X of many tensors with transformed atoms, which are kept, or made where they are needed: a tile of
 * atoms at a time for as many tensors as are gathered. An atom costs m numbers to make and m times the tensors to use.
 * Products have the same shapes either way, and so Q has the same bits.
 */
#pragma once

#include "coding/coder-private.h"

/* Atoms in one product. */
int tosst_correlate_tile (size_t m, size_t K);

/* Of count tensors on the calling thread. atoms: K x m; Q: count x K. All of them floats or (wide) doubles. */
void tosst_correlate (const TosstCoder *coder, bool wide, const void *atoms, const void *tensors, size_t count,
                      void *Q);

/* The same with atoms made on the way, on all threads; block: tensors in one product. */
TosstStatus tosst_correlate_streamed (const TosstCoder *coder, TosstContext *context, bool wide, const void *tensors,
                                      size_t count, size_t block, void *Q);
