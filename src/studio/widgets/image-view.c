/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/image-view.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#include "core/data/frames.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/build.h"
#include "studio/widgets/context-menu.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/image-loader.h"
#include "tosst/local.h"

#define LEAST 1.5         /* radius that is still visible, in pixels of the screen */
#define MARGIN 2          /* of what is drawn around the image */
#define FRAMES_AT_ONCE 50 /* drawn between two pictures on the screen */
#define OPAQUE_FRAMES 100 /* at most; more would cover the image */

StudioImageMarks *
studio_image_marks_new (gsize n)
{
  StudioImageMarks *self = g_atomic_rc_box_alloc0 (sizeof *self + n * sizeof self->mark[0]);

  self->n = n;
  return self;
}

void
studio_image_marks_unref (StudioImageMarks *self)
{
  g_atomic_rc_box_release (self);
}

/* Over an image of w x h pixels; self may be NULL. */
static void
studio_image_marks_draw (const StudioImageMarks *self, cairo_t *cr, int w, int h, double zoom)
{
  for (gsize i = 0; self != NULL && i < self->n; i++)
    {
      const StudioImageMark *mark = &self->mark[i];

      cairo_new_sub_path (cr);
      cairo_arc (cr, mark->x * w * zoom, mark->y * h * zoom, MAX (mark->radius * zoom, LEAST), 0, 2 * G_PI);
      cairo_set_source_rgb (cr, mark->rgb[0], mark->rgb[1], mark->rgb[2]);
      cairo_fill_preserve (cr);
      cairo_set_source_rgba (cr, 0, 0, 0, 0.5);
      cairo_set_line_width (cr, 0.75);
      cairo_stroke (cr);
    }
}

/* Squares of an image, such as patches and blocks: their side and the distance from one to the next, in its pixels. Or
 * frames: a row of cells, of size and step 1, which are where the frames are. */
typedef struct
{
  int size, step;
  gboolean visible;
  GArray *frames; /* of TosstFrame, empty before they are found; NULL: a grid */
} StudioImageGrid;

/* Strokes the path with a light line on a dark one, which is visible on any texture. */
static void
stroke_twice (cairo_t *cr, double width, double alpha, double r, double g, double b)
{
  cairo_set_line_width (cr, width + 1.5);
  cairo_set_source_rgba (cr, 0, 0, 0, alpha * 0.5);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, width);
  cairo_set_source_rgba (cr, r, g, b, alpha);
  cairo_stroke (cr);
}

static int
count (const StudioImageGrid *grid, int length)
{
  return length >= grid->size && grid->step > 0 ? (length - grid->size) / grid->step + 1 : 0;
}

/* Numbers of cells in an image of w x h pixels. */
static void
grid_size (const StudioImageGrid *grid, int w, int h, int *columns, int *rows)
{
  *columns = grid->frames != NULL ? (int)grid->frames->len : count (grid, w);
  *rows = grid->frames != NULL ? 1 : count (grid, h);
}

static const TosstFrame *
frame_of (const StudioImageGrid *grid, int column)
{
  return &g_array_index (grid->frames, TosstFrame, (guint)column);
}

/* A position from u in the coordinates of a frame; the centre of the first pixel is (0, 0) there. */
static void
line_to (const TosstFrame *frame, cairo_t *cr, double u, double v, double zoom)
{
  cairo_line_to (cr, (frame->x + frame->a[0] * u + frame->a[1] * v + 0.5) * zoom,
                 (frame->y + frame->a[2] * u + frame->a[3] * v + 0.5) * zoom);
}

/* Its patch, and a line from the centre into its direction. */
static void
outline_frame (const TosstFrame *frame, cairo_t *cr, double zoom)
{
  static const double reach = TOSST_FRAME_EXTENT;

  line_to (frame, cr, reach, -reach, zoom);
  line_to (frame, cr, reach, reach, zoom);
  line_to (frame, cr, -reach, reach, zoom);
  line_to (frame, cr, -reach, -reach, zoom);
  cairo_close_path (cr);
  cairo_new_sub_path (cr);
  line_to (frame, cr, 0, 0, zoom);
  line_to (frame, cr, reach, 0, zoom);
}

