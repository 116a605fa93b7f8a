/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/base/error.h"
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

/* Whole and reduced. What is of another format, or begins with another byte, belongs to another target. */
static void
read_image (const guint8 *data, gsize size, guint formats, const char *first)
{
  GFile *file = fuzz_file (data, size);
  g_autoptr (TosstImage) image = NULL, reduced = NULL;
  g_autoptr (GError) error = NULL;
  TosstImageProbe probe;

  if (first != NULL && (size == 0 || data[0] == 0 || strchr (first, data[0]) == NULL))
    return;
  if (!tosst_image_probe (file, &probe, NULL) || !(formats & 1u << probe.format))
    return;
  image = tosst_image_read_for (file, 0, MAX_BYTES, &error);
  FUZZ_ASSERT ((image != NULL) == (error == NULL));
  FUZZ_ASSERT (probe.orientation >= 1 && probe.orientation <= 8);
  if (image)
    check (image, probe.width, probe.height);
  if (tosst_image_probe_fits (&probe, "", 1, MAX_BYTES, NULL))
    reduced = tosst_image_read_reduced (file, 4, NULL);
  if (reduced)
    check (reduced, 0, 0);
}

void
fuzz_png (const guint8 *data, gsize size)
{
  read_image (data, size, 1u << TOSST_IMAGE_FORMAT_PNG, "\211");
}

void
fuzz_pnm (const guint8 *data, gsize size)
{
  read_image (data, size, 1u << TOSST_IMAGE_FORMAT_PNM, "P");
}

void
fuzz_tiff (const guint8 *data, gsize size)
{
  read_image (data, size, 1u << TOSST_IMAGE_FORMAT_WIDE_TIFF, "IM");
}

void
fuzz_pixbuf (const guint8 *data, gsize size)
{
  read_image (data, size, 1u << TOSST_IMAGE_FORMAT_GIF | 1u << TOSST_IMAGE_FORMAT_JPEG | 1u << TOSST_IMAGE_FORMAT_OTHER,
              NULL);
}

/* In a JPEG file of 3 x 2 pixels: it exchanges the sides or does not, and the file is sound with any. */
void
fuzz_exif (const guint8 *data, gsize size)
{
  static const guint8 rest[] = { 0xFF, 0xC0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 17, 0, 0xFF, 0xDA, 0, 2, 0xFF, 0xD9 };
  guint length = (guint)MIN (size, 65525) + 8;
  guint8 head[] = { 0xFF, 0xD8, 0xFF, 0xE1, (guint8)(length >> 8), (guint8)length, 'E', 'x', 'i', 'f', 0, 0 };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  TosstImageProbe probe;

  g_byte_array_append (file, head, sizeof head);
  g_byte_array_append (file, data, length - 8);
  g_byte_array_append (file, rest, sizeof rest);
  FUZZ_ASSERT (tosst_image_probe (fuzz_file (file->data, file->len), &probe, NULL));
  FUZZ_ASSERT (probe.orientation >= 1 && probe.orientation <= 8);
  FUZZ_ASSERT (probe.width == (probe.orientation < 5 ? 3 : 2) && probe.height == 5 - probe.width);
}
