/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Projections onto the constraint sets of equation (5).
 *
 * PSD with bounded trace: with S = U diag (mu) U', the projection of S onto {B PSD, tr B <= 1} is U diag (nu) U'
 * where nu is the projection of mu onto the simplex cap {nu >= 0, sum nu <= 1}. For rank <= R only the R largest mu
 * are projected, which gives a nearest point of this non-convex set.
 */
#include "tosst/dictionary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/simd/kernels.h"
#include "tosst/tensor.h"

/* Threshold t >= 0 with sum max (u_i - t, 0) = 1, for u >= 0 with sum > 1: t computed from all elements is too
 * small, as is t of the elements above it, until no element drops out. The iteration ends when their number does not
 * decrease, because rounding could make it cycle. */
static double
simplex_threshold (const double *u, int n)
{
  double t = 0;
  for (int before = n + 1;;)
    {
      double sum = 0;
      int above = 0;
      for (int i = 0; i < n; i++)
        {
          sum += u[i] > t ? u[i] : 0;
          above += u[i] > t;
        }
      if (above == 0 || above >= before)
        return t;
      t = (sum - 1) / above;
      before = above;
    }
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
  double t = simplex_threshold (work, n);
  for (int i = 0; i < n; i++)
    b[i] = copysign (fmax (fabs (b[i]) - t, 0), b[i]);
}

/* Workspace of the projection of a d x d matrix; rows are stride apart. */
typedef struct
{
  size_t stride;
  double *mu;   /* d: eigenvalues, ascending; later those of the projection */
  double *U;    /* their eigenvectors, as rows; initially the matrix */
  double *V;    /* unsorted eigenvectors; later those of the projection times their eigenvalues */
  double *B;    /* the projection; initially the unsorted eigenvalues */
  double *work; /* workspace of the eigensolver */
} Spectrum;

static Spectrum
spectrum_in (int d, double *work)
{
  size_t stride = tosst_grain (d);
  double *mu = (double *)(((uintptr_t)work + 63) / 64 * 64), *U = mu + stride;
  return (Spectrum){ stride, mu, U, U + d * stride, U + 2 * d * stride, U + 3 * d * stride };
}

size_t
tosst_project_atom_work (int d)
{
  size_t stride = tosst_grain (d);
  return TOSST_GRAIN + stride + 3 * d * stride + TOSST_EIGEN_WORK (stride);
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

/* Computes S = sum_r mu_r u_r u_r', mu ascending. */
static TosstStatus
diagonalise (int d, const double *v, const Spectrum *self)
{
  size_t stride = self->stride;
  double *S = self->U, *values = self->B;
  memset (S, 0, sizeof *S * d * stride);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, v++)
      S[i * stride + j] = S[j * stride + i] = i == j ? *v : *v * M_SQRT1_2;
  if (!tosst_kernels ()->symmetric_eigen (S, d, stride, self->V, values, self->work))
    return TOSST_ERROR_NUMERIC;
  for (int r = 0; r < d; r++)
    {
      int rank = 0;
      for (int other = 0; other < d; other++)
        rank += values[other] < values[r] || (values[other] == values[r] && other < r);
      self->mu[rank] = values[r];
      memcpy (self->U + rank * stride, self->V + r * stride, sizeof *S * stride);
    }
  return TOSST_OK;
}

/* Computes B = sum_r mu_r u_r u_r' over the positive mu only. */
static void
rebuild (int d, const Spectrum *self, double *v)
{
  size_t stride = self->stride;
  int32_t offset[d];
  int terms = 0;
  for (int r = d - 1; r >= 0 && self->mu[r] > 0; r--, terms++)
    {
      const double *u = self->U + r * stride;
      offset[terms] = r * stride;
      for (int i = 0; i < d; i++)
        self->V[terms * stride + i] = self->mu[r] * u[i];
    }
  tosst_kernels ()->product_double (self->V, 1, stride, d, self->U, offset, terms, stride, self->B, stride, false);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      *v++ = self->B[i * stride + j] * (i == j ? 1 : M_SQRT2);
}

TosstStatus
tosst_project_atom (TosstScheme scheme, int rank, int d, double *v, double *work)
{
  if (scheme == TOSST_SCHEME_FREE)
    {
      project_frobenius (v, d * (d + 1) / 2);
      return TOSST_OK;
    }
  Spectrum spectrum = spectrum_in (d, work);
  TosstStatus status = diagonalise (d, v, &spectrum);
  if (status != TOSST_OK)
    return status;
  /* Only the top rank of the eigenvalues, which are ascending, is projected onto the simplex cap. */
  double *mu = spectrum.mu, sum = 0;
  int first = scheme == TOSST_SCHEME_LOW_RANK && rank < d ? d - rank : 0;
  for (int i = 0; i < d; i++)
    {
      if (i < first || mu[i] < 0)
        mu[i] = 0;
      sum += mu[i];
    }
  double t = sum > 1 ? simplex_threshold (mu, d) : 0;
  for (int i = 0; i < d && sum > 1; i++)
    mu[i] = fmax (mu[i] - t, 0);
  rebuild (d, &spectrum, v);
  return TOSST_OK;
}

TosstStatus
tosst_atom_set_normalise (const TosstAtomSet *set, double *v, bool *exists, double *work)
{
  int d = set->shape.d1, D = tosst_shape_slice_length (set->shape);
  int rank = set->scheme == TOSST_SCHEME_LOW_RANK && set->rank < d ? set->rank : d;
  Spectrum spectrum = spectrum_in (d, work);
  double size = 0, *mu = spectrum.mu;
  if (set->scheme == TOSST_SCHEME_FREE)
    size = tosst_atom_set_size (set, v);
  else if (diagonalise (d, v, &spectrum) != TOSST_OK)
    return TOSST_ERROR_NUMERIC;
  else
    {
      for (int i = 0; i < d; i++)
        size += mu[i] = i < d - rank ? 0 : fmax (mu[i], 0);
      rebuild (d, &spectrum, v);
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
  if ((unsigned)set->scheme > TOSST_SCHEME_FULL)
    return "the scheme of the atoms is unknown";
  if (set->scheme == TOSST_SCHEME_FULL && set->shape.kind != TOSST_SHAPE_WHOLE)
    return "atoms that are whole tensors (dictionary.scheme=full) need super-symmetric third-order tensors";
  if (set->scheme != TOSST_SCHEME_FULL && set->shape.kind == TOSST_SHAPE_WHOLE)
    return "whole third-order atoms are learned by the scheme full";
  if (set->scheme != TOSST_SCHEME_FREE && set->shape.kind == TOSST_SHAPE_GENERAL)
    return "general tensors have slices that are not symmetric and need free atoms: set dictionary.scheme=free";
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
