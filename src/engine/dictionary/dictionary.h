/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tensor/layout.h"

/* Atoms (B_k, b_k), k = 1..K, of equation (5). */
typedef struct
{
  int     d;     /* side of a tensor */
  int     D;     /* d(d+1)/2 */
  int     K;     /* atoms */
  double *V;     /* D x K column-major: column k is vec B_k, off-diagonals times sqrt 2. Owned. */
  double *b;     /* d x K column-major: column k is b_k. Owned. */
  double  scale; /* tensors are divided by this before they meet the atoms; > 0 */
} TosstDictionary;

TosstDictionary *tosst_dictionary_new (int d, int K); /* zeros, scale 1; NULL if out of memory */
TosstDictionary *tosst_dictionary_copy (const TosstDictionary *dictionary);
void             tosst_dictionary_free (TosstDictionary *dictionary);

/* B: K x d x d, b: K x d, C order, float64, as files hold them. B_k is symmetrised. */
void tosst_dictionary_set (TosstDictionary *dictionary, const double *B, const double *b);
void tosst_dictionary_get (const TosstDictionary *dictionary, double *B, double *b);
