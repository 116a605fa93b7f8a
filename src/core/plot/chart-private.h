/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <pango/pangocairo.h>

#include "core/plot/chart.h"

G_BEGIN_DECLS

/* Shared by the files of the chart and by its tests. */

/* --- colours (chart-color.c) --- */

typedef struct
{
  double r, g, b;
} TosstColor;

TosstColor tosst_color_text (const TosstChartStyle *style);
TosstColor tosst_color_dim (const TosstChartStyle *style); /* tick labels, axes */
TosstColor tosst_color_grid (const TosstChartStyle *style);
TosstColor tosst_color_paper (const TosstChartStyle *style); /* the background that the others are chosen for */
TosstColor tosst_color_series (const TosstChartStyle *style, guint series);
/* Colour maps of even lightness; t in [0, 1]. Quiet at 0, strong at 1. */
TosstColor tosst_color_sequential (gboolean dark, double t);
TosstColor tosst_color_error (gboolean dark, double t);   /* confusions */
TosstColor tosst_color_correct (gboolean dark, double t); /* the diagonal, quieter */
/* t in [-1, 1]; neutral at 0. */
TosstColor tosst_color_diverging (gboolean dark, double t);
/* Areas of a map of classes, the same on any background; index from 0, TOSST_MAP_COLORS of them, then again. */
enum
{
  TOSST_MAP_COLORS = 20
};
TosstColor tosst_color_map (guint index);
double tosst_color_lightness (TosstColor color); /* Oklab L in [0, 1] */
void tosst_color_set (cairo_t *cr, TosstColor color, double alpha);

/* --- text (chart-text.c) --- */

typedef struct
{
  PangoContext *context;
  PangoLayout *layout;
  double size;
  gboolean symbols; /* "I_xx" has a subscript; FALSE at first */
} TosstText;

/* Metrics do not depend on the surface, so that a layout can be repeated without one. */
void tosst_text_init (TosstText *text, const TosstChartStyle *style);
void tosst_text_clear (TosstText *text);
double tosst_text_width (TosstText *text, const char *string, double scale);
double tosst_text_height (TosstText *text, double scale);
/* Draws with (x, y) at the fraction (align_x, align_y) of the text's box, turned by quarter turns to the left, cut with
 * an ellipsis at max_width (<= 0: never). scale: of the style's size. */
void tosst_text_draw (TosstText *text, cairo_t *cr, const char *string, double x, double y, double align_x,
                      double align_y, int quarter_turns, double max_width, double scale, gboolean bold);

/* --- heat maps (chart-matrix.c) --- */

enum
{
  TOSST_HEAT_STEPS = 255 /* to either side of zero */
};

/* The colours of matrices as 32-bit ARGB pixels, made once for many of them. */
typedef struct
{
  guint32 color[2 * TOSST_HEAT_STEPS + 1], broken;
} TosstHeatTable;

void tosst_heat_table_init (TosstHeatTable *self, gboolean negative, gboolean dark);
const TosstHeatTable *tosst_heat_table_diverging (gboolean dark); /* colours about zero: made once, any thread */
guint32 tosst_heat_pixel (const TosstHeatTable *self, double value, double limit);
/* Largest |entry| of the finite ones, and whether one is negative. */
double tosst_matrix_limit (const double *matrix, gsize entries, gboolean *negative);
/* A vertical bar of these colours with its ends labelled to the right, about 5 ems wide in all. */
void tosst_draw_heat_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, double limit, gboolean negative,
                          double x, double y, double width, double height);

/* --- axes (chart-axis.c) --- */

enum
{
  TOSST_MAX_TICKS = 128
};

typedef struct
{
  double value;
  char *label; /* NULL: a minor tick */
} TosstTick;

typedef struct
{
  double low, high; /* low < high; both positive when logarithmic */
  gboolean logarithmic;
  double from, to; /* positions of low and high */
} TosstAxis;

/* Up to about wanted labelled ticks inside [low, high]; an array of TosstTick with its own clear function. */
GArray *tosst_axis_ticks (double low, double high, gboolean logarithmic, guint wanted);
/* The same on a linear axis, at whole numbers only; maybe none. */
GArray *tosst_axis_integer_ticks (double low, double high, guint wanted);
/* A tick for each name, at 0, 1, ..., that is inside. */
GArray *tosst_axis_category_ticks (double low, double high, const char *const *names, guint n);
/* Widens [low, high] to nice ends; an empty range gets a width. Not finite, or not positive on a logarithmic axis: a
 * default range. */
void tosst_axis_nice_range (double *low, double *high, gboolean logarithmic, guint wanted);
double tosst_axis_position (const TosstAxis *axis, double value);
double tosst_axis_value (const TosstAxis *axis, double position);
gboolean tosst_axis_can_show (const TosstAxis *axis, double value); /* finite, and positive on a logarithmic axis */
/* A number for people: the user's decimal sign, a real minus, powers of ten with superscripts; digits significant ones.
 * */
char *tosst_number_label (double value, int digits);

/* --- the model (chart.c) --- */

typedef struct
{
  double x, y;
  double deviation; /* NaN: none */
} TosstChartPoint;

typedef struct
{
  char *name;
  gboolean visible;
  gboolean has_errors;
  gboolean sorted;
  GArray *points; /* TosstPoint, by x once tosst_chart_sort() was called; NaN last */
} TosstSeries;

struct TosstChart
{
  char *title, *x_label, *y_label;
  GPtrArray *series; /* TosstSeries */
  gboolean log_x, log_y, integer_x;
  char **categories; /* names of x = 0, 1, ...; or NULL */
  guint n_categories;
  double x_low, x_high;   /* NaN: from the data */
  double y_least, y_most; /* where nice ends stop; infinite: nowhere */
  /* Of the last draw. */
  gboolean drawn;
  TosstAxis x_axis, y_axis;
  double step; /* from series to series at one x; 0: all stand where they are */
};

void tosst_chart_sort (TosstChart *self);
/* Of the visible points with x in [x_low, x_high], error bars included. */
void tosst_chart_y_extent (TosstChart *self, double x_low, double x_high, double *low, double *high);
/* Series that have something to draw. */
guint tosst_chart_visible (TosstChart *self);
/* By how much its points were drawn beside their x, in units of the drawing: so that points and error bars at one x
 * stand side by side. */
double tosst_chart_shift (TosstChart *self, guint series);
/* First point with x >= value in a sorted series. */
guint tosst_series_find (const TosstSeries *series, double value);

/* --- curves of many points (chart-columns.c) --- */

/* One run of neighbouring pixel columns of a dense curve: lowest and highest value in each, grown so that neighbours
 * touch. */
typedef struct
{
  double x;         /* position of the column's middle */
  double low, high; /* values */
  gboolean empty;   /* nothing drawable in this column, nor a line across */
} TosstColumn;

/* Min/max per pixel column of the points [first, last), and of lines over columns without points: an array of
 * TosstColumn from the left end of the axis to its right. */
GArray *tosst_series_columns (const TosstSeries *series, guint first, guint last, const TosstAxis *x_axis,
                              const TosstAxis *y_axis);
/* Fills them, with half the width of a line above and below. The y axis runs from its bottom to its top. */
void tosst_draw_columns (cairo_t *cr, const GArray *columns, const TosstAxis *x_axis, const TosstAxis *y_axis,
                         double line_width);

/* How much broader lines and marks are than usual. */
static inline double
tosst_boldness (const TosstChartStyle *style)
{
  return style->boldness > 0.0 ? style->boldness : 1.0;
}

G_END_DECLS
