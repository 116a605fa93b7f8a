/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cairo.h>
#include <gio/gio.h>

#include "engine/dictionary/dictionary.h"

G_BEGIN_DECLS

/* Pictures of numbers, drawn with Pango and Cairo by one code for the window, SVG, PDF and PNG. Nothing here knows GTK.
 * No drawing paints its background: the caller's shows through (dark asks for near black). Files get white paper.
 * Labels follow the user's locale. */

/* Colours and sizes of a picture: light, dark, high contrast. Series colours are safe for colour-blind eyes
 * (Okabe-Ito). */
typedef struct
{
  gboolean dark, high_contrast;
  const char *font; /* family, "Sans" */
  double font_size; /* in points of the drawing */
  double boldness;  /* of lines and marks, relative to what is usual; 0: 1 */
} TosstChartStyle;

/* A curve chart. Owns its series; points are appended one by one, in any order of x. Drawing keeps extremes (min and
 * max per pixel column). NaN and infinity leave a gap and an upright mark on the x axis, values at or below zero on a
 * logarithmic y axis a triangle; neither changes the range. Names stand at the right ends of the curves, if there is
 * more than one. */
typedef struct TosstChart TosstChart;

TosstChart *tosst_chart_new (const char *title, const char *x_label, const char *y_label);
TosstChart *tosst_chart_copy (TosstChart *self); /* to draw in another thread while this one grows */
void tosst_chart_free (TosstChart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstChart, tosst_chart_free)

guint tosst_chart_add_series (TosstChart *self, const char *name); /* its index, also the colour's */
void tosst_chart_set_series_visible (TosstChart *self, guint series, gboolean visible);
void tosst_chart_append (TosstChart *self, guint series, double x, double y);
void tosst_chart_append_error (TosstChart *self, guint series, double x, double y,
                               double deviation); /* with an error bar */
void tosst_chart_clear (TosstChart *self);        /* points, not series */
gsize tosst_chart_points (TosstChart *self, guint series);
void tosst_chart_set_logarithmic (TosstChart *self, gboolean x, gboolean y);
void tosst_chart_get_logarithmic (TosstChart *self, gboolean *x, gboolean *y);
void tosst_chart_set_integer_x (TosstChart *self, gboolean integer); /* x counts something: whole ticks only */
/* x has names instead of numbers, copied; a point's x is the number of its name, from 0. Points of one name stand side
 * by side, each series with a mark of its own, and no line joins them. n is 0: numbers again. */
void tosst_chart_set_categories (TosstChart *self, const char *const *names, guint n);
void tosst_chart_set_title (TosstChart *self, const char *title);
void tosst_chart_set_x_label (TosstChart *self, const char *label);

/* The visible range; unset (NaN, or low >= high) follows the data with nice ends. y always follows what is in sight. */
void tosst_chart_set_x_range (TosstChart *self, double low, double high);
void tosst_chart_get_x_range (TosstChart *self, double *low, double *high);

/* Nice ends of the y axis stop here, as at 0 and 100 %; data beyond are shown all the same. NaN: no bound, as at first.
 * */
void tosst_chart_set_y_bounds (TosstChart *self, double low, double high);

/* Draws into (0, 0, width, height). */
void tosst_chart_draw (TosstChart *self, cairo_t *cr, double width, double height, const TosstChartStyle *style);
/* After a draw: nearest point to a pointer position. FALSE if none is near. x_at, y_at: where it was drawn. */
gboolean tosst_chart_pick (TosstChart *self, double pointer_x, double pointer_y, guint *series, double *x, double *y,
                           double *x_at, double *y_at);
/* After a draw: a point by its number, in order of x, and where it lies; y_at is at the foot of the plot where y cannot
 * be drawn. FALSE: there is none. For keyboard navigation. */
gboolean tosst_chart_point (TosstChart *self, guint series, gsize number, double *x, double *y, double *x_at,
                            double *y_at);
guint tosst_chart_series (TosstChart *self);
gboolean tosst_chart_series_visible (TosstChart *self, guint series);
/* The colour of a series in pictures of this style: red, green, blue, 0 to 1. */
void tosst_chart_color (const TosstChartStyle *style, guint series, double rgb[3]);
/* Smallest and largest x that can be drawn, of the series that are visible; infinite (empty) if there is none. */
void tosst_chart_x_extent (TosstChart *self, double *low, double *high);

/* After a draw: the plot's inner rectangle, and x of a pointer position, for pan and zoom. */
void tosst_chart_plot_area (TosstChart *self, double *x, double *y, double *width, double *height);
double tosst_chart_x_at (TosstChart *self, double pointer_x);
/* A text for a point, for tooltips: "Paper, (i): 93.9 ± 0.2". New. */
char *tosst_chart_describe_point (TosstChart *self, guint series, double x, double y);
/* One translated sentence for a screen reader: "Objective over iterations: 12 points, from 310 down to 120"; with names
 * on the x axis what each has. */
char *tosst_chart_describe (TosstChart *self);
/* A header line (the x label, then a column per series, and one "NAME deviation" after it if it has error bars), then a
 * line per distinct x, ascending, its name where x has names; empty where a series has no point; numbers in the C
 * locale, NaN as nan. Hidden series too. */
char *tosst_chart_to_csv (TosstChart *self);

/* Confusion matrix: counts classes x classes, row = true class. Colours grow with the logarithm of the count, the
 * diagonal in a quieter hue; a zero cell shows the background. Labels are thinned when there is no room. */
void tosst_draw_confusion (cairo_t *cr, double width, double height, const TosstChartStyle *style, const int *counts,
                           guint classes, const char *const *names);
/* The cell under a position in the same drawing. */
gboolean tosst_confusion_pick (double width, double height, const TosstChartStyle *style, guint classes,
                               const char *const *names, double pointer_x, double pointer_y, guint *row, guint *column);

/* How high the same drawing is that fills a width. */
double tosst_confusion_height (double width, const TosstChartStyle *style, guint classes, const char *const *names);

/* Where that cell is. */
void tosst_confusion_cell (double width, double height, const TosstChartStyle *style, guint classes,
                           const char *const *names, guint row, guint column, double *x, double *y, double *side);

/* A symmetric matrix (d x d) as a heat map, diverging colours about 0 when it has negative entries, else sequential;
 * NaN in magenta. With indices from 1 and a colour bar unless it is a thumbnail (smaller than 12 times the font size).
 * */
void tosst_draw_matrix (cairo_t *cr, double width, double height, const TosstChartStyle *style, const double *matrix,
                        int d);
/* The same for rows x columns, C order. */
void tosst_draw_oblong_matrix (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                               const double *matrix, int rows, int columns);

/* Saves what draw paints, by the suffix of the file: .svg, .pdf, .png (scaled by 2). Atomic. Errors:
 * TOSST_FAILED_OUTPUT. */
typedef void (*TosstDrawFunc) (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data);
gboolean tosst_draw_save (TosstDrawFunc draw, gpointer data, double width, double height, GFile *file, GError **error);
/* Checks name and folder as tosst_draw_save() would; called before long work. */
gboolean tosst_draw_check (GFile *file, GError **error);
gboolean tosst_chart_save (TosstChart *self, double width, double height, GFile *file, GError **error);

G_END_DECLS
