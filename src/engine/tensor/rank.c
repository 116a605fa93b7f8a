/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <lapacke.h>

#include "engine/base/base.h"
#include "engine/simd/kernels.h"
#include "engine/tensor/spectrum.h"

/* Functions of symmetric matrices: f(X) = A diag (f (e)) A' with the eigenvalues e of X. Examples are the whitening
 * of second-order descriptors, f(e) = sgn (e) |e|^gamma, to which equations (15)-(20) reduce for a matrix, and the
 * logarithm. */

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

  if (!unpack (self, self->in + item * self->layout->m, work->X)
      || !self->kernels->symmetric_eigen (work->X, d, stride, work->vectors, work->values, work->eigen))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu has a value that is not finite", item);
  const char *why = self->map->func (work->values, d, self->map->parameter);
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

int
tosst_planes (TosstShape shape)
{
  return shape.kind == TOSST_SHAPE_SYMMETRIC ? 1 : shape.d3;
}

int
tosst_plane_rank_limit (TosstShape shape)
{
  return shape.d1 < shape.d2 ? shape.d1 : shape.d2;
}

bool
tosst_plane_is_symmetric (TosstShape shape)
{
  return shape.kind != TOSST_SHAPE_GENERAL;
}

double
tosst_rank_tolerance (TosstShape shape, bool is_double)
{
  int d = shape.d1 > shape.d2 ? shape.d1 : shape.d2;
  return d * (is_double ? DBL_EPSILON : (double)FLT_EPSILON);
}

/* A copy of the plane, eigenvectors, eigenvalues and four rows for the kernel; or a copy and the workspace of
 * dgesvd. */
size_t
tosst_plane_work (TosstShape shape)
{
  size_t d1 = shape.d1, d2 = shape.d2, stride = tosst_grain (shape.d1);
  size_t numbers
      = tosst_plane_is_symmetric (shape) ? (2 * d1 + 1) * stride + TOSST_EIGEN_WORK (stride) : d1 * d2 + 6 * (d1 + d2);
  return (sizeof (double) * numbers + 63) / 64 * 64;
}

