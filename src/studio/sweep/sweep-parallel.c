/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-parallel.h"

#include <math.h>

#include "studio/tasks/task.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/build.h"
#include "studio/widgets/context-menu.h"
#include "studio/widgets/drawing.h"

#define NAMES_HEIGHT 2.2 /* of the row of names, in heights of the font */
#define DRAG_FROM 4      /* pixels: less is a click */
#define DRAWN_LINES 1000 /* in a frame, some 20 us each; more in a thread, while the last picture is shown */

G_DEFINE_FINAL_TYPE (StudioSweepParallel, studio_sweep_parallel, GTK_TYPE_WIDGET)

static void
redraw (GtkWidget *widget)
{
  STUDIO_SWEEP_PARALLEL (widget)->stale = TRUE;
  gtk_widget_queue_draw (widget);
}

/* Many lines. */

typedef struct
{
  TosstParallel *parallel;
  TosstChartStyle style;
  char *font;
  int width, height, scale;
} Request;

TOSST_DEFINE_FREE (Request, free_request, (parallel, tosst_parallel_free), (font, g_free))

static void
draw_request (StudioWorker *worker, TosstContext *context, const Request *request, gpointer *session)
{
  studio_worker_put (worker, studio_draw_scaled (request->width, request->height, request->scale, &request->style,
                                                 (TosstDrawFunc)tosst_draw_parallel, request->parallel));
}

static gboolean
has_many_lines (StudioSweepParallel *self)
{
  return self->parallel != NULL && tosst_parallel_lines (self->parallel) > DRAWN_LINES;
}

static void
on_drawn (StudioSweepParallel *self, GdkTexture *texture)
{
  if (has_many_lines (self)) /* still */
    g_set_object (&self->picture.texture, texture);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
request_picture (StudioSweepParallel *self, int width, int height)
{
  static const StudioWork drawing = { .work = G_CALLBACK (draw_request),
                                      .free_question = free_request,
                                      .free_answer = g_object_unref,
                                      .take = G_CALLBACK (on_drawn) };
  Request *request = g_new0 (Request, 1);

  request->parallel = tosst_parallel_copy (self->parallel);
  studio_chart_style (GTK_WIDGET (self), &request->style);
  request->style.font = request->font = g_strdup (request->style.font);
  request->width = self->picture.width = width;
  request->height = self->picture.height = height;
  request->scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  studio_worker_ask_first (&self->worker, &drawing, NULL, self, request);
}

static gboolean
line_at (StudioSweepParallel *self, double x, double y, guint *line)
{
  TosstChartStyle style;

  studio_chart_style (GTK_WIDGET (self), &style);
  return self->parallel != NULL
         && tosst_parallel_pick (self->parallel, gtk_widget_get_width (GTK_WIDGET (self)),
                                 gtk_widget_get_height (GTK_WIDGET (self)), &style, x, y, line);
}

static gboolean
value_at (StudioSweepParallel *self, double x, double y, guint *axis, double *value)
{
  TosstChartStyle style;

  studio_chart_style (GTK_WIDGET (self), &style);
  return self->parallel != NULL
         && tosst_parallel_value_at (self->parallel, gtk_widget_get_width (GTK_WIDGET (self)),
                                     gtk_widget_get_height (GTK_WIDGET (self)), &style, x, y, axis, value);
}

static void
studio_sweep_parallel_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioSweepParallel *self = STUDIO_SWEEP_PARALLEL (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->parallel == NULL || width < 40 || height < 40)
    return;
  if (!has_many_lines (self) && self->stale)
    g_clear_object (&self->picture.texture);
  if (has_many_lines (self))
    {
      if (self->stale || width != self->picture.width || height != self->picture.height)
        request_picture (self, width, height);
      if (self->picture.texture != NULL)
        gtk_snapshot_append_texture (snapshot, self->picture.texture, &GRAPHENE_RECT_INIT (0, 0, width, height));
    }
  else
    studio_snapshot_picture (widget, snapshot, &self->picture, (TosstDrawFunc)tosst_draw_parallel, self->parallel);
  self->stale = FALSE;
  if (self->pointer.inside)
    {
      guint line;

      if (self->brushing || self->label_func == NULL || !line_at (self, self->pointer.x, self->pointer.y, &line))
        return;
      g_autofree char *text = self->label_func (line, self->label_data);
      studio_snapshot_bubble (GTK_WIDGET (self), snapshot, self->pointer.x, self->pointer.y, text, FALSE);
    }
}

