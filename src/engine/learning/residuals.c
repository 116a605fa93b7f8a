/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the block updates need of the three sums, for the dictionary as it is:
 *     Sxc = sum_{n,s} x c',   Scc = sum_{n,s} c c' = (b'b) .* P,   Exc = sum_{n,s} r c' = Sxc - V Scc,
 *     E = sum_{n,s} r r' = Sxx - Z V' - V Z'   with r = x - V c and Z = Sxc - V Scc / 2.
 */
#include <math.h>

#include "engine/base/blas.h"
#include "engine/learning/residuals.h"

/* Columns in one task. */
#define MIXED 32

/* Columns k0 .. of Scc = (b'b) .* P. */
static TosstStatus
mix_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t first = item * MIXED, K = self->K;
  tosst_learning_mix (self, first, K - first < MIXED ? K - first : MIXED);
  return TOSST_OK;
}

void
tosst_learning_mix (TosstLearning *self, size_t first, size_t count)
{
  size_t K = self->K, S = self->S;
  const double *b = self->dictionary->b, *P = self->P + first * K;
  double *Scc = self->Scc + first * K;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, count, S, 1, b, S, b + first * S, S, 0, Scc, K);
  for (size_t i = 0; i < count * K; i++)
    Scc[i] *= P[i];
}

/* Some columns of Z = (Sxc + Exc) / 2 = Sxc - V Scc / 2. */
static TosstStatus
halve_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t first = item * MIXED * self->D, end = (item + 1) * MIXED * self->D, last = (size_t)self->D * self->K;
  for (size_t i = first; i < end && i < last; i++)
    self->R[i] = (self->Sxc[i] + self->Exc[i]) / 2;
  return TOSST_OK;
}

/* Some columns of E, and the same rows. */
static TosstStatus
leave_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t D = self->D, first = item * MIXED, end = D - first < MIXED ? D : first + MIXED;
  const double *T = self->DD;
  for (size_t j = first; j < end; j++)
    for (size_t i = j; i < D; i++)
      self->E[j * D + i] = self->E[i * D + j] = self->Sxx[j * D + i] - (T[j * D + i] + T[i * D + j]);
  return TOSST_OK;
}

TosstStatus
tosst_learning_leave (TosstLearning *self)
{
  int D = self->D, K = self->K;
  TosstStatus status = tosst_parallel_work (self->context, (K + MIXED - 1) / MIXED, (double)D * K, halve_task, self);
  if (status == TOSST_OK)
    status = tosst_dgemm (self->context, CblasNoTrans, CblasTrans, D, D, K, 1, self->R, D, self->dictionary->V, D, 0,
                          self->DD, D);
  return status == TOSST_OK
             ? tosst_parallel_work (self->context, (D + MIXED - 1) / MIXED, (double)D * D, leave_task, self)
             : status;
}

TosstStatus
tosst_learning_residuals (TosstLearning *self)
{
  TosstContext *context = self->context;
  int D = self->D, K = self->K;
  TosstStatus status = tosst_learning_average (self);
  if (status == TOSST_OK)
    status = tosst_parallel_work (context, (K + MIXED - 1) / MIXED, (double)K * K * self->S, mix_task, self);
  if (status == TOSST_OK)
    status = tosst_copy (context, (size_t)D * K, self->Sxc, self->Exc);
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, K, -1, self->dictionary->V, D, self->Scc, K, 1,
                          self->Exc, D);
  if (status == TOSST_OK)
    status = tosst_learning_leave (self);
  self->is_exact = status == TOSST_OK;
  return status;
}

/* Exc + E M' with what is at hand in float64. */
static TosstStatus
correlate (TosstLearning *self)
{
  size_t D = self->D, K = self->K;
  double gamma = self->options->gamma;
  TosstStatus status = tosst_copy (self->context, D * K, self->Exc, self->R);
  return status == TOSST_OK && isfinite (gamma)
             ? tosst_dgemm (self->context, CblasNoTrans, CblasNoTrans, D, K, D, 1 / gamma, self->E, D,
                            self->reduction.WV, D, 1, self->R, D)
             : status;
}

TosstStatus
tosst_learning_residuals_for_pass (TosstLearning *self)
{
  bool done = false;
  TosstStatus status = TOSST_OK;
  if (self->gained > 0 && !tosst_learning_is_small (self))
    status = tosst_learning_round_residuals (self, &done);
  if (done || status != TOSST_OK)
    return status;
  if (!self->is_exact)
    status = tosst_learning_residuals (self);
  return status == TOSST_OK ? correlate (self) : status;
}
