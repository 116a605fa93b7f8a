/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/image-grid.h"

#include <math.h>

int
studio_image_grid_count (const StudioImageGrid *grid, int length)
{
  return length >= grid->size && grid->step > 0 ? (length - grid->size) / grid->step + 1 : 0;
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
  int columns = studio_image_grid_count (grid, w), rows = studio_image_grid_count (grid, h);

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
  int columns = studio_image_grid_count (grid, w), rows = studio_image_grid_count (grid, h);

  if (!grid->visible || columns == 0 || rows == 0 || x < 0 || y < 0 || x >= w || y >= h)
    return FALSE;
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

  cairo_rectangle (cr, column * grid->step * zoom, row * grid->step * zoom, side, side);
  cairo_set_source_rgba (cr, r, g, b, 0.18);
  cairo_fill_preserve (cr);
  studio_stroke_twice (cr, 2, 1, r, g, b);
}

void
studio_image_grids_draw (const StudioImageGrid *patches, const StudioImageGrid *blocks, cairo_t *cr, int w, int h,
                         double zoom)
{
  if (is_drawn (patches, zoom))
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
