/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Residuals for the block updates, from the three sums and the current dictionary:
 *     Sxc = sum_{n,s} x c',   Scc = sum_{n,s} c c' = (b'b) .* P,   Exc = sum_{n,s} r c' = Sxc - V Scc,
 *     E = sum_{n,s} r r' = Sxx - Z V' - V Z'   with r = x - V c and Z = Sxc - V Scc / 2.
 *
 * A pass over all B_k may make its largest products, V Scc and E M', in float, at twice the rate, because the
 * following step is recomputed from the sums. An error d in the minimiser of a block reduces the gain of a pass by
 * A_kk ||d||^2; the loss by rounding is limited to a small fraction of the last gain.
 *
 * A product of floats has an error of about u |A| |B| with u = FLT_EPSILON / 2: errors of a thousand additions
 * partly cancel. E itself is a difference of much larger products and stays in double.
 */
#include <float.h>

#include "engine/base/base.h"
#include "engine/learning/divided.h"

/* Redirects unused atoms that keep their B_k, on which W depends: b_k is set for a badly reconstructed tensor. With
 * P_kk = 0 the objective does not depend on b_k until the next coding.
 *
 * The gain of atom k alone at one tensor with residuals r^s = x^s - V c^s, g_s = <W v_k, r^s>, is
 *     max over alpha >= 0 of 2 alpha (b . g) - lambda alpha - alpha^2 (v_k' W v_k) ||b||^2.
 * On the simplex b . g - lambda / 2 = b . (g - lambda / 2), so that the best b is proportional to (g - lambda / 2)_+
 * and gains ||(g - lambda / 2)_+||^2 / (v_k' W v_k): if that is positive, the code of this tensor will use the atom. */

typedef struct
{
  size_t k;
  double size; /* v_k' W v_k */
  double gain; /* gain of the best b so far */
} Idle;

typedef struct
{
  Idle *idle;
  double *R;  /* D x (REDIRECT_TENSORS S): residuals */
  double *WV; /* D x REDIRECT_ATOMS */
  double *g;  /* REDIRECT_ATOMS x (REDIRECT_TENSORS S) */
} Redirect;

typedef struct
{
  const TosstLearning *learning;
  const TosstFetched *tensors;
  double *R;    /* D x S each */
  size_t most;  /* maximum number of atoms used by one of these tensors */
  double *work; /* per worker: (D + S) x most */
} Residuals;

static TosstStatus
out_of_memory (const TosstLearning *self)
{
  return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to redirect unused atoms");
}

/* Number of unused atoms, on several ranks the own ones. */
static size_t
find_idle (const TosstLearning *self, Idle *idle)
{
  size_t count = 0, D = self->D, K = self->K;
  for (size_t k = 0; k < K; k++)
    if (tosst_learning_power (self, k) == 0 && tosst_learning_owns (self, k))
      {
        double size = tosst_dot (D, self->dictionary->V + k * D, self->reduction.WV + k * D);
        if (size > 0)
          idle[count++] = (Idle){ .k = k, .size = size };
      }
  return count;
}

/* r^s = x^s - V c^s, c^s = b^s . alpha, of one tensor, from the gathered atoms in use times their alpha_k b_k. */
static TosstStatus
residual_task (size_t item, int worker, void *data)
{
  const Residuals *self = data;
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K, count = 0;
  const float *alpha = self->tensors[item].codes;
  double *R = self->R + item * D * S, *V = self->work + worker * (D + S) * self->most, *c = V + D * self->most;
  for (size_t s = 0; s < S; s++)
    tosst_learning_slice (l, self->tensors[item].tensor, (int)s, R + s * D);
  for (size_t k = 0; k < K; k++)
    if (alpha[k] != 0)
      {
        memcpy (V + count * D, l->dictionary->V + k * D, sizeof *V * D);
        for (size_t s = 0; s < S; s++)
          c[count * S + s] = alpha[k] * l->dictionary->b[k * S + s];
        count++;
      }
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, (int)D, (int)S, (int)count, -1, V, (int)D, c, (int)S, 1, R,
               (int)D);
  return TOSST_OK;
}

