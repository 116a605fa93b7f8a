/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cairo.h>
#include <gio/gio.h>

#include "tosst/dictionary.h"

/* Charts drawn with Pango and Cairo by the same code for the window, SVG, PDF and PNG. No dependency on GTK.
 * Drawings do not paint a background: the caller's remains visible (dark expects near black). Files get a white
 * background. Labels follow the user's locale. */

/* Colours and sizes of a drawing: light, dark, high contrast. Series colours are safe for colour-blind readers
 * (Okabe-Ito). */
typedef struct
{
  gboolean dark, high_contrast;
  const char *font; /* family, "Sans" */
  double font_size; /* in units of the drawing, points */
  double boldness;  /* width of lines and marks relative to the default; 0: 1 */
  gboolean untitled;
  gboolean raster; /* for a page that is light or dark: cells of a matrix have the same colours on both */
} TosstChartStyle;

/* A curve chart. Owns its series; points are appended one by one, in any order of x. Dense curves are drawn by min
 * and max per pixel column. NaN and infinity leave a gap and an upright mark on the x axis, values at or below zero
 * on a logarithmic y axis a triangle; neither changes the range. With more than one series, names are drawn at the
 * right ends of the curves. */
typedef struct TosstChart TosstChart;

TosstChart *tosst_chart_new (const char *title, const char *x_label, const char *y_label);
TosstChart *tosst_chart_copy (TosstChart *self); /* a copy for drawing in another thread */
void tosst_chart_free (TosstChart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstChart, tosst_chart_free)

/* Returns its index, which also selects its colour until tosst_chart_set_series_color(). */
guint tosst_chart_add_series (TosstChart *self, const char *name);
/* color: a number as for tosst_chart_color(). Series whose numbers give the same colour differ by dashes and marks. */
void tosst_chart_set_series_color (TosstChart *self, guint series, guint color);
void tosst_chart_set_series_visible (TosstChart *self, guint series, gboolean visible);
void tosst_chart_append (TosstChart *self, guint series, double x, double y);
void tosst_chart_append_error (TosstChart *self, guint series, double x, double y,
                               double deviation); /* with an error bar: standard deviation over splits */
void tosst_chart_clear (TosstChart *self);        /* removes points, keeps series */
gsize tosst_chart_points (TosstChart *self, guint series);
void tosst_chart_set_logarithmic (TosstChart *self, gboolean x, gboolean y);
void tosst_chart_get_logarithmic (TosstChart *self, gboolean *x, gboolean *y);
void tosst_chart_set_integer_x (TosstChart *self, gboolean integer); /* x is a count: ticks at whole numbers only */
/* Labels the x axis with names, copied, instead of numbers; x of a point is the index of its name, from 0. Points
 * with the same name are drawn side by side, each series with its own mark and without lines. n 0 restores numbers. */
void tosst_chart_set_categories (TosstChart *self, const char *const *names, guint n);
void tosst_chart_set_title (TosstChart *self, const char *title);
void tosst_chart_set_x_label (TosstChart *self, const char *label);

/* Sets the visible range; unset (NaN, or low >= high) it is the range of the data, for y that of the visible points,
 * rounded outwards. */
void tosst_chart_set_x_range (TosstChart *self, double low, double high);
void tosst_chart_get_x_range (TosstChart *self, double *low, double *high);
void tosst_chart_set_y_range (TosstChart *self, double low, double high);
void tosst_chart_get_y_range (TosstChart *self, double *low, double *high);

/* Marks the lowest or highest value of a series, or of all visible ones (series -1), by a ring. */
typedef enum
{
  TOSST_CHART_BEST_NONE,
  TOSST_CHART_BEST_LOWEST,
  TOSST_CHART_BEST_HIGHEST,
} TosstChartBest;
void tosst_chart_set_best (TosstChart *self, int series, TosstChartBest best);
void tosst_chart_set_best_label (TosstChart *self, const char *label); /* at the ring; default: "Best" */
gboolean tosst_chart_get_best (TosstChart *self, guint *series, double *x, double *y); /* FALSE: none */

/* Bounds of the rounded y range and of error bars, as 0 and 100 %; points beyond them are still shown. NaN: no bound, the
 * default. */
void tosst_chart_set_y_bounds (TosstChart *self, double low, double high);

/* Draws into (0, 0, width, height). */
void tosst_chart_draw (TosstChart *self, cairo_t *cr, double width, double height, const TosstChartStyle *style);
/* Finds the point nearest to a pointer position in the last drawing; x_at, y_at: its position there. Returns FALSE
 * if none is near. */
gboolean tosst_chart_pick (TosstChart *self, double pointer_x, double pointer_y, guint *series, double *x, double *y,
                           double *x_at, double *y_at);
/* Finds the point of a series nearest in x to a pointer position in the last drawing, for a crosshair. Returns FALSE
 * if the series is hidden, or ends before the pointer. */
gboolean tosst_chart_read (TosstChart *self, guint series, double pointer_x, double *x, double *y, double *x_at,
                           double *y_at);
