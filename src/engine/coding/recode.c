/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of recoding, its update for a new gamma, and residuals. The codes themselves:
 * recode-rounds.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/memory.h"
#include "engine/base/vector.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/recode-private.h"

static bool
allocate (TosstRecoding *self, const TosstDictionary *dictionary)
{
  size_t D = self->D, K = self->K, n = self->n, slices = n * self->S * D;
  TosstMemory *memory = &self->memory;
  self->dictionary = tosst_dictionary_copy (dictionary);
  self->x = tosst_keep (memory, malloc (sizeof *self->x * slices));
  self->VV = malloc (sizeof *self->VV * D * D);
  self->L = malloc (sizeof *self->L * D * D);
  self->L_f32 = malloc (sizeof *self->L_f32 * D * D);
  self->shift = tosst_keep (memory, calloc (n * K, sizeof *self->shift));
  self->q = tosst_keep (memory, malloc (sizeof *self->q * n * K));
  self->largest = tosst_keep (memory, calloc (n, sizeof *self->largest));
  self->codes = tosst_keep (memory, calloc (n * K, sizeof *self->codes));
  self->kkt = tosst_keep (memory, calloc (n, sizeof *self->kkt));
  self->done = tosst_keep (memory, calloc (n, sizeof *self->done));
  self->entering = tosst_keep (memory, malloc (sizeof *self->entering * n * K));
  self->entered = tosst_keep (memory, calloc (n, sizeof *self->entered));
  self->active = tosst_keep (memory, malloc (sizeof *self->active * K));
  self->active_index = tosst_keep (memory, malloc (sizeof *self->active_index * K));
  tosst_recoding_alloc_products (self);
  return self->dictionary && self->VV && self->L && self->L_f32 && !memory->failed;
}

void
tosst_recoding_free (TosstRecoding *self)
{
  if (!self)
    return;
  tosst_nonnegative_free (self->joint);
  tosst_recoding_free_basis (self);
  tosst_recoding_free_space (self);
  tosst_dictionary_free (self->dictionary);
  tosst_release (&self->memory);
  tosst_recoding_free_factor (self);
  free (self->U);
  free (self->b);
  free (self->H);
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
  TosstStatus status = tosst_coding_check_dictionary (context, dictionary, layout);
  if (status != TOSST_OK)
    return status;
  if (n == 0)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "there is no tensor to code");
  TosstRecoding *self = calloc (1, sizeof *self);
  if (!self)
    return tosst_coding_no_memory (context);
  self->options = *options;
  self->D = layout->D;
  self->S = layout->S;
  self->K = dictionary->K;
  self->m = layout->m;
  self->n = n;
  status
      = allocate (self, dictionary) ? take_slices (self, context, layout, tensors) : tosst_coding_no_memory (context);
  if (status == TOSST_OK)
    status = tosst_dgemm_lower (context, CblasNoTrans, CblasTrans, self->D, self->K, 1, dictionary->V, self->D,
                                dictionary->V, self->D, 0, self->VV, self->D);
  if (status == TOSST_OK && options->problem.nonnegative_beta)
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
    if (!isfinite (codes[i]) || (codes[i] < 0 && !self->options.problem.signed_alpha))
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "code %zu of tensor %zu is %g", i % self->K,
                                 i / self->K, codes[i]);
  memcpy (self->codes, codes, sizeof *codes * count);
  self->given = true;
  return TOSST_OK;
}

const double *
tosst_recoding_codes (const TosstRecoding *self)
{
  return self->codes;
}

/* Computes L and q for a new gamma. */
static TosstStatus
set_gamma (TosstRecoding *self, TosstContext *context, double gamma)
{
  TosstStatus status;
  if (self->current && gamma == self->options.problem.gamma)
    return TOSST_OK;
  self->current = false;
  self->options.problem.gamma = gamma;
  tosst_recoding_reset_active (self);
  status = tosst_recoding_factorise (self, context);
  if (status == TOSST_OK)
    tosst_recoding_factor_x_f32 (self);
  for (size_t i = 0; status == TOSST_OK && i < self->n; i++)
    {
      double *q = self->q + i * self->K;
      tosst_recoding_factor_x (self, i);
      status = tosst_recoding_correlate_factored (self, context, q);
      self->largest[i] = 0;
      for (int k = 0; k < self->K; k++)
        self->largest[i] = fmax (self->largest[i], fabs (q[k]));
    }
  self->current = status == TOSST_OK;
  return status == TOSST_ERROR_MEMORY ? tosst_coding_no_memory (context) : status;
}

