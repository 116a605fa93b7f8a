/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The block updates of equation (5) in the dictionary, codes fixed, all exact.
 *
 * B_k, beta fixed: the Hessian of its block is A_kk I, so
 *     v_k <- Proj (v_k + R_k / A_kk),   R = C - V A = sum_{n,s} (x - V beta) beta',
 * is the minimiser over the constraint set. A and R follow from the sums with beta = c + M r, x - V beta = W r and
 * M = V' (V V' + gamma I)^{-1} = (W V)' / gamma:
 *     A = Scc + M X + X'M',   R = W (2 X - Exc),   X = Exc + E M'/2,   Exc = sum_{n,s} r c' = Sxc - V Scc.
 *
 * b_k, beta minimised out: sum_s r^s' W r^s has in b_k the Hessian (v_k' W v_k) P_kk I, so
 *     b_k <- Proj (b_k + (U_k' W v_k - sum_j G_kj P_kj b_j) / (G_kk P_kk)),   G = V' W V,
 * is the minimiser over the constraint set as well, for gamma = infinity (W = I) too. It is never a shorter step than
 * with beta fixed, where a large gamma ties b_k to its old value.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"
#include "dictionary/state.h"

/* A and R for beta at its minimum. Needs reduction and residuals; DK1 holds Exc from the latter. */
static TosstStatus
beta_sums (TosstLearning *self)
{
  TosstContext *context = self->context;
  size_t D = self->D, K = self->K;
  double gamma = self->options->gamma;
  memcpy (self->A, self->Scc, sizeof *self->A * K * K);
  memcpy (self->R, self->DK1, sizeof *self->R * D * K);
  if (!isfinite (gamma))
    return TOSST_OK;

  const double *WV = self->reduction.WV;
  double *X = self->DK2;
  memcpy (X, self->DK1, sizeof *X * D * K);
  TosstStatus status
      = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, D, 0.5 / gamma, self->E, D, WV, D, 1, X, D);
  for (size_t i = 0; i < D * K; i++)
    self->R[i] = 2 * X[i] - self->R[i];
  if (status == TOSST_OK)
    status = tosst_dgemm_lower (context, CblasTrans, CblasNoTrans, K, D, 1 / gamma, WV, D, X, D, 1, self->A, K);
  if (status == TOSST_OK)
    status = tosst_dgemm_lower (context, CblasTrans, CblasNoTrans, K, D, 1 / gamma, X, D, WV, D, 1, self->A, K);
  if (status == TOSST_OK)
    status = tosst_mirror (context, K, self->A, K);
  /* What Scc holds has gone into A, and it is made anew after the update. */
  if (status == TOSST_OK)
    status = tosst_reduction_apply (&self->reduction, context, self->dictionary, self->R, K, self->Scc);
  return status;
}

TosstStatus
tosst_learning_update (TosstLearning *self)
{
  if (tosst_learning_is_joint (self))
    return tosst_learning_update_nonnegative (self);
  TosstStatus status = beta_sums (self);
  tosst_learning_lap (self, TOSST_LEARN_SUMS);
  if (status == TOSST_OK)
    status = tosst_learning_update_B (self);
  tosst_learning_lap (self, TOSST_LEARN_B);
  if (status == TOSST_OK)
    status = tosst_reduction_update (&self->reduction, self->context, self->dictionary, self->options->gamma);
  tosst_learning_lap (self, TOSST_LEARN_W);
  /* With one slice b_k scales alpha_k and nothing else: the largest, 1, makes codes smallest. */
  if (status == TOSST_OK && self->S > 1)
    status = tosst_learning_update_b (self);
  tosst_learning_lap (self, TOSST_LEARN_b);
  if (status == TOSST_OK)
    status = tosst_learning_residuals (self);
  tosst_learning_lap (self, TOSST_LEARN_SUMS);
  return status;
}

/* With F = V' E V: whole = tr E - tr (Q F), and gamma tr (Q F Q) of that is proximity. */
static TosstStatus
measure_few (TosstLearning *self, double *fit, double *whole)
{
  TosstContext *context = self->context;
  size_t D = self->D, K = self->K;
  const double *V = self->dictionary->V, *Q = self->reduction.Q;
  double *F = malloc (sizeof *F * 2 * K * K), *QF = F + K * K, trace = 0, tied = 0;
  if (!F)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to evaluate the objective");
  TosstStatus status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, D, 1, self->E, D, V, D, 0, self->DK2, D);
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, self->DK2, D, 0, F, K);
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, K, K, K, 1, Q, K, F, K, 0, QF, K);
  for (size_t i = 0; i < D; i++)
    trace += self->E[i * D + i];
  for (size_t i = 0; i < K && status == TOSST_OK; i++)
    {
      trace -= QF[i * K + i];
      tied += cblas_ddot (K, QF + i, K, Q + i * K, 1);
    }
  free (F);
  *whole = trace;
  *fit = trace - self->options->gamma * tied;
  return status;
}

TosstStatus
tosst_learning_objective (TosstLearning *self, TosstIteration *iteration)
{
  if (tosst_learning_is_joint (self))
    return tosst_learning_objective_nonnegative (self, iteration);
  size_t D = self->D;
  double whole = 0, fit = 0;
  if (isfinite (self->options->gamma) && self->reduction.Q)
    {
      TosstStatus status = measure_few (self, &fit, &whole);
      if (status != TOSST_OK)
        return status;
    }
  else if (isfinite (self->options->gamma))
    {
      /* T = L^{-1} E L^{-T}: tr T = <W, E>. With N = L^{-T} T L^{-1} = W E W: tr N = <W^2, E>. */
      double *T = self->DD;
      const double *L = self->reduction.L;
      memcpy (T, self->E, sizeof *T * D * D);
      cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, D, D, 1, L, D, T, D);
      cblas_dtrsm (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, D, D, 1, L, D, T, D);
      for (size_t i = 0; i < D; i++)
        whole += T[i * D + i];
      cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, D, D, 1, L, D, T, D);
      cblas_dtrsm (CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, D, D, 1, L, D, T, D);
      for (size_t i = 0; i < D; i++)
        fit += T[i * D + i];
    }
  else
    {
      for (size_t i = 0; i < D; i++)
        whole += self->E[i * D + i];
      fit = whole;
    }
  iteration->fit = fit;
  iteration->proximity = whole - fit;
  iteration->sparsity = self->options->lambda * self->l1;
  iteration->objective = whole + iteration->sparsity;
  return isfinite (iteration->objective)
             ? TOSST_OK
             : tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "the objective is no longer a finite number");
}
