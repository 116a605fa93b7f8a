/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Margins of an image by a trained model: patches are described, coded and pooled in blocks of rows, and the codes are
 * discarded after pooling.
 */
#include "core/predict/predictor.h"

#include "core/base/base.h"
#include "core/data/dataset.h"
#include "core/data/frames.h"
#include "core/dictionary/patch-coder.h"
#include "core/format/npy.h"
#include "core/local/image-tensors.h"
#include "core/local/texture-vectors.h"
#include "core/predict/class-map.h"
#include "tosst/pool.h"

/* Bytes of tensors and codes per block, unless one row of patches has more. */
#define CHUNK_BYTES ((gsize)64 << 20)

/* Share of description in the progress. */
#define DESCRIBING 0.3

struct TosstPredictor
{
  const TosstModel *model;
  TosstPatchCoder *coder; /* NULL with Fisher vectors */
  TosstFisher *fisher;    /* or NULL */
  GPtrArray *parts;       /* TosstPredictor *, of a combined model; or NULL */
  gsize m, K;
  gint *unfound; /* atomic: images without a frame so far */
};

static gboolean
add_parts (TosstPredictor *self, TosstContext *context, GError **error)
{
  const GPtrArray *models = self->model->parts;

  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_predictor_free);
  for (guint i = 0; i < models->len; i++)
    {
      TosstPredictor *part = tosst_predictor_new (g_ptr_array_index (models, i), context, error);

      if (part == NULL)
        return FALSE;
      g_ptr_array_add (self->parts, part);
    }
  return TRUE;
}

TosstPredictor *
tosst_predictor_new (const TosstModel *model, TosstContext *context, GError **error)
{
  g_autoptr (TosstPredictor) self = g_new0 (TosstPredictor, 1);

  self->model = model;
  self->unfound = g_new0 (gint, 1);
  if (model->parts != NULL)
    return add_parts (self, context, error) ? g_steal_pointer (&self) : NULL;
  self->m = tosst_shape_numbers (tosst_recipe_shape (model->recipe));
  self->K = (gsize)tosst_model_code_length (model);
  if (model->mixture != NULL)
    return (self->fisher = tosst_fisher_new (model->mixture)) != NULL
                   || tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error)
               ? g_steal_pointer (&self)
               : NULL;
  TosstStatus status = tosst_patch_coder_new (model->recipe, context, model->dictionary, &self->coder);
  if (status == TOSST_OK)
    tosst_patch_coder_set_components (self->coder, model->components);
  return tosst_error_from_status (status, context, _ ("Coding"), error) ? g_steal_pointer (&self) : NULL;
}

TOSST_DEFINE_PUBLIC_FREE (TosstPredictor, tosst_predictor_free, TosstPredictor *, (parts, g_ptr_array_unref),
                          (coder, tosst_patch_coder_free), (fisher, tosst_fisher_free), (unfound, g_free))

guint
tosst_predictor_unfound (const TosstPredictor *self)
{
  guint n = (guint)g_atomic_int_get (self->unfound);

  for (guint i = 0; self->parts != NULL && i < self->parts->len; i++)
    n = MAX (n, tosst_predictor_unfound (g_ptr_array_index (self->parts, i)));
  return n;
}

/* Number of patches of an image per row and per column. Returns FALSE with error for an image smaller than a patch; the
 * model must have a grid. */
static gboolean
tosst_predictor_grid (const TosstPredictor *self, const TosstImage *image, gsize *columns, gsize *rows, GError **error)
{
  const int patch = self->model->recipe->descriptor.patch, step = self->model->recipe->descriptor.step;

  *columns = tosst_patch_grid (image->width, patch, patch, step, NULL);
  *rows = tosst_patch_grid (patch, image->height, patch, step, NULL);
  return (*columns > 0 && *rows > 0)
         || tosst_fail (error, TOSST_FAILED_INPUT, _ ("an image of %d × %d pixels is smaller than a patch of %d"),
                        image->width, image->height, patch);
}

