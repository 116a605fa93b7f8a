/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coding/reduction.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"

bool
tosst_reduction_small (size_t D, size_t K)
{
  return 2 * K <= D;
}

bool
tosst_reduction_init (TosstReduction *self, int D, int K)
{
  *self = (TosstReduction){ .D = D, .K = K };
  if (tosst_reduction_small (D, K))
    self->Q = malloc (sizeof (double) * K * K);
  else
    self->L = malloc (sizeof (double) * D * D);
  self->WV = malloc (sizeof (double) * D * K);
  self->G = malloc (sizeof (double) * K * K);
  if ((self->L || self->Q) && self->WV && self->G)
    return true;
  tosst_reduction_clear (self);
  return false;
}

void
tosst_reduction_clear (TosstReduction *self)
{
  free (self->L);
  free (self->Q);
  free (self->WV);
  free (self->G);
  *self = (TosstReduction){ 0 };
}

/* Q = (V'V + gamma I)^{-1} and W V = gamma V Q. */
static TosstStatus
update_small (TosstReduction *self, TosstContext *context, const double *V, double gamma)
{
  int D = self->D, K = self->K;
  double *Q = self->Q;
  TosstStatus status = tosst_dgemm (context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, V, D, 0, Q, K);
  if (status != TOSST_OK)
    return status;
  for (int k = 0; k < K; k++)
    Q[(size_t)k * K + k] += gamma;
  status = tosst_cholesky (context, K, Q);
  if (status != TOSST_OK)
    return status;
  if (LAPACKE_dpotri_work (LAPACK_COL_MAJOR, 'L', K, Q, K) != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "a matrix that must be positive definite is not");
  for (size_t i = 0; i < (size_t)K; i++)
    for (size_t j = 0; j < i; j++)
      Q[i * K + j] = Q[j * K + i];
  return tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, K, gamma, V, D, Q, K, 0, self->WV, D);
}

/* L of F = I + V V' / gamma and W V by two substitutions. */
static TosstStatus
update_large (TosstReduction *self, TosstContext *context, const double *V, double gamma)
{
  int D = self->D, K = self->K;
  memset (self->L, 0, sizeof (double) * D * D);
  for (int i = 0; i < D; i++)
    self->L[(size_t)i * D + i] = 1;
  memcpy (self->WV, V, sizeof (double) * D * K);
  TosstStatus status = tosst_dgemm_lower (context, CblasNoTrans, CblasTrans, D, K, 1 / gamma, V, D, V, D, 1, self->L, D);
  if (status == TOSST_OK)
    status = tosst_cholesky (context, D, self->L);
  if (status == TOSST_OK)
    status = tosst_dtrsm (context, CblasNoTrans, D, K, self->L, D, self->WV, D);
  if (status == TOSST_OK)
    status = tosst_dtrsm (context, CblasTrans, D, K, self->L, D, self->WV, D);
  return status;
}

TosstStatus
tosst_reduction_update (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double gamma)
{
  int D = self->D, K = self->K;
  const double *V = dictionary->V;
  TosstStatus status = TOSST_OK;
  self->gamma = gamma;
  if (!isfinite (gamma))
    memcpy (self->WV, V, sizeof (double) * D * K);
  else
    status = self->Q ? update_small (self, context, V, gamma) : update_large (self, context, V, gamma);
  if (status != TOSST_OK)
    return status;
  status = tosst_dgemm_lower (context, CblasTrans, CblasNoTrans, K, D, 1, V, D, self->WV, D, 0, self->G, K);
  return status == TOSST_OK ? tosst_mirror (context, K, self->G, K) : status;
}

TosstStatus
tosst_reduction_apply (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double *R,
                       int columns, double *work)
{
  int D = self->D, K = self->K;
  if (!isfinite (self->gamma))
    return TOSST_OK;
  /* W R = R - V (V'V + gamma I)^{-1} V'R, and W V / gamma is the first of these factors. */
  TosstStatus status = self->Q ? tosst_dgemm (context, CblasTrans, CblasNoTrans, K, columns, D, 1, dictionary->V, D, R, D, 0,
                                              work, K)
                               : tosst_dtrsm (context, CblasNoTrans, D, columns, self->L, D, R, D);
  if (status != TOSST_OK)
    return status;
  return self->Q ? tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, columns, K, -1 / self->gamma, self->WV, D, work, K,
                                1, R, D)
                 : tosst_dtrsm (context, CblasTrans, D, columns, self->L, D, R, D);
}

void
tosst_reduction_copy (TosstReduction *self, const TosstReduction *from)
{
  size_t D = self->D, K = self->K;
  self->gamma = from->gamma;
  if (self->Q)
    memcpy (self->Q, from->Q, sizeof (double) * K * K);
  else
    memcpy (self->L, from->L, sizeof (double) * D * D);
  memcpy (self->WV, from->WV, sizeof (double) * D * K);
  memcpy (self->G, from->G, sizeof (double) * K * K);
}

/* Columns of b' b that are held at a time. */
#define GRAM_COLUMNS 256

TosstStatus
tosst_reduction_gram (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double *H)
{
  size_t K = self->K, S = dictionary->S;
  const double *b = dictionary->b;
  double *across = malloc (sizeof *across * K * GRAM_COLUMNS);
  TosstStatus status
      = across ? TOSST_OK : tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  for (size_t first = 0; status == TOSST_OK && first < K; first += GRAM_COLUMNS)
    {
      size_t count = K - first < GRAM_COLUMNS ? K - first : GRAM_COLUMNS, rows = first + count;
      status = tosst_dgemm (context, CblasTrans, CblasNoTrans, rows, count, S, 1, b, S, b + first * S, S, 0, across,
                            rows);
      /* G is symmetric up to rounding; the mean makes H exactly so, as solvers read it by rows. */
      for (size_t i = first; status == TOSST_OK && i < rows; i++)
        for (size_t j = 0; j <= i; j++)
          {
            size_t ij = i * K + j, ji = j * K + i;
            H[ij] = H[ji] = across[(i - first) * rows + j] * ((self->G[ij] + self->G[ji]) / 2);
          }
    }
  free (across);
  return status;
}
