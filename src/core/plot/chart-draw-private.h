/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>

#include "core/plot/chart-private.h"

/* State of drawing a chart, shared by the code of axes, curves and groups. */
typedef struct
{
  TosstChart *chart;
  cairo_t *cr;
  const TosstChartStyle *style;
  TosstText text;
  double width, height;
  double em;                       /* height of a line of text */
  double left, top, right, bottom; /* the plot's inner rectangle */
  double names;                    /* width of the names of the series */
  double shift;                    /* of the current series: see tosst_chart_shift() */
  GArray *x_ticks, *y_ticks;
} TosstDrawing;

#define TOSST_SMALL 0.9 /* tick labels and numbers, relative to the style's size */

static inline const TosstSeries *
tosst_drawing_series (const TosstDrawing *d, guint series)
{
  return g_ptr_array_index (d->chart->series, series);
}

static inline double
tosst_drawing_line_width (const TosstDrawing *d)
{
  return tosst_boldness (d->style) * ((d->style->high_contrast ? 2.2 : 1.5) * MAX (d->text.size / 11.0, 0.6));
}

static inline const TosstChartPoint *
tosst_series_point (const TosstSeries *series, guint i)
{
  return &g_array_index (series->points, TosstChartPoint, i);
}

static inline gboolean
tosst_drawing_can_show (const TosstDrawing *d, const TosstChartPoint *point)
{
  return tosst_axis_can_show (&d->chart->x_axis, point->x) && tosst_axis_can_show (&d->chart->y_axis, point->y);
}

/* Limits coordinates far outside of the picture: Cairo uses fixed-point numbers with few integer bits. */
static inline double
tosst_drawing_x (const TosstDrawing *d, double x)
{
  return CLAMP (tosst_axis_position (&d->chart->x_axis, x) + d->shift, d->left - 1e4, d->right + 1e4);
}

static inline double
tosst_drawing_y (const TosstDrawing *d, double y)
{
  return CLAMP (tosst_axis_position (&d->chart->y_axis, y), d->top - 1e4, d->bottom + 1e4);
}

/* Ends of a point's error bar in the picture, high above low. On a logarithmic axis a bar that reaches zero or below
 * extends beyond the picture. */
static inline void
tosst_drawing_bar (const TosstDrawing *d, const TosstChartPoint *point, double *low, double *high)
{
  double deviation = isfinite (point->deviation) ? point->deviation : 0.0;

  *high = tosst_drawing_y (d, point->y + deviation);
  *low = tosst_axis_can_show (&d->chart->y_axis, point->y - deviation) ? tosst_drawing_y (d, point->y - deviation)
                                                                       : d->bottom + 2.0 * d->em;
}

/* Range of visible points of a series, with one more at either side so that lines extend to the edge. */
static inline void
tosst_drawing_range (const TosstDrawing *d, const TosstSeries *series, guint *first, guint *last)
{
  guint n = series->points->len;

  *first = tosst_series_find (series, d->chart->x_axis.low);
  *first -= *first > 0;
  *last = tosst_series_find (series, nextafter (d->chart->x_axis.high, INFINITY));
  *last += *last < n;
}
