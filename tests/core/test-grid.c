/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heat maps over two quantities: cells are found where they are drawn, the best one, what is written and said of them.
 */
#include "config.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/plot/grid.h"

#define WIDTH 500
#define HEIGHT 300

static const TosstChartStyle style = { .font = "Sans", .font_size = 12 };
static const char *const lambdas[] = { "0.001", "0.01", "0.1", NULL };
static const char *const atoms[] = { "20", "60", NULL };

static TosstGrid *
six_cells (void)
{
  TosstGrid *self = tosst_grid_new ("λ", lambdas, "K", atoms, "Accuracy (%)");

  for (guint c = 0; c < 3; c++)
    for (guint r = 0; r < 2; r++)
      if (c != 2 || r != 0)
        tosst_grid_set (self, c, r, 60 + 10 * c + r);
  return self;
}

static guint
painted (const TosstGrid *self, int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);
  guint n = 0;

  tosst_draw_grid (cr, width, height, &style, self);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      n += cairo_image_surface_get_data (surface)[y * cairo_image_surface_get_stride (surface) + 4 * x + 3] > 0;
  cairo_surface_destroy (surface);
  return n;
}

/* The middle of a cell: of the positions where it is found. */
static void
place (const TosstGrid *self, guint column, guint row, double *x, double *y)
{
  guint n = 0, c, r;

  *x = *y = 0;
  for (int v = 0; v < HEIGHT; v += 10)
    for (int u = 0; u < WIDTH; u += 10)
      if (tosst_grid_pick (self, WIDTH, HEIGHT, &style, u, v, &c, &r) && c == column && r == row)
        {
          *x += u;
          *y += v;
          n++;
        }
  g_assert_cmpuint (n, >, 0);
  *x /= n;
  *y /= n;
}

static void
test_cells (void)
{
  g_autoptr (TosstGrid) self = six_cells (), copy = tosst_grid_copy (self);
  guint column = 99, row = 99;
  double x, y, below;

  for (guint c = 0; c < 3; c++)
    for (guint r = 0; r < 2; r++)
      {
        place (self, c, r, &x, &y);
        g_assert_true (tosst_grid_pick (self, WIDTH, HEIGHT, &style, x, y, &column, &row));
        g_assert_true (column == c && row == r);
      }
  /* The first row is the lowest; its cells are where they are found. */
  place (self, 0, 0, &x, &below);
  place (self, 0, 1, &x, &y);
  g_assert_cmpfloat (y, <, below);
  g_assert_false (tosst_grid_pick (self, WIDTH, HEIGHT, &style, 2, 2, &column, &row));
  g_assert_true (tosst_grid_best (copy, &column, &row) && column == 2 && row == 1);
  copy->low_is_best = TRUE;
  g_assert_true (tosst_grid_best (copy, &column, &row) && column == 0 && row == 0);
  g_assert_true (isnan (tosst_grid_get (copy, 2, 0)));
}

static void
test_drawing (void)
{
  g_autoptr (TosstGrid) self = six_cells (), none = tosst_grid_new ("λ", lambdas, "K", atoms, "Accuracy");
  guint column, row;

  self->chosen_column = self->chosen_row = 1;
  g_assert_cmpuint (painted (self, WIDTH, HEIGHT), >, WIDTH * HEIGHT / 3);
  g_assert_false (tosst_grid_best (none, &column, &row));
  g_assert_cmpuint (painted (none, WIDTH, HEIGHT), >, 20);
  painted (self, 1, 1);
  painted (self, 40, 1000);
}

static void
test_texts (void)
{
  g_autoptr (TosstGrid) self = six_cells ();
  g_autofree char *csv = tosst_grid_to_csv (self), *words = tosst_grid_describe (self);

  g_assert_cmpstr (csv, ==, "K / λ,0.001,0.01,0.1\n60,61,71,81\n20,60,70,\n");
  g_assert_cmpstr (words, ==, "Accuracy (%) over λ and K: 5 cells, the best 81 at λ 0.1, K 60");
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/grid/cells", test_cells);
  g_test_add_func ("/grid/drawing", test_drawing);
  g_test_add_func ("/grid/texts", test_texts);
  return g_test_run ();
}
