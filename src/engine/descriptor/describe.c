/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors of an image: equation (1), or another moment, over a grid of patches. Pixel features that do not depend on
 * the patch are computed once per band of rows and shared by several rows of patches; position features are tabulated
 * once for all patches.
 */
#include "tosst/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/descriptor/private.h"
#include "engine/descriptor/tuning.h"
#include "tosst/tensor.h"

typedef struct
{
  double *row; /* features of one row of pixels */
  void *patch; /* size^2 x d */
  void *work;
  TosstPatchSums *sums;
} Worker;

/* Linear features are signed and few; their sums cancel, so they are accumulated in double. */
typedef struct
{
  TosstContext *context;
  const TosstImage *image;
  const TosstFeatureOptions *options;
  TosstMoment moment;
  const TosstPoint *points;
  size_t *order;   /* point indices by y, and by block within a band */
  size_t *start;   /* start of each block of a band */
  size_t *scratch; /* for tosst_blocks_sort() */
  TosstBlocks blocks;
  size_t first, last; /* range of order in this band */
  int size;           /* patch size in pixels */
  int d;              /* length of a feature vector */
  int features;       /* scalar features, position included */
  int pixel_d;        /* values per pixel that do not depend on the patch */
  int top, bottom;    /* rows of the band */
  TosstFeature list[TOSST_MAX_FEATURES];
  TosstSpread spread[TOSST_MAX_FEATURES];
  bool wide;          /* double precision, linear features */
  void *band;         /* (bottom - top) x width x pixel_d; linear: (bottom - top) x pixel_d x width */
  double *position;   /* size x (d - pixel_d) / 2: position features of one axis */
  void *table;        /* products and sums of position, for third-order sums */
  TosstPlanes planes; /* linear: position planes only */
  double *light;      /* tosst_luminance_row() of the band and one row above and below */
  Worker *worker;
  TosstMemory memory;
  float *tensors;
} Describer;

size_t
tosst_patch_grid (int width, int height, int size, int step, TosstPoint *points)
{
  size_t n = 0;
  if (size < 1 || step < 1)
    return 0;
  for (int y = 0; y + size <= height; y += step)
    for (int x = 0; x + size <= width; x += step, n++)
      if (points)
        points[n] = (TosstPoint){ x, y };
  return n;
}

static TosstStatus
fill_light (size_t item, int worker, void *data)
{
  Describer *self = data;

  tosst_luminance_row (self->image, self->top - 1 + (int)item, self->light + item * (self->image->width + 2));
  return TOSST_OK;
}

/* Linear features are stored as planes, RBF features as one vector per pixel. */
static TosstStatus
fill_row (size_t item, int worker, void *data)
{
  Describer *self = data;
  int width = self->image->width, Z = self->options->pivots, y = self->top + (int)item;
  const double *light = self->light + item * (width + 2);
  double *row = self->worker[worker].row;

  if (self->wide)
    {
      tosst_feature_row (self->image, self->options, y, light, (double *)self->band + item * width * self->pixel_d);
      return TOSST_OK;
    }
  float *out = (float *)self->band + item * width * self->pixel_d;
  tosst_feature_row (self->image, self->options, y, light, row);
  for (int f = 2; f < self->features; f++)
    tosst_kernels ()->rbf_spread (&self->spread[f], row + (size_t)(f - 2) * width, width, out + (f - 2) * Z,
                                  self->pixel_d);
  return TOSST_OK;
}

static TosstStatus
fill_band (Describer *self)
{
  size_t rows = (size_t)(self->bottom - self->top);
  TosstStatus status = tosst_parallel (self->context, rows + 2, fill_light, self, 0, 0);

  return status ?: tosst_parallel (self->context, rows, fill_row, self, 0, 0);
}

/* Gathers the N x d feature vectors of one patch from the position table and the band. */
static void
gather_patch (const Describer *self, TosstPoint point, void *patch)
{
  int P = (self->d - self->pixel_d) / 2, size = self->size, width = self->image->width;
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++)
      {
        size_t row = (size_t)(point.y + y - self->top) * width * self->pixel_d, at = point.x + x;
        size_t to = ((size_t)y * size + x) * self->d;
        const double *px = self->position + x * P, *py = self->position + y * P;
        if (self->wide)
          {
            double *out = (double *)patch + to;
            memcpy (out, px, sizeof *out * P);
            memcpy (out + P, py, sizeof *out * P);
            for (int f = 0; f < self->pixel_d; f++)
              out[2 * P + f] = ((double *)self->band)[row + f * (size_t)width + at];
          }
        else
          {
            float *out = (float *)patch + to;
            for (int i = 0; i < P; i++)
              out[i] = px[i], out[P + i] = py[i];
            memcpy (out + 2 * P, (float *)self->band + row + at * self->pixel_d, sizeof *out * self->pixel_d);
          }
      }
}

static size_t
element (const Describer *self)
{
  return self->wide ? sizeof (double) : sizeof (float);
}

