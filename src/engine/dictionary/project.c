/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Projections onto the constraint sets of equation (5).
 *
 * PSD with bounded trace: with S = U diag (mu) U', the projection of S onto {B PSD, tr B <= 1} is U diag (nu) U' where
 * nu is the projection of mu onto the simplex cap {nu >= 0, sum nu <= 1}. For rank <= R only the R largest mu take
 * part: the best point of that (non-convex) set.
 */
#include "dictionary/project.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"
#include "tensor/layout.h"

static int
descending (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The t >= 0 for which sum max (u_i - t, 0) = 1, u >= 0 sorted downwards with sum > 1. */
static double
simplex_threshold (const double *u, int n)
{
  double sum = 0, t = 0;
  for (int i = 0; i < n; i++)
    {
      sum += u[i];
      double candidate = (sum - 1) / (i + 1);
      if (u[i] <= candidate)
        break;
      t = candidate;
    }
  return t;
}

void
tosst_project_l1 (double *b, int n, bool nonnegative, double *work)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    {
      if (nonnegative && b[i] < 0)
        b[i] = 0;
      work[i] = fabs (b[i]);
      sum += work[i];
    }
  if (sum <= 1)
    return;
  qsort (work, n, sizeof *work, descending);
  double t = simplex_threshold (work, n);
  for (int i = 0; i < n; i++)
    b[i] = copysign (fmax (fabs (b[i]) - t, 0), b[i]);
}

/* Rows of the eigensolver, padded to whole vectors. */
static size_t
eigen_stride (int d)
{
  return ((size_t)d + TOSST_GRAIN - 1) / TOSST_GRAIN * TOSST_GRAIN;
}

size_t
tosst_project_atom_work (int d)
{
  size_t n = d, stride = eigen_stride (d);
  /* Eigenvectors and eigenvalues in order; then, aligned, what the eigensolver works in. */
  return n * n + n + TOSST_GRAIN + (2 * n + 1) * stride + TOSST_EIGEN_WORK (stride);
}

static void
project_frobenius (double *v, int D)
{
  double norm = 0;
  for (int i = 0; i < D; i++)
    norm += v[i] * v[i];
  norm = sqrt (norm);
  if (norm > 1)
    for (int i = 0; i < D; i++)
      v[i] /= norm;
}

/* Eigenvalues (ascending) to the simplex cap, only the top rank of them. */
static void
project_spectrum (double *mu, int d, int rank)
{
  double sum = 0;
  for (int i = 0; i < d; i++)
    {
      if (i < d - rank || mu[i] < 0)
        mu[i] = 0;
      sum += mu[i];
    }
  if (sum <= 1)
    return;
  double t = 0, total = 0;
  for (int i = d - 1; i >= 0; i--)
    {
      total += mu[i];
      double candidate = (total - 1) / (d - i);
      if (mu[i] <= candidate)
        break;
      t = candidate;
    }
  for (int i = 0; i < d; i++)
    mu[i] = fmax (mu[i] - t, 0);
}

static double *
align (double *work)
{
  return (double *)(((uintptr_t)work + 63) / 64 * 64);
}

/* S = sum_r mu_r u_r u_r', mu ascending. Rows u_r: d x d, then mu: d; both at the start of work. */
static TosstStatus
diagonalise (int d, const double *v, double *work)
{
  size_t stride = eigen_stride (d);
  double *U = work, *mu = U + d * d, *A = align (mu + d), *V = A + d * stride, *values = V + d * stride;
  memset (A, 0, sizeof *A * d * stride);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, v++)
      A[i * stride + j] = A[j * stride + i] = i == j ? *v : *v * M_SQRT1_2;
  if (!tosst_kernels ()->symmetric_eigen (A, d, stride, V, values, values + stride))
    return TOSST_ERROR_NUMERIC;
  for (int r = 0; r < d; r++)
    {
      int rank = 0;
      for (int other = 0; other < d; other++)
        rank += values[other] < values[r] || (values[other] == values[r] && other < r);
      mu[rank] = values[r];
      memcpy (U + (size_t)rank * d, V + r * stride, sizeof *U * d);
    }
  return TOSST_OK;
}

/* B = sum_r nu_r u_r u_r', over the positive nu only, which stand in the place of mu. */
static void
rebuild (int d, const double *work, double *v)
{
  const double *U = work, *nu = U + d * d;
  memset (v, 0, sizeof *v * d * (d + 1) / 2);
  for (int r = d - 1; r >= 0 && nu[r] > 0; r--)
    {
      const double *u = U + (size_t)r * d;
      double *out = v;
      for (int i = 0; i < d; i++)
        {
          double diagonal = nu[r] * u[i], beside = diagonal * M_SQRT2;
          *out++ += diagonal * u[i];
          for (int j = i + 1; j < d; j++)
            *out++ += beside * u[j];
        }
    }
}