static void
studio_sweep_parallel_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                               int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 240 : 160;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 640 : 320;
}

static void
describe (StudioSweepParallel *self)
{
  g_autofree char *text = self->parallel != NULL ? tosst_parallel_describe (self->parallel) : g_strdup ("");

  studio_set_description (self, text);
}

static void
refresh (StudioSweepParallel *self)
{
  redraw (GTK_WIDGET (self));
  /* A screen reader hears of changes once a second at most. */
  studio_later (&self->describe_source, 1000, describe, self);
}

/* Brushing and picking. */

static void
set_brush (StudioSweepParallel *self, guint axis, double low, double high)
{
  tosst_parallel_set_brush (self->parallel, axis, low, high);
  refresh (self);
  g_signal_emit_by_name (self, "brushed");
}

static gboolean
axis_at (StudioSweepParallel *self, double x, guint *axis)
{
  TosstChartStyle style;

  studio_chart_style (GTK_WIDGET (self), &style);
  return self->parallel != NULL
         && tosst_parallel_axis_at (self->parallel, gtk_widget_get_width (GTK_WIDGET (self)),
                                    gtk_widget_get_height (GTK_WIDGET (self)), &style, x, axis);
}

/* The names of the axes are above them. */
static gboolean
is_name (StudioSweepParallel *self, double y)
{
  TosstChartStyle style;

  studio_chart_style (GTK_WIDGET (self), &style);
  return y < NAMES_HEIGHT * style.font_size;
}

static void
flip (StudioSweepParallel *self, guint axis)
{
  tosst_parallel_flip (self->parallel, axis);
  refresh (self);
}

static void
move (StudioSweepParallel *self, guint axis, int place)
{
  if (place < 0 || (guint)place == tosst_parallel_get_place (self->parallel, axis))
    return;
  tosst_parallel_move (self->parallel, axis, (guint)place);
  refresh (self);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioSweepParallel *self)
{
  guint axis;

  if (n_press == 2 && is_name (self, y) && axis_at (self, x, &axis))
    flip (self, axis);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, StudioSweepParallel *self)
{
  guint axis;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->moving = is_name (self, y) && axis_at (self, x, &axis) ? (int)axis : -1;
  self->brushing = self->moving < 0 && value_at (self, x, y, &self->brush_axis, &self->brush_from);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, StudioSweepParallel *self)
{
  double x, y, value;
  guint axis;

  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (self->moving >= 0 && fabs (dx) >= DRAG_FROM && axis_at (self, x + dx, &axis))
    move (self, (guint)self->moving, (int)tosst_parallel_get_place (self->parallel, axis));
  if (!self->brushing || fabs (dy) < DRAG_FROM)
    return;
  if (value_at (self, x, y + dy, &axis, &value))
    set_brush (self, self->brush_axis, self->brush_from, value);
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, StudioSweepParallel *self)
{
  gboolean brushing = self->brushing;
  double x, y, low, high;
  guint line;

  self->brushing = FALSE;
  if (self->moving >= 0)
    {
      self->moving = -1;
      return;
    }
  if (self->parallel == NULL || fabs (dx) >= DRAG_FROM || fabs (dy) >= DRAG_FROM)
    return;
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (brushing)
    tosst_parallel_get_brush (self->parallel, self->brush_axis, &low, &high);
  if (brushing && !isnan (low))
    set_brush (self, self->brush_axis, NAN, NAN);
  else if (line_at (self, x, y, &line))
    g_signal_emit_by_name (self, "picked", line);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioSweepParallel *self)
{
  if (key != GDK_KEY_Escape || self->parallel == NULL)
    return FALSE;
  for (guint i = 0; i < self->parallel->axes->len; i++)
    tosst_parallel_set_brush (self->parallel, i, NAN, NAN);
  refresh (self);
  g_signal_emit_by_name (self, "brushed");
  return TRUE;
}

/* The context menu. */

static gboolean
before_menu (GtkWidget *widget, double x, double y, gpointer data)
{
  StudioSweepParallel *self = STUDIO_SWEEP_PARALLEL (widget);
  guint n = self->parallel != NULL ? self->parallel->axes->len : 0, place;

  if (!axis_at (self, x, &self->menu_axis))
    return FALSE;
  place = tosst_parallel_get_place (self->parallel, self->menu_axis);
  studio_enable (widget, "parallel.left", place > 0);
  studio_enable (widget, "parallel.right", place + 1 < n);
  self->pointer.inside = FALSE;
  return TRUE;
}

