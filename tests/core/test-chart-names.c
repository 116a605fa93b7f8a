/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Charts whose x are names: points side by side that no line joins; and error bars of several curves at one x.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/plot/chart-private.h"

static const TosstChartStyle plain = { .font = "Sans", .font_size = 11.0 };
static const char *const names[] = { "(i)", "(ii)", "(iii)", "a name that is much too long for its place" };

static TosstChart *
named_chart (void)
{
  TosstChart *chart = tosst_chart_new ("Accuracy", "Variant", "%");
  guint ours = tosst_chart_add_series (chart, "ours"), paper = tosst_chart_add_series (chart, "paper");

  tosst_chart_set_categories (chart, names, G_N_ELEMENTS (names));
  /* Appended out of order and incomplete. */
  for (int i = 3; i >= 0; i--)
    tosst_chart_append_error (chart, ours, i, 10 * i, i == 2 ? NAN : 0.5);
  tosst_chart_append_error (chart, paper, 0, 15, 0.25);
  tosst_chart_append (chart, paper, 2, NAN);
  tosst_chart_append (chart, paper, 3, 12);
  return chart;
}

static cairo_surface_t *
draw (TosstChart *chart, int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (surface);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  tosst_chart_draw (chart, cr, width, height, &plain);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

/* Pixels of about a series' colour in a column. */
static guint
coloured (cairo_surface_t *surface, guint series, int x, double top, double bottom)
{
  TosstColor color = tosst_color_series (&plain, series);
  guint found = 0;

  for (int y = (int)top; y < (int)bottom; y++)
    {
      guint32 pixel = ((guint32 *)(void *)(cairo_image_surface_get_data (surface)
                                           + y * cairo_image_surface_get_stride (surface)))[x];
      found += fabs ((pixel >> 16 & 255) / 255.0 - color.r) + fabs ((pixel >> 8 & 255) / 255.0 - color.g)
                   + fabs ((pixel & 255) / 255.0 - color.b)
               < 0.75;
    }
  return found;
}

/* The points of different names are separated by empty columns. */
static void
test_no_line (void)
{
  g_autoptr (TosstChart) chart = named_chart ();
  cairo_surface_t *surface = draw (chart, 640, 400);
  double left, top, width, height;

  tosst_chart_plot_area (chart, &left, &top, &width, &height);
  g_assert_cmpfloat (chart->x_axis.low, ==, -0.5);
  g_assert_cmpfloat (chart->x_axis.high, ==, 3.5);
  for (guint border = 1; border < 4; border++)
    {
      int x = (int)tosst_axis_position (&chart->x_axis, border - 0.5);

      for (guint series = 0; series < 2; series++)
        for (int near = -8; near <= 8; near++)
          g_assert_cmpuint (coloured (surface, series, x + near, top, top + height), ==, 0);
    }
  cairo_surface_destroy (surface);
}

/* Each point is drawn in its colour at the picked position, nearer to the other of its name than to another name. */
static void
test_pick (void)
{
  g_autoptr (TosstChart) chart = named_chart ();
  cairo_surface_t *surface = draw (chart, 640, 400);
  double first, second, x, y, x_at, y_at;
  guint series;

  for (guint i = 0; i < 2; i++)
    {
      double px = tosst_axis_position (&chart->x_axis, 0) + tosst_chart_shift (chart, i);
      double py = tosst_axis_position (&chart->y_axis, i ? 15 : 0);

      g_assert_true (tosst_chart_pick (chart, px + 2, py - 2, &series, &x, &y, &x_at, &y_at));
      g_assert_cmpuint (series, ==, i);
      g_assert_cmpfloat (x, ==, 0);
      g_assert_cmpfloat (y, ==, i ? 15 : 0);
      g_assert_cmpfloat_with_epsilon (x_at, px, 1e-9);
      g_assert_cmpuint (coloured (surface, i, (int)x_at, y_at - 4, y_at + 4), >=, 3);
    }
  first = tosst_chart_shift (chart, 0);
  second = tosst_chart_shift (chart, 1);
  g_assert_cmpfloat_with_epsilon (first, -second, 1e-9);
  g_assert_cmpfloat (second - first, >, 20);
  g_assert_cmpfloat (2 * (second - first), <,
                     tosst_axis_position (&chart->x_axis, 1) - tosst_axis_position (&chart->x_axis, 0));
  /* A single point is centred over its name. */
  tosst_chart_set_series_visible (chart, 1, FALSE);
  cairo_surface_destroy (surface);
  surface = draw (chart, 640, 400);
  g_assert_cmpfloat (tosst_chart_shift (chart, 0), ==, 0);
  cairo_surface_destroy (surface);
}

static void
test_words (void)
{
  g_autoptr (TosstChart) chart = named_chart (), copy = tosst_chart_copy (chart);
  g_autofree char *words = NULL, *csv = NULL, *point = NULL, *bare = NULL;
  g_auto (GStrv) lines = NULL;

  tosst_chart_free (g_steal_pointer (&chart));
  words = tosst_chart_describe (copy);
  g_assert_nonnull (strstr (words, "Accuracy over Variant: ours: (i) 0 ± 0.5, (ii) 10 ± 0.5, (iii) 20, a name"));
  g_assert_nonnull (strstr (words, "paper: (i) 15 ± 0.25, (iii) NaN"));
  point = tosst_chart_describe_point (copy, 1, 0, 15);
  g_assert_cmpstr (point, ==, "paper, (i): 15 ± 0.25");
  tosst_chart_set_categories (copy, NULL, 0);
  bare = tosst_chart_describe_point (copy, 0, 2, 20);
  g_assert_cmpstr (bare, ==, "ours, 2: 20");
  tosst_chart_set_categories (copy, names, 3);
  csv = tosst_chart_to_csv (copy);
  lines = g_strsplit (csv, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "Variant,ours,ours deviation,paper,paper deviation");
  g_assert_cmpstr (lines[1], ==, "(i),0,0.5,15,0.25");
  g_assert_cmpstr (lines[2], ==, "(ii),10,0.5,,");
  g_assert_cmpstr (lines[3], ==, "(iii),20,,nan,");
}

static void
test_sizes (void)
{
  static const int sizes[][2] = { { 1, 1 }, { 3, 400 }, { 400, 3 }, { 90, 60 }, { 3000, 90 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (TosstChart) chart = named_chart (), empty = tosst_chart_new ("", "", "");

      tosst_chart_set_categories (empty, names, 0);
      cairo_surface_destroy (draw (chart, sizes[i][0], sizes[i][1]));
      cairo_surface_destroy (draw (empty, sizes[i][0], sizes[i][1]));
      /* Zoomed in, and with all names. */
      tosst_chart_set_x_range (chart, 0.9, 1.1);
      cairo_surface_destroy (draw (chart, sizes[i][0], sizes[i][1]));
      tosst_chart_set_x_range (chart, 7, 9);
      cairo_surface_destroy (draw (chart, sizes[i][0], sizes[i][1]));
    }
}

/* Each name has points of one series, which are centred over it. */
static void
test_alone (void)
{
  static const char *const methods[] = { "first", "second", "third" };
  g_autoptr (TosstChart) chart = tosst_chart_new ("", "", "");

  tosst_chart_set_categories (chart, methods, 3);
  for (guint s = 0; s < 3; s++)
    tosst_chart_append_error (chart, tosst_chart_add_series (chart, methods[s]), s, 10 * s, 2);
  cairo_surface_destroy (draw (chart, 640, 400));
  for (guint s = 0; s < 3; s++)
    g_assert_cmpfloat (tosst_chart_shift (chart, s), ==, 0);
}

/* Bars of several curves at one x are separated, inside the plot; with many points none is shifted. */
static void
test_bars (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("", "", "");
  cairo_surface_t *surface;
  double left, step;

  for (guint s = 0; s < 3; s++)
    for (guint i = 0; i < 4; i++)
      tosst_chart_append_error (chart, s < tosst_chart_visible (chart) ? s : tosst_chart_add_series (chart, "s"), i,
                                10 * i, 8 - 2 * (double)s);
  surface = draw (chart, 640, 400);
  step = tosst_chart_shift (chart, 2) - tosst_chart_shift (chart, 1);
  g_assert_cmpfloat (step, >=, 4);
  g_assert_cmpfloat_with_epsilon (tosst_chart_shift (chart, 1), 0, 1e-9);
  left = tosst_axis_position (&chart->x_axis, 0) + tosst_chart_shift (chart, 0);
  /* A bar between two columns colours both of them by half. */
  g_assert_cmpuint (
      coloured (surface, 0, (int)round (left) - 1, 0, 390) + coloured (surface, 0, (int)round (left), 0, 390), >=, 20);
  cairo_surface_destroy (surface);
  for (guint i = 0; i < 1000; i++)
    tosst_chart_append_error (chart, 0, i * 0.001, 1, 0.1);
  cairo_surface_destroy (draw (chart, 640, 400));
  g_assert_cmpfloat (tosst_chart_shift (chart, 2), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart-names/no-line", test_no_line);
  g_test_add_func ("/chart-names/pick", test_pick);
  g_test_add_func ("/chart-names/alone", test_alone);
  g_test_add_func ("/chart-names/words", test_words);
  g_test_add_func ("/chart-names/sizes", test_sizes);
  g_test_add_func ("/chart-names/bars", test_bars);
  return g_test_run ();
}
