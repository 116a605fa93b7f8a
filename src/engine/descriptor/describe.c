/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images to tensors: equation (1), or another moment, over a grid of patches. The features of a pixel that do not
 * depend on the patch are computed once for a band of rows that several rows of patches share; position features are
 * one table for all patches.
 */
#include "descriptor/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/features-private.h"
#include "descriptor/third-order.h"
#include "tensor/layout.h"

/* Features of a band of rows take at most this many bytes, unless a single row of patches needs more. */
#define BAND_BYTES ((size_t)64 << 20)

/* Linear features are signed and few: sums cancel, so they are kept in double. */
typedef struct
{
  const TosstImage *image;
  const TosstFeatureOptions *options;
  TosstMoment moment;
  const TosstPoint *points;
  const size_t *order; /* of points, by y */
  size_t first, last;  /* range of order in this band */
  int size;            /* of a patch */
  int d;               /* length of a feature vector */
  int features;        /* scalar features, position included */
  int pixel_d;         /* numbers per pixel that do not depend on the patch */
  int top, bottom;     /* rows of the band */
  TosstFeature list[TOSST_MAX_FEATURES];
  struct
  {
    double h, s2, q; /* see tosst_rbf_spread() */
  } spread[TOSST_MAX_FEATURES];
  bool wide;        /* linear: double */
  void *band;       /* (bottom - top) x width x pixel_d */
  double *position; /* size x (d - pixel_d) / 2: the table of one axis */
  void *table;      /* tosst_position_table() of it */
  void **patch;     /* per worker: size^2 x d */
  void **work;      /* per worker */
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

/* The exact level: float32 holds k / maximum only rounded. */
static inline double
level (const TosstImage *image, size_t i)
{
  double value = image->data[i];
  return image->maximum > 0 ? rint (value * image->maximum) / image->maximum : value;
}

static inline size_t
clamped (const TosstImage *image, int x, int y)
{
  x = x < 0 ? 0 : x >= image->width ? image->width - 1 : x;
  y = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
  return (size_t)y * image->width + x;
}

static double
luminance_at (const TosstImage *image, int x, int y)
{
  size_t i = clamped (image, x, y), plane = (size_t)image->width * image->height;
  if (image->channels == 1)
    return level (image, i);
  return 0.299 * level (image, i) + 0.587 * level (image, plane + i) + 0.114 * level (image, 2 * plane + i);
}

/* Opponent colour of section 1; zero for grey images. */
static void
opponent_at (const TosstImage *image, int x, int y, double *out)
{
  out[0] = out[1] = 0;
  if (image->channels == 1)
    return;
  size_t i = clamped (image, x, y), plane = (size_t)image->width * image->height;
  double r = level (image, i), g = level (image, plane + i), b = level (image, 2 * plane + i);
  out[0] = (r - g) * M_SQRT1_2;
  out[1] = (r + g - 2 * b) / sqrt (6);
}

/* Equation (8) without the position. */
static void
pixel_features (const TosstImage *image, const TosstFeatureOptions *options, int x, int y, double *out)
{
  double here = luminance_at (image, x, y);
  double left = luminance_at (image, x - 1, y), right = luminance_at (image, x + 1, y);
  double above = luminance_at (image, x, y - 1), below = luminance_at (image, x, y + 1);
  double derivative[4] = { (right - left) / 2, (below - above) / 2, left - 2 * here + right, above - 2 * here + below };

  if (options->luminance)
    *out++ = here;
  for (int i = 0; i < 4; i++)
    *out++ = options->absolute ? fabs (derivative[i]) : derivative[i];
  if (options->opponent)
    opponent_at (image, x, y, out);
}

static TosstStatus
fill_row (size_t item, int worker, void *data)
{
  Describer *self = data;
  int width = self->image->width, y = self->top + (int)item, Z = self->options->pivots;
  double value[TOSST_MAX_FEATURES], phi[64];

  if (self->wide)
    {
      double *out = (double *)self->band + item * width * self->pixel_d;
      for (int x = 0; x < width; x++, out += self->pixel_d)
        pixel_features (self->image, self->options, x, y, out);
      return TOSST_OK;
    }
  float *out = (float *)self->band + item * width * self->pixel_d;
  for (int x = 0; x < width; x++)
    {
      pixel_features (self->image, self->options, x, y, value);
      for (int f = 2; f < self->features; f++)
        {
          const TosstFeature *feature = &self->list[f];
          double u = fmin (fmax (value[f - 2], feature->low), feature->high);
          tosst_rbf_spread (u, feature->low, self->spread[f].h, Z, self->spread[f].s2, self->spread[f].q, phi);
          for (int z = 0; z < Z; z++)
            *out++ = phi[z];
        }
    }
  return TOSST_OK;
}

/* The N x d feature vectors of one patch: position table and band. */
static void
gather_patch (const Describer *self, TosstPoint point, void *patch)
{
  int P = (self->d - self->pixel_d) / 2, size = self->size, width = self->image->width;
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++)
      {
        size_t from = ((size_t)(point.y + y - self->top) * width + point.x + x) * self->pixel_d;
        size_t to = ((size_t)y * size + x) * self->d;
        const double *px = self->position + x * P, *py = self->position + y * P;
        if (self->wide)
          {
            double *out = (double *)patch + to;
            memcpy (out, px, sizeof *out * P);
            memcpy (out + P, py, sizeof *out * P);
            memcpy (out + 2 * P, (double *)self->band + from, sizeof *out * self->pixel_d);
          }
        else
          {
            float *out = (float *)patch + to;
            for (int i = 0; i < P; i++)
              out[i] = px[i], out[P + i] = py[i];
            memcpy (out + 2 * P, (float *)self->band + from, sizeof *out * self->pixel_d);
          }
      }
}

