/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "recipe.h"

G_BEGIN_DECLS

/* An image as large as it fits, with the grids of patches and blocks over it; what is under the pointer is outlined. */
#define STUDIO_TYPE_IMAGE_VIEW (studio_image_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageView, studio_image_view, STUDIO, IMAGE_VIEW, GtkWidget)

void studio_image_view_set_texture (StudioImageView *self, GdkTexture *texture);
/* Pixels; step 0 or size 0: no such grid. */
void studio_image_view_set_patches (StudioImageView *self, int size, int step, gboolean visible);
void studio_image_view_set_blocks (StudioImageView *self, int size, int step, gboolean visible);

G_END_DECLS
