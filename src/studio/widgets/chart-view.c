/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/chart-view.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/plot/chart.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/context-menu.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/save-dialog.h"

#define MOST_LINES 12 /* of the bubble */

GPtrArray *
studio_chart_readings_new (TosstChart *chart, double pointer_x)
{
  GPtrArray *readings = g_ptr_array_new_with_free_func (g_free);
  guint nearest = 0;

  for (guint series = 0; !isnan (pointer_x) && series < tosst_chart_series (chart); series++)
    {
      StudioChartValue value = { .series = series };

      if (tosst_chart_read (chart, series, pointer_x, &value.x, &value.y, &value.x_at, &value.y_at))
        g_ptr_array_add (readings, g_memdup2 (&value, sizeof value));
    }
  for (guint i = 1; i < readings->len; i++)
    {
      const StudioChartValue *a = readings->pdata[i], *b = readings->pdata[nearest];

      nearest = fabs (a->x_at - pointer_x) < fabs (b->x_at - pointer_x) ? i : nearest;
    }
  if (nearest > 0)
    g_ptr_array_insert (readings, 0, g_ptr_array_steal_index (readings, nearest));
  return readings;
}

/* The plate of the bubble is dark where the window is light. */
static void
append_dot (GString *markup, TosstChart *chart, GtkWidget *widget, guint series)
{
  TosstChartStyle style;
  double rgb[3];

  studio_chart_style (widget, &style);
  style.dark = !style.dark;
  tosst_chart_color (&style, tosst_chart_series_color (chart, series), rgb);
  g_string_append_printf (markup, "<span foreground=\"#%02x%02x%02x\">●</span> ", (guint)lround (255 * rgb[0]),
                          (guint)lround (255 * rgb[1]), (guint)lround (255 * rgb[2]));
}

char *
studio_chart_readings_markup (TosstChart *chart, GtkWidget *widget, const GPtrArray *readings, int except,
                              const char *heading)
{
  g_autofree char *escaped = g_markup_escape_text (heading, -1);
  GString *markup = g_string_new (NULL);
  guint lines = 0;

  if (except >= 0 && readings->len > 1)
    append_dot (markup, chart, widget, (guint)except);
  g_string_append (markup, escaped);
  for (guint series = 0; series < tosst_chart_series (chart); series++)
    for (guint i = 0; i < readings->len; i++)
      {
        const StudioChartValue *value = readings->pdata[i];

        if (value->series != series || (int)series == except)
          continue;
        if (lines++ < MOST_LINES)
          {
            g_autofree char *text = tosst_chart_describe_value (chart, value->series, value->x, value->y);
            const char *name = tosst_chart_series_name (chart, value->series);
            g_autofree char *line = *name ? g_markup_printf_escaped ("%s: <b>%s</b>", name, text)
                                          : g_markup_printf_escaped ("<b>%s</b>", text);

            g_string_append_c (markup, '\n');
            append_dot (markup, chart, widget, value->series);
            g_string_append (markup, line);
          }
      }
  if (lines > MOST_LINES)
    {
      g_autofree char *more = g_strdup_printf (ngettext ("%u more", "%u more", lines - MOST_LINES), lines - MOST_LINES);

      g_string_append_printf (markup, "\n<i>%s</i>", more);
    }
  return g_string_free (markup, FALSE);
}

struct _StudioChartSession
{
  GObject parent_instance;
  double low, high, pointer;
};

G_DEFINE_FINAL_TYPE (StudioChartSession, studio_chart_session, G_TYPE_OBJECT)

static void
studio_chart_session_class_init (StudioChartSessionClass *klass)
{
  studio_add_signal (klass, "range", 0);
  studio_add_signal (klass, "pointer", 0);
}

static void
studio_chart_session_init (StudioChartSession *self)
{
  self->low = self->high = self->pointer = NAN;
}

StudioChartSession *
studio_chart_session_new (void)
{
  return g_object_new (STUDIO_TYPE_CHART_SESSION, NULL);
}

