/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transformed atoms: a~_k = sym ((W v_k) (x) b_k) / scale as m packed numbers, so that q_k = <a~_k, X> of a tensor as it is
 * stored ("Exact coding" of the method).
 */
#pragma once

#include "coding/coder-private.h"

/* atoms: count x m, those of first .. first + count - 1, floats or (wide) doubles. The coder's reduction and signs are there. */
TosstStatus tosst_transform_atoms (const TosstCoder *coder, TosstContext *context, int first, int count, bool wide,
                                   void *atoms);
/* Bytes of work space that this takes. */
size_t tosst_transform_bytes (const TosstLayout *layout, int threads);
