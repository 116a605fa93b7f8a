/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>

#include "coding/lasso.h"
#include "coding/nonnegative.h"
#include "coding/recode.h"

struct TosstRecoding
{
  TosstCodingOptions options; /* those in force */
  bool current;               /* L, U, y and q are those of options.gamma */
  int D, S, K;
  size_t m, n;
  TosstDictionary *dictionary;
  double *x;       /* n x S x D: slices, divided by the scale */
  double *y;       /* n x S x D: L^{-1} x */
  double *VV;      /* D x D: V V' */
  double *L;       /* D x D */
  double *U;       /* D x K: L^{-1} V */
  double *q;       /* n x K */
  double *largest; /* n: max |q| */
  double *codes;   /* n x K */
  double *kkt;     /* n: relative */
  bool *done;      /* n: certified in this call */
  double **column; /* K: column k of H, or NULL */
  int *entering;   /* n x K: violators that a tensor takes in, */
  int *entered;    /* n: how many */
  /* With beta >= 0, else NULL: */
  TosstNonnegative *joint;
  double *c;         /* n x (K x S): V' x */
  double *beta;      /* n x (K x S), for finite gamma */
  double *next;      /* K per worker, during a call */
  signed char *sign; /* K: that of alpha_k for gamma = infinity; 0: none */
};

/* With beta >= 0 and finite gamma: what is shared, the codes, and what is left of tensor i. */
TosstStatus tosst_recoding_joint_new (TosstRecoding *self, TosstContext *context);
void tosst_recoding_joint_free (TosstRecoding *self);
TosstStatus tosst_recoding_joint_run (TosstRecoding *self, TosstContext *context);
void tosst_recoding_joint_residual (const TosstRecoding *self, size_t i, double *residual);
double tosst_recoding_joint_proximity (const TosstRecoding *self, size_t i);

/* Drops codes that beta >= 0 and gamma = infinity forbid. */
void tosst_recoding_restrict (TosstRecoding *self);

static inline bool
tosst_recoding_is_joint (const TosstRecoding *self)
{
  return self->joint && self->options.gamma < (double)INFINITY;
}

/* Improves the codes of all tensors, for the L, U and q in place, until each is certified. */
TosstStatus tosst_recoding_run (TosstRecoding *self, TosstContext *context);

TosstStatus tosst_recoding_no_memory (TosstContext *context);

static inline const double *
tosst_recoding_b (const TosstRecoding *self, int k)
{
  return self->dictionary->b + (size_t)k * self->S;
}
