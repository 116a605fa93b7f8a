/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/image/io.h"

#include "core/image/private.h"
#include "core/image/probe.h"

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

static TosstImage *
read_image (GFile *file, gsize max_bytes, int side, GError **error)
{
  g_autofree char *name = tosst_image_display_name (file);
  TosstImage *image;
  TosstImageProbe probe;
  int divisor;

  /* libpng detects truncated files; GdkPixbuf does not always. */
  if (!tosst_image_probe (file, FALSE, &probe, error) || !tosst_image_probe_fits (&probe, name, max_bytes, error))
    return NULL;
  divisor = side > 0 ? MAX (1, MAX (probe.width, probe.height) / side) : 1;
  if (probe.format == TOSST_IMAGE_FORMAT_PNG)
    image = tosst_image_decode_png (file, name, &probe, divisor, error);
  else if (probe.format == TOSST_IMAGE_FORMAT_WIDE_TIFF)
    image = tosst_image_decode_tiff (file, name, &probe, divisor, error);
  else if (!tosst_image_probe (file, TRUE, &probe, error))
    image = NULL;
  else if (probe.format == TOSST_IMAGE_FORMAT_PNM)
    image = tosst_image_decode_pnm (file, name, &probe, divisor, error);
  else
    image = tosst_image_decode_pixbuf (file, name, &probe, divisor, error);
  if (image != NULL)
    drop_equal_channels (image);
  return image;
}

TosstImage *
tosst_image_read (GFile *file, gsize max_bytes, GError **error)
{
  return read_image (file, max_bytes, 0, error);
}

TosstImage *
tosst_image_read_reduced (GFile *file, int side, GError **error)
{
  return read_image (file, 0, side, error);
}
