/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <pango/pangocairo.h>

#include "core/plot/chart.h"

/* Declarations shared by the files of the chart and its tests. */

/* --- colours (chart-color.c) --- */

enum
{
  TOSST_CHART_COLORS = 8 /* of series */
};

typedef struct
{
  double r, g, b;
} TosstColor;

TosstColor tosst_color_text (const TosstChartStyle *style);
TosstColor tosst_color_dim (const TosstChartStyle *style); /* colour of tick labels and axes */
TosstColor tosst_color_grid (const TosstChartStyle *style);
TosstColor tosst_color_paper (const TosstChartStyle *style); /* background that the other colours are chosen for */
TosstColor tosst_color_series (const TosstChartStyle *style, guint series);
/* Colour maps of uniform lightness steps; t in [0, 1], from near the background to strong. */
TosstColor tosst_color_sequential (gboolean dark, double t);
TosstColor tosst_color_error (gboolean dark, double t);   /* confusions */
TosstColor tosst_color_correct (gboolean dark, double t); /* the diagonal, as light */
/* t in [-1, 1]; neutral at 0. */
TosstColor tosst_color_diverging (gboolean dark, double t);
/* Colours of areas in a class map, the same on any background. index from 0; repeats after TOSST_MAP_COLORS. */
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
  gboolean symbols; /* underscores mark subscripts: "I_xx"; FALSE by default */
} TosstText;

/* Metrics do not depend on the surface, so that a layout can be computed without one. */
TosstText tosst_text_new (const TosstChartStyle *style);
void tosst_text_clear (TosstText *text);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TosstText, tosst_text_clear)
double tosst_text_width (TosstText *text, const char *string, double scale);
double tosst_text_bold_width (TosstText *text, const char *string, double scale);
double tosst_text_height (TosstText *text, double scale);
/* Draws with (x, y) at the fraction (align_x, align_y) of the text's box, rotated counter-clockwise by quarter
 * turns, ellipsized at max_width (<= 0: never). scale: relative to the style's size. */
void tosst_text_draw (TosstText *text, cairo_t *cr, const char *string, double x, double y, double align_x,
                      double align_y, int quarter_turns, double max_width, double scale, gboolean bold);

/* The elements of text that tosst_text_draw() writes for a surface of SVG, which would have outlines of glyphs; g_string_free(). */
GString *tosst_text_collect (cairo_surface_t *surface);

/* --- heat maps (chart-matrix.c) --- */

enum
{
  TOSST_HEAT_STEPS = 255 /* on either side of zero */
};

/* Colours of matrices as 32-bit ARGB pixels, shared by many drawings. */
typedef struct
{
  guint32 color[2 * TOSST_HEAT_STEPS + 1], broken;
} TosstHeatTable;

const TosstHeatTable *tosst_heat_table_diverging (gboolean dark); /* diverging colours; created once, thread-safe */
guint32 tosst_heat_pixel (const TosstHeatTable *self, double value, double limit);
/* The pixels of a matrix, each entry zoom x zoom of them. */
void tosst_heat_pixels (const double *matrix, int rows, int columns, int zoom, double limit, gboolean dark,
                        guint32 *pixels);
/* A picture of cells is the same on light and dark pages. */
static inline gboolean
tosst_has_dark_cells (const TosstChartStyle *style)
{
  return style->dark && !style->raster;
}
/* Largest absolute value of the finite entries, and whether one is negative. */
double tosst_matrix_limit (const double *matrix, gsize entries, gboolean *negative);
/* Draws the entries as cells of this size, as one picture. Screens scale its pixels without interpolation; in vector files they
 * are enlarged, as viewers blur small pictures. */
void tosst_draw_cells (cairo_t *cr, const TosstChartStyle *style, const double *matrix, int rows, int columns,
                       double limit, double x, double y, double cell);
/* A vertical bar of the colours with labels of its ends to the right, about 5 em wide in total. */
void tosst_draw_heat_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, double limit, double x, double y,
                          double width, double height);

