/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The block updates of equation (5) in the dictionary, codes fixed, all exact.
 *
 * B_k, beta fixed: the Hessian of its block is A_kk I, so
 *     v_k <- Proj (v_k + (C_k - V A_:k) / A_kk)
 * is the minimiser over the constraint set. A and C follow from the sums with M = V' (V V' + gamma I)^{-1} = (W V)' /
 * gamma: A = Scc + M Exc + (M Exc)' + M E M',   C = Sxc + (Sxx - Sxc V') M',   Exc = Sxc - V Scc.
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

/* Atoms whose residuals C - V A are brought up to date by one product. */
#define BLOCK 32

/* Steps are longer than those to the minimiser of a block by this factor. Below 2 a projected step on a convex set
 * still never raises a quadratic whose Hessian is a multiple of the identity, and passes over coupled blocks settle
 * sooner. */
#define RELAXATION 1.7

/* Passes over all b_k; each costs next to nothing. */
#define B_PASSES 3

/* A and C for beta at its minimum. Needs reduction and residuals; DK1 holds Exc from the latter. */
static TosstStatus
beta_sums (TosstLearning *self)
{
  TosstContext *context = self->context;
  size_t D = self->D, K = self->K;
  double gamma = self->options->gamma;
  memcpy (self->A, self->Scc, sizeof *self->A * K * K);
  memcpy (self->C, self->Sxc, sizeof *self->C * D * K);
  if (!isfinite (gamma))
    return TOSST_OK;

  const double *WV = self->reduction.WV, *V = self->dictionary->V;
  /* A + its transpose gives both mixed terms: half of Scc and of M E M' on either side. */
  for (size_t i = 0; i < K * K; i++)
    self->A[i] *= 0.5;
  /* DK2 = Exc + E M' / 2 */
  memcpy (self->DK2, self->DK1, sizeof *self->DK2 * D * K);
  TosstStatus status
      = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, D, 0.5 / gamma, self->E, D, WV, D, 1, self->DK2, D);
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasTrans, CblasNoTrans, K, K, D, 1 / gamma, WV, D, self->DK2, D, 1, self->A, K);
  if (status != TOSST_OK)
    return status;
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j <= i; j++)
      self->A[i * K + j] = self->A[j * K + i] = self->A[i * K + j] + self->A[j * K + i];

  memcpy (self->DD, self->Sxx, sizeof *self->DD * D * D);
  status = tosst_dgemm (context, CblasNoTrans, CblasTrans, D, D, K, -1, self->Sxc, D, V, D, 1, self->DD, D);
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, D, 1 / gamma, self->DD, D, WV, D, 1, self->C, D);
  return status;
}

/* One pass over B_1 .. B_K. */
static TosstStatus
update_B (TosstLearning *self)
{
  size_t D = self->D, K = self->K;
  double *V = self->dictionary->V, *A = self->A, *C = self->C;
  double *old = malloc (sizeof *old * (D + tosst_project_atom_work (self->layout->d)));
  if (!old)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  double *work = old + D, floor = 0;
  for (size_t k = 0; k < K; k++)
    floor = fmax (floor, A[k * K + k]);
  floor *= 1e-14;
  double relaxation = self->options->scheme == TOSST_SCHEME_LOW_RANK ? 1 : RELAXATION;

  TosstStatus status = TOSST_OK;
  for (size_t k0 = 0; k0 < K && status == TOSST_OK; k0 += BLOCK)
    {
      size_t count = K - k0 < BLOCK ? K - k0 : BLOCK;
      if (tosst_context_checkpoint (self->context))
        status = TOSST_CANCELLED;
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, count, K, -1, V, D, A + k0 * K, K, 1, C + k0 * D, D);
      for (size_t k = k0; k < k0 + count && status == TOSST_OK; k++)
        {
          double *v = V + k * D, Akk = A[k * K + k];
          if (!(Akk > floor))
            continue;
          memcpy (old, v, sizeof *old * D);
          cblas_daxpy (D, relaxation / Akk, C + k * D, 1, v, 1);
          status = tosst_project_atom (self->options->scheme, self->options->rank, self->layout->d, v, work);
          if (status != TOSST_OK)
            tosst_context_fail (self->context, status, "the eigenvalues of atom %zu could not be found", k);
          /* The residuals of the block's later atoms see the change at once. */
          cblas_daxpy (D, -1, v, 1, old, 1);
          for (size_t j = k + 1; j < k0 + count; j++)
            cblas_daxpy (D, A[j * K + k], old, 1, C + j * D, 1);
        }
    }
  free (old);
  return status;
}

/* Ub[:,k] = U_k' W v_k */
static TosstStatus
correlate_task (size_t k, int worker, void *data)
{
  TosstLearning *self = data;
  const TosstLayout *layout = self->layout;
  const double *Y = self->Y + k * layout->m, *u = self->reduction.WV + k * self->D;
  size_t D = self->D;
  for (int s = 0; s < self->S; s++)
    {
      const int32_t *index = layout->index + s * D;
      double sum = 0;
      for (size_t p = 0; p < D; p++)
        sum += layout->weight[p] * Y[index[p]] * u[p];
      self->Ub[k * self->S + s] = sum / self->dictionary->scale;
    }
  return TOSST_OK;
}

/* Passes over b_1 .. b_K. */
static TosstStatus
update_b (TosstLearning *self)
{
  size_t K = self->K, S = self->S;
  double *b = self->dictionary->b, *row = malloc (sizeof *row * (K + 2 * S));
  if (!row)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  double *gradient = row + K, *work = gradient + S;
  TosstStatus status = tosst_parallel (self->context, K, correlate_task, self, 0, 0);

  for (int pass = 0; pass < B_PASSES && status == TOSST_OK; pass++)
    for (size_t k = 0; k < K; k++)
      {
        const double *G = self->reduction.G + k * K, *P = self->P + k * K;
        double curvature = G[k] * P[k];
        if (!(curvature > 0))
          continue;
        for (size_t j = 0; j < K; j++)
          row[j] = G[j] * P[j];
        memcpy (gradient, self->Ub + k * S, sizeof *gradient * S);
        cblas_dgemv (CblasColMajor, CblasNoTrans, S, K, -1, b, S, row, 1, 1, gradient, 1);
        cblas_daxpy (S, RELAXATION / curvature, gradient, 1, b + k * S, 1);
        tosst_project_l1 (b + k * S, S, !self->options->signed_b, work);
      }
  free (row);
  return status;
}

TosstStatus
tosst_learning_update (TosstLearning *self)
{
  double gamma = self->options->gamma;
  TosstStatus status = beta_sums (self);
  if (status == TOSST_OK)
    status = update_B (self);
  if (status == TOSST_OK)
    status = tosst_reduction_update (&self->reduction, self->context, self->dictionary, gamma);
  if (status == TOSST_OK)
    status = update_b (self);
  if (status == TOSST_OK)
    status = tosst_learning_residuals (self);
  return status;
}

TosstStatus
tosst_learning_objective (TosstLearning *self, TosstIteration *iteration)
{
  size_t D = self->D;
  double whole = 0, fit = 0;
  if (isfinite (self->options->gamma))
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
