/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/image/probe.h"
#include "engine/image/image.h"

G_BEGIN_DECLS

/* For probe.c: the size of a TIFF whose samples have more than 8 bits, of which GdkPixbuf would keep 8 or none;
 * FALSE: it is none. */
gboolean tosst_image_wide_tiff_size (GFile *file, guint32 *width, guint32 *height);
/* For io.c: the first page of such a file. name, probe and divisor are as in png.h. */
TosstImage *tosst_image_decode_tiff (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                     GError **error);

G_END_DECLS
