/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* For probe.c: how long a BMP or PNM file of this size must be at least, from its first n bytes. Decoders of
 * these formats fill what is missing with black. *format becomes its name; 0 where nothing can be said. */
guint64 tosst_image_raw_bytes (const guint8 *head, gsize n, int width, int height, const char **format);

G_END_DECLS
