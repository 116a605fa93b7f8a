/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning with beta >= 0. Beta then has no closed form, and the sums
 *     A = sum beta beta',   C = sum x beta',   n_k^s = sum alpha_k beta_k^s,   P_kk = sum alpha_k^2
 * are accumulated during coding, block by block, instead of being derived from sums of codes. With beta fixed
 *     v_k <- Proj (v_k + (C_k - V A_:k) / A_kk),   b_k <- Proj (n_k / P_kk)
 * are minimisers of their blocks, and
 *     objective = tr Sxx - 2 <C, V> + <A, V' V> + gamma (tr A - 2 <n, b> + sum_k P_kk ||b_k||^2) + lambda sum |alpha|.
 * gamma = infinity is learned as the ordinary problem with alpha >= 0 and b >= 0: the objective is invariant to a
 * joint change of sign of an atom's b and its codes, so no solution is lost.
 */
#include <math.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/vector.h"
#include "engine/learning/state.h"

static void
keep_part (const TosstLearning *self, double *sum, size_t n)
{
  for (size_t i = 0; i < n; i++)
    sum[i] = self->keep > 0 ? self->keep * sum[i] : 0;
}

TosstStatus
tosst_learning_code_nonnegative (TosstLearning *self, const TosstCoder *coder, bool warm, TosstCodingReport *report)
{
  size_t D = self->D, S = self->S, K = self->K;
  double power[K];
  TosstNonnegativeSums sums
      = { self->A, self->Csum, self->N, self->mean, power, self->keep > 0 ? self->keep * self->l1 : 0 };
  for (size_t k = 0; k < K; k++)
    power[k] = self->P[k * K + k];
  keep_part (self, sums.A, K * K);
  keep_part (self, sums.C, D * K);
  keep_part (self, sums.N, S * K);
  keep_part (self, sums.mean, S * K);
  keep_part (self, sums.power, K);
  TosstStatus status
      = tosst_code_nonnegative (self->context, coder, false, self->tensors, self->n, warm, self->codes, &sums, report);
  memset (self->P, 0, sizeof *self->P * K * K);
  for (size_t k = 0; k < K; k++)
    self->P[k * K + k] = power[k];
  self->l1 = sums.l1;
  return status;
}

TosstStatus
tosst_learning_prepare_B_nonnegative (TosstLearning *self)
{
  size_t D = self->D, K = self->K;
  memcpy (self->R, self->Csum, sizeof *self->R * D * K);
  TosstStatus status = tosst_dgemm (self->context, CblasNoTrans, CblasNoTrans, D, K, K, -1, self->dictionary->V, D,
                                    self->A, K, 1, self->R, D);
  for (size_t k = 0; k < K; k++)
    self->A_diagonal[k] = self->A[k * K + k];
  for (size_t i = 0; i < K * K; i++)
    self->A_float[i] = self->A[i];
  return status;
}

void
tosst_learning_update_b_nonnegative (TosstLearning *self)
{
  size_t S = self->S, K = self->K;
  double work[S];
  for (size_t k = 0; k < K; k++)
    {
      double *b = self->dictionary->b + k * S, power = self->P[k * K + k];
      if (!(power > 0))
        continue;
      for (size_t s = 0; s < S; s++)
        b[s] = self->N[k * S + s] / power;
      tosst_project_l1 (b, S, !self->options->signed_b, work);
    }
}

TosstStatus
tosst_learning_update_nonnegative (TosstLearning *self)
{
  TosstStatus status = tosst_learning_prepare_B_nonnegative (self) ?: tosst_learning_sweep_B (self);
  if (status == TOSST_OK)
    tosst_learning_update_b_nonnegative (self);
  return status;
}

void
tosst_learning_redirect_b (TosstLearning *self, int k)
{
  size_t S = self->S;
  double *b = self->dictionary->b + k * S, sum = 0;
  for (size_t s = 0; s < S; s++)
    sum += self->mean[k * S + s];
  for (size_t s = 0; s < S && sum > 0; s++)
    b[s] = self->mean[k * S + s] / sum;
}

TosstStatus
tosst_learning_objective_nonnegative (TosstLearning *self, TosstIteration *iteration)
{
  size_t D = self->D, S = self->S, K = self->K;
  const double *V = self->dictionary->V, *b = self->dictionary->b;
  double fit = 0, apart = 0;
  TosstStatus status = tosst_dgemm (self->context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, V, D, 0, self->Scc, K);
  if (status != TOSST_OK)
    return status;
  for (size_t i = 0; i < D; i++)
    fit += self->Sxx[i * D + i];
  fit += tosst_dot (K * K, self->A, self->Scc) - 2 * tosst_dot (D * K, self->Csum, V);
  for (size_t k = 0; k < K; k++)
    apart += self->A[k * K + k] - 2 * tosst_dot (S, self->N + k * S, b + k * S)
             + self->P[k * K + k] * tosst_dot (S, b + k * S, b + k * S);
  iteration->fit = fit;
  iteration->proximity = self->options->problem.gamma * apart;
  iteration->sparsity = self->options->problem.lambda * self->l1;
  iteration->objective = iteration->fit + iteration->proximity + iteration->sparsity;
  return isfinite (iteration->objective)
             ? TOSST_OK
             : tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "the objective is no longer a finite number");
}
