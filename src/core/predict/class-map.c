/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pools every window of side x side patches; neighbouring windows share nearly all of their patches. Running sums,
 * adding the patch that enters and subtracting the one that leaves, are possible for averages only, and leave rounding
 * errors where an atom is absent, which a small power (power normalisation) amplifies; they do not work for maxima.
 * Therefore nothing is subtracted: patches are divided into blocks of `side`; a window is the end of one block joined
 * with the beginning of the next, for which cumulative totals from the back and from the front are kept (van Herk; Gil
 * & Werman). This takes three joins per patch, for any side of a window, first down the columns and then along the
 * row. Exapro and at-n pooling, whose totals cannot be joined, read all codes of each window.
 */
#include "config.h"

#include "core/predict/class-map.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/data/dataset.h"
#include "core/format/npy.h"
#include "tosst/pool.h"

struct TosstWindowPool
{
  TosstWindowPoolOptions options;
  gsize windows, pushed, length; /* length of a part */
  gboolean parts;
  double *tail; /* side x columns x length: row k of the current block, or of the last one joined with all rows below */
  double *head; /* columns x length: rows of the current block so far */
  double *total;      /* columns x length: the last `side` rows */
  double *scratch;    /* per thread (side + 2) x length */
  float *ring;        /* without parts: side x columns x K, the last rows of codes */
  gsize *index;       /* per thread side^2: rows of the ring */
  const float *codes; /* of the row being added */
  float *signatures;
};

static gsize
scratch_length (const TosstWindowPoolOptions *options)
{
  return (options->side + 2) * ((gsize)options->K + 1);
}

/* Bytes of memory of a pool. */
static gsize
tosst_window_pool_bytes (const TosstWindowPoolOptions *options, int threads)
{
  gsize length = (gsize)options->K + 1;

  if (tosst_pool_has_parts (options->kind))
    return sizeof (double) * ((options->side + 2) * options->columns * length + threads * scratch_length (options));
  return options->side * (options->columns * options->K * sizeof (float) + threads * options->side * sizeof (gsize));
}

static gboolean
allocate (TosstWindowPool *self, int threads)
{
  const TosstWindowPoolOptions *o = &self->options;

  if (!self->parts)
    {
      self->ring = g_try_malloc_n (o->side * o->columns, (gsize)o->K * sizeof (float));
      self->index = g_try_malloc_n ((gsize)threads * o->side, o->side * sizeof (gsize));
      return self->ring != NULL && self->index != NULL;
    }
  self->tail = g_try_malloc_n (o->side * o->columns, self->length * sizeof (double));
  self->head = g_try_malloc_n (o->columns, self->length * sizeof (double));
  self->total = g_try_malloc_n (o->columns, self->length * sizeof (double));
  self->scratch = g_try_malloc_n ((gsize)threads, scratch_length (o) * sizeof (double));
  return self->tail != NULL && self->head != NULL && self->total != NULL && self->scratch != NULL;
}

TosstWindowPool *
tosst_window_pool_new (const TosstWindowPoolOptions *options, int threads)
{
  g_autoptr (TosstWindowPool) self = g_new0 (TosstWindowPool, 1);

  self->options = *options;
  self->windows = (options->columns - options->side) / options->stride + 1;
  self->length = (gsize)options->K + 1;
  self->parts = tosst_pool_has_parts (options->kind);
  return allocate (self, threads) ? g_steal_pointer (&self) : NULL;
}

void
tosst_window_pool_free (TosstWindowPool *self)
{
  if (self == NULL)
    return;
  g_free (self->tail);
  g_free (self->head);
  g_free (self->total);
  g_free (self->scratch);
  g_free (self->ring);
  g_free (self->index);
  g_free (self);
}

gsize
tosst_window_pool_windows (const TosstWindowPool *self)
{
  return self->windows;
}

static double *
tail_at (TosstWindowPool *self, gsize row, gsize column)
{
  return self->tail + (row * self->options.columns + column) * self->length;
}

