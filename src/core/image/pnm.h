/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/image/probe.h"
#include "engine/image/image.h"

G_BEGIN_DECLS

/* For probe.c: the size that a PBM, PGM or PPM file, of text or bytes, tells; FALSE: it is none. */
gboolean tosst_image_pnm_size (GFile *file, guint32 *width, guint32 *height);
/* For io.c: the first picture of such a file, each sample divided by the largest that the file allows, which is 1 to
 * 65535. name, probe and divisor are as in png.h. */
TosstImage *tosst_image_decode_pnm (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                    GError **error);

G_END_DECLS
