/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Correlations Q = A~' X of many tensors with transformed atoms, stored or computed on demand, one tile of atoms and
 * one block of tensors at a time. Computing an atom costs m operations, its use m per tensor. Float products use
 * TosstKernels.product_packed() where that is faster than sgemm. Stored and recomputed atoms give the same bits of
 * Q.
 */
#pragma once

#include "engine/coding/coder-private.h"

/* Atoms per tile: a multiple of TOSST_PANEL, or all. */
int tosst_correlate_tile (size_t m, size_t K);
/* Workspace per thread in bytes, > 0. */
size_t tosst_correlate_bytes (size_t m, bool wide);

/* Correlates count tensors on the calling thread. atoms: from tosst_transform_atoms(). Q: count x K. All arrays are
 * float, or double if wide. work: tosst_correlate_bytes(), 64-byte aligned. */
void tosst_correlate (const TosstCoder *coder, bool wide, const void *atoms, const void *tensors, size_t count, void *Q,
                      void *work);

/* tosst_correlate() with atoms computed on demand, on all threads; block: tensors per product. */
TosstStatus tosst_correlate_streamed (const TosstCoder *coder, TosstContext *context, bool wide, const void *tensors,
                                      size_t count, size_t block, void *Q);
