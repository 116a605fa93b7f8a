/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Storage of tensors, their rank and definiteness, whitening, and sums of few atoms.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosst/context.h"

TOSST_BEGIN_DECLS

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

/* Kind and sides of a tensor. */
typedef struct
{
  TosstShapeKind kind;
  int d1, d2, d3; /* all equal to d, except for general tensors */
} TosstShape;

/* Returns the shape of a kind with all sides d. */
TosstShape tosst_shape (TosstShapeKind kind, int d);
/* Whether kinds and sides are equal. */
bool tosst_shape_equal (TosstShape a, TosstShape b);
/* Whether tensors stored with shape a can be read with shape b: super-symmetric and whole tensors have the same
 * data. */
bool tosst_shape_fits (TosstShape a, TosstShape b);
int tosst_shape_slices (TosstShape shape);          /* S */
int tosst_shape_slice_length (TosstShape shape);    /* D: distinct elements of B */
size_t tosst_shape_numbers (TosstShape shape);      /* m */
size_t tosst_shape_atom_numbers (TosstShape shape); /* elements of B as an array: d^2, d^3 or d1 d2 */
/* Returns NULL if the kind is known, all sides are at least 1 and equal but for general tensors, and a slice, d1 x d2, and
 * a tensor have less than 2^31 numbers, else an error message (static). */
const char *tosst_shape_check (TosstShape shape);

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

TosstLayout *tosst_layout_new (int d); /* super-symmetric; NULL if out of memory, or by tosst_shape_check() */
/* Allocates the layout of any shape. Returns NULL if out of memory, or for a shape that tosst_shape_check() refuses. */
TosstLayout *tosst_layout_new_shape (TosstShape shape);
/* Frees a layout; NULL is ignored. */
void tosst_layout_free (TosstLayout *layout);

/* Converts n tensors from arrays in C order (d x d x d, or d x d for TOSST_SHAPE_SYMMETRIC, d1 x d2 x d3 for general
 * tensors) to the m = tosst_shape_numbers() stored values of each, float32 or float64. Entries that symmetry makes equal
 * are averaged. Returns the largest |entry - stored value|: 0 for tensors that are symmetric to the bit; NaN entries are
 * stored, not counted. full: n x tosst_shape_full_numbers(); packed: n x m. */
double tosst_pack (TosstShape shape, const float *full, size_t n, float *packed);
double tosst_pack_double (TosstShape shape, const double *full, size_t n, double *packed);
/* The reverse: full arrays from stored values, without rounding. */
void tosst_unpack (TosstShape shape, const float *packed, size_t n, float *full);
void tosst_unpack_double (TosstShape shape, const double *packed, size_t n, double *full);
size_t tosst_shape_full_numbers (TosstShape shape); /* elements of a tensor as an array: d^3, d^2 or d1 d2 d3 */

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

/* Rank and definiteness of a tensor, slice by slice: Definition 2 (TRank), Definition 1 and Proposition 1 (positive
 * semi-definite slices). */

/* Planes X[:,:,s] of a tensor, matrices of d1 x d2 elements: d planes for super-symmetric and whole tensors, d3 for
 * general ones, one for second-order ones. Symmetric planes have eigenvalues, planes of general tensors singular
 * values. */
int tosst_planes (TosstShape shape);
int tosst_plane_rank_limit (TosstShape shape); /* min (d1, d2) */
bool tosst_plane_is_symmetric (TosstShape shape);

/* Relative tolerance for the eigenvalues of a plane that corresponds to rounding in float32 or float64. */
double tosst_rank_tolerance (TosstShape shape, bool is_double);

/* Computes the min (d1, d2) eigenvalues or singular values of one plane, largest first. plane: d1 x d2, row-major,
 * not changed. work: tosst_plane_work() bytes, 64-byte aligned. Returns TOSST_ERROR_NUMERIC if the plane is not
 * finite. */