static int
descending (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

static bool
eigenvalues (int d, const double *plane, double size, double *work, double *values)
{
  size_t stride = tosst_grain (d);
  double *A = work, *V = A + d * stride, *unsorted = V + d * stride, *rows = unsorted + stride;
  memset (A, 0, sizeof *A * d * stride);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      A[i * stride + j] = plane[i * d + j] / size;
  if (!tosst_kernels ()->symmetric_eigen (A, d, stride, V, unsorted, rows))
    return false;
  memcpy (values, unsorted, sizeof *values * d);
  qsort (values, d, sizeof *values, descending);
  return true;
}

/* Computed from the transposed plane, which has the same singular values. */
static bool
singular_values (int d1, int d2, const double *plane, double size, double *work, double *values)
{
  double *A = work, *rest = work + (size_t)d1 * d2, unused;
  for (int i = 0; i < d1 * d2; i++)
    A[i] = plane[i] / size;
  return LAPACKE_dgesvd_work (LAPACK_COL_MAJOR, 'N', 'N', d2, d1, A, d2, values, &unused, 1, &unused, 1, rest,
                              6 * (d1 + d2))
         == 0;
}

/* The plane is scaled by its largest entry, because kernels square the entries. */
TosstStatus
tosst_plane_spectrum (TosstShape shape, const double *plane, void *work, double *values)
{
  TOSST_REQUIRE (NULL, plane && work && values);
  int count = tosst_plane_rank_limit (shape);
  double size = 0;
  for (int i = 0; i < shape.d1 * shape.d2; i++)
    {
      if (!isfinite (plane[i]))
        return TOSST_ERROR_NUMERIC;
      size = fmax (size, fabs (plane[i]));
    }
  memset (values, 0, sizeof *values * count);
  if (size == 0)
    return TOSST_OK;
  if (!(tosst_plane_is_symmetric (shape) ? eigenvalues (shape.d1, plane, size, work, values)
                                         : singular_values (shape.d1, shape.d2, plane, size, work, values)))
    return TOSST_ERROR_NUMERIC;
  for (int i = 0; i < count; i++)
    values[i] *= size;
  return TOSST_OK;
}

int
tosst_spectrum_rank (const double *values, int n, double tolerance, double floor)
{
  double largest = 0;
  int rank = 0;
  for (int i = 0; i < n; i++)
    largest = fmax (largest, fabs (values[i]));
  if (largest <= floor)
    return 0;
  for (int i = 0; i < n; i++)
    rank += fabs (values[i]) > tolerance * largest;
  return rank;
}

/* A whole tensor has the same planes as a super-symmetric tensor. */
static TosstLayout *
plane_layout (TosstShape shape)
{
  if (shape.kind == TOSST_SHAPE_WHOLE)
    shape.kind = TOSST_SHAPE_SUPER_SYMMETRIC;
  return tosst_layout_new_shape (shape);
}

static void
read_plane (const TosstLayout *layout, const double *tensor, int s, double *plane)
{
  const int32_t *index = layout->index + (size_t)s * layout->D;
  int d = layout->d;
  if (layout->shape.kind == TOSST_SHAPE_GENERAL)
    for (int p = 0; p < layout->D; p++)
      plane[p] = tensor[index[p]];
  else
    for (int i = 0; i < d; i++)
      for (int j = i; j < d; j++)
        plane[i * d + j] = plane[j * d + i] = tensor[*index++];
}

typedef struct
{
  TosstContext *context;
  const TosstLayout *layout;
  int count; /* eigenvalues or singular values per plane */
  const double *tensors;
  double tolerance;
  TosstTensorRank *ranks;
  double *spectra;
  char *work; /* per worker: workspace of tosst_plane_spectrum(), a plane, S x count values */
  size_t size;
} Ranking;

static TosstTensorRank
summarise (const Ranking *self, const double *values)
{
  TosstTensorRank rank = { .smallest = INFINITY };
  int S = self->layout->S, count = self->count;
  for (int i = 0; i < S * count; i++)
    {
      rank.largest = fmax (rank.largest, fabs (values[i]));
      rank.smallest = fmin (rank.smallest, values[i]);
    }
  for (int s = 0; s < S; s++, values += count)
    {
      int own = tosst_spectrum_rank (values, count, self->tolerance, self->tolerance * rank.largest);
      double size = fmax (fabs (values[0]), fabs (values[count - 1]));
      if (own > rank.rank)
        {
          rank.rank = own;
          rank.slice = s;
        }
      rank.negative += own > 0 && values[count - 1] < -self->tolerance * size;
    }
  return rank;
}

static TosstStatus
rank_task (size_t item, int worker, void *data)
{
  Ranking *self = data;
  const TosstLayout *layout = self->layout;
  TosstShape shape = layout->shape;
  char *work = self->work + self->size * worker;
  double *plane = (double *)(work + tosst_plane_work (shape)), *own = plane + (size_t)shape.d1 * shape.d2;
  double *values = self->spectra ? self->spectra + item * layout->S * self->count : own;

  for (int s = 0; s < layout->S; s++)
    {
      read_plane (layout, self->tensors + item * layout->m, s, plane);
      if (tosst_plane_spectrum (shape, plane, work, values + s * self->count) != TOSST_OK)
        return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu holds NaN or infinity", item);
    }
  self->ranks[item] = summarise (self, values);
  return TOSST_OK;
}

TosstStatus
tosst_tensor_rank (TosstContext *context, TosstShape shape, const double *tensors, size_t n, double tolerance,
                   TosstTensorRank *ranks, double *spectra)
{
  TOSST_REQUIRE (context, context && (n == 0 || (tensors && ranks)));
  size_t count = tosst_plane_rank_limit (shape), planes = tosst_planes (shape);
  size_t numbers = (size_t)shape.d1 * shape.d2 + planes * count;
  size_t size = (tosst_plane_work (shape) + sizeof (double) * numbers + 63) / 64 * 64;
  if (!(tolerance > 0))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the tolerance of a rank must be > 0");
  TosstLayout *layout = plane_layout (shape);
  char *work = aligned_alloc (64, size * tosst_context_threads (context));
  TosstStatus status = TOSST_OK;
  if (!layout || !work)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for the spectra of slices");
  Ranking self = { context, layout, count, tensors, tolerance, ranks, spectra, work, size };
  TOSST_THEN (status, tosst_parallel (context, n, rank_task, &self, 0, 1));
  tosst_layout_free (layout);
  free (work);
  return status;
}

/* Draws a vector uniform on the unit sphere. */
static void
draw (TosstRandom *random, int d, double *z)
{
  double norm = 0;
  while (norm == 0)
    for (int i = 0; i < d; i++)
      {
        z[i] = tosst_random_normal (random);
        norm += z[i] * z[i];
      }
  for (int i = 0; i < d; i++)
    z[i] /= sqrt (norm);
}

static double
form (const double *plane, int d, const double *z)
{
  double sum = 0;
  for (int i = 0; i < d; i++)
    {
      double row = 0;
      for (int j = 0; j < d; j++)
        row += plane[i * d + j] * z[j];
      sum += z[i] * row;
    }
  return sum;
}

/* All slices use the same vectors. */
static void
sample_plane (const double *plane, int d, size_t samples, uint64_t seed, double tolerance, double *z,
              TosstFormSample *sample)
{
  TosstRandom random;
  double size = 0;
  tosst_random_init (&random, seed, 0);
  for (int i = 0; i < d * d; i++)
    size = fmax (size, fabs (plane[i]));
  for (size_t i = 0; i < samples; i++)
    {
      draw (&random, d, z);
      double value = form (plane, d, z);
      sample->smallest = fmin (sample->smallest, value);
      sample->negative += value < -tolerance * d * size;
    }
}

TosstStatus
tosst_sample_forms (TosstContext *context, TosstShape shape, const double *tensor, size_t samples, uint64_t seed,
                    double tolerance, TosstFormSample *sample)
{
  TOSST_REQUIRE (context, context && tensor && sample);
  size_t d = shape.d1;
  if (!tosst_plane_is_symmetric (shape))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "slices of a general tensor have no quadratic form");
  TosstLayout *layout = plane_layout (shape);
  double *plane = malloc (sizeof *plane * (d * d + d));
  TosstStatus status = TOSST_OK;
  if (!layout || !plane)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to sample slices");
  *sample = (TosstFormSample){ .smallest = INFINITY };
  for (int s = 0; status == TOSST_OK && s < layout->S; s++)
    {
      if (tosst_context_checkpoint (context))
        status = TOSST_CANCELLED;
      read_plane (layout, tensor, s, plane);
      sample_plane (plane, d, samples, seed, tolerance, plane + d * d, sample);
    }
  tosst_layout_free (layout);
  free (plane);
  return status;
}
