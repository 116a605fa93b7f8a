/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of dictionary learning. Beta is not stored: the block updates need only three sums over the tensors
 * (section "Exact learning" of the method), with tensors divided by the dictionary's scale:
 *     Y_k = sum_n alpha_k^n X_n,   P = sum_n alpha^n alpha^n',   Sxx = sum_{n,s} x^{s,n} x^{s,n}'.
 * Where Y and the K x K matrices would be too large, tosst_learn() is lean: tiles of Y are summed anew for every use
 * (tiles.c), Scc is computed by columns, P is float, and H, A_float and G .* P occupy one float matrix in turn. Results
 * are the same up to rounding until an unused atom is replaced: tensors are then judged by the updated atoms, since the
 * atoms of the codes are not kept.
 * On several ranks each has some of the tensors, and Y of some atoms: see divided.h.
 */
#pragma once

#include "engine/base/memory.h"
#include "engine/coding/nonnegative.h"
#include "engine/coding/reduction.h"
#include "tosst/code.h"
#include "tosst/context.h"
#include "tosst/learn.h"

typedef struct
{
  TosstContext *context;
  const TosstLayout *layout;
  const float *tensors; /* n x m */
  size_t n;
  size_t total;   /* number of tensors of all ranks */
  size_t *start;  /* number of the first tensor of each rank, and the total; NULL for a process alone */
  double *packed; /* on several ranks: D x own atoms, scratch */
  float *fetched; /* FETCHED tensors of other ranks and their codes, or NULL */
  double keep;    /* factor of the older sums, to which these tensors are added; 0: sums are reset */
  bool scaled;    /* the dictionary's scale is known */
  bool spreads;   /* more atoms than tensors: initial atoms are different slices of them */
  const TosstLearnOptions *options;
  TosstLearnRun run;
  int D, S, K;
  TosstAtomSet set; /* of every B_k */

  TosstMemory memory; /* of the following arrays */
  TosstDictionary *dictionary;
  float *codes; /* n x K */
  double *
      Y; /* K x m: row k is Y_k, not yet divided by the scale; NULL if lean. On several ranks: own atoms, also if lean */
  double *P;   /* K x K; NULL if lean */
  double *Sxx; /* D x D, both triangles */
  double l1;   /* sum_n ||alpha^n||_1 */

  bool is_lean;                   /* without Y, P and Scc: */
  float *P_float;                 /* K x K, instead of P */
  struct TosstAccumulation *sums; /* lists of the current codes for tiles of Y; NULL before coding */
  struct TosstTiles *tiles;       /* of Y; NULL before their first use */

  TosstCoder *coder;        /* of the current codes; NULL: before coding, or no longer needed */
  TosstReduction reduction; /* of the current dictionary, */
  bool is_reduced;          /* if this is set */
  double *Sxc;        /* D x K: sum_{n,s} x c' with c^s = b^s . alpha: column k is U_k b_k; if lean, the same as R */
  double *Scc;        /* K x K: sum_{n,s} c c' = (b' b) .* P; if lean, only scratch, and NULL unless K is small */
  double *E;          /* D x D: sum_{n,s} r r' with r = x - V c */
  double *A;          /* K x K: sum_{n,s} beta beta'; but for the exact solver with beta free */
  float *A_float;     /* K x K: the same, its upper part, rounded; the exact solver only */
  double *A_diagonal; /* K: diagonal of the matrix in A_float, not rounded */
  double *C;          /* D x K: sum_{n,s} x beta'; the paper's solvers only */
  double *R;          /* D x K: sum_{n,s} (x - V beta) beta'; the exact one only */
  double *Exc;        /* D x K: sum_{n,s} r c' = Sxc - V Scc */
  bool is_exact;      /* Exc and E are current, in float64 */
  double gained;      /* decrease of the fit by the last pass over all B_k, beta fixed; 0 after coding */
  double *DK;         /* D x K: scratch */
  double *DD;         /* D x D: scratch */
  double *Ub;         /* S x K: U_k' W v_k */
  /* For beta >= 0 and finite gamma only, where Y is not allocated and only the diagonal of P is used; see
   * update.c. */
  double *Csum;                     /* D x K: sum_{n,s} x beta' */
  double *N;                        /* S x K: sum_n alpha_k beta_k^s */
  double *mean;                     /* S x K: sum_n beta_k^s */
  double stage[TOSST_LEARN_STAGES]; /* seconds since they were last set to zero */
  double lap;                       /* start of the current stage */
  struct TosstStored *stored;       /* alpha and beta of the paper's solvers; NULL for the exact one */
} TosstLearning;