static void
on_axis_action (StudioSweepParallel *self, const char *name)
{
  if (self->parallel == NULL || self->menu_axis >= self->parallel->axes->len)
    return;
  int place = (int)tosst_parallel_get_place (self->parallel, self->menu_axis);
  if (g_str_equal (name, "parallel.flip"))
    flip (self, self->menu_axis);
  else
    move (self, self->menu_axis, g_str_equal (name, "parallel.left") ? place - 1 : place + 1);
}

static void
copy_picture (StudioSweepParallel *self)
{
  if (self->parallel != NULL)
    studio_copy_drawing (GTK_WIDGET (self), (TosstDrawFunc)tosst_draw_parallel, self->parallel);
}

static void
on_pointer (gpointer widget)
{
  StudioSweepParallel *self = widget;
  double value;
  guint axis;

  gtk_widget_set_cursor_from_name (widget, is_name (self, self->pointer.y) ? "grab"
                                           : value_at (self, self->pointer.x, self->pointer.y, &axis, &value)
                                               ? "ns-resize"
                                               : NULL);
}

STUDIO_DEFINE_DISPOSE (StudioSweepParallel, studio_sweep_parallel, (describe_source, g_source_remove),
                       (worker, studio_worker_free), (picture.texture, g_object_unref), (parallel, tosst_parallel_free))

static void
studio_sweep_parallel_class_init (StudioSweepParallelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_sweep_parallel_dispose;
  widget_class->snapshot = studio_sweep_parallel_snapshot;
  widget_class->measure = studio_sweep_parallel_measure;
  studio_add_signal (klass, "brushed", 0);
  studio_add_signal (klass, "picked", 1, G_TYPE_UINT);
  STUDIO_INSTALL_ACTIONS (klass, ("parallel.flip", NULL, on_axis_action), ("parallel.left", NULL, on_axis_action),
                          ("parallel.right", NULL, on_axis_action), ("parallel.copy-picture", NULL, copy_picture));
  gtk_widget_class_set_css_name (widget_class, "chartview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_sweep_parallel_init (StudioSweepParallel *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  self->moving = -1;
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  studio_follow_pointer (self, &self->pointer, on_pointer);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  studio_add_controller (self, gtk_gesture_drag_new (), "drag-begin", G_CALLBACK (on_drag_begin), "drag-update",
                         G_CALLBACK (on_drag_update), "drag-end", G_CALLBACK (on_drag_end), NULL);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_context_menu (self, "parallel_menu", before_menu, NULL);
  studio_watch_style (widget, redraw);
}

/* Brushes, directions and places stay with their axes; the places only if the axes are the same. */
static void
carry_axes (TosstParallel *to, const TosstParallel *from)
{
  gboolean same = to->axes->len == from->axes->len;
  double low, high;

  for (guint i = 0; same && i < to->axes->len; i++)
    same = g_strcmp0 (tosst_parallel_label (to, i), tosst_parallel_label (from, i)) == 0;
  for (guint place = 0; same && place < to->axes->len; place++)
    for (guint i = 0; i < to->axes->len; i++)
      if (tosst_parallel_get_place (from, i) == place)
        tosst_parallel_move (to, i, place);

  for (guint i = 0; i < to->axes->len; i++)
    for (guint j = 0; j < from->axes->len; j++)
      if (g_strcmp0 (tosst_parallel_label (to, i), tosst_parallel_label (from, j)) == 0)
        {
          tosst_parallel_get_brush (from, j, &low, &high);
          tosst_parallel_set_brush (to, i, low, high);
          if (tosst_parallel_is_flipped (to, i) != tosst_parallel_is_flipped (from, j))
            tosst_parallel_flip (to, i);
        }
}

void
studio_sweep_parallel_take (StudioSweepParallel *self, TosstParallel *parallel)
{
  if (parallel != NULL && self->parallel != NULL)
    carry_axes (parallel, self->parallel);
  g_clear_pointer (&self->parallel, tosst_parallel_free);
  self->parallel = parallel;
  refresh (self);
}

void
studio_sweep_parallel_choose (StudioSweepParallel *self, int line)
{
  if (self->parallel == NULL)
    return;
  tosst_parallel_set_chosen (self->parallel, line);
  redraw (GTK_WIDGET (self));
}

void
studio_sweep_parallel_set_label_func (StudioSweepParallel *self, StudioSweepLabelFunc func, gpointer data)
{
  self->label_func = func;
  self->label_data = data;
}