static void
join (const TosstWindowPool *self, const double *a, const double *b, double *out)
{
  tosst_pool_join (self->options.kind, a, b, self->options.K, out);
}

/* Updates one column: the part of the new patch, and the window that ends with it. */
static TosstStatus
push_column (size_t column, int worker, void *data)
{
  TosstWindowPool *self = data;
  gsize side = self->options.side, k = self->pushed % side, bytes = self->length * sizeof (double);
  double *head = self->head + column * self->length, *total = self->total + column * self->length;
  double *own = tail_at (self, k, column);

  tosst_pool_part (self->options.kind, self->codes + column * self->options.K, self->options.K, own);
  if (k == 0)
    memcpy (head, own, bytes);
  else
    join (self, head, own, head);
  if (k + 1 < side)
    {
      /* Parts of the rows below k were joined at the end of the last block; the first block has none, and no window. */
      if (self->pushed >= side)
        join (self, tail_at (self, k + 1, column), head, total);
      return TOSST_OK;
    }
  memcpy (total, head, bytes);
  for (gsize row = side - 1; row > 0; row--)
    join (self, tail_at (self, row - 1, column), tail_at (self, row, column), tail_at (self, row - 1, column));
  return TOSST_OK;
}

static void
finish_signature (const TosstWindowPool *self, float *signature)
{
  tosst_normalise_signature (signature, self->options.K, self->options.power, self->options.l2);
}

/* Along the row: windows that begin in block number `run` of columns. */
static TosstStatus
pool_run (size_t run, int worker, void *data)
{
  TosstWindowPool *self = data;
  const TosstWindowPoolOptions *o = &self->options;
  gsize L = self->length, begin = run * o->side, last = MIN (begin + o->side, o->columns - o->side + 1);
  double *tail = self->scratch + (gsize)worker * scratch_length (o), *head = tail + o->side * L, *both = head + L;

  memcpy (tail, self->total + begin * L, o->side * L * sizeof (double));
  for (gsize i = o->side - 1; i > 0; i--)
    join (self, tail + (i - 1) * L, tail + i * L, tail + (i - 1) * L);
  for (gsize start = begin; start < last; start++)
    {
      gsize i = start - begin;
      const double *next = self->total + (start + o->side - 1) * L, *window = tail;

      if (i == 1)
        memcpy (head, next, L * sizeof (double));
      else if (i > 1)
        join (self, head, next, head);
      if (start % o->stride != 0)
        continue;
      if (i > 0)
        {
          join (self, tail + i * L, head, both);
          window = both;
        }
      float *signature = self->signatures + start / o->stride * (gsize)o->K;
      TosstStatus status = tosst_pool_finish_part (o->kind, o->parameter, window, o->K, o->side * o->side, signature);
      if (status != TOSST_OK)
        return status;
      finish_signature (self, signature);
    }
  return TOSST_OK;
}

static TosstStatus
pool_window (size_t window, int worker, void *data)
{
  TosstWindowPool *self = data;
  const TosstWindowPoolOptions *o = &self->options;
  gsize *index = self->index + (gsize)worker * o->side * o->side, n = 0;
  float *signature = self->signatures + window * (gsize)o->K;

  for (gsize row = 0; row < o->side; row++)
    for (gsize i = 0; i < o->side; i++)
      index[n++] = row * o->columns + window * o->stride + i;
  TosstStatus status = tosst_pool (o->kind, o->parameter, self->ring, o->K, index, n, signature);
  if (status == TOSST_OK)
    finish_signature (self, signature);
  return status;
}

TosstStatus
tosst_window_pool_push (TosstWindowPool *self, TosstContext *context, const float *codes, float *signatures,
                        gboolean *complete)
{
  const TosstWindowPoolOptions *o = &self->options;
  gsize row = o->columns * (gsize)o->K, runs = (o->columns - o->side) / o->side + 1;
  TosstStatus status = TOSST_OK;

  self->codes = codes;
  self->signatures = signatures;
  if (self->parts)
    status = tosst_parallel (context, o->columns, push_column, self, 0, 0);
  else
    memcpy (self->ring + self->pushed % o->side * row, codes, row * sizeof (float));
  self->pushed++;
  *complete = self->pushed >= o->side && (self->pushed - o->side) % o->stride == 0;
  if (status != TOSST_OK || !*complete)
    return status;
  return self->parts ? tosst_parallel (context, runs, pool_run, self, 0, 0)
                     : tosst_parallel (context, self->windows, pool_window, self, 0, 0);
}

