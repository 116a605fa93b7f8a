/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sum Sxx over tensors, in float64 because it is used in factorisations, and the sums of accumulate.c in float64.
 * Tasks and their order of addition do not depend on the number of threads.
 */
#include "engine/base/base.h"
#include "engine/learning/divided.h"
#include "tosst/learn.h"

typedef struct
{
  TosstLearning *learning;
  double *partial; /* groups x D x D */
  double **slices; /* per worker: D x (S SUMMED_BATCH) */
} Sums;

size_t
tosst_learning_partial_sums (size_t D)
{
  return D <= 1024 ? 16 : 4;
}

static TosstStatus
square_task (size_t group, int worker, void *data)
{
  Sums *self = data;
  const TosstLearning *l = self->learning;
  const TosstLayout *layout = l->layout;
  size_t D = l->D, S = l->S, groups = tosst_learning_partial_sums (D);
  size_t first = l->n * group / groups, last = l->n * (group + 1) / groups;
  double *sum = self->partial + group * D * D, *slices = self->slices[worker];

  memset (sum, 0, sizeof *sum * D * D);
  for (size_t n = first; n < last; n += SUMMED_BATCH)
    {
      size_t count = last - n < SUMMED_BATCH ? last - n : SUMMED_BATCH;
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      for (size_t i = 0; i < count; i++)
        {
          const float *tensor = l->tensors + (n + i) * layout->m;
          double *out = slices + i * S * D;
          for (size_t s = 0; s < S; s++)
            for (size_t p = 0; p < D; p++)
              *out++ = layout->weight[p] * tensor[layout->index[s * D + p]];
        }
      cblas_dsyrk (CblasColMajor, CblasLower, CblasNoTrans, D, count * S, 1, slices, D, 1, sum, D);
    }
  return TOSST_OK;
}

/* Sums the partial sums, and those of other ranks, both triangles. The scale is the RMS norm of a tensor, sqrt (tr Sxx / n). */
static TosstStatus
finish_measure (TosstLearning *self, TosstStatus status, double *partial)
{
  size_t D = self->D;
  double trace = 0;
  for (size_t g = 1; g < tosst_learning_partial_sums (D) && status == TOSST_OK; g++)
    for (size_t i = 0; i < D * D; i++)
      partial[i] += partial[g * D * D + i];
  TOSST_TRY (tosst_learning_sum_triangle (self, status, partial, NULL, D, false));
  for (size_t i = 0; i < D; i++)
    trace += partial[i * D + i];
  if (!isfinite (trace))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "the tensors hold NaN or infinity");
  if (!self->scaled)
    status = tosst_tensor_scale (self->context, trace, self->total, &self->dictionary->scale);
  else if (!(sqrt (trace / self->total) <= MOST_GROWN * self->dictionary->scale))
    status = tosst_context_fail (self->context, TOSST_ERROR_NUMERIC,
                                 "these tensors are %.3g times as large as those of which the dictionary was learned",
                                 sqrt (trace / self->total) / self->dictionary->scale);
  if (status != TOSST_OK)
    return status;
  self->scaled = true;
  double factor = 1 / (self->dictionary->scale * self->dictionary->scale);
  for (size_t i = 0; i < D; i++)
    for (size_t j = i; j < D; j++)
      self->Sxx[i * D + j] = self->Sxx[j * D + i]
          = (self->keep > 0 ? self->keep * self->Sxx[i * D + j] : 0) + partial[i * D + j] * factor;
  return TOSST_OK;
}

TosstStatus
tosst_learning_update_Sxx (TosstLearning *self)
{
  int threads = tosst_context_threads (self->context);
  size_t D = self->D, S = self->S;
  double *partial = malloc (sizeof *partial * tosst_learning_partial_sums (D) * D * D),
         *block = malloc (sizeof *block * threads * D * S * SUMMED_BATCH);
  double *slices[threads];
  TosstStatus status = TOSST_ERROR_MEMORY;
  if (partial && block)
    {
      for (int i = 0; i < threads; i++)
        slices[i] = block + i * D * S * SUMMED_BATCH;
      Sums sums = { .learning = self, .partial = partial, .slices = slices };
      status = tosst_parallel (self->context, tosst_learning_partial_sums (D), square_task, &sums, 0, 1);
    }
  else
    tosst_context_fail (self->context, status, "not enough memory to learn from %zu tensors", self->n);
  status = finish_measure (self, status, partial);
  free (partial);
  free (block);
  return status;
}

/* The objective is a difference of terms in Y, P and Sxx: with few tensors and a small objective, float rounding could
 * appear as an increase. float64 is used for problems so small that its cost is negligible. */

bool
tosst_learning_is_small (const TosstLearning *self)
{
  double K = self->K;
  return (double)self->total * K * ((double)self->layout->m + K) <= SMALL_WORK;
}

/* out: K x length; adds the rows times their codes to keep times out. */
static void
add_rows (const TosstLearning *self, const float *rows, size_t length, double *out)
{
  size_t K = self->K;
  for (size_t i = 0; i < K * length; i++)
    out[i] = self->keep > 0 ? self->keep * out[i] : 0;
  for (size_t n = 0; n < self->n; n++)
    for (size_t k = 0; k < K; k++)
      {
        double code = self->codes[n * K + k];
        for (size_t t = 0; code != 0 && t < length; t++)
          out[k * length + t] += code * rows[n * length + t];
      }
}

void
tosst_learning_accumulate_stats_f64 (TosstLearning *self)
{
  self->l1 = self->keep > 0 ? self->keep * self->l1 : 0;
  for (size_t i = 0; i < self->n * self->K; i++)
    self->l1 += fabs (self->codes[i]);
  add_rows (self, self->tensors, self->layout->m, self->Y);
  tosst_learning_lap (self, TOSST_LEARN_Y);
  add_rows (self, self->codes, self->K, self->P);
  tosst_learning_lap (self, TOSST_LEARN_P);
}

/* Copies some columns of the lower triangle of P to the upper one. */
static TosstStatus
mirror_task (size_t item, int worker, void *data)
{
  TosstLearning *l = data;
  size_t K = l->K, first = item * MIRRORED, end = K - first < MIRRORED ? K : first + MIRRORED;
  for (size_t j0 = first; j0 < K; j0 += MIRRORED)
    for (size_t i = first; i < end; i++)
      for (size_t j = j0 > i ? j0 : i; j < j0 + MIRRORED && j < K; j++)
        l->P_float[j * K + i] = l->P_float[i * K + j];
  return TOSST_OK;
}

TosstStatus
tosst_learning_mirror_P (TosstLearning *self)
{
  size_t K = self->K;
  return tosst_parallel_work (self->context, (K + MIRRORED - 1) / MIRRORED, (double)K * K, mirror_task, self);
}
