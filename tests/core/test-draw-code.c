/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/plot/draw-code.h"

/* Slices, film strips and stems: positions of the drawing, and picking. */

static const TosstChartStyle style = { .font = "Sans", .font_size = 11 };

static GArray *
groups_of (TosstFeatureKind kind)
{
  TosstFeatureOptions options;

  tosst_feature_options_default (&options);
  options.kind = kind;
  return tosst_feature_groups (&options);
}

static void
test_groups (void)
{
  g_autoptr (GArray) rbf = groups_of (TOSST_FEATURES_RBF), linear = groups_of (TOSST_FEATURES_LINEAR);
  g_autofree char *third = tosst_feature_group_label (rbf, 17), *plain = tosst_feature_group_label (linear, 3);
  g_autofree char *none = tosst_feature_group_label (NULL, 3), *beyond = tosst_feature_group_label (linear, 99);

  g_assert_cmpuint (rbf->len, ==, 7);
  g_assert_cmpuint (linear->len, ==, 7);
  for (guint i = 0; i < rbf->len; i++)
    {
      g_assert_cmpint (g_array_index (rbf, TosstFeatureGroup, i).first, ==, 5 * (int)i);
      g_assert_cmpint (g_array_index (rbf, TosstFeatureGroup, i).count, ==, 5);
    }
  g_assert_cmpstr (third, ==, "I_x 3");
  g_assert_cmpstr (plain, ==, "I_x");
  g_assert_cmpstr (none, ==, "4");
  g_assert_cmpstr (beyond, ==, "100");
}

typedef struct
{
  cairo_surface_t *surface;
  cairo_t *cr;
} Canvas;

static Canvas
canvas_new (int width, int height)
{
  Canvas canvas = { cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height), NULL };

  canvas.cr = cairo_create (canvas.surface);
  cairo_set_source_rgb (canvas.cr, 1, 1, 1);
  cairo_paint (canvas.cr);
  return canvas;
}

