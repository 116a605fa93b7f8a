/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (5) of one tensor in its codes, dictionary fixed. With T = V'X (column s is V'x^s), a = alpha+ - alpha-:
 *     f = sum_s [ ||x^s||^2 - 2 T^s . beta^s + beta^s' V'V beta^s + gamma ||beta^s - b^s . a||^2 ]
 *         + lambda sum (alpha+ + alpha-),
 * a convex quadratic with bounds. For gamma = infinity beta^s = b^s . a leaves, with q = sum_s b^s . T^s,
 *     f = sum_s ||x^s||^2 - 2 q'a + a' ((V'V) . (b'b)) a + lambda sum (alpha+ + alpha-).
 */
#include <math.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/vector.h"
#include "engine/learning/stored.h"

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
