/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/describe-patches.h"

#include <string.h>

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
  TosstLayout *layout;
  TosstStatus status;

  if (eigen == 1 && coefficient == 1)
    return TOSST_OK;
  layout = tosst_layout_new_shape (shape_of (recipe));
  if (layout == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to whiten tensors");
  status = tosst_whiten (context, layout, tensors, n, eigen, coefficient);
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
  TosstStatus status;

  if (recipe->descriptor.photometric)
    return describe_unlit (recipe, context, image, points, n, tensors);
  status = describe_moments (recipe, context, image, points, n, tensors);
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
  g_autofree float *features = NULL;
  TosstStatus status;

  tosst_recipe_feature_options (recipe, &options);
  d = (gsize)tosst_feature_dimension (&options);
  features = g_new (float, n *d);
  status = tosst_patch_features (context, image, &options, size, point, features);
  for (gsize k = 0; k < d && status == TOSST_OK; k++)
    {
      double sum = 0;

      for (gsize i = 0; i < n; i++)
        sum += features[i * d + k];
      means[k] = sum / n;
    }
  return status;
}
