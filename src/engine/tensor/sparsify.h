/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lemma 1 and Theorem 1: few atoms suffice. A sum of N positive semi-definite matrices A_1 + ... + A_N = C of rank M
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
 * is vacuous; patches with few pixels and many features are such a case.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/context.h"

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
