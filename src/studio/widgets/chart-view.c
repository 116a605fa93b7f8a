/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/chart-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/build.h"
#include "studio/widgets/context-menu.h"

#define PAN_STEP 0.1
#define DESCRIBE_US G_USEC_PER_SEC

enum
{
  PROP_LOG_X = 1,
  PROP_LOG_Y,
  N_PROPERTIES,
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (StudioChartView, studio_chart_view, GTK_TYPE_WIDGET)

static void
studio_chart_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioChartView *self = STUDIO_CHART_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->chart == NULL || width < 40 || height < 40)
    return;
  studio_snapshot_picture (widget, snapshot, &self->picture, studio_chart_draw, self->chart);
  studio_chart_snapshot_partner (self, snapshot);
  studio_chart_snapshot_mark (self, snapshot);
  studio_chart_snapshot_box (self, snapshot);
  gtk_widget_snapshot_child (widget, self->reset_button, snapshot);
  studio_chart_snapshot_hover (self, snapshot);
}

/* The button is at the upper right of the plot. */
static void
studio_chart_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  StudioChartView *self = STUDIO_CHART_VIEW (widget);
  GtkRequisition size;
  double x = 0, y = 0, plot_width = 0, plot_height = 0;

  if (!gtk_widget_should_layout (self->reset_button))
    return;
  gtk_widget_get_preferred_size (self->reset_button, &size, NULL);
  if (self->chart != NULL)
    tosst_chart_plot_area (self->chart, &x, &y, &plot_width, &plot_height);
  if (!(plot_width > 0) || x + plot_width > width)
    {
      x = y = 0;
      plot_width = width;
    }
  gtk_widget_size_allocate (
      self->reset_button,
      &(GtkAllocation){ MAX ((int)(x + plot_width) - size.width - 4, 0), (int)y + 4, size.width, size.height }, -1);
}

static void
studio_chart_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure (STUDIO_CHART_VIEW (widget)->reset_button, orientation, -1, minimum, natural, NULL, NULL);
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
  studio_redraw_picture (widget, &STUDIO_CHART_VIEW (widget)->picture);
}

/* What the user chose replaces what the chart had; else the chart decides. */
static void
apply_axes (StudioChartView *self)
{
  gboolean x, y, was_x = self->log_x, was_y = self->log_y;

  if (self->chart == NULL)
    return;
  tosst_chart_get_logarithmic (self->chart, &x, &y);
  self->log_x = !tosst_chart_has_categories (self->chart) && (self->log_x_set ? was_x : x);
  self->log_y = self->log_y_set ? was_y : y;
  tosst_chart_set_logarithmic (self->chart, self->log_x, self->log_y);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chart.log-x", !tosst_chart_has_categories (self->chart));
  if (self->log_x != was_x)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOG_X]);
  if (self->log_y != was_y)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOG_Y]);
}

void
studio_chart_view_refresh (StudioChartView *self)
{
  apply_axes (self);
  studio_chart_update_reset (self);
  redraw (GTK_WIDGET (self));
  describe_soon (self);
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
  studio_chart_visible_range (self, &low, &high);
  place = studio_chart_along (self, x);
  if (place < low || place > high)
    studio_chart_set_visible_range (self, place - (high - low) / 2, place + (high - low) / 2);
  text = studio_chart_label (self, self->reading.series, x, y);
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

  if (studio_chart_read_point (self, &x, &y, &x_at, &y_at))
    return studio_chart_along (self, x);
  studio_chart_visible_range (self, &low, &high);
  return (low + high) / 2;
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioChartView *self)
{
  if (!studio_chart_is_ready (self) || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (key == GDK_KEY_plus || key == GDK_KEY_equal || key == GDK_KEY_KP_Add)
    studio_chart_zoom_about (self, key_center (self), STUDIO_CHART_ZOOM_STEP);
  else if (key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract)
    studio_chart_zoom_about (self, key_center (self), 1 / STUDIO_CHART_ZOOM_STEP);
  else if (key == GDK_KEY_0 || key == GDK_KEY_KP_0)
    studio_chart_show_all (self);
  else if ((state & GDK_SHIFT_MASK) != 0 && (key == GDK_KEY_Left || key == GDK_KEY_Right))
    studio_chart_pan_by (self, key == GDK_KEY_Left ? -PAN_STEP : PAN_STEP);
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
  if (self->session != NULL && studio_chart_is_ready (self))
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

/* Actions. */

static void
reset_zoom (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_chart_show_all (STUDIO_CHART_VIEW (widget));
}

static gboolean
before_menu (GtkWidget *widget, double x, double y, gpointer data)
{
  StudioChartView *self = STUDIO_CHART_VIEW (widget);

  self->pointer_inside = FALSE;
  gtk_widget_queue_draw (widget);
  return self->chart != NULL;
}

static void
studio_chart_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  StudioChartView *self = STUDIO_CHART_VIEW (object);

  g_value_set_boolean (value, id == PROP_LOG_X ? self->log_x : self->log_y);
}

static void
studio_chart_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioChartView *self = STUDIO_CHART_VIEW (object);
  gboolean *log = id == PROP_LOG_X ? &self->log_x : &self->log_y, wanted = g_value_get_boolean (value);

  *(id == PROP_LOG_X ? &self->log_x_set : &self->log_y_set) = TRUE;
  if (*log == wanted)
    return;
  *log = wanted;
  g_object_notify_by_pspec (object, pspec);
  studio_chart_view_refresh (self);
}

