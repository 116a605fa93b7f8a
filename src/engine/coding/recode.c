/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What recoding keeps, what a new gamma changes of it, and what a code leaves of a tensor. The codes themselves:
 * recode-rounds.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"
#include "coding/recode-private.h"

TosstStatus
tosst_recoding_no_memory (TosstContext *context)
{
  return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
}

static bool
allocate (TosstRecoding *self, const TosstDictionary *dictionary)
{
  size_t D = self->D, K = self->K, n = self->n, slices = n * self->S * D;
  self->dictionary = tosst_dictionary_copy (dictionary);
  self->x = malloc (sizeof *self->x * slices);
  self->y = malloc (sizeof *self->y * slices);
  self->VV = malloc (sizeof *self->VV * D * D);
  self->L = malloc (sizeof *self->L * D * D);
  self->U = malloc (sizeof *self->U * D * K);
  self->q = malloc (sizeof *self->q * n * K);
  self->largest = calloc (n, sizeof *self->largest);
  self->codes = calloc (n * K, sizeof *self->codes);
  self->kkt = calloc (n, sizeof *self->kkt);
  self->done = calloc (n, sizeof *self->done);
  self->column = calloc (K, sizeof *self->column);
  self->entering = malloc (sizeof *self->entering * n * K);
  self->entered = calloc (n, sizeof *self->entered);
  return self->dictionary && self->x && self->y && self->VV && self->L && self->U && self->q && self->largest
         && self->codes && self->kkt && self->done && self->column && self->entering && self->entered;
}

static void
forget_columns (TosstRecoding *self)
{
  for (int k = 0; self->column && k < self->K; k++)
    {
      free (self->column[k]);
      self->column[k] = NULL;
    }
}

void
tosst_recoding_free (TosstRecoding *self)
{
  if (!self)
    return;
  forget_columns (self);
  tosst_recoding_joint_free (self);
  tosst_dictionary_free (self->dictionary);
  free (self->x);
  free (self->y);
  free (self->VV);
  free (self->L);
  free (self->U);
  free (self->q);
  free (self->largest);
  free (self->codes);
  free (self->kkt);
  free (self->done);
  free (self->column);
  free (self->entering);
  free (self->entered);
  free (self);
}

static TosstStatus
take_slices (TosstRecoding *self, TosstContext *context, const TosstLayout *layout, const float *tensors)
{
  double *x = self->x;
  for (size_t i = 0; i < self->n; i++)
    for (int s = 0; s < self->S; s++)
      for (int p = 0; p < self->D; p++, x++)
        {
          *x = layout->weight[p] * tensors[i * self->m + layout->index[(size_t)s * self->D + p]]
               / self->dictionary->scale;
          if (!isfinite (*x))
            return tosst_context_fail (context, TOSST_ERROR_NUMERIC,
                                       "tensor %zu holds NaN or infinity, or is too large", i);
        }
  return TOSST_OK;
}

TosstStatus
tosst_recoding_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                    const TosstCodingOptions *options, const float *tensors, size_t n, TosstRecoding **result)
{
  *result = NULL;
  const char *wrong = tosst_coding_options_check (options);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
  if (!tosst_shape_equal (dictionary->shape, layout->shape))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the dictionary is for tensors of another shape");
  if (n == 0)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "there is no tensor to code");
  TosstRecoding *self = calloc (1, sizeof *self);
  if (!self)
    return tosst_recoding_no_memory (context);
  self->options = *options;
  self->D = layout->D;
  self->S = layout->S;
  self->K = dictionary->K;
  self->m = layout->m;
  self->n = n;
  TosstStatus status = allocate (self, dictionary) ? TOSST_OK : tosst_recoding_no_memory (context);
  if (status == TOSST_OK)
    status = take_slices (self, context, layout, tensors);
  if (status == TOSST_OK)
    status = tosst_dgemm_lower (context, CblasNoTrans, CblasTrans, self->D, self->K, 1, dictionary->V, self->D,
                                dictionary->V, self->D, 0, self->VV, self->D);
  if (status == TOSST_OK)
    status = tosst_mirror (context, self->D, self->VV, self->D);
  if (status == TOSST_OK && options->nonnegative_beta)
    status = tosst_recoding_joint_new (self, context);
  if (status == TOSST_OK)
    *result = self;
  else
    tosst_recoding_free (self);
  return status;
}

