/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions of symmetric matrices: f(X) = A diag (f (e)) A' with the eigenvalues e of X. Examples are the whitening
 * of second-order descriptors, f(e) = sgn (e) |e|^gamma, to which equations (15)-(20) reduce for a matrix, and the
 * logarithm.
 */
#include "engine/tensor/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/simd/kernels.h"

/* Buffers of one worker; rows are stride values apart. */
typedef struct
{
  double *X;       /* d x stride: X, later f(X) */
  double *vectors; /* d x stride: eigenvectors as rows */
  double *scaled;  /* d x stride: row r times f(e_r) */
  double *values;  /* stride */
  double *eigen;   /* TOSST_EIGEN_WORK: for symmetric_eigen() */
} Workspace;

typedef struct
{
  TosstContext *context;
  const TosstLayout *layout;
  const TosstKernels *kernels;
  const TosstSpectrumMap *map;
  const float *in;
  float *out;
  size_t stride;
  int32_t *rows; /* 0, stride, 2 stride, ... */
  Workspace *workspaces;
} Mapper;

static bool
mapper_init (Mapper *self, int threads)
{
  size_t d = self->layout->d, stride = tosst_grain (d);

  self->stride = stride;
  self->rows = malloc (sizeof *self->rows * d);
  self->workspaces = calloc (threads, sizeof *self->workspaces);
  if (!self->rows || !self->workspaces)
    return false;
  for (size_t r = 0; r < d; r++)
    self->rows[r] = r * stride;
  for (int t = 0; t < threads; t++)
    {
      Workspace *work = &self->workspaces[t];
      size_t bytes = ((3 * d + 1) * stride + TOSST_EIGEN_WORK (stride)) * sizeof (double);
      if (!(work->X = aligned_alloc (64, bytes)))
        return false;
      memset (work->X, 0, bytes);
      work->vectors = work->X + d * stride;
      work->scaled = work->vectors + d * stride;
      work->values = work->scaled + d * stride;
      work->eigen = work->values + stride;
    }
  return true;
}

/* Returns false if an entry is not finite. */
static bool
unpack (const Mapper *self, const float *in, double *X)
{
  int d = self->layout->d;

  memset (X, 0, sizeof *X * d * self->stride);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, in++)
      {
        if (!isfinite (*in))
          return false;
        X[i * self->stride + j] = X[j * self->stride + i] = *in;
      }
  return true;
}

static TosstStatus
map_matrix (size_t item, int worker, void *data)
{
  Mapper *self = data;
  Workspace *work = &self->workspaces[worker];
  int d = self->layout->d, stride = (int)self->stride;
  const char *why;

  if (!unpack (self, self->in + item * self->layout->m, work->X)
      || !self->kernels->symmetric_eigen (work->X, d, stride, work->vectors, work->values, work->eigen))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu has a value that is not finite", item);
  why = self->map->func (work->values, d, self->map->parameter);
  if (why)
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu %s", item, why);
  for (int r = 0; r < d; r++)
    for (int i = 0; i < d; i++)
      work->scaled[r * stride + i] = work->values[r] * work->vectors[r * stride + i];
  self->kernels->product_double (work->scaled, 1, self->stride, d, work->vectors, self->rows, d, stride, work->X,
                                 self->stride, false);
  float *out = self->out + item * self->layout->m;
  const double *weight = self->layout->weight;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, weight++)
      *out++ = work->X[i * self->stride + j] * (self->map->weighted ? *weight : 1);
  return TOSST_OK;
}

TosstStatus
tosst_map_spectra (TosstContext *context, const TosstLayout *layout, const TosstSpectrumMap *map, const float *in,
                   size_t n, float *out)
{
  int threads = tosst_context_threads (context);
  Mapper self = { .context = context, .layout = layout, .kernels = tosst_kernels (), .map = map, .in = in, .out = out };
  TosstStatus status;

  if (layout->shape.kind != TOSST_SHAPE_SYMMETRIC)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "only symmetric matrices have a spectrum");
  if (mapper_init (&self, threads))
    status = tosst_parallel (context, n, map_matrix, &self, 0, map->reports ? 1 : 0);
  else
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY,
                                 "not enough memory for the spectra of matrices of side %d", layout->d);
  for (int t = 0; self.workspaces && t < threads; t++)
    free (self.workspaces[t].X);
  free (self.workspaces);
  free (self.rows);
  return status;
}