static void
describe_patch (Describer *self, size_t index, int worker)
{
  size_t m = tosst_shape_numbers (tosst_moment_shape (self->moment, self->d));
  TosstPoint point = self->points[index];
  float *tensor = self->tensors + index * m;
  void *patch = self->worker[worker].patch, *work = self->worker[worker].work;

  if (self->moment == TOSST_MOMENT_THIRD_ORDER && self->wide)
    {
      TosstPlanes planes = self->planes;
      size_t row = (size_t)self->image->width * self->pixel_d;
      for (int f = 0; f < self->pixel_d; f++)
        planes.feature[2 + f] = (TosstPlane){ (const double *)self->band + (size_t)(point.y - self->top) * row
                                                  + f * (size_t)self->image->width + point.x,
                                              row, 1 };
      tosst_planes_third_order (tosst_kernels (), &planes, work, tensor);
    }
  else if (self->moment == TOSST_MOMENT_THIRD_ORDER)
    {
      size_t row = (size_t)self->image->width * self->pixel_d;
      size_t from = (size_t)(point.y - self->top) * row + (size_t)point.x * self->pixel_d;
      tosst_patch_sums_tensor (self->worker[worker].sums, point.x, point.y, (const float *)self->band + from, tensor);
    }
  else
    {
      gather_patch (self, point, patch);
      tosst_moment (self->moment, self->wide, patch, (size_t)self->size * self->size, self->d, work, tensor);
    }
}

static TosstStatus
describe_block (size_t item, int worker, void *data)
{
  Describer *self = data;

  for (size_t i = self->start[item]; i < self->start[item + 1]; i++)
    describe_patch (self, self->order[self->first + i], worker);
  return TOSST_OK;
}

static bool
sort_points (Describer *self, size_t n, int threads)
{
  int longest = self->image->width > self->image->height ? self->image->width : self->image->height;

  self->order = tosst_keep (&self->memory, malloc (sizeof *self->order * n));
  self->start = tosst_keep (&self->memory, malloc (sizeof *self->start * (n + 1)));
  self->scratch = tosst_keep (&self->memory, malloc (sizeof *self->scratch * (n + 1 + (size_t)longest)));
  if (self->memory.failed)
    return false;
  /* Counting sort: stable and linear. */
  memset (self->scratch, 0, sizeof *self->scratch * (self->image->height + 1));
  for (size_t i = 0; i < n; i++)
    self->scratch[self->points[i].y + 1]++;
  for (int y = 0; y < self->image->height; y++)
    self->scratch[y + 1] += self->scratch[y];
  for (size_t i = 0; i < n; i++)
    self->order[self->scratch[self->points[i].y]++] = i;
  self->blocks = tosst_blocks (self->points, self->order, n, threads);
  return true;
}

static TosstStatus
check_request (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options, int size,
               const TosstPoint *points, size_t n)
{
  const char *wrong = tosst_feature_options_check (options);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
  if (image->channels != 1 && image->channels != 3)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "an image has 1 or 3 channels, not %d", image->channels);
  if (size < 2)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "a patch must be at least 2 pixels wide");
  for (size_t i = 0; i < n; i++)
    if (points[i].x < 0 || points[i].y < 0 || points[i].x > image->width - size || points[i].y > image->height - size)
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                                 "the patch of %d pixels at (%d, %d) does not fit into the image of %d x %d pixels",
                                 size, points[i].x, points[i].y, image->width, image->height);
  return TOSST_OK;
}

static void
describer_init (Describer *self, TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                TosstMoment moment, int size)
{
  *self = (Describer){ .context = context, .image = image, .options = options, .moment = moment, .size = size };
  self->features = tosst_feature_list (options, self->list);
  for (int f = 0; f < self->features; f++)
    {
      const TosstFeature *feature = &self->list[f];
      self->spread[f]
          = (TosstSpread){ feature->low, feature->high, (feature->high - feature->low) / (options->pivots - 1),
                           feature->sigma * feature->sigma, options->pivots };
    }
  self->d = tosst_feature_dimension (options);
  self->wide = options->kind == TOSST_FEATURES_LINEAR;
  self->pixel_d = self->d / self->features * (self->features - 2);
}

static bool
allocate_workers (Describer *self, int threads)
{
  size_t patch = (size_t)self->size * self->size * self->d * element (self);
  size_t work = self->moment != TOSST_MOMENT_THIRD_ORDER
                    ? tosst_moment_work (self->moment, self->d, self->wide)
                    : (tosst_packed_size (self->d) * sizeof (double) + 63) / 64 * 64;
  size_t row = (size_t)self->image->width * TOSST_MAX_FEATURES * sizeof (double);
  bool fine = (self->worker = calloc (threads, sizeof *self->worker));
  for (int i = 0; fine && i < threads; i++)
    {
      Worker *own = &self->worker[i];
      *own = (Worker){ .row = malloc (row), .patch = malloc (patch), .work = aligned_alloc (64, work) };
      fine = own->row && own->patch && own->work;
    }
  return fine;
}