static size_t
element (const Describer *self)
{
  return self->wide ? sizeof (double) : sizeof (float);
}

static TosstPatchShape
patch_shape (const Describer *self)
{
  return (TosstPatchShape){ .size = self->size,
                            .position = (self->d - self->pixel_d) / 2,
                            .features = self->pixel_d,
                            .row = (size_t)self->image->width * self->pixel_d };
}

static TosstStatus
describe_patch (size_t item, int worker, void *data)
{
  Describer *self = data;
  size_t index = self->order[self->first + item], m = tosst_shape_numbers (tosst_moment_shape (self->moment, self->d));
  TosstPoint point = self->points[index];
  float *tensor = self->tensors + index * m;
  void *patch = self->patch[worker], *work = self->work[worker];

  if (self->moment == TOSST_MOMENT_THIRD_ORDER)
    {
      TosstPatchShape shape = patch_shape (self);
      size_t from = (size_t)(point.y - self->top) * shape.row + (size_t)point.x * self->pixel_d;
      tosst_patch_third_order (tosst_kernels (), &shape, self->wide, (const char *)self->band + from * element (self), self->table, work,
                               tensor);
      return TOSST_OK;
    }
  gather_patch (self, point, patch);
  tosst_moment (self->moment, self->wide, patch, (size_t)self->size * self->size, self->d, work, tensor);
  return TOSST_OK;
}

static void
fill_position (Describer *self)
{
  int P = (self->d - self->pixel_d) / 2;
  for (int x = 0; x < self->size; x++)
    {
      double u = (double)x / (self->size - 1);
      if (self->options->kind == TOSST_FEATURES_LINEAR)
        self->position[x] = u;
      else
        tosst_rbf_map (u, 0, 1, P, self->options->sigma_position, self->position + (size_t)x * P);
    }
}

static void
sort_by_row (const TosstPoint *points, size_t n, int height, size_t *order, size_t *count)
{
  /* Counting sort: stable and linear. */
  memset (count, 0, sizeof *count * (height + 1));
  for (size_t i = 0; i < n; i++)
    count[points[i].y + 1]++;
  for (int y = 0; y < height; y++)
    count[y + 1] += count[y];
  for (size_t i = 0; i < n; i++)
    order[count[points[i].y]++] = i;
}

/* Takes points from first on while their rows fit into the band; at least one row of patches. */
static void
choose_band (Describer *self, size_t n, int max_rows)
{
  self->top = self->points[self->order[self->first]].y;
  self->last = self->first;
  while (self->last < n && self->points[self->order[self->last]].y + self->size - self->top <= max_rows)
    self->last++;
  self->bottom = self->points[self->order[self->last - 1]].y + self->size;
}

static TosstStatus
check_request (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options, int size,
               const TosstPoint *points, size_t n)
{
  const char *wrong = tosst_feature_options_check (options);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
  if (size < 2)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "a patch must be at least 2 pixels wide");
  for (size_t i = 0; i < n; i++)
    if (points[i].x < 0 || points[i].y < 0 || points[i].x > image->width - size || points[i].y > image->height - size)
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                                 "the patch of %d pixels at (%d, %d) leaves the image of %d x %d pixels", size,
                                 points[i].x, points[i].y, image->width, image->height);
  return TOSST_OK;
}