static gboolean
same (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

void
studio_chart_session_set_range (StudioChartSession *self, double low, double high)
{
  if (same (low, self->low) && same (high, self->high))
    return;
  self->low = low;
  self->high = high;
  g_signal_emit_by_name (self, "range");
}

/* NaN: no pointer in a chart */
static void
studio_chart_session_set_pointer (StudioChartSession *self, double x)
{
  if (same (x, self->pointer))
    return;
  self->pointer = x;
  g_signal_emit_by_name (self, "pointer");
}

/* The point of a chart that is read with the keyboard. All zero: none. */
typedef struct
{
  gboolean active;
  guint series;
  gsize point;
} Reading;

#define ZOOM_STEP 1.25
#define NEAREST 1e-9 /* smallest range, relative to the larger of its ends */

typedef enum
{
  DRAG_NONE,
  DRAG_BOX,
  DRAG_PAN,
} Drag;

struct _StudioChartView
{
  GtkWidget parent_instance;
  TosstChart *chart; /* borrowed */
  StudioPicture picture;

  StudioChartLabelFunc label_func;
  gpointer label_data;

  StudioChartSession *session; /* NULL: own x axis */

  StudioPointer pointer;
  double drag_low, drag_high, pinch_low, pinch_high; /* logarithms on a logarithmic axis */
  Drag dragging;
  double drag_x, drag_y, drag_dx, drag_dy;

  GtkWidget *reset_button;
  gboolean zoomed;               /* by the user */
  gboolean log_x, log_y;         /* as in the chart */
  gboolean log_x_set, log_y_set; /* by the user, also for the charts that follow */
  guint describe_source;
  gint64 described; /* monotonic time */

  Reading reading;

  int marked_series; /* -1: none */
  double marked_x;
};

/* Left, Right, Home and End move along a curve, Up and Down to another curve. */
static gboolean
reading_is_key (guint key)
{
  return key == GDK_KEY_Left || key == GDK_KEY_Right || key == GDK_KEY_Up || key == GDK_KEY_Down || key == GDK_KEY_Home
         || key == GDK_KEY_End;
}

static gboolean
can_read (TosstChart *chart, guint series)
{
  return series < tosst_chart_series (chart) && tosst_chart_series_visible (chart, series)
         && tosst_chart_points (chart, series) > 0;
}

/* The next curve that has points, in either direction; the point of the same index, if it has that many. */
static gboolean
go_to_other_series (Reading *reading, TosstChart *chart, int step)
{
  guint n = tosst_chart_series (chart);

  for (guint i = 1; i <= n; i++)
    {
      guint series = (reading->series + (step > 0 ? i : n * 2 - i)) % n;

      if (!can_read (chart, series))
        continue;
      reading->series = series;
      reading->point = MIN (reading->point, tosst_chart_points (chart, series) - 1);
      return TRUE;
    }
  return FALSE;
}

/* Starts with the first point of the first curve that has any if no point is read or its curve is hidden or empty;
 * else moves according to the key. FALSE, and no point is read: no curve has points. */
static gboolean
reading_move (Reading *reading, TosstChart *chart, guint key)
{
  guint n = tosst_chart_series (chart);

  if (n == 0)
    return FALSE;
  if (!reading->active || !can_read (chart, reading->series))
    {
      reading->series = n - 1; /* the next of which is the first */
      reading->point = 0;
      reading->active = go_to_other_series (reading, chart, 1);
    }
  else if (key == GDK_KEY_Up || key == GDK_KEY_Down)
    go_to_other_series (reading, chart, key == GDK_KEY_Down ? 1 : -1);
  else
    {
      gsize last = tosst_chart_points (chart, reading->series) - 1;

      if (key == GDK_KEY_Home)
        reading->point = 0;
      else if (key == GDK_KEY_End)
        reading->point = last;
      else if (key == GDK_KEY_Left)
        reading->point = MAX (reading->point, 1) - 1;
      else
        reading->point = MIN (reading->point + 1, last);
    }
  return reading->active;
}

/* Zoom and pan of a chart. */

#define SMALLEST_BOX 8 /* pixels: less is no choice on that axis */

/* The button is shown while the user's choice of a range is. */
static void
update_reset (StudioChartView *self)
{
  double low, high, bottom, top;

  if (self->chart == NULL) /* the next one may keep the range */
    return;
  tosst_chart_get_x_range (self->chart, &low, &high);
  tosst_chart_get_y_range (self->chart, &bottom, &top);
  self->zoomed = self->zoomed && !(isnan (low) && isnan (bottom));
  gtk_widget_set_visible (self->reset_button, self->zoomed);
  studio_enable (self, "chart.reset-zoom", self->zoomed);
}

/* The rectangle of a drag within the plot: all of its height or width where the drag has hardly any. */
static graphene_rect_t
box_of_drag (StudioChartView *self)
{
  double x, y, width, height, left, right, top, bottom;

  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  left = CLAMP (MIN (self->drag_x, self->drag_x + self->drag_dx), x, x + width);
  right = CLAMP (MAX (self->drag_x, self->drag_x + self->drag_dx), x, x + width);
  top = CLAMP (MIN (self->drag_y, self->drag_y + self->drag_dy), y, y + height);
  bottom = CLAMP (MAX (self->drag_y, self->drag_y + self->drag_dy), y, y + height);
  if (right - left < SMALLEST_BOX)
    {
      left = x;
      right = x + width;
    }
  if (bottom - top < SMALLEST_BOX || tosst_chart_has_categories (self->chart))
    {
      top = y;
      bottom = y + height;
    }
  return GRAPHENE_RECT_INIT ((float)left, (float)top, (float)(right - left), (float)(bottom - top));
}

/* x on the axis: its logarithm on a logarithmic one, so that the value under the pointer stays there. */
static double
along (StudioChartView *self, double x)
{
  return self->log_x ? log (x) : x;
}

/* The axes are known after the first drawing. */
static gboolean
is_ready (StudioChartView *self)
{
  return self->chart != NULL && self->picture.width > 0;
}

/* The visible range, and another one, on the axis. */
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
  self->zoomed = TRUE;
  if (self->session != NULL)
    studio_chart_session_set_range (self->session, low, high);
  else
    {
      tosst_chart_set_x_range (self->chart, low, high);
      studio_redraw_picture (GTK_WIDGET (self), &self->picture);
    }
  update_reset (self);
}

