/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms of super-symmetric tensors are computed row by row of the packed simplex, with contiguous access; those of
 * other shapes by the layout's table.
 */
#include "engine/coding/coder-private.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/coding/tuning.h"
#include "engine/simd/kernels.h"

typedef struct
{
  const TosstCoder *coder;
  int first;
  size_t count, piece; /* piece: atoms per task */
  bool wide;
  void *atoms;  /* count x m */
  double *work; /* per worker: `size` */
  size_t size;
} Transform;

/* Workspace per worker in values: matrices and vectors of a panel of atoms, which exceed the full matrix of one, or
 * a whole atom. */
static size_t
work_size (TosstShape shape, size_t m)
{
  size_t d = shape.d1;
  return shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC ? TOSST_PANEL * d * (d + 3) / 2 : (m + 7) / 8 * 8;
}

/* Computes b_k / scale, with the sign of alpha_k. */
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

/* out_t = sum of weight_p (W v)_p b_s / scale over the positions (s, p) of entry t in the slices. */
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

/* Computes atoms k .. k + count - 1, at most TOSST_PANEL; the rest of a panel is zero. */
static void
transform_panel_symmetric (const TosstCoder *coder, size_t k, int count, double *work, float *panel)
{
  const TosstKernels *kernels = tosst_kernels ();
  size_t D = coder->D, d = coder->S;
  double *C = work, *b = work + D * TOSST_PANEL;
  memset (b, 0, sizeof *b * d * TOSST_PANEL);
  for (int first = 0; first < TOSST_PANEL; first += TOSST_ABREAST, C += D * TOSST_ABREAST, b += d * TOSST_ABREAST)
    {
      int left = count - first, some = left < 0 ? 0 : left < TOSST_ABREAST ? left : TOSST_ABREAST;
      kernels->set_abreast (coder->reduction.WV + (k + first) * D, D, some, D, C);
      for (size_t p = 0; p < D; p++)
        for (int i = 0; i < TOSST_ABREAST; i++)
          C[p * TOSST_ABREAST + i] *= coder->weight[p];
      for (int i = 0; i < some; i++)
        for (size_t s = 0; s < d; s++)
          b[s * TOSST_ABREAST + i] = slice_factor (coder, k + first + i, s);
    }
  kernels->symmetric_atoms_panel (work, work + D * TOSST_PANEL, d, panel);
}

static void
transform_panel_by_table (const TosstCoder *coder, size_t k, int count, double *work, float *panel)
{
  memset (panel, 0, sizeof *panel * coder->m * TOSST_PANEL);
  for (int i = 0; i < count; i++)
    {
      transform_by_table (coder, k + i, work);
      for (size_t t = 0; t < coder->m; t++)
        panel[t * TOSST_PANEL + i] = work[t];
    }
}

static TosstStatus
transform_task (size_t item, int worker, void *data)
{
  Transform *self = data;
  size_t first = item * self->piece, last = first + self->piece < self->count ? first + self->piece : self->count;
  double *work = self->work + self->size * worker;
  if (tosst_atoms_are_packed (self->wide))
    for (size_t i = first; i < last; i += TOSST_PANEL)
      {
        const TosstCoder *coder = self->coder;
        size_t left = self->count - i;
        float *panel = (float *)self->atoms + i * coder->m;
        (coder->dictionary->shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC
             ? transform_panel_symmetric
             : transform_panel_by_table) (coder, self->first + i, left < TOSST_PANEL ? left : TOSST_PANEL, work, panel);
      }
  else
    for (size_t i = first; i < last; i++)
      transform_atom (self, i, work);
  return TOSST_OK;
}

bool
tosst_atoms_are_packed (bool wide)
{
  return !wide && tosst_kernels ()->product_packed;
}

size_t
tosst_atoms_numbers (size_t K, size_t m, bool wide)
{
  return (tosst_atoms_are_packed (wide) ? (K + TOSST_PANEL - 1) / TOSST_PANEL * TOSST_PANEL : K) * m;
}

TosstStatus
tosst_transform_atoms (const TosstCoder *coder, TosstContext *context, int first, int count, bool wide, void *atoms)
{
  size_t size = work_size (coder->dictionary->shape, coder->m);
  /* Atoms per task, so that every thread gets a few tasks. Panels are not split. */
  size_t most = count / (8 * tosst_context_threads (context)),
         piece = TASK_BYTES / (coder->m * (wide ? sizeof (double) : sizeof (float)));
  piece = piece < most ? piece : most;
  piece = tosst_atoms_are_packed (wide) ? (piece / TOSST_PANEL + 1) * TOSST_PANEL : piece > 0 ? piece : 1;
  Transform self = { coder, first, count, piece, wide, atoms, .size = size };
  self.work = tosst_alloc_aligned (size * tosst_context_threads (context), sizeof (double));
  if (!self.work)
    return tosst_coding_no_memory (context);
  TosstStatus status = tosst_parallel (context, (count + piece - 1) / piece, transform_task, &self, 0, 0);
  free (self.work);
  return status;
}

size_t
tosst_transform_bytes (const TosstLayout *layout, int threads)
{
  return work_size (layout->shape, layout->m) * sizeof (double) * threads;
}
