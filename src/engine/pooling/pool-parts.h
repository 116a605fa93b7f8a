/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>

#include "engine/pooling/pool.h"

/* Incremental pooling from partial results, so that not all codes need to be in memory and overlapping windows share
 * the partial results of common regions. A part is a vector of K + 1 values: for each atom the sum of its codes
 * (MAXEXP and AXMIN: of their magnitudes; MAX: the largest code), then the largest magnitude of any code. Parts of
 * disjoint regions are combined in any order; there is no subtraction, so that an atom absent from all regions
 * remains exactly zero for every later power. */

/* EXAPRO divides by the largest code before it multiplies, and AT_N sorts: both are not incremental. */
bool tosst_pool_has_parts (TosstPoolKind kind);

/* Computes the part of one region. code: K. part: K + 1. */
void tosst_pool_part (TosstPoolKind kind, const float *code, int K, double *part);

/* out = combination of a and b (K + 1 each); out may equal a or b. */
void tosst_pool_join (TosstPoolKind kind, const double *a, const double *b, int K, double *out);

/* Computes the result of tosst_pool() for n >= 1 regions from their part, up to rounding in double. out: K. Returns
 * TOSST_ERROR_ARGUMENT for an invalid parameter or kind. */
TosstStatus tosst_pool_finish_part (TosstPoolKind kind, double parameter, const double *part, int K, size_t n,
                                    float *out);