/* Whether tosst_learn() is lean with these options. ranks: their number, 0 for a process alone. */
bool tosst_learning_is_lean (const TosstLayout *layout, const TosstLearnOptions *options, int ranks);
/* run: copied; or NULL. */
bool tosst_learning_init (TosstLearning *self, TosstContext *context, const TosstLayout *layout, const float *tensors,
                          size_t n, const TosstLearnOptions *options, const TosstLearnRun *run);
/* Frees everything except stored, which the caller owns. */
void tosst_learning_clear (TosstLearning *self);

/* Replaces *copy, or NULL, by a copy of the dictionary. */
TosstStatus tosst_learning_keep_dictionary (const TosstLearning *self, TosstDictionary **copy);

/* Copies the atoms of a saved state without rounding, and its parts into blocks of equal sizes (else
 * TOSST_ERROR_ARGUMENT). */
void tosst_learning_restore_atoms (TosstLearning *self, const TosstDictionary *dictionary);
TosstStatus tosst_learning_restore_solver (TosstContext *context, const TosstLearnPart *given,
                                           const TosstLearnPart *own);

/* Whether beta >= 0 is coded together with alpha. */
static inline bool
tosst_learning_is_joint (const TosstLearning *self)
{
  return self->options->problem.nonnegative_beta;
}

/* P_kk. */
static inline double
tosst_learning_power (const TosstLearning *self, size_t k)
{
  return self->P ? self->P[k * self->K + k] : self->P_float[k * self->K + k];
}

/* Adds the seconds since the last call to the stage. */
static inline void
tosst_learning_lap (TosstLearning *self, TosstLearnStage stage)
{
  double now = tosst_context_seconds (self->context);
  self->stage[stage] += now - self->lap;
  self->lap = now;
}

/* The number of ranks of a run, or 0. */
static inline int
tosst_learn_run_ranks (const TosstLearnRun *run)
{
  return run && run->ranks ? run->ranks->size : 0;
}

/* learn.c. Resolves options and run for tensors of the layout: resumed state, and special cases of the problem. Returns NULL, or
 * an error message (static) if they are invalid. */
const char *tosst_learn_settle (TosstLearnOptions *options, TosstLearnRun *run, const TosstLayout *layout, size_t n);
/* Restores atoms and codes from a saved state. */
TosstStatus tosst_learning_restore (TosstLearning *self, const TosstLearnState *state);
/* Options of coding during learning. */
void tosst_learning_coding_options (const TosstLearning *self, TosstCodingOptions *options);
/* Codes the tensors with the current dictionary and updates coder and reduction. warm: starts from the current
 * codes. */
TosstStatus tosst_learning_code (TosstLearning *self, bool warm, TosstIteration *iteration);
/* Updates Y, P, l1 and the residuals after coding. */
TosstStatus tosst_learning_update_stats (TosstLearning *self);
/* Rounds of block updates after each coding. */
int tosst_learning_rounds (const TosstLearning *self);
/* Runs these rounds. iteration: receives the objective computed from the sums, here and below. */
TosstStatus tosst_learning_update_dictionary (TosstLearning *self, TosstIteration *iteration);
/* Seeds the random numbers of one iteration, identically in a resumed run. */
void tosst_learning_init_random (const TosstLearning *self, size_t iteration, TosstRandom *random);

/* replace.c. Replaces atoms with P_kk = 0 by slices of badly reconstructed tensors. coder: of the current codes. */
TosstStatus tosst_learning_replace_unused (TosstLearning *self, const TosstCoder *coder, TosstRandom *random,
                                           TosstIteration *iteration);

/* residuals.c. Redirects unused atoms to badly fitted tensors: keeps B_k and sets b_k for the one of `count` tensors
 * with the largest decrease of the objective; atoms without a gain are unchanged. The reduction must be current. */
TosstStatus tosst_learning_redirect_unused (TosstLearning *self, const size_t *tensors, size_t count);

/* sums.c. Number of partial sums of Sxx (D x D each), smaller for large D. */
size_t tosst_learning_partial_sums (size_t D);
/* Computes Sxx, and the scale if it is not known yet. */
TosstStatus tosst_learning_update_Sxx (TosstLearning *self);
/* tiles.c. Y, P and l1 of the current codes, added to keep times the older sums; if lean, P_float, l1, and lists from
 * which tiles of Y are summed. */
