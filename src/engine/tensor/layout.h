/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tensors and atoms are. An atom is B (x) b, with one number of b for each slice; B is what a slice is.
 *
 *                              tensor                              slices S   B                      stored numbers m
 *     super-symmetric          X_ijk, equal under permutations     d          symmetric d x d        d(d+1)(d+2)/6, i <= j <= k
 *     whole                    the same                            1          super-symmetric        the same
 *     symmetric                X_ij = X_ji (second order)          1          symmetric d x d        d(d+1)/2, i <= j
 *     general (Remark 1)       X_ijs, d1 x d2 x d3                 d3         d1 x d2                d1 d2 d3, C order
 *
 * A whole atom is a third-order tensor of problem (2). Where S = 1 b is the number 1. */
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
  int d1, d2, d3; /* all of them d, but for general */
} TosstShape;

TosstShape tosst_shape (TosstShapeKind kind, int d);
bool tosst_shape_equal (TosstShape a, TosstShape b);
/* Whether tensors that are stored for a can be read as those for b: super-symmetric and whole share their data. */
bool tosst_shape_fits (TosstShape a, TosstShape b);
int tosst_shape_slices (TosstShape shape);          /* S */
int tosst_shape_slice_length (TosstShape shape);    /* D: numbers of B, equal ones once */
size_t tosst_shape_numbers (TosstShape shape);      /* m */
size_t tosst_shape_atom_numbers (TosstShape shape); /* numbers of B as an array: d^2, d^3 or d1 d2 */

/* How a tensor is stored and cut into slices. A tensor holds m numbers; slice s of S, as a vector x^s of length D, is
 * x^s_p = weight[p] * data[index[s * D + p]]: entries that stand for q equal ones have weight sqrt q (1 and sqrt 2 in a
 * symmetric matrix, pairs i <= j in lexicographic order), so that ||x^s||_2 is the Frobenius norm. */
typedef struct
{
  TosstShape shape;
  int d;          /* side: shape.d1 */
  int D;          /* length of a slice */
  int S;          /* number of slices */
  size_t m;       /* stored numbers per tensor */
  int32_t *index; /* S x D, owned */
  double *weight; /* D, owned */
} TosstLayout;

size_t tosst_packed_size (int d);                       /* d(d+1)(d+2)/6 */
int tosst_packed_side (size_t m);                       /* the inverse; 0 if m is no such number */
size_t tosst_packed_index (int d, int i, int j, int k); /* any order of i, j, k */

TosstLayout *tosst_layout_new (int d); /* super-symmetric; NULL if out of memory */
TosstLayout *tosst_layout_new_shape (TosstShape shape);
void tosst_layout_free (TosstLayout *layout);

/* Slice s of one packed super-symmetric tensor as a full d x d matrix. */
void tosst_slice_matrix (const TosstLayout *layout, const float *tensor, int s, double *matrix);
/* A length-D vector (weighted, as above) to a full symmetric d x d matrix and back. */
void tosst_vec_to_matrix (int d, const double *v, double *matrix);
void tosst_matrix_to_vec (int d, const double *matrix, double *v);

/* B of an atom from its vector of length D (weighted, as above) to an array in C order, tosst_shape_atom_numbers() of
 * them, and back. On the way back numbers that should be equal are averaged. */
void tosst_atom_to_array (TosstShape shape, const double *v, double *B);
void tosst_atom_from_array (TosstShape shape, const double *B, double *v);
/* Entry i, j, k of a whole atom. */
double tosst_atom_entry (int d, const double *v, int i, int j, int k);