static TosstStatus
find_residuals (TosstLearning *self, const size_t *number, size_t count, double *R)
{
  size_t D = self->D, S = self->S, most = 1;
  TosstFetched tensors[REDIRECT_TENSORS];
  TOSST_TRY (tosst_learning_fetch (self, number, count, true, tensors));
  for (size_t i = 0; i < count; i++)
    {
      size_t nonzeros = 0;
      for (size_t k = 0; k < (size_t)self->K; k++)
        nonzeros += tensors[i].codes[k] != 0;
      most = nonzeros > most ? nonzeros : most;
    }
  Residuals residuals = { self, tensors, R, most, NULL };
  residuals.work = malloc (sizeof (double) * (D + S) * most * tosst_context_threads (self->context));
  if (!residuals.work)
    return out_of_memory (self);
  TosstStatus status
      = tosst_parallel_work (self->context, count, (double)count * D * S * most, residual_task, &residuals);
  free (residuals.work);
  return status;
}

/* Stores the b for this tensor if its gain is larger. Signed codes permit either sign of g. g: S, stride
 * REDIRECT_ATOMS. */
static void
redirect_if_better (TosstLearning *self, Idle *idle, const double *g)
{
  size_t S = self->S;
  double half = self->options->problem.lambda / 2, over[S];
  for (int sign = 1; sign >= (self->options->problem.signed_alpha ? -1 : 1); sign -= 2)
    {
      double sum = 0, square = 0;
      for (size_t s = 0; s < S; s++)
        {
          over[s] = fmax (sign * g[s * REDIRECT_ATOMS] - half, 0);
          sum += over[s];
          square += over[s] * over[s];
        }
      if (!(square > idle->gain * idle->size))
        continue;
      idle->gain = square / idle->size;
      for (size_t s = 0; s < S; s++)
        self->dictionary->b[idle->k * S + s] = over[s] / sum;
    }
}

/* Compares some atoms with the residuals of some tensors. */
static TosstStatus
compare (TosstLearning *self, Redirect *turning, Idle *idle, size_t atoms, size_t tensors)
{
  size_t D = self->D, S = self->S;
  for (size_t i = 0; i < atoms; i++)
    memcpy (turning->WV + i * D, self->reduction.WV + idle[i].k * D, sizeof *turning->WV * D);
  TosstStatus status = tosst_dgemm (self->context, CblasTrans, CblasNoTrans, (int)atoms, (int)(tensors * S), (int)D, 1,
                                    turning->WV, (int)D, turning->R, (int)D, 0, turning->g, REDIRECT_ATOMS);
  for (size_t i = 0; i < atoms && status == TOSST_OK; i++)
    for (size_t n = 0; n < tensors; n++)
      redirect_if_better (self, idle + i, turning->g + n * S * REDIRECT_ATOMS + i);
  return status;
}

TosstStatus
tosst_learning_redirect_unused (TosstLearning *self, const size_t *tensors, size_t count)
{
  TosstMemory memory = { .count = 0 };
  size_t D = self->D, S = self->S;
  Redirect turning = { .idle = tosst_keep (&memory, malloc (sizeof (Idle) * self->K)),
                       .R = tosst_keep (&memory, malloc (sizeof (double) * D * REDIRECT_TENSORS * S)),
                       .WV = tosst_keep (&memory, malloc (sizeof (double) * D * REDIRECT_ATOMS)),
                       .g = tosst_keep (&memory, malloc (sizeof (double) * REDIRECT_ATOMS * REDIRECT_TENSORS * S)) };
  TosstStatus status = memory.failed ? out_of_memory (self) : TOSST_OK;
  size_t idle = status == TOSST_OK ? find_idle (self, turning.idle) : 0;
  for (size_t first = 0; first < count && status == TOSST_OK; first += REDIRECT_TENSORS)
    {
      size_t some = count - first < REDIRECT_TENSORS ? count - first : REDIRECT_TENSORS;
      status = find_residuals (self, tensors + first, some, turning.R);
      for (size_t at = 0; at < idle && status == TOSST_OK; at += REDIRECT_ATOMS)
        status = tosst_context_checkpoint (self->context)
                     ? TOSST_CANCELLED
                     : compare (self, &turning, turning.idle + at,
                                idle - at < REDIRECT_ATOMS ? idle - at : REDIRECT_ATOMS, some);
    }
  tosst_release (&memory);
  return tosst_learning_gather (self, status, self->dictionary->b, sizeof *self->dictionary->b * S);
}