/* A dense map of classes: rows of codes are added to a pool of sliding windows, and the margins of each row of windows
 * are computed by one matrix product. Models without a grid of patches classify each window by itself. */

/* A detector of frames finds none in a smaller window: each would be one patch. */
#define FRAMED_WINDOW 16
/* A map of classes by a model without patches on a grid: of patches at frames, of local features, of one vector an image, or
 * of several methods. Such a model describes an image as a whole, so that each window is cut out and classified as the
 * images were that it was trained on: its frames, its scale and its positions are those of an image of its size. */

/* A square of the image; NULL without memory. */
static TosstImage *
cut_out (const TosstImage *image, int x, int y, int side)
{
  TosstImage *crop = tosst_image_new (side, side, image->channels);
  gsize plane = (gsize)image->width * (gsize)image->height;

  if (crop == NULL)
    return NULL;
  crop->maximum = image->maximum;
  for (int c = 0; c < image->channels; c++)
    for (int row = 0; row < side; row++)
      memcpy (crop->data + ((gsize)c * (gsize)side + (gsize)row) * (gsize)side,
              image->data + (gsize)c * plane + (gsize)(y + row) * (gsize)image->width + x,
              (gsize)side * sizeof (float));
  return crop;
}

/* State of computing a map. */
typedef struct
{
  TosstClassMap *map;
  const TosstPredictor *predictor;
  TosstContext *context;
  const TosstImage *image;
  gboolean *decided; /* of each window */
  gsize n;           /* of them */
  char *reason;      /* why the last one was not */
} Cropping;

/* A window without features, such as a part of the sky, remains undecided. FALSE with any other error. */
static gboolean
decide (Cropping *self, gsize window, GError **error)
{
  TosstClassMap *map = self->map;
  int classes = map->classes, x = (int)(window % (gsize)map->columns) * map->step,
      y = (int)(window / (gsize)map->columns) * map->step;
  g_autoptr (TosstImage) crop = cut_out (self->image, x, y, map->window);
  g_autofree double *margins = g_new (double, classes);
  g_autoptr (GError) cause = NULL;

  if (crop == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Cropping the image"), error);
  self->decided[window] = tosst_predictor_classify (self->predictor, self->context, crop, margins, &cause) >= 0;
  if (!self->decided[window] && !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_INPUT)
      && !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_EMPTY))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (!self->decided[window])
    {
      g_free (self->reason);
      self->reason = g_strdup (cause->message);
      return TRUE;
    }
  self->n++;
  for (int c = 0; c < classes; c++)
    map->margins[window * (gsize)classes + (gsize)c] = (float)margins[c];
  return TRUE;
}

/* Margins of an undecided window: means of those of the decided ones, weighted by 1 / distance^2. */
static void
interpolate (Cropping *self, gsize window)
{
  TosstClassMap *map = self->map;
  gsize columns = (gsize)map->columns, classes = (gsize)map->classes, windows = columns * (gsize)map->rows;
  g_autofree double *sum = g_new0 (double, classes);
  double weights = 0;

  for (gsize other = 0; other < windows; other++)
    {
      double across = (double)(other % columns) - (double)(window % columns);
      double down = (double)(other / columns) - (double)(window / columns);
      double weight = 1 / (across * across + down * down);

      if (!self->decided[other])
        continue;
      weights += weight;
      for (gsize c = 0; c < classes; c++)
        sum[c] += weight * map->margins[other * classes + c];
    }
  for (gsize c = 0; c < classes; c++)
    map->margins[window * classes + c] = (float)(sum[c] / weights);
}

