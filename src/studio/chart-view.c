/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "chart-view.h"

#include <math.h>

#include "drawing.h"

#define ZOOM_STEP 1.25

struct _StudioChartView
{
  GtkWidget parent_instance;
  TosstChart *chart;   /* borrowed */
  GdkTexture *picture; /* NULL: to be drawn */
  int picture_width, picture_height;

  StudioChartLabelFunc label_func;
  gpointer label_data;

  gboolean pointer_inside;
  double pointer_x, pointer_y;
  double drag_low, drag_high, pinch_low, pinch_high;
  guint describe_source;
};

G_DEFINE_FINAL_TYPE (StudioChartView, studio_chart_view, GTK_TYPE_WIDGET)

static void
draw_chart (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_chart_draw (data, cr, width, height, style);
}

static void
ensure_picture (StudioChartView *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));

  if (self->picture != NULL && width == self->picture_width && height == self->picture_height)
    return;
  g_clear_object (&self->picture);
  self->picture = studio_draw_texture (GTK_WIDGET (self), width, height, draw_chart, self->chart);
  self->picture_width = width;
  self->picture_height = height;
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

static void
snapshot_hover (StudioChartView *self, GtkSnapshot *snapshot)
{
  g_autofree char *text = NULL;
  double x, y, x_at, y_at;
  guint series;

  if (!tosst_chart_pick (self->chart, self->pointer_x, self->pointer_y, &series, &x, &y, &x_at, &y_at))
    return;
  snapshot_marker (snapshot, x_at, y_at);
  text = self->label_func != NULL ? self->label_func (series, x, y, self->label_data)
                                  : tosst_chart_describe_point (self->chart, series, x, y);
  studio_snapshot_bubble (GTK_WIDGET (self), snapshot, x_at, y_at, text);
}

static void
studio_chart_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioChartView *self = STUDIO_CHART_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->chart == NULL || width < 40 || height < 40)
    return;
  ensure_picture (self);
  gtk_snapshot_append_texture (snapshot, self->picture, &GRAPHENE_RECT_INIT (0, 0, width, height));
  if (self->pointer_inside)
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
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  return G_SOURCE_REMOVE;
}

static void
redraw (GtkWidget *widget)
{
  g_clear_object (&STUDIO_CHART_VIEW (widget)->picture);
  gtk_widget_queue_draw (widget);
}

void
studio_chart_view_refresh (StudioChartView *self)
{
  redraw (GTK_WIDGET (self));
  if (self->describe_source == 0) /* a screen reader hears of changes once a second at most */
    self->describe_source = g_timeout_add_seconds (1, describe, self);
}

/* Zoom and pan. */

static void
visible_range (StudioChartView *self, double *low, double *high)
{
  double x, y, width, height;

  tosst_chart_get_x_range (self->chart, low, high);
  if (!isnan (*low) && !isnan (*high))
    return;
  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  *low = tosst_chart_x_at (self->chart, x);
  *high = tosst_chart_x_at (self->chart, x + width);
}

static void
zoom_about (StudioChartView *self, double center, double factor)
{
  double low, high;

  if (self->chart == NULL || self->picture == NULL)
    return;
  visible_range (self, &low, &high);
  tosst_chart_set_x_range (self->chart, center - (center - low) / factor, center + (high - center) / factor);
  redraw (GTK_WIDGET (self));
}

static void
pan_by (StudioChartView *self, double part)
{
  double low, high;

  if (self->chart == NULL || self->picture == NULL)
    return;
  visible_range (self, &low, &high);
  tosst_chart_set_x_range (self->chart, low + part * (high - low), high + part * (high - low));
  redraw (GTK_WIDGET (self));
}

static void
show_all (StudioChartView *self)
{
  if (self->chart == NULL)
    return;
  tosst_chart_set_x_range (self->chart, NAN, NAN);
  redraw (GTK_WIDGET (self));
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, StudioChartView *self)
{
  if (self->chart == NULL || self->picture == NULL)
    return FALSE;
  if (dx != 0)
    pan_by (self, dx * 0.05);
  if (dy != 0)
    zoom_about (self, tosst_chart_x_at (self->chart, self->pointer_x), pow (ZOOM_STEP, -dy));
  return TRUE;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, StudioChartView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->chart != NULL && self->picture != NULL)
    visible_range (self, &self->drag_low, &self->drag_high);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, StudioChartView *self)
{
  double x, y, width, height, shift;

  if (self->chart == NULL || self->picture == NULL || fabs (dx) < 3)
    return;
  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  shift = -dx / MAX (width, 1) * (self->drag_high - self->drag_low);
  tosst_chart_set_x_range (self->chart, self->drag_low + shift, self->drag_high + shift);
  redraw (GTK_WIDGET (self));
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
  if (self->chart != NULL && self->picture != NULL)
    visible_range (self, &self->pinch_low, &self->pinch_high);
}

static void
on_pinch (GtkGestureZoom *gesture, double scale, StudioChartView *self)
{
  double center = (self->pinch_low + self->pinch_high) / 2, half = (self->pinch_high - self->pinch_low) / 2;

  if (self->chart == NULL || scale <= 0)
    return;
  tosst_chart_set_x_range (self->chart, center - half / scale, center + half / scale);
  redraw (GTK_WIDGET (self));
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioChartView *self)
{
  double low, high;

  if (self->chart == NULL || self->picture == NULL || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  visible_range (self, &low, &high);
  if (key == GDK_KEY_plus || key == GDK_KEY_equal || key == GDK_KEY_KP_Add)
    zoom_about (self, (low + high) / 2, ZOOM_STEP);
  else if (key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract)
    zoom_about (self, (low + high) / 2, 1 / ZOOM_STEP);
  else if (key == GDK_KEY_Left)
    pan_by (self, -0.1);
  else if (key == GDK_KEY_Right)
    pan_by (self, 0.1);
  else if (key == GDK_KEY_0 || key == GDK_KEY_KP_0)
    show_all (self);
  else
    return FALSE;
  return TRUE;
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, StudioChartView *self)
{
  self->pointer_inside = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller, StudioChartView *self)
{
  self->pointer_inside = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
add_controllers (StudioChartView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new (), *pinch = gtk_gesture_zoom_new ();

  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect (pinch, "begin", G_CALLBACK (on_pinch_begin), self);
  g_signal_connect (pinch, "scale-changed", G_CALLBACK (on_pinch), self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, key);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
}

static void
studio_chart_view_dispose (GObject *object)
{
  StudioChartView *self = STUDIO_CHART_VIEW (object);

  g_clear_object (&self->picture);
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
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  add_controllers (self);
  studio_watch_style (GTK_WIDGET (self), redraw);
}

void
studio_chart_view_set_chart (StudioChartView *self, TosstChart *chart)
{
  self->chart = chart;
  studio_chart_view_refresh (self);
}

void
studio_chart_view_set_label_func (StudioChartView *self, StudioChartLabelFunc func, gpointer data)
{
  self->label_func = func;
  self->label_data = data;
}
