/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The block updates of equation (5) in the dictionary, codes fixed, all exact.
 *
 * B_k, beta fixed: the Hessian of its block is A_kk I, so
 *     v_k <- Proj (v_k + R_k / A_kk),   R = C - V A = sum_{n,s} (x - V beta) beta',
 * is the minimiser over the constraint set. A and R follow from the sums with beta = c + M r, x - V beta = W r and M
 * = V' (V V' + gamma I)^{-1} = (W V)' / gamma:
 *     A = Scc + M X + X'M',   R = W (Exc + E M'),   X = Exc + E M'/2,   Exc = sum_{n,s} r c' = Sxc - V Scc.
 *
 * b_k, minimised over beta: sum_s r^s' W r^s has in b_k the Hessian (v_k' W v_k) P_kk I, so
 *     b_k <- Proj (b_k + (U_k' W v_k - sum_j G_kj P_kj b_j) / (G_kk P_kk)),   G = V' W V,
 * is the minimiser over the constraint set as well, for gamma = infinity (W = I) too. The step is never shorter than
 * with beta fixed, where a large gamma keeps b_k near its old value.
 */

#include "engine/base/base.h"
#include "engine/learning/divided.h"

/* Learning with beta >= 0. Beta then has no closed form, and the sums
 *     A = sum beta beta',   C = sum x beta',   n_k^s = sum alpha_k beta_k^s,   P_kk = sum alpha_k^2
 * are accumulated during coding, block by block, instead of being derived from sums of codes. With beta fixed
 *     v_k <- Proj (v_k + (C_k - V A_:k) / A_kk),   b_k <- Proj (n_k / P_kk)
 * are minimisers of their blocks, and
 *     objective = tr Sxx - 2 <C, V> + <A, V' V> + gamma (tr A - 2 <n, b> + sum_k P_kk ||b_k||^2) + lambda sum |alpha|.
 * gamma = infinity is learned as the ordinary problem with alpha >= 0 and b >= 0: the objective is invariant to a
 * joint change of sign of an atom's b and its codes, so no solution is lost. */

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

/* Preparation of the pass over all B_k. */
static TosstStatus
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

static TosstStatus
tosst_learning_objective_nonnegative (TosstLearning *self, TosstIteration *iteration)
{
  size_t D = self->D, S = self->S, K = self->K;
  const double *V = self->dictionary->V, *b = self->dictionary->b;
  double fit = 0, apart = 0;
  TOSST_TRY (tosst_dgemm (self->context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, V, D, 0, self->Scc, K));
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

typedef struct
{
  TosstLearning *learning;
  float *M, *X;      /* D x K each: M' and X, rounded */
  bool has_Scc;      /* A_float already contains Scc, by columns those of own atoms */
  double *work;      /* if lean: tosst_learning_lean_work () */
  double (*size)[2]; /* per task: sum ||m_k||^2 / A_kk and sum ||x_k||^2 / A_kk */
} BetaSums;

static double
diagonal_of_Scc (const TosstLearning *self, size_t k)
{
  const double *b = self->dictionary->b + k * self->S;
  return tosst_learning_by_columns (self) ? tosst_dot (self->S, b, b) * tosst_learning_power (self, k)
                                          : self->Scc[k * self->K + k];
}

/* Computes some columns of X, M' and the diagonal of A. R contains Exc + E M'. */
static TosstStatus
round_task (size_t item, int worker, void *data)
{
  BetaSums *self = data;
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K, columns = tosst_learning_columns (l), first = item * columns,
         end = first + columns < K ? first + columns : K;
  double gamma = l->options->problem.gamma;
  self->size[item][0] = self->size[item][1] = 0;
  if (!tosst_learning_owns (l, first))
    {
      /* X and the diagonal come from other ranks. */
      for (size_t i = first * D; i < end * D; i++)
        self->M[i] = l->reduction.WV[i] / gamma;
      return TOSST_OK;
    }
  for (size_t k = first; k < end; k++)
    {
      const double *R = l->R + k * D, *Exc = l->Exc + k * D, *WV = l->reduction.WV + k * D;
      float *M = self->M + k * D, *X = self->X + k * D;
      double inner = 0, mm = 0, xx = 0, Scc = diagonal_of_Scc (l, k);
      for (size_t p = 0; p < D; p++)
        {
          double x = (R[p] + Exc[p]) / 2, y = WV[p] / gamma;
          inner += x * y;
          mm += y * y;
          xx += x * x;
          X[p] = x;
          M[p] = y;
        }
      l->A_diagonal[k] = Scc + 2 * inner;
      if (l->A_diagonal[k] > 0)
        {
          self->size[item][0] += mm / l->A_diagonal[k];
          self->size[item][1] += xx / l->A_diagonal[k];
        }
    }
  return TOSST_OK;
}

/* Computes some columns of Scc, and, without M and X in float, of A, for moments_task(). X is in DK. */
static void
lean_columns (const BetaSums *self, size_t first, size_t count, double *A)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  double gamma = l->options->problem.gamma, *X = l->DK;
  const double *WV = l->reduction.WV;
  tosst_learning_code_gram (l, first, count, A);
  if (!self->M && isfinite (gamma))
    {
      cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, first + count, count, D, 1 / gamma, WV, D, X + first * D, D,
                   1, A, K);
      cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, first + count, count, D, 1 / gamma, X, D, WV + first * D, D,
                   1, A, K);
    }
  for (size_t k = 0; k < count; k++)
    for (size_t j = 0; j < first + count; j++)
      l->A_float[(first + k) * K + j] = A[k * K + j];
}