static void
set_visible_range (StudioChartView *self, double low, double high)
{
  set_range (self, self->log_x ? exp (low) : low, self->log_x ? exp (high) : high);
}

static void
on_session_range (StudioChartView *self)
{
  if (self->chart == NULL)
    return;
  tosst_chart_set_x_range (self->chart, self->session->low, self->session->high);
  self->zoomed = self->zoomed || !isnan (self->session->low);
  update_reset (self);
  studio_redraw_picture (GTK_WIDGET (self), &self->picture);
}

static void
show_all (StudioChartView *self)
{
  if (self->chart == NULL)
    return;
  tosst_chart_set_y_range (self->chart, NAN, NAN);
  set_range (self, NAN, NAN);
  studio_redraw_picture (GTK_WIDGET (self), &self->picture);
}

/* The box of a drag, in the window. */
static void
zoom_to_box (StudioChartView *self)
{
  graphene_rect_t box = box_of_drag (self);
  double x, y, width, height, left, right, top, bottom;

  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  left = tosst_chart_x_at (self->chart, box.origin.x);
  right = tosst_chart_x_at (self->chart, box.origin.x + box.size.width);
  top = tosst_chart_y_at (self->chart, box.origin.y);
  bottom = tosst_chart_y_at (self->chart, box.origin.y + box.size.height);
  if (box.size.height < height)
    tosst_chart_set_y_range (self->chart, bottom, top);
  if (box.size.width < width && right - left > NEAREST * fmax (fabs (left), fabs (right)))
    set_range (self, left, right);
  self->zoomed = TRUE;
  update_reset (self);
  studio_redraw_picture (GTK_WIDGET (self), &self->picture);
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
    zoom_about (self, along (self, tosst_chart_x_at (self->chart, self->pointer.x)), pow (ZOOM_STEP, -dy));
  return TRUE;
}

