/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/data/dataset.h"
#include "core/plot/chart.h"
#include "core/recipe/recipe.h"
#include "tosst/local.h"

/* Coloured dots over an image: reference-counted (g_atomic_rc_box_acquire()), constant once filled, any thread. */
typedef struct
{
  float x, y;   /* position in [0, 1] */
  float radius; /* pixels of the image */
  float rgb[3];
} StudioImageMark;

typedef struct
{
  gsize n;
  StudioImageMark mark[];
} StudioImageMarks;

StudioImageMarks *studio_image_marks_new (gsize n);
void studio_image_marks_unref (StudioImageMarks *self);

/* An image scaled to fit, with the grids of patches and blocks over it, or the frames of patches; the cell under the
 * pointer is outlined. In choosing mode a click, dragging and the arrow keys (with Shift five steps) choose a patch.
 * Signals: "patch-chosen" (int x, int y), its top left corner in pixels of the image; "patch-activated" (the same) of
 * a double click anywhere, and of a click or Return on the chosen patch, with 0, 0 without a grid of patches;
 * "patch-hovered" (the same, -1: none), in hovering mode; "frames-found". Of frames x is a number and y 0. */
#define STUDIO_TYPE_IMAGE_VIEW (studio_image_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageView, studio_image_view, STUDIO, IMAGE_VIEW, GtkWidget)

/* width and height: of the image in pixels, the unit of the grids; the texture may be smaller. */
void studio_image_view_set_texture (StudioImageView *self, GdkTexture *texture, int width, int height);
GdkTexture *studio_image_view_get_texture (StudioImageView *self);                 /* NULL: none */
void studio_image_view_set_marks (StudioImageView *self, StudioImageMarks *marks); /* holds them; NULL: none */
/* Outlines a part of the image, left, top, right and bottom in [0, 1]; NULL: none. */
void studio_image_view_set_part (StudioImageView *self, const double part[4]);

/* Pixels; step 0 or size 0: no such grid. */
void studio_image_view_set_patches (StudioImageView *self, int size, int step, gboolean visible);
/* Patches at the frames of an image of a data set by the recipe instead of a grid. They are found in the background. */
void studio_image_view_set_frames (StudioImageView *self, TosstDataset *dataset, guint image, const TosstRecipe *recipe,
                                   gboolean visible);
const TosstFrame *studio_image_view_get_frame (StudioImageView *self, int number); /* NULL: not found, or a grid */
/* The patch in words: its place and size, as the signals tell its place. New. */
char *studio_image_view_describe (StudioImageView *self, int x, int y);
void studio_image_view_set_blocks (StudioImageView *self, int size, int step, gboolean visible);
/* Hovering mode: reports the patch under the pointer or the arrow keys with "patch-hovered"; the owner describes it. */
void studio_image_view_set_hovers (StudioImageView *self, gboolean hovers);
void studio_image_view_set_chooses (StudioImageView *self, gboolean chooses);
void studio_image_view_set_chosen (StudioImageView *self, int x, int y); /* -1: none */

/* A copy of the image and its grids, to be drawn elsewhere: plain data, any thread. */
typedef struct StudioImageSheet StudioImageSheet;

StudioImageSheet *studio_image_view_copy (StudioImageView *self); /* NULL: there is no image */
void studio_image_sheet_free (StudioImageSheet *self);
/* Size at which the lines of the grids are visible: at least side, and at least one unit per pixel. */
void studio_image_sheet_size (const StudioImageSheet *self, double side, double *width, double *height);
/* A TosstDrawFunc; data is the sheet. */
void studio_image_sheet_draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data);
