/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parallel coordinates: what is drawn is found again under the pointer, brushes keep what they say, and what cannot be
 * shown harms nothing.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/plot/draw-parallel.h"

#define WIDTH 600
#define HEIGHT 300

static const TosstChartStyle style = { .font = "Sans", .font_size = 12 };

/* lambda (logarithmic), scheme (names), accuracy. */
static TosstParallel *
three_axes (void)
{
  static const char *const schemes[] = { "psd", "low-rank", NULL };
  TosstParallel *self = tosst_parallel_new ();

  tosst_parallel_add_axis (self, "λ", TRUE, NULL);
  tosst_parallel_add_axis (self, "scheme", FALSE, schemes);
  tosst_parallel_add_axis (self, "accuracy", FALSE, NULL);
  tosst_parallel_append (self, (double[]){ 1e-4, 0, 60 });
  tosst_parallel_append (self, (double[]){ 1e-2, 1, 90 });
  tosst_parallel_append (self, (double[]){ 1e-1, 0, NAN });
  tosst_parallel_append (self, (double[]){ 1e-1, 1, 75 });
  return self;
}

static guint
painted (const TosstParallel *self, int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);
  guint n = 0;

  tosst_draw_parallel (cr, width, height, &style, self);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  for (int y = 0; y < height; y++)
    {
      const guint32 *row
          = (const guint32 *)(cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface));
      for (int x = 0; x < width; x++)
        n += row[x] >> 24 > 0;
    }
  cairo_surface_destroy (surface);
  return n;
}

/* A point of each line, away from crossings, picks that line. */
static void
test_pick (void)
{
  g_autoptr (TosstParallel) self = three_axes ();
  guint line = 99, axis = 99;
  double x, y, x1, y1, value;

  for (guint i = 0; i < tosst_parallel_lines (self); i++)
    {
      tosst_parallel_place (self, WIDTH, HEIGHT, &style, 1, tosst_parallel_value (self, i, 1), &x, &y);
      tosst_parallel_place (self, WIDTH, HEIGHT, &style, 2, tosst_parallel_value (self, i, 2), &x1, &y1);
      g_assert_true (tosst_parallel_pick (self, WIDTH, HEIGHT, &style, 0.1 * x + 0.9 * x1, 0.1 * y + 0.9 * y1, &line));
      g_assert_cmpuint (line, ==, i);
    }
  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 0, 1e-2, &x, &y);
  g_assert_true (tosst_parallel_value_at (self, WIDTH, HEIGHT, &style, x + 3, y, &axis, &value));
  g_assert_cmpuint (axis, ==, 0);
  g_assert_cmpfloat_with_epsilon (value, 1e-2, 1e-9);
  g_assert_false (tosst_parallel_value_at (self, WIDTH, HEIGHT, &style, x + 80, y, &axis, &value));
  g_assert_false (tosst_parallel_pick (self, WIDTH, HEIGHT, &style, 1, 1, &line));
}

/* Larger values are drawn higher, and a missing value below all. */
static void
test_places (void)
{
  g_autoptr (TosstParallel) self = three_axes ();
  double x, low, high, none;

  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 2, 60, &x, &low);
  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 2, 90, &x, &high);
  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 2, NAN, &x, &none);
  g_assert_cmpfloat (high, <, low);
  g_assert_cmpfloat (low, <, none);
  g_assert_cmpfloat (none, <, HEIGHT);
}

static void
test_brush (void)
{
  g_autoptr (TosstParallel) self = three_axes (), copy = NULL;
  double low, high;
  guint line;
  g_autofree char *words = NULL;

  tosst_parallel_set_brush (self, 0, 1e-1, 1e-3); /* in either direction */
  tosst_parallel_get_brush (self, 0, &low, &high);
  g_assert_cmpfloat (low, ==, 1e-3);
  g_assert_cmpfloat (high, ==, 1e-1);
  tosst_parallel_set_brush (self, 2, 70, 100);
  copy = tosst_parallel_copy (self);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpint (tosst_parallel_passes (self, i), ==, i == 1 || i == 3);
      g_assert_cmpint (tosst_parallel_passes (copy, i), ==, tosst_parallel_passes (self, i));
    }
  /* Faded lines are not picked. */
  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 0, 1e-4, &low, &high);
  g_assert_false (tosst_parallel_pick (self, WIDTH, HEIGHT, &style, low, high, &line));
  words = tosst_parallel_describe (self);
  g_assert_nonnull (strstr (words, "2 of them"));
  g_assert_nonnull (strstr (words, "low-rank"));
  g_assert_nonnull (strstr (words, "90"));
  tosst_parallel_set_brush (self, 0, NAN, NAN);
  tosst_parallel_set_brush (self, 2, NAN, NAN);
  g_assert_true (tosst_parallel_passes (self, 0) && tosst_parallel_passes (self, 2));
}