TosstStatus
tosst_recoding_set_codes (TosstContext *context, TosstRecoding *self, const double *codes)
{
  size_t count = self->n * self->K;
  for (size_t i = 0; i < count; i++)
    if (!isfinite (codes[i]) || (codes[i] < 0 && !self->options.signed_alpha))
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "code %zu of tensor %zu is %g", i % self->K,
                                 i / self->K, codes[i]);
  memcpy (self->codes, codes, sizeof *codes * count);
  return TOSST_OK;
}

const double *
tosst_recoding_codes (const TosstRecoding *self)
{
  return self->codes;
}

/* q of one tensor: products of all atoms with all slices, weighted by b. */
static TosstStatus
correlate (size_t i, int worker, void *data)
{
  TosstRecoding *self = data;
  int D = self->D, S = self->S, K = self->K;
  double *q = self->q + i * K, *products = malloc (sizeof *products * S * K);
  if (!products)
    return TOSST_ERROR_MEMORY;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, S, K, D, 1, self->y + i * S * D, D, self->U, D, 0, products, S);
  self->largest[i] = 0;
  for (int k = 0; k < K; k++)
    {
      q[k] = cblas_ddot (S, products + (size_t)k * S, 1, tosst_recoding_b (self, k), 1);
      self->largest[i] = fmax (self->largest[i], fabs (q[k]));
    }
  free (products);
  return TOSST_OK;
}

/* L, U, y and q for a new gamma. */
static TosstStatus
set_gamma (TosstRecoding *self, TosstContext *context, double gamma)
{
  size_t D = self->D, columns = self->n * self->S;
  TosstStatus status = TOSST_OK;
  if (self->current && gamma == self->options.gamma)
    return TOSST_OK;
  self->current = false;
  self->options.gamma = gamma;
  forget_columns (self);
  memcpy (self->U, self->dictionary->V, sizeof *self->U * D * self->K);
  memcpy (self->y, self->x, sizeof *self->y * columns * D);
  if (isfinite (gamma))
    {
      for (size_t i = 0; i < D * D; i++)
        self->L[i] = self->VV[i] / gamma;
      for (size_t i = 0; i < D; i++)
        self->L[i * D + i] += 1;
      status = tosst_cholesky (context, D, self->L);
      if (status == TOSST_OK)
        status = tosst_dtrsm (context, CblasNoTrans, D, self->K, self->L, D, self->U, D);
      if (status == TOSST_OK)
        status = tosst_dtrsm (context, CblasNoTrans, D, columns, self->L, D, self->y, D);
    }
  if (status == TOSST_OK)
    status = tosst_parallel (context, self->n, correlate, self, 0, 0);
  if (status == TOSST_ERROR_MEMORY)
    return tosst_recoding_no_memory (context);
  self->current = status == TOSST_OK;
  return status;
}

static void
report_codes (const TosstRecoding *self, TosstCodingReport *report)
{
  size_t nonzeros = 0;
  report->worst_kkt = 0;
  for (size_t i = 0; i < self->n; i++)
    report->worst_kkt = fmax (report->worst_kkt, self->kkt[i]);
  for (size_t i = 0; i < self->n * self->K; i++)
    nonzeros += self->codes[i] != 0;
  report->mean_nonzeros = (double)nonzeros / self->n;
}

TosstStatus
tosst_recode (TosstContext *context, TosstRecoding *self, double lambda, double gamma, TosstCodingReport *report)
{
  double start = tosst_context_seconds (context);
  TosstCodingOptions options = self->options;
  options.lambda = lambda;
  options.gamma = gamma;
  const char *wrong = tosst_coding_options_check (&options);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
  self->options.lambda = lambda;
  if (self->dictionary->shape.kind == TOSST_SHAPE_WHOLE)
    gamma = INFINITY;
  bool is_joint = self->joint && isfinite (gamma);
  self->current = self->current && !(self->joint && isfinite (gamma) != isfinite (self->options.gamma));
  if (is_joint)
    self->options.gamma = gamma;
  else
    tosst_recoding_restrict (self);
  TosstStatus status = is_joint ? TOSST_OK : set_gamma (self, context, gamma);
  double middle = tosst_context_seconds (context);
  if (status == TOSST_OK)
    status = is_joint ? tosst_recoding_joint_run (self, context) : tosst_recoding_run (self, context);
  if (report && status == TOSST_OK)
    {
      *report = (TosstCodingReport){ .seconds = tosst_context_seconds (context) - start,
                                     .seconds_products = middle - start };
      report_codes (self, report);
    }
  return status;
}

