/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>

#include "engine/base/blas.h"
#include "engine/base/memory.h"
#include "engine/coding/lasso.h"
#include "engine/coding/nonnegative.h"
#include "engine/coding/tuning.h"
#include "tosst/code.h"

struct TosstRecoding
{
  TosstCodingOptions options; /* current options */
  bool current;               /* L and q are up to date with options.gamma */
  int D, S, K;
  size_t m, n;
  TosstDictionary *dictionary;
  TosstMemory memory; /* of arrays that live as long as the recoding */
  double *x;          /* n x S x D: slices, divided by the scale */
  bool factored;      /* a factor exists for some gamma */
  /* While E is NULL: */
  double *VV;   /* D x D: V V', lower triangle */
  double *L;    /* D x D */
  float *L_f32; /* L in float */
  /* From the second gamma on (recode-basis.c), else NULL: */
  double *E;          /* D x D: eigenvectors of V V' */
  double *eigenvalue; /* D */
  double *root;       /* D: (1 + eigenvalue / gamma)^{-1/2} */
  float *root_f32;    /* root in float */
  float *basis_V;     /* K x D: E'V */
  double *basis_x;    /* n x S x D: E'x */
  double *half;       /* S x D: scratch */
  double *q;          /* n x K */
  double *shift;      /* n x K: correction of q for the rounding errors of H at the last code */
  bool given;         /* codes were set by the caller */
  double *largest;    /* n: max |q| */
  double *codes;      /* n x K */
  double *kkt;        /* n: relative KKT residual */
  bool *done;         /* n: certified in this call */
  /* Products of the residual of a tensor with all atoms: */
  int padded;         /* S rounded up to a multiple of TOSST_GRAIN */
  double *left;       /* S x D */
  double *transposed; /* D x padded: transpose of left, zero-padded */
  int32_t *row;       /* D: row offsets of transposed */
  /* In float: */
  float *x_f32;          /* n x S x D: L^{-1} x */
  float *residual_f32;   /* S x D */
  float *transposed_f32; /* D x padded */
  /* Rounds: */
  int *entering;                 /* n x K: violators to activate for each tensor */
  int *entered;                  /* n: number of violators */
  struct TosstRoundSpace *space; /* per worker, kept between calls to avoid page faults of some megabytes */
  int workers;
  size_t space_room; /* capacity of H in space */
  /* Active atoms: those in any code since gamma changed; a row of H is room long. */
  int *active;       /* K, the first `count` of them in use */
  int *active_index; /* K: index of an atom in active, or -1 */
  size_t count, room;
  float *U; /* room x D: L^{-1} v */
  float *b; /* room x S, times the sign of alpha if that is given */
  float *H; /* room x room, rounded to float; zero after the last atom */
  /* With beta >= 0, else NULL: */
  TosstNonnegative *joint;
  double *c;         /* n x (K x S): V' x */
  double *beta;      /* n x (K x S), for finite gamma */
  double *next;      /* K per worker, during a call */
  signed char *sign; /* K: feasible sign of alpha_k for gamma = infinity; 0: none */
};

/* For beta >= 0 and finite gamma: set-up, codes, and the residual of tensor i. */
TosstStatus tosst_recoding_joint_new (TosstRecoding *self, TosstContext *context);
TosstStatus tosst_recoding_joint_run (TosstRecoding *self, TosstContext *context);
void tosst_recoding_joint_residual (const TosstRecoding *self, size_t i, double *residual);
double tosst_recoding_joint_proximity (const TosstRecoding *self, size_t i);

/* Sets codes to zero that are infeasible for beta >= 0 and gamma = infinity. */
void tosst_recoding_drop_infeasible (TosstRecoding *self);

static inline bool
tosst_recoding_is_joint (const TosstRecoding *self)
{
  return self->joint && self->options.problem.gamma < (double)INFINITY;
}

/* Adds the listed atoms to the active ones and extends U and H; atoms already active are skipped. */
TosstStatus tosst_recoding_activate_atoms (TosstRecoding *self, TosstContext *context, const int *list, size_t count);
void tosst_recoding_reset_active (TosstRecoding *self);