static void
studio_chart_view_dispose (GObject *object)
{
  StudioChartView *self = STUDIO_CHART_VIEW (object);

  g_clear_pointer (&self->reset_button, gtk_widget_unparent);
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
  G_OBJECT_CLASS (klass)->get_property = studio_chart_view_get_property;
  G_OBJECT_CLASS (klass)->set_property = studio_chart_view_set_property;
  properties[PROP_LOG_X] = g_param_spec_boolean ("log-x", NULL, NULL, FALSE,
                                                 G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_LOG_Y] = g_param_spec_boolean ("log-y", NULL, NULL, FALSE,
                                                 G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPERTIES, properties);
  gtk_widget_class_install_property_action (widget_class, "chart.log-x", "log-x");
  gtk_widget_class_install_property_action (widget_class, "chart.log-y", "log-y");
  gtk_widget_class_install_action (widget_class, "chart.reset-zoom", NULL, reset_zoom);
  studio_chart_install_exports (widget_class);
  widget_class->size_allocate = studio_chart_view_size_allocate;
  widget_class->snapshot = studio_chart_view_snapshot;
  widget_class->measure = studio_chart_view_measure;
  gtk_widget_class_set_css_name (widget_class, "chartview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_chart_view_init (StudioChartView *self)
{
  self->marked_series = -1;
  self->reset_button = studio_icon_button ("zoom-fit-best-symbolic", _ ("Show the Whole Range"));
  studio_add_classes (self->reset_button, "osd", "circular", "chart-reset", NULL);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->reset_button), "chart.reset-zoom");
  gtk_widget_set_cursor_from_name (self->reset_button, "default");
  gtk_widget_set_visible (self->reset_button, FALSE);
  gtk_widget_set_parent (self->reset_button, GTK_WIDGET (self));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chart.reset-zoom", FALSE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  studio_add_controller (self, gtk_event_controller_motion_new (), "enter", G_CALLBACK (on_motion), "motion",
                         G_CALLBACK (on_motion), "leave", G_CALLBACK (on_leave), NULL);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  studio_add_controller (self, gtk_event_controller_focus_new (), "leave", G_CALLBACK (on_focus_out), NULL);
  studio_chart_zoom_init (self);
  studio_add_context_menu (self, "chart_menu", before_menu, NULL);
  studio_watch_style (GTK_WIDGET (self), redraw);
}

void
studio_chart_view_set_chart (StudioChartView *self, TosstChart *chart)
{
  self->chart = chart;
  self->picture.width = 0;
  self->dragging = STUDIO_CHART_DRAG_NONE;
  self->reading.active = FALSE;
  self->marked_series = -1;
  if (self->session != NULL)
    studio_chart_on_session_range (self);
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
studio_chart_view_forget_axes (StudioChartView *self)
{
  self->log_x_set = self->log_y_set = FALSE;
}

gboolean
studio_chart_view_is_zoomed (StudioChartView *self)
{
  return self->zoomed;
}

void
studio_chart_view_set_session (StudioChartView *self, StudioChartSession *session)
{
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_set_object (&self->session, session);
  if (session == NULL)
    return;
  g_signal_connect_swapped (session, "range", G_CALLBACK (studio_chart_on_session_range), self);
  g_signal_connect_swapped (session, "pointer", G_CALLBACK (gtk_widget_queue_draw), self);
  studio_chart_on_session_range (self);
}

void
studio_chart_view_set_label_func (StudioChartView *self, StudioChartLabelFunc func, gpointer data)
{
  self->label_func = func;
  self->label_data = data;
}
