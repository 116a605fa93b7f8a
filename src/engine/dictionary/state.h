/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a learning holds. Beta is never stored: everything that the block updates need follows from three sums over the tensors
 * (section "Exact learning" of the method), with tensors divided by the dictionary's scale:
 *     Y_k = sum_n alpha_k^n X_n,   P = sum_n alpha^n alpha^n',   Sxx = sum_{n,s} x^{s,n} x^{s,n}'.
 */
#pragma once

#include "base/random.h"
#include "coding/reduction.h"
#include "dictionary/learn.h"

typedef struct
{
  TosstContext            *context;
  const TosstLayout       *layout;
  const float             *tensors; /* n x m */
  size_t                   n;
  const TosstLearnOptions *options;
  int                      D, S, K;

  TosstDictionary *dictionary;
  float           *codes; /* n x K */
  double          *Y;     /* K x m: row k is Y_k, not yet divided by the scale */
  double          *P;     /* K x K */
  double          *Sxx;   /* D x D, both triangles */
  double           l1;    /* sum_n ||alpha^n||_1 */

  TosstReduction reduction; /* of the dictionary as it is */
  double        *Sxc;       /* D x K: sum_{n,s} x c' with c^s = b^s . alpha: column k is U_k b_k */
  double        *Scc;       /* K x K: sum_{n,s} c c' = (b' b) .* P */
  double        *E;         /* D x D: sum_{n,s} r r' with r = x - V c */
  double        *A;         /* K x K: sum_{n,s} beta beta' */
  double        *C;         /* D x K: sum_{n,s} x beta' */
  double        *DK1, *DK2; /* D x K each: scratch */
  double        *DD;        /* D x D: scratch */
  double        *Ub;        /* S x K: U_k' W v_k */
} TosstLearning;

bool   tosst_learning_init (TosstLearning *self, TosstContext *context, const TosstLayout *layout, const float *tensors,
                            size_t n, const TosstLearnOptions *options);
void   tosst_learning_clear (TosstLearning *self);

/* sums.c. Sxx and the scale: once. */
TosstStatus tosst_learning_measure (TosstLearning *self);
/* Y, P and l1 for the codes as they are. */
TosstStatus tosst_learning_sum (TosstLearning *self);
/* U_k = unfold (Y_k) / scale, D x S column-major. */
void        tosst_learning_unfold (const TosstLearning *self, int k, double *U);
/* Sxc, Scc and E for the dictionary as it is. */
TosstStatus tosst_learning_residuals (TosstLearning *self);

/* init.c. Atoms from slices of sampled tensors. */
TosstStatus tosst_learning_start (TosstLearning *self);
/* Makes atom k of slices of tensor n; false if no slice is of use. work: tosst_project_atom_work() doubles. */
bool        tosst_learning_seed_atom (TosstLearning *self, int k, size_t n, TosstRandom *random, double *work);

/* update.c. One pass over all B_k with beta fixed, then over all b_k with beta minimised out. Leaves reduction and residuals current. */
TosstStatus tosst_learning_update (TosstLearning *self);
/* Equation (5) from the sums; reduction and residuals must be current. */
TosstStatus tosst_learning_objective (TosstLearning *self, TosstIteration *iteration);