size_t tosst_plane_work (TosstShape shape);
TosstStatus tosst_plane_spectrum (TosstShape shape, const double *plane, void *work, double *values);

/* Number of the n values whose magnitude exceeds tolerance times the largest magnitude; 0 if the largest is at most
 * floor. */
int tosst_spectrum_rank (const double *values, int n, double tolerance, double floor);

/* Rank and definiteness of one tensor. */
typedef struct
{
  int rank;        /* TRank: largest rank of a slice */
  int slice;       /* first slice of this rank */
  int negative;    /* slices with an eigenvalue below -tolerance times their largest magnitude: not PSD */
  double largest;  /* largest magnitude of an eigenvalue in any slice */
  double smallest; /* smallest eigenvalue of any slice; < 0 if a slice is not PSD */
} TosstTensorRank;

/* Definition 2 for n tensors (n x m, stored as in tosst/tensor.h): TRank (X) = max_s rank (X[:,:,s]). An eigenvalue
 * counts if its magnitude exceeds tolerance (> 0) times the largest of its slice, so that the rank of a slice does
 * not depend on its unit. A slice whose eigenvalues are all below tolerance times the largest of the whole tensor is
 * rounding and has rank 0. For general tensors singular values take the place of eigenvalues. ranks: n. spectra: n x
 * planes x min (d1, d2), largest value of each slice first, or NULL. */
TosstStatus tosst_tensor_rank (TosstContext *context, TosstShape shape, const double *tensors, size_t n,
                               double tolerance, TosstTensorRank *ranks, double *spectra);

/* Result of tosst_sample_forms(). */
typedef struct
{
  size_t
      negative; /* samples (z, s) with z' X^s z below -tolerance d times the largest entry of the slice in magnitude */
  double smallest; /* minimum of z' X^s z, |z| = 1 */
} TosstFormSample;

/* Proposition 1 by sampling: z' X^s z >= 0 for `samples` vectors z, uniform on the unit sphere, and every slice of
 * one tensor (m values). Sampling can refute that the slices are PSD but not prove it: smallest is an upper bound of
 * the smallest eigenvalue from tosst_tensor_rank(). For X = (1/N) sum_n x_n (x) x_n (x) x_n the form is (1/N) sum_n
 * x_n^s (z' x_n)^2, so that x_n >= 0 is sufficient. Returns TOSST_ERROR_ARGUMENT for general tensors, whose slices
 * define no quadratic form. */
TosstStatus tosst_sample_forms (TosstContext *context, TosstShape shape, const double *tensor, size_t samples,
                                uint64_t seed, double tolerance, TosstFormSample *sample);

/* Equations (15)-(20) for each of n packed tensors (n x m float32), in place. With A the eigenvectors of the mode-1
 * unfolding's Gram matrix
 *     E = X x_1 A' x_2 A' x_3 A',   E <- sgn (E) |E|^gamma_eigen,   X <- E x_1 A x_2 A x_3 A,   X <- sgn (X) |X|^gamma_coefficient
 * entry by entry. Both exponents are in (0, 1]; an exponent of 1 skips its step. For symmetric matrices A diag (e)
 * A' with eigenvalues e, the core step is e <- sgn (e) |e|^gamma_eigen. The layout is super-symmetric or symmetric.
 *
 * The result does not depend on the signs of eigenvectors, since sgn (.) |.|^gamma is odd. For a repeated eigenvalue
 * A is an arbitrary basis of its eigenspace and the core depends on that choice; tensors of images have distinct
 * eigenvalues. Directions whose singular value (for a matrix: |e|) is below FLT_EPSILON times the largest one
 * contain only the rounding of float32 entries, which a small exponent would amplify, and are set to zero. A zero
 * tensor remains zero.
 *
 * Accuracy: directions of small singular values depend on the last bits of the entries, and the exponent amplifies
 * their part of the core. The error relative to the same steps in float64 is of the order of the effect that
 * rounding the float32 entries by half a unit in the last place has on the float64 result, so that higher precision
 * would not reduce it. For 40 patches of an image (Brodatz D1, d = 35, exponent 0.5) it is 6e-6 to 9e-5 of the
 * largest entry, where rounding the entries causes 7e-6 to 4e-4; the effect is largest for singular values near the
 * limit above, where rounding decides whether a direction is set to zero.
 *
 * Returns TOSST_ERROR_NUMERIC for a NaN or infinite entry. On failure or cancellation part of the tensors is
 * changed. */
