/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>

#include "engine/base/status.h"

/* How the N codes a_1 .. a_N of an atom become one number, after Koniusz, Yan & Mikolajczyk, "Comparison of mid-level
 * feature coding approaches and pooling strategies in visual concept detection" (2013). The kinds that read codes as
 * probabilities ask for numbers in [0, 1]: there u_n = |a_n| / c, with c the largest |code| of any atom in the pooled
 * set. c depends on the sample alone, so that training samples, test samples and images that are seen years later are
 * scaled alike, and nothing has to be kept with the dictionary. */
typedef enum
{
  TOSST_POOL_AVERAGE, /* mean a_n */
  TOSST_POOL_MAX,     /* max a_n */
  TOSST_POOL_MAXEXP,  /* 1 - (1 - mean u_n)^p: chance of at least one occurrence in p independent trials */
  TOSST_POOL_GAMMA,   /* sgn (h) |h|^p, h = mean a_n */
  TOSST_POOL_AXMIN,   /* min (p sum u_n, 1): the straight line that bounds such a chance from above */
  TOSST_POOL_EXAPRO,  /* 1 - prod_n (1 - u_n): chance of at least one occurrence, regions taken as independent */
  TOSST_POOL_AT_N,    /* mean of the p largest a_n, or of all if there are fewer */
} TosstPoolKind;

/* What p may be: MAXEXP at least 1 (NAN: N), GAMMA in (0, 1] (NAN: 0.5), AXMIN above 0 (NAN: 1), AT_N a whole number
 * from 1 on (NAN: 5); other kinds have none. NULL, or one English sentence that says what is wrong. */
const char *tosst_pool_check (TosstPoolKind kind, double parameter);
/* p of the kind for n codes, NAN resolved. */
double tosst_pool_resolve (TosstPoolKind kind, double p, size_t n);

/* Pools the codes of one image or block. codes: rows x K float32; the n rows listed in index are pooled (index NULL:
 * rows 0 .. n - 1); n >= 1. parameter: p of the kind, or NAN. out: K. A NaN among the codes of an atom stays one in its
 * result. TOSST_ERROR_ARGUMENT for a wrong parameter, TOSST_ERROR_MEMORY (of AT_N only). */
TosstStatus tosst_pool (TosstPoolKind kind, double parameter, const float *codes, int K, const size_t *index, size_t n,
                        float *out);

/* What AT_N needs of n codes (n x K), in place: the first min (n, p) rows hold the largest codes of each atom, in no
 * order, and *n becomes their number. Pooling these, or these and further codes, is pooling all. TOSST_ERROR_MEMORY. */
TosstStatus tosst_pool_keep_largest (double parameter, float *codes, int K, size_t *n);

/* In place: sgn(h) |h|^power for each of the K numbers, then, with l2, division by the Euclidean norm (a zero vector
 * stays zero). */
void tosst_normalise_signature (float *h, int K, double power, int l2);