typedef struct
{
  const TosstImage *image;
  TosstContext *context;
  gsize columns, rows; /* of frames: one column */
  TosstPoint *points;
  const TosstFrame *frames; /* rows, or NULL */
  float *tensors, *codes;
} CodeRows;

/* Describes and codes rows of patches, starting with first. */
static TosstStatus
code_chunk (const TosstPredictor *self, CodeRows *work, gsize first, gsize count)
{
  const int step = self->model->recipe->descriptor.step;
  double low = (double)first / work->rows, high = (double)(first + count) / work->rows;
  gsize n = count * work->columns;

  for (gsize i = 0; i < n; i++)
    work->points[i] = (TosstPoint){ (int)(i % work->columns) * step, (int)(first + i / work->columns) * step };
  TosstRange range = tosst_context_narrow (work->context, low, low + DESCRIBING * (high - low));
  TosstStatus status = tosst_describe_places (self->model->recipe, work->context, work->image, work->points,
                                              work->frames != NULL ? work->frames + first : NULL, n, work->tensors);
  tosst_context_set_range (work->context, range);
  if (status != TOSST_OK)
    return status;
  range = tosst_context_narrow (work->context, low + DESCRIBING * (high - low), high);
  status = tosst_patch_coder_code (self->coder, work->context, work->tensors, n, work->codes, NULL);
  tosst_context_set_range (work->context, range);
  return status;
}

static TosstStatus
code_all (const TosstPredictor *self, CodeRows *rows, TosstCodeRowsFunc func, gpointer data)
{
  CodeRows work = *rows;
  TosstStatus status = TOSST_ERROR_MEMORY;

  gsize chunk = CLAMP (CHUNK_BYTES / (work.columns * (self->m + self->K) * sizeof (float)), 1, work.rows);
  work.points = g_new (TosstPoint, chunk * work.columns);
  work.tensors = g_try_malloc_n (chunk * work.columns, self->m * sizeof (float));
  work.codes = g_try_malloc_n (chunk * work.columns, self->K * sizeof (float));
  if (work.tensors != NULL && work.codes != NULL)
    {
      status = TOSST_OK;
      for (gsize first = 0; first < work.rows && status == TOSST_OK; first += chunk)
        {
          gsize count = MIN (chunk, work.rows - first);

          status = code_chunk (self, &work, first, count);
          if (status == TOSST_OK)
            status = func (first, count, work.codes, data);
          tosst_context_progress (work.context, (double)(first + count) / work.rows);
        }
    }
  else
    tosst_context_fail (work.context, TOSST_ERROR_MEMORY, "not enough memory to code an image of %d x %d pixels",
                        work.image->width, work.image->height);
  g_free (work.points);
  g_free (work.tensors);
  g_free (work.codes);
  return status;
}

/* Pooling of a whole image into one signature. */
typedef struct
{
  TosstPoolKind kind;
  double parameter;
  int K;
  gboolean parts;       /* whether parts are joined */
  gboolean largest;     /* whether the largest codes are enough */
  gsize columns, n;     /* pooled so far */
  double *part, *one;   /* kinds with parts: of all patches so far, of one patch */
  float *codes;         /* other kinds: the codes that are still needed */
  gsize kept, capacity; /* rows of codes */
} ImagePool;

static TosstStatus
keep_rows (ImagePool *self, const float *codes, gsize n)
{
  if (self->kept + n > self->capacity)
    {
      float *larger = g_try_realloc_n (self->codes, self->kept + n, self->K * sizeof (float));

      if (larger == NULL)
        return TOSST_ERROR_MEMORY;
      self->codes = larger;
      self->capacity = self->kept + n;
    }
  memcpy (self->codes + self->kept * self->K, codes, n * self->K * sizeof (float));
  self->kept += n;
  return self->largest ? tosst_pool_keep_largest (self->parameter, self->codes, self->K, &self->kept) : TOSST_OK;
}

