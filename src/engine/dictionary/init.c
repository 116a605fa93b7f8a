/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where atoms come from: B_k a projected slice of a sampled tensor, scaled to the boundary of its set (a larger atom
 * needs a smaller code), b_k how much each slice of that tensor resembles B_k.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dictionary/state.h"

static void
read_slice (const TosstLearning *self, size_t n, int s, double *out)
{
  const TosstLayout *layout = self->layout;
  const float *tensor = self->tensors + n * layout->m;
  for (int p = 0; p < self->D; p++)
    out[p] = layout->weight[p] * tensor[layout->index[(size_t)s * self->D + p]] / self->dictionary->scale;
}

static double
dot (const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* The bound that the scheme puts on an atom: trace, or Frobenius norm. */
static double
atom_size (TosstScheme scheme, int d, const double *v)
{
  if (scheme == TOSST_SCHEME_FREE)
    return sqrt (dot (v, v, d * (d + 1) / 2));
  double trace = 0;
  for (int i = 0, p = 0; i < d; p += d - i++)
    trace += v[p];
  return trace;
}

/* A slice drawn with probability proportional to its squared norm. */
static int
draw_slice (const TosstLearning *self, size_t n, TosstRandom *random, double *slice)
{
  double norm[self->S], total = 0;
  for (int s = 0; s < self->S; s++)
    {
      read_slice (self, n, s, slice);
      total += norm[s] = dot (slice, slice, self->D);
    }
  double u = tosst_random_uniform (random) * total;
  int s = 0;
  while (s < self->S - 1 && (u -= norm[s]) > 0)
    s++;
  return s;
}

bool
tosst_learning_seed_atom (TosstLearning *self, int k, size_t n, TosstRandom *random, double *work)
{
  const TosstLearnOptions *options = self->options;
  int D = self->D, S = self->S, d = self->layout->d;
  double *v = self->dictionary->V + (size_t)k * D, *b = self->dictionary->b + (size_t)k * S, slice[D];

  read_slice (self, n, draw_slice (self, n, random, slice), v);
  if (tosst_project_atom (options->scheme, options->rank, d, v, work) != TOSST_OK)
    return false;
  double size = atom_size (options->scheme, d, v);
  if (!(size > 1e-9))
    return false;
  for (int p = 0; p < D; p++)
    v[p] /= size;

  double sum = 0;
  for (int s = 0; s < S; s++)
    {
      read_slice (self, n, s, slice);
      b[s] = dot (slice, v, D);
      if (!options->signed_b && b[s] < 0)
        b[s] = 0;
      sum += fabs (b[s]);
    }
  for (int s = 0; s < S; s++)
    b[s] = sum > 0 ? b[s] / sum : 1.0 / S;
  return true;
}

/* The atoms of an earlier learning, brought into the constraint set of this one. */
static TosstStatus
continue_from (TosstLearning *self, const TosstDictionary *initial)
{
  const TosstLearnOptions *options = self->options;
  int d = self->layout->d;
  double *work = malloc (sizeof *work * tosst_project_atom_work (d));
  TosstStatus status = work ? TOSST_OK : TOSST_ERROR_MEMORY;
  memcpy (self->dictionary->V, initial->V, sizeof *initial->V * self->D * self->K);
  memcpy (self->dictionary->b, initial->b, sizeof *initial->b * self->S * self->K);
  for (int k = 0; k < self->K && status == TOSST_OK; k++)
    {
      status = tosst_project_atom (options->scheme, options->rank, d, self->dictionary->V + (size_t)k * self->D, work);
      tosst_project_l1 (self->dictionary->b + (size_t)k * self->S, self->S, !options->signed_b, work);
    }
  free (work);
  return status == TOSST_OK ? TOSST_OK
                            : tosst_context_fail (self->context, status, "the dictionary to go on from cannot be used");
}

TosstStatus
tosst_learning_start (TosstLearning *self)
{
  if (self->options->initial)
    return continue_from (self, self->options->initial);
  TosstRandom random;
  tosst_random_init (&random, self->options->seed, 0);
  size_t *order = malloc (sizeof *order * self->n);
  double *work = malloc (sizeof *work * tosst_project_atom_work (self->layout->d));
  TosstStatus status = TOSST_OK;
  if (!order || !work)
    status = tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to start learning");
  else
    {
      for (size_t i = 0; i < self->n; i++)
        order[i] = i;
      tosst_random_shuffle (&random, order, self->n);
      /* Tensors without a usable slice (all of them negative definite, say) are passed over; after two rounds there is
       * none. */
      size_t next = 0;
      for (int k = 0; k < self->K && status == TOSST_OK; k++)
        {
          while (next < 2 * self->n + self->K
                 && !tosst_learning_seed_atom (self, k, order[next % self->n], &random, work))
            next++;
          if (next++ >= 2 * self->n + self->K)
            status = tosst_context_fail (self->context, TOSST_ERROR_NUMERIC,
                                         "no slice of the tensors has a part in the set of the scheme");
        }
    }
  free (order);
  free (work);
  return status;
}
