/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Initialisation of the paper's solvers. B_k are the sampled slices as for the exact solver, b_k
 * is uniform (where atoms start as slices), and
 *     beta^{s,n} = argmin ||x^{s,n} - V beta||^2 + lambda ||beta||_1      a Lasso per slice,
 *     alpha_k^n  = argmin gamma sum_s (beta_k^{s,n} - b_k^s alpha)^2 + lambda |alpha|.
 */
#include "engine/learning/stored.h"

#include "engine/base/base.h"
#include "engine/learning/tuning.h"

/* Number of doubles per worker. */
static size_t
work_size (const TosstLayout *layout, const TosstLearnOptions *options)
{
  TosstAtomSet set = { layout->shape, options->scheme, options->rank };
  size_t D = layout->D, S = layout->S, K = options->atoms;
  return STORED_BATCH * (D * S + K * S + K) + K * S + K + 2 * tosst_stored_unknowns (layout, options) + 2 * K * K
         + D * K + K * S + tosst_atom_set_work (&set);
}

static double *
carve (double **block, size_t n)
{
  double *taken = *block;
  *block += n;
  return taken;
}

static bool
work_init (TosstStoredWork *self, const TosstStored *stored)
{
  const TosstLearning *l = stored->learning;
  size_t D = l->D, S = l->S, K = l->K, unknowns = tosst_stored_unknowns (l->layout, l->options);
  double *block = malloc (sizeof *block * work_size (l->layout, l->options));
  self->slices = block;
  if (!block)
    return false;
  self->tensor.stored = stored;
  carve (&block, STORED_BATCH * D * S);
  self->betas = carve (&block, STORED_BATCH * K * S);
  self->alphas = carve (&block, STORED_BATCH * K);
  self->tensor.T = carve (&block, K * S);
  self->tensor.q = carve (&block, K);
  self->z = carve (&block, unknowns);
  self->gradient = carve (&block, unknowns);
  self->A = carve (&block, K * K);
  self->P = carve (&block, K * K);
  self->C = carve (&block, D * K);
  self->moment = carve (&block, K * S);
  self->project = block;
  self->lasso = tosst_lasso_work_new (K, 1, sizeof (double));
  if (l->options->solver == TOSST_SOLVER_PQN)
    self->bounded = tosst_bounded_new (unknowns);
  return self->lasso && (self->bounded || l->options->solver != TOSST_SOLVER_PQN);
}

TosstStored *
tosst_stored_new (TosstLearning *learning)
{
  size_t n = learning->n, S = learning->S, K = learning->K;
  bool finite = isfinite (learning->options->problem.gamma), fine = true;
  TosstStored *self = calloc (1, sizeof *self);
  if (self)
    {
      TosstMemory *memory = &self->memory;
      self->learning = learning;
      self->threads = tosst_context_threads (learning->context);
      self->alpha = tosst_keep (memory, calloc (n * K, sizeof *self->alpha));
      self->beta = finite ? tosst_keep (memory, calloc (n * S * K, sizeof *self->beta)) : NULL;
      self->columns = tosst_keep (memory, malloc (sizeof *self->columns * K * S));
      self->G = tosst_keep (memory, malloc (sizeof *self->G * K * K));
      self->H = !finite ? tosst_keep (memory, malloc (sizeof *self->H * K * K)) : NULL;
      self->moment = tosst_keep (memory, malloc (sizeof *self->moment * S * K));
      self->work = tosst_keep (memory, calloc (self->threads, sizeof *self->work));
      fine = !memory->failed;
    }
  for (int i = 0; self && fine && i < self->threads; i++)
    fine = work_init (&self->work[i], self);
  if (self && fine)
    return self;
  tosst_stored_free (self);
  tosst_context_fail (learning->context, TOSST_ERROR_MEMORY, "not enough memory to store the codes of %zu tensors", n);
  return NULL;
}

void
tosst_stored_free (TosstStored *self)
{
  if (!self)
    return;
  for (int i = 0; self->work && i < self->threads; i++)
    {
      free (self->work[i].slices);
      tosst_bounded_free (self->work[i].bounded);
      tosst_lasso_work_free (self->work[i].lasso);
    }
  tosst_release (&self->memory);
  free (self);
}

