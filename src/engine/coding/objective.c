/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (5) of a tensor at a given code. With c^s = b^s . alpha and r^s = x^s - V c^s, the best beta leaves
 *     fit       = sum_s ||W r^s||^2
 *     proximity = sum_s r^s' (W - W^2) r^s
 * where F = L L' = W^{-1}: r' W r = ||L^{-1} r||^2.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"
#include "coding/coder-private.h"

typedef struct
{
  const TosstCoder *coder;
  const double *tensors, *codes;
  double *objective, *parts;
  double **work; /* per worker: r (D x S), V of the support (D x K), c of the support (K x S) */
} Evaluation;

static double
square_norm (const double *x, size_t n)
{
  return cblas_ddot (n, x, 1, x, 1);
}

/* r^s = x^s - V (b^s . alpha), all slices. */
static void
residual (const TosstCoder *coder, const double *tensor, const double *alpha, double *r, double *support, double *c)
{
  int D = coder->D, S = coder->S, n = 0;
  for (int s = 0; s < S; s++)
    for (int p = 0; p < D; p++)
      r[(size_t) s * D + p] = coder->weight[p] * tensor[coder->index[(size_t) s * D + p]] / coder->scale;
  for (int k = 0; k < coder->K; k++)
    if (alpha[k] != 0)
      {
        memcpy (support + (size_t) n * D, coder->dictionary->V + (size_t) k * D, sizeof *support * D);
        for (int s = 0; s < S; s++)
          c[(size_t) n * S + s] = alpha[k] * coder->dictionary->b[(size_t) k * S + s];
        n++;
      }
  if (n > 0)
    cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, S, n, -1, support, D, c, S, 1, r, D);
}

static TosstStatus
evaluate (size_t item, int worker, void *data)
{
  Evaluation *self = data;
  const TosstCoder *coder = self->coder;
  int D = coder->D, S = coder->S, K = coder->K;
  size_t size = (size_t) D * S;
  double *r = self->work[worker], *support = r + size, *c = support + (size_t) D * K;
  const double *alpha = self->codes + item * K;

  residual (coder, self->tensors + item * coder->m, alpha, r, support, c);
  double fit, whole;
  if (isfinite (coder->options.gamma))
    {
      const double *L = coder->reduction.L;
      cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, D, S, 1, L, D, r, D);
      whole = square_norm (r, size);
      cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, D, S, 1, L, D, r, D);
      fit = square_norm (r, size);
    }
  else
    fit = whole = square_norm (r, size);

  double sparsity = coder->options.lambda * cblas_dasum (K, alpha, 1);
  self->objective[item] = whole + sparsity;
  if (self->parts)
    {
      double *parts = self->parts + 3 * item;
      parts[0] = fit;
      parts[1] = fmax (whole - fit, 0);
      parts[2] = sparsity;
    }
  return TOSST_OK;
}

TosstStatus
tosst_code_objective (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n, const double *codes,
                      double *objective, double *parts)
{
  int threads = tosst_context_threads (context);
  size_t size = (size_t) coder->D * coder->S + (size_t) coder->D * coder->K + (size_t) coder->K * coder->S;
  double *work = malloc (sizeof *work * size * threads), *rows[threads];
  if (!work)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to evaluate objectives");
  for (int i = 0; i < threads; i++)
    rows[i] = work + size * i;
  Evaluation self = { coder, tensors, codes, objective, parts, rows };
  TosstStatus status = tosst_parallel (context, n, evaluate, &self, 0, 0);
  free (work);
  return status;
}
