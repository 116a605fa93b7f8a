/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/confusion-view.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"

struct _StudioConfusionView
{
  StudioPictureView parent_instance;
  int *counts; /* classes x classes */
  guint classes;
  char **names;
  int row, column;             /* chosen cell; -1: none */
  int held_width, held_height; /* height that is kept at this width; 0: none */
};

G_DEFINE_FINAL_TYPE (StudioConfusionView, studio_confusion_view, STUDIO_TYPE_PICTURE_VIEW)

static const char *const *
names_of (StudioConfusionView *self)
{
  return (const char *const *)self->names;
}

static void
draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, StudioConfusionView *self)
{
  tosst_draw_confusion (cr, width, height, style, self->counts, self->classes, names_of (self));
}

static gboolean
cell_at (const StudioPicturePoint *point, StudioConfusionView *self, guint *row, guint *column)
{
  return tosst_confusion_pick (point->width, point->height, &point->style, self->classes, names_of (self), point->x,
                               point->y, row, column);
}

static gboolean
frame (const StudioPicturePoint *size, graphene_rect_t *area, StudioConfusionView *self)
{
  double x, y, side;

  if (self->row < 0)
    return FALSE;
  tosst_confusion_cell (size->width, size->height, &size->style, self->classes, names_of (self), (guint)self->row,
                        (guint)self->column, &x, &y, &side);
  *area = GRAPHENE_RECT_INIT ((float)x - 2, (float)y - 2, (float)side + 4, (float)side + 4);
  return TRUE;
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

static char *
label (StudioPicturePoint *point, StudioConfusionView *self)
{
  guint row = G_MAXUINT, column = G_MAXUINT;

  return cell_at (point, self, &row, &column) || MIN (row, column) < self->classes ? describe_cell (self, row, column)
                                                                                   : NULL;
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
static char *
describe (StudioConfusionView *self)
{
  return self->row >= 0 ? describe_cell (self, (guint)self->row, (guint)self->column) : describe_all (self);
}

static void
choose (StudioConfusionView *self, int row, int column)
{
  self->row = row;
  self->column = column;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_autofree char *text = describe (self);
  studio_set_description (self, text);
}

static void
press (const StudioPicturePoint *point, StudioConfusionView *self)
{
  guint row, column;

  if (!cell_at (point, self, &row, &column))
    return;
  choose (self, (int)row, (int)column);
  g_signal_emit_by_name (self, "cell-activated", row, column);
}

static gboolean
on_key (guint key, const StudioPicturePoint *size, StudioConfusionView *self)
{
  int last = (int)self->classes - 1, row = MAX (self->row, 0), column = MAX (self->column, 0);
  gboolean first = self->row < 0;

  if (key == GDK_KEY_Return || key == GDK_KEY_space)
    {
      if (!first)
        g_signal_emit_by_name (self, "cell-activated", (guint)row, (guint)column);
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
  choose (self, CLAMP (row, 0, last), CLAMP (column, 0, last));
  return TRUE;
}

static const StudioPictureFuncs funcs = { .draw = G_CALLBACK (draw),
                                          .label = G_CALLBACK (label),
                                          .pressed = G_CALLBACK (press),
                                          .key = G_CALLBACK (on_key),
                                          .describe = G_CALLBACK (describe),
                                          .frame = G_CALLBACK (frame) };

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

STUDIO_DEFINE_FINALIZE (StudioConfusionView, studio_confusion_view, (counts, g_free), (names, g_strfreev))

static void
studio_confusion_view_class_init (StudioConfusionViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = studio_confusion_view_finalize;
  widget_class->measure = studio_confusion_view_measure;
  studio_add_signal (klass, "cell-activated", 2, G_TYPE_UINT, G_TYPE_UINT);
  gtk_widget_class_set_css_name (widget_class, "confusionview");
}

STUDIO_DEFINE_INIT (StudioConfusionView, studio_confusion_view, self->row = self->column = -1;
                    studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self), &funcs, self))

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
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self),
                            classes > 0 ? &(StudioDrawing){ STUDIO_DRAWING_OWN, .plain = TRUE } : NULL);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
studio_confusion_view_hold (StudioConfusionView *self)
{
  self->held_width = gtk_widget_get_width (GTK_WIDGET (self));
  self->held_height = gtk_widget_get_height (GTK_WIDGET (self));
  gtk_widget_queue_resize (GTK_WIDGET (self));
}
