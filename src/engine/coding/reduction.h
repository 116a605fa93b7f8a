/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Beta minimised out (section "Exact coding" of the method). With F = I + V V' / gamma = L L',
 *     W = F^{-1},   H = (V' W V) .* (b' b),   q_k = <sym ((W v_k) (x) b_k), X>.
 * For gamma = infinity F = W = I.
 */
#pragma once

#include <stdbool.h>

#include "base/context.h"
#include "dictionary/dictionary.h"

typedef struct
{
  int     D, K;
  double  gamma;
  double *L;  /* D x D lower triangular, column-major; its upper part is not used */
  double *WV; /* D x K */
  double *G;  /* K x K: V' W V, both triangles */
} TosstReduction;

/* Allocates; contents come from tosst_reduction_update(). False if out of memory (then cleared). */
bool tosst_reduction_init (TosstReduction *self, int D, int K);
void tosst_reduction_clear (TosstReduction *self);

/* Computes L, WV and G for the V of the dictionary. */
TosstStatus tosst_reduction_update (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                                    double gamma);

/* H (K x K) = G .* (b' b). */
TosstStatus tosst_reduction_gram (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                                  double *H);
