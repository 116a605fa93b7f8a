/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/picture-view.h"

#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/format.h"

struct _StudioPictureView
{
  GtkWidget parent_instance;
  const StudioPictureFuncs *funcs; /* NULL: nothing to show */
  gpointer data;
  GdkTexture *picture; /* NULL: to be painted */
  int picture_width, picture_height;
  gboolean pointer_inside;
  double pointer_x, pointer_y;
  guint describe_source;
};

G_DEFINE_FINAL_TYPE (StudioPictureView, studio_picture_view, GTK_TYPE_WIDGET)

static void
ensure_picture (StudioPictureView *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));

  if (self->picture != NULL && width == self->picture_width && height == self->picture_height)
    return;
  g_clear_object (&self->picture);
  self->picture = studio_draw_texture (GTK_WIDGET (self), width, height, self->funcs->draw, self->data);
  self->picture_width = width;
  self->picture_height = height;
}

static StudioPicturePoint
point_at (StudioPictureView *self, double x, double y)
{
  StudioPicturePoint point = { .x = x, .y = y, .width = self->picture_width, .height = self->picture_height };

  studio_chart_style (GTK_WIDGET (self), &point.style);
  return point;
}

static void
snapshot_label (StudioPictureView *self, GtkSnapshot *snapshot)
{
  StudioPicturePoint point = point_at (self, self->pointer_x, self->pointer_y);
  g_autofree char *text = self->funcs->label (&point, self->data);

  g_autofree char *markup = text != NULL && self->funcs->symbols ? studio_symbol_markup (text) : NULL;

  if (markup != NULL)
    studio_snapshot_bubble_markup (GTK_WIDGET (self), snapshot, point.x, point.y, markup);
  else if (text != NULL)
    studio_snapshot_bubble (GTK_WIDGET (self), snapshot, point.x, point.y, text);
}

static void
studio_picture_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioPictureView *self = STUDIO_PICTURE_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (self->funcs == NULL || width < 24 || height < 24)
    return;
  ensure_picture (self);
  gtk_snapshot_append_texture (snapshot, self->picture, &GRAPHENE_RECT_INIT (0, 0, width, height));
  if (self->pointer_inside && self->funcs->label != NULL)
    snapshot_label (self, snapshot);
}

static void
studio_picture_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                             int *minimum_baseline, int *natural_baseline)
{
  *minimum = 40;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 40;
}

static gboolean
describe (gpointer data)
{
  StudioPictureView *self = data;
  g_autofree char *text
      = self->funcs != NULL && self->funcs->describe != NULL ? self->funcs->describe (self->data) : g_strdup ("");

  self->describe_source = 0;
  studio_set_description (self, text);
  return G_SOURCE_REMOVE;
}

static void
redraw (GtkWidget *widget)
{
  g_clear_object (&STUDIO_PICTURE_VIEW (widget)->picture);
  gtk_widget_queue_draw (widget);
}

void
studio_picture_view_refresh (StudioPictureView *self)
{
  redraw (GTK_WIDGET (self));
  if (self->describe_source == 0) /* changes are announced to screen readers twice a second at most */
    self->describe_source = g_timeout_add (500, describe, self);
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, StudioPictureView *self)
{
  self->pointer_inside = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  if (self->funcs != NULL && self->funcs->label != NULL)
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller, StudioPictureView *self)
{
  self->pointer_inside = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioPictureView *self)
{
  StudioPicturePoint point = point_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->funcs != NULL && self->funcs->pressed != NULL && self->picture_width > 0)
    self->funcs->pressed (&point, self->data);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioPictureView *self)
{
  StudioPicturePoint size = point_at (self, 0, 0);

  /* Keys may arrive faster than frames: the last size counts. */
  if (self->funcs == NULL || self->funcs->key == NULL || self->picture_width == 0
      || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (key == GDK_KEY_KP_Enter || key == GDK_KEY_ISO_Enter)
    key = GDK_KEY_Return;
  return self->funcs->key (key, &size, self->data);
}

static void
studio_picture_view_dispose (GObject *object)
{
  StudioPictureView *self = STUDIO_PICTURE_VIEW (object);

  self->funcs = NULL;
  g_clear_object (&self->picture);
  g_clear_handle_id (&self->describe_source, g_source_remove);
  G_OBJECT_CLASS (studio_picture_view_parent_class)->dispose (object);
}

static void
studio_picture_view_class_init (StudioPictureViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_picture_view_dispose;
  widget_class->snapshot = studio_picture_view_snapshot;
  widget_class->measure = studio_picture_view_measure;
  gtk_widget_class_set_css_name (widget_class, "pictureview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_picture_view_init (StudioPictureView *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new (), *key = gtk_event_controller_key_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  studio_watch_style (GTK_WIDGET (self), redraw);
}

void
studio_picture_view_set_funcs (StudioPictureView *self, const StudioPictureFuncs *funcs, gpointer data)
{
  self->funcs = funcs;
  self->data = data;
  gtk_widget_set_focusable (GTK_WIDGET (self), funcs != NULL);
  redraw (GTK_WIDGET (self));
}

char *
studio_picture_matrix_label (const StudioPicturePoint *point, const TosstMatrixDrawing *drawing)
{
  g_autofree char *value = NULL, *first = NULL, *second = NULL;
  int row, column;

  if (!tosst_named_matrix_pick (point->width, point->height, &point->style, drawing, point->x, point->y, &row, &column))
    return NULL;
  value = studio_format_real (drawing->matrix[(gsize)row * drawing->columns + column], 3);
  first = tosst_feature_group_label (drawing->groups, row);
  second = tosst_feature_group_label (drawing->groups, column);
  return g_strdup_printf ("%s × %s: %s", first, second, value);
}
