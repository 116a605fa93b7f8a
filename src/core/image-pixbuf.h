/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "image-probe.h"
#include "image/image.h"

G_BEGIN_DECLS

/* For image-io.c alone, as tosst_image_decode_png(). */
TosstImage *tosst_image_decode_pixbuf (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                       GError **error);

G_END_DECLS
