/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/tasks/level-image.h"

#include <stdlib.h>
#include <string.h>

#define SEEN 2 /* pixels beyond a patch: derivatives need one, and borders are those of the image */

struct StudioKeptImage
{
  TosstImage *image; /* without data, unless it has other values than levels */
  gpointer levels;   /* guint8 or guint16, from malloc, or NULL */
};

static gsize
samples_of (const TosstImage *image)
{
  return (gsize)image->width * image->height * image->channels;
}

static gboolean
is_narrow (const TosstImage *image)
{
  return image->maximum > 0 && image->maximum <= G_MAXUINT8;
}

/* In place: a level is never stored behind its sample. */
static gpointer
pack (TosstImage *image)
{
  gsize n = samples_of (image), size = is_narrow (image) ? sizeof (guint8) : sizeof (guint16);
  guint8 *levels = (guint8 *)image->data;
  float maximum = (float)image->maximum;
  gpointer less;

  for (gsize i = 0; i < n; i++)
    {
      guint16 level = (guint16)(image->data[i] * maximum + 0.5f);

      if (size == sizeof (guint8))
        levels[i] = (guint8)level;
      else
        memcpy (levels + i * size, &level, size);
    }
  less = realloc (levels, n * size);
  image->data = NULL;
  return less != NULL ? less : levels;
}

StudioKeptImage *
studio_kept_image_new (TosstImage *image)
{
  StudioKeptImage *self = g_new0 (StudioKeptImage, 1);

  self->image = image;
  if (image->maximum > 0 && image->maximum <= G_MAXUINT16)
    self->levels = pack (image);
  return self;
}

void
studio_kept_image_free (StudioKeptImage *self)
{
  tosst_image_free (self->image);
  free (self->levels);
  g_free (self);
}

/* n samples, starting with number first. */
static void
copy_samples (const StudioKeptImage *self, gsize first, int n, float *out)
{
  float maximum = (float)self->image->maximum;

  if (self->levels == NULL)
    memcpy (out, self->image->data + first, sizeof *out * n);
  else if (is_narrow (self->image))
    for (int i = 0; i < n; i++)
      out[i] = ((const guint8 *)self->levels)[first + i] / maximum;
  else
    for (int i = 0; i < n; i++)
      out[i] = ((const guint16 *)self->levels)[first + i] / maximum;
}

TosstImage *
studio_kept_image_cut (const StudioKeptImage *self, int size, int *x, int *y)
{
  const TosstImage *all = self->image;
  int left = CLAMP (*x - SEEN, 0, all->width - 1), right = CLAMP (*x + size + SEEN, left + 1, all->width);
  int top = CLAMP (*y - SEEN, 0, all->height - 1), bottom = CLAMP (*y + size + SEEN, top + 1, all->height);
  TosstImage *part = tosst_image_new (right - left, bottom - top, all->channels);

  if (part == NULL)
    return NULL;
  part->maximum = all->maximum;
  for (int c = 0; c < part->channels; c++)
    for (int row = 0; row < part->height; row++)
      copy_samples (self, ((gsize)c * all->height + top + row) * all->width + left, part->width,
                    part->data + ((gsize)c * part->height + row) * part->width);
  *x -= left;
  *y -= top;
  return part;
}
