/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (5) of a tensor at a given code. With c^s = b^s . alpha and r^s = x^s - V c^s, the optimal beta gives
 *     fit       = sum_s ||W r^s||^2
 *     proximity = sum_s r^s' (W - W^2) r^s
 * where F = L L' = W^{-1}: r' W r = ||L^{-1} r||^2. For few atoms W r = r - V y with y = Q V' r = beta - c.
 */
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"

typedef struct
{
  const TosstCoder *coder;
  const double *tensors, *codes;
  double *objective, *parts;
  size_t most;   /* maximum number of non-zeros of a code */
  double **work; /* per worker: r (D x S), V of the support (D x most), c of it (S x most); y and z (K x S each) */
} Evaluation;

/* r^s = x^s - V (b^s . alpha), all slices. */
static void
residual (const TosstCoder *coder, const double *tensor, const double *alpha, double *r, double *support, double *c)
{
  int D = coder->D, S = coder->S, n = 0;
  for (int s = 0; s < S; s++)
    for (int p = 0; p < D; p++)
      r[(size_t)s * D + p] = coder->weight[p] * tensor[coder->index[(size_t)s * D + p]] / coder->scale;
  for (int k = 0; k < coder->K; k++)
    if (alpha[k] != 0)
      {
        memcpy (support + (size_t)n * D, coder->dictionary->V + (size_t)k * D, sizeof *support * D);
        for (int s = 0; s < S; s++)
          c[(size_t)n * S + s] = alpha[k] * coder->dictionary->b[(size_t)k * S + s];
        n++;
      }
  if (n > 0)
    cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, S, n, -1, support, D, c, S, 1, r, D);
}

/* Whether beta = b . alpha >= 0 is feasible for the code. */
static bool
is_allowed (const TosstCoder *coder, const double *alpha)
{
  for (int k = 0; coder->sign && k < coder->K; k++)
    {
      const double *b = coder->dictionary->b + (size_t)k * coder->S;
      for (int s = 0; s < coder->S; s++)
        if (b[s] * alpha[k] < 0)
          return false;
    }
  return true;
}

/* Computes the fit and the sum of fit and proximity of residuals r, which are overwritten; fit may be NULL, and is
 * then not computed if that would double the time. y, z: K x S, for few atoms. */
static void
fit_and_penalty (const TosstCoder *coder, double *r, double *y, double *z, double *fit, double *whole)
{
  int D = coder->D, S = coder->S, K = coder->K;
  size_t size = (size_t)D * S;
  const double *V = coder->dictionary->V, *L = coder->reduction.L, *Q = coder->reduction.Q;
  double gamma = coder->options.problem.gamma;
  if (!isfinite (gamma))
    {
      *whole = tosst_dot (size, r, r);
      if (fit)
        *fit = *whole;
    }
  else if (Q)
    {
      cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, D, 1, V, D, r, D, 0, z, K);
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, K, S, K, 1, Q, K, z, K, 0, y, K);
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, S, K, -1, V, D, y, K, 1, r, D);
      double rest = tosst_dot (size, r, r);
      *whole = rest + gamma * tosst_dot ((size_t)K * S, y, y);
      if (fit)
        *fit = rest;
    }
  else
    {
      cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, D, S, 1, L, D, r, D);
      *whole = tosst_dot (size, r, r);
      if (!fit)
        return;
      cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, D, S, 1, L, D, r, D);
      *fit = tosst_dot (size, r, r);
    }
}

static TosstStatus
evaluate (size_t item, int worker, void *data)
{
  Evaluation *self = data;
  const TosstCoder *coder = self->coder;
  int D = coder->D, S = coder->S, K = coder->K;
  size_t size = (size_t)D * S;
  double *r = self->work[worker], *support = r + size, *c = support + D * self->most, *y = c + S * self->most;
  const double *alpha = self->codes + item * K;

  residual (coder, self->tensors + item * coder->m, alpha, r, support, c);
  double fit, whole;
  fit_and_penalty (coder, r, y, y + (size_t)K * S, self->parts ? &fit : NULL, &whole);

  double sparsity = coder->options.problem.lambda * tosst_sum_abs (K, alpha);
  self->objective[item] = is_allowed (coder, alpha) ? whole + sparsity : INFINITY;
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
tosst_code_objective (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n,
                      const double *codes, double *objective, double *parts)
{
  TOSST_REQUIRE (context, context && coder && (n == 0 || (tensors && codes && objective)));
  if (coder->nonnegative)
    return tosst_nonnegative_objective (context, coder, tensors, n, codes, objective, parts);
  int threads = tosst_context_threads (context);
  size_t D = coder->D, S = coder->S, K = coder->K, most = 0;
  for (size_t i = 0; i < n; i++)
    {
      size_t support = 0;
      for (size_t k = 0; k < K; k++)
        support += codes[i * K + k] != 0;
      most = support > most ? support : most;
    }
  size_t size = D * S + (D + S) * most + (coder->reduction.Q ? 2 * K * S : 0);
  size = tosst_thread_stride (sizeof (double) * size)
         / sizeof (double); /* fixed alignment, because BLAS results may depend on it */
  double *work = tosst_alloc_aligned (size * threads, sizeof *work), *rows[threads];
  if (!work)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to evaluate objectives");
  for (int i = 0; i < threads; i++)
    rows[i] = work + size * i;
  Evaluation self = { coder, tensors, codes, objective, parts, most, rows };
  TosstStatus status = tosst_parallel (context, n, evaluate, &self, 0, 0);
  free (work);
  return status;
}
