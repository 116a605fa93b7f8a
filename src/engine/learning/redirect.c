/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Redirects unused atoms that keep their B_k, on which W depends: b_k is set for a badly reconstructed tensor. With
 * P_kk = 0 the objective does not depend on b_k until the next coding.
 *
 * The gain of atom k alone at one tensor with residuals r^s = x^s - V c^s, g_s = <W v_k, r^s>, is
 *     max over alpha >= 0 of 2 alpha (b . g) - lambda alpha - alpha^2 (v_k' W v_k) ||b||^2.
 * On the simplex b . g - lambda / 2 = b . (g - lambda / 2), so that the best b is proportional to (g - lambda / 2)_+
 * and gains ||(g - lambda / 2)_+||^2 / (v_k' W v_k): if that is positive, the code of this tensor will use the atom.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/vector.h"
#include "engine/learning/divided.h"
#include "engine/learning/tuning.h"

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
  TosstStatus status = tosst_learning_fetch (self, number, count, true, tensors);
  if (status != TOSST_OK)
    return status;
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
  status = tosst_parallel_work (self->context, count, (double)count * D * S * most, residual_task, &residuals);
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
