/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Newton step of coding/nonnegative.c: for the free entries F^s of all slices
 *
 *     G_FF dbeta^s + gamma (dbeta^s - b^s . dalpha) = r^s,   dalpha_k = b_k . dbeta_k / ||b_k||^2 for alpha_k != 0
 *
 * by conjugate gradients. With G = R' R, rows of R by decreasing eigenvalue, the leading rows (the head, Rh) replace
 * R in a preconditioner that is solved exactly, at a cost that does not grow with K^2:
 *     N^s = (I - Rh_F' C^{-1} Rh_F) / gamma,   C = gamma I + Rh_F Rh_F' = gamma I + diag (eigenvalues) - Rh_Z Rh_Z'
 * (Woodbury). Eliminating beta gives the system of the non-zero alpha,
 *     gamma (b' b) .* (Rt' diag (1 / (gamma + eigenvalue)) Rt)   Rt: rows below the head; their contribution to H
 *     + gamma diag (sum of b_ks^2 over the slices where k is not free) + gamma sum_s (b^s b^s') .* (Rh_F' C^{-1} Rh_F).
 * Eigenvalues below the head are small relative to gamma, so that a few iterations suffice.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/coding/nonnegative-private.h"
#include "engine/coding/tuning.h"

void
tosst_nonnegative_multiply (const TosstNonnegative *self, double factor, const double *in, double add, double *out,
                            double *small)
{
  int K = self->K, S = self->S, rank = self->rank;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->root, rank, in, K, 0, small, rank);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, rank, factor, self->root, rank, small, rank, add, out, K);
}

void
tosst_nonnegative_invert (const TosstNonnegative *self, const double *in, double *out, double *small)
{
  int K = self->K, S = self->S, rank = self->rank;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->root, rank, in, K, 0, small, rank);
  for (int s = 0; s < S; s++)
    for (int i = 0; i < rank; i++)
      small[(size_t)s * rank + i] /= self->gamma + self->eigenvalue[i];
  if (out != in)
    memcpy (out, in, sizeof *out * K * S);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, rank, -1 / self->gamma, self->root, rank, small, rank,
               1 / self->gamma, out, K);
}

/* Selects the free entries of slice s: those that are positive, and those at zero with r > 0, of which only the
 * released one if one bound is released at a time. */
static void
choose_free (const TosstNonnegative *self, int s, const double *beta, TosstNonnegativeWork *w)
{
  size_t K = self->K;
  const double *column = beta + s * K, *r = w->r + s * K;
  bool *is_free = w->is_free + s * K, same = w->factored[s];
  for (size_t k = 0; k < K; k++)
    {
      bool now = column[k] > 0 || (w->one_release ? s * K + k == w->released : r[k] > 0);
      same = same && now == is_free[k];
      is_free[k] = now;
    }
  w->factored[s] = same;
}

/* Gathers the columns of the head of the root whose is_free equals wanted into w->gathered. Returns their number. */
static int
gather_columns (const TosstNonnegative *self, const bool *is_free, bool wanted, TosstNonnegativeWork *w)
{
  size_t head = self->head, n = 0;
  for (size_t k = 0; k < (size_t)self->K; k++)
    if (is_free[k] == wanted)
      memcpy (w->gathered + head * n++, self->root + k * self->rank, sizeof *w->gathered * head);
  return (int)n;
}

/* Computes and factors C of slice s from its free entries or its zeros, whichever are fewer. */
static bool
factor_slice (const TosstNonnegative *self, int s, TosstNonnegativeWork *w)
{
  size_t K = self->K, head = self->head;
  const bool *is_free = w->is_free + s * K;
  double *C = w->factor + s * head * head;
  int count = 0;
  for (size_t k = 0; k < K; k++)
    count += is_free[k];
  bool by_zeros = 2 * (size_t)count > K;
  int n = gather_columns (self, is_free, !by_zeros, w);
  memset (C, 0, sizeof *C * head * head);
  for (size_t i = 0; i < head; i++)
    C[i * head + i] = self->gamma + (by_zeros ? self->eigenvalue[i] : 0);
  if (n > 0)
    cblas_dsyrk (CblasColMajor, CblasLower, CblasNoTrans, head, n, by_zeros ? -1 : 1, w->gathered, head, 1, C, head);
  return LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', head, C, head) == 0;
}

