/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "tosst/describe.h"

G_BEGIN_DECLS

/* An image for repeated access to its parts, stored at the depth of its file: one or two bytes a sample instead of
 * four. */
typedef struct StudioKeptImage StudioKeptImage;

StudioKeptImage *studio_kept_image_new (TosstImage *image); /* takes ownership */
void studio_kept_image_free (StudioKeptImage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioKeptImage, studio_kept_image_free)

/* The part of the image that the descriptor of the square of size pixels at *x, *y needs, with the margin of its
 * derivatives, new; *x, *y receive the position of the square in it. Features there equal those of the whole image to
 * the bit; a square that exceeds the whole exceeds the part, too. NULL: out of memory. */
TosstImage *studio_kept_image_cut (const StudioKeptImage *self, int size, int *x, int *y);

G_END_DECLS
