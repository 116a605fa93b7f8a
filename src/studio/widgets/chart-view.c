/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/chart-view.h"

#include <math.h>

#include "studio/widgets/build.h"
#include "studio/widgets/chart-reading.h"
#include "studio/widgets/drawing.h"

#define ZOOM_STEP 1.25
#define PAN_STEP 0.1
#define NEAREST 1e-9 /* smallest range, relative to the larger of its ends */
#define DESCRIBE_US G_USEC_PER_SEC

struct _StudioChartView
{
  GtkWidget parent_instance;
  TosstChart *chart; /* borrowed */
  StudioPicture picture;

  StudioChartLabelFunc label_func;
  gpointer label_data;

  StudioChartSession *session; /* NULL: own x axis */

  gboolean pointer_inside;
  double pointer_x, pointer_y;
  double drag_low, drag_high, pinch_low, pinch_high; /* logarithms on a logarithmic axis */
  guint describe_source;
  gint64 described; /* monotonic time */

  StudioChartReading reading;

  int marked_series; /* -1: none */
  double marked_x;
};

G_DEFINE_FINAL_TYPE (StudioChartView, studio_chart_view, GTK_TYPE_WIDGET)

static void
draw_chart (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_chart_draw (data, cr, width, height, style);
}

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

static char *
label_of (StudioChartView *self, guint series, double x, double y)
{
  return self->label_func != NULL ? self->label_func (series, x, y, self->label_data)
                                  : tosst_chart_describe_point (self->chart, series, x, y);
}

/* The reading point, if it is visible: zoom and pan may have moved it out of the range. */
static gboolean
read_point_in_sight (StudioChartView *self, double *x, double *y, double *x_at, double *y_at)
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
  return read_point_in_sight (self, x, y, x_at, y_at);
}

static void
snapshot_hover (StudioChartView *self, GtkSnapshot *snapshot)
{
  g_autofree char *text = NULL;
  double x, y, x_at, y_at;
  guint series;

  if (!shown_point (self, &series, &x, &y, &x_at, &y_at))
    return;
  snapshot_marker (snapshot, x_at, y_at);
  text = label_of (self, series, x, y);
  studio_snapshot_bubble (GTK_WIDGET (self), snapshot, x_at, y_at, text, FALSE);
}

static void
snapshot_mark (StudioChartView *self, GtkSnapshot *snapshot)
{
  double x, y, x_at, y_at;
  gsize n = self->marked_series >= 0 ? tosst_chart_points (self->chart, (guint)self->marked_series) : 0;

  for (gsize i = 0; i < n; i++)
    if (tosst_chart_point (self->chart, (guint)self->marked_series, i, &x, &y, &x_at, &y_at) && x == self->marked_x)
      snapshot_marker (snapshot, x_at, y_at);
}

/* Position of the pointer in another chart of the session. */
static void
snapshot_partner (StudioChartView *self, GtkSnapshot *snapshot)
{
  double pointer = self->session != NULL ? studio_chart_session_get_pointer (self->session) : NAN;
  double left, top, width, height, from, to, at;
  gboolean log_x, log_y;
  GdkRGBA color;

  if (isnan (pointer) || self->pointer_inside)
    return;
  tosst_chart_plot_area (self->chart, &left, &top, &width, &height);
  tosst_chart_get_logarithmic (self->chart, &log_x, &log_y);
  from = tosst_chart_x_at (self->chart, left);
  to = tosst_chart_x_at (self->chart, left + width);
  at = log_x ? log (pointer / from) / log (to / from) : (pointer - from) / (to - from);
  if (!(at >= 0 && at <= 1))
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &color);
  color.alpha *= 0.4f;
  gtk_snapshot_append_color (snapshot, &color,
                             &GRAPHENE_RECT_INIT ((float)round (left + at * width), (float)top, 1, (float)height));
}

static void
studio_chart_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioChartView *self = STUDIO_CHART_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->chart == NULL || width < 40 || height < 40)
    return;
  studio_snapshot_picture (widget, snapshot, &self->picture, draw_chart, self->chart);
  snapshot_partner (self, snapshot);
  snapshot_mark (self, snapshot);
  snapshot_hover (self, snapshot);
}

static void
studio_chart_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 240 : 160;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 640 : 320;
}

static gboolean
describe (gpointer data)
{
  StudioChartView *self = data;
  g_autofree char *text = self->chart != NULL ? tosst_chart_describe (self->chart) : g_strdup ("");

  self->describe_source = 0;
  self->described = g_get_monotonic_time ();
  studio_set_description (self, text);
  return G_SOURCE_REMOVE;
}

/* Changes are announced to screen readers once a second at most. */
static void
describe_soon (StudioChartView *self)
{
  gint64 wait = self->described + DESCRIBE_US - g_get_monotonic_time ();

  if (self->describe_source == 0)
    self->describe_source
        = g_timeout_add (self->described == 0 || wait < 0 ? 0 : (guint)(wait / 1000) + 1, describe, self);
}

