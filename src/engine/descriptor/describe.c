/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors of an image: equation (1), or another moment, over a grid of patches. Pixel features that do not depend on
 * the patch are computed once per band of rows and shared by several rows of patches; position features are tabulated
 * once for all patches.
 */
#include <stdio.h>

#include "engine/base/base.h"
#include "engine/descriptor/private.h"
#include "engine/descriptor/tuning.h"
#include "tosst/describe.h"
#include "tosst/tensor.h"

/* Processing order of the points of a band: square blocks of the image one after the other, so that overlapping
 * patches are processed close together in time. */
typedef struct
{
  int pitch; /* side of a block in pixels */
  int rows;  /* rows of patches per block, for points on a grid */
  int step;  /* smallest distance between rows, or between neighbours of a single row; at least 1 */
} TosstBlocks;

#define TOSST_MAX_FEATURES 9

/* Scalar feature of equation (8) and its RBF domain. */
typedef struct
{
  const char *name;
  double low, high, sigma;
} TosstFeature;

/* Partition of a grid of patches into blocks. Partial sums on the border of a block are computed by the neighbouring
 * block as well: for blocks of 8 x 8 patches, 25 % more parts than patches. */

static int
smaller_step (int step, int distance)
{
  return distance > 0 && (step == 0 || distance < step) ? distance : step;
}

/* Chooses the block size for n points, sorted by row through `order`, so that every one of the threads gets some
 * blocks. */
static TosstBlocks
tosst_blocks (const TosstPoint *points, const size_t *order, size_t n, int threads)
{
  TosstBlocks self = { .rows = BLOCK_ROWS };
  int across = 0;

  for (size_t i = 1; i < n; i++)
    {
      TosstPoint before = points[order[i - 1]], here = points[order[i]];
      self.step = smaller_step (self.step, here.y - before.y);
      across = smaller_step (across, here.x - before.x);
    }
  if (self.step == 0)
    self.step = across > 0 ? across : 1;
  while (self.rows > 1 && n / (size_t)(self.rows * self.rows) < (size_t)threads * BLOCKS_PER_THREAD)
    self.rows /= 2;
  self.pitch = self.step * self.rows;
  return self;
}

/* Stable counting sort of n indices by the column of their block. */
static void
sort_columns (const TosstPoint *points, size_t n, int pitch, int columns, size_t *order, size_t *sorted, size_t *count)
{
  memset (count, 0, sizeof *count * ((size_t)columns + 1));
  for (size_t i = 0; i < n; i++)
    count[points[order[i]].x / pitch + 1]++;
  for (int x = 0; x < columns; x++)
    count[x + 1] += count[x];
  for (size_t i = 0; i < n; i++)
    sorted[count[points[order[i]].x / pitch]++] = order[i];
  memcpy (order, sorted, sizeof *order * n);
}

/* Sorts `order`, indices of n points sorted by row, by block. start (n + 1 elements) receives the offset of each
 * block in `order`, followed by n. width: of the image. scratch: n + 1 + width elements. Returns the number of
 * blocks. */
static size_t
tosst_blocks_sort (const TosstBlocks *self, const TosstPoint *points, size_t n, int width, size_t *order, size_t *start,
                   size_t *scratch)
{
  int pitch = self->pitch, top = n > 0 ? points[order[0]].y : 0;
  size_t blocks = 0;

  for (size_t first = 0, last; first < n; first = last)
    {
      int row = (points[order[first]].y - top) / pitch;
      for (last = first; last < n && (points[order[last]].y - top) / pitch == row; last++)
        ;
      sort_columns (points, last - first, pitch, (width - 1) / pitch + 1, order + first, scratch + width + 1, scratch);
      for (size_t i = first; i < last; i++)
        if (i == first || points[order[i]].x / pitch != points[order[i - 1]].x / pitch)
          start[blocks++] = i;
    }
  start[blocks] = n;
  return blocks;
}

/* Equation (8), the features of a pixel, and equations (11)-(13), their RBF encoding. */

void
tosst_feature_options_default (TosstFeatureOptions *options)
{
  *options = (TosstFeatureOptions){
    .kind = TOSST_FEATURES_RBF,
    .luminance = true,
    .pivots = 5,
    .sigma_position = 0.25,
    .sigma_luminance = 0.25,
    .sigma_opponent = 0.25,
    .sigma_first = 0.1,
    .sigma_second = 0.15,
    .range_first = 0.25,
    .range_second = 0.5,
    .range_opponent = M_SQRT1_2,
  };
}

