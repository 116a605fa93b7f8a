/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/picture-view.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/context-menu.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/format.h"

#define STRIP_LEAST 128 /* height that a strip wants in a narrow window */

typedef char *(*LabelFunc) (StudioPicturePoint *point, gpointer data);
typedef void (*PressedFunc) (const StudioPicturePoint *point, gpointer data);
typedef void (*ChooseFunc) (int element, gpointer data);
typedef gboolean (*KeyFunc) (guint key, const StudioPicturePoint *size, gpointer data);
typedef gboolean (*FrameFunc) (const StudioPicturePoint *size, graphene_rect_t *area, gpointer data);
typedef char *(*DescribeFunc) (gpointer data);

G_DEFINE_TYPE (StudioPictureView, studio_picture_view, GTK_TYPE_WIDGET)

/* Drawings. */

static void
draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  static const TosstDrawFunc draws[] = {
    [STUDIO_DRAWING_MATRIX] = (TosstDrawFunc)tosst_draw_named_matrix,
    [STUDIO_DRAWING_BARS] = (TosstDrawFunc)tosst_draw_bars,
    [STUDIO_DRAWING_STRIP] = (TosstDrawFunc)tosst_draw_strip,
    [STUDIO_DRAWING_SLICES] = (TosstDrawFunc)tosst_draw_slices,
    [STUDIO_DRAWING_STEMS] = (TosstDrawFunc)tosst_draw_stems,
  };
  StudioPictureView *self = data;

  if (self->drawing.kind == STUDIO_DRAWING_OWN)
    ((TosstDrawFunc)self->funcs->draw) (cr, width, height, style, self->data);
  else if (self->drawing.kind != STUDIO_DRAWING_NONE)
    draws[self->drawing.kind](cr, width, height, style, &self->drawing.matrix); /* or another of the union */
}

static char *
label_entry (const char *map, const GArray *groups, int row, int column, double number)
{
  g_autofree char *value = studio_format_real (number, 3);
  g_autofree char *first = tosst_feature_group_label (groups, row),
                  *second = tosst_feature_group_label (groups, column);

  return g_strdup_printf ("%s%s%s × %s: %s", map, *map != 0 ? ", " : "", first, second, value);
}

static char *
label_bar (const TosstBarsDrawing *bars, int bar)
{
  g_autofree char *name = tosst_feature_group_label (bars->groups, bar);
  g_autofree char *value = studio_format_real (bars->values[bar], 3);

  return g_strdup_printf ("%s: %s", name, value);
}

/* The element at a point: a new string, or NULL. */
static char *
label_of (const StudioDrawing *drawing, StudioPicturePoint *point)
{
  const TosstSlicesDrawing *slices = &drawing->slices;
  double width = point->width, height = point->height;
  g_autofree char *text = NULL;
  int map, row, column, i;

  switch (drawing->kind)
    {
    case STUDIO_DRAWING_MATRIX:
      if (!tosst_named_matrix_pick (width, height, &point->style, &drawing->matrix, point->x, point->y, &row, &column))
        return NULL;
      return label_entry ("", drawing->matrix.groups, row, column,
                          drawing->matrix.matrix[(gsize)row * drawing->matrix.columns + column]);
    case STUDIO_DRAWING_SLICES:
      if (!tosst_slices_pick (width, height, &point->style, slices, point->x, point->y, &map, &row, &column))
        return NULL;
      return label_entry (_ (tosst_slice_map_label (map)), slices->groups, row, column,
                          slices->map[map][((gsize)slices->chosen * slices->rows + row) * slices->columns + column]);
    case STUDIO_DRAWING_BARS:
      i = tosst_bars_pick (width, height, &point->style, &drawing->bars, point->x, point->y);
      return i >= 0 ? label_bar (&drawing->bars, i) : NULL;
    case STUDIO_DRAWING_STRIP:
      i = tosst_strip_pick (width, height, &drawing->strip, point->x, point->y);
      text = i >= 0 ? tosst_feature_group_label (drawing->groups, i) : NULL;
      return i >= 0 ? g_strdup_printf (_ ("Slice %s"), text) : NULL;
    case STUDIO_DRAWING_STEMS:
      i = tosst_stems_pick (width, height, &point->style, &drawing->stems, point->x, point->y, &point->x, &point->y);
      text = i >= 0 ? studio_format_real (drawing->stems.code[i], 3) : NULL;
      return i >= 0 ? g_strdup_printf (_ ("Atom %d: %s, rank %d"), i + 1, text, drawing->ranks[i]) : NULL;
    default:
      return NULL;
    }
}

