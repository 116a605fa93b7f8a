/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Mapping of pointer positions to points, by the axes of the last draw. */

#include "config.h"

#include "core/plot/chart-private.h"

#include <math.h>

static const double PICK_RADIUS = 24.0;

/* Whether a chosen range of y excludes the value. */
static gboolean
is_cut (TosstChart *self, double y)
{
  return isfinite (self->y_low) && (y < self->y_axis.low || y > self->y_axis.high);
}

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
              || point->x < self->x_axis.low || point->x > self->x_axis.high || is_cut (self, point->y))
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

double
tosst_chart_y_at (TosstChart *self, double pointer_y)
{
  return self->drawn ? tosst_axis_value (&self->y_axis, pointer_y) : NAN;
}

/* The first point from number on, in either direction, that can be drawn. */
static gboolean
next_drawable (TosstChart *self, const TosstSeries *series, gint64 number, int step, TosstChartPoint *point)
{
  for (; number >= 0 && number < series->points->len; number += step)
    {
      *point = g_array_index (series->points, TosstChartPoint, number);
      if (tosst_axis_can_show (&self->x_axis, point->x) && tosst_axis_can_show (&self->y_axis, point->y))
        return TRUE;
    }
  return FALSE;
}

gboolean
tosst_chart_read (TosstChart *self, guint series, double pointer_x, double *x, double *y, double *x_at, double *y_at)
{
  const TosstSeries *s = series < self->series->len ? g_ptr_array_index (self->series, series) : NULL;
  double at = tosst_chart_x_at (self, pointer_x), reach = PICK_RADIUS;
  TosstChartPoint found[2];
  gboolean is_found[2], is_read = FALSE;
  guint next;

  if (!self->drawn || !s || !s->visible)
    return FALSE;
  at = self->categories ? round (at) : at;
  next = tosst_series_find (s, at);
  is_found[0] = next_drawable (self, s, (gint64)next - 1, -1, &found[0]);
  is_found[1] = next_drawable (self, s, next, 1, &found[1]);
  if (self->categories)
    {
      is_found[0] = FALSE;
      is_found[1] = is_found[1] && found[1].x == at;
    }
  /* Between two points, or the only one of a name, at any distance. */
  if ((is_found[0] && is_found[1]) || self->categories)
    reach = INFINITY;
  for (int i = 0; i < 2; i++)
    {
      double position = is_found[i] ? tosst_axis_position (&self->x_axis, found[i].x) : NAN;

      if (!(fabs (position - pointer_x) < reach) || found[i].x < self->x_axis.low || found[i].x > self->x_axis.high
          || is_cut (self, found[i].y))
        continue;
      reach = fabs (position - pointer_x);
      *x = found[i].x;
      *y = found[i].y;
      *x_at = position + tosst_chart_shift (self, series);
      *y_at = tosst_axis_position (&self->y_axis, found[i].y);
      is_read = TRUE;
    }
  return is_read;
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