TosstStatus tosst_learning_accumulate_stats (TosstLearning *self);
/* accumulate.c. The same in whole matrices. */
TosstStatus tosst_learning_accumulate_whole (TosstLearning *self);
/* sums.c. The same sums in float64, for problems so small that the cost is negligible. */
bool tosst_learning_is_small (const TosstLearning *self);
void tosst_learning_accumulate_stats_f64 (TosstLearning *self);
/* Copies the lower triangle of P_float to the upper one. */
TosstStatus tosst_learning_mirror_P (TosstLearning *self);

/* tiles.c. */
void tosst_learning_free_tiles (TosstLearning *self);
/* Sxc[:,k] = U_k b_k, or Ub[:,k] = U_k' W v_k. */
TosstStatus tosst_learning_add_tiles (TosstLearning *self, bool by_b);
size_t tosst_learning_tiles_bytes (const TosstLayout *layout, size_t K, int threads);

/* residuals.c. Columns first .. first + count - 1 of Scc; out: K x count. */
void tosst_learning_code_gram (const TosstLearning *self, size_t first, size_t count, double *out);
/* If lean: LEAN_COLUMNS columns of K values for each worker; NULL if out of memory. */
double *tosst_learning_lean_work (const TosstLearning *self);
/* Sxc, Scc, Exc and E for the current dictionary. */
TosstStatus tosst_learning_residuals (TosstLearning *self);
/* Scc, Exc, E and R = Exc + E M' for a pass over all B_k, from products in float after the first pass on the same
 * codes. The bits depend on the atoms, sums and last gain only. The reduction must be current. */
TosstStatus tosst_learning_residuals_for_pass (TosstLearning *self);

/* tiles.c, U_k being the slices of Y_k / scale (D x S). Sxc[:,k] = U_k b_k, of own atoms. */
TosstStatus tosst_learning_update_Sxc (TosstLearning *self);
/* Ub[:,k] = U_k' W v_k; the reduction must be current. */
TosstStatus tosst_learning_update_Ub (TosstLearning *self);
/* Workspace per worker for either, in doubles. */
size_t tosst_learning_slices_work (const TosstLayout *layout);

/* init.c. Slice s of a tensor, divided by the scale; out: D. */
void tosst_learning_slice (const TosstLearning *self, const float *tensor, int s, double *out);
/* Initialises the atoms by slices of sampled tensors. */
TosstStatus tosst_learning_init_atoms (TosstLearning *self);
/* Sets atom k from a random slice of a tensor. Returns false if it does not project to an atom. taken: S flags of the
 * slices that are not drawn again, updated; or NULL. work: tosst_learning_init_atom_work() doubles. */
size_t tosst_learning_init_atom_work (const TosstLearning *self);
bool tosst_learning_init_atom (TosstLearning *self, int k, const float *tensor, bool *taken, TosstRandom *random,
                               double *work);

/* update.c. One pass over all B_k with beta fixed, then over all b_k, minimised over beta. Needs a current reduction
 * and keeps it current; computes residuals as needed. */
TosstStatus tosst_learning_update (TosstLearning *self);
/* The two passes, for free beta; each keeps the reduction current. */
TosstStatus tosst_learning_update_B (TosstLearning *self);
TosstStatus tosst_learning_update_b (TosstLearning *self);
/* Prepares the pass over all B_k, also for beta >= 0: A_float, its diagonal and R. The reduction must be current. */
TosstStatus tosst_learning_prepare_B (TosstLearning *self);
/* Equation (5) from the sums, with residuals in float64; the reduction must be current. */
TosstStatus tosst_learning_objective (TosstLearning *self, TosstIteration *iteration);

/* sweep.c. The pass over all B_k, given A_float, its diagonal and R; overwrites R and DK. */
TosstStatus tosst_learning_sweep_B (TosstLearning *self);
/* One atom of that pass, in the order 0, 1, ... and without other changes of R, A_float or DK between: gives the
 * same bits as the pass. change: increase of the fit with beta fixed, <= 0 up to rounding. */
TosstStatus tosst_learning_sweep_one_B (TosstLearning *self, size_t k, double *change);
/* sweep.c. Passes over all b_k; the reduction must be current. Overwrites Scc. */
TosstStatus tosst_learning_sweep_b (TosstLearning *self);

/* update.c: the same for beta >= 0. Codes the tensors and updates the sums. */
TosstStatus tosst_learning_code_nonnegative (TosstLearning *self, const TosstCoder *coder, bool warm,
                                             TosstCodingReport *report);
void tosst_learning_update_b_nonnegative (TosstLearning *self); /* the pass over all b_k */
/* Sets b_k of an atom with all alpha_k = 0, on which the objective then does not depend, to the direction of its
 * beta. */
void tosst_learning_redirect_b (TosstLearning *self, int k);
