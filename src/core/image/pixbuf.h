/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/image/probe.h"
#include "engine/image/image.h"

G_BEGIN_DECLS

/* For io.c alone, as tosst_image_decode_png(). */
TosstImage *tosst_image_decode_pixbuf (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                       GError **error);

G_END_DECLS
