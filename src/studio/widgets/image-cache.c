/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/image-cache.h"

#include <string.h>

#define SEEN 2 /* pixels beyond a patch: derivatives need one, and borders are those of the image */

static GMutex reading; /* by one thread at a time: others wait, as they mostly want the same image */
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
  *self = (StudioPixels){ read, tosst_dataset_ref (dataset), image, 1 };
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
