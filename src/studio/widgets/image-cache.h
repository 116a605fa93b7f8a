/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "tosst/describe.h"

G_BEGIN_DECLS

/* The pixels of an image of a data set, shared by its texture and the descriptions of its patches: an image is decoded
 * once, as long as one of them holds it. Any thread. */
typedef struct
{
  TosstImage *image;
  TosstDataset *dataset;
  guint number;
  guint references;
} StudioPixels;

StudioPixels *studio_pixels_get (TosstDataset *dataset, guint image, GError **error); /* a reference; NULL: an error */
void studio_pixels_unref (StudioPixels *self);
gboolean studio_pixels_are (const StudioPixels *self, TosstDataset *dataset, guint image); /* NULL: no */

/* The part of the image that the descriptor of the square of size pixels at *place needs, with the margin of its
 * derivatives, new; *place receives the position of the square in it. Features there equal those of the whole image to
 * the bit; a square that exceeds the whole exceeds the part, too. NULL: out of memory. */
TosstImage *studio_image_cut (const TosstImage *image, int size, TosstPoint *place);

G_END_DECLS