static bool
allocate_sums (Describer *self, int threads)
{
  TosstPatchShape shape = { .size = self->size,
                            .position = (self->d - self->pixel_d) / 2,
                            .features = self->pixel_d,
                            .row = (size_t)self->image->width * self->pixel_d };
  bool fine = true;
  for (int i = 0; fine && i < threads && self->moment == TOSST_MOMENT_THIRD_ORDER && !self->wide; i++)
    fine = (self->worker[i].sums
            = tosst_patch_sums_new (tosst_kernels (), &shape, self->table, self->blocks.step, self->blocks.rows));
  return fine;
}

static void
describer_clear (Describer *self, int threads)
{
  for (int i = 0; self->worker && i < threads; i++)
    {
      tosst_patch_sums_free (self->worker[i].sums);
      free (self->worker[i].patch);
      free (self->worker[i].work);
      free (self->worker[i].row);
    }
  free (self->worker);
  tosst_release (&self->memory);
}

/* Maximum number of rows of a band. */
static int
band_rows (const Describer *self)
{
  size_t row = (size_t)self->image->width * self->pixel_d * element (self);
  size_t rows = BAND_BYTES / row;
  if (rows < (size_t)self->size)
    return self->size;
  return rows < (size_t)self->image->height ? (int)rows : self->image->height;
}

static bool
allocate_band (Describer *self, int rows)
{
  /* Kernels read whole registers, also at the last pixel. */
  size_t bytes = (size_t)rows * self->image->width * self->pixel_d * element (self) + 64;
  self->band = tosst_keep (&self->memory, malloc (bytes));
  self->light
      = tosst_keep (&self->memory, malloc (((size_t)rows + 2) * (self->image->width + 2) * sizeof *self->light));
  self->position = tosst_keep (&self->memory, malloc (sizeof *self->position * self->size * (self->d - self->pixel_d)));
  if (self->memory.failed)
    return false;
  int P = (self->d - self->pixel_d) / 2;
  for (int x = 0; x < self->size; x++)
    {
      double u = (double)x / (self->size - 1);
      if (self->options->kind == TOSST_FEATURES_LINEAR)
        self->position[x] = u;
      else
        tosst_rbf_map (u, 0, 1, P, self->options->sigma_position, self->position + (size_t)x * P);
    }
  self->planes.d = self->d;
  if (self->wide)
    self->table = tosst_position_planes (self->position, self->size, &self->planes);
  else
    self->table = tosst_position_table (self->position, self->size, (self->d - self->pixel_d) / 2);
  return tosst_keep (&self->memory, self->table);
}

TosstStatus
tosst_describe (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options, int size,
                const TosstPoint *points, size_t n, float *tensors)
{
  return tosst_describe_moment (context, image, options, TOSST_MOMENT_THIRD_ORDER, size, points, n, tensors);
}

TosstStatus
tosst_describe_moment (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                       TosstMoment moment, int size, const TosstPoint *points, size_t n, float *tensors)
{
  TosstStatus status = check_request (context, image, options, size, points, n);
  if (status != TOSST_OK || n == 0)
    return status;

  Describer self;
  describer_init (&self, context, image, options, moment, size);
  int threads = tosst_context_threads (context), rows = band_rows (&self);
  self.points = points;
  self.tensors = tensors;
  if (!sort_points (&self, n, threads) || !allocate_workers (&self, threads) || !allocate_band (&self, rows)
      || !allocate_sums (&self, threads))
    status
        = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to describe an image of %d x %d pixels",
                              image->width, image->height);

  while (status == TOSST_OK && self.first < n)
    {
      /* Selects points from `first` on whose rows fit into the band; at least one row of patches. */
      self.top = self.points[self.order[self.first]].y;
      self.last = self.first;
      while (self.last < n && self.points[self.order[self.last]].y + self.size - self.top <= rows)
        self.last++;
      self.bottom = self.points[self.order[self.last - 1]].y + self.size;
      size_t blocks = tosst_blocks_sort (&self.blocks, points, self.last - self.first, image->width,
                                         self.order + self.first, self.start, self.scratch);
      status = fill_band (&self);
      if (status == TOSST_OK)
        status = tosst_parallel (context, blocks, describe_block, &self, (double)self.first / n, (double)self.last / n);
      self.first = self.last;
    }
  describer_clear (&self, threads);
  return status;
}

TosstStatus
tosst_patch_features (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options, int size,
                      TosstPoint point, float *features)
{
  TosstStatus status = check_request (context, image, options, size, &point, 1);
  if (status != TOSST_OK)
    return status;

  Describer self;
  describer_init (&self, context, image, options, TOSST_MOMENT_THIRD_ORDER, size);
  self.top = point.y;
  self.bottom = point.y + size;
  int threads = tosst_context_threads (context);
  if (!allocate_workers (&self, threads) || !allocate_band (&self, size))
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for the features of a patch");
  else
    status = fill_band (&self);
  if (status == TOSST_OK)
    {
      size_t N = (size_t)size * size;
      const void *patch = self.worker[0].patch;
      gather_patch (&self, point, self.worker[0].patch);
      for (size_t i = 0; i < N; i++)
        for (int j = 0; j < self.d; j++)
          features[i * self.d + j]
              = self.wide ? ((const double *)patch)[i * self.d + j] : ((const float *)patch)[i * self.d + j];
    }
  describer_clear (&self, threads);
  return status;
}