/* Scc = (b'b) .* P. */
void
tosst_learning_code_gram (const TosstLearning *self, size_t first, size_t count, double *out)
{
  size_t K = self->K, S = self->S;
  const double *b = self->dictionary->b;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, count, S, 1, b, S, b + first * S, S, 0, out, K);
  if (self->P)
    for (size_t i = 0; i < count * K; i++)
      out[i] *= self->P[first * K + i];
  else
    for (size_t i = 0; i < count * K; i++)
      out[i] *= self->P_float[first * K + i];
}

static TosstStatus
code_gram_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t first = item * TASK_COLUMNS, K = self->K;
  tosst_learning_code_gram (self, first, K - first < TASK_COLUMNS ? K - first : TASK_COLUMNS, self->Scc + first * K);
  return TOSST_OK;
}

/* Computes some columns of Z = (Sxc + Exc) / 2 = Sxc - V Scc / 2, on several ranks the own ones next to each other. */
static TosstStatus
halve_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t first = item * TASK_COLUMNS * self->D, end = (item + 1) * TASK_COLUMNS * self->D,
         last = (size_t)self->D * self->K;
  if (!tosst_learning_owns (self, item * TASK_COLUMNS))
    return TOSST_OK;
  double *Z = self->run.ranks ? self->DK + tosst_learning_row (self, item * TASK_COLUMNS) * self->D : self->R + first;
  for (size_t i = first; i < end && i < last; i++)
    Z[i - first] = (self->Sxc[i] + self->Exc[i]) / 2;
  return TOSST_OK;
}

/* Adds the upper triangle of DD to the lower one. */
static TosstStatus
add_transposed_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t D = self->D, first = item * TASK_COLUMNS, end = D - first < TASK_COLUMNS ? D : first + TASK_COLUMNS;
  for (size_t j = first; j < end; j++)
    for (size_t i = j; i < D; i++)
      self->DD[j * D + i] += self->DD[i * D + j];
  return TOSST_OK;
}

/* Computes some columns of E, and the same rows. */
static TosstStatus
residual_gram_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t D = self->D, first = item * TASK_COLUMNS, end = D - first < TASK_COLUMNS ? D : first + TASK_COLUMNS;
  const double *T = self->DD;
  for (size_t j = first; j < end; j++)
    for (size_t i = j; i < D; i++)
      self->E[j * D + i] = self->E[i * D + j]
          = self->Sxx[j * D + i] - (self->run.ranks ? T[j * D + i] : T[j * D + i] + T[i * D + j]);
  return TOSST_OK;
}

/* Computes E from the current Sxc and Exc. Overwrites R, or DK, and DD. */
static TosstStatus
residual_gram (TosstLearning *self)
{
  size_t D = self->D, K = self->K, own = tosst_learning_own (self);
  bool divides = self->run.ranks != NULL;
  const double *Z = divides ? self->DK : self->R, *V = divides ? self->packed : self->dictionary->V;
  TosstStatus status = tosst_parallel_work (self->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS,
                                            tosst_learning_share (self, (double)D * K), halve_task, self);
  if (status == TOSST_OK && divides)
    status = tosst_learning_pack (self, self->dictionary->V, self->packed);
  if (own == 0)
    memset (self->DD, 0, sizeof *self->DD * D * D);
  else if (status == TOSST_OK)
    status = tosst_dgemm (self->context, CblasNoTrans, CblasTrans, D, D, own, 1, Z, D, V, D, 0, self->DD, D);
  if (divides && status == TOSST_OK)
    status = tosst_parallel_work (self->context, (D + TASK_COLUMNS - 1) / TASK_COLUMNS, (double)D * D,
                                  add_transposed_task, self);
  status = tosst_learning_sum_triangle (self, status, self->DD, NULL, D, false);
  return status == TOSST_OK ? tosst_parallel_work (self->context, (D + TASK_COLUMNS - 1) / TASK_COLUMNS, (double)D * D,
                                                   residual_gram_task, self)
                            : status;
}