/* The element of a strip or of stems at a point; -1: none. */
static int
pick (StudioPictureView *self, const StudioPicturePoint *point)
{
  double x, y;

  if (self->drawing.kind == STUDIO_DRAWING_STRIP)
    return tosst_strip_pick (point->width, point->height, &self->drawing.strip, point->x, point->y);
  return tosst_stems_pick (point->width, point->height, &point->style, &self->drawing.stems, point->x, point->y, &x,
                           &y);
}

static StudioPicturePoint
point_at (StudioPictureView *self, double x, double y)
{
  StudioPicturePoint point = { .x = x, .y = y, .width = self->picture.width, .height = self->picture.height };

  studio_chart_style (GTK_WIDGET (self), &point.style);
  return point;
}

static void
draw_frame (GtkWidget *widget, GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  GskRoundedRect outline;
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  gsk_rounded_rect_init_from_rect (&outline, area, 3);
  gtk_snapshot_append_border (snapshot, &outline, (float[4]){ 2, 2, 2, 2 }, (GdkRGBA[4]){ color, color, color, color });
}

/* A bubble about the element at the point, at x unless that is NAN; FALSE: there is none. */
static gboolean
label_at (StudioPictureView *self, GtkSnapshot *snapshot, StudioPicturePoint *point, double x)
{
  g_autofree char *text = self->funcs != NULL && self->funcs->label != NULL
                              ? ((LabelFunc)self->funcs->label) (point, self->data)
                              : label_of (&self->drawing, point);
  g_autofree char *markup = text != NULL && !self->drawing.plain ? studio_symbol_markup (text) : NULL;

  if (text != NULL)
    studio_snapshot_bubble (GTK_WIDGET (self), snapshot, isnan (x) ? point->x : x, point->y,
                            markup != NULL ? markup : text, markup != NULL);
  return text != NULL;
}

static void
studio_picture_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioPictureView *self = STUDIO_PICTURE_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->drawing.kind == STUDIO_DRAWING_NONE || width < 24 || height < 24)
    return;
  studio_snapshot_picture (widget, snapshot, &self->picture, draw, self);
  graphene_rect_t area;
  StudioPicturePoint point = point_at (self, self->pointer.x, self->pointer.y);
  gboolean framed = self->funcs != NULL && self->funcs->frame != NULL
                    && ((FrameFunc)self->funcs->frame) (&point, &area, self->data);
  if (framed)
    draw_frame (widget, snapshot, &area);
  if (self->pointer.inside && label_at (self, snapshot, &point, NAN))
    return;
  if (framed && gtk_widget_has_visible_focus (widget))
    {
      point.x = area.origin.x + area.size.width / 2;
      point.y = area.origin.y + area.size.height / 2;
      label_at (self, snapshot, &point, area.origin.x + area.size.width);
    }
}

/* Squares that fill a width. Without a drawing it is that of the last one, so that what is around it stays in place. */
static int
wanted_height (StudioPictureView *self, int width)
{
  TosstChartStyle style;

  if (self->drawing.kind == STUDIO_DRAWING_STRIP)
    self->wanted = MAX (STRIP_LEAST, (int)ceil (tosst_strip_height (width, &self->drawing.strip)));
  else if (self->drawing.kind == STUDIO_DRAWING_SLICES)
    {
      studio_chart_style (GTK_WIDGET (self), &style);
      self->wanted = (int)tosst_slices_height (width, &style, &self->drawing.slices);
    }
  return self->wanted;
}

static void
studio_picture_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                             int *minimum_baseline, int *natural_baseline)
{
  *minimum = 40;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 40;
  if (orientation == GTK_ORIENTATION_VERTICAL && for_size > 0)
    *natural = MAX (40, wanted_height (STUDIO_PICTURE_VIEW (widget), for_size));
}

static void
describe (StudioPictureView *self)
{
  gboolean any = self->drawing.kind != STUDIO_DRAWING_NONE && self->funcs != NULL && self->funcs->describe != NULL;
  g_autofree char *text = any ? ((DescribeFunc)self->funcs->describe) (self->data) : g_strdup ("");

  studio_set_description (self, text);
}

static void
redraw (GtkWidget *widget)
{
  studio_redraw_picture (widget, &STUDIO_PICTURE_VIEW (widget)->picture);
}

/* Something was drawn, and the owner handles its elements. */
static gboolean
shows (StudioPictureView *self)
{
  return self->drawing.kind != STUDIO_DRAWING_NONE && self->funcs != NULL && self->picture.width > 0;
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioPictureView *self)
{
  StudioPicturePoint point = point_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (shows (self) && self->funcs->pressed != NULL)
    ((PressedFunc)self->funcs->pressed) (&point, self->data);
  int element = shows (self) && self->funcs->choose != NULL ? pick (self, &point) : -1;
  if (element >= 0)
    ((ChooseFunc)self->funcs->choose) (element, self->data);
}

