/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/frames.h"

#include "core/base/base.h"

/* Images of more pixels have enough keypoints without being doubled. */
#define LARGE 1000000

/* Pixels for each frame of an image whose frames are not limited. */
#define SPARSEST 16
/* Typical pixels for a keypoint, in textures of 128 to 200 pixels whose frames are hardly limited (35 to 46, and 11 to 20). */
#define DOG_PIXELS 42
#define HESSIAN_PIXELS 12
/* Bytes for each pixel of a detector's pyramids, which have four times the pixels of an image that is doubled. */
#define DETECTOR_BYTES 80

float *
tosst_image_grey (const TosstImage *image, int longest_side, int *width, int *height)
{
  gsize pixels = (gsize)image->width * (gsize)image->height;
  g_autofree double *grey = g_try_new (double, pixels);
  int longest = MAX (image->width, image->height);
  double ratio = longest_side > 0 && longest > longest_side ? (double)longest_side / longest : 1;

  if (grey == NULL)
    return NULL;
  for (gsize i = 0; i < pixels; i++)
    grey[i] = image->channels == 1
                  ? image->data[i]
                  : 0.299 * image->data[i] + 0.587 * image->data[pixels + i] + 0.114 * image->data[2 * pixels + i];
  *width = MAX (1, (int)lround (image->width * ratio));
  *height = MAX (1, (int)lround (image->height * ratio));
  float *plane = g_try_new (float, (gsize)*width *(gsize)*height);
  if (plane != NULL)
    tosst_image_reduce (grey, image->width, image->height, plane, *width, *height);
  return plane;
}

TosstImage *
tosst_image_reduced (const TosstImage *image, int longest_side)
{
  int width, height;
  g_autofree float *plane = tosst_image_grey (image, longest_side, &width, &height);
  TosstImage *reduced = plane != NULL ? tosst_image_new (width, height, 1) : NULL;

  if (reduced == NULL)
    return NULL;
  memcpy (reduced->data, plane, (gsize)width * (gsize)height * sizeof *plane);
  reduced->maximum = 0;
  return reduced;
}

static gboolean
is_doubled (int width, int height)
{
  return (gint64)width * height <= LARGE;
}

TosstFrame *
tosst_frames_of_plane (const TosstFrameOptions *options, const float *plane, int width, int height, gsize *n,
                       const char *name, GError **error)
{
  TosstFrameOptions sized = *options;
  TosstFrame *frames, *copy;

  sized.doubled &= is_doubled (width, height);
  if (!tosst_error_from_status (tosst_frames (&sized, plane, width, height, &frames, n), NULL, name, error))
    return NULL;
  copy = frames != NULL ? g_memdup2 (frames, *n * sizeof *frames) : NULL;
  free (frames);
  if (copy == NULL)
    tosst_fail_empty (error, name, _ ("has no frames: %d × %d pixels are too few, or flat"), width, height);
  return copy;
}

void
tosst_frames_to_image (TosstFrame *frames, gsize n, int width, int height, const TosstImage *image)
{
  double across = (double)image->width / width, down = (double)image->height / height;

  for (gsize i = 0; i < n; i++)
    {
      frames[i].x = (float)((frames[i].x + 0.5) * across - 0.5);
      frames[i].y = (float)((frames[i].y + 0.5) * down - 0.5);
      for (int k = 0; k < 4; k++)
        frames[i].a[k] *= (float)(k < 2 ? across : down);
    }
}

TosstFrame *
tosst_frames_of_image (const TosstRecipe *recipe, const TosstImage *image, gsize *n, gboolean *found, const char *name,
                       GError **error)
{
  int width = 0, height = 0;
  g_autofree float *plane = tosst_image_grey (image, recipe->descriptor.longest_side, &width, &height);
  g_autoptr (GError) cause = NULL;
  TosstFrameOptions options;

  tosst_recipe_frame_options (recipe, &options);
  if (plane == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, name, error), NULL;
  TosstFrame *frames = tosst_frames_of_plane (&options, plane, width, height, n, name, &cause);
  if (found != NULL)
    *found = frames != NULL;
  if (frames != NULL)
    tosst_frames_to_image (frames, *n, width, height, image);
  else if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_EMPTY))
    {
      /* In the middle. */
      float scale = (float)(MIN (image->width, image->height) / (2 * TOSST_FRAME_EXTENT));

      frames = g_new (TosstFrame, 1);
      *frames = (TosstFrame){ .x = 0.5f * (float)(image->width - 1),
                              .y = 0.5f * (float)(image->height - 1),
                              .a = { scale, 0, 0, scale } };
      *n = 1;
    }
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  return frames;
}

gboolean
tosst_frames_are_same (const TosstRecipe *a, const TosstRecipe *b)
{
  return a->descriptor.frames == b->descriptor.frames && a->descriptor.detector == b->descriptor.detector
         && a->descriptor.affine == b->descriptor.affine && a->descriptor.upright == b->descriptor.upright
         && a->descriptor.most == b->descriptor.most && a->descriptor.finest == b->descriptor.finest
         && a->descriptor.longest_side == b->descriptor.longest_side;
}

gsize
tosst_frames_nearest (const TosstFrame *frames, gsize n, double x, double y)
{
  gsize nearest = 0;

  for (gsize i = 1; i < n; i++)
    if (hypot (frames[i].x - x, frames[i].y - y) < hypot (frames[nearest].x - x, frames[nearest].y - y))
      nearest = i;
  return nearest;
}

gsize
tosst_frames_at_most (const TosstRecipe *recipe, int width, int height)
{
  return recipe->descriptor.most > 0 ? (gsize)recipe->descriptor.most : (gsize)width * (gsize)height / SPARSEST + 1;
}

gsize
tosst_frames_expected (const TosstRecipe *recipe, int width, int height)
{
  gsize most = tosst_frames_at_most (recipe, width, height);
  gsize each = recipe->descriptor.detector == TOSST_DETECTOR_DOG ? DOG_PIXELS : HESSIAN_PIXELS;

  return recipe->descriptor.frames == TOSST_FRAMES_KEYPOINTS ? MIN (most, (gsize)width * (gsize)height / each + 1)
                                                             : most;
}

gsize
tosst_frames_bytes (const TosstRecipe *recipe, int width, int height)
{
  TosstFrameOptions options;

  tosst_recipe_frame_options (recipe, &options);
  if (options.dense)
    return 0;
  return (gsize)width * (gsize)height * DETECTOR_BYTES * (options.doubled && is_doubled (width, height) ? 4 : 1);
}