TosstStatus
tosst_recode (TosstContext *context, TosstRecoding *self, double lambda, double gamma, TosstCodingReport *report)
{
  double start = tosst_context_seconds (context);
  TosstCodingOptions options = self->options;
  options.problem.lambda = lambda;
  options.problem.gamma = gamma;
  const char *wrong = tosst_coding_options_check (&options);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
  self->options.problem.lambda = lambda;
  if (self->dictionary->shape.kind == TOSST_SHAPE_WHOLE)
    gamma = INFINITY;
  bool is_joint = self->joint && isfinite (gamma);
  self->current = self->current && !(self->joint && isfinite (gamma) != isfinite (self->options.problem.gamma));
  if (is_joint)
    self->options.problem.gamma = gamma;
  else
    tosst_recoding_drop_infeasible (self);
  TosstStatus status = is_joint ? TOSST_OK : set_gamma (self, context, gamma);
  double middle = tosst_context_seconds (context);
  if (status == TOSST_OK)
    status = is_joint ? tosst_recoding_joint_run (self, context) : tosst_recoding_run (self, context);
  if (report && status == TOSST_OK)
    {
      *report = (TosstCodingReport){ .seconds = tosst_context_seconds (context) - start,
                                     .seconds_products = middle - start };
      size_t nonzeros = 0;
      report->worst_kkt = 0;
      for (size_t i = 0; i < self->n; i++)
        report->worst_kkt = fmax (report->worst_kkt, self->kkt[i]);
      for (size_t i = 0; i < self->n * self->K; i++)
        nonzeros += self->codes[i] != 0;
      report->mean_nonzeros = (double)nonzeros / self->n;
    }
  return status;
}

/* Computes L^{-1} (x - V c), from which L^{-T} gives x - V beta = W (x - V c); for beta >= 0 x - V beta itself. */
static TosstStatus
factored_residual (TosstContext *context, const TosstRecoding *self, size_t i, double *residual)
{
  if (!self->current)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the tensors have not been coded yet");
  if (tosst_recoding_is_joint (self))
    {
      tosst_recoding_joint_residual (self, i, residual);
      return TOSST_OK;
    }
  TosstStatus status = tosst_recoding_tied_residual (self, context, i, residual);
  if (status == TOSST_OK)
    tosst_recoding_apply_inv_factor (self, CblasNoTrans, residual);
  return status;
}

static void
apply_second_factor (const TosstRecoding *self, double *residual)
{
  if (!self->joint)
    tosst_recoding_apply_inv_factor (self, CblasTrans, residual);
}

TosstStatus
tosst_recoding_residual (TosstContext *context, const TosstRecoding *self, size_t i, bool tied, double *residual)
{
  if (tied)
    return tosst_recoding_tied_residual (self, context, i, residual);
  TosstStatus status = factored_residual (context, self, i, residual);
  if (status == TOSST_OK)
    apply_second_factor (self, residual);
  return status;
}

/* With r = x - V c the minimum over beta is r' W r = ||L^{-1} r||^2; the fit is ||W r||^2. */
TosstStatus
tosst_recoding_state (TosstContext *context, const TosstRecoding *self, size_t i, TosstRecodingState *state)
{
  size_t size = (size_t)self->S * self->D;
  const double *alpha = self->codes + i * self->K;
  double *residual = tosst_alloc_aligned (size, sizeof *residual);
  if (!residual)
    return tosst_coding_no_memory (context);
  TosstStatus status = factored_residual (context, self, i, residual);
  if (status == TOSST_OK)
    {
      double whole = tosst_dot (size, residual, residual);
      apply_second_factor (self, residual);
      *state = (TosstRecodingState){ .fit = tosst_dot (size, residual, residual), .kkt = self->kkt[i] };
      state->proximity = isfinite (self->options.problem.gamma) ? fmax (whole - state->fit, 0) : 0;
      if (tosst_recoding_is_joint (self))
        {
          state->proximity = tosst_recoding_joint_proximity (self, i);
          whole = state->fit + state->proximity;
        }
      state->sparsity = self->options.problem.lambda * tosst_sum_abs (self->K, alpha);
      state->objective = whole + state->sparsity;
      for (int k = 0; k < self->K; k++)
        state->nonzeros += alpha[k] != 0;
    }
  free (residual);
  return status;
}
