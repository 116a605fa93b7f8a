/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/image-cache.h"

#include <string.h>

#define SEEN 2 /* pixels beyond a patch: derivatives need one, and borders are those of the image */

static GMutex lock;
static StudioPixels *last; /* not a reference; NULL: none is held */

StudioPixels *
studio_pixels_get (TosstDataset *dataset, guint image, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock); /* also while reading: others wait for the same image */
  TosstImage *read;

  if (last != NULL && last->dataset == dataset && last->number == image)
    {
      last->references++;
      return last;
    }
  read = tosst_dataset_read (dataset, image, error);
  if (read == NULL)
    return NULL;
  last = g_new (StudioPixels, 1);
  *last = (StudioPixels){ read, tosst_dataset_ref (dataset), image, 1 };
  return last;
}

void
studio_pixels_unref (StudioPixels *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  if (--self->references > 0)
    return;
  if (last == self)
    last = NULL;
  tosst_image_free (self->image);
  tosst_dataset_unref (self->dataset);
  g_free (self);
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