/* Text of the value of a point: "93.9 ± 0.2". New. */
char *tosst_chart_describe_value (TosstChart *self, guint series, double x, double y);
/* Text for x in a heading of values: "Iteration 7", or the name of the category. New. */
char *tosst_chart_describe_x (TosstChart *self, double x);
/* Finds a point by its number, in order of x, and its position in the last drawing; y_at is at the bottom of the
 * plot if y cannot be drawn. Returns FALSE if it does not exist. For keyboard navigation. */
gboolean tosst_chart_point (TosstChart *self, guint series, gsize number, double *x, double *y, double *x_at,
                            double *y_at);
guint tosst_chart_series (TosstChart *self);
gboolean tosst_chart_series_visible (TosstChart *self, guint series);
guint tosst_chart_series_color (TosstChart *self, guint series);
const char *tosst_chart_series_name (TosstChart *self, guint series);
gboolean tosst_chart_has_categories (TosstChart *self);
/* Colour of a number in this style: red, green, blue in [0, 1]. Eight colours, then the same again. */
void tosst_chart_color (const TosstChartStyle *style, guint color, double rgb[3]);
/* Smallest and largest drawable x of the visible series; an empty, infinite range without any. */
void tosst_chart_x_extent (TosstChart *self, double *low, double *high);

/* Inner rectangle of the plot in the last drawing, and x and y at a pointer position, for pan and zoom. */
void tosst_chart_plot_area (TosstChart *self, double *x, double *y, double *width, double *height);
double tosst_chart_x_at (TosstChart *self, double pointer_x);
double tosst_chart_y_at (TosstChart *self, double pointer_y);
/* Text for a point, for tooltips: "Paper, (i): 93.9 ± 0.2". New. */
char *tosst_chart_describe_point (TosstChart *self, guint series, double x, double y);
/* One translated sentence for a screen reader: "Objective over iterations: 12 points, from 310 down to 120"; with
 * names on the x axis, the values of each. New. */
char *tosst_chart_describe (TosstChart *self);
/* CSV: a header line (the x label, then a column per series, each followed by "NAME deviation" if it has error
 * bars), then a line per distinct x, ascending, with its name if x has names; empty fields where a series has no
 * point; numbers in the C locale, NaN as nan. Includes hidden series. */
char *tosst_chart_to_csv (TosstChart *self);

/* Draws a confusion matrix: counts classes x classes, row = true class. Colours show the share of the row, of
 * equal lightness on and off the diagonal; a zero cell shows the background. Labels are thinned where they do not fit. */
void tosst_draw_confusion (cairo_t *cr, double width, double height, const TosstChartStyle *style, const int *counts,
                           guint classes, const char *const *names);
/* Finds the cell at a position in the same drawing. FALSE beside the cells: row and column of those in line with it, or
 * G_MAXUINT. */
gboolean tosst_confusion_pick (double width, double height, const TosstChartStyle *style, guint classes,
                               const char *const *names, double pointer_x, double pointer_y, guint *row, guint *column);

/* Height of the same drawing at full width. */
double tosst_confusion_height (double width, const TosstChartStyle *style, guint classes, const char *const *names);

/* Rectangle of a cell in the same drawing. */
void tosst_confusion_cell (double width, double height, const TosstChartStyle *style, guint classes,
                           const char *const *names, guint row, guint column, double *x, double *y, double *side);

/* For which page files are drawn: charts 84 mm wide with letters of 8 pt, a column of a journal, and other drawings in their own
 * size where nothing else is set. PNG files of a width have 300 pixels per inch. */
#define TOSST_FIGURE_COLUMN 84.0 /* mm */
#define TOSST_FIGURE_PAGE 174.0
typedef struct
{
  double width;     /* mm; 0: as above */
  double font_size; /* points; 0: as above */
  const char *font; /* family; NULL: "Sans" */
  gboolean untitled;
} TosstFigure;
/* For all files that this process draws from now on. font is borrowed for ever. */
void tosst_figure_set (const TosstFigure *figure);

/* Saves a drawing in the format of the file's suffix: .svg, with text as text, .pdf, .png. Atomic. width and height give its
 * shape, and its size in points where no width is set; a chart has its shape from them. Errors: TOSST_FAILED_OUTPUT. */
typedef void (*TosstDrawFunc) (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data);
gboolean tosst_draw_save (TosstDrawFunc draw, gpointer data, double width, double height, GFile *file, GError **error);
/* Appends the drawing as an SVG with text as text. white: on white, else without a background. */
cairo_status_t tosst_draw_svg (TosstDrawFunc draw, gpointer data, double width, double height,
                               const TosstChartStyle *style, gboolean white, GByteArray *bytes);
/* Checks suffix and folder as tosst_draw_save() does; called before long work. */
gboolean tosst_draw_check (GFile *file, GError **error);
gboolean tosst_chart_save (TosstChart *self, double width, double height, GFile *file, GError **error);
