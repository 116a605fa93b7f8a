/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/image/probe.h"
#include "engine/image/image.h"

G_BEGIN_DECLS

/* Decoders, for io.c. name opens the sentence of an error; probe has been checked, and a file that no longer agrees with
 * it is refused. Each pixel is the mean of a square of divisor x divisor pixels. Returns a new image, or NULL with
 * error. */

/* Three equal channels stay three. */
TosstImage *tosst_image_decode_png (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                    GError **error);
TosstImage *tosst_image_decode_pixbuf (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                       GError **error);
/* The first image of a PBM, PGM or PPM file, each sample divided by the largest that the file allows (1 to 65535). */
TosstImage *tosst_image_decode_pnm (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                    GError **error);
/* The first page of a TIFF file. */
TosstImage *tosst_image_decode_tiff (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                     GError **error);

/* Sizes, for probe.c; FALSE if the file is of another format. */

/* PBM, PGM or PPM, of text or bytes. */
gboolean tosst_image_pnm_size (GFile *file, guint32 *width, guint32 *height);
/* TIFF with samples of more than 8 bits, of which GdkPixbuf would keep 8 or none. */
gboolean tosst_image_wide_tiff_size (GFile *file, guint32 *width, guint32 *height);

G_END_DECLS
