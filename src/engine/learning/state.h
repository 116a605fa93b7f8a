/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a learning holds. Beta is never stored: everything that the block updates need follows from three sums over the tensors
 * (section "Exact learning" of the method), with tensors divided by the dictionary's scale:
 *     Y_k = sum_n alpha_k^n X_n,   P = sum_n alpha^n alpha^n',   Sxx = sum_{n,s} x^{s,n} x^{s,n}'.
 */
#pragma once

#include "engine/base/random.h"
#include "engine/coding/coder.h"
#include "engine/coding/nonnegative.h"
#include "engine/coding/reduction.h"
#include "engine/learning/learn.h"

/* Steps are longer than those to the minimiser of a block by this factor. Below 2 a projected step on a convex set
 * still never raises a quadratic whose Hessian is a multiple of the identity, and passes over coupled blocks settle
 * sooner. */
#define TOSST_RELAXATION 1.7

typedef struct
{
  TosstContext *context;
  const TosstLayout *layout;
  const float *tensors; /* n x m */
  size_t n;
  double keep; /* what older sums are multiplied by before these tensors add to them; 0: nothing is kept */
  bool scaled; /* the dictionary's scale is settled */
  const TosstLearnOptions *options;
  int D, S, K;
  TosstAtomSet set; /* of every B_k */

  TosstDictionary *dictionary;
  float *codes; /* n x K */
  double *Y;    /* K x m: row k is Y_k, not yet divided by the scale */
  double *P;    /* K x K */
  double *Sxx;  /* D x D, both triangles */
  double l1;    /* sum_n ||alpha^n||_1 */

  TosstCoder *coder;        /* of the codes; NULL: there are none, or nobody will ask for it */
  TosstReduction reduction; /* of the dictionary as it is, */
  bool is_reduced;          /* if that has been made */
  double *Sxc;              /* D x K: sum_{n,s} x c' with c^s = b^s . alpha: column k is U_k b_k */
  double *Scc;              /* K x K: sum_{n,s} c c' = (b' b) .* P */
  double *E;                /* D x D: sum_{n,s} r r' with r = x - V c */
  double *A;                /* K x K: sum_{n,s} beta beta'; but for the exact solver with beta free */
  float *A_float;           /* K x K: the same, its upper part, rounded; the exact solver only */
  double *A_diagonal;       /* K: what A_float has there, not rounded */
  double *C;                /* D x K: sum_{n,s} x beta'; the paper's solvers only */
  double *R;                /* D x K: sum_{n,s} (x - V beta) beta'; the exact one only */
  double *Exc;              /* D x K: sum_{n,s} r c' = Sxc - V Scc */
  bool is_exact;            /* Exc and E are of atoms and sums as they are, in float64 */
  double gained; /* what the last pass over all B_k took from the fit, beta fixed; 0: none since codes were made */
  double *DK;    /* D x K: scratch */
  double *DD;    /* D x D: scratch */
  double *Ub;    /* S x K: U_k' W v_k */
  /* For beta >= 0 and finite gamma only, where Y is not allocated and P has its diagonal alone; see update-nonnegative.c. */
  double *Csum;                     /* D x K: sum_{n,s} x beta' */
  double *N;                        /* S x K: sum_n alpha_k beta_k^s */
  double *mean;                     /* S x K: sum_n beta_k^s */
  double stage[TOSST_LEARN_STAGES]; /* seconds since they were last set to zero */
  double lap;                       /* when the stage at hand began */
  struct TosstStored *stored;       /* alpha and beta of the paper's solvers; NULL for the exact one */
} TosstLearning;

bool tosst_learning_init (TosstLearning *self, TosstContext *context, const TosstLayout *layout, const float *tensors,
                          size_t n, const TosstLearnOptions *options);
/* But for stored, which is its owner's. */
void tosst_learning_clear (TosstLearning *self);

/* Atoms of a state, to the last bit; and its parts into memory of the same sizes, else TOSST_ERROR_ARGUMENT. */
void tosst_learning_restore_atoms (TosstLearning *self, const TosstDictionary *dictionary);
TosstStatus tosst_learning_restore_solver (TosstContext *context, const TosstLearnPart *given,
                                           const TosstLearnPart *own);

/* Whether beta >= 0 is coded together with alpha. */
static inline bool
tosst_learning_is_joint (const TosstLearning *self)
{
  return self->options->problem.nonnegative_beta;
}

/* The seconds since the last call belong to the stage. */
static inline void
tosst_learning_lap (TosstLearning *self, TosstLearnStage stage)
{
  double now = tosst_context_seconds (self->context);
  self->stage[stage] += now - self->lap;
  self->lap = now;
}

/* learn.c. What the options mean for tensors of the layout: where they go on from, and problems that are others' special
 * case. NULL, or one sentence why they make no sense. */
const char *tosst_learn_options_settle (TosstLearnOptions *options, const TosstLayout *layout, size_t n);
/* Goes on from a state: atoms and codes. */
TosstStatus tosst_learning_restore (TosstLearning *self, const TosstLearnState *state);
/* How codes are made while learning. */
void tosst_learning_coding_options (const TosstLearning *self, TosstCodingOptions *options);
/* Codes of the tensors for the dictionary as it is; warm: from the codes they had. coder is what coded
 * them, reduction is made current. */