/* The largest of the stored margins, so that those in a file give the same class. */
static void
find_classes (TosstClassMap *map)
{
  gsize classes = (gsize)map->classes;

  for (gsize window = 0; window < (gsize)map->rows * (gsize)map->columns; window++)
    {
      const float *margins = map->margins + window * classes;
      int best = 0;

      for (int c = 1; c < map->classes; c++)
        best = margins[c] > margins[best] ? c : best;
      map->class_index[window] = best;
    }
}

static gboolean
decide_all (Cropping *self, gsize windows, GError **error)
{
  for (gsize window = 0; window < windows; window++)
    {
      TosstRange range = tosst_context_narrow (self->context, (double)window / (double)windows,
                                               (double)(window + 1) / (double)windows);
      gboolean ok = decide (self, window, error);

      tosst_context_set_range (self->context, range);
      if (ok && tosst_context_checkpoint (self->context))
        ok = tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Cropping the image"), error);
      if (!ok)
        return FALSE;
      tosst_context_progress (self->context, (double)(window + 1) / (double)windows);
    }
  if (self->n == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("no window of %d pixels has a class: %s"), self->map->window,
                       self->reason);
  for (gsize window = 0; window < windows; window++)
    if (!self->decided[window])
      interpolate (self, window);
  find_classes (self->map);
  return TRUE;
}

/* Computes class_index and margins of a map whose sizes are set: each window is classified as an image of its own. */
static gboolean
tosst_class_map_fill_crops (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context,
                            const TosstImage *image, GError **error)
{
  gsize windows = (gsize)self->rows * (gsize)self->columns;
  g_autofree gboolean *decided = g_try_new0 (gboolean, windows);
  Cropping mapping = { self, predictor, context, image, decided, 0, NULL };
  gboolean ok;

  self->class_index = g_try_new (int, windows);
  self->margins = g_try_malloc_n (windows, (gsize)self->classes * sizeof (float));
  if (decided == NULL || self->class_index == NULL || self->margins == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Cropping the image"), error);
  ok = decide_all (&mapping, windows, error);
  g_free (mapping.reason);
  return ok;
}

void
tosst_class_map_free (TosstClassMap *self)
{
  if (self == NULL)
    return;
  g_strfreev (self->class_names);
  g_free (self->class_index);
  g_free (self->margins);
  g_free (self);
}

/* Default window of tosst_class_map_new(): the size the classifier was trained on, or the image's shorter side if
 * that is less; 0 if the model does not state it. */
static int
tosst_class_map_window (const TosstModel *model, const TosstImage *image)
{
  return MIN (model->sample_side, MIN (image->width, image->height));
}

int
tosst_class_map_step (const TosstModel *model, int window)
{
  return tosst_model_has_grid (model) ? model->recipe->descriptor.step : MAX (window / 4, 1);
}

gboolean
tosst_class_map_is_possible (const TosstModel *model)
{
  gboolean possible = model->recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES;

  for (guint i = 0; model->parts != NULL && i < model->parts->len; i++)
    possible = possible && tosst_class_map_is_possible (g_ptr_array_index (model->parts, i));
  return possible;
}

/* patch: 1 without a grid of patches. */
static gboolean
check_window (const TosstImage *image, int patch, int patch_step, int window, int step, GError **error)
{
  if (window == 0)
    return tosst_fail (
        error, TOSST_FAILED_INPUT,
        _ ("the model does not record the size of its training images: set the window size with --window"));
  if (window < patch)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("a window of %d pixels is smaller than a patch of %d"), window,
                       patch);
  if (window > image->width || window > image->height)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("a window of %d pixels is larger than the image of %d × %d pixels"), window, image->width,
                       image->height);
  if (step % patch_step != 0)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("the step of the map, %d pixels, is not a multiple of the step of patches, %d"), step,
                       patch_step);
  return TRUE;
}

