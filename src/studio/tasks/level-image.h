/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/image/image.h"

G_BEGIN_DECLS

/* An image of which parts are looked at again and again, in as few bytes as its file has levels: a byte or two a sample
 * instead of four. */
typedef struct StudioKeptImage StudioKeptImage;

StudioKeptImage *studio_kept_image_new (TosstImage *image); /* takes it */
void studio_kept_image_free (StudioKeptImage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioKeptImage, studio_kept_image_free)

/* What describing the square of size pixels at *x, *y needs: that part with what its derivatives see, new, and in *x, *y
 * where the square lies in it. Features there are to the bit what they are in the whole; a square that leaves the whole leaves that part, too. NULL: not
 * enough memory. */
TosstImage *studio_kept_image_cut (const StudioKeptImage *self, int size, int *x, int *y);

G_END_DECLS
