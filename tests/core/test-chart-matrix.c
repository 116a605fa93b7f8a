/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Colour maps, matrices and confusions as pixels.
 */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/plot/chart-private.h"
#include "core/plot/draw-code.h"

static const TosstChartStyle plain = { .font = "Sans", .font_size = 11.0 };

/* Lightness steps of a map are equal and monotonic. */
static void
test_color_maps (void)
{
  for (int dark = 0; dark < 2; dark++)
    for (int map = 0; map < 3; map++)
      {
        double least = INFINITY, most = 0.0;
        for (int i = 0; i < 40; i++)
          {
            double a = i / 40.0, b = (i + 1) / 40.0, step;
            step = map == 0 ? tosst_color_lightness (tosst_color_sequential (dark, b))
                                  - tosst_color_lightness (tosst_color_sequential (dark, a))
                   : map == 1 ? tosst_color_lightness (tosst_color_diverging (dark, b))
                                    - tosst_color_lightness (tosst_color_diverging (dark, a))
                              : tosst_color_lightness (tosst_color_diverging (dark, -b))
                                    - tosst_color_lightness (tosst_color_diverging (dark, -a));
            step = dark ? step : -step;
            least = MIN (least, step);
            most = MAX (most, step);
          }
        g_assert_cmpfloat (least, >, 0.008);
        g_assert_cmpfloat (most, <, 2.0 * least);
      }
}

static void
test_atom_pixels (void)
{
  const double positive[] = { 1.0, 0.25, 0.25, 0.0 }, mixed[] = { 1.0, -1.0, -1.0, NAN }, nothing[4] = { 0 };
  guint32 pixels[4], others[4], large[16];

  tosst_atom_pixels (positive, 2, 2, 1, FALSE, pixels);
  g_assert_cmpuint (pixels[1], ==, pixels[2]);
  g_assert_cmpuint (pixels[0], !=, pixels[1]);
  g_assert_cmpuint (pixels[3], !=, pixels[1]);
  for (int i = 0; i < 4; i++)
    g_assert_cmpuint (pixels[i] >> 24, ==, 255);
  tosst_atom_pixels (mixed, 2, 2, 1, FALSE, others);
  g_assert_cmpuint (others[0], !=, others[1]);
  g_assert_cmpuint (others[0], ==, pixels[0]); /* one scale, whether anything is negative or not */
  /* NaN has its own colour; a matrix of zeros is drawn. */
  g_assert_true (others[3] != others[0] && others[3] != others[1]);
  tosst_atom_pixels (nothing, 2, 2, 1, TRUE, others);
  g_assert_cmpuint (others[0], ==, others[3]);
  tosst_atom_pixels (positive, 2, 2, 2, FALSE, large);
  for (int i = 0; i < 16; i++)
    g_assert_cmpuint (large[i], ==, pixels[i / 8 * 2 + i % 4 / 2]);
}

static guint32
pixel_at (cairo_surface_t *surface, double x, double y)
{
  cairo_surface_flush (surface);
  return *(guint32 *)(void *)(cairo_image_surface_get_data (surface) + (int)y * cairo_image_surface_get_stride (surface)
                              + 4 * (int)x)
         & 0xffffff;
}

/* Picking returns every drawn cell, and a single confusion is visible. */
static void
check_confusion (guint classes, double width, double height)
{
  g_autofree int *counts = g_new0 (int, classes *classes);
  g_auto (GStrv) names = g_new0 (char *, classes + 1);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int)width, (int)height);
  cairo_t *cr = cairo_create (surface);
  double middle_x = 0.0, middle_y = 0.0;
  g_autofree char *seen = g_new0 (char, classes *classes);
  guint row, column, cells = 0, found = 0;

  for (guint i = 0; i < classes; i++)
    {
      names[i] = g_strdup_printf ("class %u", i);
      counts[i * classes + i] = 25;
    }
  counts[classes - 1] = 1;
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  tosst_draw_confusion (cr, width, height, &plain, counts, classes, (const char *const *)names);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  for (double y = 0.5; y < height; y += 5)
    for (double x = 0.5; x < width; x += 5)
      if (tosst_confusion_pick (width, height, &plain, classes, (const char *const *)names, x, y, &row, &column))
        {
          cells += !seen[row * classes + column];
          seen[row * classes + column] = TRUE;
          if (row == 0 && column == classes - 1)
            {
              middle_x += x;
              middle_y += y;
              found++;
            }
        }
  g_assert_cmpuint (cells, ==, classes * classes);
  g_assert_cmpuint (found, >, 0);
  g_assert_cmpuint (pixel_at (surface, middle_x / found, middle_y / found), !=, 0xffffff);
  g_assert_false (
      tosst_confusion_pick (width, height, &plain, classes, (const char *const *)names, 1, 1, &row, &column));
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static void
test_confusion (void)
{
  check_confusion (1, 200, 150);
  check_confusion (12, 320, 260);
}

