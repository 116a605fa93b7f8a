/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (5) with stored codes, as a function of the dictionary alone, depends on a few sums over tensors:
 *     A = sum beta beta',   C = sum x beta',   n_k^s = sum alpha_k beta_k^s,   P_kk = sum alpha_k^2,
 *     fit       = sum ||x||^2 - 2 <C, V> + <A, V'V>
 *     proximity = gamma (tr A - 2 <n, b> + sum_k P_kk ||b_k||^2).
 * For gamma = infinity beta = b . alpha, and as a function of b the fit is, with Z_k^s = sum alpha_k v_k'x^s,
 *     sum ||x||^2 - 2 <Z, b> + <(V'V) . P, b'b>.
 * Every worker accumulates a fixed range of tensors, so that the same number of threads gives the same bits.
 */
#include "engine/base/base.h"
#include "engine/learning/stored.h"
#include "engine/learning/tuning.h"

TosstStatus
tosst_stored_gram (TosstStored *self)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  const double *V = l->dictionary->V;
  TosstStatus status = tosst_dgemm (l->context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, V, D, 0, self->G, K);
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j < i; j++)
      self->G[i * K + j] = self->G[j * K + i];
  tosst_stored_set_columns (self);
  return status;
}

void
tosst_stored_set_columns (TosstStored *self)
{
  size_t K = self->learning->K, S = self->learning->S;
  const double *b = self->learning->dictionary->b;
  for (size_t k = 0; k < K; k++)
    for (size_t s = 0; s < S; s++)
      self->columns[s * K + k] = b[k * S + s];
  if (!self->H)
    return;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, K, S, 1, b, S, b, S, 0, self->H, K);
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j <= i; j++)
      self->H[i * K + j] = self->H[j * K + i] = self->H[i * K + j] * self->G[i * K + j];
}

/* Gathers slices and codes of count tensors from first on. */
static void
read_batch (const TosstStored *self, size_t first, size_t count, TosstStoredWork *work)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K;
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < S; s++)
      tosst_learning_slice (l, l->tensors + (first + i) * l->layout->m, s, work->slices + (i * S + s) * D);
  memcpy (work->alphas, self->alpha + first * K, sizeof *work->alphas * count * K);
  if (self->beta)
    {
      memcpy (work->betas, self->beta + first * S * K, sizeof *work->betas * count * S * K);
      return;
    }
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < S; s++)
      for (size_t k = 0; k < K; k++)
        work->betas[(i * S + s) * K + k] = self->columns[s * K + k] * work->alphas[i * K + k];
}

/* moment_k^s += alpha_k * (row k, column s of tables), for count tensors, tables contiguous. */
static void
add_moment (const TosstLearning *l, size_t count, const double *tables, TosstStoredWork *work)
{
  size_t S = l->S, K = l->K;
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < S; s++)
      for (size_t k = 0; k < K; k++)
        work->moment[s * K + k] += work->alphas[i * K + k] * tables[(i * S + s) * K + k];
}

static void
range_of (const TosstStored *self, size_t item, size_t *first, size_t *last)
{
  *first = self->learning->n * item / self->threads;
  *last = self->learning->n * (item + 1) / self->threads;
}

static TosstStatus
sum_task (size_t item, int worker, void *data)
{
  TosstStored *self = data;
  TosstStoredWork *work = &self->work[item];
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K, n, last;
  memset (work->A, 0, sizeof *work->A * K * K);
  memset (work->C, 0, sizeof *work->C * D * K);
  memset (work->moment, 0, sizeof *work->moment * S * K);
  memset (work->P, 0, sizeof *work->P * K * K);
  work->l1 = work->nonzeros = 0;
  for (range_of (self, item, &n, &last); n < last; n += STORED_BATCH)
    {
      size_t count = last - n < STORED_BATCH ? last - n : STORED_BATCH;
      read_batch (self, n, count, work);
      cblas_dsyrk (CblasColMajor, CblasLower, CblasNoTrans, K, count * S, 1, work->betas, K, 1, work->A, K);
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, K, count * S, 1, work->slices, D, work->betas, K, 1,
                   work->C, D);
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      add_moment (l, count, work->betas, work);
      for (size_t i = 0; i < count * K; i++)
        {
          work->P[i % K * (K + 1)] += work->alphas[i] * work->alphas[i];
          work->l1 += fabs (work->alphas[i]);
          work->nonzeros += work->alphas[i] != 0;
        }
    }
  return TOSST_OK;
}