static void
canvas_clear (Canvas *canvas)
{
  g_assert_cmpint (cairo_status (canvas->cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (canvas->cr);
  cairo_surface_destroy (canvas->surface);
}

static guint32
pixel_at (Canvas *canvas, double x, double y)
{
  cairo_surface_flush (canvas->surface);
  return ((guint32 *)(void *)(cairo_image_surface_get_data (canvas->surface)
                              + (gsize)y * cairo_image_surface_get_stride (canvas->surface)))[(int)x]
         & 0xffffff;
}

static double *
planes_new (int planes, int d)
{
  double *values = g_new0 (double, (gsize)planes *d *d);

  for (int i = 0; i < planes * d * d; i++)
    values[i] = sin (i) / 10;
  return values;
}

/* Picking returns every cell of every map, and each has the colour of its value. */
static void
test_slices (void)
{
  g_autoptr (GArray) groups = groups_of (TOSST_FEATURES_LINEAR);
  g_autofree double *values = planes_new (7, 7);
  TosstSlicesDrawing drawing = { { values, values, values }, 7, 7, 7, 2, groups };
  Canvas canvas = canvas_new (640, 260);
  int found[3][7][7] = { 0 };
  guint32 high = 0, low = 0;

  values[2 * 49 + 10] = 1; /* row 1, column 3 */
  values[2 * 49 + 11] = -1;
  tosst_draw_slices (canvas.cr, 640, 260, &style, &drawing);
  for (int y = 0; y < 260; y += 4)
    for (int x = 0; x < 640; x += 4)
      {
        int map, row, column;

        if (!tosst_slices_pick (640, 260, &style, &drawing, x, y, &map, &row, &column))
          continue;
        found[map][row][column]++;
        if (found[map][row][column] == 9 && row == 1 && column == 3)
          high = pixel_at (&canvas, x, y);
        if (found[map][row][column] == 9 && row == 1 && column == 4)
          low = pixel_at (&canvas, x, y);
      }
  for (int i = 0; i < 3 * 49; i++)
    g_assert_cmpint (((int *)found)[i], >=, 9);
  g_assert_cmpuint (high >> 16, >, high & 0xff); /* warm above zero, cold below */
  g_assert_cmpuint (low >> 16, <, low & 0xff);
  canvas_clear (&canvas);
}

static void
test_strip (void)
{
  g_autofree double *values = planes_new (30, 6);
  TosstStripDrawing drawing = { values, 30, 6, 6, 4 };
  Canvas canvas = canvas_new (560, 92);
  gboolean seen[30] = { FALSE };
  int columns = tosst_strip_columns (560, 92, &drawing);

  tosst_draw_strip (canvas.cr, 560, 92, &style, &drawing);
  g_assert_cmpint (columns, >, 1);
  for (int y = 0; y < 92; y++)
    for (int x = 0; x < 560; x++)
      {
        int plane = tosst_strip_pick (560, 92, &drawing, x, y);

        g_assert_cmpint (plane, <, 30);
        if (plane >= 0)
          seen[plane] = TRUE;
      }
  for (int i = 0; i < 30; i++)
    g_assert_true (seen[i]);
  canvas_clear (&canvas);

  /* Columns are as far from each other as lines, in any space. */
  for (int width = 300; width <= 1200; width += 300)
    {
      int n = tosst_strip_columns (width, 92, &drawing), x = 4, y = 4;

      g_assert_cmpint (n, <, 30);
      while (tosst_strip_pick (width, 92, &drawing, x, 4) != 1)
        x++;
      while (tosst_strip_pick (width, 92, &drawing, 4, y) != n)
        y++;
      g_assert_cmpint (x, ==, y);
    }
}

/* At the heights that drawings want, squares fill the width; in more they are no larger. */
static void
test_wanted_heights (void)
{
  g_autofree double *values = planes_new (35, 35);
  TosstStripDrawing strip = { values, 35, 35, 35, 0 };
  TosstSlicesDrawing slices = { { values, values, values }, 35, 35, 35, 0, NULL };

  for (int width = 300; width < 1200; width++)
    g_assert_cmpfloat (tosst_strip_height (width, &strip), <, tosst_strip_height (width + 1, &strip));
  for (int width = 300; width <= 1200; width += 300)
    {
      double height = tosst_strip_height (width, &strip);
      int n = tosst_strip_columns (width, height, &strip), map, row, column, taller = 0, most = 0;

      g_assert_cmpint (tosst_strip_pick (width, height, &strip, width - 6, 6), ==, n - 1);
      g_assert_cmpint (tosst_strip_pick (width, height, &strip, 6, height - 6) / n, ==, 34 / n);
      height = tosst_slices_height (width, &style, &slices);
      for (int x = 0; x < width; x++)
        {
          most += tosst_slices_pick (width, height, &style, &slices, x, height / 2, &map, &row, &column);
          taller += tosst_slices_pick (width, height + 200, &style, &slices, x, height / 2 + 100, &map, &row, &column);
        }
      g_assert_cmpint (most, >, 3 * 35);
      g_assert_cmpint (most, ==, taller);
    }
}

/* Picking returns the drawn head of a stem, and never zeros or values that are not finite. */
static void
test_stems (void)
{
  g_autofree double *code = g_new0 (double, 2000);
  TosstStemsDrawing drawing = { code, 2000, -1 };
  Canvas canvas = canvas_new (600, 200);
  double x = 0, y = 0, x_again, y_again;

  tosst_draw_stems (canvas.cr, 600, 200, &style, &drawing); /* no stem at all */
  g_assert_cmpint (tosst_stems_pick (600, 200, &style, &drawing, 300, 100, &x, &y), ==, -1);
  code[100] = 0.5;
  code[1500] = -0.25;
  code[700] = NAN;
  tosst_draw_stems (canvas.cr, 600, 200, &style, &drawing);
  g_assert_cmpint (tosst_stems_pick (600, 200, &style, &drawing, 80, 60, &x, &y), ==, 100);
  g_assert_cmpint (tosst_stems_pick (600, 200, &style, &drawing, x, y, &x_again, &y_again), ==, 100);
  g_assert_cmpfloat (x, ==, x_again);
  g_assert_cmpuint (pixel_at (&canvas, x, y), !=, 0xffffff);
  g_assert_cmpint (tosst_stems_pick (600, 200, &style, &drawing, 450, 150, &x, &y), ==, 1500);
  canvas_clear (&canvas);
}

static void
test_bars (void)
{
  g_autoptr (GArray) groups = groups_of (TOSST_FEATURES_LINEAR);
  static const double values[7] = { 0.1, 0.9, 0.2, -0.3, 0, NAN, 0.4 };
  TosstBarsDrawing drawing = { values, 7, groups }, none = { values, 0, NULL };
  Canvas canvas = canvas_new (300, 120);
  gboolean seen[7] = { FALSE };

  tosst_draw_bars (canvas.cr, 300, 120, &style, &drawing);
  tosst_draw_bars (canvas.cr, 300, 120, &style, &none);
  for (int x = 0; x < 300; x++)
    {
      int bar = tosst_bars_pick (300, 120, &style, &drawing, x, 60);

      g_assert_cmpint (bar, <, 7);
      if (bar >= 0)
        seen[bar] = TRUE;
    }
  for (int i = 0; i < 7; i++)
    g_assert_true (seen[i]);
  canvas_clear (&canvas);
}

/* Each entry is a square of one colour, and the largest one is stronger than zero. */
static void
test_pixels (void)
{
  static const double matrix[4] = { 1e-9, 0, 0, 1e-12 };
  guint32 pixels[36];

  tosst_atom_pixels (matrix, 2, 2, 3, FALSE, pixels);
  for (int i = 0; i < 36; i++)
    g_assert_cmpuint (pixels[i], ==, pixels[i / 18 * 18 + i % 6 / 3 * 3]);
  g_assert_cmpuint (pixels[0], !=, pixels[3]);
  g_assert_cmpuint (pixels[3], ==, pixels[18]);
}

static void
draw_atom (cairo_t *cr, double width, double height, const TosstChartStyle *page, gpointer data)
{
  tosst_draw_atom_sheet (cr, width, height, page, data);
}

static void
test_atom_sheet (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "a.svg", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GArray) groups = groups_of (TOSST_FEATURES_LINEAR);
  g_autofree double *values = planes_new (7, 7);
  TosstAtomSheet sheet = { { values, 7, 7, groups }, { values, 7, groups }, { values, 7, NULL },
                           { values, 7, 7, 7, -1 },  "Atom 1 of 2",         "rank 7" };
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_draw_save (draw_atom, &sheet, 700, 500, file, &error));
  g_assert_no_error (error);
  sheet.strip.planes = 1; /* a second-order atom has no slices to show */
  g_assert_true (tosst_draw_save (draw_atom, &sheet, 700, 500, file, &error));
  g_remove (path);
  g_rmdir (folder);
}

