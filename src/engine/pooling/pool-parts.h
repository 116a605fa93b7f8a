/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>

#include "engine/pooling/pool.h"

/* Pooling from parts, so that codes need not be there all at once, and windows that overlap share what they have in
 * common. The part of some regions is K + 1 numbers: for each atom the sum of its codes (MAXEXP and AXMIN: of their
 * sizes; MAX: the largest code), and last the largest size of any code. Parts of disjoint regions are joined in any
 * order; nothing is ever subtracted, so that an atom that no region has stays exactly zero, whatever power is taken of
 * it later. */

/* EXAPRO divides by the largest code before it multiplies, AT_N sorts: these have no parts. */
bool tosst_pool_has_parts (TosstPoolKind kind);

/* Of one region with this code (K). part: K + 1. */
void tosst_pool_part (TosstPoolKind kind, const float *code, int K, double *part);

/* out = a and b together; it may be one of them. */
void tosst_pool_join (TosstPoolKind kind, const double *a, const double *b, int K, double *out);

/* What tosst_pool() makes of the n >= 1 regions, but for rounding in double. out: K. TOSST_ERROR_ARGUMENT for a wrong
 * parameter or kind. */
TosstStatus tosst_pool_finish_part (TosstPoolKind kind, double parameter, const double *part, int K, size_t n,
                                    float *out);
