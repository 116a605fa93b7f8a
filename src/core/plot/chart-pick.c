/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Mapping of pointer positions to points, by the axes of the last draw. */

#include "config.h"

#include "core/plot/chart-private.h"

#include <math.h>

static const double PICK_RADIUS = 24.0;

gboolean
tosst_chart_pick (TosstChart *self, double pointer_x, double pointer_y, guint *series, double *x, double *y,
                  double *x_at, double *y_at)
{
  double nearest = PICK_RADIUS * PICK_RADIUS;
  gboolean found = FALSE;

  if (!self->drawn)
    return FALSE;
  for (guint i = 0; i < self->series->len; i++)
    {
      const TosstSeries *s = g_ptr_array_index (self->series, i);
      double shift = tosst_chart_shift (self, i);
      guint first = tosst_series_find (s, tosst_axis_value (&self->x_axis, pointer_x - shift - PICK_RADIUS));
      double end = tosst_axis_value (&self->x_axis, pointer_x - shift + PICK_RADIUS);
      for (guint k = first; s->visible && k < s->points->len && g_array_index (s->points, TosstChartPoint, k).x <= end;
           k++)
        {
          const TosstChartPoint *point = &g_array_index (s->points, TosstChartPoint, k);
          double px, py, distance;
          if (!tosst_axis_can_show (&self->x_axis, point->x) || !tosst_axis_can_show (&self->y_axis, point->y)
              || point->x < self->x_axis.low || point->x > self->x_axis.high)
            continue;
          px = tosst_axis_position (&self->x_axis, point->x) + shift;
          py = tosst_axis_position (&self->y_axis, point->y);
          distance = (px - pointer_x) * (px - pointer_x) + (py - pointer_y) * (py - pointer_y);
          if (distance > nearest)
            continue;
          nearest = distance;
          found = TRUE;
          *series = i;
          *x = point->x;
          *y = point->y;
          *x_at = px;
          *y_at = py;
        }
    }
  return found;
}

void
tosst_chart_plot_area (TosstChart *self, double *x, double *y, double *width, double *height)
{
  *x = self->x_axis.from;
  *y = self->y_axis.to;
  *width = self->x_axis.to - self->x_axis.from;
  *height = self->y_axis.from - self->y_axis.to;
}

double
tosst_chart_x_at (TosstChart *self, double pointer_x)
{
  return self->drawn ? tosst_axis_value (&self->x_axis, pointer_x) : NAN;
}

gboolean
tosst_chart_point (TosstChart *self, guint series, gsize number, double *x, double *y, double *x_at, double *y_at)
{
  const TosstSeries *s = series < self->series->len ? g_ptr_array_index (self->series, series) : NULL;
  const TosstChartPoint *point;

  if (!self->drawn || !s || number >= s->points->len)
    return FALSE;
  point = &g_array_index (s->points, TosstChartPoint, number);
  if (!tosst_axis_can_show (&self->x_axis, point->x))
    return FALSE;
  *x = point->x;
  *y = point->y;
  *x_at = tosst_axis_position (&self->x_axis, point->x) + tosst_chart_shift (self, series);
  *y_at = tosst_axis_can_show (&self->y_axis, point->y) ? tosst_axis_position (&self->y_axis, point->y)
                                                        : self->y_axis.from;
  return TRUE;
}
