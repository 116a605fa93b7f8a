/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "engine/image/image.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstImage, tosst_image_free)

/* Reads an image as float32 in [0, 1]: PNG (8 and 16 bit, grey, palette, alpha composed over black, interlaced) by
 * libpng, TIFF with 16 bits by libtiff, PNM of any depth here, everything else by GdkPixbuf. Three equal channels give a
 * grey image. max_bytes: an image whose decoded size would be more is refused with the size it would need, before it is spent; 0: a quarter of the machine's
 * memory, and never more than 1.5 GB. Thread-safe. */
TosstImage *tosst_image_read (GFile *file, gsize max_bytes, GError **error);

/* To look at: its longer side has side to twice side pixels, each the mean of a square of the file's, or all of them where
 * they are fewer. What is needed in memory is the reduced image and a row of the file, but for interlaced PNG, where it
 * is all bytes of the file, and for formats that GdkPixbuf cannot reduce as it reads. maximum is 0 if it was reduced. */
TosstImage *tosst_image_read_reduced (GFile *file, int side, GError **error);

/* Size only, cheaply. */
gboolean tosst_image_read_size (GFile *file, int *width, int *height, GError **error);

/* 8-bit PNG, grey or RGB; written to a temporary name and renamed. */
gboolean tosst_image_write_png (const TosstImage *image, GFile *file, GError **error);

G_END_DECLS
