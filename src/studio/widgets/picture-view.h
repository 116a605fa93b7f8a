/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"
#include "core/plot/draw-slices.h"

G_BEGIN_DECLS

/* Shows a drawing of core, painted once per change of data, size or style. Its owner implements the bubble at the
 * pointer, clicks and arrow keys. */
#define STUDIO_TYPE_PICTURE_VIEW (studio_picture_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioPictureView, studio_picture_view, STUDIO, PICTURE_VIEW, GtkWidget)

/* The position of the pointer in a picture, and the parameters of the drawing. */
typedef struct
{
  double x, y, width, height;
  TosstChartStyle style;
} StudioPicturePoint;

/* All but draw may be NULL. */
typedef struct
{
  TosstDrawFunc draw;
  /* Describes the element under the pointer: new string for the bubble, at point->x, y, which it may change; NULL:
   * none. */
  char *(*label) (StudioPicturePoint *point, gpointer data);
  void (*pressed) (const StudioPicturePoint *point, gpointer data);
  /* An arrow key, Home, End or Return. TRUE: the key was handled. */
  gboolean (*key) (guint key, const StudioPicturePoint *size, gpointer data);
  /* Accessible description: new string. */
  char *(*describe) (gpointer data);
  gboolean symbols; /* labels name features, as "I_xx 3": the bubble typesets them like formulas */
} StudioPictureFuncs;

/* funcs: static. data is borrowed; NULL funcs: nothing is shown; set it before data is freed. */
void studio_picture_view_set_funcs (StudioPictureView *self, const StudioPictureFuncs *funcs, gpointer data);
void studio_picture_view_refresh (StudioPictureView *self); /* after data changed */

/* A label for a matrix: "I_x 3 × I_y 1: 0.12" of the number under the pointer, new; NULL beside it. */
char *studio_picture_matrix_label (const StudioPicturePoint *point, const TosstMatrixDrawing *drawing);

G_END_DECLS
