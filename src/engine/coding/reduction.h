/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Minimisation over beta (section "Exact coding" of the method). With F = I + V V' / gamma = L L',
 *     W = F^{-1},   H = (V' W V) .* (b' b),   q_k = <sym ((W v_k) (x) b_k), X>.
 * For gamma = infinity F = W = I. For few atoms, 2 K <= D, no D x D matrix is computed or factorised: with Q = (V'V
 * + gamma I)^{-1}, W = I - V Q V' and W V = gamma V Q.
 */
#pragma once

#include <stdbool.h>

#include "tosst/context.h"
#include "tosst/dictionary.h"

typedef struct
{
  int D, K;
  double gamma;
  double *L;  /* D x D lower triangular, column-major; upper part unused; NULL for few atoms */
  double *Q;  /* K x K, both triangles, for few atoms, else NULL; undefined for gamma = infinity */
  double *WV; /* D x K */
  double *G;  /* K x K: lower triangle of V' W V; the upper part is undefined; NULL if only H is needed */
} TosstReduction;

/* Allocates the matrices, to be filled by tosst_reduction_update(). Returns false if out of memory (nothing is
 * allocated then). */
bool tosst_reduction_init (TosstReduction *self, int D, int K, bool with_G);
void tosst_reduction_clear (TosstReduction *self);

/* Whether the branch for few atoms applies. */
bool tosst_reduction_small (size_t D, size_t K);

/* Computes L or Q, WV and, if allocated, G for the V of the dictionary. */
TosstStatus tosst_reduction_update (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                                    double gamma);

/* The two steps of tosst_reduction_update(): the factors for tosst_reduction_apply(), and WV and G for the same V. */
TosstStatus tosst_reduction_factor (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                                    double gamma);
TosstStatus tosst_reduction_complete (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary);

/* R (D x columns) <- W R, for the dictionary of the last update. work: K x columns for few atoms, else not used. */
TosstStatus tosst_reduction_apply (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                                   double *R, int columns, double *work);

/* Copies another reduction of the same size, except G. */
TosstStatus tosst_reduction_copy (TosstReduction *self, TosstContext *context, const TosstReduction *from);

/* H (K x K) = (V' W V) .* (b' b), exactly symmetric, float, or double if wide, in blocks of columns. across: K x K,
 * symmetric, instead of b' b; or NULL. sign: K, factors of rows and columns; or NULL. */
TosstStatus tosst_reduction_gram (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                                  const float *across, const signed char *sign, bool wide, void *H);
size_t tosst_reduction_gram_bytes (size_t K, int threads); /* workspace of tosst_reduction_gram() */
