/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transformed atoms: a~_k = sym ((W v_k) (x) b_k) / scale as m packed numbers, so that q_k = <a~_k, X> of a tensor as it is
 * stored ("Exact coding" of the method).
 */
#pragma once

#include "engine/coding/coder-private.h"

/* Whether atoms are packed into the panels of TosstKernels.product_packed() (float only); else they are stored one after the
 * other. tosst_atoms_numbers(): numbers that K atoms take. */
bool tosst_atoms_are_packed (bool wide);
size_t tosst_atoms_numbers (size_t K, size_t m, bool wide);

/* Computes atoms first .. first + count - 1, floats or (wide) doubles, 64-byte aligned, from the coder's reduction and
 * signs. */
TosstStatus tosst_transform_atoms (const TosstCoder *coder, TosstContext *context, int first, int count, bool wide,
                                   void *atoms);
/* Bytes of its work space. */
size_t tosst_transform_bytes (const TosstLayout *layout, int threads);
