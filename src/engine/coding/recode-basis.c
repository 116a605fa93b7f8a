/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W for a sequence of gamma. With V V' = E diag (lambda) E' the matrix L^{-1} of tosst/code.h may be diag (1 +
 * lambda / gamma)^{-1/2} E', because only W = L^{-T} L^{-1} is required. E'V and E'x are computed once; a new gamma
 * then costs D values, and substitutions are replaced by products with a diagonal matrix.
 *
 * The eigenvectors take as long as about ten Cholesky factorisations. They are computed for the second value of
 * gamma, and not at all for large D.
 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/memory.h"
#include "engine/coding/recode-private.h"
#include "engine/coding/tuning.h"

void
tosst_recoding_free_basis (TosstRecoding *self)
{
  free (self->E);
  free (self->eigenvalue);
  free (self->root);
  free (self->root_f32);
  free (self->basis_V);
  free (self->basis_x);
  free (self->half);
  self->E = self->eigenvalue = self->root = self->basis_x = self->half = NULL;
  self->root_f32 = self->basis_V = NULL;
}

void
tosst_recoding_free_factor (TosstRecoding *self)
{
  free (self->VV);
  free (self->L);
  free (self->L_f32);
  self->VV = self->L = NULL;
  self->L_f32 = NULL;
}

static bool
allocate (TosstRecoding *self)
{
  size_t D = self->D, slice = self->S * D;
  self->E = tosst_alloc_aligned (D * D, sizeof *self->E);
  self->eigenvalue = tosst_alloc_aligned (D, sizeof *self->eigenvalue);
  self->root = tosst_alloc_aligned (D, sizeof *self->root);
  self->root_f32 = tosst_alloc_aligned (D, sizeof *self->root_f32);
  self->basis_V = tosst_alloc_aligned (self->K * D, sizeof *self->basis_V);
  self->basis_x = tosst_alloc_aligned (self->n * slice, sizeof *self->basis_x);
  self->half = tosst_alloc_aligned (slice, sizeof *self->half);
  return self->E && self->eigenvalue && self->root && self->root_f32 && self->basis_V && self->basis_x && self->half;
}

/* The workspace has the alignment of E, so that the bits of the results do not depend on memory addresses. */
static TosstStatus
find_eigenvectors (TosstRecoding *self, TosstContext *context)
{
  lapack_int D = self->D, lwork = 1 + 6 * D + 2 * D * D, liwork = 3 + 5 * D;
  double *work = tosst_alloc_aligned (lwork, sizeof *work);
  lapack_int *iwork = malloc (sizeof *iwork * liwork), info = 1;
  TosstStatus status = work && iwork ? TOSST_OK : TOSST_ERROR_MEMORY;
  memcpy (self->E, self->VV, sizeof *self->E * D * D);
  if (status == TOSST_OK)
    info
        = LAPACKE_dsyevd_work (LAPACK_COL_MAJOR, 'V', 'L', D, self->E, D, self->eigenvalue, work, lwork, iwork, liwork);
  free (work);
  free (iwork);
  if (status == TOSST_OK && info != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "eigenvalues of the atoms cannot be found");
  return status;
}

static TosstStatus
transform_strip (size_t item, int worker, void *data)
{
  TosstRecoding *self = data;
  size_t D = self->D, first = item * BASIS_STRIP, count = self->K - first < BASIS_STRIP ? self->K - first : BASIS_STRIP;
  double *transformed = tosst_alloc_aligned (count * D, sizeof *transformed);
  if (!transformed)
    return TOSST_ERROR_MEMORY;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, D, count, D, 1, self->E, D, self->dictionary->V + first * D, D,
               0, transformed, D);
  for (size_t p = 0; p < count * D; p++)
    self->basis_V[first * D + p] = (float)transformed[p];
  free (transformed);
  return TOSST_OK;
}

