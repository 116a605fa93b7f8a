/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/image-cache.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/frames.h"
#include "core/dictionary/describe-patches.h"

#define SEEN 2 /* pixels beyond a patch: derivatives need one, and borders are those of the image */

static GMutex reading; /* by one thread at a time: others wait, as they mostly want the same image */
static GMutex finding; /* of frames, by one thread at a time */
static GMutex lock;    /* of what follows and of references; never held for long, as the main thread takes it, too */
static StudioPixels *last; /* not a reference; NULL: none is held */

gboolean
studio_pixels_are (const StudioPixels *self, TosstDataset *dataset, guint image)
{
  return self != NULL && self->dataset == dataset && self->number == image;
}

static StudioPixels *
find (TosstDataset *dataset, guint image)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  if (!studio_pixels_are (last, dataset, image))
    return NULL;
  last->references++;
  return last;
}

StudioPixels *
studio_pixels_get (TosstDataset *dataset, guint image, GError **error)
{
  g_autoptr (GMutexLocker) reader G_GNUC_UNUSED = g_mutex_locker_new (&reading);
  StudioPixels *self = find (dataset, image);
  TosstImage *read = self == NULL ? tosst_dataset_read (dataset, image, error) : NULL;

  if (read == NULL)
    return self;
  self = g_new (StudioPixels, 1);
  *self = (StudioPixels){ read, tosst_dataset_ref (dataset), image, 1, NULL, NULL };
  g_mutex_lock (&lock);
  last = self;
  g_mutex_unlock (&lock);
  return self;
}

void
studio_pixels_unref (StudioPixels *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  if (--self->references > 0)
    return;
  if (last == self)
    last = NULL;
  tosst_image_free (self->image);
  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
  g_clear_pointer (&self->frames, g_array_unref);
  g_free (self);
}

GArray *
studio_pixels_frames (StudioPixels *self, const TosstRecipe *recipe, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&finding);
  g_autofree TosstFrame *frames = NULL;
  gsize n;

  if (self->recipe == NULL || !tosst_frames_are_same (self->recipe, recipe))
    {
      frames = tosst_frames_of_image (recipe, self->image, &n, NULL,
                                      tosst_dataset_image (self->dataset, self->number)->name, error);
      if (frames == NULL)
        return NULL;
      tosst_recipe_free (self->recipe);
      self->recipe = tosst_recipe_copy (recipe);
      g_clear_pointer (&self->frames, g_array_unref);
      self->frames = g_array_new (FALSE, FALSE, sizeof (TosstFrame));
      g_array_append_vals (self->frames, frames, (guint)n);
    }
  return g_array_ref (self->frames);
}

TosstImage *
studio_image_cut (const TosstImage *image, int size, TosstPoint *place)
{
  int left = CLAMP (place->x - SEEN, 0, image->width - 1);
  int right = CLAMP (place->x + size + SEEN, left + 1, image->width);
  int top = CLAMP (place->y - SEEN, 0, image->height - 1);
  int bottom = CLAMP (place->y + size + SEEN, top + 1, image->height);
  TosstImage *part = tosst_image_new (right - left, bottom - top, image->channels);

  if (part == NULL)
    return NULL;
  part->maximum = image->maximum;
  for (int c = 0; c < part->channels; c++)
    for (int row = 0; row < part->height; row++)
      memcpy (part->data + ((gsize)c * part->height + row) * part->width,
              image->data + ((gsize)c * image->height + top + row) * image->width + left,
              sizeof *part->data * part->width);
  place->x -= left;
  place->y -= top;
  return part;
}

TosstImage *
studio_patch_cut (StudioPixels *self, const TosstRecipe *recipe, TosstPoint *place, TosstFrame *frame, GError **error)
{
  g_autoptr (GArray) frames = NULL;
  TosstImage *cut;

  *frame = (TosstFrame){ 0 };
  if (!tosst_recipe_has_frames (recipe))
    cut = studio_image_cut (self->image, recipe->descriptor.patch, place);
  else if ((frames = studio_pixels_frames (self, recipe, error)) == NULL)
    return NULL;
  else
    {
      *frame = g_array_index (frames, TosstFrame, (guint)place->x % frames->len);
      cut = tosst_frame_patch (recipe, self->image, frame, place);
    }
  if (cut == NULL)
    tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, tosst_dataset_image (self->dataset, self->number)->name, error);
  return cut;
}

TosstStatus
studio_patch_describe (StudioPixels *self, const TosstRecipe *recipe, TosstContext *context, const TosstImage *cut,
                       TosstPoint place, const TosstFrame *frame, float *tensor)
{
  return tosst_recipe_has_frames (recipe) ? tosst_describe_frames (recipe, context, self->image, frame, 1, tensor)
                                          : tosst_describe_patches (recipe, context, cut, &place, 1, tensor);
}

GdkTexture *
studio_patch_texture (const TosstImage *image, TosstPoint place, int size)
{
  gsize plane = (gsize)image->width * (gsize)image->height;
  g_autoptr (GBytes) bytes = NULL;
  guint8 *pixels = g_malloc ((gsize)size * size * 3);

  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++)
      for (int c = 0; c < 3; c++)
        {
          gsize at = (gsize)(place.y + y) * image->width + (gsize)(place.x + x);
          float value = image->data[(gsize)(image->channels == 3 ? c : 0) * plane + at];

          pixels[3 * (y * size + x) + c] = (guint8)lroundf (255 * CLAMP (value, 0, 1));
        }
  bytes = g_bytes_new_take (pixels, (gsize)size * size * 3);
  return gdk_memory_texture_new (size, size, GDK_MEMORY_R8G8B8, bytes, (gsize)size * 3);
}

StudioPatchQuestion *
studio_patch_question_new (TosstDataset *dataset, guint image, const TosstRecipe *recipe, TosstPoint point)
{
  StudioPatchQuestion *self = g_new (StudioPatchQuestion, 1);

  *self = (StudioPatchQuestion){ tosst_dataset_ref (dataset), image, tosst_recipe_copy (recipe), point };
  return self;
}

void
studio_patch_question_free (gpointer question)
{
  StudioPatchQuestion *self = question;

  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
  g_free (self);
}