size_t
tosst_stored_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int threads)
{
  size_t D = layout->D, S = layout->S, K = options->atoms, pqn = options->solver == TOSST_SOLVER_PQN;
  size_t codes = n * K * (isfinite (options->problem.gamma) ? S + 1 : 1) + 2 * K * S + 2 * K * K;
  size_t worker = (work_size (layout, options) + 2 * K * K) * sizeof (double)
                  + pqn * tosst_bounded_memory (tosst_stored_unknowns (layout, options));
  return codes * sizeof (double) + threads * worker + pqn * tosst_pqn_memory (D * K) * sizeof (double);
}

/* argmin gamma sum_s (beta^s - b^s alpha)^2 + lambda |alpha| for every atom; beta: K x S. */
static void
nearest_alpha (const TosstStored *self, const double *beta, double *alpha)
{
  const TosstLearnOptions *options = self->learning->options;
  size_t K = self->learning->K, S = self->learning->S;
  double t = isfinite (options->problem.gamma) ? options->problem.lambda / (2 * options->problem.gamma) : 0;
  for (size_t k = 0; k < K; k++)
    {
      double product = 0, square = 0;
      for (size_t s = 0; s < S; s++)
        {
          product += self->columns[s * K + k] * beta[s * K + k];
          square += self->columns[s * K + k] * self->columns[s * K + k];
        }
      double size = (options->problem.signed_alpha ? fabs (product) : product) - t;
      alpha[k] = size > 0 && square > 0 ? copysign (size / square, product) : 0;
    }
}

static TosstStatus
start_task (size_t n, int worker, void *data)
{
  TosstStored *self = data;
  TosstStoredWork *work = &self->work[worker];
  const TosstLearning *l = self->learning;
  size_t K = l->K, S = l->S;
  double *beta = self->beta ? self->beta + n * S * K : work->betas;
  tosst_stored_tensor (self, n, work);
  for (size_t s = 0; s < S; s++)
    {
      const double *q = work->tensor.T + s * K;
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      double largest = fabs (q[cblas_idamax (K, q, 1)]);
      memset (beta + s * K, 0, sizeof *beta * K);
      if (largest > 0)
        tosst_kernels ()->lasso_double (self->G, K, q, l->options->problem.lambda / 2,
                                        !l->options->problem.nonnegative_beta, START_TOLERANCE * largest, beta + s * K,
                                        work->lasso);
    }
  nearest_alpha (self, beta, self->alpha + n * K);
  return TOSST_OK;
}

void
tosst_stored_parts (const TosstStored *self, TosstLearnPart *part)
{
  const TosstLearning *l = self->learning;
  size_t codes = l->n * l->K * sizeof (double);
  part[0] = (TosstLearnPart){ self->alpha, codes };
  part[1] = (TosstLearnPart){ &self->eta, sizeof self->eta };
  if (self->beta)
    part[2] = (TosstLearnPart){ self->beta, codes * l->S };
}

TosstStatus
tosst_stored_start (TosstStored *self)
{
  TosstLearning *l = self->learning;
  size_t K = l->K, S = l->S;
  const TosstLearnState *resume = l->run.resume;
  if (!l->run.initial && l->options->init == TOSST_INIT_SLICES)
    for (size_t i = 0; i < S * K; i++)
      l->dictionary->b[i] = 1.0 / S;
  self->squares = 0;
  for (size_t i = 0; i < (size_t)l->D; i++)
    self->squares += l->Sxx[i * l->D + i];
  TosstStatus status = tosst_stored_gram (self);
  if (status == TOSST_OK)
    {
      TosstLearnPart own[TOSST_LEARN_PARTS] = { { NULL, 0 } };
      tosst_stored_parts (self, own);
      status = resume ? tosst_learning_restore_solver (l->context, resume->part, own)
                      : tosst_parallel (l->context, l->n, start_task, self, 0, 0);
    }
  for (int i = 0; i < self->threads; i++)
    {
      tosst_lasso_work_free (self->work[i].lasso);
      self->work[i].lasso = NULL;
    }
  TOSST_THEN (status, tosst_stored_sum (self));
  if (status == TOSST_OK && l->options->solver == TOSST_SOLVER_GRADIENT && !resume)
    tosst_gradient_choose_eta (self);
  return status;
}
