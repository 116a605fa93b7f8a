/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dense curves: lowest and highest value in each pixel column, and their painting. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "core/plot/chart-private.h"

/* Extends neighbouring columns to half way between the last value of one and the first of the next, so that a steep
 * curve is connected. */
static void
join_columns (TosstColumn *left, double last, TosstColumn *right, double first, const TosstAxis *y_axis)
{
  double middle = y_axis->logarithmic ? sqrt (last) * sqrt (first) : 0.5 * last + 0.5 * first;

  left->low = MIN (left->low, middle);
  left->high = MAX (left->high, middle);
  right->low = MIN (right->low, middle);
  right->high = MAX (right->high, middle);
}

/* Interpolates across columns without points, from the last value of one to the first of the next. */
static void
bridge_columns (TosstColumn *columns, guint left, double last, guint right, double first, const TosstAxis *y_axis)
{
  double from = y_axis->logarithmic ? log (last) : last, to = y_axis->logarithmic ? log (first) : first;

  for (guint c = left; c < right; c++)
    {
      double edge = from + (to - from) * (c + 0.5 - left) / (right - left);
      edge = y_axis->logarithmic ? exp (edge) : edge;
      for (guint side = c; side <= c + 1; side++)
        {
          columns[side].low = MIN (columns[side].low, edge);
          columns[side].high = MAX (columns[side].high, edge);
          columns[side].empty = FALSE;
        }
    }
}

GArray *
tosst_series_columns (const TosstSeries *series, guint first, guint last, const TosstAxis *x_axis,
                      const TosstAxis *y_axis)
{
  const TosstChartPoint *points = (const TosstChartPoint *)series->points->data;
  guint n = (guint)MAX (1.0, ceil (x_axis->to - x_axis->from)), k = first, before = 0;
  GArray *columns = g_array_sized_new (FALSE, FALSE, sizeof (TosstColumn), n);
  double previous = NAN, lowest = y_axis->logarithmic ? 0.0 : -INFINITY; /* lower bound of drawable values */
  gboolean broken = FALSE; /* by a value that cannot be drawn after the previous one */

  for (guint c = 0; c < n; c++)
    {
      /* Points are sorted by x: comparing with the column's end avoids a logarithm per point. */
      double end = tosst_axis_value (x_axis, x_axis->from + c + 1), low = INFINITY, high = -INFINITY, start = NAN,
             finish = NAN;
      TosstColumn column = { .x = x_axis->from + c + 0.5 };
      gboolean gap = FALSE;

      for (; k < last && (points[k].x < end || c == n - 1); k++)
        {
          double y = points[k].y;
          if (!(y > lowest && y < INFINITY))
            {
              broken = TRUE;
              continue;
            }
          if (isnan (start))
            {
              start = y;
              gap = broken;
            }
          broken = FALSE;
          low = y < low ? y : low;
          high = y > high ? y : high;
          finish = y;
        }
      column.empty = isnan (start);
      column.low = low;
      column.high = high;
      g_array_append_val (columns, column);
      if (column.empty)
        continue;
      if (!isnan (previous) && c == before + 1)
        join_columns (&g_array_index (columns, TosstColumn, before), previous, &g_array_index (columns, TosstColumn, c),
                      start, y_axis);
      else if (!isnan (previous) && !gap)
        bridge_columns ((TosstColumn *)columns->data, before, previous, c, start, y_axis);
      previous = finish;
      before = c;
    }
  return columns;
}

/* Clamps coordinates far beyond the plot, which would overflow. */
static double
position (const TosstAxis *y_axis, double value)
{
  return CLAMP (tosst_axis_position (y_axis, value), y_axis->to - 1e4, y_axis->from + 1e4);
}