TosstStatus
tosst_project_atom (TosstScheme scheme, int rank, int d, double *v, double *work)
{
  if (scheme == TOSST_SCHEME_FREE)
    {
      project_frobenius (v, d * (d + 1) / 2);
      return TOSST_OK;
    }
  TosstStatus status = diagonalise (d, v, work);
  if (status != TOSST_OK)
    return status;
  project_spectrum (work + d * d, d, scheme == TOSST_SCHEME_LOW_RANK && rank < d ? rank : d);
  rebuild (d, work, v);
  return TOSST_OK;
}

TosstStatus
tosst_atom_set_normalise (const TosstAtomSet *set, double *v, bool *exists, double *work)
{
  int d = set->shape.d1, D = tosst_shape_slice_length (set->shape);
  int rank = set->scheme == TOSST_SCHEME_LOW_RANK && set->rank < d ? set->rank : d;
  double size = 0, *mu = work + d * d;
  if (set->scheme == TOSST_SCHEME_FREE)
    size = tosst_atom_set_size (set, v);
  else if (diagonalise (d, v, work) != TOSST_OK)
    return TOSST_ERROR_NUMERIC;
  else
    {
      for (int i = 0; i < d; i++)
        size += mu[i] = i < d - rank ? 0 : fmax (mu[i], 0);
      rebuild (d, work, v);
    }
  *exists = size > 0;
  for (int p = 0; p < D && *exists; p++)
    v[p] /= size;
  return isfinite (size) ? TOSST_OK : TOSST_ERROR_NUMERIC;
}

const char *
tosst_atom_set_check (const TosstAtomSet *set)
{
  int side = set->shape.d1 < set->shape.d2 ? set->shape.d1 : set->shape.d2;
  if (set->scheme == TOSST_SCHEME_FULL && set->shape.kind != TOSST_SHAPE_WHOLE)
    return "atoms that are whole tensors (dictionary.scheme=full) are for super-symmetric third-order tensors";
  if (set->scheme != TOSST_SCHEME_FULL && set->shape.kind == TOSST_SHAPE_WHOLE)
    return "whole third-order atoms are learned by the scheme full";
  if (set->scheme != TOSST_SCHEME_FREE && set->shape.kind == TOSST_SHAPE_GENERAL)
    return "slices of general tensors are not symmetric, so their atoms are free ones: set dictionary.scheme=free";
  if (set->scheme == TOSST_SCHEME_FULL && set->shape.d1 > TOSST_FULL_SIDE)
    return "whole third-order atoms (dictionary.scheme=full) are for sides up to 10: they have d(d+1)(d+2)/6 numbers "
           "each";
  if (set->scheme == TOSST_SCHEME_LOW_RANK && (set->rank < 1 || set->rank > side))
    return "the rank R must be between 1 and d";
  return NULL;
}

size_t
tosst_atom_set_work (const TosstAtomSet *set)
{
  return set->scheme == TOSST_SCHEME_FULL ? tosst_project_whole_work (set->shape.d1)
                                          : tosst_project_atom_work (set->shape.d1);
}

TosstStatus
tosst_atom_set_project (const TosstAtomSet *set, double *v, double *work)
{
  switch (set->scheme)
    {
    case TOSST_SCHEME_FREE:
      project_frobenius (v, tosst_shape_slice_length (set->shape));
      return TOSST_OK;
    case TOSST_SCHEME_FULL:
      return tosst_project_whole (set->shape.d1, v, work);
    case TOSST_SCHEME_PSD:
    case TOSST_SCHEME_LOW_RANK:
    default:
      return tosst_project_atom (set->scheme, set->rank, set->shape.d1, v, work);
    }
}

double
tosst_atom_set_size (const TosstAtomSet *set, const double *v)
{
  int d = set->shape.d1, D = tosst_shape_slice_length (set->shape);
  double size = 0;
  if (set->scheme == TOSST_SCHEME_FREE)
    {
      for (int p = 0; p < D; p++)
        size += v[p] * v[p];
      return sqrt (size);
    }
  if (set->scheme == TOSST_SCHEME_FULL)
    {
      for (int s = 0; s < d; s++)
        {
          double trace = 0;
          for (int i = 0; i < d; i++)
            trace += v[tosst_packed_index (d, i, i, s)] / (i == s ? 1 : sqrt (3));
          size = fmax (size, trace);
        }
      return size;
    }
  for (int i = 0, p = 0; i < d; p += d - i++)
    size += v[p];
  return size;
}
