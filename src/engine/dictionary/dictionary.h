/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/tensor/layout.h"

/* Upper bound of entries of tensors and of scales; its inverse is the lower bound of scales. float32 retains full
 * precision in this range. */
#define TOSST_LARGEST 1e30

/* Atoms (B_k, b_k), k = 1..K, of equation (5). */
typedef struct
{
  TosstShape shape; /* shape of the tensors to be coded */
  int d;            /* side of a tensor: shape.d1 */
  int D;            /* length of a slice, as in TosstLayout */
  int S;            /* number of slices */
  int K;            /* number of atoms */
  double *V;        /* D x K column-major: column k is vec B_k, weighted as slices are. Owned. */
  double *b;        /* S x K column-major: column k is b_k. Owned. */
  double scale;     /* tensors are divided by this before coding; > 0 */
} TosstDictionary;

TosstDictionary *tosst_dictionary_new (int d, int K); /* super-symmetric; zeros, scale 1; NULL if out of memory */
TosstDictionary *tosst_dictionary_new_shape (TosstShape shape, int K);
TosstDictionary *tosst_dictionary_new_undefined (TosstShape shape, int K); /* V and b are uninitialised */
TosstDictionary *tosst_dictionary_copy (const TosstDictionary *dictionary);
void tosst_dictionary_free (TosstDictionary *dictionary);

/* Sets or gets the atoms as arrays in C order, float64, as stored in files. B: K x d x d (general: K x d1 x d2,
 * whole: K x d x d x d), b: K x S. tosst_dictionary_set() symmetrises B_k unless the shape is general. */
void tosst_dictionary_set (TosstDictionary *dictionary, const double *B, const double *b);
void tosst_dictionary_get (const TosstDictionary *dictionary, double *B, double *b);

/* Computes B_k for display: d1 x d2 values, C order; for a whole atom the mean of its slices. */
void tosst_dictionary_matrix (const TosstDictionary *dictionary, int k, double *matrix);