/* options: of the pool of windows, or NULL without one. */
static gboolean
check_memory (const TosstClassMap *self, const TosstWindowPoolOptions *options, int threads, GError **error)
{
  double windows = (double)self->rows * self->columns;
  double needed = windows * (sizeof (int) + self->classes * sizeof (float));

  if (options != NULL)
    needed += (double)tosst_window_pool_bytes (options, threads)
              + (double)self->columns * (options->K * sizeof (float) + self->classes * sizeof (double));
  gsize there = tosst_memory_available ();

  if (needed <= 0.85 * (double)there)
    return TRUE;
  g_autofree char *much = g_format_size ((guint64)needed), *available = g_format_size (there);
  return tosst_fail (
      error, TOSST_FAILED_MEMORY,
      _ ("its map of %d × %d windows needs %s of memory and %s are available: use a larger step or a smaller image"),
      self->columns, self->rows, much, available);
}

/* State of computing a map. */
typedef struct
{
  TosstClassMap *map;
  const TosstModel *model;
  TosstContext *context;
  TosstWindowPool *pool;
  gsize columns, K; /* of patches */
  float *signatures;
  double *margins;
  int row; /* of windows */
} Mapping;

static TosstStatus
decide_row (Mapping *self)
{
  TosstClassMap *map = self->map;
  int classes = map->classes;
  TosstStatus status
      = tosst_model_margins (self->model, self->context, self->signatures, (gsize)map->columns, self->margins);

  if (status != TOSST_OK)
    return status;
  for (int j = 0; j < map->columns; j++)
    {
      gsize window = (gsize)self->row * map->columns + j;
      float *margins = map->margins + window * classes;
      int best = 0;

      /* Uses the stored (rounded) margins, so that the largest margin in a file gives the same class. */
      for (int c = 0; c < classes; c++)
        {
          margins[c] = (float)self->margins[(gsize)j * classes + c];
          best = margins[c] > margins[best] ? c : best;
        }
      map->class_index[window] = best;
    }
  self->row++;
  return TOSST_OK;
}

static TosstStatus
map_rows (gsize first, gsize rows, const float *codes, gpointer data)
{
  Mapping *self = data;
  TosstStatus status = TOSST_OK;

  for (gsize row = 0; row < rows && status == TOSST_OK; row++)
    {
      gboolean complete;

      status = tosst_window_pool_push (self->pool, self->context, codes + row * self->columns * self->K,
                                       self->signatures, &complete);
      if (status == TOSST_OK && complete)
        status = decide_row (self);
    }
  return status;
}

static gboolean
fill (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context, const TosstImage *image,
      const TosstWindowPoolOptions *options, GError **error)
{
  const TosstModel *model = tosst_predictor_model (predictor);
  g_autoptr (TosstWindowPool) pool = tosst_window_pool_new (options, tosst_context_threads (context));
  g_autofree float *signatures = g_try_malloc_n ((gsize)self->columns, options->K * sizeof (float));
  g_autofree double *margins = g_try_malloc_n ((gsize)self->columns, self->classes * sizeof (double));
  Mapping mapping = { self, model, context, pool, options->columns, (gsize)options->K, signatures, margins, 0 };
  TosstStatus status = TOSST_ERROR_MEMORY;

  self->class_index = g_try_malloc_n ((gsize)self->rows * self->columns, sizeof (int));
  self->margins = g_try_malloc_n ((gsize)self->rows * self->columns, self->classes * sizeof (float));
  if (pool && signatures && margins && self->class_index && self->margins)
    status = tosst_predictor_code_rows (predictor, context, image, map_rows, &mapping);
  return tosst_error_from_status (status, context, _ ("Mapping the image"), error);
}

