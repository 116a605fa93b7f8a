/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of the paper's own solvers, which store alpha and beta of every tensor and take steps in both, while the
 * exact solver minimises over beta. For gamma = infinity, problem (3), beta^s = b^s . alpha is not stored.
 */
#pragma once

#include "engine/coding/lasso.h"
#include "engine/learning/pqn.h"
#include "engine/learning/state.h"

typedef struct TosstStored TosstStored;

/* Linear terms of one tensor for the current dictionary. */
typedef struct
{
  const TosstStored *stored;
  double *T;      /* K x S: V' x^s in column s */
  double *q;      /* K: sum_s b^s . T^s, gamma = infinity only */
  double squares; /* sum_s ||x^s||^2 */
} TosstStoredTensor;

/* Workspace of one worker; A, C, moment and P are its partial sums. */
typedef struct
{
  TosstStoredTensor tensor;
  double *slices;             /* D x S x TOSST_STORED_BATCH */
  double *betas;              /* K x S x TOSST_STORED_BATCH */
  double *alphas;             /* K x TOSST_STORED_BATCH */
  double *z, *gradient;       /* tosst_stored_unknowns() each */
  double *A, *C, *moment, *P; /* K x K, D x K, K x S, K x K */
  double *project;            /* tosst_project_atom_work() */
  double l1, nonzeros, worst_kkt;
  TosstBounded *bounded; /* pqn only */
  TosstLassoWork *lasso; /* while starting */
} TosstStoredWork;

struct TosstStored
{
  TosstLearning *learning; /* its dictionary, A, C and P are kept current here. Borrowed. */
  double *alpha;           /* n x K */
  double *beta;            /* n x S x K; NULL for gamma = infinity */
  double *columns;         /* K x S: b^s in column s */
  double *G;               /* K x K: V'V */
  double *H;               /* K x K: G . (b'b), gamma = infinity only */
  double *moment;          /* S x K: sum_n alpha_k beta_k^s; for gamma = infinity sum_n alpha_k v_k'x^s */
  double squares;          /* sum_{n,s} ||x^{s,n}||^2 */
  double eta;              /* step of the gradient solver */
  int threads;
  TosstStoredWork *work; /* one per thread */
  TosstMemory memory;
};

/* stored.c. Allocates for a learning with scale and initial atoms; on failure NULL and a message in its context. */
TosstStored *tosst_stored_new (TosstLearning *learning);
void tosst_stored_free (TosstStored *self);
size_t tosst_stored_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int threads);
/* Stores the state between iterations, besides the dictionary, in part. */
void tosst_stored_parts (const TosstStored *self, TosstLearnPart *part);
/* Initialises beta by a Lasso per slice and alpha by its minimum for that beta, or both from run.resume, and
 * computes their sums. */
TosstStatus tosst_stored_start (TosstStored *self);

/* stored-sums.c. G, and H for gamma = infinity, of the current atoms. */
TosstStatus tosst_stored_gram (TosstStored *self);
/* columns, and H, of the current vectors b. */
void tosst_stored_set_columns (TosstStored *self);
/* A, C, l1, the diagonal of P and, for finite gamma, moment. */
TosstStatus tosst_stored_sum (TosstStored *self);
/* moment and P for gamma = infinity. */
TosstStatus tosst_stored_correlate (TosstStored *self);
/* Equation (5) at the current point; sums (for gamma = infinity those of tosst_stored_correlate()) and G must be
 * current. */
TosstStatus tosst_stored_objective (const TosstStored *self, TosstIteration *iteration);

/* One tensor's unknowns z: beta (K x S) unless gamma = infinity, alpha+ (K), and alpha- (K) if alpha is
 * signed; entries from tosst_stored_first_bound() on are >= 0. */
size_t tosst_stored_unknowns (const TosstLayout *layout, const TosstLearnOptions *options);
size_t tosst_stored_first_bound (const TosstStored *self);
/* Computes the linear terms of tensor n in the workspace. */
void tosst_stored_tensor (const TosstStored *self, size_t n, TosstStoredWork *work);
void tosst_stored_read_unknowns (const TosstStored *self, size_t n, double *z);
void tosst_stored_write_unknowns (TosstStored *self, size_t n, const double *z);
/* Equation (5) of one tensor (data: a TosstStoredTensor) and its gradient in z. */
TosstStatus tosst_stored_evaluate (const double *z, double *f, double *gradient, void *data);
/* Largest violation of optimality at z / max |2 T|. */
double tosst_stored_kkt (const TosstStored *self, const TosstStoredTensor *tensor, const double *z,
                         const double *gradient);

/* solver-pqn.c, solver-gradient.c. One iteration: every block once. */
TosstStatus tosst_pqn_iteration (TosstStored *self, TosstIteration *iteration);
TosstStatus tosst_gradient_iteration (TosstStored *self, TosstIteration *iteration);
/* Sets eta: the option, or the inverse of the largest curvature of a block at the current point. */
void tosst_gradient_choose_eta (TosstStored *self);
/* One step on beta and alpha of every tensor. */
TosstStatus tosst_gradient_code (TosstStored *self);

/* solver-pqn.c, its blocks: alpha and beta of every tensor, with a maximum number of steps to a KKT residual of
 * tolerance; all B; all b. */
TosstStatus tosst_pqn_code (TosstStored *self, int steps, double tolerance);
TosstStatus tosst_pqn_atoms (TosstStored *self, int steps, double tolerance);
TosstStatus tosst_pqn_vectors (TosstStored *self, int steps, double tolerance);
/* The objective's part that depends on V (D x K, data: a TosstStored), and its gradient. */
TosstStatus tosst_pqn_atoms_evaluate (const double *V, double *f, double *gradient, void *data);
/* tosst_pqn_atoms_evaluate() for b (S x K). */
TosstStatus tosst_pqn_vectors_evaluate (const double *b, double *f, double *gradient, void *data);

/* For both: the report of codes after a pass over all tensors. */
void tosst_stored_report (const TosstStored *self, TosstIteration *iteration);
