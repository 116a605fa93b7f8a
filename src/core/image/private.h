/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/image/probe.h"

/* An image file that is open, for io.c and the decoders. */
typedef struct
{
  int fd;
  char *name;        /* without its folder: starts the sentence of an error */
  guint64 size;      /* of the file, in bytes */
  int width, height; /* as stored; those of probe are turned */
  TosstImageProbe probe;
} TosstImageFile;

/* Decoders, for io.c. A file that no longer matches its header is rejected. Each pixel is the mean of a square of
 * divisor x divisor pixels, and has the place in which it is stored. They return a new image, or NULL with error. */

/* Keeps three channels even if they are equal. */
TosstImage *tosst_image_decode_png (const TosstImageFile *file, int divisor, GError **error);
/* The first page of a TIFF file, mirrored as its orientation is; it is transposed for 5 to 8 only. */
TosstImage *tosst_image_decode_tiff (const TosstImageFile *file, int divisor, GError **error);

/* Headers, for io.c; FALSE for other formats. */

/* *wide: samples of more than 8 bits, of which GdkPixbuf keeps 8 bits or fewer. */
gboolean tosst_image_tiff_header (const TosstImageFile *file, guint32 *width, guint32 *height, gboolean *wide,
                                  guint16 *orientation);
