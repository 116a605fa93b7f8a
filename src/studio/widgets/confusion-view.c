/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/confusion-view.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"
#include "studio/widgets/context-menu.h"
#include "studio/widgets/drawing.h"

struct _StudioConfusionView
{
  GtkWidget parent_instance;
  int *counts; /* classes x classes */
  guint classes;
  char **names;
  int row, column;             /* chosen cell; -1: none */
  int held_width, held_height; /* height that is kept at this width; 0: none */
  StudioPicture picture;
  StudioPointer pointer;
};

G_DEFINE_FINAL_TYPE (StudioConfusionView, studio_confusion_view, GTK_TYPE_WIDGET)

static const char *const *
names_of (StudioConfusionView *self)
{
  return (const char *const *)self->names;
}

static void
draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  StudioConfusionView *self = data;

  tosst_draw_confusion (cr, width, height, style, self->counts, self->classes, names_of (self));
}

static gboolean
cell_at (StudioConfusionView *self, double x, double y, guint *row, guint *column)
{
  TosstChartStyle style;

  if (self->classes == 0 || self->picture.width == 0)
    return FALSE;
  studio_chart_style (GTK_WIDGET (self), &style);
  return tosst_confusion_pick (self->picture.width, self->picture.height, &style, self->classes, names_of (self), x, y,
                               row, column);
}

static graphene_rect_t
cell_area (StudioConfusionView *self)
{
  TosstChartStyle style;
  double x, y, side;

  studio_chart_style (GTK_WIDGET (self), &style);
  tosst_confusion_cell (self->picture.width, self->picture.height, &style, self->classes, names_of (self),
                        (guint)self->row, (guint)self->column, &x, &y, &side);
  return GRAPHENE_RECT_INIT ((float)x - 2, (float)y - 2, (float)side + 4, (float)side + 4);
}

/* Beside a row or below a column: the name of its class, which may be cut off there. */
static char *
describe_cell (StudioConfusionView *self, guint row, guint column)
{
  if (row >= self->classes || column >= self->classes)
    return g_strdup (self->names[MIN (row, column)]);
  return g_strdup_printf (_ ("%s predicted as %s: %d"), self->names[row], self->names[column],
                          self->counts[row * self->classes + column]);
}

/* Draws the label of the cell under the pointer, else of the one chosen with keys. */
static void
snapshot_label (StudioConfusionView *self, GtkSnapshot *snapshot)
{
  double x = self->pointer.x, y = self->pointer.y;
  guint row = G_MAXUINT, column = G_MAXUINT;

  if (!self->pointer.inside || (!cell_at (self, x, y, &row, &column) && MIN (row, column) >= self->classes))
    {
      if (self->row < 0 || !gtk_widget_has_visible_focus (GTK_WIDGET (self)))
        return;
      graphene_rect_t area = cell_area (self);
      row = (guint)self->row;
      column = (guint)self->column;
      x = area.origin.x + area.size.width;
      y = area.origin.y + area.size.height / 2;
    }
  g_autofree char *text = describe_cell (self, row, column);
  studio_snapshot_bubble (GTK_WIDGET (self), snapshot, x, y, text, FALSE);
}

static void
studio_confusion_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioConfusionView *self = STUDIO_CONFUSION_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->classes == 0 || width < 40 || height < 40)
    return;
  studio_snapshot_picture (widget, snapshot, &self->picture, draw, self);
  if (self->row >= 0)
    {
      GskRoundedRect outline;
      graphene_rect_t area = cell_area (self);
      GdkRGBA color;

      gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &color);
      gsk_rounded_rect_init_from_rect (&outline, &area, 3);
      gtk_snapshot_append_border (snapshot, &outline, (float[4]){ 2, 2, 2, 2 },
                                  (GdkRGBA[4]){ color, color, color, color });
    }
  snapshot_label (self, snapshot);
}

static void
studio_confusion_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                               int *minimum_baseline, int *natural_baseline)
{
  StudioConfusionView *self = STUDIO_CONFUSION_VIEW (widget);
  TosstChartStyle style;

  *minimum = 240;
  *natural = 440;
  if (orientation == GTK_ORIENTATION_HORIZONTAL || self->classes == 0 || for_size <= 0)
    return;
  studio_chart_style (widget, &style);
  if (for_size == self->held_width)
    *minimum = MAX (*minimum, self->held_height);
  *natural = MAX (*minimum, (int)tosst_confusion_height (for_size, &style, self->classes, names_of (self)));
}