/* Sums the lower triangles of all workers into a full matrix; member: offset of the matrix of a worker. */
static void
add_lower (const TosstStored *self, size_t member, double *out)
{
  size_t K = self->learning->K;
  for (size_t j = 0; j < K; j++)
    for (size_t i = j; i < K; i++)
      {
        double sum = 0;
        for (int w = 0; w < self->threads; w++)
          sum += (*(double **)((char *)&self->work[w] + member))[j * K + i];
        out[j * K + i] = out[i * K + j] = sum;
      }
}

static void
add_moments (TosstStored *self)
{
  size_t K = self->learning->K, S = self->learning->S;
  for (size_t k = 0; k < K; k++)
    for (size_t s = 0; s < S; s++)
      {
        double sum = 0;
        for (int w = 0; w < self->threads; w++)
          sum += self->work[w].moment[s * K + k];
        self->moment[k * S + s] = sum;
      }
}

TosstStatus
tosst_stored_sum (TosstStored *self)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  TOSST_TRY (tosst_parallel (l->context, self->threads, sum_task, self, 0, 0));
  add_lower (self, offsetof (TosstStoredWork, A), l->A);
  add_lower (self, offsetof (TosstStoredWork, P), l->P);
  add_moments (self);
  l->l1 = 0;
  memset (l->C, 0, sizeof *l->C * D * K);
  for (int w = 0; w < self->threads; w++)
    {
      cblas_daxpy (D * K, 1, self->work[w].C, 1, l->C, 1);
      l->l1 += self->work[w].l1;
    }
  return TOSST_OK;
}

static TosstStatus
correlate_task (size_t item, int worker, void *data)
{
  TosstStored *self = data;
  TosstStoredWork *work = &self->work[item];
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K, n, last;
  memset (work->moment, 0, sizeof *work->moment * S * K);
  memset (work->P, 0, sizeof *work->P * K * K);
  for (range_of (self, item, &n, &last); n < last; n += STORED_BATCH)
    {
      size_t count = last - n < STORED_BATCH ? last - n : STORED_BATCH;
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      read_batch (self, n, count, work);
      cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, count * S, D, 1, l->dictionary->V, D, work->slices, D, 0,
                   work->betas, K);
      cblas_dsyrk (CblasColMajor, CblasLower, CblasNoTrans, K, count, 1, work->alphas, K, 1, work->P, K);
      add_moment (l, count, work->betas, work);
    }
  return TOSST_OK;
}

TosstStatus
tosst_stored_correlate (TosstStored *self)
{
  TOSST_TRY (tosst_parallel (self->learning->context, self->threads, correlate_task, self, 0, 0));
  add_lower (self, offsetof (TosstStoredWork, P), self->learning->P);
  add_moments (self);
  return TOSST_OK;
}

TosstStatus
tosst_stored_objective (const TosstStored *self, TosstIteration *iteration)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K;
  const double *b = l->dictionary->b;
  double fit = self->squares, apart = 0;
  if (self->beta)
    {
      fit += tosst_dot (K * K, l->A, self->G) - 2 * tosst_dot (D * K, l->C, l->dictionary->V);
      apart = -2 * tosst_dot (S * K, self->moment, b);
      for (size_t k = 0; k < K; k++)
        apart += l->A[k * K + k] + l->P[k * K + k] * tosst_dot (S, b + k * S, b + k * S);
      apart *= l->options->problem.gamma;
    }
  else
    fit += tosst_dot (K * K, self->H, l->P) - 2 * tosst_dot (S * K, self->moment, b);
  iteration->fit = fit;
  iteration->proximity = apart;
  iteration->sparsity = l->options->problem.lambda * l->l1;
  iteration->objective = fit + apart + iteration->sparsity;
  return isfinite (iteration->objective)
             ? TOSST_OK
             : tosst_context_fail (l->context, TOSST_ERROR_NUMERIC, "the objective is no longer a finite number");
}