static bool
is_positive (double x)
{
  return isfinite (x) && x > 0;
}

const char *
tosst_feature_options_check (const TosstFeatureOptions *options)
{
  if (options->kind == TOSST_FEATURES_LINEAR)
    return NULL;
  if (options->pivots < 2 || options->pivots > 64)
    return "the number of pivots must be between 2 and 64";
  if (!is_positive (options->sigma_position) || !is_positive (options->sigma_luminance)
      || !is_positive (options->sigma_opponent) || !is_positive (options->sigma_first)
      || !is_positive (options->sigma_second))
    return "every sigma must be a positive number";
  if (!is_positive (options->range_first) || !is_positive (options->range_second)
      || !is_positive (options->range_opponent))
    return "every range must be a positive number";
  return NULL;
}

/* Lists the scalar features selected by the options in the order of equation (8); the first two are the position.
 * list: up to TOSST_MAX_FEATURES elements. Returns their number. */
static int
tosst_feature_list (const TosstFeatureOptions *options, TosstFeature *list)
{
  const TosstFeature all[TOSST_MAX_FEATURES] = {
    { "x", 0, 1, options->sigma_position },
    { "y", 0, 1, options->sigma_position },
    { "I", 0, 1, options->sigma_luminance },
    { "I_x", -options->range_first, options->range_first, options->sigma_first },
    { "I_y", -options->range_first, options->range_first, options->sigma_first },
    { "I_xx", -options->range_second, options->range_second, options->sigma_second },
    { "I_yy", -options->range_second, options->range_second, options->sigma_second },
    { "O1", -options->range_opponent, options->range_opponent, options->sigma_opponent },
    { "O2", -options->range_opponent, options->range_opponent, options->sigma_opponent },
  };
  int n = 0;
  for (int i = 0; i < TOSST_MAX_FEATURES; i++)
    if ((i != 2 || options->luminance) && (i < 7 || options->opponent))
      list[n++] = all[i];
  return n;
}

int
tosst_feature_dimension (const TosstFeatureOptions *options)
{
  int n = 6 + (options->luminance ? 1 : 0) + (options->opponent ? 2 : 0);
  return options->kind == TOSST_FEATURES_RBF ? n * options->pivots : n;
}

void
tosst_feature_label (const TosstFeatureOptions *options, int i, char *label, size_t size)
{
  TosstFeature list[TOSST_MAX_FEATURES];
  int n = tosst_feature_list (options, list);
  if (options->kind == TOSST_FEATURES_LINEAR)
    snprintf (label, size, "%s", i < n ? list[i].name : "");
  else
    snprintf (label, size, "%s %d", i / options->pivots < n ? list[i / options->pivots].name : "",
              i % options->pivots + 1);
}

/* Equation (13) for u in [low, low + (pivots - 1) h], h the distance between pivots, s2 = sigma^2, q = exp (-2 h^2 /
 * s2). With u = zeta_c + delta and zeta_c the pivot nearest to u, a pivot k steps away has
 *     phi_{c+k}(u) / phi_c(u) = exp ((2 k h delta - (k h)^2) / sigma^2),
 * which is at most 1, so that no sigma makes all pivots underflow. The ratio of consecutive terms is itself
 * multiplied by q at each step: one exponential per direction gives all pivots. */
static void
spread (double u, double low, double h, int pivots, double s2, double q, double *out)
{
  int c = (int)lrint ((u - low) / h);
  double delta = u - low - c * h, sum = 1;
  double up = exp ((2 * h * delta - h * h) / s2),
         down = up > 1e-280 && q > 1e-280 ? q / up : exp ((-2 * h * delta - h * h) / s2);
  double value = 1, factor = up;
  out[c] = 1;
  for (int z = c + 1; z < pivots; z++, factor *= q)
    {
      out[z] = value *= factor;
      sum += value * value;
    }
  value = 1;
  factor = down;
  for (int z = c - 1; z >= 0; z--, factor *= q)
    {
      out[z] = value *= factor;
      sum += value * value;
    }
  double scale = 1 / sqrt (sum);
  for (int z = 0; z < pivots; z++)
    out[z] *= scale;
}

