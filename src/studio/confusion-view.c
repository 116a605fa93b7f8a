/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "confusion-view.h"

#include <glib/gi18n.h>

#include "drawing.h"

struct _StudioConfusionView
{
  GtkWidget parent_instance;
  const TosstRunResult *result; /* borrowed */
  GdkTexture *picture;
  int picture_width, picture_height;
  gboolean pointer_inside;
  double pointer_x, pointer_y;
};

G_DEFINE_FINAL_TYPE (StudioConfusionView, studio_confusion_view, GTK_TYPE_WIDGET)

static void
draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const TosstRunResult *result = data;

  tosst_draw_confusion (cr, width, height, style, result->confusion, result->classes,
                        (const char *const *)result->class_names);
}

static void
ensure_picture (StudioConfusionView *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));

  if (self->picture != NULL && width == self->picture_width && height == self->picture_height)
    return;
  g_clear_object (&self->picture);
  self->picture = studio_draw_texture (GTK_WIDGET (self), width, height, draw, (gpointer)self->result);
  self->picture_width = width;
  self->picture_height = height;
}

static void
snapshot_cell (StudioConfusionView *self, GtkSnapshot *snapshot)
{
  const TosstRunResult *result = self->result;
  g_autofree char *text = NULL;
  TosstChartStyle style;
  guint row, column;

  studio_chart_style (GTK_WIDGET (self), &style);
  if (!tosst_confusion_pick (self->picture_width, self->picture_height, &style, result->classes,
                             (const char *const *)result->class_names, self->pointer_x, self->pointer_y, &row, &column))
    return;
  text = g_strdup_printf (_ ("true %s, said %s: %d"), result->class_names[row], result->class_names[column],
                          result->confusion[row * result->classes + column]);
  studio_snapshot_bubble (GTK_WIDGET (self), snapshot, self->pointer_x, self->pointer_y, text);
}

static void
studio_confusion_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioConfusionView *self = STUDIO_CONFUSION_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->result == NULL || width < 40 || height < 40)
    return;
  ensure_picture (self);
  gtk_snapshot_append_texture (snapshot, self->picture, &GRAPHENE_RECT_INIT (0, 0, width, height));
  if (self->pointer_inside)
    snapshot_cell (self, snapshot);
}

static void
studio_confusion_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                               int *minimum_baseline, int *natural_baseline)
{
  *minimum = 240;
  *natural = 440;
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, StudioConfusionView *self)
{
  self->pointer_inside = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller, StudioConfusionView *self)
{
  self->pointer_inside = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
redraw (GtkWidget *widget)
{
  g_clear_object (&STUDIO_CONFUSION_VIEW (widget)->picture);
  gtk_widget_queue_draw (widget);
}

static void
studio_confusion_view_dispose (GObject *object)
{
  StudioConfusionView *self = STUDIO_CONFUSION_VIEW (object);

  self->result = NULL;
  g_clear_object (&self->picture);
  G_OBJECT_CLASS (studio_confusion_view_parent_class)->dispose (object);
}

static void
studio_confusion_view_class_init (StudioConfusionViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_confusion_view_dispose;
  widget_class->snapshot = studio_confusion_view_snapshot;
  widget_class->measure = studio_confusion_view_measure;
  gtk_widget_class_set_css_name (widget_class, "confusionview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_confusion_view_init (StudioConfusionView *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();

  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  studio_watch_style (GTK_WIDGET (self), redraw);
}

/* "Of 300 tests 291 were right; most often confused: D3 taken for D7 (4)." */
static char *
describe (const TosstRunResult *result)
{
  int right = 0, all = 0, worst = 0, n = result->classes;

  for (int i = 0; i < n * n; i++)
    {
      all += result->confusion[i];
      if (i / n == i % n)
        right += result->confusion[i];
      else if (worst % (n + 1) == 0 || result->confusion[i] > result->confusion[worst])
        worst = i;
    }
  if (right == all)
    return g_strdup_printf (_ ("All of %d tests were right"), all);
  return g_strdup_printf (_ ("Of %d tests %d were right; most often %s was taken for %s (%d)"), all, right,
                          result->class_names[worst / n], result->class_names[worst % n], result->confusion[worst]);
}

void
studio_confusion_view_set_result (StudioConfusionView *self, const TosstRunResult *result)
{
  g_autofree char *text = result != NULL ? describe (result) : g_strdup ("");

  self->result = result;
  redraw (GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}
