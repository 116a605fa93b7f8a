/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Zoom and pan of a chart. */

#include "config.h"

#include "studio/widgets/chart-view-private.h"

#include <math.h>

#include "studio/widgets/build.h"

#define SMALLEST_BOX 8 /* pixels: less is no choice on that axis */

/* The button is shown while the user's choice of a range is. */
void
studio_chart_update_reset (StudioChartView *self)
{
  double low, high, bottom, top;

  if (self->chart == NULL) /* the next one may keep the range */
    return;
  tosst_chart_get_x_range (self->chart, &low, &high);
  tosst_chart_get_y_range (self->chart, &bottom, &top);
  self->zoomed = self->zoomed && !(isnan (low) && isnan (bottom));
  gtk_widget_set_visible (self->reset_button, self->zoomed);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chart.reset-zoom", self->zoomed);
}

/* The rectangle of a drag within the plot: all of its height or width where the drag has hardly any. */
graphene_rect_t
studio_chart_box (StudioChartView *self)
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

/* Zoom and pan. On a logarithmic axis the computation uses logarithms, so that the value under the pointer stays
 * there. */

double
studio_chart_along (StudioChartView *self, double x)
{
  gboolean log_x, log_y;

  tosst_chart_get_logarithmic (self->chart, &log_x, &log_y);
  return log_x ? log (x) : x;
}

/* The axes are known after the first drawing. */
gboolean
studio_chart_is_ready (StudioChartView *self)
{
  return self->chart != NULL && self->picture.width > 0;
}

void
studio_chart_visible_range (StudioChartView *self, double *low, double *high)
{
  double x, y, width, height;

  tosst_chart_get_x_range (self->chart, low, high);
  if (isnan (*low) || isnan (*high))
    {
      tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
      *low = tosst_chart_x_at (self->chart, x);
      *high = tosst_chart_x_at (self->chart, x + width);
    }
  *low = studio_chart_along (self, *low);
  *high = studio_chart_along (self, *high);
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
  studio_chart_update_reset (self);
}

void
studio_chart_set_visible_range (StudioChartView *self, double low, double high)
{
  gboolean log_x, log_y;

  tosst_chart_get_logarithmic (self->chart, &log_x, &log_y);
  set_range (self, log_x ? exp (low) : low, log_x ? exp (high) : high);
}

void
studio_chart_on_session_range (StudioChartView *self)
{
  double low, high;

  if (self->chart == NULL)
    return;
  studio_chart_session_get_range (self->session, &low, &high);
  tosst_chart_set_x_range (self->chart, low, high);
  self->zoomed = self->zoomed || !isnan (low);
  studio_chart_update_reset (self);
  studio_redraw_picture (GTK_WIDGET (self), &self->picture);
}

void
studio_chart_show_all (StudioChartView *self)
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
  graphene_rect_t box = studio_chart_box (self);
  double x, y, width, height, left, right, top, bottom;

  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  left = tosst_chart_x_at (self->chart, box.origin.x);
  right = tosst_chart_x_at (self->chart, box.origin.x + box.size.width);
  top = tosst_chart_y_at (self->chart, box.origin.y);
  bottom = tosst_chart_y_at (self->chart, box.origin.y + box.size.height);
  if (box.size.height < height)
    tosst_chart_set_y_range (self->chart, bottom, top);
  if (box.size.width < width && right - left > STUDIO_CHART_NEAREST * fmax (fabs (left), fabs (right)))
    set_range (self, left, right);
  self->zoomed = TRUE;
  studio_chart_update_reset (self);
  studio_redraw_picture (GTK_WIDGET (self), &self->picture);
}

/* Limits the range to the data, and to the resolution of floating-point numbers. */
void
studio_chart_zoom_about (StudioChartView *self, double center, double factor)
{
  double low, high, first, last;

  tosst_chart_get_x_range (self->chart, &low, &high);
  if (factor < 1 && isnan (low))
    return;
  studio_chart_visible_range (self, &low, &high);
  tosst_chart_x_extent (self->chart, &first, &last);
  low = center - (center - low) / factor;
  high = center + (high - center) / factor;
  if (factor < 1 && !(low > studio_chart_along (self, first)) && !(high < studio_chart_along (self, last)))
    studio_chart_show_all (self);
  else if (factor < 1 || high - low > STUDIO_CHART_NEAREST * fmax (fabs (low), fabs (high)))
    studio_chart_set_visible_range (self, low, high);
}

