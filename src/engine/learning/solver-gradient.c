/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Algorithm 1 of Koniusz & Cherian: steps of one fixed length eta in turn on every block of equation (5), each
 * followed by its projection. With f the mean over tensors (so that one eta serves any number of them), one
 * iteration is
 *     B_k     <- Pro (B_k - eta df/dB_k),   Pro (U diag (mu) U') = U max (diag (mu), 0) U' / tr
 *     b_k     <- Euclidean projection of b_k - eta df/db_k onto its simplex or l1 ball
 *     beta^n  <- beta^n - eta df^n/dbeta^n   (projected onto beta >= 0 if required)
 *     alpha^n <- max (0, alpha^n - eta (df^n/dalpha^n + lambda)), soft-thresholded by eta lambda if signed
 * each at the others' newest values; f^n is the term of tensor n,
 *     df/dB_k = 2 (V A - C)_k / N,   df/db_k = 2 gamma (P_kk b_k - n_k) / N.
 * The projection of B_k is not Euclidean: it makes every trace 1. For low-rank atoms only the R largest eigenvalues
 * enter it, and free atoms are divided by their Frobenius norm. An atom whose projection does not exist (no positive
 * eigenvalue) is unchanged.
 *
 * The objective is not monotone: it increases if eta is too long for a block's curvature or if a trace has to grow.
 * By default eta is the inverse of the largest initial curvature of a block.
 */

#include "engine/base/base.h"
#include "engine/learning/stored.h"
#include "engine/learning/tuning.h"

typedef struct
{
  TosstStored *stored;
  const double *step; /* D x K: V A - C */
} AtomStep;

static TosstStatus
atom_task (size_t k, int worker, void *data)
{
  AtomStep *self = data;
  TosstStored *stored = self->stored;
  const TosstLearning *l = stored->learning;
  size_t D = l->D;
  double *v = l->dictionary->V + k * D;
  double *moved = stored->work[worker].slices;
  memcpy (moved, v, sizeof *moved * D);
  cblas_daxpy (D, -2 * stored->eta / l->n, self->step + k * D, 1, moved, 1);
  bool exists;
  TosstStatus status = tosst_atom_set_normalise (&l->set, moved, &exists, stored->work[worker].project);
  if (status != TOSST_OK)
    return tosst_context_fail (l->context, status, "the eigenvalues of atom %zu could not be found", k);
  if (exists)
    memcpy (v, moved, sizeof *v * D);
  return TOSST_OK;
}

static TosstStatus
step_atoms (TosstStored *self)
{
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  memcpy (l->DK, l->C, sizeof *l->DK * D * K);
  TosstStatus status
      = tosst_dgemm (l->context, CblasNoTrans, CblasNoTrans, D, K, K, 1, l->dictionary->V, D, l->A, K, -1, l->DK, D);
  AtomStep step = { self, l->DK };
  TOSST_THEN (status, tosst_parallel (l->context, K, atom_task, &step, 0, 0));
  return status ?: tosst_stored_gram (self);
}

static void
step_vectors (TosstStored *self)
{
  const TosstLearning *l = self->learning;
  size_t S = l->S, K = l->K;
  double factor = 2 * self->eta * l->options->problem.gamma / l->n;
  for (size_t k = 0; k < K; k++)
    {
      double *b = l->dictionary->b + k * S;
      for (size_t s = 0; s < S; s++)
        b[s] -= factor * (l->P[k * K + k] * b[s] - self->moment[k * S + s]);
      tosst_project_l1 (b, S, !l->options->signed_b, self->work[0].betas);
    }
  tosst_stored_set_columns (self);
}

/* Updates alpha of one tensor for the beta in z. */
static void
step_alpha (const TosstStored *self, const double *z, double *alpha)
{
  const TosstLearning *l = self->learning;
  size_t S = l->S, K = l->K;
  double eta = self->eta, t = eta * l->options->problem.lambda;
  for (size_t k = 0; k < K; k++)
    {
      double slope = 0;
      for (size_t s = 0; s < S; s++)
        slope -= self->columns[s * K + k] * (z[s * K + k] - self->columns[s * K + k] * alpha[k]);
      double moved = alpha[k] - 2 * eta * l->options->problem.gamma * slope;
      alpha[k] = l->options->problem.signed_alpha ? copysign (fmax (fabs (moved) - t, 0), moved) : fmax (moved - t, 0);
    }
}

static TosstStatus
code_task (size_t n, int worker, void *data)
{
  TosstStored *self = data;
  TosstStoredWork *work = &self->work[worker];
  const TosstLearning *l = self->learning;
  size_t numbers = (size_t)l->S * l->K;
  double f, *beta = self->beta + n * numbers;
  tosst_stored_tensor (self, n, work);
  tosst_stored_read_unknowns (self, n, work->z);
  TOSST_TRY (tosst_stored_evaluate (work->z, &f, work->gradient, &work->tensor));
  work->worst_kkt = fmax (work->worst_kkt, tosst_stored_kkt (self, &work->tensor, work->z, work->gradient));
  cblas_daxpy (numbers, -self->eta, work->gradient, 1, beta, 1);
  if (l->options->problem.nonnegative_beta)
    for (size_t i = 0; i < numbers; i++)
      beta[i] = fmax (beta[i], 0);
  step_alpha (self, beta, self->alpha + n * l->K);
  return TOSST_OK;
}

TosstStatus
tosst_gradient_code (TosstStored *self)
{
  for (int w = 0; w < self->threads; w++)
    self->work[w].worst_kkt = 0;
  TosstStatus status = tosst_parallel (self->learning->context, self->learning->n, code_task, self, 0, 0.9);
  return status ?: tosst_stored_sum (self);
}

TosstStatus
tosst_gradient_iteration (TosstStored *self, TosstIteration *iteration)
{
  TosstStatus status = step_atoms (self);
  if (status == TOSST_OK)
    {
      step_vectors (self);
      status = tosst_gradient_code (self);
    }
  TOSST_THEN (status, tosst_stored_objective (self, iteration));
  if (status == TOSST_OK && iteration->objective > DIVERGED * self->squares)
    status = TOSST_ERROR_NUMERIC;
  tosst_stored_report (self, iteration);
  return status == TOSST_ERROR_NUMERIC
             ? tosst_context_fail (self->learning->context, status,
                                   "the gradient solver diverges: its step size eta = %g is too long for these tensors",
                                   self->eta)
             : status;
}

/* Lower estimate of the largest eigenvalue of a positive semi-definite K x K matrix; undefined after a cancellation. */
static double
largest_eigenvalue (TosstContext *context, const double *matrix, size_t K)
{
  double x[K], y[K], size = 0;
  TosstRandom random;
  tosst_random_init (&random, 1, 0);
  for (size_t k = 0; k < K; k++)
    x[k] = 0.5 + tosst_random_uniform (&random);
  for (int i = 0; i < POWER_STEPS && !tosst_context_checkpoint (context); i++)
    {
      cblas_dscal (K, 1 / tosst_norm (K, x), x, 1);
      cblas_dsymv (CblasColMajor, CblasLower, K, 1, matrix, K, x, 1, 0, y, 1);
      size = tosst_norm (K, y);
      if (!(size > 0))
        break;
      memcpy (x, y, sizeof x);
    }
  return size;
}

void
tosst_gradient_choose_eta (TosstStored *self)
{
  const TosstLearning *l = self->learning;
  size_t K = l->K, S = l->S;
  double gamma = l->options->problem.gamma;
  double curvature = largest_eigenvalue (l->context, self->G, K) + gamma;
  curvature = fmax (curvature, largest_eigenvalue (l->context, l->A, K) / l->n);
  for (size_t k = 0; k < K; k++)
    {
      const double *b = l->dictionary->b + k * S;
      curvature = fmax (curvature, gamma * fmax (l->P[k * K + k] / l->n, tosst_dot (S, b, b)));
    }
  self->eta = l->options->eta > 0 ? l->options->eta : 1 / (2 * curvature);
}
