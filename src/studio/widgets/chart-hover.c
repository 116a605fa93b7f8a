/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the pointer, the reading point and the partner of a session add to a chart. */

#include "config.h"

#include "studio/widgets/chart-view-private.h"

#include <math.h>

#include "studio/widgets/chart-values.h"

static void
snapshot_marker (GtkSnapshot *snapshot, double x, double y)
{
  const GdkRGBA ring = { 1, 1, 1, 1 }, dot = { 0.13, 0.13, 0.15, 1 };
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (&outline, &GRAPHENE_RECT_INIT (x - 6, y - 6, 12, 12), 6);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &ring, &outline.bounds);
  gtk_snapshot_pop (snapshot);
  gsk_rounded_rect_init_from_rect (&outline, &GRAPHENE_RECT_INIT (x - 4, y - 4, 8, 8), 4);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &dot, &outline.bounds);
  gtk_snapshot_pop (snapshot);
}

char *
studio_chart_label (StudioChartView *self, guint series, double x, double y)
{
  return self->label_func != NULL ? self->label_func (series, x, y, self->label_data)
                                  : tosst_chart_describe_point (self->chart, series, x, y);
}

/* The reading point, if it is visible: zoom and pan may have moved it out of the range. */
gboolean
studio_chart_read_point (StudioChartView *self, double *x, double *y, double *x_at, double *y_at)
{
  double left, top, width, height;

  if (!self->reading.active
      || !tosst_chart_point (self->chart, self->reading.series, self->reading.point, x, y, x_at, y_at))
    return FALSE;
  tosst_chart_plot_area (self->chart, &left, &top, &width, &height);
  return *x >= tosst_chart_x_at (self->chart, left - 0.5) && *x <= tosst_chart_x_at (self->chart, left + width + 0.5);
}

/* The point under the pointer, else the reading point. */
static gboolean
shown_point (StudioChartView *self, guint *series, double *x, double *y, double *x_at, double *y_at)
{
  if (self->pointer_inside
      && tosst_chart_pick (self->chart, self->pointer_x, self->pointer_y, series, x, y, x_at, y_at))
    return TRUE;
  *series = self->reading.series;
  return studio_chart_read_point (self, x, y, x_at, y_at);
}

static gboolean
in_plot (StudioChartView *self)
{
  double x, y, width, height;

  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  return self->pointer_inside && self->pointer_x >= x && self->pointer_x <= x + width && self->pointer_y >= y
         && self->pointer_y <= y + height;
}

/* An upright line through the plot. */
static void
snapshot_line (StudioChartView *self, GtkSnapshot *snapshot, double at)
{
  double left, top, width, height;
  GdkRGBA color;

  tosst_chart_plot_area (self->chart, &left, &top, &width, &height);
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &color);
  color.alpha *= 0.4f;
  gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT ((float)round (at), (float)top, 1, (float)height));
}

void
studio_chart_snapshot_hover (StudioChartView *self, GtkSnapshot *snapshot)
{
  g_autoptr (GPtrArray) readings = NULL;
  g_autofree char *text = NULL;
  double x, y, x_at, y_at;
  guint series;
  gboolean picked = shown_point (self, &series, &x, &y, &x_at, &y_at);

  if (self->dragging != STUDIO_CHART_DRAG_NONE)
    return;
  readings = studio_chart_readings_new (self->chart, in_plot (self) ? self->pointer_x : NAN);
  for (guint i = 0; i < readings->len; i++)
    {
      const StudioChartValue *value = readings->pdata[i];

      if (i == 0 && !tosst_chart_has_categories (self->chart))
        snapshot_line (self, snapshot, value->x_at);
      snapshot_marker (snapshot, value->x_at, value->y_at);
    }
  if (!picked && readings->len == 0)
    return;
  if (picked)
    {
      g_autofree char *heading = studio_chart_label (self, series, x, y);

      snapshot_marker (snapshot, x_at, y_at);
      text = studio_chart_readings_markup (self->chart, GTK_WIDGET (self), readings, (int)series, heading);
    }
  else
    {
      const StudioChartValue *nearest = readings->pdata[0];
      g_autofree char *heading = tosst_chart_describe_x (self->chart, nearest->x);

      x_at = nearest->x_at;
      y_at = self->pointer_y;
      text = studio_chart_readings_markup (self->chart, GTK_WIDGET (self), readings, -1, heading);
    }
  studio_snapshot_bubble (GTK_WIDGET (self), snapshot, x_at, y_at, text, TRUE);
}

/* The range that a drag selects. */
void
studio_chart_snapshot_box (StudioChartView *self, GtkSnapshot *snapshot)
{
  GdkRGBA color;
  graphene_rect_t box;
  GskRoundedRect outline;

  if (self->dragging != STUDIO_CHART_DRAG_BOX)
    return;
  box = studio_chart_box (self);
  if (!gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)), "accent_color", &color))
    gdk_rgba_parse (&color, "#3584e4");
  gsk_rounded_rect_init_from_rect (&outline, &box, 2);
  gtk_snapshot_append_border (snapshot, &outline, (float[4]){ 1, 1, 1, 1 }, (GdkRGBA[4]){ color, color, color, color });
  color.alpha = 0.15f;
  gtk_snapshot_append_color (snapshot, &color, &box);
}

void
studio_chart_snapshot_mark (StudioChartView *self, GtkSnapshot *snapshot)
{
  double x, y, x_at, y_at;
  gsize n = self->marked_series >= 0 ? tosst_chart_points (self->chart, (guint)self->marked_series) : 0;

  for (gsize i = 0; i < n; i++)
    if (tosst_chart_point (self->chart, (guint)self->marked_series, i, &x, &y, &x_at, &y_at) && x == self->marked_x)
      snapshot_marker (snapshot, x_at, y_at);
}

/* Position of the pointer in another chart of the session. */
void
studio_chart_snapshot_partner (StudioChartView *self, GtkSnapshot *snapshot)
{
  double pointer = self->session != NULL ? studio_chart_session_get_pointer (self->session) : NAN;
  double left, top, width, height, from, to, at;
  gboolean log_x, log_y;

  if (isnan (pointer) || self->pointer_inside)
    return;
  tosst_chart_plot_area (self->chart, &left, &top, &width, &height);
  tosst_chart_get_logarithmic (self->chart, &log_x, &log_y);
  from = tosst_chart_x_at (self->chart, left);
  to = tosst_chart_x_at (self->chart, left + width);
  at = log_x ? log (pointer / from) / log (to / from) : (pointer - from) / (to - from);
  if (at >= 0 && at <= 1)
    snapshot_line (self, snapshot, left + at * width);
}