/* Frames from first to end: a ring of two scales, which would cover the image as squares, and a line to the side of the
 * patch. A thousand as one path, whose crossings cairo has to find, take three times as long. */
static void
draw_frames (const StudioImageGrid *grid, cairo_t *cr, double zoom, guint first, guint end)
{
  if (first == end)
    return;
  double alpha = MIN (1, sqrt ((double)OPAQUE_FRAMES / grid->frames->len));
  cairo_save (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
  for (guint i = first; i < end; i++)
    {
      const TosstFrame *frame = frame_of (grid, (int)i);
      const float *a = frame->a;
      const cairo_matrix_t place
          = { a[0] * zoom, a[2] * zoom, a[1] * zoom, a[3] * zoom, (frame->x + 0.5) * zoom, (frame->y + 0.5) * zoom };

      cairo_save (cr);
      cairo_transform (cr, &place);
      cairo_new_sub_path (cr);
      cairo_arc (cr, 0, 0, 2, 0, 2 * G_PI);
      cairo_restore (cr);
      cairo_new_sub_path (cr);
      line_to (frame, cr, 0, 0, zoom);
      line_to (frame, cr, TOSST_FRAME_EXTENT, 0, zoom);
      stroke_twice (cr, 1, alpha, 0.94, 0.89, 0.26);
    }
  cairo_restore (cr);
}

/* The frame with the nearest centre among those whose patch has the position. */
static gboolean
frame_under (const StudioImageGrid *grid, double x, double y, int *column)
{
  double nearest = INFINITY;

  for (guint i = 0; i < grid->frames->len; i++)
    {
      const TosstFrame *frame = frame_of (grid, (int)i);
      const float *a = frame->a;
      double dx = x - 0.5 - frame->x, dy = y - 0.5 - frame->y, det = (double)a[0] * a[3] - (double)a[1] * a[2];
      double u = (a[3] * dx - a[1] * dy) / det, v = (a[0] * dy - a[2] * dx) / det;

      if (!(fabs (u) <= TOSST_FRAME_EXTENT && fabs (v) <= TOSST_FRAME_EXTENT && hypot (dx, dy) < nearest))
        continue;
      nearest = hypot (dx, dy);
      *column = (int)i;
    }
  return nearest < INFINITY;
}

/* Edges of cells along one direction, as lines across all of them; with a step below the size they interleave. */
static void
edges (const StudioImageGrid *grid, cairo_t *cr, int n, double length, double zoom, gboolean upright)
{
  for (int i = 0; i < 2 * n; i++)
    {
      double at = floor ((i / 2 * grid->step + i % 2 * grid->size) * zoom) + (i % 2 == 0 ? 0.5 : -0.5);

      cairo_move_to (cr, upright ? at : 0, upright ? 0 : at);
      cairo_rel_line_to (cr, upright ? 0 : length, upright ? length : 0);
    }
}

/* Every cell in its size: squares if there is space between them, else lines. */
static void
grid_lines (const StudioImageGrid *grid, cairo_t *cr, int w, int h, double zoom)
{
  int columns = count (grid, w), rows = count (grid, h);

  if (grid->step <= grid->size)
    {
      edges (grid, cr, columns, (grid->size + (rows - 1) * grid->step) * zoom, zoom, TRUE);
      edges (grid, cr, rows, (grid->size + (columns - 1) * grid->step) * zoom, zoom, FALSE);
      return;
    }
  for (int i = 0; i < columns * rows; i++)
    {
      double x = floor (i % columns * grid->step * zoom), y = floor (i / columns * grid->step * zoom);
      double side = floor (grid->size * zoom) - 1;

      cairo_rectangle (cr, x + 0.5, y + 0.5, side, side);
    }
}

/* Lines that coincide would cover the image, and a large image has a million of them. */
static gboolean
is_drawn (const StudioImageGrid *grid, double zoom)
{
  return grid->visible && grid->size > 0 && grid->step > 0
         && grid->step * zoom >= (grid->size % grid->step == 0 ? 4 : 8);
}

/* The cell at a position in an image of w x h pixels. */
static gboolean
cell_under (const StudioImageGrid *grid, double x, double y, int w, int h, int *column, int *row)
{
  int columns, rows;

  grid_size (grid, w, h, &columns, &rows);
  if (!grid->visible || columns == 0 || rows == 0 || x < 0 || y < 0 || x >= w || y >= h)
    return FALSE;
  *row = 0;
  if (grid->frames != NULL)
    return frame_under (grid, x, y, column);
  /* Where cells overlap, the one with the nearest centre. */
  *column = CLAMP ((int)round ((x - grid->size / 2.0) / grid->step), 0, columns - 1);
  *row = CLAMP ((int)round ((y - grid->size / 2.0) / grid->step), 0, rows - 1);
  return TRUE;
}

/* zoom: magnification of the image; a cell in a colour. */
static void
draw_cell (const StudioImageGrid *grid, cairo_t *cr, int column, int row, double zoom, double r, double g, double b)
{
  double side = grid->size * zoom;

  if (grid->frames == NULL)
    cairo_rectangle (cr, column * grid->step * zoom, row * grid->step * zoom, side, side);
  else if ((guint)column < grid->frames->len)
    outline_frame (frame_of (grid, column), cr, zoom);
  cairo_set_source_rgba (cr, r, g, b, 0.18);
  cairo_fill_preserve (cr);
  stroke_twice (cr, 2, 1, r, g, b);
}

static guint
shown_frames (const StudioImageGrid *grid)
{
  return grid->frames != NULL && grid->visible ? grid->frames->len : 0;
}

/* The edges of all cells of both but for frames, unless they are too close to be told apart. */
static void
draw_both (const StudioImageGrid *patches, const StudioImageGrid *blocks, cairo_t *cr, int w, int h, double zoom)
{
  if (patches->frames == NULL && is_drawn (patches, zoom))
    {
      grid_lines (patches, cr, w, h, zoom);
      if (patches->step * zoom >= 24)
        stroke_twice (cr, 1, 0.8, 0.34, 0.71, 0.91);
      else /* edges of lines this close would darken the image */
        {
          cairo_set_line_width (cr, 1);
          cairo_set_source_rgba (cr, 0.34, 0.71, 0.91, 0.6);
          cairo_stroke (cr);
        }
    }
  if (is_drawn (blocks, zoom))
    {
      grid_lines (blocks, cr, w, h, zoom);
      stroke_twice (cr, 1.5, 0.9, 0.90, 0.62, 0.0);
    }
}

struct _StudioImageView
{
  GtkWidget parent_instance;
  GdkTexture *texture;
  int width, height; /* of the image; its texture may be smaller */
  StudioImageGrid patches, blocks;
  StudioWorker *worker;       /* that finds them; NULL before the first question */
  StudioPatchQuestion *asked; /* a copy of the last question, for the frames of an image; NULL: none */
  StudioImageMarks *marks;    /* NULL: none */
  gboolean has_part;
  double part[4];
  StudioPointer pointer;
  gboolean chooses, hovers;
  int column, row;                 /* of the chosen patch, -1: none */
  int hovered_column, hovered_row; /* of the patch under the pointer, -1: none */
  double menu_x, menu_y;           /* where the context menu was asked for */

  /* Edges and marks as drawn, MARGIN around the image; NULL: not drawn in this state. */
  cairo_surface_t *edges;
  double edges_zoom;
  guint edges_frames; /* of the frames, those drawn */
};

G_DEFINE_FINAL_TYPE (StudioImageView, studio_image_view, GTK_TYPE_WIDGET)

/* Position of the image in the widget, and its magnification. In choosing mode the image is aligned to the top, else
 * centred. */
static double
placement (StudioImageView *self, double *x, double *y)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  double zoom = MIN (width / self->width, height / self->height);

  *x = floor ((width - self->width * zoom) / 2);
  *y = self->chooses ? 0 : floor ((height - self->height * zoom) / 2);
  return zoom;
}

