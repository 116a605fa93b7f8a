/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/dictionary/patch-coder.h"

#include "core/base/base.h"
#include "tosst/code.h"
#include "tosst/tensor.h"

/* Patches of an image that are resampled at a time, and of these in a row. */
#define SHEET 1024
#define COLUMNS 32

static TosstShape
shape_of (const TosstRecipe *recipe)
{
  return tosst_moment_shape (tosst_recipe_moment (recipe), tosst_recipe_dimension (recipe));
}

static TosstStatus
whiten (const TosstRecipe *recipe, TosstContext *context, gsize n, float *tensors)
{
  double eigen = recipe->descriptor.gamma_eigen, coefficient = recipe->descriptor.gamma_coefficient;

  if (eigen == 1 && coefficient == 1)
    return TOSST_OK;
  TosstLayout *layout = tosst_layout_new_shape (shape_of (recipe));
  if (layout == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to whiten tensors");
  TosstStatus status = tosst_whiten (context, layout, tensors, n, eigen, coefficient);
  tosst_layout_free (layout);
  return status;
}

static TosstStatus
describe_moments (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image, const TosstPoint *points,
                  gsize n, float *tensors)
{
  TosstFeatureOptions features;

  tosst_recipe_feature_options (recipe, &features);
  return tosst_describe_moment (context, image, &features, tosst_recipe_moment (recipe), recipe->descriptor.patch,
                                points, n, tensors);
}

/* Resampled patches side by side in one image, with their margins. */
static void
fill_sheet (TosstImage *sheet, const float *patches, gsize n, int side)
{
  gsize plane = (gsize)sheet->width * (gsize)sheet->height;

  memset (sheet->data, 0, plane * (gsize)sheet->channels * sizeof (float));
  for (gsize i = 0; i < n; i++)
    for (int c = 0; c < sheet->channels; c++)
      for (int v = 0; v < side; v++)
        memcpy (sheet->data + (gsize)c * plane + (i / COLUMNS * (gsize)side + (gsize)v) * (gsize)sheet->width
                    + i % COLUMNS * (gsize)side,
                patches + ((i * (gsize)sheet->channels + (gsize)c) * (gsize)side + (gsize)v) * (gsize)side,
                (gsize)side * sizeof (float));
}

/* Patches to describe: resampled, or the image and the frames to resample them at. */
typedef struct
{
  TosstFramePatch form;
  int channels;
  const float *patches; /* or NULL */
  const TosstImage *image;
  const TosstFrame *frames;
} Resampled;

/* Tensors of n <= SHEET patches from `first` on. */
static TosstStatus
describe_sheet (const TosstRecipe *recipe, TosstContext *context, const Resampled *from, gsize first, gsize n,
                float *tensors)
{
  int margin = from->form.margin, side = from->form.side + 2 * margin;
  gsize numbers = (gsize)side * (gsize)side * (gsize)from->channels;
  TosstImage *sheet = tosst_image_new (side * COLUMNS, side * (int)((n + COLUMNS - 1) / COLUMNS), from->channels);
  g_autofree float *made = from->patches == NULL ? g_try_malloc_n (n * numbers, sizeof (float)) : NULL;
  TosstPoint points[SHEET];
  TosstStatus status = TOSST_OK;

  if (sheet == NULL || (made == NULL && from->patches == NULL))
    {
      tosst_image_free (sheet);
      return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to resample patches");
    }
  sheet->maximum = 0;
  if (made != NULL)
    status = tosst_frames_patches (&from->form, from->image, from->frames + first, n, made);
  if (status == TOSST_OK)
    {
      fill_sheet (sheet, made != NULL ? made : from->patches + first * numbers, n, side);
      for (gsize i = 0; i < n; i++)
        points[i] = (TosstPoint){ (int)(i % COLUMNS) * side + margin, (int)(i / COLUMNS) * side + margin };
      status = describe_moments (recipe, context, sheet, points, n, tensors);
    }
  tosst_image_free (sheet);
  return status;
}

static TosstStatus
describe_resampled (const TosstRecipe *recipe, TosstContext *context, const Resampled *from, gsize n, float *tensors)
{
  gsize m = tosst_shape_numbers (shape_of (recipe));
  TosstStatus status = TOSST_OK;

  for (gsize i = 0; i < n && status == TOSST_OK; i += SHEET)
    {
      gsize some = MIN (SHEET, n - i);
      TosstRange range = tosst_context_narrow (context, (double)i / (double)n, (double)(i + some) / (double)n);

      status = describe_sheet (recipe, context, from, i, some, tensors + i * m);
      tosst_context_set_range (context, range);
    }
  return status == TOSST_OK ? whiten (recipe, context, n, tensors) : status;
}

TosstImage *
tosst_frame_patch (const TosstRecipe *recipe, const TosstImage *image, const TosstFrame *frame, TosstPoint *place)
{
  TosstFramePatch patch = tosst_recipe_frame_patch (recipe);
  int side = patch.side + 2 * patch.margin;
  TosstImage *pixels = tosst_image_new (side, side, image->channels);

  *place = (TosstPoint){ patch.margin, patch.margin };
  if (pixels != NULL && tosst_frames_patches (&patch, image, frame, 1, pixels->data) != TOSST_OK)
    g_clear_pointer (&pixels, tosst_image_free);
  if (pixels != NULL)
    pixels->maximum = 0;
  return pixels;
}

TosstStatus
tosst_describe_frames (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                       const TosstFrame *frames, gsize n, float *tensors)
{
  const Resampled from = { tosst_recipe_frame_patch (recipe), image->channels, NULL, image, frames };

  return describe_resampled (recipe, context, &from, n, tensors);
}

TosstStatus
tosst_describe_resampled (const TosstRecipe *recipe, TosstContext *context, const float *patches, int channels, gsize n,
                          float *tensors)
{
  const Resampled from = { tosst_recipe_frame_patch (recipe), channels, patches, NULL, NULL };

  return describe_resampled (recipe, context, &from, n, tensors);
}

/* Patches of the grid without their light: frames whose samples are the pixels. */
static TosstStatus
describe_unlit (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image, const TosstPoint *points,
                gsize n, float *tensors)
{
  int side = recipe->descriptor.patch;
  g_autofree TosstFrame *frames = g_new (TosstFrame, n);
  const Resampled from = { { side, TOSST_PATCH_MARGIN, 0.5 * side, TRUE }, image->channels, NULL, image, frames };

  for (gsize i = 0; i < n; i++)
    frames[i] = (TosstFrame){ .x = (float)points[i].x + 0.5f * (float)(side - 1),
                              .y = (float)points[i].y + 0.5f * (float)(side - 1),
                              .a = { 1, 0, 0, 1 } };
  return describe_resampled (recipe, context, &from, n, tensors);
}

TosstStatus
tosst_describe_patches (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                        const TosstPoint *points, gsize n, float *tensors)
{
  if (recipe->descriptor.photometric)
    return describe_unlit (recipe, context, image, points, n, tensors);
  TosstStatus status = describe_moments (recipe, context, image, points, n, tensors);
  return status == TOSST_OK ? whiten (recipe, context, n, tensors) : status;
}

TosstStatus
tosst_describe_places (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                       const TosstPoint *points, const TosstFrame *frames, gsize n, float *tensors)
{
  return frames != NULL ? tosst_describe_frames (recipe, context, image, frames, n, tensors)
                        : tosst_describe_patches (recipe, context, image, points, n, tensors);
}

TosstStatus
tosst_mean_features (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image, int size,
                     TosstPoint point, double *means)
{
  TosstFeatureOptions options;
  gsize n = (gsize)size * size, d;

  tosst_recipe_feature_options (recipe, &options);
  d = (gsize)tosst_feature_dimension (&options);
  g_autofree float *features = g_new (float, n *d);
  TosstStatus status = tosst_patch_features (context, image, &options, size, point, features);
  for (gsize k = 0; k < d && status == TOSST_OK; k++)
    {
      double sum = 0;

      for (gsize i = 0; i < n; i++)
        sum += features[i * d + k];
      means[k] = sum / n;
    }
  return status;
}

/* Tensors, codes and matrices in float64. */
#define MOST_CERTIFIED_BYTES ((gsize)256 << 20)

struct TosstPatchCoder
{
  TosstCodingMethod method;
  TosstCoder *coder;         /* for methods sparse and span */
  gsize m, K;                /* numbers of a tensor and of a code, for method sparse */
  TosstLayout *layout;       /* for other methods */
  TosstLinear *projection;   /* for method projection, owned */
  const TosstLinear *linear; /* for methods projection and pca */
};

static TosstStatus
init_coder (TosstPatchCoder *self, const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary)
{
  TosstLayout *layout = tosst_layout_new_shape (dictionary->shape);
  TosstCodingOptions options;

  if (layout == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  tosst_recipe_coding_options (recipe, &options);

  /* Limits the memory of a coder to its share; its minimum was part of the estimate before the run. */
  options.memory = 1;
  gsize least = tosst_coder_memory (layout, dictionary->K, &options, tosst_context_threads (context)),
        share = tosst_memory_for_coding ();

  options.memory = MAX (least, share);
  self->m = layout->m;
  self->K = dictionary->K;
  TosstStatus status = tosst_coder_new (context, dictionary, layout, &options, &self->coder);
  tosst_layout_free (layout);
  return status;
}

/* A third-order tensor is treated as one vector. */
static TosstStatus
init_plain (TosstPatchCoder *self, const TosstRecipe *recipe, TosstContext *context)
{
  TosstShape shape = tosst_recipe_shape (recipe);

  if (shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    shape.kind = TOSST_SHAPE_WHOLE;
  self->layout = tosst_layout_new_shape (shape);
  if (self->layout == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  if (self->method != TOSST_CODING_PROJECTION)
    return TOSST_OK;
  TosstStatus status = tosst_linear_random (context, self->layout->m, recipe->dictionary.atoms, recipe->dictionary.seed,
                                            TOSST_PROJECTION_BYTES, &self->projection);
  self->linear = self->projection;
  return status;
}

TosstStatus
tosst_patch_coder_new (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                       TosstPatchCoder **coder)
{
  g_autoptr (TosstPatchCoder) self = g_new0 (TosstPatchCoder, 1);

  self->method = tosst_recipe_coding (recipe);
  TosstStatus status = tosst_recipe_has_dictionary (recipe) ? init_coder (self, recipe, context, dictionary)
                                                            : init_plain (self, recipe, context);
  *coder = status == TOSST_OK ? g_steal_pointer (&self) : NULL;
  return status;
}

void
tosst_patch_coder_set_components (TosstPatchCoder *self, const TosstLinear *components)
{
  if (self->method == TOSST_CODING_PCA)
    self->linear = components;
}

TOSST_DEFINE_PUBLIC_FREE (TosstPatchCoder, tosst_patch_coder_free, TosstPatchCoder *, (coder, tosst_coder_free),
                          (layout, tosst_layout_free), (projection, tosst_linear_free))

TosstStatus
tosst_patch_coder_code (const TosstPatchCoder *self, TosstContext *context, const float *tensors, gsize n, float *codes,
                        TosstCodingReport *report)
{
  if (self->coder != NULL)
    return tosst_code (context, self->coder, tensors, n, false, codes, report);
  if (report != NULL)
    *report = (TosstCodingReport){ .worst_kkt = NAN, .mean_nonzeros = NAN };
  if (self->method == TOSST_CODING_PCA && self->linear == NULL)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "principal components are missing");
  if (self->linear != NULL)
    return tosst_linear_map (context, self->layout, self->linear, tensors, n, codes);
  if (self->method == TOSST_CODING_LOG_EUCLIDEAN)
    return tosst_plain_log_euclidean (context, self->layout, tensors, n, codes);
  return tosst_plain_raw (context, self->layout, tensors, n, codes);
}

static double *
widen (const float *from, gsize n)
{
  double *to = g_try_new (double, n);

  for (gsize i = 0; to != NULL && i < n; i++)
    to[i] = from[i];
  return to;
}

TosstStatus
tosst_patch_coder_certify (const TosstPatchCoder *self, TosstContext *context, const float *tensors, gsize n,
                           const float *codes, TosstCodingReport *report)
{
  if (self->method != TOSST_CODING_SPARSE || n == 0
      || (n + self->K) * (self->m + self->K) * sizeof (double) > MOST_CERTIFIED_BYTES)
    return TOSST_OK;
  g_autofree double *x = widen (tensors, n * self->m), *alpha = widen (codes, n * self->K), *kkt = g_new (double, n);
  if (x == NULL || alpha == NULL)
    return TOSST_OK;
  TosstStatus status = tosst_code_certificate (context, self->coder, x, n, alpha, kkt);
  for (gsize i = 0; i < n && status == TOSST_OK; i++)
    report->worst_kkt = fmax (report->worst_kkt, kkt[i]);
  return status;
}