typedef struct
{
  TosstLearning *learning;
  double *work; /* tosst_learning_lean_work() */
} LeanResiduals;

double *
tosst_learning_lean_work (const TosstLearning *self)
{
  return tosst_alloc_aligned ((size_t)self->K * LEAN_COLUMNS * tosst_context_threads (self->context), sizeof (double));
}

/* Computes some columns of Exc = Sxc - V Scc. */
static TosstStatus
lean_residuals_task (size_t item, int worker, void *data)
{
  LeanResiduals *self = data;
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K, columns = tosst_learning_columns (l), first = item * columns,
         count = K - first < columns ? K - first : columns;
  double *Scc = self->work + worker * K * LEAN_COLUMNS, *Exc = l->Exc + first * D;
  if (!tosst_learning_owns (l, first))
    return TOSST_OK;
  if (tosst_context_checkpoint (l->context))
    return TOSST_CANCELLED;
  tosst_learning_code_gram (l, first, count, Scc);
  memcpy (Exc, l->Sxc + first * D, sizeof *Exc * D * count);
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, count, K, -1, l->dictionary->V, D, Scc, K, 1, Exc, D);
  return TOSST_OK;
}

static TosstStatus
lean_residuals (TosstLearning *self)
{
  size_t K = self->K;
  LeanResiduals residuals = { self, tosst_learning_lean_work (self) };
  if (!residuals.work)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  size_t columns = tosst_learning_columns (self);
  TosstStatus status
      = tosst_parallel_work (self->context, (K + columns - 1) / columns,
                             tosst_learning_share (self, (double)K * K * self->D), lean_residuals_task, &residuals);
  free (residuals.work);
  return status;
}

TosstStatus
tosst_learning_residuals (TosstLearning *self)
{
  TosstContext *context = self->context;
  int D = self->D, K = self->K;
  TosstStatus status = tosst_learning_update_Sxc (self);
  if (tosst_learning_by_columns (self))
    {
      status = status ?: lean_residuals (self) ?: residual_gram (self);
      self->is_exact = status == TOSST_OK;
      return status;
    }
  TOSST_THEN (status, tosst_parallel_work (context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS, (double)K * K * self->S,
                                           code_gram_task, self));
  TOSST_THEN (status, tosst_copy (context, (size_t)D * K, self->Sxc, self->Exc));
  TOSST_THEN (status, tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, K, -1, self->dictionary->V, D, self->Scc,
                                   K, 1, self->Exc, D));
  TOSST_THEN (status, residual_gram (self));
  self->is_exact = status == TOSST_OK;
  return status;
}

typedef struct
{
  double Scc; /* upper bound of the sum over atoms of || |V| |Scc_k| ||^2 / Scc_kk */
  double M;   /* sum of ||m_k||^2 / Scc_kk */
} RoundingLoss;

typedef struct
{
  TosstLearning *learning;
  double *work;       /* if lean: tosst_learning_lean_work() */
  float *rounded;     /* D x K: V, then M' of own atoms */
  float *product;     /* D x K: V Scc, then E M' of own atoms */
  double *norm;       /* K: ||v_k|| */
  RoundingLoss *loss; /* per task */
} Rounded;

typedef struct
{
  size_t first, end;
} Range;

static Range
atoms_of (const Rounded *self, size_t item)
{
  size_t first = item * TASK_COLUMNS, K = self->learning->K;
  return (Range){ first, K - first < TASK_COLUMNS ? K : first + TASK_COLUMNS };
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
  if (!tosst_learning_owns (l, range.first))
    return TOSST_OK;
  const double *WV = l->reduction.WV + range.first * l->D;
  float *M = self->rounded + tosst_learning_row (l, range.first) * l->D;
  for (size_t i = 0; i < (range.end - range.first) * l->D; i++)
    M[i] = WV[i] / l->options->problem.gamma;
  return TOSST_OK;
}