/* A finger pans, as does a drag with Shift or the middle button; else a drag selects a range. */
static Drag
drag_of (GtkGestureDrag *gesture)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (gesture));
  GdkDevice *device = event != NULL ? gdk_event_get_device (event) : NULL;
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));

  if (button > GDK_BUTTON_MIDDLE)
    return DRAG_NONE;
  if (button == GDK_BUTTON_MIDDLE || (device != NULL && gdk_device_get_source (device) == GDK_SOURCE_TOUCHSCREEN)
      || (gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture)) & GDK_SHIFT_MASK) != 0)
    return DRAG_PAN;
  return DRAG_BOX;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, StudioChartView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->drag_x = x;
  self->drag_y = y;
  self->drag_dx = self->drag_dy = 0;
  if (is_ready (self))
    visible_range (self, &self->drag_low, &self->drag_high);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, StudioChartView *self)
{
  double x, y, width, height, shift;

  if (!is_ready (self) || (self->dragging == DRAG_NONE && fabs (dx) < SMALLEST_BOX && fabs (dy) < SMALLEST_BOX))
    return;
  if (self->dragging == DRAG_NONE)
    self->dragging = drag_of (gesture);
  self->drag_dx = dx;
  self->drag_dy = dy;
  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  shift = -dx / MAX (width, 1) * (self->drag_high - self->drag_low);
  if (self->dragging == DRAG_PAN)
    set_visible_range (self, self->drag_low + shift, self->drag_high + shift);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, StudioChartView *self)
{
  gboolean box = self->dragging == DRAG_BOX && is_ready (self);

  self->dragging = DRAG_NONE;
  if (box && (fabs (dx) >= SMALLEST_BOX || fabs (dy) >= SMALLEST_BOX))
    zoom_to_box (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_cancel (GtkGesture *gesture, GdkEventSequence *sequence, StudioChartView *self)
{
  self->dragging = DRAG_NONE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
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

/* What the pointer, the reading point and the partner of a session add to a chart. */

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
label (StudioChartView *self, guint series, double x, double y)
{
  return self->label_func != NULL ? self->label_func (series, x, y, self->label_data)
                                  : tosst_chart_describe_point (self->chart, series, x, y);
}

/* The reading point, if it is visible: zoom and pan may have moved it out of the range. */
static gboolean
read_point (StudioChartView *self, double *x, double *y, double *x_at, double *y_at)
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
  if (self->pointer.inside
      && tosst_chart_pick (self->chart, self->pointer.x, self->pointer.y, series, x, y, x_at, y_at))
    return TRUE;
  *series = self->reading.series;
  return read_point (self, x, y, x_at, y_at);
}

static gboolean
in_plot (StudioChartView *self)
{
  double x, y, width, height;

  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  return self->pointer.inside && self->pointer.x >= x && self->pointer.x <= x + width && self->pointer.y >= y
         && self->pointer.y <= y + height;
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

static void
snapshot_hover (StudioChartView *self, GtkSnapshot *snapshot)
{
  g_autofree char *text = NULL;
  double x, y, x_at, y_at;
  guint series;
  gboolean picked = shown_point (self, &series, &x, &y, &x_at, &y_at);

  if (self->dragging != DRAG_NONE)
    return;
  g_autoptr (GPtrArray) readings = studio_chart_readings_new (self->chart, in_plot (self) ? self->pointer.x : NAN);
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
      g_autofree char *heading = label (self, series, x, y);

      snapshot_marker (snapshot, x_at, y_at);
      text = studio_chart_readings_markup (self->chart, GTK_WIDGET (self), readings, (int)series, heading);
    }
  else
    {
      const StudioChartValue *nearest = readings->pdata[0];
      g_autofree char *heading = tosst_chart_describe_x (self->chart, nearest->x);

      x_at = nearest->x_at;
      y_at = self->pointer.y;
      text = studio_chart_readings_markup (self->chart, GTK_WIDGET (self), readings, -1, heading);
    }
  studio_snapshot_bubble (GTK_WIDGET (self), snapshot, x_at, y_at, text, TRUE);
}

/* The range that a drag selects. */
static void
snapshot_box (StudioChartView *self, GtkSnapshot *snapshot)
{
  GdkRGBA color;
  GskRoundedRect outline;

  if (self->dragging != DRAG_BOX)
    return;
  graphene_rect_t box = box_of_drag (self);
  if (!gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)), "accent_color", &color))
    gdk_rgba_parse (&color, "#3584e4");
  gsk_rounded_rect_init_from_rect (&outline, &box, 2);
  gtk_snapshot_append_border (snapshot, &outline, (float[4]){ 1, 1, 1, 1 }, (GdkRGBA[4]){ color, color, color, color });
  color.alpha = 0.15f;
  gtk_snapshot_append_color (snapshot, &color, &box);
}