void
tosst_stored_report (const TosstStored *self, TosstIteration *iteration)
{
  const TosstLearning *l = self->learning;
  size_t K = l->K;
  double nonzeros = 0;
  iteration->worst_kkt = 0;
  for (int w = 0; w < self->threads; w++)
    {
      nonzeros += self->work[w].nonzeros;
      iteration->worst_kkt = fmax (iteration->worst_kkt, self->work[w].worst_kkt);
    }
  iteration->mean_nonzeros = nonzeros / l->n;
  iteration->unused_atoms = 0;
  for (size_t k = 0; k < K; k++)
    iteration->unused_atoms += l->P[k * K + k] == 0;
}

/* Equation (5) of one tensor in its codes, dictionary fixed. With T = V'X (column s is V'x^s), a = alpha+ - alpha-:
 *     f = sum_s [ ||x^s||^2 - 2 T^s . beta^s + beta^s' V'V beta^s + gamma ||beta^s - b^s . a||^2 ]
 *         + lambda sum (alpha+ + alpha-),
 * a convex quadratic with bounds. For gamma = infinity beta^s = b^s . a leaves, with q = sum_s b^s . T^s,
 *     f = sum_s ||x^s||^2 - 2 q'a + a' ((V'V) . (b'b)) a + lambda sum (alpha+ + alpha-). */

size_t
tosst_stored_unknowns (const TosstLayout *layout, const TosstLearnOptions *options)
{
  size_t alphas = options->problem.signed_alpha ? 2 : 1;
  return options->atoms * (isfinite (options->problem.gamma) ? layout->S + alphas : alphas);
}

/* Number of betas among the unknowns. */
static size_t
betas (const TosstStored *self)
{
  return self->beta ? (size_t)self->learning->K * self->learning->S : 0;
}

size_t
tosst_stored_first_bound (const TosstStored *self)
{
  return self->learning->options->problem.nonnegative_beta ? 0 : betas (self);
}

void
tosst_stored_tensor (const TosstStored *self, size_t n, TosstStoredWork *work)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K;
  TosstStoredTensor *tensor = &work->tensor;
  for (size_t s = 0; s < S; s++)
    tosst_learning_slice (l, l->tensors + n * l->layout->m, s, work->slices + s * D);
  tensor->squares = tosst_dot (D * S, work->slices, work->slices);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, D, 1, l->dictionary->V, D, work->slices, D, 0, tensor->T,
               K);
  memset (tensor->q, 0, sizeof *tensor->q * K);
  for (size_t i = 0; i < S * K; i++)
    tensor->q[i % K] += self->columns[i] * tensor->T[i];
}

void
tosst_stored_read_unknowns (const TosstStored *self, size_t n, double *z)
{
  size_t K = self->learning->K, first = betas (self);
  const double *alpha = self->alpha + n * K;
  if (self->beta)
    memcpy (z, self->beta + n * first, sizeof *z * first);
  for (size_t k = 0; k < K; k++)
    {
      z[first + k] = fmax (alpha[k], 0);
      if (self->learning->options->problem.signed_alpha)
        z[first + K + k] = fmax (-alpha[k], 0);
    }
}

void
tosst_stored_write_unknowns (TosstStored *self, size_t n, const double *z)
{
  size_t K = self->learning->K, first = betas (self);
  double *alpha = self->alpha + n * K;
  if (self->beta)
    memcpy (self->beta + n * first, z, sizeof *z * first);
  for (size_t k = 0; k < K; k++)
    alpha[k] = z[first + k] - (self->learning->options->problem.signed_alpha ? z[first + K + k] : 0);
}

