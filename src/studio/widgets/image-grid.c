/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/image-grid.h"

#include <math.h>

#include "tosst/local.h"

static int
count (const StudioImageGrid *grid, int length)
{
  return length >= grid->size && grid->step > 0 ? (length - grid->size) / grid->step + 1 : 0;
}

void
studio_image_grid_size (const StudioImageGrid *grid, int w, int h, int *columns, int *rows)
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

/* All frames: a ring of two scales, which would cover the image as squares, and a line to the side of the patch. */
static void
draw_frames (const StudioImageGrid *grid, cairo_t *cr, double zoom)
{
  for (guint i = 0; i < grid->frames->len; i++)
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
    }
  studio_stroke_twice (cr, 1, 1, 0.94, 0.89, 0.26);
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

void
studio_stroke_twice (cairo_t *cr, double width, double alpha, double r, double g, double b)
{
  cairo_set_line_width (cr, width + 1.5);
  cairo_set_source_rgba (cr, 0, 0, 0, alpha * 0.5);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, width);
  cairo_set_source_rgba (cr, r, g, b, alpha);
  cairo_stroke (cr);
}

gboolean
studio_image_grid_under (const StudioImageGrid *grid, double x, double y, int w, int h, int *column, int *row)
{
  int columns, rows;

  studio_image_grid_size (grid, w, h, &columns, &rows);
  if (!grid->visible || columns == 0 || rows == 0 || x < 0 || y < 0 || x >= w || y >= h)
    return FALSE;
  *row = 0;
  if (grid->frames != NULL)
    return frame_under (grid, x, y, column);
  /* Of overlapping cells the one with the nearest centre. */
  *column = CLAMP ((int)round ((x - grid->size / 2.0) / grid->step), 0, columns - 1);
  *row = CLAMP ((int)round ((y - grid->size / 2.0) / grid->step), 0, rows - 1);
  return TRUE;
}

void
studio_image_grid_draw_cell (const StudioImageGrid *grid, cairo_t *cr, int column, int row, double zoom, double r,
                             double g, double b)
{
  double side = grid->size * zoom;

  if (grid->frames == NULL)
    cairo_rectangle (cr, column * grid->step * zoom, row * grid->step * zoom, side, side);
  else if ((guint)column < grid->frames->len)
    outline_frame (frame_of (grid, column), cr, zoom);
  cairo_set_source_rgba (cr, r, g, b, 0.18);
  cairo_fill_preserve (cr);
  studio_stroke_twice (cr, 2, 1, r, g, b);
}

void
studio_image_grids_draw (const StudioImageGrid *patches, const StudioImageGrid *blocks, cairo_t *cr, int w, int h,
                         double zoom)
{
  if (patches->frames != NULL && patches->visible)
    draw_frames (patches, cr, zoom);
  else if (is_drawn (patches, zoom))
    {
      grid_lines (patches, cr, w, h, zoom);
      if (patches->step * zoom >= 24)
        studio_stroke_twice (cr, 1, 0.8, 0.34, 0.71, 0.91);
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
      studio_stroke_twice (cr, 1.5, 0.9, 0.90, 0.62, 0.0);
    }
}