/* Computes some columns of A down to the diagonal. The last columns, which are longest, come first. */
static TosstStatus
moments_task (size_t item, int worker, void *data)
{
  BetaSums *self = data;
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K, columns = tosst_learning_columns (l), first = ((K - 1) / columns - item) * columns,
         count = K - first < columns ? K - first : columns;
  bool by_columns = tosst_learning_by_columns (l);
  if (!tosst_learning_owns (l, first))
    return TOSST_OK;
  if (by_columns && !self->has_Scc)
    lean_columns (self, first, count, self->work + worker * K * LEAN_COLUMNS);
  else if (!self->has_Scc)
    for (size_t k = first; k < first + count; k++)
      for (size_t j = 0; j < first + count; j++)
        l->A_float[k * K + j] = l->Scc[k * K + j];
  if (!self->M)
    return TOSST_OK;
  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, first + count, count, D, 1, self->M, D, self->X + first * D, D,
               1, l->A_float + first * K, K);
  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, first + count, count, D, 1, self->X, D, self->M + first * D, D,
               1, l->A_float + first * K, K);
  return TOSST_OK;
}

/* Whether float products are accurate enough for A. An entry of M X has an error of u sqrt (D) ||m_j|| ||x_k||, u
 * being half of the float's precision. A sweep that changes atoms by d_k gains at least (2 / relaxation - 1) sum_k
 * A_kk ||d_k||^2, and an error of A enters by its quadratic form in all d_k. Scaled by the diagonal the error matrix
 * has a Frobenius norm of 2 u sqrt (D) sqrt (sum ||m_k||^2 / A_kk sum ||x_k||^2 / A_kk), and, for independent
 * errors, a spectral norm of 2 / sqrt (K) of that. */
static bool
is_cancelled (const BetaSums *self, size_t items)
{
  double m = 0, x = 0;
  for (size_t i = 0; i < items; i++)
    {
      m += self->size[i][0];
      x += self->size[i][1];
    }
  return 0x1p-22 * sqrt (m * x * self->learning->D / self->learning->K) > MOMENT_ERROR;
}

/* Computes A rounded to float, with float products if accurate enough: a sweep multiplies A by differences of atoms,
 * so that the effect of rounding decreases with these. */
static TosstStatus
round_moments (TosstLearning *self)
{
  size_t D = self->D, K = self->K, columns = tosst_learning_columns (self), items = (K + columns - 1) / columns;
  bool by_columns = tosst_learning_by_columns (self);
  double size[items][2];
  BetaSums sums = { self, NULL, NULL, !self->is_exact, NULL, size };
  TosstStatus status = TOSST_OK;
  memset (size, 0, sizeof size);
  if (by_columns && !(sums.work = tosst_learning_lean_work (self)))
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  if (isfinite (self->options->problem.gamma))
    {
      sums.M = (float *)self->DK;
      sums.X = sums.M + D * K;
      status = tosst_parallel_work (self->context, items, 4. * D * K, round_task, &sums);
      status = tosst_ranks_gather (self->run.ranks, status, size, sizeof *size, 1, items);
      status = tosst_learning_gather (self, status, self->A_diagonal, sizeof *self->A_diagonal);
      status = tosst_learning_gather (self, status, sums.X, sizeof *sums.X * D);
      if (status == TOSST_OK && is_cancelled (&sums, items))
        {
          sums.M = NULL;
          sums.has_Scc = false;
          /* Replaces Scc by A, in float64. */
          double gamma = self->options->problem.gamma, *X = self->DK;
          const double *WV = self->reduction.WV;
          for (size_t i = 0; i < D * K; i++)
            X[i] = (self->R[i] + self->Exc[i]) / 2;
          status = tosst_learning_gather (self, status, X, sizeof *X * D);
          if (status == TOSST_OK && !by_columns)
            status = tosst_dgemm (self->context, CblasTrans, CblasNoTrans, K, K, D, 1 / gamma, WV, D, X, D, 1,
                                  self->Scc, K);
          if (status == TOSST_OK && !by_columns)
            status = tosst_dgemm (self->context, CblasTrans, CblasNoTrans, K, K, D, 1 / gamma, X, D, WV, D, 1,
                                  self->Scc, K);
        }
    }
  else
    for (size_t k = 0; k < K; k++)
      self->A_diagonal[k] = diagonal_of_Scc (self, k);
  status = status
               ?: tosst_parallel_work (self->context, items, tosst_learning_share (self, (double)D * K * K),
                                       moments_task, &sums);
  free (sums.work);
  return status;
}