static TosstStatus
make_basis (TosstRecoding *self, TosstContext *context)
{
  size_t D = self->D;
  TosstStatus status = allocate (self) ? find_eigenvectors (self, context) : TOSST_ERROR_MEMORY;
  if (status == TOSST_OK)
    status = tosst_parallel (context, (self->K + BASIS_STRIP - 1) / BASIS_STRIP, transform_strip, self, 0, 0);
  if (status != TOSST_OK)
    {
      tosst_recoding_free_basis (self);
      return status;
    }
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, D, self->n * self->S, D, 1, self->E, D, self->x, D, 0,
               self->basis_x, D);
  tosst_recoding_free_factor (self);
  return TOSST_OK;
}

TosstStatus
tosst_recoding_factorise (TosstRecoding *self, TosstContext *context)
{
  size_t D = self->D;
  bool is_finite = isfinite (self->options.problem.gamma);
  TosstStatus status = TOSST_OK;
  if (!self->E && is_finite && self->factored && D <= BASIS_MOST_D)
    status = make_basis (self, context);
  if (status != TOSST_OK || (!self->E && !is_finite))
    return status;
  if (!self->E)
    {
      self->factored = true;
      for (size_t i = 0; i < D * D; i++)
        self->L[i] = self->VV[i] / self->options.problem.gamma;
      for (size_t i = 0; i < D; i++)
        self->L[i * D + i] += 1;
      status = tosst_cholesky (context, D, self->L);
      for (size_t i = 0; i < D * D; i++)
        self->L_f32[i] = (float)self->L[i];
      return status;
    }
  for (size_t p = 0; p < D; p++)
    {
      self->root[p] = is_finite ? 1 / sqrt (1 + fmax (self->eigenvalue[p], 0) / self->options.problem.gamma) : 1;
      self->root_f32[p] = (float)self->root[p];
    }
  return TOSST_OK;
}

/* Multiplies slices by the diagonal. */
static void
scale_by_root (const TosstRecoding *self, double *slices)
{
  for (int s = 0; s < self->S; s++)
    for (int p = 0; p < self->D; p++)
      slices[(size_t)s * self->D + p] *= self->root[p];
}

void
tosst_recoding_apply_inv_factor (const TosstRecoding *self, CBLAS_TRANSPOSE transpose, double *residual)
{
  size_t D = self->D, S = self->S;
  if (!isfinite (self->options.problem.gamma))
    return;
  if (!self->E)
    {
      cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, D, S, 1, self->L, D, residual, D);
      return;
    }
  memcpy (self->half, residual, sizeof *residual * S * D);
  if (transpose == CblasTrans)
    scale_by_root (self, self->half);
  cblas_dgemm (CblasColMajor, transpose == CblasTrans ? CblasNoTrans : CblasTrans, CblasNoTrans, D, S, D, 1, self->E, D,
               self->half, D, 0, residual, D);
  if (transpose == CblasNoTrans)
    scale_by_root (self, residual);
}

void
tosst_recoding_factor_x (TosstRecoding *self, size_t i)
{
  size_t size = (size_t)self->S * self->D;
  bool transformed = self->E && isfinite (self->options.problem.gamma);
  memcpy (self->left, (transformed ? self->basis_x : self->x) + i * size, sizeof *self->left * size);
  if (transformed)
    scale_by_root (self, self->left);
  else
    tosst_recoding_apply_inv_factor (self, CblasNoTrans, self->left);
}

void
tosst_recoding_factor_x_f32 (TosstRecoding *self)
{
  size_t D = self->D, slices = self->n * self->S;
  const double *x = self->E ? self->basis_x : self->x;
  for (size_t p = 0; p < slices * D; p++)
    self->x_f32[p] = (float)x[p];
  tosst_recoding_apply_inv_factor_f32 (self, CblasNoTrans, self->x_f32, slices);
}

void
tosst_recoding_apply_inv_factor_f32 (const TosstRecoding *self, CBLAS_TRANSPOSE transpose, float *columns, size_t count)
{
  size_t D = self->D;
  if (!isfinite (self->options.problem.gamma))
    return;
  if (!self->E)
    cblas_strsm (CblasColMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, D, count, 1, self->L_f32, D, columns,
                 D);
  else
    for (size_t j = 0; j < count; j++)
      for (size_t p = 0; p < D; p++)
        columns[j * D + p] *= self->root_f32[p];
}