void
studio_chart_pan_by (StudioChartView *self, double part)
{
  double low, high;

  studio_chart_visible_range (self, &low, &high);
  studio_chart_set_visible_range (self, low + part * (high - low), high + part * (high - low));
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, StudioChartView *self)
{
  if (!studio_chart_is_ready (self))
    return FALSE;
  if (dx != 0)
    studio_chart_pan_by (self, dx * 0.05);
  if (dy != 0)
    studio_chart_zoom_about (self, studio_chart_along (self, tosst_chart_x_at (self->chart, self->pointer_x)),
                             pow (STUDIO_CHART_ZOOM_STEP, -dy));
  return TRUE;
}

/* A finger pans, as does a drag with Shift or the middle button; else a drag selects a range. */
static StudioChartDrag
drag_of (GtkGestureDrag *gesture)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (gesture));
  GdkDevice *device = event != NULL ? gdk_event_get_device (event) : NULL;
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));

  if (button > GDK_BUTTON_MIDDLE)
    return STUDIO_CHART_DRAG_NONE;
  if (button == GDK_BUTTON_MIDDLE || (device != NULL && gdk_device_get_source (device) == GDK_SOURCE_TOUCHSCREEN)
      || (gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture)) & GDK_SHIFT_MASK) != 0)
    return STUDIO_CHART_DRAG_PAN;
  return STUDIO_CHART_DRAG_BOX;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, StudioChartView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->drag_x = x;
  self->drag_y = y;
  self->drag_dx = self->drag_dy = 0;
  if (studio_chart_is_ready (self))
    studio_chart_visible_range (self, &self->drag_low, &self->drag_high);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, StudioChartView *self)
{
  double x, y, width, height, shift;

  if (!studio_chart_is_ready (self)
      || (self->dragging == STUDIO_CHART_DRAG_NONE && fabs (dx) < SMALLEST_BOX && fabs (dy) < SMALLEST_BOX))
    return;
  if (self->dragging == STUDIO_CHART_DRAG_NONE)
    self->dragging = drag_of (gesture);
  self->drag_dx = dx;
  self->drag_dy = dy;
  tosst_chart_plot_area (self->chart, &x, &y, &width, &height);
  shift = -dx / MAX (width, 1) * (self->drag_high - self->drag_low);
  if (self->dragging == STUDIO_CHART_DRAG_PAN)
    studio_chart_set_visible_range (self, self->drag_low + shift, self->drag_high + shift);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, StudioChartView *self)
{
  gboolean box = self->dragging == STUDIO_CHART_DRAG_BOX && studio_chart_is_ready (self);

  self->dragging = STUDIO_CHART_DRAG_NONE;
  if (box && (fabs (dx) >= SMALLEST_BOX || fabs (dy) >= SMALLEST_BOX))
    zoom_to_box (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_cancel (GtkGesture *gesture, GdkEventSequence *sequence, StudioChartView *self)
{
  self->dragging = STUDIO_CHART_DRAG_NONE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioChartView *self)
{
  if (n_press == 2)
    studio_chart_show_all (self);
}

static void
on_pinch_begin (GtkGesture *gesture, GdkEventSequence *sequence, StudioChartView *self)
{
  if (studio_chart_is_ready (self))
    studio_chart_visible_range (self, &self->pinch_low, &self->pinch_high);
}

static void
on_pinch (GtkGestureZoom *gesture, double scale, StudioChartView *self)
{
  double center = (self->pinch_low + self->pinch_high) / 2, half = (self->pinch_high - self->pinch_low) / 2;

  if (!studio_chart_is_ready (self) || scale <= 0)
    return;
  studio_chart_set_visible_range (self, center - half / scale, center + half / scale);
}

void
studio_chart_zoom_init (StudioChartView *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  studio_add_controller (self, drag, "drag-begin", G_CALLBACK (on_drag_begin), "drag-update",
                         G_CALLBACK (on_drag_update), "drag-end", G_CALLBACK (on_drag_end), "cancel",
                         G_CALLBACK (on_drag_cancel), NULL);
  studio_add_controller (self, gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES), "scroll",
                         G_CALLBACK (on_scroll), NULL);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_controller (self, gtk_gesture_zoom_new (), "begin", G_CALLBACK (on_pinch_begin), "scale-changed",
                         G_CALLBACK (on_pinch), NULL);
}