/* Allocates the workspace of tosst_recoding_correlate() in self->memory. */
void tosst_recoding_alloc_products (TosstRecoding *self);

/* residual (S x D) = slices of tensor i minus its tied reconstruction, x - V c. */
TosstStatus tosst_recoding_tied_residual (const TosstRecoding *self, TosstContext *context, size_t i, double *residual);

/* Computes L^{-1} for options.gamma, as a Cholesky factor or in the eigenbasis. TOSST_ERROR_MEMORY sets no message. */
TosstStatus tosst_recoding_factorise (TosstRecoding *self, TosstContext *context);
void tosst_recoding_free_factor (TosstRecoding *self);
void tosst_recoding_free_basis (TosstRecoding *self);

/* Replaces residual by L^{-1} of its slices, or L^{-T} (CblasTrans); both together apply W. */
void tosst_recoding_apply_inv_factor (const TosstRecoding *self, CBLAS_TRANSPOSE transpose, double *residual);

/* r (K) = sum_s b_k^s v_k . W e^s for the slices e in self->left, which are overwritten: q for the slices of the
 * tensor, and q - H alpha for x - V c. TOSST_ERROR_MEMORY sets no message. */
TosstStatus tosst_recoding_correlate (TosstRecoding *self, TosstContext *context, double *r);
/* tosst_recoding_correlate() for slices multiplied by L^{-1}; tosst_recoding_factor_x() computes these of tensor i. */
TosstStatus tosst_recoding_correlate_factored (TosstRecoding *self, TosstContext *context, double *r);
void tosst_recoding_factor_x (TosstRecoding *self, size_t i);

/* Float versions; if E exists, in its basis, so that E is not part of L^{-1}. apply_inv_factor: `count` columns.
 * factor_x: L^{-1} x for the current L. correlate: q - H alpha of tensor i with an error of about 1e-6 max |q|; the
 * code's atoms must be active. */
void tosst_recoding_apply_inv_factor_f32 (const TosstRecoding *self, CBLAS_TRANSPOSE transpose, float *columns,
                                          size_t count);
void tosst_recoding_factor_x_f32 (TosstRecoding *self);
TosstStatus tosst_recoding_correlate_f32 (TosstRecoding *self, TosstContext *context, size_t i, double *r);

void tosst_recoding_free_space (TosstRecoding *self);

/* Solves for the codes of all tensors, for the current L and q, until each is certified. */
TosstStatus tosst_recoding_run (TosstRecoding *self, TosstContext *context);

static inline const double *
tosst_recoding_b (const TosstRecoding *self, int k)
{
  return self->dictionary->b + (size_t)k * self->S;
}

/* Rounds: recode-rounds.c evaluates codes and selects the atoms to activate, recode-solve.c solves the Lasso on the
 * active atoms. */

/* Workspace of a worker, for as many atoms as H has room for. */
typedef struct TosstRoundSpace
{
  float *p;  /* q and x */
  double *q; /* q in double */
  double *r;
  double *H; /* room x room, pages are touched only as atoms become active */
  TosstLassoWork *f32_work, *exact;
} TosstRoundSpace;

typedef struct
{
  TosstRecoding *self;
  double *r;    /* n x K: q - H alpha of the codes last evaluated */
  double *goal; /* n: target violation of the next solution on the active atoms */
  int round;
  bool *exact; /* n: whether the next solution is computed in double */
  bool solved; /* codes are solutions of this call */
} TosstRounds;

/* For small lambda the restricted Gram matrix may be singular, and with rounding errors indefinite: the iteration
 * would not terminate. */
static inline bool
tosst_recoding_is_ill_conditioned (const TosstRecoding *self, size_t i)
{
  return self->options.problem.lambda / 2 < TOSST_ILL_CONDITIONED_BELOW * self->largest[i];
}

/* Allocates the workspace for the active atoms, for each worker. Returns false if out of memory. Owned by the
 * recoding until tosst_recoding_free_space(). */
bool tosst_rounds_make_space (TosstRecoding *self, int workers);

/* Task of tosst_parallel(), data: TosstRounds: solves for the code of tensor i on the active atoms to the violation
 * goal[i]. */
TosstStatus tosst_rounds_solve (size_t i, int worker, void *data);