static void
clear_edges (StudioImageView *self)
{
  g_clear_pointer (&self->edges, cairo_surface_destroy);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
draw_more (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  return G_SOURCE_REMOVE;
}

/* Draws edges and marks once for a magnification, and frames in portions: the strokes of a thousand take 50 to 90 ms, and
 * the view is drawn again at each move of the pointer. */
static void
update_edges (StudioImageView *self, int w, int h, double zoom)
{
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));

  if (self->edges != NULL && self->edges_zoom != zoom * scale)
    g_clear_pointer (&self->edges, cairo_surface_destroy);
  gboolean is_new = self->edges == NULL;
  if (is_new)
    {
      self->edges = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, scale * (int)ceil (w * zoom + 2 * MARGIN),
                                                scale * (int)ceil (h * zoom + 2 * MARGIN));
      cairo_surface_set_device_scale (self->edges, scale, scale);
      self->edges_zoom = zoom * scale;
      self->edges_frames = 0;
    }
  guint first = self->edges_frames, n = shown_frames (&self->patches);
  if (!is_new && first == n)
    return;
  cairo_t *cr = cairo_create (self->edges);
  cairo_translate (cr, MARGIN, MARGIN);
  if (is_new)
    {
      draw_both (&self->patches, &self->blocks, cr, w, h, zoom);
      studio_image_marks_draw (self->marks, cr, w, h, zoom);
    }
  self->edges_frames = MIN (n, first + FRAMES_AT_ONCE);
  draw_frames (&self->patches, cr, zoom, first, self->edges_frames);
  cairo_destroy (cr);
  if (self->edges_frames < n)
    gtk_widget_add_tick_callback (GTK_WIDGET (self), draw_more, NULL, NULL);
}

