/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/image/probe.h"
#include "tosst/describe.h"

G_BEGIN_DECLS

/* Decoders, for io.c. name starts the sentence of an error; probe has been checked, and a file that no longer
 * matches it is rejected. Each pixel is the mean of a square of divisor x divisor pixels. They return a new image, or
 * NULL with error. */

/* Keeps three channels even if they are equal. */
TosstImage *tosst_image_decode_png (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                    GError **error);
TosstImage *tosst_image_decode_pixbuf (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                       GError **error);
/* The first image of a PBM, PGM or PPM file; samples are divided by the maximum value in the header (1 to 65535). */
TosstImage *tosst_image_decode_pnm (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                    GError **error);
/* The first page of a TIFF file. */
TosstImage *tosst_image_decode_tiff (GFile *file, const char *name, const TosstImageProbe *probe, int divisor,
                                     GError **error);

/* Sizes, for probe.c; FALSE for other formats. */

/* PBM, PGM or PPM, text or binary. */
gboolean tosst_image_pnm_size (GFile *file, guint32 *width, guint32 *height);
/* TIFF with samples of more than 8 bits, of which GdkPixbuf keeps 8 bits or fewer. */
gboolean tosst_image_wide_tiff_size (GFile *file, guint32 *width, guint32 *height);

G_END_DECLS
