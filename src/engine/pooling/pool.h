/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>

typedef enum
{
  TOSST_POOL_AVERAGE, /* mean over regions */
  TOSST_POOL_MAX,     /* largest over regions */
} TosstPoolKind;

/* Pools the codes of one image or block. codes: rows x K float32; the n rows listed in index are pooled (index NULL: rows
 * 0 .. n - 1); n >= 1. out: K. */
void tosst_pool (TosstPoolKind kind, const float *codes, int K, const size_t *index, size_t n, float *out);

/* In place: sgn(h) |h|^power for each of the K numbers, then, with l2, division by the Euclidean norm (a zero vector stays zero). */
void tosst_normalise_signature (float *h, int K, double power, int l2);