/* base - atoms times their codes, S x D: what is left of the slices in x or, with atoms U, of those in y. */
static TosstStatus
subtract_atoms (TosstContext *context, const TosstRecoding *self, size_t i, const double *base, const double *atoms,
                double *residual)
{
  size_t D = self->D, S = self->S;
  int K = self->K, n = 0;
  const double *alpha = self->codes + i * K;
  for (int k = 0; k < K; k++)
    n += alpha[k] != 0;
  memcpy (residual, base, sizeof *residual * S * D);
  if (n == 0)
    return TOSST_OK;
  double *support = malloc (sizeof *support * n * (D + S)), *c = support ? support + n * D : NULL;
  if (!support)
    return tosst_recoding_no_memory (context);
  n = 0;
  for (int k = 0; k < K; k++)
    if (alpha[k] != 0)
      {
        memcpy (support + n * D, atoms + k * D, sizeof *support * D);
        for (size_t s = 0; s < S; s++)
          c[n * S + s] = alpha[k] * tosst_recoding_b (self, k)[s];
        n++;
      }
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, S, n, -1, support, D, c, S, 1, residual, D);
  free (support);
  return TOSST_OK;
}

/* L^{-1} (x - V c), or with beta >= 0 x - V beta; the split residual x - V beta = W (x - V c) is L^{-T} times that. */
static TosstStatus
half_residual (TosstContext *context, const TosstRecoding *self, size_t i, double *residual)
{
  if (!self->current)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the tensors have not been coded yet");
  if (tosst_recoding_is_joint (self))
    {
      tosst_recoding_joint_residual (self, i, residual);
      return TOSST_OK;
    }
  return subtract_atoms (context, self, i, self->y + i * self->S * self->D, self->U, residual);
}

static void
other_half (const TosstRecoding *self, double *residual)
{
  if (isfinite (self->options.gamma) && !self->joint)
    cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, self->D, self->S, 1, self->L, self->D,
                 residual, self->D);
}

TosstStatus
tosst_recoding_residual (TosstContext *context, const TosstRecoding *self, size_t i, bool tied, double *residual)
{
  if (tied)
    return subtract_atoms (context, self, i, self->x + i * self->S * self->D, self->dictionary->V, residual);
  TosstStatus status = half_residual (context, self, i, residual);
  if (status == TOSST_OK)
    other_half (self, residual);
  return status;
}

/* With r = x - V c the minimum over beta is r' W r = ||L^{-1} r||^2, of which ||W r||^2 is the fit. */
TosstStatus
tosst_recoding_state (TosstContext *context, const TosstRecoding *self, size_t i, TosstRecodingState *state)
{
  size_t size = (size_t)self->S * self->D;
  const double *alpha = self->codes + i * self->K;
  double *residual = malloc (sizeof *residual * size);
  if (!residual)
    return tosst_recoding_no_memory (context);
  TosstStatus status = half_residual (context, self, i, residual);
  if (status == TOSST_OK)
    {
      double whole = cblas_ddot (size, residual, 1, residual, 1);
      other_half (self, residual);
      *state = (TosstRecodingState){ .fit = cblas_ddot (size, residual, 1, residual, 1), .kkt = self->kkt[i] };
      state->proximity = isfinite (self->options.gamma) ? fmax (whole - state->fit, 0) : 0;
      if (tosst_recoding_is_joint (self))
        {
          state->proximity = tosst_recoding_joint_proximity (self, i);
          whole = state->fit + state->proximity;
        }
      state->sparsity = self->options.lambda * cblas_dasum (self->K, alpha, 1);
      state->objective = whole + state->sparsity;
      for (int k = 0; k < self->K; k++)
        state->nonzeros += alpha[k] != 0;
    }
  free (residual);
  return status;
}