static void
draw_grids (StudioImageView *self, cairo_t *cr, int w, int h, double zoom, double px, double py)
{
  const double *part = self->part;
  int column, row;

  update_edges (self, w, h, zoom);
  cairo_set_source_surface (cr, self->edges, -MARGIN, -MARGIN);
  cairo_paint (cr);
  if (self->has_part)
    {
      cairo_rectangle (cr, part[0] * w * zoom, part[1] * h * zoom, (part[2] - part[0]) * w * zoom,
                       (part[3] - part[1]) * h * zoom);
      stroke_twice (cr, 2, 1, 0.90, 0.62, 0.0);
    }
  if (self->chooses && self->column >= 0)
    draw_cell (&self->patches, cr, self->column, self->row, zoom, 0.90, 0.62, 0.0);
  if (self->hovers && self->hovered_column >= 0)
    draw_cell (&self->patches, cr, self->hovered_column, self->hovered_row, zoom, 0.34, 0.71, 0.91);
  if (!self->pointer.inside)
    return;
  if (self->blocks.size > 0 && cell_under (&self->blocks, px, py, w, h, &column, &row))
    draw_cell (&self->blocks, cr, column, row, zoom, 0.90, 0.62, 0.0);
  if (!self->hovers && cell_under (&self->patches, px, py, w, h, &column, &row))
    draw_cell (&self->patches, cr, column, row, zoom, 0.34, 0.71, 0.91);
}

char *
studio_image_view_describe (StudioImageView *self, int x, int y)
{
  const TosstFrame *frame = studio_image_view_get_frame (self, x);
  int side
      = frame != NULL
            ? (int)lround (2 * TOSST_FRAME_EXTENT * sqrt (fabs (frame->a[0] * frame->a[3] - frame->a[1] * frame->a[2])))
            : 0;

  if (self->patches.frames != NULL && frame == NULL)
    return g_strdup_printf (_ ("Frame %d"), x + 1);
  if (frame != NULL)
    return g_strdup_printf (_ ("Frame %d at %d, %d: %d × %d px, turned by %d°"), x + 1, (int)lroundf (frame->x),
                            (int)lroundf (frame->y), side, side,
                            (int)lround (atan2 (frame->a[2], frame->a[0]) * 180 / G_PI));
  return g_strdup_printf (_ ("Patch at %d, %d: %d × %d px"), x, y, self->patches.size, self->patches.size);
}

