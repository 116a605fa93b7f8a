/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/describe.h"

typedef enum
{
  TOSST_IMAGE_FORMAT_PNG,
  TOSST_IMAGE_FORMAT_GIF,
  TOSST_IMAGE_FORMAT_JPEG,
  TOSST_IMAGE_FORMAT_WIDE_TIFF, /* 16 bits per sample */
  TOSST_IMAGE_FORMAT_PNM,
  TOSST_IMAGE_FORMAT_OTHER, /* decoded by GdkPixbuf */
} TosstImageFormat;

/* Header of an image file. */
typedef struct
{
  TosstImageFormat format; /* detected by content, not by suffix */
  int width, height;       /* as seen */
  /* How decoded pixels are turned, 1 (not at all) to 8, by EXIF or TIFF. Decoders mirror TIFF themselves, which leaves
   * 1, 5 or 7. */
  int orientation;
  guint64 bytes; /* maximum memory for decoding: float32 planes and the decoder's buffers */
  guint64 fixed; /* of it: buffers that decoding at a lower resolution needs, too */
} TosstImageProbe;

/* Images that need more memory are decoded at a lower resolution where a use reduces them anyway. */
#define TOSST_IMAGE_WHOLE ((guint64)1500000000)

/* Reads the header, and follows the blocks of a PNG, GIF or JPEG file up to its end mark, without decoding, so that a
 * truncated file is an error. The sentence names the file without its folder. Thread-safe. */
gboolean tosst_image_probe (GFile *file, TosstImageProbe *probe, GError **error);

/* Side of the squares of the file whose means become pixels, for a use that reduces the image to a longest side of `side`
 * pixels (0: none). 1: all pixels, up to TOSST_IMAGE_WHOLE bytes and max_bytes; else a power of two that leaves at least twice
 * that side, if there is one. max_bytes: 0 for a half of the machine's memory, or of what control groups allow. */
int tosst_image_probe_divisor (const TosstImageProbe *probe, int side, gsize max_bytes);
/* Memory for decoding with a divisor. */
guint64 tosst_image_probe_bytes (const TosstImageProbe *probe, int divisor);
/* Returns FALSE with a sentence that states size and memory if that is more than max_bytes, as above. */
gboolean tosst_image_probe_fits (const TosstImageProbe *probe, const char *name, int divisor, gsize max_bytes,
                                 GError **error);

/* Name of the file for messages; new. */
char *tosst_image_display_name (GFile *file);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstImage, tosst_image_free)

/* Reads an image as float32 in [0, 1]: PNG (8 and 16 bit, grey, palette, alpha composed over black, interlaced) with
 * libpng, TIFF of 16 bits with libtiff, PNM of any depth, other formats with GdkPixbuf. Three equal channels give a
 * grey image. max_bytes: larger decoded images are rejected before decoding, with the required size in the error; 0: a half
 * of the machine's memory, or of what control groups allow. side: 0, or that to which the caller reduces the longest side: a large
 * image is decoded at a lower resolution, by tosst_image_probe_divisor(). Thread-safe. */
TosstImage *tosst_image_read_for (GFile *file, int side, gsize max_bytes, GError **error);

/* Reads a reduced image for display: its longer side has side to twice side pixels, each the mean of a square of the
 * file's pixels, or all of them if there are fewer. Memory: the reduced image and a row of the file; for interlaced
 * PNG and formats that GdkPixbuf cannot reduce while reading, all samples of the file. maximum is 0 for a reduced
 * image. */
TosstImage *tosst_image_read_reduced (GFile *file, int side, GError **error);

/* Writes an 8-bit PNG, grey or RGB, to a temporary file and renames it. */
gboolean tosst_image_write_png (const TosstImage *image, GFile *file, GError **error);