/* out = N in for all slices; in is zero outside the free entries. */
static void
apply_slices (const TosstNonnegative *self, const double *in, double *out, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S, head = self->head;
  double *small = w->small;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, head, S, K, 1, self->root, self->rank, in, K, 0, small, head);
  for (size_t s = 0; s < S; s++)
    {
      const double *L = w->factor + s * head * head;
      cblas_dtrsv (CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, head, L, head, small + s * head, 1);
      cblas_dtrsv (CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, head, L, head, small + s * head, 1);
    }
  memcpy (out, in, sizeof *out * K * S);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, head, -1 / self->gamma, self->root, self->rank, small,
               head, 1 / self->gamma, out, K);
  for (size_t i = 0; i < K * S; i++)
    out[i] = w->is_free[i] ? out[i] : 0;
}

/* Adds the contribution of slice s: the rows gamma^{1/2} L^{-1} Rh_F diag (b^s) for the non-zero atoms, at slice s of
 * S times head rows, whose Gram matrix is added later; and the diagonal contribution of its zeros. */
static void
add_slice (const TosstNonnegative *self, int s, int atoms, TosstNonnegativeWork *w)
{
  size_t K = self->K, head = self->head, rows = head * self->S;
  const double *b = self->columns + s * K, *L = w->factor + s * head * head;
  double *first = w->gathered + s * head;
  const bool *is_free = w->is_free + s * K;
  double root_gamma = sqrt (self->gamma);
  for (int j = 0; j < atoms; j++)
    {
      int k = w->support[j];
      const double *from = self->root + (size_t)k * self->rank;
      double *to = first + j * rows, factor = is_free[k] ? root_gamma * b[k] : 0;
      for (size_t i = 0; i < head; i++)
        to[i] = factor * from[i];
      if (!is_free[k])
        w->schur[(size_t)j * atoms + j] += self->gamma * b[k] * b[k];
    }
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, head, atoms, 1, L, head, first, rows);
}

/* Initialises the Schur complement with the contribution to H of the rows of the root below the head, for the
 * non-zero atoms. */
static void
begin_schur (const TosstNonnegative *self, int atoms, TosstNonnegativeWork *w)
{
  size_t S = self->S, head = self->head, tail = self->rank - head, n = atoms;
  memset (w->schur, 0, sizeof *w->schur * n * n);
  if (tail == 0)
    return;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < tail; i++)
      w->tail[j * tail + i] = self->root[(size_t)w->support[j] * self->rank + head + i]
                              * sqrt (self->gamma / (self->gamma + self->eigenvalue[head + i]));
  cblas_dsyrk (CblasColMajor, CblasLower, CblasTrans, atoms, tail, 1, w->tail, tail, 0, w->schur, atoms);
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++)
      w->schur[j * n + i] *= tosst_dot (S, self->b + w->support[j] * S, self->b + w->support[i] * S);
}

/* Factors the system of alpha. A matrix that is singular to rounding, which happens with more atoms than a tensor has
 * values, is regularised by a ridge; this is admissible because it is a preconditioner. */
static bool
factor_schur (int atoms, TosstNonnegativeWork *w)
{
  double most = 0;
  size_t n = atoms;
  for (size_t i = 0; i < n; i++)
    most = fmax (most, w->schur[i * n + i]);
  /* Packs the lower triangle by columns, because the Lasso's storage has no room for a second full matrix. */
  double *out = w->copy;
  for (size_t j = 0; j < n; out += n - j, j++)
    memcpy (out, w->schur + j * n + j, sizeof *out * (n - j));
  for (double ridge = 1e-14; ridge < 1e-3; ridge *= 100)
    {
      for (size_t i = 0; i < n; i++)
        w->schur[i * n + i] += ridge * most;
      if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', n, w->schur, n) == 0)
        return true;
      const double *from = w->copy;
      for (size_t j = 0; j < n; from += n - j, j++)
        memcpy (w->schur + j * n + j, from, sizeof *from * (n - j));
    }
  return false;
}

/* w->conditioned = preconditioner times w->rest. */
static void
precondition (const TosstNonnegative *self, int atoms, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S;
  apply_slices (self, w->rest, w->conditioned, w);
  if (atoms == 0)
    return;
  for (int j = 0; j < atoms; j++)
    {
      size_t k = w->support[j];
      w->right[j] = self->gamma * tosst_dot_strided (S, self->b + k * S, w->conditioned + k, K);
    }
  LAPACKE_dpotrs_work (LAPACK_COL_MAJOR, 'L', atoms, 1, w->schur, atoms, w->right, atoms);
  memcpy (w->moved, w->rest, sizeof *w->moved * K * S);
  for (int j = 0; j < atoms; j++)
    {
      size_t k = w->support[j];
      for (size_t s = 0; s < S; s++)
        if (w->is_free[s * K + k])
          w->moved[s * K + k] += self->gamma * self->b[k * S + s] * w->right[j];
    }
  apply_slices (self, w->moved, w->conditioned, w);
}

