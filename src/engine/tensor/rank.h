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

typedef struct
{
  int rank;        /* TRank: largest rank of a slice */
  int slice;       /* first slice of this rank */
  int negative;    /* slices with an eigenvalue below -tolerance times their largest magnitude: not PSD */
  double largest;  /* largest magnitude of an eigenvalue in any slice */
  double smallest; /* smallest eigenvalue of any slice; < 0 if a slice is not PSD */
} TosstTensorRank;

/* Definition 2 for n tensors (n x m, stored as in tensor/layout.h): TRank (X) = max_s rank (X[:,:,s]). An eigenvalue
 * counts if its magnitude exceeds tolerance (> 0) times the largest of its slice, so that the rank of a slice does
 * not depend on its unit. A slice whose eigenvalues are all below tolerance times the largest of the whole tensor is
 * rounding and has rank 0. For general tensors singular values take the place of eigenvalues. ranks: n. spectra: n x
 * planes x min (d1, d2), largest value of each slice first, or NULL. */
TosstStatus tosst_tensor_rank (TosstContext *context, TosstShape shape, const double *tensors, size_t n,
                               double tolerance, TosstTensorRank *ranks, double *spectra);

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
