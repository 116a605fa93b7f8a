/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"
#include "core/plot/draw-slices.h"

G_BEGIN_DECLS

/* Shows what a drawing of core paints; painted once per change of data, size or style. What it means is up to its
 * owner: a bubble at the pointer, a click, arrow keys. */
#define STUDIO_TYPE_PICTURE_VIEW (studio_picture_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioPictureView, studio_picture_view, STUDIO, PICTURE_VIEW, GtkWidget)

/* Where the pointer is in a picture, and how that was drawn. */
typedef struct
{
  double x, y, width, height;
  TosstChartStyle style;
} StudioPicturePoint;

/* All but draw may be NULL. */
typedef struct
{
  TosstDrawFunc draw;
  /* What stands under the pointer: new string for the bubble, at point->x, y, which it may move; NULL: nothing. */
  char *(*label) (StudioPicturePoint *point, gpointer data);
  void (*pressed) (const StudioPicturePoint *point, gpointer data);
  /* An arrow key, Home, End or Return. TRUE: it meant something. */
  gboolean (*key) (guint key, const StudioPicturePoint *size, gpointer data);
  /* In words, for a screen reader: new string. */
  char *(*describe) (gpointer data);
  gboolean symbols; /* labels name features, as "I_xx 3": the bubble sets them as formulas do */
} StudioPictureFuncs;

/* funcs: static. data is borrowed; NULL funcs: nothing is shown, before data goes. */
void studio_picture_view_set_funcs (StudioPictureView *self, const StudioPictureFuncs *funcs, gpointer data);
void studio_picture_view_refresh (StudioPictureView *self); /* after data changed */

/* A label for a matrix: "I_x 3 × I_y 1: 0.12" of the number under the pointer, new; NULL beside it. */
char *studio_picture_matrix_label (const StudioPicturePoint *point, const TosstMatrixDrawing *drawing);

G_END_DECLS
