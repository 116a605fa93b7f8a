/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms of super-symmetric tensors are made row by row of the packed simplex, which has no gaps to jump over; those of
 * other shapes by the layout's table.
 */
#include "coding/transform.h"

#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"

/* Bytes that one task fills: where pages are large, two threads that wait for the same one are the exception. */
#define TASK_BYTES ((size_t)2 << 20)

typedef struct
{
  const TosstCoder *coder;
  int first;
  size_t count, piece; /* piece: atoms of a task */
  bool wide;
  void *atoms;  /* count x m */
  double *work; /* per worker: `size` */
  size_t size;
} Transform;

/* Numbers that a worker writes down: matrix and vector of an atom, or the whole of it. */
static size_t
work_size (TosstShape shape, size_t m)
{
  return shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC ? (size_t)shape.d1 * (shape.d1 + 1) : m;
}

/* b_k / scale, with the sign that alpha_k has. */
static double
slice_factor (const TosstCoder *coder, size_t k, int s)
{
  return coder->dictionary->b[k * coder->S + s] / coder->scale * (coder->sign ? coder->sign[k] : 1);
}

static void
transform_symmetric (const Transform *self, size_t k, double *work, void *out)
{
  const TosstCoder *coder = self->coder;
  int d = coder->S;
  const double *u = coder->reduction.WV + k * coder->D, *weight = coder->weight;
  double *C = work, *b = work + (size_t)d * d;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, u++, weight++)
      C[i * d + j] = C[j * d + i] = *weight * *u;
  for (int s = 0; s < d; s++)
    b[s] = slice_factor (coder, k, s);
  if (self->wide)
    tosst_kernels ()->symmetric_atom_double (C, b, d, out);
  else
    tosst_kernels ()->symmetric_atom_float (C, b, d, out);
}

/* out_t = sum over the places (s, p) of the slices that read entry t of weight_p (W v)_p b_s / scale. */
static void
transform_by_table (const TosstCoder *coder, size_t k, double *out)
{
  const double *u = coder->reduction.WV + k * coder->D;
  memset (out, 0, sizeof *out * coder->m);
  for (int s = 0; s < coder->S; s++)
    {
      const int32_t *index = coder->index + (size_t)s * coder->D;
      double factor = slice_factor (coder, k, s);
      for (int p = 0; factor != 0 && p < coder->D; p++)
        out[index[p]] += factor * coder->weight[p] * u[p];
    }
}

static void
transform_atom (const Transform *self, size_t i, double *work)
{
  const TosstCoder *coder = self->coder;
  size_t m = coder->m, k = self->first + i;
  double *wide = (double *)self->atoms + i * m;
  float *narrow = (float *)self->atoms + i * m;

  if (coder->dictionary->shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    transform_symmetric (self, k, work, self->wide ? (void *)wide : narrow);
  else if (self->wide)
    transform_by_table (coder, k, wide);
  else
    {
      transform_by_table (coder, k, work);
      for (size_t t = 0; t < m; t++)
        narrow[t] = work[t];
    }
}

static TosstStatus
transform_task (size_t item, int worker, void *data)
{
  Transform *self = data;
  size_t first = item * self->piece, last = first + self->piece;
  for (size_t i = first; i < last && i < self->count; i++)
    transform_atom (self, i, self->work + self->size * worker);
  return TOSST_OK;
}

/* So that every thread gets a few tasks. */
static size_t
piece_size (TosstContext *context, size_t count, size_t atom_bytes)
{
  size_t most = count / (8 * tosst_context_threads (context)), piece = TASK_BYTES / atom_bytes;
  piece = piece < most ? piece : most;
  return piece > 0 ? piece : 1;
}

TosstStatus
tosst_transform_atoms (const TosstCoder *coder, TosstContext *context, int first, int count, bool wide, void *atoms)
{
  size_t size = work_size (coder->dictionary->shape, coder->m);
  size_t piece = piece_size (context, count, coder->m * (wide ? sizeof (double) : sizeof (float)));
  Transform self = { coder, first, count, piece, wide, atoms, .size = size };
  self.work = malloc (sizeof (double) * size * tosst_context_threads (context));
  if (!self.work)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  TosstStatus status = tosst_parallel (context, (count + piece - 1) / piece, transform_task, &self, 0, 0);
  free (self.work);
  return status;
}

size_t
tosst_transform_bytes (const TosstLayout *layout, int threads)
{
  return work_size (layout->shape, layout->m) * sizeof (double) * threads;
}
