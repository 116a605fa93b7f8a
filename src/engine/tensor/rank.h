/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rank and definiteness of a tensor, slice by slice: Definition 2 (TRank), Definition 1 and Proposition 1 (positive
 * semi-definite slices).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/context.h"
#include "engine/tensor/layout.h"

/* The matrices of a tensor as users see it: X[:,:,s]. d1 x d2 numbers each; d of a super-symmetric tensor, whether its
 * atoms are whole or not, d3 of a general one, one of a second-order one. Symmetric ones have eigenvalues, those of a
 * general tensor singular values. */
int tosst_planes (TosstShape shape);
int tosst_plane_rank_limit (TosstShape shape); /* min (d1, d2) */
bool tosst_plane_is_symmetric (TosstShape shape);

/* Rounding of numbers held in float32 and in float64, as a relative tolerance for the eigenvalues of a plane. */
double tosst_rank_tolerance (TosstShape shape, bool is_double);

/* Eigenvalues or singular values of one plane (d1 x d2, row by row, not changed), largest first: min (d1, d2) of them.
 * work: tosst_plane_work() bytes, 64-byte aligned. TOSST_ERROR_NUMERIC if the plane is not finite. */
size_t tosst_plane_work (TosstShape shape);
TosstStatus tosst_plane_spectrum (TosstShape shape, const double *plane, void *work, double *values);

/* How many of the n values exceed tolerance times the largest size among them; 0 if that largest is at most floor. */
int tosst_spectrum_rank (const double *values, int n, double tolerance, double floor);

typedef struct
{
  int rank;        /* TRank: the largest rank of a slice */
  int slice;       /* the first slice that has it */
  int negative;    /* slices with an eigenvalue below -tolerance times their largest size: not PSD */
  double largest;  /* largest size of an eigenvalue in any slice */
  double smallest; /* smallest eigenvalue of any slice; < 0 where one is not PSD */
} TosstTensorRank;

/* Definition 2 for n tensors (n x m, as tensor/layout.h stores them): TRank (X) = max_s rank (X[:,:,s]). An eigenvalue
 * counts when its size is above tolerance (> 0) times the largest of its own slice: the rank of a slice does not depend
 * on its unit. A slice whose eigenvalues are all below tolerance times the largest of the whole tensor is rounding and
 * has rank 0. For general tensors read singular values for eigenvalues. ranks: n. spectra: n x planes x min (d1, d2),
 * each slice's values with the largest first, or NULL. */
TosstStatus tosst_tensor_rank (TosstContext *context, TosstShape shape, const double *tensors, size_t n,
                               double tolerance, TosstTensorRank *ranks, double *spectra);

typedef struct
{
  size_t negative; /* samples (z, s) with z' X^s z below -tolerance d times the size of the slice's largest entry */
  double smallest; /* smallest z' X^s z, |z| = 1 */
} TosstFormSample;

/* Proposition 1 by sampling: z' X^s z >= 0 for `samples` vectors z, uniform on the unit sphere, and every slice of one
 * tensor (m numbers). It can refute that the slices are PSD and never prove it: smallest is an upper bound of the
 * smallest eigenvalue that tosst_tensor_rank() computes. For X = (1/N) sum_n x_n (x) x_n (x) x_n the form is
 * (1/N) sum_n x_n^s (z' x_n)^2, so that x_n >= 0 is enough. TOSST_ERROR_ARGUMENT for general tensors, whose slices have
 * no form. */
TosstStatus tosst_sample_forms (TosstContext *context, TosstShape shape, const double *tensor, size_t samples,
                                uint64_t seed, double tolerance, TosstFormSample *sample);