static void
redraw (GtkWidget *widget)
{
  g_clear_object (&STUDIO_CHART_VIEW (widget)->picture.texture);
  gtk_widget_queue_draw (widget);
}

void
studio_chart_view_refresh (StudioChartView *self)
{
  redraw (GTK_WIDGET (self));
  describe_soon (self);
}

/* Zoom and pan. On a logarithmic axis the computation uses logarithms, so that the value under the pointer stays
 * there. */

static double
along (StudioChartView *self, double x)
{
  gboolean log_x, log_y;

  tosst_chart_get_logarithmic (self->chart, &log_x, &log_y);
  return log_x ? log (x) : x;
}

/* The axes are known after the first drawing. */
static gboolean
is_ready (StudioChartView *self)
{
  return self->chart != NULL && self->picture.width > 0;
}

static void
visible_range (StudioChartView *self, double *low, double *high)
{
  double x, y, width, height;

  tosst_chart_get_x_range (self->chart, low, high);
  if (isnan (*low) || isnan (*high))
    {
      tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
      *low = tosst_chart_x_at (self->chart, x);
      *high = tosst_chart_x_at (self->chart, x + width);
    }
  *low = along (self, *low);
  *high = along (self, *high);
}

/* The ends in the session, or in the chart without one. */
static void
set_range (StudioChartView *self, double low, double high)
{
  if (self->session != NULL)
    studio_chart_session_set_range (self->session, low, high);
  else
    {
      tosst_chart_set_x_range (self->chart, low, high);
      redraw (GTK_WIDGET (self));
    }
}

static void
set_visible_range (StudioChartView *self, double low, double high)
{
  gboolean log_x, log_y;

  tosst_chart_get_logarithmic (self->chart, &log_x, &log_y);
  set_range (self, log_x ? exp (low) : low, log_x ? exp (high) : high);
}

static void
on_session_range (StudioChartView *self)
{
  double low, high;

  if (self->chart == NULL)
    return;
  studio_chart_session_get_range (self->session, &low, &high);
  tosst_chart_set_x_range (self->chart, low, high);
  redraw (GTK_WIDGET (self));
}

static void
show_all (StudioChartView *self)
{
  if (self->chart != NULL)
    set_range (self, NAN, NAN);
}

/* Limits the range to the data, and to the resolution of floating-point numbers. */
static void
zoom_about (StudioChartView *self, double center, double factor)
{
  double low, high, first, last;

  tosst_chart_get_x_range (self->chart, &low, &high);
  if (factor < 1 && isnan (low))
    return;
  visible_range (self, &low, &high);
  tosst_chart_x_extent (self->chart, &first, &last);
  low = center - (center - low) / factor;
  high = center + (high - center) / factor;
  if (factor < 1 && !(low > along (self, first)) && !(high < along (self, last)))
    show_all (self);
  else if (factor < 1 || high - low > NEAREST * fmax (fabs (low), fabs (high)))
    set_visible_range (self, low, high);
}

static void
pan_by (StudioChartView *self, double part)
{
  double low, high;

  visible_range (self, &low, &high);
  set_visible_range (self, low + part * (high - low), high + part * (high - low));
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, StudioChartView *self)
{
  if (!is_ready (self))
    return FALSE;
  if (dx != 0)
    pan_by (self, dx * 0.05);
  if (dy != 0)
    zoom_about (self, along (self, tosst_chart_x_at (self->chart, self->pointer_x)), pow (ZOOM_STEP, -dy));
  return TRUE;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, StudioChartView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (is_ready (self))
    visible_range (self, &self->drag_low, &self->drag_high);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, StudioChartView *self)
{
  double x, y, width, height, shift;

  if (!is_ready (self) || fabs (dx) < 3)
    return;
  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  shift = -dx / MAX (width, 1) * (self->drag_high - self->drag_low);
  set_visible_range (self, self->drag_low + shift, self->drag_high + shift);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioChartView *self)
{
  if (n_press == 2)
    show_all (self);
}

static void
on_pinch_begin (GtkGesture *gesture, GdkEventSequence *sequence, StudioChartView *self)
{
  if (is_ready (self))
    visible_range (self, &self->pinch_low, &self->pinch_high);
}

static void
on_pinch (GtkGestureZoom *gesture, double scale, StudioChartView *self)
{
  double center = (self->pinch_low + self->pinch_high) / 2, half = (self->pinch_high - self->pinch_low) / 2;

  if (!is_ready (self) || scale <= 0)
    return;
  set_visible_range (self, center - half / scale, center + half / scale);
}

/* Reading by keys. */