/* Around the image, which may be much smaller than the widget. */
static void
snapshot_focus (StudioImageView *self, GtkSnapshot *snapshot, double x, double y, double w, double h)
{
  const float width[4] = { 2, 2, 2, 2 };
  GskRoundedRect ring;
  GdkRGBA color;

  if (!gtk_widget_has_visible_focus (GTK_WIDGET (self)))
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &color);
  color.alpha *= 0.5f;
  gsk_rounded_rect_init_from_rect (&ring, &GRAPHENE_RECT_INIT ((float)x - 3, (float)y - 3, (float)w + 6, (float)h + 6),
                                   3);
  gtk_snapshot_append_border (snapshot, &ring, width, (const GdkRGBA[4]){ color, color, color, color });
}

static void
studio_image_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioImageView *self = STUDIO_IMAGE_VIEW (widget);
  double x, y, zoom, px, py;
  int w, h;
  int column, row;

  if (self->texture == NULL || gtk_widget_get_width (widget) < 8 || gtk_widget_get_height (widget) < 8)
    return;
  w = self->width;
  h = self->height;
  zoom = placement (self, &x, &y);
  px = (self->pointer.x - x) / zoom;
  py = (self->pointer.y - y) / zoom;
  gtk_snapshot_append_texture (snapshot, self->texture, &GRAPHENE_RECT_INIT (x, y, w * zoom, h * zoom));
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (x - MARGIN, y - MARGIN, w * zoom + 2 * MARGIN, h * zoom + 2 * MARGIN));
  cairo_translate (cr, x, y);
  draw_grids (self, cr, w, h, zoom, px, py);
  cairo_destroy (cr);
  snapshot_focus (self, snapshot, x, y, w * zoom, h * zoom);
  if (self->hovers || !self->pointer.inside || !cell_under (&self->patches, px, py, w, h, &column, &row))
    return;
  g_autofree char *text = studio_image_view_describe (self, column * self->patches.step, row * self->patches.step);
  studio_snapshot_bubble (GTK_WIDGET (self), snapshot, self->pointer.x, self->pointer.y, text, FALSE);
}

static void
studio_image_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  *minimum = 160;
  *natural = orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0 ? CLAMP (for_size, 160, 480) : 480;
}

/* Hovering. */

static void
hover (StudioImageView *self, int column, int row)
{
  int step = self->patches.step;

  if (!self->hovers || (column == self->hovered_column && row == self->hovered_row))
    return;
  self->hovered_column = column;
  self->hovered_row = row;
  g_signal_emit_by_name (self, "patch-hovered", column < 0 ? -1 : column * step, row < 0 ? -1 : row * step);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The patch at a position in the widget. */
static gboolean
patch_at (StudioImageView *self, double px, double py, int *column, int *row)
{
  double x, y, zoom;

  if (self->texture == NULL)
    return FALSE;
  zoom = placement (self, &x, &y);
  return cell_under (&self->patches, (px - x) / zoom, (py - y) / zoom, self->width, self->height, column, row);
}

static void
on_pointer (gpointer widget)
{
  StudioImageView *self = widget;
  int column = -1, row = -1;

  if (self->pointer.inside && !patch_at (self, self->pointer.x, self->pointer.y, &column, &row))
    column = row = -1;
  hover (self, column, row);
}

static void
on_focus_out (GtkEventControllerFocus *controller, StudioImageView *self)
{
  if (!self->pointer.inside)
    hover (self, -1, -1);
}

/* Choosing. */

/* FALSE: no patch. */
static gboolean
clamp_patch (StudioImageView *self, int *column, int *row)
{
  int columns, rows;

  if (self->texture == NULL || !(self->chooses || self->hovers))
    return FALSE;
  grid_size (&self->patches, self->width, self->height, &columns, &rows);
  if (columns == 0 || rows == 0)
    return FALSE;
  *column = CLAMP (*column, 0, columns - 1);
  *row = CLAMP (*row, 0, rows - 1);
  return TRUE;
}

/* Whether it is another one. */
static gboolean
choose (StudioImageView *self, int column, int row)
{
  if (!clamp_patch (self, &column, &row) || (column == self->column && row == self->row))
    return FALSE;
  studio_image_view_set_chosen (self, column * self->patches.step, row * self->patches.step);
  g_signal_emit_by_name (self, "patch-chosen", column * self->patches.step, row * self->patches.step);
  return TRUE;
}

static gboolean
choose_at (StudioImageView *self, double x, double y)
{
  int column, row;

  return self->chooses && patch_at (self, x, y, &column, &row) && choose (self, column, row);
}

static void
activate_at (StudioImageView *self, double x, double y)
{
  int column, row;

  if (self->texture != NULL && self->patches.size == 0)
    g_signal_emit_by_name (self, "patch-activated", 0, 0);
  else if (patch_at (self, x, y, &column, &row))
    g_signal_emit_by_name (self, "patch-activated", column * self->patches.step, row * self->patches.step);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioImageView *self)
{
  if (n_press == 2)
    activate_at (self, x, y);
}

/* The context menu. */

static void
inspect_patch (StudioImageView *self)
{
  activate_at (self, self->menu_x, self->menu_y);
}

static void
copy_picture (StudioImageView *self)
{
  if (self->texture != NULL)
    gdk_clipboard_set_texture (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->texture);
}

static gboolean
before_menu (GtkWidget *widget, double x, double y, gpointer data)
{
  StudioImageView *self = STUDIO_IMAGE_VIEW (widget);

  self->menu_x = x;
  self->menu_y = y;
  studio_enable (widget, "picture.inspect", self->hovers);
  return self->texture != NULL;
}

/* A click, and dragging from there. One on the chosen patch activates it. */
static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, StudioImageView *self)
{
  if (self->chooses)
    gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!choose_at (self, x, y) && self->chooses)
    activate_at (self, x, y);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, StudioImageView *self)
{
  double x, y;

  if (gtk_gesture_drag_get_start_point (gesture, &x, &y))
    choose_at (self, x + dx, y + dy);
}