static double
alpha_at (const TosstLearning *l, const double *z, size_t k)
{
  return z[k] - (l->options->problem.signed_alpha ? z[l->K + k] : 0);
}

/* Returns the sparsity term; computes the gradient in both parts of alpha from that in a, which is stored in the
 * first part. */
static double
finish_alpha (const TosstLearning *l, const double *z, double *gradient)
{
  size_t K = l->K;
  double lambda = l->options->problem.lambda, sum = 0;
  for (size_t k = 0; k < K; k++)
    {
      sum += z[k];
      if (l->options->problem.signed_alpha)
        {
          sum += z[K + k];
          gradient[K + k] = lambda - gradient[k];
        }
      gradient[k] += lambda;
    }
  return lambda * sum;
}

static double
evaluate_tied (const TosstStoredTensor *tensor, const double *z, double *gradient)
{
  const TosstLearning *l = tensor->stored->learning;
  size_t K = l->K;
  double a[K], f = tensor->squares;
  for (size_t k = 0; k < K; k++)
    a[k] = alpha_at (l, z, k);
  cblas_dsymv (CblasColMajor, CblasLower, K, 1, tensor->stored->H, K, a, 1, 0, gradient, 1);
  for (size_t k = 0; k < K; k++)
    {
      f += a[k] * (gradient[k] - 2 * tensor->q[k]);
      gradient[k] = 2 * (gradient[k] - tensor->q[k]);
    }
  return f + finish_alpha (l, z, gradient);
}

static double
evaluate_stored (const TosstStoredTensor *tensor, const double *z, double *gradient)
{
  const TosstStored *self = tensor->stored;
  const TosstLearning *l = self->learning;
  size_t K = l->K, S = l->S;
  double gamma = l->options->problem.gamma, f = tensor->squares, *in_alpha = gradient + K * S;
  memset (in_alpha, 0, sizeof *in_alpha * K);
  cblas_dsymm (CblasColMajor, CblasLeft, CblasLower, K, S, 1, self->G, K, z, K, 0, gradient, K);
  for (size_t s = 0; s < S; s++)
    for (size_t k = 0; k < K; k++)
      {
        size_t i = s * K + k;
        double b = self->columns[i], apart = z[i] - b * alpha_at (l, z + K * S, k);
        f += z[i] * (gradient[i] - 2 * tensor->T[i]) + gamma * apart * apart;
        gradient[i] = 2 * (gradient[i] - tensor->T[i] + gamma * apart);
        in_alpha[k] -= 2 * gamma * b * apart;
      }
  return f + finish_alpha (l, z + K * S, in_alpha);
}

TosstStatus
tosst_stored_evaluate (const double *z, double *f, double *gradient, void *data)
{
  const TosstStoredTensor *tensor = data;
  if (tosst_context_checkpoint (tensor->stored->learning->context))
    return TOSST_CANCELLED;
  *f = tensor->stored->beta ? evaluate_stored (tensor, z, gradient) : evaluate_tied (tensor, z, gradient);
  return TOSST_OK;
}

double
tosst_stored_kkt (const TosstStored *self, const TosstStoredTensor *tensor, const double *z, const double *gradient)
{
  const TosstLearning *l = self->learning;
  size_t unknowns = tosst_stored_unknowns (l->layout, l->options), first = tosst_stored_first_bound (self);
  size_t numbers = self->beta ? (size_t)l->S * l->K : (size_t)l->K;
  const double *linear = self->beta ? tensor->T : tensor->q;
  double worst = 0, largest = 2 * fabs (linear[cblas_idamax (numbers, linear, 1)]);
  for (size_t i = 0; i < unknowns; i++)
    worst = fmax (worst, i >= first && z[i] <= 0 ? -gradient[i] : fabs (gradient[i]));
  return largest > 0 ? worst / largest : 0;
}
