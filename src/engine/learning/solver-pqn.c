/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The block scheme of the paper's section 4 on equation (5), every block by a generic optimiser with a warm start:
 *     alpha^n, beta^n   bound-constrained limited-memory BFGS, alpha = alpha+ - alpha- where it is signed, tensor by tensor
 *     B_1 .. B_K        projected quasi-Newton with the Euclidean projection onto the set of the scheme, all together
 *     b_1 .. b_K        spectral projected gradient on their simplices or l1 balls, all together
 * No step raises the objective. The codes start from the Lasso of every slice. For gamma = infinity, problem (3),
 * beta^s = b^s . alpha, and the block of b sees the fit instead of the proximity.
 */
#include "engine/base/base.h"
#include "engine/learning/stored.h"
#include "engine/learning/tuning.h"

typedef struct
{
  TosstStored *stored;
  int steps;
  double tolerance;
} Coding;

static TosstStatus
code_task (size_t n, int worker, void *data)
{
  Coding *self = data;
  TosstStored *stored = self->stored;
  TosstStoredWork *work = &stored->work[worker];
  double violation, f;
  tosst_stored_tensor (stored, n, work);
  tosst_stored_read_unknowns (stored, n, work->z);
  /* Proportional to the tensor, as is its gradient. */
  size_t numbers = (size_t)stored->learning->K * stored->learning->S;
  double largest = 2 * fabs (work->tensor.T[cblas_idamax (numbers, work->tensor.T, 1)]);
  TosstStatus status
      = tosst_bounded_minimise (work->bounded, tosst_stored_evaluate, &work->tensor, tosst_stored_first_bound (stored),
                                self->steps, self->tolerance * largest, work->z, &violation);
  TOSST_THEN (status, tosst_stored_evaluate (work->z, &f, work->gradient, &work->tensor));
  if (status != TOSST_OK)
    return status;
  tosst_stored_write_unknowns (stored, n, work->z);
  work->worst_kkt = fmax (work->worst_kkt, tosst_stored_kkt (stored, &work->tensor, work->z, work->gradient));
  return TOSST_OK;
}

TosstStatus
tosst_pqn_code (TosstStored *self, int steps, double tolerance)
{
  Coding coding = { self, steps, tolerance };
  for (int w = 0; w < self->threads; w++)
    self->work[w].worst_kkt = 0;
  TosstStatus status = tosst_parallel (self->learning->context, self->learning->n, code_task, &coding, 0, 0.7);
  return status ?: tosst_stored_sum (self);
}

/* fit = squares - 2 <C, V> + <V A, V>, gradient 2 (V A - C) */
TosstStatus
tosst_pqn_atoms_evaluate (const double *V, double *f, double *gradient, void *data)
{
  const TosstStored *self = data;
  const TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  TosstStatus status = tosst_dgemm (l->context, CblasNoTrans, CblasNoTrans, D, K, K, 1, V, D, l->A, K, 0, gradient, D);
  double sum = 0;
  for (size_t i = 0; i < D * K; i++)
    {
      sum += V[i] * (gradient[i] - 2 * l->C[i]);
      gradient[i] = 2 * (gradient[i] - l->C[i]);
    }
  *f = self->squares + sum;
  return status;
}

typedef struct
{
  const TosstStored *stored;
  double *x;
} Projection;

static TosstStatus
project_task (size_t k, int worker, void *data)
{
  Projection *self = data;
  const TosstLearning *l = self->stored->learning;
  TosstStatus status = tosst_atom_set_project (&l->set, self->x + k * (size_t)l->D, self->stored->work[worker].project);
  return status == TOSST_OK
             ? status
             : tosst_context_fail (l->context, status, "the eigenvalues of atom %zu could not be found", k);
}

static TosstStatus
project_atoms (double *x, void *data)
{
  Projection projection = { data, x };
  return tosst_parallel (projection.stored->learning->context, projection.stored->learning->K, project_task,
                         &projection, 0, 0);
}

TosstStatus
tosst_pqn_atoms (TosstStored *self, int steps, double tolerance)
{
  const TosstLearning *l = self->learning;
  TosstProjected problem = { (size_t)l->D * l->K, l->options->scheme != TOSST_SCHEME_LOW_RANK, tosst_pqn_atoms_evaluate,
                             project_atoms, self };
  double f;
  TosstStatus status = tosst_pqn (l->context, &problem, steps, MODEL_STEPS, tolerance, l->dictionary->V, &f);
  TOSST_THEN (status, tosst_stored_gram (self));
  /* The block of vectors depends on b alone; for gamma = infinity also on V. */
  if (status == TOSST_OK && !self->beta)
    status = tosst_stored_correlate (self);
  return status;
}

/* gamma (tr A - 2 <n, b> + sum P_kk ||b_k||^2); for gamma = infinity squares - 2 <Z, b> + <(V'V) . P, b'b>. */
TosstStatus
tosst_pqn_vectors_evaluate (const double *b, double *f, double *gradient, void *data)
{
  const TosstStored *self = data;
  const TosstLearning *l = self->learning;
  size_t S = l->S, K = l->K;
  double factor = self->beta ? l->options->problem.gamma : 1, sum = self->beta ? 0 : self->squares;
  memset (gradient, 0, sizeof *gradient * S * K);
  for (size_t k = 0; k < K; k++)
    {
      if (self->beta)
        {
          cblas_daxpy (S, l->P[k * K + k], b + k * S, 1, gradient + k * S, 1);
          sum += l->A[k * K + k];
        }
      else
        for (size_t j = 0; j < K; j++)
          cblas_daxpy (S, self->G[k * K + j] * l->P[k * K + j], b + j * S, 1, gradient + k * S, 1);
    }
  for (size_t i = 0; i < S * K; i++)
    {
      sum += b[i] * (gradient[i] - 2 * self->moment[i]);
      gradient[i] = 2 * factor * (gradient[i] - self->moment[i]);
    }
  *f = factor * sum;
  return TOSST_OK;
}

static TosstStatus
project_vectors (double *x, void *data)
{
  const TosstStored *self = data;
  const TosstLearning *l = self->learning;
  for (size_t k = 0; k < (size_t)l->K; k++)
    tosst_project_l1 (x + k * l->S, l->S, !l->options->signed_b, self->work[0].betas);
  return TOSST_OK;
}

TosstStatus
tosst_pqn_vectors (TosstStored *self, int steps, double tolerance)
{
  const TosstLearning *l = self->learning;
  TosstProjected problem = { (size_t)l->S * l->K, true, tosst_pqn_vectors_evaluate, project_vectors, self };
  double f;
  TosstStatus status = tosst_spg (l->context, &problem, steps, tolerance, l->dictionary->b, &f);
  tosst_stored_set_columns (self);
  return status;
}

TosstStatus
tosst_pqn_iteration (TosstStored *self, TosstIteration *iteration)
{
  TosstStatus status = tosst_pqn_code (self, CODE_STEPS, CODE_TOLERANCE);
  TOSST_THEN (status, tosst_pqn_atoms (self, ATOM_STEPS, ATOM_TOLERANCE));
  TOSST_THEN (status, tosst_pqn_vectors (self, VECTOR_STEPS, VECTOR_TOLERANCE));
  TOSST_THEN (status, tosst_stored_objective (self, iteration));
  tosst_stored_report (self, iteration);
  return status;
}