/* out = G in + gamma in with the product in float: the system is solved to a few per cent, until nonmonotone steps
 * fail. */
static void
multiply_narrow (const TosstNonnegative *self, const double *in, double *out, TosstNonnegativeWork *w)
{
  int K = self->K, S = self->S, rank = self->rank;
  size_t n = (size_t)K * S;
  float *x = (float *)w->moved, *y = x + n, *small = (float *)w->small;
  for (size_t i = 0; i < n; i++)
    x[i] = (float)in[i];
  if (self->narrow_gram)
    cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, K, S, K, 1, self->narrow, K, x, K, 0, y, K);
  else
    {
      cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->narrow, rank, x, K, 0, small, rank);
      cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, rank, 1, self->narrow, rank, small, rank, 0, y, K);
    }
  for (size_t i = 0; i < n; i++)
    out[i] = y[i] + self->gamma * in[i];
}

/* w->u = matrix of the step times w->direction, on the free entries. */
static void
multiply_direction (const TosstNonnegative *self, int atoms, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S;
  const double *in = w->direction;
  double *out = w->u;
  if (w->monotone)
    {
      memcpy (out, in, sizeof *out * K * S);
      tosst_nonnegative_multiply (self, 1, in, self->gamma, out, w->small);
    }
  else
    multiply_narrow (self, in, out, w);
  for (int j = 0; j < atoms; j++)
    {
      size_t k = w->support[j];
      const double *b = self->b + k * S;
      double weight = self->gamma * tosst_dot_strided (S, b, in + k, K) / self->norm[k];
      for (size_t s = 0; s < S; s++)
        out[s * K + k] -= weight * b[s];
    }
  for (size_t i = 0; i < K * S; i++)
    out[i] = w->is_free[i] ? out[i] : 0;
}

/* Computes w->step by preconditioned conjugate gradients from zero. */
static TosstStatus
iterate (const TosstNonnegative *self, TosstContext *context, int atoms, double target, TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S;
  double slope = 0;
  memset (w->step, 0, sizeof *w->step * n);
  for (int i = 0; i < STEP_ITERATIONS && tosst_nonnegative_largest (w->rest, n) > target; i++)
    {
      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      precondition (self, atoms, w);
      double before = slope;
      slope = tosst_dot (n, w->rest, w->conditioned);
      if (i == 0)
        memcpy (w->direction, w->conditioned, sizeof *w->direction * n);
      else
        cblas_daxpby (n, 1, w->conditioned, 1, slope / before, w->direction, 1);
      multiply_direction (self, atoms, w);
      double curvature = tosst_dot (n, w->direction, w->u);
      if (!(slope > 0) || !(curvature > 0))
        break;
      cblas_daxpy (n, slope / curvature, w->direction, 1, w->step, 1);
      cblas_daxpy (n, -slope / curvature, w->u, 1, w->rest, 1);
    }
  return TOSST_OK;
}

TosstStatus
tosst_nonnegative_step (const TosstNonnegative *self, TosstContext *context, bool fixed, double target,
                        const double *alpha, const double *beta, TosstNonnegativeWork *w)
{
  size_t K = self->K, n = K * self->S;
  int atoms = 0;
  for (size_t k = 0; k < K && !fixed; k++)
    if (alpha[k] != 0)
      w->support[atoms++] = k;
  for (int s = 0; s < self->S; s++)
    {
      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      choose_free (self, s, beta, w);
      if (!w->factored[s] && !factor_slice (self, s, w))
        return TOSST_ERROR_NUMERIC;
      w->factored[s] = true;
    }
  if (atoms > 0)
    {
      begin_schur (self, atoms, w);
      for (int s = 0; s < self->S; s++)
        {
          if (tosst_context_checkpoint (context))
            return TOSST_CANCELLED;
          add_slice (self, s, atoms, w);
        }
      int rows = self->S * self->head;
      cblas_dsyrk (CblasColMajor, CblasLower, CblasTrans, atoms, rows, 1, w->gathered, rows, 1, w->schur, atoms);
      if (!factor_schur (atoms, w))
        return TOSST_ERROR_NUMERIC;
    }
  for (size_t i = 0; i < n; i++)
    w->rest[i] = w->is_free[i] ? w->r[i] : 0;
  return iterate (self, context, atoms, target, w);
}
