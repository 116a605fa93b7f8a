/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coding/reduction.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"
#include "base/memory.h"

bool
tosst_reduction_small (size_t D, size_t K)
{
  return 2 * K <= D;
}

bool
tosst_reduction_init (TosstReduction *self, int D, int K, bool with_G)
{
  *self = (TosstReduction){ .D = D, .K = K };
  if (tosst_reduction_small (D, K))
    self->Q = tosst_numbers ((size_t)K * K, sizeof *self->Q);
  else
    self->L = tosst_numbers ((size_t)D * D, sizeof *self->L);
  self->WV = tosst_numbers ((size_t)D * K, sizeof *self->WV);
  self->G = with_G ? tosst_numbers ((size_t)K * K, sizeof *self->G) : NULL;
  if ((self->L || self->Q) && self->WV && (self->G || !with_G))
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

/* L of F = I + V V' / gamma. */
static TosstStatus
factor_large (TosstReduction *self, TosstContext *context, const double *V, double gamma)
{
  int D = self->D, K = self->K;
  memset (self->L, 0, sizeof (double) * D * D);
  for (int i = 0; i < D; i++)
    self->L[(size_t)i * D + i] = 1;
  TosstStatus status
      = tosst_dgemm_lower (context, CblasNoTrans, CblasTrans, D, K, 1 / gamma, V, D, V, D, 1, self->L, D);
  return status == TOSST_OK ? tosst_cholesky (context, D, self->L) : status;
}

/* W V by two substitutions. */
static TosstStatus
substitute (TosstReduction *self, TosstContext *context, const double *V)
{
  int D = self->D, K = self->K;
  TosstStatus status = tosst_copy (context, (size_t)D * K, V, self->WV);
  if (status == TOSST_OK)
    status = tosst_dtrsm (context, CblasNoTrans, D, K, self->L, D, self->WV, D);
  if (status == TOSST_OK)
    status = tosst_dtrsm (context, CblasTrans, D, K, self->L, D, self->WV, D);
  return status;
}

TosstStatus
tosst_reduction_factor (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double gamma)
{
  self->gamma = gamma;
  if (!isfinite (gamma))
    return TOSST_OK;
  return self->Q ? update_small (self, context, dictionary->V, gamma)
                 : factor_large (self, context, dictionary->V, gamma);
}

TosstStatus
tosst_reduction_complete (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary)
{
  int D = self->D, K = self->K;
  const double *V = dictionary->V;
  TosstStatus status = TOSST_OK;
  if (!isfinite (self->gamma))
    status = tosst_copy (context, (size_t)D * K, V, self->WV);
  else if (self->L)
    status = substitute (self, context, V);
  if (status != TOSST_OK || !self->G)
    return status;
  status = tosst_dgemm_lower (context, CblasTrans, CblasNoTrans, K, D, 1, V, D, self->WV, D, 0, self->G, K);
  return status == TOSST_OK ? tosst_mirror (context, K, self->G, K) : status;
}

TosstStatus
tosst_reduction_update (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double gamma)
{
  TosstStatus status = tosst_reduction_factor (self, context, dictionary, gamma);
  return status == TOSST_OK ? tosst_reduction_complete (self, context, dictionary) : status;
}

TosstStatus
tosst_reduction_apply (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double *R,
                       int columns, double *work)
{
  int D = self->D, K = self->K;
  if (!isfinite (self->gamma))
    return TOSST_OK;
  /* W R = R - V (V'V + gamma I)^{-1} V'R, and W V / gamma is the first of these factors. */
  TosstStatus status
      = self->Q ? tosst_dgemm (context, CblasTrans, CblasNoTrans, K, columns, D, 1, dictionary->V, D, R, D, 0, work, K)
                : tosst_dtrsm (context, CblasNoTrans, D, columns, self->L, D, R, D);
  if (status != TOSST_OK)
    return status;
  return self->Q ? tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, columns, K, -1 / self->gamma, self->WV, D, work,
                                K, 1, R, D)
                 : tosst_dtrsm (context, CblasTrans, D, columns, self->L, D, R, D);
}

TosstStatus
tosst_reduction_copy (TosstReduction *self, TosstContext *context, const TosstReduction *from)
{
  size_t D = self->D, K = self->K;
  self->gamma = from->gamma;
  TosstStatus status
      = self->Q ? tosst_copy (context, K * K, from->Q, self->Q) : tosst_copy (context, D * D, from->L, self->L);
  return status == TOSST_OK ? tosst_copy (context, D * K, from->WV, self->WV) : status;
}

/* Columns of H that one task makes, and rows that it turns at a time. */
#define GRAM_COLUMNS 128
#define GRAM_ROWS 32

typedef struct
{
  const TosstReduction *reduction;
  const TosstDictionary *dictionary;
  const signed char *sign;
  bool wide;
  void *H;
  double *work; /* 2 x K x GRAM_COLUMNS for each worker */
} Gram;

/* Both triangles from the columns of a task, below the diagonal; by a few rows, so that what is written across stays in
 * the cache. */
static void
place_columns (const Gram *self, size_t first, size_t count, const double *inner, const double *across)
{
  size_t K = self->reduction->K, rows = K - first;
  const signed char *sign = self->sign;
  for (size_t i0 = 0; i0 < rows; i0 += GRAM_ROWS)
    for (size_t j = 0; j < count; j++)
      for (size_t i = i0 > j ? i0 : j; i < i0 + GRAM_ROWS && i < rows; i++)
        {
          double value = inner[j * rows + i] * across[j * rows + i] * (sign ? sign[first + i] * sign[first + j] : 1);
          size_t down = (first + j) * K + first + i, up = (first + i) * K + first + j;
          if (self->wide)
            ((double *)self->H)[down] = ((double *)self->H)[up] = value;
          else
            ((float *)self->H)[down] = ((float *)self->H)[up] = value;
        }
}

static TosstStatus
gram_task (size_t item, int worker, void *data)
{
  Gram *self = data;
  size_t K = self->reduction->K, D = self->reduction->D, S = self->dictionary->S, first = item * GRAM_COLUMNS;
  size_t count = K - first < GRAM_COLUMNS ? K - first : GRAM_COLUMNS, rows = K - first;
  double *inner = self->work + 2 * K * GRAM_COLUMNS * worker, *across = inner + K * GRAM_COLUMNS;
  const double *V = self->dictionary->V + first * D, *b = self->dictionary->b + first * S;
  if (self->reduction->G)
    for (size_t j = 0; j < count; j++)
      memcpy (inner + j * rows, self->reduction->G + (first + j) * K + first, sizeof *inner * rows);
  else
    cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, rows, count, D, 1, V, D, self->reduction->WV + first * D, D,
                 0, inner, rows);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, rows, count, S, 1, b, S, b, S, 0, across, rows);
  place_columns (self, first, count, inner, across);
  return TOSST_OK;
}

size_t
tosst_reduction_gram_bytes (size_t K, int threads)
{
  return 2 * K * GRAM_COLUMNS * sizeof (double) * threads;
}

TosstStatus
tosst_reduction_gram (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                      const signed char *sign, bool wide, void *H)
{
  Gram gram = { self, dictionary, sign,
                wide, H,          malloc (tosst_reduction_gram_bytes (self->K, tosst_context_threads (context))) };
  if (!gram.work)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  TosstStatus status = tosst_parallel_work (context, (self->K + GRAM_COLUMNS - 1) / GRAM_COLUMNS,
                                            (double)self->K * self->K * self->D / 2, gram_task, &gram);
  free (gram.work);
  return status;
}