static void
test_drawing (void)
{
  g_autoptr (TosstParallel) self = three_axes (), empty = tosst_parallel_new (), alone = tosst_parallel_new ();
  guint before = painted (self, WIDTH, HEIGHT);

  g_assert_cmpuint (before, >, 1000);
  tosst_parallel_set_chosen (self, 1);
  g_assert_cmpuint (painted (self, WIDTH, HEIGHT), >, before);
  g_assert_cmpuint (painted (empty, WIDTH, HEIGHT), ==, 0);
  tosst_parallel_add_axis (alone, "accuracy", FALSE, NULL);
  g_assert_cmpuint (painted (alone, WIDTH, HEIGHT), >, 0);
  tosst_parallel_append (alone, (double[]){ NAN });
  tosst_parallel_append (alone, (double[]){ INFINITY });
  painted (alone, WIDTH, HEIGHT);
  painted (self, 10, 10);
  painted (self, 1, 1);
}

static void
draw (cairo_t *cr, double width, double height, const TosstChartStyle *look, gpointer data)
{
  tosst_draw_parallel (cr, width, height, look, data);
}

/* The same drawing is written to files. */
static void
test_files (void)
{
  static const struct
  {
    const char *name, *begin;
  } files[] = { { "p.svg", "<?xml" }, { "p.pdf", "%PDF" }, { "p.png", "\211PNG" } };
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autoptr (TosstParallel) self = three_axes ();

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL), *content = NULL;
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (GError) error = NULL;
      gsize length;

      tosst_draw_save (draw, self, WIDTH, HEIGHT, file, &error);
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (path, &content, &length, NULL));
      g_assert_true (g_str_has_prefix (content, files[i].begin));
      g_file_delete (file, NULL, NULL);
    }
  g_rmdir (folder);
}

/* A flipped axis has small values at the top, moved ones their new place; lines are found there. */
static void
test_flip_and_move (void)
{
  g_autoptr (TosstParallel) self = three_axes ();
  double x, y, x1, y1, value;
  guint axis = 99, line = 99;

  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 0, 1e-4, &x, &y);
  tosst_parallel_flip (self, 0);
  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 0, 1e-4, &x1, &y1);
  g_assert_true (x1 == x && y1 < y);
  tosst_parallel_move (self, 0, 2);
  g_assert_cmpuint (tosst_parallel_get_place (self, 0), ==, 2);
  g_assert_cmpuint (tosst_parallel_get_place (self, 1), ==, 0);
  g_assert_cmpuint (tosst_parallel_get_place (self, 2), ==, 1);
  tosst_parallel_place (self, WIDTH, HEIGHT, &style, 0, 1e-2, &x, &y);
  g_assert_true (tosst_parallel_value_at (self, WIDTH, HEIGHT, &style, x, y, &axis, &value));
  g_assert_cmpuint (axis, ==, 0);
  g_assert_cmpfloat_with_epsilon (value, 1e-2, 1e-9);
  g_assert_true (tosst_parallel_axis_at (self, WIDTH, HEIGHT, &style, 10, &axis));
  g_assert_cmpuint (axis, ==, 1);
  g_autoptr (TosstParallel) copy = tosst_parallel_copy (self);
  g_assert_true (tosst_parallel_is_flipped (copy, 0));
  for (guint i = 0; i < 2; i++)
    {
      tosst_parallel_place (copy, WIDTH, HEIGHT, &style, 2, tosst_parallel_value (copy, i, 2), &x, &y);
      tosst_parallel_place (copy, WIDTH, HEIGHT, &style, 0, tosst_parallel_value (copy, i, 0), &x1, &y1);
      g_assert_true (tosst_parallel_pick (copy, WIDTH, HEIGHT, &style, 0.9 * x + 0.1 * x1, 0.9 * y + 0.1 * y1, &line));
      g_assert_cmpuint (line, ==, i);
    }
  g_assert_cmpuint (painted (copy, WIDTH, HEIGHT), >, 500);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/draw-parallel/pick", test_pick);
  g_test_add_func ("/draw-parallel/places", test_places);
  g_test_add_func ("/draw-parallel/brush", test_brush);
  g_test_add_func ("/draw-parallel/drawing", test_drawing);
  g_test_add_func ("/draw-parallel/files", test_files);
  g_test_add_func ("/draw-parallel/flip-and-move", test_flip_and_move);
  return g_test_run ();
}