/* Covers rows from..to of one pixel column, the first and the last one partially. */
static void
cover (guchar *pixels, int stride, int scale, double from, double to)
{
  for (int row = (int)from; row < to; row++)
    {
      double part = MIN (to, row + 1.0) - MAX (from, row);
      memset (pixels + (gsize)row * stride, (int)lrint (255.0 * part), scale);
    }
}

/* Paints whole pixel columns through a mask: an image surface then need not compute and sort the edges of a polygon. */
static void
fill_mask (cairo_t *cr, const GArray *columns, const TosstAxis *x_axis, const TosstAxis *y_axis, double half)
{
  double top, bottom, across = 1.0, down = 1.0;

  /* Range of pixel rows of the columns inside the plot. */
  double low = INFINITY, high = -INFINITY;

  for (guint i = 0; i < columns->len; i++)
    {
      const TosstColumn *c = &g_array_index (columns, TosstColumn, i);

      low = c->empty ? low : MIN (low, position (y_axis, c->high) - half);
      high = c->empty ? high : MAX (high, position (y_axis, c->low) + half);
    }
  top = floor (MAX (low, y_axis->to - 4.0));
  bottom = ceil (MIN (high, y_axis->from + 4.0));
  if (!(top < bottom))
    return;
  cairo_user_to_device_distance (cr, &across, &down);
  int scale = MAX (1, (int)lrint (fabs (down))), height = (int)(bottom - top) * scale;
  cairo_surface_t *mask = cairo_image_surface_create (CAIRO_FORMAT_A8, (int)columns->len * scale, height);
  guchar *pixels = cairo_image_surface_get_data (mask);
  int stride = cairo_image_surface_get_stride (mask);

  for (guint i = 0; pixels && i < columns->len; i++)
    {
      const TosstColumn *c = &g_array_index (columns, TosstColumn, i);
      double from = (position (y_axis, c->high) - half - top) * scale,
             to = (position (y_axis, c->low) + half - top) * scale;

      if (!c->empty)
        cover (pixels + i * scale, stride, scale, CLAMP (from, 0.0, height), CLAMP (to, 0.0, height));
    }
  cairo_surface_mark_dirty (mask);
  cairo_surface_set_device_scale (mask, scale, scale);
  cairo_mask_surface (cr, mask, round (x_axis->from), top);
  cairo_surface_destroy (mask);
}

/* One outline for each group of columns, without seams between them in scaled files. */
static void
fill_outline (cairo_t *cr, const GArray *columns, const TosstAxis *y_axis, double half)
{
  const TosstColumn *c = (const TosstColumn *)columns->data;

  for (guint i = 0; i < columns->len;)
    {
      guint end = i;
      while (end < columns->len && !c[end].empty)
        end++;
      if (end == i)
        {
          i++;
          continue;
        }
      cairo_move_to (cr, c[i].x - 0.5, position (y_axis, c[i].high) - half);
      for (guint k = i; k < end; k++)
        cairo_line_to (cr, c[k].x, position (y_axis, c[k].high) - half);
      cairo_line_to (cr, c[end - 1].x + 0.5, position (y_axis, c[end - 1].high) - half);
      cairo_line_to (cr, c[end - 1].x + 0.5, position (y_axis, c[end - 1].low) + half);
      for (guint k = end; k-- > i;)
        cairo_line_to (cr, c[k].x, position (y_axis, c[k].low) + half);
      cairo_line_to (cr, c[i].x - 0.5, position (y_axis, c[i].low) + half);
      cairo_close_path (cr);
      i = end;
    }
  cairo_fill (cr);
}

void
tosst_draw_columns (cairo_t *cr, const GArray *columns, const TosstAxis *x_axis, const TosstAxis *y_axis,
                    double line_width)
{
  if (cairo_surface_get_type (cairo_get_target (cr)) == CAIRO_SURFACE_TYPE_IMAGE)
    fill_mask (cr, columns, x_axis, y_axis, 0.5 * line_width);
  else
    fill_outline (cr, columns, y_axis, 0.5 * line_width);
}