TosstStatus
tosst_learning_prepare_B (TosstLearning *self)
{
  if (tosst_learning_is_joint (self))
    return tosst_learning_prepare_B_nonnegative (self);
  TosstStatus status = tosst_learning_residuals_for_pass (self) ?: round_moments (self);
  size_t own = tosst_learning_own (self);
  double *R = self->run.ranks ? self->packed : self->R;
  if (status == TOSST_OK && self->run.ranks)
    status = tosst_learning_pack (self, self->R, R);
  /* Scc is scratch here: A contains it, and it is recomputed after the update. */
  if (status == TOSST_OK && own > 0)
    status = tosst_reduction_apply (&self->reduction, self->context, self->dictionary, R, own, self->Scc);
  return status != TOSST_OK || !self->run.ranks ? status : tosst_learning_unpack (self, R, self->R);
}

TosstStatus
tosst_learning_update_B (TosstLearning *self)
{
  TosstStatus status = tosst_learning_prepare_B (self);
  tosst_learning_lap (self, TOSST_LEARN_SUMS);
  TOSST_THEN (status, tosst_learning_sweep_B (self));
  self->is_exact = false;
  tosst_learning_lap (self, TOSST_LEARN_B);
  TOSST_THEN (status, tosst_learning_reduce (self));
  tosst_learning_lap (self, TOSST_LEARN_W);
  return status;
}

TosstStatus
tosst_learning_update_b (TosstLearning *self)
{
  TosstStatus status = TOSST_OK;
  /* With one slice b_k only scales alpha_k: the largest value, 1, gives the smallest codes. */
  if (self->S > 1)
    status = tosst_learning_sweep_b (self);
  self->is_exact = false;
  tosst_learning_lap (self, TOSST_LEARN_b);
  return status;
}

TosstStatus
tosst_learning_update (TosstLearning *self)
{
  if (!tosst_learning_is_joint (self))
    return tosst_learning_update_B (self) ?: tosst_learning_update_b (self);
  TosstStatus status = tosst_learning_prepare_B_nonnegative (self) ?: tosst_learning_sweep_B (self);
  if (status == TOSST_OK)
    tosst_learning_update_b_nonnegative (self);
  return status;
}

/* The part of the trace in the columns first .. first + count - 1 of a D x D matrix. */
static double
trace (const double *columns, size_t D, size_t first, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += columns[i * D + first + i];
  return sum;
}

/* value: tr (W E) = <W, E> and tr (W^2 E) = <W^2, E>; each rank computes some columns. */
static TosstStatus
residual_traces (TosstLearning *self, double value[2])
{
  const TosstRanks *ranks = self->run.ranks;
  size_t D = self->D, size = ranks ? ranks->size : 1, rank = ranks ? ranks->rank : 0, first = D * rank / size,
         count = D * (rank + 1) / size - first;
  double *WE = self->DD;
  TosstStatus status = TOSST_OK;
  memcpy (WE, self->E + first * D, sizeof *WE * D * count);
  for (int power = 0; power < 2; power++)
    {
      if (status == TOSST_OK && count > 0)
        status = tosst_reduction_apply (&self->reduction, self->context, self->dictionary, WE, count, self->DK);
      value[power] = trace (WE, D, first, count);
    }
  return tosst_ranks_sum (self->run.ranks, status, value, 2);
}

TosstStatus
tosst_learning_objective (TosstLearning *self, TosstIteration *iteration)
{
  if (tosst_learning_is_joint (self))
    return tosst_learning_objective_nonnegative (self, iteration);
  size_t D = self->D;
  TosstStatus status = TOSST_OK;
  if (!self->is_exact)
    {
      status = tosst_learning_residuals (self);
      tosst_learning_lap (self, TOSST_LEARN_SUMS);
    }
  double value[2];
  value[0] = value[1] = trace (self->E, D, 0, D);
  if (status == TOSST_OK && isfinite (self->options->problem.gamma))
    status = residual_traces (self, value);
  if (status != TOSST_OK)
    return status;
  iteration->fit = value[1];
  iteration->proximity = value[0] - value[1];
  iteration->sparsity = self->options->problem.lambda * self->l1;
  iteration->objective = value[0] + iteration->sparsity;
  return isfinite (iteration->objective)
             ? TOSST_OK
             : tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "the objective is no longer a finite number");
}
