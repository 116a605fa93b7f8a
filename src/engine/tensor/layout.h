/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How a tensor is stored and cut into slices. A tensor holds m numbers; slice s of S, as a vector x^s of length D,
 * is x^s_p = weight[p] * data[index[s * D + p]]. For a third-order super-symmetric tensor of side d, S = d,
 * D = d(d+1)/2 (pairs i <= j, lexicographic), m = d(d+1)(d+2)/6 (triples i <= j <= k, lexicographic) and weight is 1 on the
 * diagonal, sqrt 2 beside it, so that ||x^s||_2 = ||X[:,:,s]||_F. */
typedef struct
{
  int       d;      /* side */
  int       D;      /* length of a slice */
  int       S;      /* number of slices */
  size_t    m;      /* stored numbers per tensor */
  int32_t  *index;  /* S x D, owned */
  double   *weight; /* D, owned */
} TosstLayout;

size_t tosst_packed_size (int d);                 /* d(d+1)(d+2)/6 */
int    tosst_packed_side (size_t m);              /* the inverse; 0 if m is no such number */
size_t tosst_packed_index (int d, int i, int j, int k); /* any order of i, j, k */

TosstLayout *tosst_layout_new (int d); /* NULL if out of memory */
void         tosst_layout_free (TosstLayout *layout);

/* Slice s of one packed tensor as a full d x d matrix. */
void tosst_slice_matrix (const TosstLayout *layout, const float *tensor, int s, double *matrix);
/* A length-D vector (weighted, as above) to a full symmetric d x d matrix and back. */
void tosst_vec_to_matrix (int d, const double *v, double *matrix);
void tosst_matrix_to_vec (int d, const double *matrix, double *v);
