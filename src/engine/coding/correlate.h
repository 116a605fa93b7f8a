/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Correlations Q = A~' X of many tensors with transformed atoms, which are kept, or made where they are needed: a tile of
 * atoms at a time for as many tensors as are gathered. An atom costs m numbers to make and m times the tensors to use.
 * Floats are multiplied by TosstKernels.product_packed() where that is faster than sgemm. Q has the same bits either way.
 */
#pragma once

#include "engine/coding/coder-private.h"

/* Atoms that are made at a time, a multiple of TOSST_PANEL or all. */
int tosst_correlate_tile (size_t m, size_t K);
/* Bytes of work space that a thread takes, some in any case. */
size_t tosst_correlate_bytes (size_t m, bool wide);

/* Of count tensors on the calling thread. atoms: of tosst_transform_atoms(); Q: count x K. All of them floats or (wide)
 * doubles. work: tosst_correlate_bytes(), 64-byte aligned. */
void tosst_correlate (const TosstCoder *coder, bool wide, const void *atoms, const void *tensors, size_t count, void *Q,
                      void *work);

/* The same with atoms made on the way, on all threads; block: tensors in one product. */
TosstStatus tosst_correlate_streamed (const TosstCoder *coder, TosstContext *context, bool wide, const void *tensors,
                                      size_t count, size_t block, void *Q);