/* Rounds columns of Scc and returns the effect on those of R. */
static RoundingLoss
round_code_gram (const Rounded *self, Range range, const double *Scc, float *Scc_float)
{
  const TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K;
  RoundingLoss loss = { 0 };
  for (size_t k = range.first; k < range.end; k++, Scc += K, Scc_float += K)
    {
      double sum = 0, m = tosst_norm (D, l->reduction.WV + k * D) / l->options->problem.gamma;
#pragma omp simd reduction(+ : sum)
      for (size_t j = 0; j < K; j++)
        {
          Scc_float[j] = Scc[j];
          sum += self->norm[j] * fabs (Scc[j]);
        }
      if (Scc[k] > 0)
        {
          loss.Scc += sum * sum / Scc[k];
          loss.M += m * m / Scc[k];
        }
    }
  return loss;
}

/* Computes columns of Scc and the effect of rounding on those of R. */
static TosstStatus
round_code_gram_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  TosstLearning *l = self->learning;
  Range range = atoms_of (self, item);
  size_t first = range.first * l->K;
  tosst_learning_code_gram (l, range.first, range.end - range.first, l->Scc + first);
  self->loss[item] = round_code_gram (self, range, l->Scc + first, l->A_float + first);
  return TOSST_OK;
}

/* The same for the columns of a task if they are not all stored, and their product with V. */
static TosstStatus
lean_round_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  TosstLearning *l = self->learning;
  size_t D = l->D, K = l->K, columns = tosst_learning_columns (l), first = item * columns,
         count = K - first < columns ? K - first : columns;
  double *Scc = self->work + worker * K * LEAN_COLUMNS;
  if (!tosst_learning_owns (l, first))
    return TOSST_OK;
  if (tosst_context_checkpoint (l->context))
    return TOSST_CANCELLED;
  tosst_learning_code_gram (l, first, count, Scc);
  /* Rows of A_float are free to hold the rounded columns. */
  float *rounded = l->A_float + first * K;
  self->loss[item] = round_code_gram (self, (Range){ first, first + count }, Scc, rounded);
  cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, count, K, 1, self->rounded, D, rounded, K, 0,
               self->product + first * D, D);
  return TOSST_OK;
}

