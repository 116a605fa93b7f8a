/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whitening, equations (15)-(20). The three mode products of a super-symmetric tensor are applied in turn,
 *
 *     T1[ij][c]    = sum_k X[ij][k] A[k][c]            pairs i <= j
 *     T2[i][b][c]  = sum_j A[j][b] T1[ij][c]           c >= b, up to the grain
 *     E[a][b][c]   = sum_i A[i][a] T2[i][b][c]         a <= b <= c
 *
 * each on the distinct entries only, so that both transforms of a tensor cost about 2 d^4 multiplications instead of
 * 6 d^4. Small tensors are batched. The Gram matrix squares singular values and is formed and decomposed in double; the products are single precision.
 *
 * The two unfoldings of a symmetric matrix are equal and A holds its eigenvectors: the core is diagonal, and the
 * power of the core applies to the eigenvalues.
 */
#include <float.h>

#include "engine/base/base.h"
#include "engine/tensor/spectrum.h"
#include "engine/tensor/tuning.h"
#include "engine/tensor/whiten-private.h"

/* Whitening of batches of tensors, one per register lane, by simd/whiten-impl.h. Tensors stay packed, and sides that
 * are not a multiple of the register length need no padding. */

typedef struct
{
  TosstContext *context;
  const TosstKernels *kernels;
  TosstWhitenTables tables;
  int32_t *memory; /* storage of tables */
  float *tensors;
  size_t n;
  float gamma_eigen, gamma_coefficient;
  char *work;   /* workspaces of all workers */
  size_t share; /* bytes per worker */
} LaneWhitener;

static int
padded (int n, int tile)
{
  return (n + tile - 1) / tile * tile;
}

static bool
fill_tables (LaneWhitener *self, const TosstLayout *layout)
{
  int d = layout->d, D = layout->D, tile = self->kernels->tile, side = padded (d, tile), pairs = padded (D, tile);
  int32_t *index = malloc (sizeof *index * (size_t)(d * (pairs + side + d) + D)), *pair, *run, *order, p = 0;

  if (!index)
    return false;
  pair = index + pairs * d;
  run = pair + side * d;
  order = run + d * d;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, p++)
      {
        pair[i * d + j] = pair[j * d + i] = p;
        order[i == j ? i : d + p - i - 1] = p;
        run[i * d + j] = run[j * d + i] = (int32_t)tosst_packed_index (d, i, j, j);
        for (int k = 0; k < d; k++)
          index[p * d + k] = layout->index[k * D + p];
      }
  for (int i = D * d; i < pairs * d; i++)
    index[i] = (int32_t)layout->m;
  for (int i = d * d; i < side * d; i++)
    pair[i] = 0;
  self->memory = index;
  self->tables = (TosstWhitenTables){ d, side, pairs, layout->m, index, pair, run, order };
  return true;
}

static bool
allocate_work (LaneWhitener *self, int threads)
{
  size_t bytes = self->kernels->whiten_work (&self->tables);

  self->share = tosst_thread_stride (bytes);
  self->work = tosst_alloc_aligned ((size_t)threads, self->share);
  for (int t = 0; self->work && t < threads; t++)
    memset (self->work + (size_t)t * self->share, 0, bytes);
  return self->work != NULL;
}

static TosstStatus
whiten_bundle (size_t item, int worker, void *data)
{
  LaneWhitener *self = data;
  size_t lanes = (size_t)self->kernels->lanes, first = item * lanes,
         count = self->n - first < lanes ? self->n - first : lanes;

  size_t m = self->tables.m, i = first * m;
  if (self->kernels->whiten (&self->tables, self->tensors + i, (int)count, self->gamma_eigen, self->gamma_coefficient,
                             self->work + (size_t)worker * self->share))
    return TOSST_OK;
  while (i + 1 < (first + count) * m && isfinite (self->tensors[i]))
    i++;
  return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu has a value that is not finite", i / m);
}

