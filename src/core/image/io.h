/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/describe.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstImage, tosst_image_free)

/* Reads an image as float32 in [0, 1]: PNG (8 and 16 bit, grey, palette, alpha composed over black, interlaced) with
 * libpng, TIFF of 16 bits with libtiff, PNM of any depth, other formats with GdkPixbuf. Three equal channels give a
 * grey image. max_bytes: larger decoded images are rejected before decoding, with the required size in the error; 0: a half
 * of the machine's memory, or of what control groups allow. Thread-safe. */
TosstImage *tosst_image_read (GFile *file, gsize max_bytes, GError **error);
/* The same for a use that reduces the image to a longest side of `side` pixels: a large one is decoded at a lower resolution,
 * by tosst_image_probe_divisor(). */
TosstImage *tosst_image_read_for (GFile *file, int side, gsize max_bytes, GError **error);

/* Reads a reduced image for display: its longer side has side to twice side pixels, each the mean of a square of the
 * file's pixels, or all of them if there are fewer. Memory: the reduced image and a row of the file; for interlaced
 * PNG and formats that GdkPixbuf cannot reduce while reading, all samples of the file. maximum is 0 for a reduced
 * image. */
TosstImage *tosst_image_read_reduced (GFile *file, int side, GError **error);

/* Writes an 8-bit PNG, grey or RGB, to a temporary file and renames it. */
gboolean tosst_image_write_png (const TosstImage *image, GFile *file, GError **error);