static void
draw_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *page, gpointer data)
{
  tosst_draw_code_sheet (cr, width, height, page, data);
}

/* The same in print as on the screen. */
static void
test_sheet (void)
{
  static const char *const names[] = { "sheet.svg", "sheet.pdf", "sheet.png" };
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autofree double *values = planes_new (7, 7), *code = g_new0 (double, 50);
  TosstCodeSheet sheet = { { { values, values, values }, 7, 7, 7, 0, NULL }, { code, 50, 3 }, "Patch", "λ = 1" };
  g_autoptr (GError) error = NULL;

  code[3] = 1;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL), *bytes = NULL;
      g_autoptr (GFile) file = g_file_new_for_path (path);
      gsize length;

      g_assert_true (tosst_draw_save (draw_sheet, &sheet, 700, 500, file, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
      g_assert_cmpuint (length, >, 1000);
      g_file_delete (file, NULL, NULL);
    }
  g_rmdir (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/draw-code/groups", test_groups);
  g_test_add_func ("/core/draw-code/slices", test_slices);
  g_test_add_func ("/core/draw-code/strip", test_strip);
  g_test_add_func ("/core/draw-code/wanted-heights", test_wanted_heights);
  g_test_add_func ("/core/draw-code/stems", test_stems);
  g_test_add_func ("/core/draw-code/sheet", test_sheet);
  g_test_add_func ("/core/draw-atom/bars", test_bars);
  g_test_add_func ("/core/draw-atom/pixels", test_pixels);
  g_test_add_func ("/core/draw-atom/sheet", test_atom_sheet);
  return g_test_run ();
}