TosstStatus
tosst_whiten_lanes (TosstContext *context, const TosstKernels *kernels, const TosstLayout *layout, float *tensors,
                    size_t n, double gamma_eigen, double gamma_coefficient)
{
  LaneWhitener self = { .context = context,
                        .kernels = kernels,
                        .tensors = tensors,
                        .n = n,
                        .gamma_eigen = (float)gamma_eigen,
                        .gamma_coefficient = (float)gamma_coefficient };
  int threads = tosst_context_threads (context);
  size_t lanes = (size_t)kernels->lanes;
  TosstStatus status;

  if (fill_tables (&self, layout) && allocate_work (&self, threads))
    status = tosst_parallel (context, (n + lanes - 1) / lanes, whiten_bundle, &self, 0, 0);
  else
    status
        = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to whiten tensors of side %d", layout->d);
  free (self.work);
  free (self.memory);
  return status;
}

/* Buffers of one worker; rows of all matrices are stride values apart and 64-byte aligned. */
typedef struct
{
  float *pairs;           /* D x stride: X[ij][k] */
  float *first;           /* D x stride: T1 */
  float *tile;            /* d x WHITEN_TILE x stride: T2 */
  float *edge;            /* d x stride: E[.][b][.] for one b */
  float *A, *At;          /* d x stride, zero-padded beyond d */
  double *gram, *vectors; /* d x stride: Gram matrix, and its eigenvectors as rows */
  double *chunk;          /* WHITEN_CHUNK x stride */
  double *values;         /* stride: eigenvalues */
  double *eigen;          /* TOSST_EIGEN_WORK: for symmetric_eigen() */
  void *memory;
} Workspace;

typedef struct
{
  TosstContext *context;
  const TosstLayout *layout;
  const TosstKernels *kernels;
  float *tensors;
  double gamma_eigen, gamma_coefficient;
  int stride;
  int32_t *index; /* D x d: packed index of X[ij][k] */
  int32_t *run;   /* d x d: packed index of X[a][b][b], a <= b */
  int32_t *pair;  /* d x d: offset of row ij in pairs and first */
  int32_t *rows;  /* offsets 0, stride, 2 stride ... */
  int32_t *tiles; /* row offsets of T2: 0, WHITEN_TILE stride, ... */
  Workspace *workspaces;
} Whitener;

static bool
workspace_init (Workspace *work, size_t d, size_t D, size_t stride)
{
  size_t floats = (2 * D + d * WHITEN_TILE + 3 * d) * stride;
  size_t doubles = (2 * d + WHITEN_CHUNK + 1) * stride + TOSST_EIGEN_WORK (stride);
  size_t bytes = (floats * sizeof (float) + doubles * sizeof (double) + 63) / 64 * 64;

  work->memory = aligned_alloc (64, bytes);
  if (!work->memory)
    return false;
  memset (work->memory, 0, bytes);
  work->gram = work->memory;
  work->vectors = work->gram + d * stride;
  work->chunk = work->vectors + d * stride;
  work->values = work->chunk + WHITEN_CHUNK * stride;
  work->eigen = work->values + stride;
  work->pairs = (float *)(work->eigen + TOSST_EIGEN_WORK (stride));
  work->first = work->pairs + D * stride;
  work->tile = work->first + D * stride;
  work->edge = work->tile + d * WHITEN_TILE * stride;
  work->A = work->edge + d * stride;
  work->At = work->A + d * stride;
  return true;
}

static bool
whitener_init (Whitener *self, int threads)
{
  size_t d = (size_t)self->layout->d, D = (size_t)self->layout->D, p = 0;
  int32_t *table = malloc ((D * d + 2 * d * d + 2 * d + WHITEN_CHUNK) * sizeof *table);

  self->index = table;
  self->workspaces = calloc ((size_t)threads, sizeof *self->workspaces);
  if (!table || !self->workspaces)
    return false;
  self->run = table + D * d;
  self->pair = self->run + d * d;
  self->tiles = self->pair + d * d;
  self->rows = self->tiles + d;
  for (size_t k = 0; k < d || k < WHITEN_CHUNK; k++)
    self->rows[k] = (int32_t)k * self->stride;
  for (size_t i = 0; i < d; i++)
    {
      self->tiles[i] = (int32_t)i * WHITEN_TILE * self->stride;
      for (size_t j = i; j < d; j++, p++)
        {
          self->pair[i * d + j] = self->pair[j * d + i] = (int32_t)p * self->stride;
          self->run[i * d + j] = (int32_t)tosst_packed_index ((int)d, (int)i, (int)j, (int)j);
          for (size_t k = 0; k < d; k++)
            self->index[p * d + k] = self->layout->index[k * D + p];
        }
    }
  for (int t = 0; t < threads; t++)
    if (!workspace_init (&self->workspaces[t], d, D, (size_t)self->stride))
      return false;
  return true;
}

