/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes of an image to its signature: section 6.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tosst/context.h"

TOSST_BEGIN_DECLS

/* Pooling of the N codes a_1 .. a_N of an atom to one value, after Koniusz, Yan & Mikolajczyk, "Comparison of
 * mid-level feature coding approaches and pooling strategies in visual concept detection" (2013). Kinds that
 * interpret codes as probabilities require values in [0, 1] and use u_n = |a_n| / c, with c the largest |code| of any
 * atom in the pooled set. c depends on the sample alone, so that training samples, test samples and later images are
 * scaled alike, and no scale is stored with the dictionary. */
typedef enum
{
  TOSST_POOL_AVERAGE, /* mean a_n */
  TOSST_POOL_MAX,     /* max a_n */
  TOSST_POOL_MAXEXP,  /* 1 - (1 - mean u_n)^p: probability of at least one occurrence in p independent trials */
  TOSST_POOL_GAMMA,   /* sgn (h) |h|^p, h = mean a_n */
  TOSST_POOL_AXMIN,   /* min (p sum u_n, 1): linear upper bound of such a probability */
  TOSST_POOL_EXAPRO,  /* 1 - prod_n (1 - u_n): probability of at least one occurrence in independent regions */
  TOSST_POOL_AT_N,    /* mean of the p largest a_n, or of all for N < p */
} TosstPoolKind;

/* Checks p: MAXEXP at least 1 (NAN: N), GAMMA in (0, 1] (NAN: 0.5), AXMIN above 0 (NAN: 1), AT_N an integer of at
 * least 1 (NAN: 5); the other kinds have no parameter. Returns NULL, or an error message in English (static). */
const char *tosst_pool_check (TosstPoolKind kind, double parameter);
/* Returns p of the kind for n codes, with NAN replaced by the default. */
double tosst_pool_resolve (TosstPoolKind kind, double p, size_t n);

/* Pools the codes of one image or block. codes: rows x K float32. index: the n >= 1 rows to pool, or NULL for rows 0
 * .. n - 1. parameter: p of the kind, or NAN. out: K. A NaN among the codes of an atom propagates to its result.
 * Returns TOSST_ERROR_ARGUMENT for an invalid parameter, TOSST_ERROR_MEMORY (AT_N only). */
TosstStatus tosst_pool (TosstPoolKind kind, double parameter, const float *codes, int K, const size_t *index, size_t n,
                        float *out);

/* Reduces n codes (n x K) in place to those needed by AT_N: the first min (n, p) rows receive the largest codes of
 * each atom, in no particular order, and *n becomes their number. Pooling these, alone or with further codes, gives
 * the same result as pooling all codes. Returns TOSST_ERROR_MEMORY. */
TosstStatus tosst_pool_keep_largest (double parameter, float *codes, int K, size_t *n);

/* Numbers of a second-order signature: K (K + 1) / 2. */
size_t tosst_pool_pairs (int K);

/* Second-order pooling of the codes of one image or block, the co-occurrence of atoms: M = 1/n sum a a' with the
 * entries of each code raised to code_power > 0, signs kept; M <- V diag (e^power) V', power > 0, where eigenvalues
 * below 1e-12 of the largest count as zero. codes, K, index, n: as in tosst_pool(). out: the upper triangle i <= j row
 * by row, tosst_pool_pairs (K) values, entries off the diagonal times sqrt (2), so that inner products are those of
 * matrices; with l2 divided by its Euclidean norm. Codes of zeros give zeros. Takes K^2 n flops and the eigenvectors of a
 * matrix of side min (n, atoms in use); memory: 8 (n K + 3 K^2) bytes at most. Any thread; BLAS runs on the calling one
 * inside a parallel loop. Returns TOSST_ERROR_ARGUMENT for n = 0 or an invalid power, TOSST_ERROR_NUMERIC for a code
 * that is not finite, TOSST_ERROR_MEMORY. */
TosstStatus tosst_pool_second_order (const float *codes, int K, const size_t *index, size_t n, double code_power,
                                     double power, int l2, float *out);

/* In place: sgn(h) |h|^power for each of the K values, then, with l2, division by the Euclidean norm (a zero vector
 * remains zero). */
void tosst_normalise_signature (float *h, int K, double power, int l2);

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

TOSST_END_DECLS
