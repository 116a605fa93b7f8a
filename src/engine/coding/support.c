/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/base.h"
#include "tosst/code.h"
#include "tosst/tensor.h"

typedef struct
{
  TosstContext *context;
  const TosstDictionary *dictionary;
  double tolerance;
  int *ranks;
  char *work; /* per worker: workspace of tosst_plane_spectrum(), an atom, values of a plane */
  size_t size;
} AtomRanking;

static TosstStatus
rank_atom (size_t k, int worker, void *data)
{
  AtomRanking *self = data;
  TosstShape shape = self->dictionary->shape;
  size_t numbers = (size_t)shape.d1 * shape.d2;
  int limit = tosst_plane_rank_limit (shape);
  char *work = self->work + self->size * worker;
  double *B = (double *)(work + tosst_plane_work (shape)), *values = B + tosst_shape_atom_numbers (shape);
  tosst_atom_to_array (shape, self->dictionary->V + k * self->dictionary->D, B);
  self->ranks[k] = 0;
  /* Number of planes of an atom: one, or those of a whole tensor. */
  for (int s = 0; s < (shape.kind == TOSST_SHAPE_WHOLE ? shape.d3 : 1); s++)
    {
      if (tosst_plane_spectrum (shape, B + s * numbers, work, values) != TOSST_OK)
        return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "atom %zu holds NaN or infinity", k);
      int rank = tosst_spectrum_rank (values, limit, self->tolerance, 0);
      self->ranks[k] = rank > self->ranks[k] ? rank : self->ranks[k];
    }
  return TOSST_OK;
}

TosstStatus
tosst_atom_ranks (TosstContext *context, const TosstDictionary *dictionary, double tolerance, int *ranks)
{
  TOSST_REQUIRE (context, context && dictionary && ranks);
  TosstShape shape = dictionary->shape;
  size_t numbers = tosst_shape_atom_numbers (shape) + tosst_plane_rank_limit (shape);
  size_t size = (tosst_plane_work (shape) + sizeof (double) * numbers + 63) / 64 * 64;
  if (!(tolerance > 0))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the tolerance of a rank must be > 0");
  char *work = aligned_alloc (64, size * tosst_context_threads (context));
  if (!work)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for the ranks of atoms");
  AtomRanking self = { context, dictionary, tolerance, ranks, work, size };
  TosstStatus status = tosst_parallel (context, dictionary->K, rank_atom, &self, 0, 0);
  free (work);
  return status;
}

int
tosst_code_support (const double *alpha, int K, int *support)
{
  int count = 0;
  for (int k = 0; k < K; k++)
    if (alpha[k] != 0)
      {
        if (support)
          support[count] = k;
        count++;
      }
  return count;
}

int
tosst_code_rank_bound (const double *alpha, const int *ranks, int K, int limit, long *sum)
{
  long total = 0;
  for (int k = 0; k < K; k++)
    if (alpha[k] != 0)
      total += ranks[k];
  if (sum)
    *sum = total;
  return total < limit ? (int)total : limit;
}

void
tosst_code_planes (const TosstDictionary *dictionary, const double *alpha, double *B, double *planes)
{
  TosstShape shape = dictionary->shape;
  size_t plane = (size_t)shape.d1 * shape.d2, numbers = tosst_shape_atom_numbers (shape);
  memset (planes, 0, sizeof *planes * plane * tosst_planes (shape));
  for (int k = 0; k < dictionary->K; k++)
    {
      if (alpha[k] == 0)
        continue;
      tosst_atom_to_array (shape, dictionary->V + (size_t)k * dictionary->D, B);
      for (int s = 0; s < dictionary->S; s++)
        {
          double factor = dictionary->scale * alpha[k] * dictionary->b[(size_t)k * dictionary->S + s];
          for (size_t i = 0; i < numbers; i++)
            planes[s * plane + i] += factor * B[i];
        }
    }
}
