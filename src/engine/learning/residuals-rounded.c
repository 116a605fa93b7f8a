/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The residuals of residuals.c with their largest products, V Scc and E M', of floats, at twice the rate. A pass over all B_k
 * that others of the same codes have gone before needs them for steps that the next pass makes anew from the sums. That the
 * minimiser of a block is missed by d spoils A_kk ||d||^2 of what a pass gains, and rounding may spoil a small part only of
 * what the last one has gained.
 *
 * A product of floats is wrong by some u |A| |B|, u being half of their precision: errors of a thousand additions do not all
 * go one way. E itself is a difference of much larger products, which floats would spoil.
 */
#include <float.h>
#include <math.h>

#include "engine/base/blas.h"
#include "engine/base/vector.h"
#include "engine/learning/residuals.h"

/* Atoms in one task. */
#define ATOMS 32

/* What rounding may spoil, as a part of the last gain. */
#define SPOILT 0.02

typedef struct
{
  double Scc; /* sum over atoms of || |V| |Scc_k| ||^2 / Scc_kk, at most */
  double M;   /* sum of ||m_k||^2 / Scc_kk */
} Harm;

typedef struct
{
  TosstLearning *learning;
  float *rounded; /* D x K: V, then M' */
  float *product; /* D x K: V Scc, then E M' */
  double *norm;   /* K: ||v_k|| */
  Harm *harm;     /* of each task */
} Rounded;

typedef struct
{
  size_t first, end;
} Range;

static Range
atoms_of (const Rounded *self, size_t item)
{
  size_t first = item * ATOMS, K = self->learning->K;
  return (Range){ first, K - first < ATOMS ? K : first + ATOMS };
}

static TosstStatus
round_V_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  const TosstLearning *l = self->learning;
  Range range = atoms_of (self, item);
  size_t D = l->D;
  for (size_t i = range.first * D; i < range.end * D; i++)
    self->rounded[i] = l->dictionary->V[i];
  for (size_t k = range.first; k < range.end; k++)
    self->norm[k] = tosst_norm (D, l->dictionary->V + k * D);
  return TOSST_OK;
}

static TosstStatus
round_M_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  const TosstLearning *l = self->learning;
  Range range = atoms_of (self, item);
  for (size_t i = range.first * l->D; i < range.end * l->D; i++)
    self->rounded[i] = l->reduction.WV[i] / l->options->gamma;
  return TOSST_OK;
}

/* Columns of Scc, and what rounding does to those of R. */
static TosstStatus
mix_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  TosstLearning *l = self->learning;
  Range range = atoms_of (self, item);
  size_t D = l->D, K = l->K;
  Harm harm = { 0 };
  tosst_learning_mix (l, range.first, range.end - range.first);
  for (size_t k = range.first; k < range.end; k++)
    {
      const double *Scc = l->Scc + k * K;
      float *Scc_float = l->A_float + k * K;
      double sum = 0, m = tosst_norm (D, l->reduction.WV + k * D) / l->options->gamma;
#pragma omp simd reduction(+ : sum)
      for (size_t j = 0; j < K; j++)
        {
          Scc_float[j] = Scc[j];
          sum += self->norm[j] * fabs (Scc[j]);
        }
      if (Scc[k] > 0)
        {
          harm.Scc += sum * sum / Scc[k];
          harm.M += m * m / Scc[k];
        }
    }
  self->harm[item] = harm;
  return TOSST_OK;
}

/* sum_k ||wrong_k||^2 / A_kk, for which Scc_kk is near enough to A_kk. */
static double
spoils (const Rounded *self, size_t items)
{
  const TosstLearning *l = self->learning;
  double E = tosst_norm (l->D * l->D, l->E), sum = 0, u = FLT_EPSILON / 2;
  for (size_t i = 0; i < items; i++)
    sum += self->harm[i].Scc + self->harm[i].M * E * E;
  return u * u * sum;
}

static TosstStatus
subtract_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  const TosstLearning *l = self->learning;
  Range range = atoms_of (self, item);
  for (size_t i = range.first * l->D; i < range.end * l->D; i++)
    l->Exc[i] = l->Sxc[i] - self->product[i];
  return TOSST_OK;
}

static TosstStatus
add_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  const TosstLearning *l = self->learning;
  Range range = atoms_of (self, item);
  for (size_t i = range.first * l->D; i < range.end * l->D; i++)
    l->R[i] = l->Exc[i] + self->product[i];
  return TOSST_OK;
}

/* Exc and E, for V and Scc as they are rounded. */
static TosstStatus
subtract (Rounded *self, size_t items)
{
  TosstLearning *l = self->learning;
  int D = l->D, K = l->K;
  TosstStatus status = tosst_sgemm (l->context, CblasNoTrans, CblasNoTrans, D, K, K, 1, self->rounded, D, l->A_float, K,
                                    0, self->product, D);
  if (status == TOSST_OK)
    status = tosst_parallel_work (l->context, items, (double)D * K, subtract_task, self);
  return status == TOSST_OK ? tosst_learning_leave (l) : status;
}

/* R = Exc + E M'. */
static TosstStatus
correlate (Rounded *self, size_t items)
{
  TosstLearning *l = self->learning;
  int D = l->D, K = l->K;
  float *E = (float *)l->DD;
  if (!isfinite (l->options->gamma))
    return tosst_copy (l->context, (size_t)D * K, l->Exc, l->R);
  for (int i = 0; i < D * D; i++)
    E[i] = l->E[i];
  TosstStatus status = tosst_parallel_work (l->context, items, (double)D * K, round_M_task, self);
  if (status == TOSST_OK)
    status
        = tosst_sgemm (l->context, CblasNoTrans, CblasNoTrans, D, K, D, 1, E, D, self->rounded, D, 0, self->product, D);
  return status == TOSST_OK ? tosst_parallel_work (l->context, items, (double)D * K, add_task, self) : status;
}

TosstStatus
tosst_learning_round_residuals (TosstLearning *self, bool *done)
{
  size_t D = self->D, K = self->K, items = (K + ATOMS - 1) / ATOMS;
  Harm harm[items];
  Rounded rounded = { .learning = self,
                      .rounded = (float *)self->DK,
                      .product = (float *)self->DK + D * K,
                      .norm = self->A_diagonal,
                      .harm = harm };
  self->is_exact = false;
  TosstStatus status = tosst_learning_average (self);
  if (status == TOSST_OK)
    status = tosst_parallel_work (self->context, items, (double)D * K, round_V_task, &rounded);
  if (status == TOSST_OK)
    status = tosst_parallel_work (self->context, items, (double)K * K * self->S, mix_task, &rounded);
  if (status == TOSST_OK)
    status = subtract (&rounded, items);
  *done = status == TOSST_OK && spoils (&rounded, items) < SPOILT * self->gained;
  return *done ? correlate (&rounded, items) : status;
}
