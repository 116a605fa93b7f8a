/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tosst/tensor.h"

typedef struct
{
  int r;                                       /* rank of the slice */
  double *w;                                   /* n x r: terms */
  double *A;                                   /* r rows, stride apart */
  double *copy, *vectors, *values, *work;      /* for symmetric_eigen() */
  double *y;                                   /* n x r */
  double upper, upper_next, lower, lower_next; /* traces of this block */
  double *upper1, *upper2, *lower1, *lower2;   /* n: tr (.^-1 A_n), tr (.^-2 A_n) */
} TosstSparsifierBlock;

typedef struct
{
  TosstContext *context;
  size_t n;
  int d, stride;
  TosstSparsifierBlock *block; /* d */
  void *memory;
  int first, count; /* blocks of the current run, which share weights */
  double u, l, u_next, l_next;
} TosstSparsifier;

/* Eigendecomposition of the leading submatrix of A of the given order. */
bool tosst_sparsifier_eigen (const TosstSparsifier *self, TosstSparsifierBlock *block, int order);

/* M of blocks first .. first + count - 1. */
int tosst_sparsifier_dimension (const TosstSparsifier *self, int first, int count);

/* Runs `steps` steps, more than M, over these blocks, whose terms share weights (n, zeroed by the caller). */
TosstStatus tosst_sparsifier_run (TosstSparsifier *self, int first, int count, size_t steps, double *weights);

/* Scales the weights of the last run so that C is the lower bound, and measures epsilon of its blocks. slice_epsilon
 * is indexed by block. */
TosstStatus tosst_sparsifier_conclude (TosstSparsifier *self, double *weights, double *slice_epsilon, double *epsilon);