/* Position of the pointer in another chart of the session. */
static void
snapshot_partner (StudioChartView *self, GtkSnapshot *snapshot)
{
  double pointer = self->session != NULL ? self->session->pointer : NAN;
  double left, top, width, height, from, to, at;

  if (isnan (pointer) || self->pointer.inside)
    return;
  tosst_chart_plot_area (self->chart, &left, &top, &width, &height);
  from = tosst_chart_x_at (self->chart, left);
  to = tosst_chart_x_at (self->chart, left + width);
  at = self->log_x ? log (pointer / from) / log (to / from) : (pointer - from) / (to - from);
  if (at >= 0 && at <= 1)
    snapshot_line (self, snapshot, left + at * width);
}

/* Copies and files of a chart. */

#define SAVED_WIDTH 900
#define SAVED_HEIGHT 560

void
studio_chart_draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer chart)
{
  tosst_chart_draw (chart, cr, width, height, style);
}

static void
copy (StudioChartView *self, const char *name)
{
  TosstChart *chart = self->chart;
  g_autoptr (TosstChart) drawn = chart != NULL ? tosst_chart_copy (chart) : NULL;
  g_autofree char *csv = chart != NULL ? tosst_chart_to_csv (chart) : NULL;

  if (chart != NULL && g_str_equal (name, "chart.copy-picture"))
    studio_copy_drawing (GTK_WIDGET (self), studio_chart_draw, drawn);
  else if (chart != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), csv);
}

gboolean
studio_chart_write (gpointer chart, GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1), *csv = NULL;

  if (!g_str_has_suffix (lower, ".csv"))
    return tosst_chart_save (chart, SAVED_WIDTH, SAVED_HEIGHT, file, error);
  csv = tosst_chart_to_csv (chart);
  return tosst_atomic_write (file, csv, strlen (csv), error);
}

static gboolean
can_save (gpointer self, const char *kind)
{
  return ((StudioChartView *)self)->chart != NULL;
}

static StudioContent
take_chart (gpointer self, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  return (StudioContent){ tosst_chart_copy (((StudioChartView *)self)->chart), (GDestroyNotify)tosst_chart_free,
                          studio_chart_write };
}

static void
on_written (gpointer self, const char *sentence, const char *problem, GFile *file)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (self, ADW_TYPE_TOAST_OVERLAY);

  if (toasts != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), studio_toast_new (sentence));
}

static const StudioSaveKind saves[]
    = { { "chart", N_ ("Export Chart (SVG, PDF, PNG or CSV)"), "chart.svg", "svg pdf png csv", take_chart } };
static const StudioExports exports = { saves, G_N_ELEMENTS (saves), can_save, G_CALLBACK (on_written) };

static void
save_as (GtkWidget *widget)
{
  studio_export_ask (widget, "chart");
}

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
  double x, y, x_at, y_at;

  if (self->chart == NULL || width < 40 || height < 40)
    return;
  studio_snapshot_picture (widget, snapshot, &self->picture, studio_chart_draw, self->chart);
  snapshot_partner (self, snapshot);
  gsize n = self->marked_series >= 0 ? tosst_chart_points (self->chart, (guint)self->marked_series) : 0;
  for (gsize i = 0; i < n; i++)
    if (tosst_chart_point (self->chart, (guint)self->marked_series, i, &x, &y, &x_at, &y_at) && x == self->marked_x)
      snapshot_marker (snapshot, x_at, y_at);
  snapshot_box (self, snapshot);
  gtk_widget_snapshot_child (widget, self->reset_button, snapshot);
  snapshot_hover (self, snapshot);
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

static void
describe (StudioChartView *self)
{
  g_autofree char *text = self->chart != NULL ? tosst_chart_describe (self->chart) : g_strdup ("");

  self->described = g_get_monotonic_time ();
  studio_set_description (self, text);
}

/* Changes are announced to screen readers once a second at most. */
static void
describe_soon (StudioChartView *self)
{
  gint64 wait = self->described + DESCRIBE_US - g_get_monotonic_time ();

  studio_later (&self->describe_source, self->described == 0 || wait < 0 ? 0 : (guint)(wait / 1000) + 1, describe,
                self);
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
  studio_enable (self, "chart.log-x", !tosst_chart_has_categories (self->chart));
  if (self->log_x != was_x)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOG_X]);
  if (self->log_y != was_y)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOG_Y]);
}

void
studio_chart_view_refresh (StudioChartView *self)
{
  apply_axes (self);
  update_reset (self);
  redraw (GTK_WIDGET (self));
  describe_soon (self);
}

/* Reading by keys. */

