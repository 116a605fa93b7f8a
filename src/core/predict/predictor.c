/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Margins of an image by a trained model: patches are described, coded and pooled in blocks of rows, and the codes are
 * discarded after pooling.
 */
#include "config.h"

#include "core/predict/predictor.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/data/frames.h"
#include "core/dictionary/patch-coder.h"
#include "core/local/fisher.h"
#include "core/local/texture-vectors.h"
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
  g_return_val_if_fail (model != NULL, NULL);

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

void
tosst_predictor_free (TosstPredictor *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->parts, g_ptr_array_unref);
  tosst_patch_coder_free (self->coder);
  tosst_fisher_free (self->fisher);
  g_free (self->unfound);
  g_free (self);
}

guint
tosst_predictor_unfound (const TosstPredictor *self)
{
  guint n = (guint)g_atomic_int_get (self->unfound);

  for (guint i = 0; self->parts != NULL && i < self->parts->len; i++)
    n = MAX (n, tosst_predictor_unfound (g_ptr_array_index (self->parts, i)));
  return n;
}

const TosstModel *
tosst_predictor_model (const TosstPredictor *self)
{
  return self->model;
}

gboolean
tosst_predictor_has_grid (const TosstPredictor *self)
{
  return tosst_model_has_grid (self->model);
}

gboolean
tosst_predictor_grid (const TosstPredictor *self, const TosstImage *image, gsize *columns, gsize *rows, GError **error)
{
  const int patch = self->model->recipe->descriptor.patch, step = self->model->recipe->descriptor.step;

  g_return_val_if_fail (!tosst_recipe_has_frames (self->model->recipe), FALSE);

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
  TosstStatus status;
  TosstRange range;

  for (gsize i = 0; i < n; i++)
    work->points[i] = (TosstPoint){ (int)(i % work->columns) * step, (int)(first + i / work->columns) * step };
  range = tosst_context_narrow (work->context, low, low + DESCRIBING * (high - low));
  status = tosst_describe_places (self->model->recipe, work->context, work->image, work->points,
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
  gsize chunk;

  chunk = CLAMP (CHUNK_BYTES / (work.columns * (self->m + self->K) * sizeof (float)), 1, work.rows);
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

TosstStatus
tosst_predictor_code_rows (const TosstPredictor *self, TosstContext *context, const TosstImage *image,
                           TosstCodeRowsFunc func, gpointer data)
{
  CodeRows work = { .image = image, .context = context };

  if (!tosst_predictor_grid (self, image, &work.columns, &work.rows, NULL))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the image is smaller than a patch");
  return code_all (self, &work, func, data);
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

static void
join_rows (ImagePool *self, const float *codes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      gboolean first = self->n + i == 0;

      tosst_pool_part (self->kind, codes + i * self->K, self->K, first ? self->part : self->one);
      if (!first)
        tosst_pool_join (self->kind, self->part, self->one, self->K, self->part);
    }
}

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
    join_rows (self, codes, n);
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
  TosstStatus status;

  pool.part = g_new (double, self->K + 1);
  pool.one = g_new (double, self->K + 1);
  status = code_all (self, work, pool_rows, &pool);
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

static gboolean
sign_fisher (const TosstPredictor *self, Described *described, float *signature, GError **error)
{
  g_autoptr (TosstFeatures) features = get_features (0, described, error);

  return features != NULL
         && tosst_local_fisher (self->model->recipe, self->model->pca, self->fisher, features, signature, error);
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
  TosstStatus status;

  tosst_context_set_range (context, range);
  if (!ok)
    return FALSE;
  range = tosst_context_narrow (context, DESCRIBING, 1);
  status = tosst_patch_coder_code (self->coder, context, tensor, 1, code, NULL);
  tosst_context_set_range (context, range);
  if (status == TOSST_OK)
    status = tosst_recipe_pool_codes (recipe, code, (int)self->K, NULL, 1, signature);
  return tosst_error_from_status (status, context, _ ("coding the image"), error);
}

static gboolean
sign_described (const TosstPredictor *self, TosstContext *context, Described *described, float *signature,
                GError **error)
{
  return self->fisher != NULL ? sign_fisher (self, described, signature, error)
                              : sign_whole (self, context, described, signature, error);
}

static int
decide (const TosstPredictor *self, TosstContext *context, const float *signature, double *margins, GError **error)
{
  int classes = tosst_model_classes (self->model), best = 0;
  g_autofree double *all = g_new (double, classes);
  TosstStatus status = tosst_model_margins (self->model, context, signature, 1, all);

  if (!tosst_error_from_status (status, context, _ ("Classifying the image"), error))
    return -1;
  if (margins != NULL)
    memcpy (margins, all, classes * sizeof (double));
  for (int c = 1; c < classes; c++)
    best = all[c] > all[best] ? c : best;
  return best;
}

int
tosst_predictor_classify_features (const TosstPredictor *self, TosstContext *context, const TosstFeatures *features,
                                   double *margins, GError **error)
{
  g_autofree float *signature = g_new (float, tosst_model_signature_length (self->model));
  Described described = { .recipe = self->model->recipe, .features = features };

  g_return_val_if_fail (tosst_recipe_is_local (self->model->recipe), -1);

  return sign_described (self, context, &described, signature, error)
             ? decide (self, context, signature, margins, error)
             : -1;
}

static gboolean
sign_pixels (const TosstPredictor *self, TosstContext *context, const TosstImage *image, float *signature,
             GError **error)
{
  Described described = { .recipe = self->model->recipe, .image = image };

  if (self->model->recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("the model needs the features of an image in a file, not its pixels"));
  return sign_described (self, context, &described, signature, error);
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
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  return TRUE;
}

/* Margins are the sums of those of the parts. */
static int
classify_by_parts (const TosstPredictor *self, TosstContext *context, const TosstImage *image, double *margins,
                   GError **error)
{
  int classes = tosst_model_classes (self->model), best = 0;
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
  for (int c = 1; c < classes; c++)
    best = sum[c] > sum[best] ? c : best;
  if (margins != NULL)
    memcpy (margins, sum, classes * sizeof *sum);
  return best;
}

int
tosst_predictor_classify (const TosstPredictor *self, TosstContext *context, const TosstImage *image, double *margins,
                          GError **error)
{
  if (self->parts != NULL)
    return classify_by_parts (self, context, image, margins, error);

  g_autofree float *signature = g_new (float, tosst_model_signature_length (self->model));
  g_autofree TosstFrame *frames = NULL;
  CodeRows work = { .image = image, .context = context, .columns = 1 };
  gboolean found = TRUE;

  if (!tosst_recipe_has_patches (self->model->recipe))
    return sign_pixels (self, context, image, signature, error) ? decide (self, context, signature, margins, error)
                                                                : -1;
  if (tosst_recipe_has_frames (self->model->recipe))
    work.frames = frames
        = tosst_frames_of_image (self->model->recipe, image, &work.rows, &found, _ ("the image"), error);
  if (!found)
    g_atomic_int_inc (self->unfound);
  if (work.frames == NULL
      && (tosst_recipe_has_frames (self->model->recipe)
          || !tosst_predictor_grid (self, image, &work.columns, &work.rows, error)))
    return -1;
  if (!check_memory (self, work.columns * work.rows, error) || !sign_image (self, context, &work, signature, error))
    return -1;
  return decide (self, context, signature, margins, error);
}
