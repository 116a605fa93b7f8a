/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/image/probe.h"
#include "engine/image/image.h"

G_BEGIN_DECLS

/* For io.c alone: three equal channels stay three. name opens the sentence of an error; probe is checked already,
 * a file that no longer agrees with it is refused. divisor: one pixel for each square of that side, its mean; 1: all. */
TosstImage *tosst_image_decode_png (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                    GError **error);

G_END_DECLS