/* Announces the point to screen readers, and pans until it is visible. */
static void
show_read_point (StudioChartView *self)
{
  double x, y, x_at, y_at, low, high, place;

  if (!tosst_chart_point (self->chart, self->reading.series, self->reading.point, &x, &y, &x_at, &y_at))
    return;
  visible_range (self, &low, &high);
  place = along (self, x);
  if (place < low || place > high)
    set_visible_range (self, place - (high - low) / 2, place + (high - low) / 2);
  g_autofree char *text = label (self, self->reading.series, x, y);
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

  if (read_point (self, &x, &y, &x_at, &y_at))
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
  else if (reading_is_key (key))
    {
      if (!reading_move (&self->reading, self->chart, key))
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
on_pointer (gpointer widget)
{
  StudioChartView *self = widget;

  if (self->session != NULL && (is_ready (self) || !self->pointer.inside))
    studio_chart_session_set_pointer (self->session,
                                      self->pointer.inside ? tosst_chart_x_at (self->chart, self->pointer.x) : NAN);
}

/* Actions. */

static gboolean
before_menu (GtkWidget *widget, double x, double y, gpointer data)
{
  StudioChartView *self = STUDIO_CHART_VIEW (widget);

  self->pointer.inside = FALSE;
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
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  G_OBJECT_CLASS (klass)->dispose = studio_chart_view_dispose;
  G_OBJECT_CLASS (klass)->get_property = studio_chart_view_get_property;
  G_OBJECT_CLASS (klass)->set_property = studio_chart_view_set_property;
  properties[PROP_LOG_X] = g_param_spec_boolean ("log-x", NULL, NULL, FALSE, flags);
  properties[PROP_LOG_Y] = g_param_spec_boolean ("log-y", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPERTIES, properties);
  gtk_widget_class_install_property_action (widget_class, "chart.log-x", "log-x");
  gtk_widget_class_install_property_action (widget_class, "chart.log-y", "log-y");
  STUDIO_INSTALL_ACTIONS (klass, ("chart.reset-zoom", NULL, show_all), ("chart.copy-picture", NULL, copy),
                          ("chart.copy-numbers", NULL, copy), ("chart.save-as", NULL, save_as));
  widget_class->size_allocate = studio_chart_view_size_allocate;
  widget_class->snapshot = studio_chart_view_snapshot;
  widget_class->measure = studio_chart_view_measure;
  gtk_widget_class_set_css_name (widget_class, "chartview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_chart_view_init (StudioChartView *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->marked_series = -1;
  self->reset_button = studio_icon_button ("zoom-fit-best-symbolic", _ ("Show the Whole Range"));
  studio_add_classes (self->reset_button, "osd", "circular", "chart-reset", NULL);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->reset_button), "chart.reset-zoom");
  gtk_widget_set_cursor_from_name (self->reset_button, "default");
  gtk_widget_set_visible (self->reset_button, FALSE);
  gtk_widget_set_parent (self->reset_button, GTK_WIDGET (self));
  studio_enable (self, "chart.reset-zoom", FALSE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  studio_follow_pointer (self, &self->pointer, on_pointer);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  studio_add_controller (self, gtk_event_controller_focus_new (), "leave", G_CALLBACK (on_focus_out), NULL);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  studio_add_controller (self, drag, "drag-begin", G_CALLBACK (on_drag_begin), "drag-update",
                         G_CALLBACK (on_drag_update), "drag-end", G_CALLBACK (on_drag_end), "cancel",
                         G_CALLBACK (on_drag_cancel), NULL);
  studio_add_controller (self, gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES), "scroll",
                         G_CALLBACK (on_scroll), NULL);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_controller (self, gtk_gesture_zoom_new (), "begin", G_CALLBACK (on_pinch_begin), "scale-changed",
                         G_CALLBACK (on_pinch), NULL);
  studio_add_context_menu (self, "chart_menu", before_menu, NULL);
  studio_watch_style (GTK_WIDGET (self), redraw);
  studio_exports_set (self, &exports);
}

void
studio_chart_view_set_chart (StudioChartView *self, TosstChart *chart)
{
  self->chart = chart;
  self->picture.width = 0;
  self->dragging = DRAG_NONE;
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
studio_chart_view_forget_axes (StudioChartView *self)
{
  self->log_x_set = self->log_y_set = FALSE;
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