/* Lightness of a cell beside its number. */
static double
cell_lightness (cairo_surface_t *surface, guint row, guint column)
{
  double x, y, side;
  guint32 pixel;

  tosst_confusion_cell (320, 260, &plain, 2, NULL, row, column, &x, &y, &side);
  pixel = pixel_at (surface, x + 4, y + 4);
  return tosst_color_lightness (
      (TosstColor){ (pixel >> 16) / 255.0, (pixel >> 8 & 0xff) / 255.0, (pixel & 0xff) / 255.0 });
}

/* One scale, in per cent of the row: few errors are pale beside many correct decisions, however small all errors. */
static void
test_confusion_scale (void)
{
  static const int counts[] = { 121, 1, 5, 117 }, half[] = { 61, 61, 500, 500 };
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 320, 260);
  cairo_t *cr = cairo_create (surface);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  tosst_draw_confusion (cr, 320, 260, &plain, counts, 2, NULL);
  g_assert_cmpfloat (cell_lightness (surface, 1, 0), >, cell_lightness (surface, 0, 0) + 0.3);
  g_assert_cmpfloat (cell_lightness (surface, 0, 1), >, cell_lightness (surface, 1, 0));
  g_assert_cmpfloat (cell_lightness (surface, 0, 1), <, 0.9); /* visible */
  tosst_draw_confusion (cr, 320, 260, &plain, half, 2, NULL);
  for (guint i = 1; i < 4; i++)
    g_assert_cmpfloat (fabs (cell_lightness (surface, i / 2, i % 2) - cell_lightness (surface, 0, 0)), <, 0.02);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static void
test_draw_matrix (void)
{
  const double matrix[] = { 2.0, -1.0, 0.5, -1.0, 1.0, 0.0, 0.5, 0.0, NAN };
  static const double sizes[][2] = { { 1, 1 }, { 48, 48 }, { 400, 300 } };
  const TosstMatrixDrawing drawing = { matrix, 3, 3 };
  gboolean seen[9] = { FALSE };
  guint32 cells[9];

  tosst_atom_pixels (matrix, 3, 3, 1, FALSE, cells);

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int)sizes[i][0], (int)sizes[i][1]);
      cairo_t *cr = cairo_create (surface);
      tosst_draw_named_matrix (cr, sizes[i][0], sizes[i][1], &plain, &drawing);
      g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
      /* The colour of a cell is that of its entry. */
      for (int y = 0, row, column; i == 2 && y < 300; y += 9)
        for (int x = 0; x < 400; x += 9)
          if (tosst_named_matrix_pick (400, 300, &plain, &drawing, x + 0.5, y + 0.5, &row, &column))
            {
              seen[row * 3 + column] = TRUE;
              g_assert_cmpuint (pixel_at (surface, x, y), ==, cells[row * 3 + column] & 0xffffff);
            }
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
  for (int i = 0; i < 9; i++)
    g_assert_true (seen[i]);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/color-maps", test_color_maps);
  g_test_add_func ("/chart/atom-pixels", test_atom_pixels);
  g_test_add_func ("/chart/confusion", test_confusion);
  g_test_add_func ("/chart/confusion-scale", test_confusion_scale);
  g_test_add_func ("/chart/draw-matrix", test_draw_matrix);
  return g_test_run ();
}
