/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/plot/chart.h"

/* Font size of the interface's text there, in pixels. */
double studio_font_size (GtkWidget *widget);

/* The chart style that matches the widget: light or dark, contrast, and the interface's font. */
void studio_chart_style (GtkWidget *widget, TosstChartStyle *style);

/* Renders the output of draw at width x height logical pixels, at the widget's scale: drawn once, shown many times. */
GdkTexture *studio_draw_texture (GtkWidget *widget, int width, int height, TosstDrawFunc draw, gpointer data);

/* Copies the drawing to the clipboard at twice its size in the widget, on white as in files. */
void studio_copy_drawing (GtkWidget *widget, TosstDrawFunc draw, gpointer data);

/* The same as studio_draw_texture() in any thread. */
GdkTexture *studio_draw_scaled (int width, int height, int scale, const TosstChartStyle *style, TosstDrawFunc draw,
                                gpointer data);

/* A matrix in diverging colours, each entry zoom x zoom pixels (tosst_atom_pixels()). */
GdkTexture *studio_matrix_texture (GtkWidget *widget, const double *matrix, int rows, int columns, int zoom);

/* A drawing that is kept until its widget has another size. texture NULL: to be drawn. */
typedef struct
{
  GdkTexture *texture;
  int width, height;
} StudioPicture;

/* Shows the drawing in the whole of the widget. */
void studio_snapshot_picture (GtkWidget *widget, GtkSnapshot *snapshot, StudioPicture *picture, TosstDrawFunc draw,
                              gpointer data);
/* Draws it again in the next frame. */
void studio_redraw_picture (GtkWidget *widget, StudioPicture *picture);

/* Calls refresh (widget) whenever scale, colours or contrast change, during the life of widget. */
void studio_watch_style (GtkWidget *widget, void (*refresh) (GtkWidget *widget));

/* Where the pointer is. */
typedef struct
{
  gboolean inside;
  double x, y;
} StudioPointer;

/* Keeps *pointer, a member of the widget, which is drawn again when that changes; moved: called before, or NULL. */
void studio_follow_pointer (gpointer widget, StudioPointer *pointer, void (*moved) (gpointer widget));

/* A label, plain or in Pango markup, on a rounded plate beside (x, y), kept inside the widget. */
void studio_snapshot_bubble (GtkWidget *widget, GtkSnapshot *snapshot, double x, double y, const char *text,
                             gboolean markup);
