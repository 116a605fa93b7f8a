/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transformed atoms: a~_k = sym ((W v_k) (x) b_k) / scale as m packed values, so that q_k = <a~_k, X> for a stored
 * tensor X ("Exact coding" of the method).
 */
#pragma once

#include "engine/coding/coder-private.h"

/* Whether atoms are packed into the panels of TosstKernels.product_packed() (float only); otherwise they are
 * contiguous. tosst_atoms_numbers(): storage of K atoms in values. */
bool tosst_atoms_are_packed (bool wide);
size_t tosst_atoms_numbers (size_t K, size_t m, bool wide);

/* Computes atoms first .. first + count - 1 from the coder's reduction and signs. atoms: float, or double if wide,
 * 64-byte aligned. */
TosstStatus tosst_transform_atoms (const TosstCoder *coder, TosstContext *context, int first, int count, bool wide,
                                   void *atoms);
/* Workspace of tosst_transform_atoms() in bytes. */
size_t tosst_transform_bytes (const TosstLayout *layout, int threads);