void
tosst_rbf_map (double u, double low, double high, int pivots, double sigma, double *out)
{
  double h = (high - low) / (pivots - 1), s2 = sigma * sigma;
  spread (fmin (fmax (u, low), high), low, h, pivots, s2, exp (-2 * h * h / s2), out);
}

/* Equation (8) for whole rows of an image, in loops that compilers vectorise over pixels. */

/* 1.5 * 2^52: adding and subtracting it rounds a value below 2^51 to the nearest integer, as rint() does, on every
 * instruction set. */
#define ROUNDING 6755399441055744.0

/* Exact level k / maximum, of which float32 stores a rounded value. */
static inline double
level (float value, double maximum)
{
  return maximum > 0 ? (value * maximum + ROUNDING - ROUNDING) / maximum : (double)value;
}

void
tosst_luminance_row (const TosstImage *image, int y, double *out)
{
  int width = image->width, row = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
  size_t plane = (size_t)width * image->height;
  const float *from = image->data + (size_t)row * width;
  double maximum = image->maximum;

  if (image->channels == 1)
    for (int x = 0; x < width; x++)
      out[x + 1] = level (from[x], maximum);
  else
    for (int x = 0; x < width; x++)
      out[x + 1] = 0.299 * level (from[x], maximum) + 0.587 * level (from[plane + x], maximum)
                   + 0.114 * level (from[2 * plane + x], maximum);
  out[0] = out[1];
  out[width + 1] = out[width];
}

/* Opponent colour; zero for grey images. */
static void
opponent_row (const TosstImage *image, int y, double *out)
{
  int width = image->width;
  size_t plane = (size_t)width * image->height;
  const float *from = image->data + (size_t)y * width;
  double maximum = image->maximum, sixth = sqrt (6);

  for (int x = 0; x < width; x++)
    if (image->channels == 1)
      out[x] = out[width + x] = 0;
    else
      {
        double r = level (from[x], maximum), g = level (from[plane + x], maximum),
               b = level (from[2 * plane + x], maximum);
        out[x] = (r - g) * M_SQRT1_2;
        out[width + x] = (r + g - 2 * b) / sixth;
      }
}

/* Equation (8) without the position for row y. light: tosst_luminance_row() of rows y - 1, y and y + 1, contiguous.
 * out: features x width values, feature by feature, for the selected features. */
static void
tosst_feature_row (const TosstImage *image, const TosstFeatureOptions *options, int y, const double *light, double *out)
{
  int width = image->width;
  const double *above = light + 1, *here = above + width + 2, *below = here + width + 2;
  double *first = out + (options->luminance ? width : 0);

  for (int x = 0; x < width && options->luminance; x++)
    out[x] = here[x];
  for (int x = 0; x < width; x++)
    {
      first[x] = (here[x + 1] - here[x - 1]) / 2;
      first[width + x] = (below[x] - above[x]) / 2;
      first[2 * width + x] = here[x - 1] - 2 * here[x] + here[x + 1];
      first[3 * width + x] = above[x] - 2 * here[x] + below[x];
    }
  for (int i = 0; i < 4 * width && options->absolute; i++)
    first[i] = fabs (first[i]);
  if (options->opponent)
    opponent_row (image, y, first + 4 * width);
}

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
  if (size < 1 || step < 1 || width < size || height < size)
    return 0;
  size_t columns = (size_t)((width - size) / step) + 1, rows = (size_t)((height - size) / step) + 1;
  for (size_t n = 0; points && n < rows * columns; n++)
    points[n] = (TosstPoint){ (int)(n % columns) * step, (int)(n / columns) * step };
  return rows * columns;
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
  TOSST_REFUSE (context, tosst_feature_options_check (options));
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
  TOSST_REQUIRE (context, context && image && options && (n == 0 || (points && tensors)));
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
      TOSST_THEN (status, tosst_parallel (context, blocks, describe_block, &self, (double)self.first / n,
                                          (double)self.last / n));
      self.first = self.last;
    }
  describer_clear (&self, threads);
  return status;
}

TosstStatus
tosst_patch_features (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options, int size,
                      TosstPoint point, float *features)
{
  TOSST_REQUIRE (context, context && image && options && features);
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
