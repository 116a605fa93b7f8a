/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of tensors and atoms. An atom is B (x) b, with one coefficient of b per slice; B has the shape of a slice.
 *
 *                              tensor                              slices S   B                      stored numbers m
 *     super-symmetric          X_ijk, equal under permutations     d          symmetric d x d        d(d+1)(d+2)/6, i <= j <= k
 *     whole                    the same                            1          super-symmetric        the same
 *     symmetric                X_ij = X_ji (second order)          1          symmetric d x d        d(d+1)/2, i <= j
 *     general (Remark 1)       X_ijs, d1 x d2 x d3                 d3         d1 x d2                d1 d2 d3, C order
 *
 * A whole atom is a third-order tensor of problem (2). For S = 1, b = 1. */
typedef enum
{
  TOSST_SHAPE_SUPER_SYMMETRIC,
  TOSST_SHAPE_WHOLE,
  TOSST_SHAPE_SYMMETRIC,
  TOSST_SHAPE_GENERAL,
} TosstShapeKind;

typedef struct
{
  TosstShapeKind kind;
  int d1, d2, d3; /* all equal to d, except for general tensors */
} TosstShape;

TosstShape tosst_shape (TosstShapeKind kind, int d);
bool tosst_shape_equal (TosstShape a, TosstShape b);
/* Whether tensors stored with shape a can be read with shape b: super-symmetric and whole tensors have the same
 * data. */
bool tosst_shape_fits (TosstShape a, TosstShape b);
int tosst_shape_slices (TosstShape shape);          /* S */
int tosst_shape_slice_length (TosstShape shape);    /* D: distinct elements of B */
size_t tosst_shape_numbers (TosstShape shape);      /* m */
size_t tosst_shape_atom_numbers (TosstShape shape); /* elements of B as an array: d^2, d^3 or d1 d2 */

/* Storage of a tensor and its decomposition into slices. A tensor has m stored values; slice s of S, as a vector x^s
 * of length D, is x^s_p = weight[p] * data[index[s * D + p]]. An entry that represents q equal entries has weight
 * sqrt q (1 and sqrt 2 in a symmetric matrix, pairs i <= j in lexicographic order), so that ||x^s||_2 is the
 * Frobenius norm. */
typedef struct
{
  TosstShape shape;
  int d;          /* side: shape.d1 */
  int D;          /* length of a slice */
  int S;          /* number of slices */
  size_t m;       /* stored values per tensor */
  int32_t *index; /* S x D, owned */
  double *weight; /* D, owned */
} TosstLayout;

size_t tosst_packed_size (int d);                       /* d(d+1)(d+2)/6 */
int tosst_packed_side (size_t m);                       /* inverse; 0 if m is not a packed size */
size_t tosst_packed_index (int d, int i, int j, int k); /* i, j, k in any order */

TosstLayout *tosst_layout_new (int d); /* super-symmetric; NULL if out of memory */
TosstLayout *tosst_layout_new_shape (TosstShape shape);
void tosst_layout_free (TosstLayout *layout);

/* Expands slice s of a packed super-symmetric tensor to a full d x d matrix. */
void tosst_slice_matrix (const TosstLayout *layout, const float *tensor, int s, double *matrix);
/* Converts a vector of length D (weighted, as above) to a full symmetric d x d matrix and back. */
void tosst_vec_to_matrix (int d, const double *v, double *matrix);
void tosst_matrix_to_vec (int d, const double *matrix, double *v);

/* Converts B of an atom from its vector of length D (weighted, as above) to an array of tosst_shape_atom_numbers()
 * elements in C order, and back. The reverse conversion averages elements that symmetry makes equal. */
void tosst_atom_to_array (TosstShape shape, const double *v, double *B);
void tosst_atom_from_array (TosstShape shape, const double *B, double *v);
/* Returns entry i, j, k of a whole atom. */
double tosst_atom_entry (int d, const double *v, int i, int j, int k);
