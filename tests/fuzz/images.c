/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/error.h"
#include "core/image/io.h"
#include "core/image/probe.h"
#include "targets.h"

/* Larger images take time only. */
#define MAX_BYTES (1 << 20)

static void
check (TosstImage *image, int width, int height)
{
  double sum = 0;

  FUZZ_ASSERT (image->channels == 1 || image->channels == 3);
  FUZZ_ASSERT (width == 0 || (image->width == width && image->height == height));
  for (gsize i = 0; i < (gsize)image->width * (gsize)image->height * (gsize)image->channels; i++)
    sum += image->data[i];
  FUZZ_ASSERT (sum >= 0);
}

/* Whole and reduced. What is of another format belongs to another target. */
static void
read_image (const guint8 *data, gsize size, guint formats)
{
  GFile *file = fuzz_file (data, size);
  g_autoptr (TosstImage) image = NULL, reduced = NULL;
  g_autoptr (GError) error = NULL;
  TosstImageProbe probe;

  if (!tosst_image_probe (file, FALSE, &probe, NULL) || !(formats & 1u << probe.format))
    return;
  image = tosst_image_read (file, MAX_BYTES, &error);
  FUZZ_ASSERT ((image != NULL) == (error == NULL));
  if (image)
    check (image, probe.width, probe.height);
  if (tosst_image_probe_fits (&probe, "", MAX_BYTES, NULL))
    reduced = tosst_image_read_reduced (file, 4, NULL);
  if (reduced)
    check (reduced, 0, 0);
}

void
fuzz_png (const guint8 *data, gsize size)
{
  read_image (data, size, 1u << TOSST_IMAGE_FORMAT_PNG);
}

void
fuzz_pnm (const guint8 *data, gsize size)
{
  read_image (data, size, 1u << TOSST_IMAGE_FORMAT_PNM);
}

void
fuzz_tiff (const guint8 *data, gsize size)
{
  read_image (data, size, 1u << TOSST_IMAGE_FORMAT_WIDE_TIFF);
}

void
fuzz_pixbuf (const guint8 *data, gsize size)
{
  read_image (data, size,
              1u << TOSST_IMAGE_FORMAT_GIF | 1u << TOSST_IMAGE_FORMAT_JPEG | 1u << TOSST_IMAGE_FORMAT_OTHER);
}