static gboolean
map_grid (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context, const TosstImage *image,
          GError **error)
{
  const TosstModel *model = tosst_predictor_model (predictor);
  const TosstRecipe *recipe = model->recipe;
  const int patch = recipe->descriptor.patch, patch_step = recipe->descriptor.step;
  TosstWindowPoolOptions options = { recipe->pooling.kind, recipe->pooling.parameter, recipe->pooling.power,
                                     recipe->pooling.l2, tosst_model_code_length (model) };
  gsize rows;

  if (!tosst_predictor_grid (predictor, image, &options.columns, &rows, error)
      || !check_window (image, patch, patch_step, self->window, self->step, error))
    return FALSE;
  options.side = (gsize)((self->window - patch) / patch_step + 1);
  options.stride = (gsize)(self->step / patch_step);
  self->columns = (int)((options.columns - options.side) / options.stride + 1);
  self->rows = (int)((rows - options.side) / options.stride + 1);
  self->patches = options.side * options.side;
  return check_memory (self, &options, tosst_context_threads (context), error)
         && fill (self, predictor, context, image, &options, error);
}

static gboolean
map_crops (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context, const TosstImage *image,
           GError **error)
{
  const TosstModel *model = tosst_predictor_model (predictor);
  gboolean framed = model->parts == NULL && tosst_recipe_has_frames (model->recipe);

  if (!tosst_class_map_is_possible (model))
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("a model of features from files has no class map: features of windows are not in files"));
  if (!check_window (image, 1, 1, self->window, self->step, error))
    return FALSE;
  if (framed && self->window < FRAMED_WINDOW)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("a window of %d pixels has no frames, it needs %d at least"),
                       self->window, FRAMED_WINDOW);
  self->columns = (image->width - self->window) / self->step + 1;
  self->rows = (image->height - self->window) / self->step + 1;
  return check_memory (self, NULL, 0, error) && tosst_class_map_fill_crops (self, predictor, context, image, error);
}

TosstClassMap *
tosst_class_map_new (const TosstPredictor *predictor, TosstContext *context, const TosstImage *image, int window,
                     int step, GError **error)
{
  const TosstModel *model = tosst_predictor_model (predictor);
  g_autoptr (TosstClassMap) self = g_new0 (TosstClassMap, 1);

  window = window > 0 ? window : tosst_class_map_window (model, image);
  *self = (TosstClassMap){ .image_width = image->width,
                           .image_height = image->height,
                           .window = window,
                           .step = step > 0 ? step : tosst_class_map_step (model, window) };
  self->classes = tosst_model_classes (model);
  self->class_names = g_strdupv (model->class_names);
  if (!(tosst_predictor_has_grid (predictor) ? map_grid : map_crops) (self, predictor, context, image, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tosst_class_map_count (const TosstClassMap *self, gsize *counts)
{
  memset (counts, 0, self->classes * sizeof *counts);
  for (gsize i = 0; i < (gsize)self->rows * self->columns; i++)
    counts[self->class_index[i]]++;
}

double
tosst_class_map_certainty (const TosstClassMap *self, int row, int column, int *second)
{
  gsize window = (gsize)row * self->columns + column;
  const float *margins = self->margins + window * self->classes;
  int best = self->class_index[window], next = -1;

  for (int c = 0; c < self->classes; c++)
    if (c != best && (next < 0 || margins[c] > margins[next]))
      next = c;
  if (second)
    *second = next;
  return next < 0 ? 1 : CLAMP ((double)margins[best] - margins[next], 0, 1);
}

gboolean
tosst_class_map_write_npy (const TosstClassMap *self, GFile *file, GError **error)
{
  const gsize shape[] = { (gsize)self->rows, (gsize)self->columns, (gsize)self->classes + 1 };
  g_autoptr (TosstNpyWriter) writer = tosst_npy_writer_new_shape (file, TOSST_NPY_FLOAT32, 3, shape, error);
  g_autofree float *row = g_new (float, shape[1] * shape[2]);
  gboolean fine = writer != NULL;

  for (gsize i = 0; fine && i < shape[0]; i++)
    {
      for (gsize j = 0; j < shape[1]; j++)
        {
          gsize window = i * shape[1] + j;

          row[j * shape[2]] = (float)self->class_index[window];
          memcpy (row + j * shape[2] + 1, self->margins + window * self->classes, self->classes * sizeof (float));
        }
      fine = tosst_npy_writer_rows (writer, row, 1, error);
    }
  return fine && tosst_npy_writer_finish (writer, error);
}