static TosstStatus
pool_rows (gsize first, gsize rows, const float *codes, gpointer data)
{
  ImagePool *self = data;
  gsize n = rows * self->columns;
  TosstStatus status = TOSST_OK;

  if (self->parts)
    for (gsize i = 0; i < n; i++)
      {
        gboolean opens = self->n + i == 0;

        tosst_pool_part (self->kind, codes + i * self->K, self->K, opens ? self->part : self->one);
        if (!opens)
          tosst_pool_join (self->kind, self->part, self->one, self->K, self->part);
      }
  else
    status = keep_rows (self, codes, n);
  self->n += n;
  return status;
}

/* Exapro pooling uses all codes twice; pooling of order 2 has their products. */
static gboolean
check_memory (const TosstPredictor *self, gsize patches, GError **error)
{
  gsize needed = patches * self->K * sizeof (float) + CHUNK_BYTES, there = tosst_memory_available ();

  if ((self->model->recipe->pooling.kind != TOSST_POOL_EXAPRO && !tosst_recipe_pools_pairs (self->model->recipe))
      || (double)needed <= 0.85 * (double)there)
    return TRUE;
  g_autofree char *much = g_format_size (needed), *available = g_format_size (there);
  return tosst_fail (error, TOSST_FAILED_MEMORY,
                     _ ("its %zu patches need %s of memory and %s are available: scale the image down or crop it"),
                     patches, much, available);
}

static gboolean
sign_image (const TosstPredictor *self, TosstContext *context, CodeRows *work, float *signature, GError **error)
{
  const TosstRecipe *recipe = self->model->recipe;
  gboolean pairs = tosst_recipe_pools_pairs (recipe);
  ImagePool pool = { .kind = recipe->pooling.kind,
                     .parameter = recipe->pooling.parameter,
                     .K = (int)self->K,
                     .parts = !pairs && tosst_pool_has_parts (recipe->pooling.kind),
                     .largest = !pairs && recipe->pooling.kind == TOSST_POOL_AT_N,
                     .columns = work->columns };

  pool.part = g_new (double, self->K + 1);
  pool.one = g_new (double, self->K + 1);
  TosstStatus status = code_all (self, work, pool_rows, &pool);
  if (status == TOSST_OK)
    status = pool.parts ? tosst_pool_finish_part (pool.kind, pool.parameter, pool.part, pool.K, pool.n, signature)
                        : tosst_recipe_pool_codes (recipe, pool.codes, pool.K, NULL, pool.kept, signature);
  g_free (pool.part);
  g_free (pool.one);
  g_free (pool.codes);
  if (status == TOSST_OK && pool.parts)
    tosst_normalise_signature (signature, (int)self->K, recipe->pooling.power, recipe->pooling.l2);
  return tosst_error_from_status (status, context, _ ("coding the image"), error);
}

/* What is described: an image or its features. */
typedef struct
{
  const TosstRecipe *recipe;
  const TosstImage *image;
  const TosstFeatures *features;
} Described;

static TosstFeatures *
get_features (guint image, gpointer data, GError **error)
{
  const Described *self = data;

  return self->features != NULL ? tosst_features_copy (self->features)
                                : tosst_local_features_of_image (self->recipe, self->image, _ ("the image"), error);
}

/* The only tensor of an image. */
static gboolean
describe_whole (const TosstPredictor *self, TosstContext *context, Described *described, float *tensor, GError **error)
{
  const TosstRecipe *recipe = self->model->recipe;
  const TosstLocalPart part = { 0, 0 };

  if (tosst_recipe_is_texture (recipe, NULL))
    return tosst_describe_texture (recipe, described->image, NULL, 1, _ ("the image"), tensor, error);
  return tosst_local_describe (recipe, self->model->pca, context, &part, 1, get_features, described, tensor, error);
}