/* The target of a key from a patch. */
static gboolean
move_by_key (guint key, GdkModifierType state, int *column, int *row)
{
  int far = (state & GDK_SHIFT_MASK) != 0 ? 5 : 1;

  if (key == GDK_KEY_Left)
    *column -= far;
  else if (key == GDK_KEY_Right)
    *column += far;
  else if (key == GDK_KEY_Up)
    *row -= far;
  else if (key == GDK_KEY_Down)
    *row += far;
  else if (key == GDK_KEY_Home)
    *column = 0;
  else if (key == GDK_KEY_End)
    *column = G_MAXINT / 2;
  else
    return FALSE;
  return TRUE;
}

/* Keyboard equivalents of the pointer: arrows hover, Return is the double click, Escape leaves. */
static gboolean
hover_by_key (StudioImageView *self, guint key, GdkModifierType state)
{
  int column = self->hovered_column, row = self->hovered_row;

  if (column >= 0 && (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter))
    g_signal_emit_by_name (self, "patch-activated", column * self->patches.step, row * self->patches.step);
  else if (column >= 0 && key == GDK_KEY_Escape)
    hover (self, -1, -1);
  else if (!move_by_key (key, state, &column, &row) || !clamp_patch (self, &column, &row))
    return FALSE;
  else if (self->hovered_column < 0)
    hover (self, 0, 0);
  else
    hover (self, column, row);
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioImageView *self)
{
  int column = self->column, row = self->row;

  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (self->hovers)
    return hover_by_key (self, key, state);
  if (self->chooses && (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter))
    {
      g_signal_emit_by_name (self, "patch-activated", MAX (column, 0) * self->patches.step,
                             MAX (row, 0) * self->patches.step);
      return TRUE;
    }
  if (!self->chooses || column < 0 || !move_by_key (key, state, &column, &row))
    return FALSE;
  choose (self, column, row);
  return TRUE;
}

/* Frames. */

static gboolean
is_asked (StudioImageView *self, TosstDataset *dataset, guint image, const TosstRecipe *recipe)
{
  return self->asked != NULL && self->asked->dataset == dataset && self->asked->image == image
         && tosst_frames_are_same (self->asked->recipe, recipe);
}

/* Where no patch is chosen, larger images are shown without their frames, which need the image in memory as a run has it. */
#define MOST_PIXELS ((gint64)24 << 20)

static StudioPatchQuestion *
question_new (TosstDataset *dataset, guint image, const TosstRecipe *recipe)
{
  return studio_patch_question_new (dataset, image, recipe, (TosstPoint){ 0, 0 });
}