/* Announces the point to screen readers, and pans until it is visible. */
static void
show_read_point (StudioChartView *self)
{
  double x, y, x_at, y_at, low, high, place;
  g_autofree char *text = NULL;

  if (!tosst_chart_point (self->chart, self->reading.series, self->reading.point, &x, &y, &x_at, &y_at))
    return;
  visible_range (self, &low, &high);
  place = along (self, x);
  if (place < low || place > high)
    set_visible_range (self, place - (high - low) / 2, place + (high - low) / 2);
  text = label_of (self, self->reading.series, x, y);
  studio_set_description (self, text);
  if (self->session != NULL)
    studio_chart_session_set_pointer (self->session, x);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
stop_reading (StudioChartView *self)
{
  self->reading.active = FALSE;
  if (self->session != NULL)
    studio_chart_session_set_pointer (self->session, NAN);
  describe_soon (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The centre of zooming with keys: the reading point, else the middle. */
static double
key_center (StudioChartView *self)
{
  double low, high, x, y, x_at, y_at;

  if (read_point_in_sight (self, &x, &y, &x_at, &y_at))
    return along (self, x);
  visible_range (self, &low, &high);
  return (low + high) / 2;
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioChartView *self)
{
  if (!is_ready (self) || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (key == GDK_KEY_plus || key == GDK_KEY_equal || key == GDK_KEY_KP_Add)
    zoom_about (self, key_center (self), ZOOM_STEP);
  else if (key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract)
    zoom_about (self, key_center (self), 1 / ZOOM_STEP);
  else if (key == GDK_KEY_0 || key == GDK_KEY_KP_0)
    show_all (self);
  else if ((state & GDK_SHIFT_MASK) != 0 && (key == GDK_KEY_Left || key == GDK_KEY_Right))
    pan_by (self, key == GDK_KEY_Left ? -PAN_STEP : PAN_STEP);
  else if (key == GDK_KEY_Escape && self->reading.active)
    stop_reading (self);
  else if (studio_chart_reading_is_key (key))
    {
      if (!studio_chart_reading_move (&self->reading, self->chart, key))
        return FALSE;
      show_read_point (self);
    }
  else
    return FALSE;
  return TRUE;
}

static void
on_focus_out (GtkEventControllerFocus *controller, StudioChartView *self)
{
  if (self->reading.active)
    stop_reading (self);
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, StudioChartView *self)
{
  self->pointer_inside = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  if (self->session != NULL && is_ready (self))
    studio_chart_session_set_pointer (self->session, tosst_chart_x_at (self->chart, x));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller, StudioChartView *self)
{
  self->pointer_inside = FALSE;
  if (self->session != NULL)
    studio_chart_session_set_pointer (self->session, NAN);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
studio_chart_view_dispose (GObject *object)
{
  StudioChartView *self = STUDIO_CHART_VIEW (object);

  studio_chart_view_set_session (self, NULL);
  g_clear_object (&self->picture.texture);
  g_clear_handle_id (&self->describe_source, g_source_remove);
  self->chart = NULL;
  G_OBJECT_CLASS (studio_chart_view_parent_class)->dispose (object);
}

static void
studio_chart_view_class_init (StudioChartViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_chart_view_dispose;
  widget_class->snapshot = studio_chart_view_snapshot;
  widget_class->measure = studio_chart_view_measure;
  gtk_widget_class_set_css_name (widget_class, "chartview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_chart_view_init (StudioChartView *self)
{
  self->marked_series = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  studio_add_controller (self, gtk_event_controller_motion_new (), "enter", G_CALLBACK (on_motion), "motion",
                         G_CALLBACK (on_motion), "leave", G_CALLBACK (on_leave), NULL);
  studio_add_controller (self, gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES), "scroll",
                         G_CALLBACK (on_scroll), NULL);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  studio_add_controller (self, gtk_event_controller_focus_new (), "leave", G_CALLBACK (on_focus_out), NULL);
  studio_add_controller (self, gtk_gesture_drag_new (), "drag-begin", G_CALLBACK (on_drag_begin), "drag-update",
                         G_CALLBACK (on_drag_update), NULL);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_controller (self, gtk_gesture_zoom_new (), "begin", G_CALLBACK (on_pinch_begin), "scale-changed",
                         G_CALLBACK (on_pinch), NULL);
  studio_watch_style (GTK_WIDGET (self), redraw);
}

void
studio_chart_view_set_chart (StudioChartView *self, TosstChart *chart)
{
  self->chart = chart;
  self->picture.width = 0;
  self->reading.active = FALSE;
  self->marked_series = -1;
  if (self->session != NULL)
    on_session_range (self);
  studio_chart_view_refresh (self);
}

void
studio_chart_view_mark (StudioChartView *self, int series, double x)
{
  self->marked_series = series;
  self->marked_x = x;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
studio_chart_view_set_session (StudioChartView *self, StudioChartSession *session)
{
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_set_object (&self->session, session);
  if (session == NULL)
    return;
  g_signal_connect_swapped (session, "range", G_CALLBACK (on_session_range), self);
  g_signal_connect_swapped (session, "pointer", G_CALLBACK (gtk_widget_queue_draw), self);
  on_session_range (self);
}

void
studio_chart_view_set_label_func (StudioChartView *self, StudioChartLabelFunc func, gpointer data)
{
  self->label_func = func;
  self->label_data = data;
}