/* A vertical bar of the sequential colours from low to high, with both as labels. */
void tosst_draw_color_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, double low, double high,
                           double x, double y, double width, double height);

/* --- axes (chart-draw.c) --- */

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
  double from, to; /* positions of low and high in the drawing */
} TosstAxis;

/* Returns a new array of TosstTick with about the wanted number of labelled ticks inside [low, high]. The array
 * clears its elements. */
GArray *tosst_axis_ticks (double low, double high, gboolean logarithmic, guint wanted);
/* As tosst_axis_ticks() on a linear axis, at whole numbers only; may be empty. */
GArray *tosst_axis_integer_ticks (double low, double high, guint wanted);
/* Widens [low, high] to round numbers; an empty range gets a width. A range that is not finite, or not positive on a
 * logarithmic axis, becomes a default range. */
void tosst_axis_nice_range (double *low, double *high, gboolean logarithmic, guint wanted);
double tosst_axis_position (const TosstAxis *axis, double value);
double tosst_axis_value (const TosstAxis *axis, double position);
gboolean tosst_axis_can_show (const TosstAxis *axis, double value); /* finite, and positive on a logarithmic axis */
/* Formats a number for display: the user's decimal sign, a real minus, powers of ten with superscripts, so many
 * significant digits. New. */
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
  guint color;
  gboolean visible;
  gboolean has_errors;
  gboolean sorted;
  GArray *points; /* TosstChartPoint, by x after tosst_chart_sort(); NaN last */
} TosstSeries;

struct TosstChart
{
  char *title, *x_label, *y_label;
  GPtrArray *series; /* TosstSeries * */
  gboolean log_x, log_y, integer_x;
  char **categories; /* names of x = 0, 1, ...; or NULL */
  guint n_categories;
  double x_low, x_high;   /* NaN: computed from the data */
  double y_low, y_high;   /* NaN: computed from the visible points */
  double y_least, y_most; /* limits of the rounded range of y and of error bars; infinite: none */
  TosstChartBest best;
  int best_of;      /* series; -1: all */
  char *best_label; /* NULL: the default */
  /* The members below are of the last draw. */
  gboolean drawn;
  TosstAxis x_axis, y_axis;
  double step; /* offset between series at one x; 0: none */
};

void tosst_chart_sort (TosstChart *self);
/* Extent of the visible points with x in [x_low, x_high], error bars included. */
void tosst_chart_y_extent (TosstChart *self, double x_low, double x_high, double *low, double *high);
/* Ends of the error bar of a point, within the bounds of y where the point is. */
void tosst_chart_bar (const TosstChart *self, const TosstChartPoint *point, double *low, double *high);
/* Number of series with something to draw. */
guint tosst_chart_visible (TosstChart *self);
/* Horizontal offset of the points of a series in the last drawing, which puts points and error bars at one x side by
 * side. */
double tosst_chart_shift (TosstChart *self, guint series);
/* Number of visible series before this one with the same colour. */
guint tosst_chart_twins (TosstChart *self, guint series);
/* Index of the first point with x >= value in a sorted series. */
guint tosst_series_find (const TosstSeries *series, double value);

/* --- curves of many points (chart-draw.c) --- */

/* One of the consecutive pixel columns of a dense curve: lowest and highest value, extended so that neighbours
 * touch. */
typedef struct
{
  double x;         /* centre of the column */
  double low, high; /* values */
  gboolean empty;   /* no drawable value in this column, and no line across it */
} TosstColumn;

/* Min/max per pixel column of the points [first, last), and of lines across columns without points. Returns a new
 * array of TosstColumn from the left end of the axis to its right. */
GArray *tosst_series_columns (const TosstSeries *series, guint first, guint last, const TosstAxis *x_axis,
                              const TosstAxis *y_axis);
/* Width of lines and marks relative to the default. */
static inline double
tosst_boldness (const TosstChartStyle *style)
{
  return style->boldness > 0.0 ? style->boldness : 1.0;
}