static void
unpack (const Whitener *self, const float *tensor, float *pairs)
{
  int d = self->layout->d;
  const int32_t *index = self->index;

  for (int p = 0; p < self->layout->D; p++, pairs += self->stride)
    for (int k = 0; k < d; k++)
      pairs[k] = tensor[*index++];
}

/* Gram matrix of the mode-1 unfolding: off-diagonal pairs represent two columns. */
static void
form_gram (const Whitener *self, Workspace *work)
{
  int d = self->layout->d, D = self->layout->D, stride = self->stride;
  const float *from = work->pairs;

  memset (work->gram, 0, sizeof *work->gram * (size_t)d * (size_t)stride);
  for (int p = 0; p < D; p += WHITEN_CHUNK)
    {
      int rows = D - p < WHITEN_CHUNK ? D - p : WHITEN_CHUNK;
      double *to = work->chunk;
      for (int r = 0; r < rows; r++, from += stride, to += stride)
        for (int k = 0; k < d; k++)
          to[k] = self->layout->weight[p + r] * from[k];
      self->kernels->product_double (work->chunk, 1, (size_t)stride, d, work->chunk, self->rows, rows, stride,
                                     work->gram, (size_t)stride, true);
    }
}

/* A and its transpose; columns of directions at rounding level are zero. */
static TosstStatus
find_axes (const Whitener *self, Workspace *work)
{
  int d = self->layout->d, stride = self->stride;
  double trace = 0, least = 0;

  for (int i = 0; i < d; i++)
    trace += work->gram[i * stride + i];
  if (!isfinite (trace)
      || !self->kernels->symmetric_eigen (work->gram, d, stride, work->vectors, work->values, work->eigen))
    return TOSST_ERROR_NUMERIC;
  for (int r = 0; r < d; r++)
    least = fmax (least, (double)FLT_EPSILON * FLT_EPSILON * work->values[r]);
  for (int r = 0; r < d; r++)
    for (int i = 0; i < d; i++)
      {
        double entry = work->values[r] > least ? work->vectors[r * stride + i] : 0;
        work->A[i * stride + r] = work->At[r * stride + i] = (float)entry;
      }
  return TOSST_OK;
}

/* tensor <- tensor x_1 A' x_2 A' x_3 A' for the d x d matrix A; At is its transpose. */
static void
transform (const Whitener *self, Workspace *work, const float *A, const float *At, float *tensor)
{
  const TosstKernels *kernels = self->kernels;
  int d = self->layout->d, D = self->layout->D, stride = self->stride;

  unpack (self, tensor, work->pairs);
  kernels->product_float (work->pairs, (size_t)stride, 1, D, A, self->rows, d, stride, work->first, (size_t)stride,
                          false);
  for (int b0 = 0; b0 < d; b0 += WHITEN_TILE)
    {
      int rows = d - b0 < WHITEN_TILE ? d - b0 : WHITEN_TILE, from = b0 / TOSST_GRAIN * TOSST_GRAIN;
      for (int i = 0; i < d; i++)
        kernels->product_float (At + b0 * stride, (size_t)stride, 1, rows, work->first + from, self->pair + i * d, d,
                                stride - from, work->tile + self->tiles[i] + from, (size_t)stride, false);
      for (int b = b0; b < b0 + rows; b++)
        {
          int start = b / TOSST_GRAIN * TOSST_GRAIN;
          kernels->product_float (At, (size_t)stride, 1, b + 1, work->tile + (b - b0) * stride + start, self->tiles, d,
                                  stride - start, work->edge + start, (size_t)stride, false);
          for (int a = 0; a <= b; a++)
            memcpy (tensor + self->run[a * d + b], work->edge + a * stride + b, (size_t)(d - b) * sizeof *tensor);
        }
    }
}

static TosstStatus
raise_entries (size_t item, int worker, void *data)
{
  Whitener *self = data;
  size_t m = self->layout->m;
  float *tensor = self->tensors + item * m;

  (void)worker;
  for (size_t i = 0; i < m; i++)
    if (!isfinite (tensor[i]))
      return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu has a value that is not finite", item);
  self->kernels->signed_power (tensor, m, (float)self->gamma_coefficient);
  return TOSST_OK;
}

