/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/image/io.h"

#include "core/base/error.h"
#include "core/image/private.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

/* Many grey images are stored in colour (mainly palettes); one plane is sufficient. */
static void
drop_equal_channels (TosstImage *image)
{
  gsize pixels = (gsize)image->width * (gsize)image->height;
  float *smaller;

  if (image->channels != 3 || memcmp (image->data, image->data + pixels, pixels * sizeof (float)) != 0
      || memcmp (image->data, image->data + 2 * pixels, pixels * sizeof (float)) != 0)
    return;
  image->channels = 1;
  smaller = realloc (image->data, pixels * sizeof (float));
  if (smaller != NULL)
    image->data = smaller;
}

/* Moves each pixel to where it is seen. Stored images of orientation 2, 3, 7 and 8 begin at the right, those of 3, 4, 6 and
 * 7 at the bottom, and 5 to 8 have columns for rows. */
static gboolean
turn (TosstImage *image, int orientation)
{
  gsize width = (gsize)image->width, height = (gsize)image->height, plane = width * height;
  gboolean right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  gboolean bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  g_autofree float *copy = orientation != 1 ? g_try_new (float, plane) : NULL;

  if (orientation == 1 || copy == NULL)
    return orientation == 1;
  for (int c = 0; c < image->channels; c++)
    {
      float *out = image->data + (gsize)c * plane;

      memcpy (copy, out, plane * sizeof *out);
      for (gsize y = 0; y < height; y++)
        for (gsize x = 0; x < width; x++)
          {
            gsize across = right ? width - 1 - x : x, down = bottom ? height - 1 - y : y;

            out[orientation < 5 ? down * width + across : across * height + down] = copy[y * width + x];
          }
    }
  if (orientation >= 5)
    {
      image->width = (int)height;
      image->height = (int)width;
    }
  return TRUE;
}

static TosstImage *
decode (const TosstImageFile *file, int divisor, GError **error)
{
  TosstImage *image;

  switch (file->probe.format)
    {
    case TOSST_IMAGE_FORMAT_PNG:
      image = tosst_image_decode_png (file, divisor, error);
      break;
    case TOSST_IMAGE_FORMAT_WIDE_TIFF:
      image = tosst_image_decode_tiff (file, divisor, error);
      break;
    case TOSST_IMAGE_FORMAT_PNM:
      image = tosst_image_decode_pnm (file, divisor, error);
      break;
    default:
      image = tosst_image_decode_pixbuf (file, divisor, error);
    }
  if (image == NULL)
    return NULL;
  drop_equal_channels (image);
  if (turn (image, file->probe.orientation))
    return image;
  tosst_image_free (image);
  return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: not enough memory"), file->name), NULL;
}

/* reduced: to about that side; else for a use that reduces the image to it, 0: none. */
static TosstImage *
read_image (GFile *file, gsize max_bytes, int side, gboolean reduced, GError **error)
{
  TosstImage *image = NULL;
  TosstImageFile self;
  int divisor;

  if (!tosst_image_file_open (&self, file, error))
    return NULL;
  divisor = reduced ? MAX (1, MAX (self.width, self.height) / side)
                    : tosst_image_probe_divisor (&self.probe, side, max_bytes);
  if (tosst_image_probe_fits (&self.probe, self.name, divisor, max_bytes, error))
    image = decode (&self, divisor, error);
  tosst_image_file_clear (&self);
  return image;
}

TosstImage *
tosst_image_read (GFile *file, gsize max_bytes, GError **error)
{
  return read_image (file, max_bytes, 0, FALSE, error);
}

TosstImage *
tosst_image_read_for (GFile *file, int side, gsize max_bytes, GError **error)
{
  return read_image (file, max_bytes, side, FALSE, error);
}

TosstImage *
tosst_image_read_reduced (GFile *file, int side, GError **error)
{
  return read_image (file, 0, side, TRUE, error);
}