/* The answer has the frames; without them, whoever describes the image tells the error. */
static void
find (StudioWorker *worker, TosstContext *context, const StudioPatchQuestion *question, gpointer *session)
{
  StudioPatchQuestion *answer = question_new (question->dataset, question->image, question->recipe);
  g_autoptr (GError) error = NULL;
  StudioPixels *pixels = studio_pixels_get (question->dataset, question->image, &error);

  answer->more = pixels != NULL ? studio_pixels_frames (pixels, question->recipe, &error) : NULL;
  answer->free_more = (GDestroyNotify)g_array_unref;
  g_clear_pointer (&pixels, studio_pixels_unref);
  studio_worker_put (worker, answer);
}

static void
on_found (StudioImageView *self, StudioPatchQuestion *answer)
{
  if (answer->more == NULL || !is_asked (self, answer->dataset, answer->image, answer->recipe))
    return;
  g_clear_pointer (&self->patches.frames, g_array_unref);
  self->patches.frames = g_steal_pointer (&answer->more);
  g_signal_emit_by_name (self, "frames-found");
  clear_edges (self);
}

static const StudioWork finding
    = { G_CALLBACK (find), studio_patch_question_free, studio_patch_question_free, .take = G_CALLBACK (on_found) };

STUDIO_DEFINE_DISPOSE (StudioImageView, studio_image_view, (worker, studio_worker_free),
                       (asked, studio_patch_question_free), (patches.frames, g_array_unref), (texture, g_object_unref),
                       (marks, studio_image_marks_unref), (edges, cairo_surface_destroy))