TosstStatus tosst_learning_code (TosstLearning *self, bool warm, TosstIteration *iteration);
/* Y, P and l1 of these codes, and the residuals, for the reduction that coding has left. */
TosstStatus tosst_learning_update_stats (TosstLearning *self);
/* How many rounds of block updates follow a coding. */
int tosst_learning_rounds (const TosstLearning *self);
/* Rounds of block updates. iteration receives the objective that the sums say, here and below. */
TosstStatus tosst_learning_update_dictionary (TosstLearning *self, TosstIteration *iteration);
/* The random numbers of one iteration: a run that is continued draws the same ones. */
void tosst_learning_init_random (const TosstLearning *self, size_t iteration, TosstRandom *random);

/* replace.c. Atoms with P_kk = 0 take slices of badly reconstructed tensors; coder is that of the codes at hand. */
TosstStatus tosst_learning_replace_unused (TosstLearning *self, const TosstCoder *coder, TosstRandom *random,
                                           TosstIteration *iteration);

/* redirect.c. The same atoms keep their B_k, and b_k turns to that of count badly reconstructed tensors where the atom gains most; one that
 * would gain nothing stays as it is. The reduction must be current. */
TosstStatus tosst_learning_redirect_unused (TosstLearning *self, const size_t *tensors, size_t count);

/* sums.c. Partial sums of Sxx, D x D each: fewer where they are large. */
size_t tosst_learning_partial_sums (size_t D);
/* Sxx, and unless it is settled the scale. */
TosstStatus tosst_learning_update_Sxx (TosstLearning *self);
/* accumulate.c. Y, P and l1 for the codes as they are; keep of the older sums stays. */
TosstStatus tosst_learning_accumulate_stats (TosstLearning *self);
/* accumulate-f64.c. Whether the problem is so small that exactness costs nothing that anybody would notice; and the same sums
 * in float64. */
bool tosst_learning_is_small (const TosstLearning *self);
void tosst_learning_accumulate_stats_f64 (TosstLearning *self);

/* residuals.c. Sxc, Scc, Exc and E for the dictionary as it is. */
TosstStatus tosst_learning_residuals (TosstLearning *self);
/* Scc, Exc, E and R = Exc + E M' for a pass over all B_k; rounded where codes have had a pass before; the same atoms, sums and gain make the same bits. The reduction must be current. */
TosstStatus tosst_learning_residuals_for_pass (TosstLearning *self);

/* slices.c, U_k being the slices of Y_k / scale (D x S). Sxc[:,k] = U_k b_k. */
TosstStatus tosst_learning_update_Sxc (TosstLearning *self);
/* Ub[:,k] = U_k' W v_k; the reduction must be current. */
TosstStatus tosst_learning_update_Ub (TosstLearning *self);
/* Doubles that a worker takes for either. */
size_t tosst_learning_slices_work (const TosstLayout *layout);

/* init.c. Slice s of tensor n, divided by the scale; out: D. */
void tosst_learning_slice (const TosstLearning *self, size_t n, int s, double *out);
/* Atoms from slices of sampled tensors. */
TosstStatus tosst_learning_init_atoms (TosstLearning *self);
/* Makes atom k of slices of tensor n; false if no slice is of use. work: tosst_learning_init_atom_work() doubles. */
size_t tosst_learning_init_atom_work (const TosstLearning *self);
bool tosst_learning_init_atom (TosstLearning *self, int k, size_t n, TosstRandom *random, double *work);

/* update.c. One pass over all B_k with beta fixed, then over all b_k with beta minimised out. The reduction must be current, before
 * and after; residuals are made where they are needed. */
TosstStatus tosst_learning_update (TosstLearning *self);
/* Its two halves, but for beta >= 0; each leaves the reduction current. */
TosstStatus tosst_learning_update_B (TosstLearning *self);
TosstStatus tosst_learning_update_b (TosstLearning *self);
/* What the first half begins with, also for beta >= 0: A_float, its diagonal and R. The reduction must be current. */
TosstStatus tosst_learning_prepare_B (TosstLearning *self);
/* Equation (5) from the sums, with residuals in float64; the reduction must be current. */
TosstStatus tosst_learning_objective (TosstLearning *self, TosstIteration *iteration);

/* sweep.c. The pass over all B_k, for A_float, its diagonal and R at hand; R is used up, and DK. */
TosstStatus tosst_learning_sweep_B (TosstLearning *self);
/* One atom of that pass; after those before it, from 0 on and with nothing else between that touches R, A_float or DK, to the
 * same bits. change: by how much the fit grows, beta fixed; not positive but for rounding. */
TosstStatus tosst_learning_sweep_one_B (TosstLearning *self, size_t k, double *change);
/* sweep-vectors.c. Passes over all b_k; the reduction must be current. Scc is used up. */
TosstStatus tosst_learning_sweep_b (TosstLearning *self);

/* update-nonnegative.c: the same with beta >= 0. Codes and the sums, older ones kept in part. */
TosstStatus tosst_learning_code_nonnegative (TosstLearning *self, const TosstCoder *coder, bool warm,
                                             TosstCodingReport *report);
TosstStatus tosst_learning_update_nonnegative (TosstLearning *self);
/* Its parts but for the pass over all B_k: what that begins with, and all b_k. */
TosstStatus tosst_learning_prepare_B_nonnegative (TosstLearning *self);
void tosst_learning_update_b_nonnegative (TosstLearning *self);
TosstStatus tosst_learning_objective_nonnegative (TosstLearning *self, TosstIteration *iteration);
/* Points the b_k of an atom whose alpha_k are all zero, and which b_k therefore does not matter to, to where its beta are. */
void tosst_learning_redirect_b (TosstLearning *self, int k);