static void
activate (StudioConfusionView *self)
{
  if (self->row >= 0)
    g_signal_emit_by_name (self, "cell-activated", (guint)self->row, (guint)self->column);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioConfusionView *self)
{
  guint row, column;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!cell_at (self, x, y, &row, &column))
    return;
  studio_confusion_view_choose (self, (int)row, (int)column);
  activate (self);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioConfusionView *self)
{
  int last = (int)self->classes - 1, row = MAX (self->row, 0), column = MAX (self->column, 0);
  gboolean first = self->row < 0;

  if (self->classes == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_space)
    {
      activate (self);
      return TRUE;
    }
  if (key == GDK_KEY_Left)
    column -= !first;
  else if (key == GDK_KEY_Right)
    column += !first;
  else if (key == GDK_KEY_Up)
    row -= !first;
  else if (key == GDK_KEY_Down)
    row += !first;
  else if (key == GDK_KEY_Home)
    column = 0;
  else if (key == GDK_KEY_End)
    column = last;
  else
    return FALSE;
  studio_confusion_view_choose (self, CLAMP (row, 0, last), CLAMP (column, 0, last));
  return TRUE;
}

static void
redraw (GtkWidget *widget)
{
  studio_redraw_picture (widget, &STUDIO_CONFUSION_VIEW (widget)->picture);
}

static void
copy_picture (StudioConfusionView *self)
{
  if (self->classes > 0)
    studio_copy_drawing (GTK_WIDGET (self), draw, self);
}

static gboolean
before_menu (GtkWidget *widget, double x, double y, gpointer data)
{
  return STUDIO_CONFUSION_VIEW (widget)->classes > 0;
}

STUDIO_DEFINE_DISPOSE_WITH (StudioConfusionView, studio_confusion_view, self->classes = 0,
                            (picture.texture, g_object_unref), (counts, g_free), (names, g_strfreev))

static void
studio_confusion_view_class_init (StudioConfusionViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_confusion_view_dispose;
  widget_class->snapshot = studio_confusion_view_snapshot;
  widget_class->measure = studio_confusion_view_measure;
  widget_class->get_request_mode = studio_height_for_width; /* the next widget is directly below the drawing */
  studio_add_signal (klass, "cell-activated", 2, G_TYPE_UINT, G_TYPE_UINT);
  STUDIO_INSTALL_ACTIONS (klass, ("picture.copy", NULL, copy_picture));
  gtk_widget_class_set_css_name (widget_class, "confusionview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_confusion_view_init (StudioConfusionView *self)
{
  self->row = self->column = -1;
  studio_follow_pointer (self, &self->pointer, NULL);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  studio_watch_style (GTK_WIDGET (self), redraw);
  studio_add_context_menu (self, "picture_menu", before_menu, NULL);
}

/* "Of 300 tests 291 were right; most often confused: D3 taken for D7 (4)." */
static char *
describe_all (StudioConfusionView *self)
{
  int right = 0, all = 0, worst = 0, n = (int)self->classes;

  for (int i = 0; i < n * n; i++)
    {
      all += self->counts[i];
      if (i / n == i % n)
        right += self->counts[i];
      else if (worst % (n + 1) == 0 || self->counts[i] > self->counts[worst])
        worst = i;
    }
  if (right == all)
    return g_strdup_printf (_ ("All of %d tests are correct"), all);
  return g_strdup_printf (_ ("Of %d tests %d are correct; most frequent confusion: %s predicted as %s (%d)"), all,
                          right, self->names[worst / n], self->names[worst % n], self->counts[worst]);
}

/* The chosen cell, or all of them. */
static void
describe (StudioConfusionView *self)
{
  g_autofree char *text = self->row >= 0      ? describe_cell (self, (guint)self->row, (guint)self->column)
                          : self->classes > 0 ? describe_all (self)
                                              : g_strdup ("");

  studio_set_description (self, text);
}

void
studio_confusion_view_set_counts (StudioConfusionView *self, const int *counts, guint classes, const char *const *names)
{
  g_clear_pointer (&self->counts, g_free);
  g_clear_pointer (&self->names, g_strfreev);
  self->counts = classes > 0 ? g_memdup2 (counts, sizeof *counts * classes * classes) : NULL;
  self->names = classes > 0 ? g_strdupv ((char **)names) : NULL;
  self->classes = classes;
  self->row = self->column = -1;
  self->held_width = self->held_height = 0;
  redraw (GTK_WIDGET (self));
  gtk_widget_queue_resize (GTK_WIDGET (self));
  describe (self);
}

void
studio_confusion_view_hold (StudioConfusionView *self)
{
  self->held_width = gtk_widget_get_width (GTK_WIDGET (self));
  self->held_height = gtk_widget_get_height (GTK_WIDGET (self));
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
studio_confusion_view_choose (StudioConfusionView *self, int row, int column)
{
  self->row = row;
  self->column = column;
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