/* The signature of an image with one tensor. */
static gboolean
sign_whole (const TosstPredictor *self, TosstContext *context, Described *described, float *signature, GError **error)
{
  const TosstRecipe *recipe = self->model->recipe;
  g_autofree float *tensor = g_new (float, self->m), *code = g_new (float, self->K);
  TosstRange range = tosst_context_narrow (context, 0, DESCRIBING);
  gboolean ok = describe_whole (self, context, described, tensor, error);

  tosst_context_set_range (context, range);
  if (!ok)
    return FALSE;
  range = tosst_context_narrow (context, DESCRIBING, 1);
  TosstStatus status = tosst_patch_coder_code (self->coder, context, tensor, 1, code, NULL);
  tosst_context_set_range (context, range);
  if (status == TOSST_OK)
    status = tosst_recipe_pool_codes (recipe, code, (int)self->K, NULL, 1, signature);
  return tosst_error_from_status (status, context, _ ("coding the image"), error);
}

static gboolean
sign_described (const TosstPredictor *self, TosstContext *context, Described *described, float *signature,
                GError **error)
{
  if (self->fisher == NULL)
    return sign_whole (self, context, described, signature, error);
  g_autoptr (TosstFeatures) features = get_features (0, described, error);
  return features != NULL
         && tosst_local_fisher (self->model->recipe, self->model->pca, self->fisher, features, signature, error);
}

/* The index of the largest of n margins, the first one of equals. */
static int
largest (const double *margins, int n)
{
  int best = 0;

  for (int c = 1; c < n; c++)
    best = margins[c] > margins[best] ? c : best;
  return best;
}

static int
decide (const TosstPredictor *self, TosstContext *context, const float *signature, double *margins, GError **error)
{
  int classes = tosst_model_classes (self->model);
  g_autofree double *all = g_new (double, classes);
  TosstStatus status = tosst_model_margins (self->model, context, signature, 1, all);

  if (!tosst_error_from_status (status, context, _ ("Classifying the image"), error))
    return -1;
  if (margins != NULL)
    memcpy (margins, all, classes * sizeof (double));
  return largest (all, classes);
}

int
tosst_predictor_classify_features (const TosstPredictor *self, TosstContext *context, const TosstFeatures *features,
                                   double *margins, GError **error)
{
  g_autofree float *signature = g_new (float, tosst_model_signature_length (self->model));
  Described described = { .recipe = self->model->recipe, .features = features };

  return sign_described (self, context, &described, signature, error)
             ? decide (self, context, signature, margins, error)
             : -1;
}

/* Margins of a part. One that finds nothing in the image prefers no class; *n counts the others. */
static gboolean
classify_by_part (const TosstPredictor *part, TosstContext *context, const TosstImage *image, double *margins, guint *n,
                  GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (tosst_predictor_classify (part, context, image, margins, &cause) >= 0)
    (*n)++;
  else if (part->model->empty != NULL && g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_EMPTY))
    memcpy (margins, part->model->empty, (gsize)tosst_model_classes (part->model) * sizeof *margins);
  else
    return tosst_pass_error (error, &cause);
  return TRUE;
}

/* Margins are the sums of those of the parts. */
static int
classify_by_parts (const TosstPredictor *self, TosstContext *context, const TosstImage *image, double *margins,
                   GError **error)
{
  int classes = tosst_model_classes (self->model);
  g_autofree double *sum = g_new0 (double, classes), *one = g_new (double, classes);
  guint n = 0;

  for (guint i = 0; i < self->parts->len; i++)
    {
      TosstRange range = tosst_context_narrow (context, (double)i / self->parts->len, (i + 1.0) / self->parts->len);
      gboolean ok = classify_by_part (g_ptr_array_index (self->parts, i), context, image, one, &n, error);

      tosst_context_set_range (context, range);
      if (!ok)
        return -1;
      for (int c = 0; c < classes; c++)
        sum[c] += one[c];
    }
  if (n == 0)
    return tosst_fail (error, TOSST_FAILED_EMPTY, _ ("the image has nothing that any part of the model describes")), -1;
  if (margins != NULL)
    memcpy (margins, sum, classes * sizeof *sum);
  return largest (sum, classes);
}