TosstStatus tosst_whiten (TosstContext *context, const TosstLayout *layout, float *tensors, size_t n,
                          double gamma_eigen, double gamma_coefficient);

/* Lemma 1 and Theorem 1: few atoms suffice. A sum of N positive semi-definite matrices A_1 + ... + A_N = C of rank M
 * has weights s_n >= 0, few of them non-zero, with
 *
 *     C  <=  sum_n s_n A_n  <=  (1 + epsilon) C        (A <= B: B - A is positive semi-definite)
 *
 * Lemma 1 is that of Silva, Harvey & Sato, "Sparse sums of positive semidefinite matrices": O (M / epsilon^2) weights
 * suffice. Here C is a slice X^s = (1/N) sum_n x_n^s x_n x_n' of the tensor of equation (1), x_n >= 0. Theorem 1
 * requires one set of weights for all slices, so that sum_n s_n x_n (x) x_n (x) x_n is close to X: the same lemma for
 * C = diag (X^1, ..., X^d), of rank up to d^2.
 *
 * The construction is that of Batson, Spielman & Srivastava, "Twice-Ramanujan sparsifiers", for matrices of any rank:
 * q M steps with q > 1, one term each, between two barriers that move at fixed speeds.
 *
 * Proved there: after q M steps, 1 + epsilon <= ((sqrt q + 1) / (sqrt q - 1))^2; the `bound` below. In exact
 * arithmetic a term that fits between the barriers always exists; here its existence is checked at each step, and its
 * absence is TOSST_ERROR_NUMERIC. Measured: `epsilon`, from the eigenvalues of the weighted sum relative to C.
 * Directions in which C is below 1e-9 of its largest eigenvalue in that slice are excluded from C and from both
 * figures. The number of atoms is not claimed to be minimal. A bound that requires more atoms than there are vectors
 * is vacuous; patches with few pixels and many features are such a case. */

/* Result of tosst_sparsify(). */
typedef struct
{
  size_t atoms;    /* number of steps: an upper bound of the non-zero weights */
  size_t nonzeros; /* non-zero weights; with separate weights, the maximum over slices */
  int dimension;   /* M; with separate weights, the maximum over slices */
  double epsilon;  /* measured, maximum over slices */
  double bound;    /* proved for this number of steps */
} TosstSparsification;

/* Computes M: the sum over slices of rank (X^s), or with separate weights the largest of these ranks. vectors: n x d
 * float32, row-major. Returns TOSST_ERROR_ARGUMENT for a negative entry, TOSST_ERROR_NUMERIC for one that is not
 * finite. */
TosstStatus tosst_sparsify_dimension (TosstContext *context, const float *vectors, size_t n, int d, bool separate,
                                      int *dimension);

/* Computes the weights after `atoms` steps, more than M. With n steps or more all weights are 1, and epsilon is 0.
 * separate: Lemma 1, independent weights for each slice; else Theorem 1. weights: d x n or n, relative to the terms
 * of equation (1), so that unit weights give X; or NULL. slice_epsilon: d, measured on each slice, or NULL. Cost:
 * atoms x n x d^3 operations. */
TosstStatus tosst_sparsify (TosstContext *context, const float *vectors, size_t n, int d, bool separate, size_t atoms,
                            double *weights, double *slice_epsilon, TosstSparsification *result);

TOSST_END_DECLS
