/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding with beta >= 0 (coding/nonnegative.h): each tensor starts from alpha of the last call. Quantities of the
 * atoms and V' x^s of each tensor do not depend on lambda and gamma and are computed once. For gamma = infinity the
 * problem is the Lasso of coding/recode-rounds.c for the atoms whose b_k has one sign.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/coding/recode-private.h"

TosstStatus
tosst_recoding_joint_new (TosstRecoding *self, TosstContext *context)
{
  size_t D = self->D, S = self->S, K = self->K, columns = self->n * S;
  TosstMemory *memory = &self->memory;
  self->sign = tosst_keep (memory, malloc (K));
  self->c = tosst_keep (memory, malloc (sizeof *self->c * K * columns));
  self->beta = tosst_keep (memory, calloc (K * columns, sizeof *self->beta));
  if (memory->failed)
    return tosst_coding_no_memory (context);
  for (size_t k = 0; k < K; k++)
    self->sign[k] = tosst_nonnegative_sign (tosst_recoding_b (self, k), S, self->options.problem.signed_alpha);
  TosstCodingOptions options = self->options;
  options.problem.gamma = isfinite (options.problem.gamma) ? options.problem.gamma : 1;
  TosstStatus status = tosst_nonnegative_new (context, self->dictionary, S, NULL, &options, &self->joint);
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasTrans, CblasNoTrans, K, columns, D, 1, self->dictionary->V, D, self->x, D, 0,
                          self->c, K);
  return status;
}

typedef struct
{
  TosstRecoding *self;
  TosstContext *context;
  TosstNonnegativeWork **work; /* per worker */
} Job;

/* A cancelled call does not change the code, because beta must be consistent with alpha. */
static TosstStatus
solve (size_t i, int worker, void *data)
{
  Job *job = data;
  TosstRecoding *self = job->self;
  size_t K = self->K, slices = K * self->S;
  double *alpha = self->next + worker * K, kkt;
  memcpy (alpha, self->codes + i * K, sizeof *alpha * K);
  TosstStatus status = tosst_nonnegative_solve (self->joint, job->context, self->c + i * slices, TOSST_NONNEGATIVE_WARM,
                                                fmax (self->options.tolerance, TOSST_FLOOR_DOUBLE), alpha,
                                                self->beta + i * slices, &kkt, job->work[worker]);
  if (status != TOSST_OK)
    return status;
  memcpy (self->codes + i * K, alpha, sizeof *alpha * K);
  self->kkt[i] = kkt;
  return TOSST_OK;
}

TosstStatus
tosst_recoding_joint_run (TosstRecoding *self, TosstContext *context)
{
  int threads = tosst_context_threads (context);
  TosstNonnegativeWork *work[threads];
  bool whole = true;
  tosst_nonnegative_set (self->joint, self->options.problem.lambda, self->options.problem.gamma);
  for (int i = 0; i < threads; i++)
    whole = (work[i] = tosst_nonnegative_work_new (self->D, self->S, self->K)) && whole;
  self->next = malloc (sizeof *self->next * self->K * threads);
  Job job = { self, context, work };
  TosstStatus status
      = whole && self->next ? tosst_parallel (context, self->n, solve, &job, 0, 0) : tosst_coding_no_memory (context);
  self->current = status == TOSST_OK;
  for (int i = 0; i < threads; i++)
    tosst_nonnegative_work_free (work[i]);
  free (self->next);
  self->next = NULL;
  return status;
}

void
tosst_recoding_drop_infeasible (TosstRecoding *self)
{
  size_t K = self->K;
  for (size_t i = 0; self->sign && i < self->n * K; i++)
    if (!(self->codes[i] * self->sign[i % K] > 0))
      self->codes[i] = 0;
}

void
tosst_recoding_joint_residual (const TosstRecoding *self, size_t i, double *residual)
{
  size_t D = self->D, S = self->S, K = self->K;
  memcpy (residual, self->x + i * S * D, sizeof *residual * S * D);
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, S, K, -1, self->dictionary->V, D, self->beta + i * K * S,
               K, 1, residual, D);
}

double
tosst_recoding_joint_proximity (const TosstRecoding *self, size_t i)
{
  size_t S = self->S, K = self->K;
  const double *beta = self->beta + i * K * S, *alpha = self->codes + i * K;
  double sum = 0;
  for (size_t s = 0; s < S; s++)
    for (size_t k = 0; k < K; k++)
      {
        double apart = beta[s * K + k] - tosst_recoding_b (self, k)[s] * alpha[k];
        sum += apart * apart;
      }
  return self->options.problem.gamma * sum;
}