/* The signature of an image by a model without parts. */
static gboolean
sign (const TosstPredictor *self, TosstContext *context, const TosstImage *image, float *signature, GError **error)
{
  g_autofree TosstFrame *frames = NULL;
  CodeRows work = { .image = image, .context = context, .columns = 1 };
  gboolean found = TRUE;

  if (self->model->recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("the model needs the features of an image in a file, not its pixels"));
  if (!tosst_recipe_has_patches (self->model->recipe))
    return sign_described (self, context, &(Described){ .recipe = self->model->recipe, .image = image }, signature,
                           error);
  if (tosst_recipe_has_frames (self->model->recipe))
    work.frames = frames
        = tosst_frames_of_image (self->model->recipe, image, &work.rows, &found, _ ("the image"), error);
  if (!found)
    g_atomic_int_inc (self->unfound);
  if (work.frames == NULL
      && (tosst_recipe_has_frames (self->model->recipe)
          || !tosst_predictor_grid (self, image, &work.columns, &work.rows, error)))
    return FALSE;
  return check_memory (self, work.columns * work.rows, error) && sign_image (self, context, &work, signature, error);
}

int
tosst_predictor_classify (const TosstPredictor *self, TosstContext *context, const TosstImage *image, double *margins,
                          GError **error)
{
  if (self->parts != NULL)
    return classify_by_parts (self, context, image, margins, error);

  g_autofree float *signature = g_new (float, tosst_model_signature_length (self->model));

  return sign (self, context, image, signature, error) ? decide (self, context, signature, margins, error) : -1;
}

float *
tosst_predictor_sign (const TosstPredictor *self, TosstContext *context, const TosstImage *image, GError **error)
{
  guint parts = self->parts != NULL ? self->parts->len : 1;
  g_autofree float *signature = g_new0 (float, tosst_model_all_lengths (self->model));
  gsize at = 0;

  for (guint i = 0; i < parts; i++)
    {
      const TosstPredictor *part = self->parts != NULL ? self->parts->pdata[i] : self;
      g_autoptr (GError) cause = NULL;

      if (!sign (part, context, image, signature + at, &cause)
          && (self->parts == NULL || !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_EMPTY)))
        return tosst_pass_error (error, &cause), NULL;
      at += (gsize)tosst_model_signature_length (part->model);
    }
  return g_steal_pointer (&signature);
}

/* Pools every window of side x side patches; neighbouring windows share nearly all of their patches. Running sums,
 * adding the patch that enters and subtracting the one that leaves, are possible for averages only, and leave rounding
 * errors where an atom is absent, which a small power (power normalisation) amplifies; they do not work for maxima.
 * Therefore nothing is subtracted: patches are divided into blocks of `side`; a window is the end of one block joined
 * with the beginning of the next, for which cumulative totals from the back and from the front are kept (van Herk; Gil
 * & Werman). This takes three joins per patch, for any side of a window, first down the columns and then along the
 * row. Exapro and at-n pooling, whose totals cannot be joined, read all codes of each window. */

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

TOSST_DEFINE_PUBLIC_FREE (TosstWindowPool, tosst_window_pool_free, TosstWindowPool *, (tail, g_free), (head, g_free),
                          (total, g_free), (scratch, g_free), (ring, g_free), (index, g_free))

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
decide_windows (Cropping *self, gsize window, GError **error)
{
  TosstClassMap *map = self->map;
  int classes = map->classes, x = (int)(window % (gsize)map->columns) * map->step,
      y = (int)(window / (gsize)map->columns) * map->step;
  g_autoptr (TosstImage) crop = tosst_dataset_cut_out (
      self->image, &(TosstSample){ .x = x, .y = y, .width = map->window, .height = map->window });
  g_autofree double *margins = g_new (double, classes);
  g_autoptr (GError) cause = NULL;

  if (crop == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Cropping the image"), error);
  self->decided[window] = tosst_predictor_classify (self->predictor, self->context, crop, margins, &cause) >= 0;
  if (!self->decided[window] && !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_INPUT)
      && !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_EMPTY))
    return tosst_pass_error (error, &cause);
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