static TosstStatus
whiten_tensor (size_t item, int worker, void *data)
{
  Whitener *self = data;
  Workspace *work = &self->workspaces[worker];
  size_t m = self->layout->m;
  float *tensor = self->tensors + item * m;

  unpack (self, tensor, work->pairs);
  form_gram (self, work);
  if (find_axes (self, work) != TOSST_OK)
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "tensor %zu has a value that is not finite", item);
  transform (self, work, work->A, work->At, tensor);
  self->kernels->signed_power (tensor, m, (float)self->gamma_eigen);
  transform (self, work, work->At, work->A, tensor);
  if (self->gamma_coefficient < 1)
    self->kernels->signed_power (tensor, m, (float)self->gamma_coefficient);
  return TOSST_OK;
}

TosstStatus
tosst_whiten_alone (TosstContext *context, const TosstKernels *kernels, const TosstLayout *layout, float *tensors,
                    size_t n, double gamma_eigen, double gamma_coefficient)
{
  int threads = tosst_context_threads (context), d = layout->d;
  Whitener self = { .context = context,
                    .layout = layout,
                    .kernels = kernels,
                    .tensors = tensors,
                    .gamma_eigen = gamma_eigen,
                    .gamma_coefficient = gamma_coefficient };
  TosstStatus status;

  self.stride = tosst_grain (d);
  if (whitener_init (&self, threads))
    status = tosst_parallel (context, n, whiten_tensor, &self, 0, 0);
  else
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to whiten tensors of side %d", d);
  for (int t = 0; self.workspaces && t < threads; t++)
    free (self.workspaces[t].memory);
  free (self.workspaces);
  free (self.index);
  return status;
}

static const char *
raise_eigenvalues (double *values, int d, double gamma)
{
  double largest = 0;

  for (int i = 0; i < d; i++)
    largest = fmax (largest, fabs (values[i]));
  for (int i = 0; i < d; i++)
    values[i] = fabs (values[i]) > FLT_EPSILON * largest ? copysign (pow (fabs (values[i]), gamma), values[i]) : 0;
  return NULL;
}

TosstStatus
tosst_whiten (TosstContext *context, const TosstLayout *layout, float *tensors, size_t n, double gamma_eigen,
              double gamma_coefficient)
{
  TOSST_REQUIRE (context, context && layout && (tensors || n == 0));
  Whitener self = { .context = context,
                    .layout = layout,
                    .kernels = tosst_kernels (),
                    .tensors = tensors,
                    .gamma_eigen = gamma_eigen,
                    .gamma_coefficient = gamma_coefficient };
  bool matrices = layout->shape.kind == TOSST_SHAPE_SYMMETRIC;
  TosstStatus status = TOSST_OK;

  if (!matrices && layout->shape.kind != TOSST_SHAPE_SUPER_SYMMETRIC)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "whitening needs super-symmetric tensors or matrices");
  if (!(gamma_eigen > 0 && gamma_eigen <= 1 && gamma_coefficient > 0 && gamma_coefficient <= 1))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               "exponents of whitening must lie above 0 and be at most 1, not %g and %g", gamma_eigen,
                               gamma_coefficient);
  if (n == 0)
    return TOSST_OK;
  /* A tensor per lane depends on the side alone, so that the result of a tensor does not depend on their number. */
  bool fits = tosst_packed_size (layout->d) * sizeof (float) * (size_t)self.kernels->lanes <= LANES_MOST_BYTES;
  if (gamma_eigen < 1 && !matrices)
    return (fits ? tosst_whiten_lanes : tosst_whiten_alone) (context, self.kernels, layout, tensors, n, gamma_eigen,
                                                             gamma_coefficient);
  if (gamma_eigen < 1)
    {
      const TosstSpectrumMap power = { .func = raise_eigenvalues, .parameter = gamma_eigen };
      status = tosst_map_spectra (context, layout, &power, tensors, n, tensors);
    }
  if (status == TOSST_OK && gamma_coefficient < 1)
    status = tosst_parallel (context, n, raise_entries, &self, 0, 0);
  return status;
}
