/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"
#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* An image as large as it fits, with the grids of patches and blocks over it; what is under the pointer is outlined.
 * Where it chooses, a click, dragging and the arrow keys (with Shift five at a time) choose a patch. Signals:
 * "patch-chosen" (int x, int y), its top left corner in pixels of the image; "patch-activated" (the same) of a double
 * click anywhere; "patch-hovered" (the same, -1: none), where it hovers. */
#define STUDIO_TYPE_IMAGE_VIEW (studio_image_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageView, studio_image_view, STUDIO, IMAGE_VIEW, GtkWidget)

/* Of an image of that size in pixels, which counts for the grids; the texture may be smaller. */
void studio_image_view_set_texture (StudioImageView *self, GdkTexture *texture, int width, int height);
GdkTexture *studio_image_view_get_texture (StudioImageView *self); /* NULL: none */
/* Pixels; step 0 or size 0: no such grid. */
void studio_image_view_set_patches (StudioImageView *self, int size, int step, gboolean visible);
void studio_image_view_set_blocks (StudioImageView *self, int size, int step, gboolean visible);
/* Says which patch is pointed at, with the mouse or arrow keys, and leaves telling of it to its owner. */
void studio_image_view_set_hovers (StudioImageView *self, gboolean hovers);
void studio_image_view_set_chooses (StudioImageView *self, gboolean chooses);
void studio_image_view_set_chosen (StudioImageView *self, int x, int y); /* -1: none */

/* The image with the grids over it, as it is shown, to be drawn elsewhere: plain data, any thread. */
typedef struct StudioImageSheet StudioImageSheet;

StudioImageSheet *studio_image_view_copy (StudioImageView *self); /* NULL: there is no image */
void studio_image_sheet_free (StudioImageSheet *self);
/* At which lines of the grids are seen: as large as side, or pixel by pixel. */
void studio_image_sheet_size (const StudioImageSheet *self, double side, double *width, double *height);
/* A TosstDrawFunc; data is the sheet. */
void studio_image_sheet_draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data);

G_END_DECLS