static TosstStatus
lean_round (Rounded *self, size_t items)
{
  TosstLearning *l = self->learning;
  self->work = tosst_learning_lean_work (l);
  if (!self->work)
    return tosst_context_fail (l->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  double work = tosst_learning_share (l, (double)l->K * l->K * l->D);
  TosstStatus status = tosst_parallel_work (l->context, items, work, lean_round_task, self);
  free (self->work);
  return status;
}

/* sum_k ||error_k||^2 / A_kk, with Scc_kk as an approximation of A_kk. */
static double
rounding_loss (const Rounded *self, size_t items)
{
  const TosstLearning *l = self->learning;
  double E = tosst_norm ((size_t)l->D * l->D, l->E), sum = 0, u = FLT_EPSILON / 2;
  for (size_t i = 0; i < items; i++)
    sum += self->loss[i].Scc + self->loss[i].M * E * E;
  return u * u * sum;
}

static TosstStatus
subtract_task (size_t item, int worker, void *data)
{
  Rounded *self = data;
  const TosstLearning *l = self->learning;
  Range range = atoms_of (self, item);
  if (!tosst_learning_owns (l, range.first))
    return TOSST_OK;
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
  if (!tosst_learning_owns (l, range.first))
    return TOSST_OK;
  const double *Exc = l->Exc + range.first * l->D;
  const float *product = self->product + tosst_learning_row (l, range.first) * l->D;
  double *R = l->R + range.first * l->D;
  for (size_t i = 0; i < (range.end - range.first) * l->D; i++)
    R[i] = Exc[i] + product[i];
  return TOSST_OK;
}

/* Computes R = Exc + E M'. */
static TosstStatus
round_correlate (Rounded *self, size_t items)
{
  TosstLearning *l = self->learning;
  int D = l->D, K = l->K;
  float *E = (float *)l->DD;
  if (!isfinite (l->options->problem.gamma))
    return tosst_copy (l->context, (size_t)D * K, l->Exc, l->R);
  for (size_t i = 0; i < (size_t)D * D; i++)
    E[i] = l->E[i];
  TosstStatus status = tosst_parallel_work (l->context, items, (double)D * K, round_M_task, self);
  size_t own = tosst_learning_own (l);
  if (status == TOSST_OK && own > 0)
    status = tosst_sgemm (l->context, CblasNoTrans, CblasNoTrans, D, own, D, 1, E, D, self->rounded, D, 0,
                          self->product, D);
  return status ?: tosst_parallel_work (l->context, items, (double)D * K, add_task, self);
}

/* Computes Exc, E and R = Exc + E M' by float products and sets done, unless rounding would lose more than a small
 * part of the gain of the last pass. A_float then contains Scc, unless lean. R, DK, DD, A_float and A_diagonal are overwritten in
 * any case. */
static TosstStatus
round_residuals (TosstLearning *self, bool *done)
{
  size_t D = self->D, K = self->K, items = (K + TASK_COLUMNS - 1) / TASK_COLUMNS;
  RoundingLoss loss[items];
  Rounded rounded = { .learning = self,
                      .rounded = (float *)self->DK,
                      .product = (float *)self->DK + D * K,
                      .norm = self->A_diagonal,
                      .loss = loss };
  memset (loss, 0, sizeof loss);
  self->is_exact = false;
  TosstStatus status = tosst_learning_update_Sxc (self);
  TOSST_THEN (status, tosst_parallel_work (self->context, items, (double)D * K, round_V_task, &rounded));
  bool by_columns = tosst_learning_by_columns (self);
  size_t columns = tosst_learning_columns (self), losses = by_columns ? (K + columns - 1) / columns : items;
  if (status == TOSST_OK && by_columns)
    {
      status = lean_round (&rounded, losses);
      status = tosst_ranks_gather (self->run.ranks, status, loss, sizeof *loss, 1, losses);
    }
  else if (status == TOSST_OK)
    status = tosst_parallel_work (self->context, items, (double)K * K * self->S, round_code_gram_task, &rounded);
  if (status == TOSST_OK && !by_columns)
    status = tosst_sgemm (self->context, CblasNoTrans, CblasNoTrans, D, K, K, 1, rounded.rounded, D, self->A_float, K,
                          0, rounded.product, D);
  TOSST_THEN (status, tosst_parallel_work (self->context, items, (double)D * K, subtract_task, &rounded)
                          ?: residual_gram (self));
  *done = status == TOSST_OK && rounding_loss (&rounded, losses) < MAX_LOSS * self->gained;
  return *done ? round_correlate (&rounded, items) : status;
}

TosstStatus
tosst_learning_residuals_for_pass (TosstLearning *self)
{
  bool done = false;
  TosstStatus status = TOSST_OK;
  if (self->gained > 0 && !tosst_learning_is_small (self))
    status = round_residuals (self, &done);
  if (done || status != TOSST_OK)
    return status;
  if (!self->is_exact)
    status = tosst_learning_residuals (self);
  size_t D = self->D, K = self->K;
  double gamma = self->options->problem.gamma;
  TOSST_THEN (status, tosst_copy (self->context, D * K, self->Exc, self->R));
  if (status != TOSST_OK || !isfinite (gamma))
    return status;
  if (!self->run.ranks)
    return tosst_dgemm (self->context, CblasNoTrans, CblasNoTrans, D, K, D, 1 / gamma, self->E, D, self->reduction.WV,
                        D, 1, self->R, D);
  size_t own = tosst_learning_own (self);
  status
      = tosst_learning_pack (self, self->reduction.WV, self->packed) ?: tosst_learning_pack (self, self->R, self->DK);
  if (status == TOSST_OK && own > 0)
    status = tosst_dgemm (self->context, CblasNoTrans, CblasNoTrans, D, own, D, 1 / gamma, self->E, D, self->packed, D,
                          1, self->DK, D);
  return status ?: tosst_learning_unpack (self, self->DK, self->R);
}