static void
studio_image_view_class_init (StudioImageViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_image_view_dispose;
  widget_class->snapshot = studio_image_view_snapshot;
  widget_class->measure = studio_image_view_measure;
  widget_class->get_request_mode = studio_height_for_width; /* not higher than wide where it has its natural height */
  studio_add_signal (klass, "patch-chosen", 2, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "patch-activated", 2, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "patch-hovered", 2, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "frames-found", 0);
  STUDIO_INSTALL_ACTIONS (klass, ("picture.inspect", NULL, inspect_patch), ("picture.copy", NULL, copy_picture));
  gtk_widget_class_set_css_name (widget_class, "imageview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_image_view_init (StudioImageView *self)
{
  self->column = self->row = self->hovered_column = self->hovered_row = -1;
  studio_follow_pointer (self, &self->pointer, on_pointer);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  studio_add_controller (self, gtk_event_controller_focus_new (), "leave", G_CALLBACK (on_focus_out), NULL);
  studio_add_controller (self, gtk_gesture_drag_new (), "drag-begin", G_CALLBACK (on_drag_begin), "drag-update",
                         G_CALLBACK (on_drag_update), NULL);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_context_menu (self, "image_menu", before_menu, NULL);
}

void
studio_image_view_set_texture (StudioImageView *self, GdkTexture *texture, int width, int height)
{
  hover (self, -1, -1);
  g_set_object (&self->texture, texture);
  self->width = width;
  self->height = height;
  clear_edges (self);
}

void
studio_image_view_set_patches (StudioImageView *self, int size, int step, gboolean visible)
{
  hover (self, -1, -1);
  g_clear_pointer (&self->asked, studio_patch_question_free);
  g_clear_pointer (&self->patches.frames, g_array_unref);
  self->patches = (StudioImageGrid){ size, step, visible, NULL };
  clear_edges (self);
}

void
studio_image_view_set_frames (StudioImageView *self, TosstDataset *dataset, guint image, const TosstRecipe *recipe,
                              gboolean visible)
{
  const TosstDatasetImage *shown = tosst_dataset_image (dataset, image);

  if (!is_asked (self, dataset, image, recipe))
    {
      studio_image_view_set_patches (self, 1, 1, visible);
      self->patches.frames = g_array_new (FALSE, FALSE, sizeof (TosstFrame));
      self->asked = question_new (dataset, image, recipe);
      if (self->chooses || (gint64)shown->width * shown->height <= MOST_PIXELS)
        studio_worker_ask_first (&self->worker, &finding, NULL, self, question_new (dataset, image, recipe));
    }
  self->patches.visible = visible;
  clear_edges (self);
}

const TosstFrame *
studio_image_view_get_frame (StudioImageView *self, int number)
{
  const GArray *frames = self->patches.frames;

  return frames != NULL && number >= 0 && (guint)number < frames->len ? frame_of (&self->patches, number) : NULL;
}

void
studio_image_view_set_marks (StudioImageView *self, StudioImageMarks *marks)
{
  if (marks != NULL)
    g_atomic_rc_box_acquire (marks);
  g_clear_pointer (&self->marks, studio_image_marks_unref);
  self->marks = marks;
  clear_edges (self);
}

void
studio_image_view_set_part (StudioImageView *self, const double part[4])
{
  self->has_part = part != NULL;
  if (part != NULL)
    memcpy (self->part, part, sizeof self->part);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
studio_image_view_set_blocks (StudioImageView *self, int size, int step, gboolean visible)
{
  self->blocks = (StudioImageGrid){ size, step, visible, NULL };
  clear_edges (self);
}

void
studio_image_view_set_chooses (StudioImageView *self, gboolean chooses)
{
  self->chooses = chooses;
  gtk_widget_set_focusable (GTK_WIDGET (self), chooses);
}

void
studio_image_view_set_hovers (StudioImageView *self, gboolean hovers)
{
  self->hovers = hovers;
  gtk_widget_set_focusable (GTK_WIDGET (self), hovers);
}

void
studio_image_view_set_chosen (StudioImageView *self, int x, int y)
{
  self->column = x < 0 || self->patches.step <= 0 ? -1 : x / self->patches.step;
  self->row = y < 0 || self->patches.step <= 0 ? -1 : y / self->patches.step;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

GdkTexture *
studio_image_view_get_texture (StudioImageView *self)
{
  return self->texture;
}

/* Drawing as a picture. */

struct StudioImageSheet
{
  GdkTexture *texture;
  int width, height;
  StudioImageGrid patches, blocks;
  StudioImageMarks *marks;
};

StudioImageSheet *
studio_image_view_copy (StudioImageView *self)
{
  if (self->texture == NULL)
    return NULL;
  StudioImageSheet *sheet = g_new (StudioImageSheet, 1);
  *sheet = (StudioImageSheet){ g_object_ref (self->texture),
                               self->width,
                               self->height,
                               self->patches,
                               self->blocks,
                               self->marks != NULL ? g_atomic_rc_box_acquire (self->marks) : NULL };
  if (self->patches.frames != NULL)
    g_array_ref (self->patches.frames);
  return sheet;
}

TOSST_DEFINE_PUBLIC_FREE (StudioImageSheet, studio_image_sheet_free, StudioImageSheet *, (texture, g_object_unref),
                          (marks, studio_image_marks_unref), (patches.frames, g_array_unref))

void
studio_image_sheet_size (const StudioImageSheet *self, double side, double *width, double *height)
{
  double zoom = MAX (side / MAX (self->width, self->height), 1);

  *width = self->width * zoom;
  *height = self->height * zoom;
}

void
studio_image_sheet_draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const StudioImageSheet *self = data;
  int w = gdk_texture_get_width (self->texture), h = gdk_texture_get_height (self->texture);
  cairo_surface_t *pixels = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, w, h);

  gdk_texture_download (self->texture, cairo_image_surface_get_data (pixels),
                        (gsize)cairo_image_surface_get_stride (pixels));
  cairo_surface_mark_dirty (pixels);
  cairo_save (cr);
  cairo_scale (cr, width / w, height / h);
  cairo_set_source_surface (cr, pixels, 0, 0);
  cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD); /* no pale edge */
  cairo_rectangle (cr, 0, 0, w, h);
  cairo_fill (cr);
  cairo_restore (cr);
  cairo_surface_destroy (pixels);
  draw_both (&self->patches, &self->blocks, cr, self->width, self->height, width / self->width);
  draw_frames (&self->patches, cr, width / self->width, 0, shown_frames (&self->patches));
  studio_image_marks_draw (self->marks, cr, self->width, self->height, width / self->width);
}
