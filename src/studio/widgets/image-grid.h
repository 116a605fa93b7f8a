/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Squares of an image, such as patches and blocks: their side and the distance from one to the next, in its pixels. Or
 * frames: a row of cells, of size and step 1, which are where the frames are. */
typedef struct
{
  int size, step;
  gboolean visible;
  GArray *frames; /* of TosstFrame, borrowed; NULL: a grid */
} StudioImageGrid;

/* Numbers of cells in an image of w x h pixels. */
void studio_image_grid_size (const StudioImageGrid *grid, int w, int h, int *columns, int *rows);
/* The cell at a position in an image of w x h pixels. */
gboolean studio_image_grid_under (const StudioImageGrid *grid, double x, double y, int w, int h, int *column, int *row);
/* zoom: magnification of the image; a cell in a colour. */
void studio_image_grid_draw_cell (const StudioImageGrid *grid, cairo_t *cr, int column, int row, double zoom, double r,
                                  double g, double b);
/* The edges of all cells of both, unless they are too close to be told apart. */
void studio_image_grids_draw (const StudioImageGrid *patches, const StudioImageGrid *blocks, cairo_t *cr, int w, int h,
                              double zoom);
/* Strokes the path with a light line on a dark one, which is visible on any texture. */
void studio_stroke_twice (cairo_t *cr, double width, double alpha, double r, double g, double b);