static gboolean
key_strip (StudioPictureView *self, guint key, const StudioPicturePoint *size)
{
  const TosstStripDrawing *strip = &self->drawing.strip;
  int line = tosst_strip_columns (size->width, size->height, strip);
  int to = key == GDK_KEY_Left    ? strip->chosen - 1
           : key == GDK_KEY_Right ? strip->chosen + 1
           : key == GDK_KEY_Up    ? strip->chosen - line
           : key == GDK_KEY_Down  ? strip->chosen + line
           : key == GDK_KEY_Home  ? 0
           : key == GDK_KEY_End   ? strip->planes - 1
                                  : -1;

  if (to < 0 || to >= strip->planes)
    return FALSE;
  if (to != strip->chosen)
    ((ChooseFunc)self->funcs->choose) (to, self->data);
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioPictureView *self)
{
  StudioPicturePoint size = point_at (self, 0, 0);

  /* Keys may arrive faster than frames: the last size counts. */
  if (!shows (self) || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (key == GDK_KEY_KP_Enter || key == GDK_KEY_ISO_Enter)
    key = GDK_KEY_Return;
  if (self->drawing.kind == STUDIO_DRAWING_STRIP && self->funcs->choose != NULL)
    return key_strip (self, key, &size);
  return self->funcs->key != NULL && ((KeyFunc)self->funcs->key) (key, &size, self->data);
}

static void
copy_picture (StudioPictureView *self)
{
  if (self->drawing.kind != STUDIO_DRAWING_NONE)
    studio_copy_drawing (GTK_WIDGET (self), draw, self);
}

static gboolean
before_menu (GtkWidget *widget, double x, double y, gpointer data)
{
  return STUDIO_PICTURE_VIEW (widget)->drawing.kind != STUDIO_DRAWING_NONE;
}

STUDIO_DEFINE_DISPOSE_WITH (StudioPictureView, studio_picture_view, self->drawing.kind = STUDIO_DRAWING_NONE,
                            (picture.texture, g_object_unref), (describe_source, g_source_remove))

static void
studio_picture_view_class_init (StudioPictureViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_picture_view_dispose;
  widget_class->snapshot = studio_picture_view_snapshot;
  widget_class->get_request_mode = studio_height_for_width;
  widget_class->measure = studio_picture_view_measure;
  STUDIO_INSTALL_ACTIONS (klass, ("picture.copy", NULL, copy_picture));
  gtk_widget_class_set_css_name (widget_class, "pictureview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_picture_view_init (StudioPictureView *self)
{
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  studio_follow_pointer (self, &self->pointer, NULL);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  studio_add_context_menu (self, "picture_menu", before_menu, NULL);
  studio_watch_style (GTK_WIDGET (self), redraw);
}

void
studio_picture_view_set_funcs (StudioPictureView *self, const StudioPictureFuncs *funcs, gpointer data)
{
  self->funcs = funcs;
  self->data = data;
}

/* A drawing of other dimensions may want another height. */
static void
follow_shape (StudioPictureView *self)
{
  const StudioDrawing *drawing = &self->drawing;
  gboolean strip = drawing->kind == STUDIO_DRAWING_STRIP;
  int shape[4] = { drawing->kind, drawing->strip.planes, drawing->strip.rows, drawing->strip.columns };

  if (!strip && drawing->kind != STUDIO_DRAWING_SLICES)
    return;
  if (!strip)
    memcpy (shape + 1, &(int[3]){ 1, drawing->slices.rows, drawing->slices.columns }, 3 * sizeof *shape);
  if (memcmp (shape, self->shape, sizeof shape) == 0)
    return;
  memcpy (self->shape, shape, sizeof shape);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
studio_picture_view_show (StudioPictureView *self, const StudioDrawing *drawing)
{
  self->drawing = drawing != NULL ? *drawing : (StudioDrawing){ STUDIO_DRAWING_NONE };
  gtk_widget_set_focusable (GTK_WIDGET (self), drawing != NULL);
  follow_shape (self);
  redraw (GTK_WIDGET (self));
  if (drawing != NULL) /* changes are announced to screen readers twice a second at most */
    studio_later (&self->describe_source, 500, describe, self);
}

void
studio_picture_view_show_own (StudioPictureView *self, gboolean any)
{
  studio_picture_view_show (self, any ? &(StudioDrawing){ STUDIO_DRAWING_OWN } : NULL);
}