static gboolean
decide_all (Cropping *self, gsize windows, GError **error)
{
  for (gsize window = 0; window < windows; window++)
    {
      TosstRange range = tosst_context_narrow (self->context, (double)window / (double)windows,
                                               (double)(window + 1) / (double)windows);
      gboolean ok = decide_windows (self, window, error);

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

  self->class_index = g_try_new (int, windows);
  self->margins = g_try_malloc_n (windows, (gsize)self->classes * sizeof (float));
  if (decided == NULL || self->class_index == NULL || self->margins == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Cropping the image"), error);
  gboolean ok = decide_all (&mapping, windows, error);
  g_free (mapping.reason);
  return ok;
}

TOSST_DEFINE_PUBLIC_FREE (TosstClassMap, tosst_class_map_free, TosstClassMap *, (class_names, g_strfreev),
                          (class_index, g_free), (margins, g_free))

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
check_map_memory (const TosstClassMap *self, const TosstWindowPoolOptions *options, int threads, GError **error)
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
  for (gsize i = 0; i < (gsize)map->columns * classes; i++)
    map->margins[(gsize)self->row * map->columns * classes + i] = (float)self->margins[i];
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
  const TosstModel *model = predictor->model;
  g_autoptr (TosstWindowPool) pool = tosst_window_pool_new (options, tosst_context_threads (context));
  g_autofree float *signatures = g_try_malloc_n ((gsize)self->columns, options->K * sizeof (float));
  g_autofree double *margins = g_try_malloc_n ((gsize)self->columns, self->classes * sizeof (double));
  Mapping mapping = { self, model, context, pool, options->columns, (gsize)options->K, signatures, margins, 0 };
  TosstStatus status = TOSST_ERROR_MEMORY;

  self->class_index = g_try_malloc_n ((gsize)self->rows * self->columns, sizeof (int));
  self->margins = g_try_malloc_n ((gsize)self->rows * self->columns, self->classes * sizeof (float));
  if (pool && signatures && margins && self->class_index && self->margins)
    {
      CodeRows work = { .image = image, .context = context };

      status = tosst_predictor_grid (predictor, image, &work.columns, &work.rows, NULL)
                   ? code_all (predictor, &work, map_rows, &mapping)
                   : tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the image is smaller than a patch");
    }
  return tosst_error_from_status (status, context, _ ("Mapping the image"), error);
}

static gboolean
map_grid (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context, const TosstImage *image,
          GError **error)
{
  const TosstModel *model = predictor->model;
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
  return check_map_memory (self, &options, tosst_context_threads (context), error)
         && fill (self, predictor, context, image, &options, error);
}

static gboolean
map_crops (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context, const TosstImage *image,
           GError **error)
{
  const TosstModel *model = predictor->model;
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
  return check_map_memory (self, NULL, 0, error) && tosst_class_map_fill_crops (self, predictor, context, image, error);
}

TosstClassMap *
tosst_class_map_new (const TosstPredictor *predictor, TosstContext *context, const TosstImage *image, int window,
                     int step, GError **error)
{
  const TosstModel *model = predictor->model;
  g_autoptr (TosstClassMap) self = g_new0 (TosstClassMap, 1);

  /* The size the classifier was trained on, or 0 if the model does not state it. */
  window = window > 0 ? window : MIN (model->sample_side, MIN (image->width, image->height));
  *self = (TosstClassMap){ .image_width = image->width,
                           .image_height = image->height,
                           .window = window,
                           .step = step > 0 ? step : tosst_class_map_step (model, window) };
  self->classes = tosst_model_classes (model);
  self->class_names = g_strdupv (model->class_names);
  if (!(tosst_model_has_grid (model) ? map_grid : map_crops) (self, predictor, context, image, error))
    return NULL;
  /* By the stored (rounded) margins, so that the largest margin in a file gives the same class. */
  for (gsize i = 0; i < (gsize)self->rows * (gsize)self->columns; i++)
    {
      const float *margins = self->margins + i * (gsize)self->classes;

      for (int c = self->class_index[i] = 0; c < self->classes; c++)
        if (margins[c] > margins[self->class_index[i]])
          self->class_index[i] = c;
    }
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
  g_autoptr (TosstNpyWriter) writer = tosst_npy_writer_new (file, TOSST_NPY_FLOAT32, 3, shape, error);
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