static void
describer_init (Describer *self, const TosstImage *image, const TosstFeatureOptions *options, TosstMoment moment,
                int size)
{
  *self = (Describer){ .image = image, .options = options, .moment = moment, .size = size };
  self->features = tosst_feature_list (options, self->list);
  for (int f = 0; f < self->features; f++)
    {
      double h = (self->list[f].high - self->list[f].low) / (options->pivots - 1);
      self->spread[f].h = h;
      self->spread[f].s2 = self->list[f].sigma * self->list[f].sigma;
      self->spread[f].q = exp (-2 * h * h / self->spread[f].s2);
    }
  self->d = tosst_feature_dimension (options);
  self->wide = options->kind == TOSST_FEATURES_LINEAR;
  self->pixel_d = self->d / self->features * (self->features - 2);
}

static bool
allocate_workers (Describer *self, int threads)
{
  TosstPatchShape shape = patch_shape (self);
  size_t patch = (size_t)self->size * self->size * self->d * element (self);
  size_t work = self->moment == TOSST_MOMENT_THIRD_ORDER ? tosst_patch_work (tosst_kernels (), &shape, self->wide)
                                                         : tosst_moment_work (self->moment, self->d, self->wide);
  self->patch = calloc (threads, sizeof *self->patch);
  self->work = calloc (threads, sizeof *self->work);
  if (!self->patch || !self->work)
    return false;
  for (int i = 0; i < threads; i++)
    {
      self->patch[i] = malloc (patch);
      self->work[i] = aligned_alloc (64, work);
      if (!self->patch[i] || !self->work[i])
        return false;
    }
  return true;
}

static void
describer_clear (Describer *self, int threads)
{
  for (int i = 0; i < threads; i++)
    {
      if (self->patch)
        free (self->patch[i]);
      if (self->work)
        free (self->work[i]);
    }
  free (self->patch);
  free (self->work);
  free (self->position);
  free (self->table);
  free (self->band);
}

/* Largest number of rows that a band may have. */
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
  /* Whole registers are read, also at the last pixel. */
  self->band = malloc ((size_t)rows * self->image->width * self->pixel_d * element (self) + 64);
  self->position = malloc (sizeof *self->position * self->size * (self->d - self->pixel_d));
  if (!self->band || !self->position)
    return false;
  fill_position (self);
  self->table = tosst_position_table (self->position, self->size, (self->d - self->pixel_d) / 2, self->wide);
  return self->table != NULL;
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
  describer_init (&self, image, options, moment, size);
  int threads = tosst_context_threads (context), rows = band_rows (&self);
  size_t *order = malloc (sizeof *order * n), *count = malloc (sizeof *count * (image->height + 1));
  self.points = points;
  self.order = order;
  self.tensors = tensors;
  if (!order || !count || !allocate_workers (&self, threads) || !allocate_band (&self, rows))
    status
        = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to describe an image of %d x %d pixels",
                              image->width, image->height);
  else
    sort_by_row (points, n, image->height, order, count);

  while (status == TOSST_OK && self.first < n)
    {
      choose_band (&self, n, rows);
      status = tosst_parallel (context, self.bottom - self.top, fill_row, &self, 0, 0);
      if (status == TOSST_OK)
        status = tosst_parallel (context, self.last - self.first, describe_patch, &self, (double)self.first / n,
                                 (double)self.last / n);
      self.first = self.last;
    }
  describer_clear (&self, threads);
  free (order);
  free (count);
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
  describer_init (&self, image, options, TOSST_MOMENT_THIRD_ORDER, size);
  self.top = point.y;
  self.bottom = point.y + size;
  if (!allocate_workers (&self, 1) || !allocate_band (&self, size))
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for the features of a patch");
  else
    status = tosst_parallel (context, size, fill_row, &self, 0, 0);
  if (status == TOSST_OK)
    {
      size_t N = (size_t)size * size;
      gather_patch (&self, point, self.patch[0]);
      for (size_t i = 0; i < N; i++)
        for (int j = 0; j < self.d; j++)
          features[i * self.d + j]
              = self.wide ? ((double *)self.patch[0])[i * self.d + j] : ((float *)self.patch[0])[i * self.d + j];
    }
  describer_clear (&self, 1);
  return status;
}
