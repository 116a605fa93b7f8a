/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Charts: reading all curves at one x, a chosen range of both axes, colours that are bound to a series, the best point.
 */
#include "config.h"

#include <locale.h>
#include <math.h>

#include "core/plot/chart-private.h"

static const TosstChartStyle plain = { .font = "Sans", .font_size = 11.0 };

static cairo_surface_t *
draw (TosstChart *chart)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 600, 400);
  cairo_t *cr = cairo_create (surface);

  tosst_chart_draw (chart, cr, 600, 400, &plain);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  return surface;
}

static void
redraw (TosstChart *chart)
{
  cairo_surface_destroy (draw (chart));
}

/* y = x and y = 100 - x at 0, 1, ..., 10; and a curve that ends at 3. */
static TosstChart *
three_curves (void)
{
  TosstChart *chart = tosst_chart_new ("", "Iteration", "y");

  for (int s = 0; s < 3; s++)
    tosst_chart_add_series (chart, s == 0 ? "up" : s == 1 ? "down" : "short");
  for (int x = 0; x <= 10; x++)
    {
      tosst_chart_append (chart, 0, x, x);
      tosst_chart_append (chart, 1, x, x == 8 ? NAN : 100 - x);
      if (x <= 3)
        tosst_chart_append (chart, 2, x, 50);
    }
  return chart;
}

static double
pointer_at (TosstChart *chart, double x)
{
  return tosst_axis_position (&chart->x_axis, x);
}

static void
test_read (void)
{
  g_autoptr (TosstChart) chart = three_curves ();
  double x, y, x_at, y_at;

  g_assert_false (tosst_chart_read (chart, 0, 100, &x, &y, &x_at, &y_at)); /* not drawn yet */
  redraw (chart);
  g_assert_true (tosst_chart_read (chart, 0, pointer_at (chart, 6.2), &x, &y, &x_at, &y_at));
  g_assert_true (x == 6 && y == 6);
  g_assert_cmpfloat_with_epsilon (x_at, pointer_at (chart, 6), 1e-9);
  g_assert_true (tosst_chart_read (chart, 1, pointer_at (chart, 6.2), &x, &y, &x_at, &y_at));
  g_assert_true (x == 6 && y == 94);
  /* A value that cannot be drawn is passed over. */
  g_assert_true (tosst_chart_read (chart, 1, pointer_at (chart, 7.9), &x, &y, &x_at, &y_at));
  g_assert_cmpfloat (x, ==, 7);
  /* A curve that has ended is not read further on. */
  g_assert_true (tosst_chart_read (chart, 2, pointer_at (chart, 2.9), &x, &y, &x_at, &y_at));
  g_assert_false (tosst_chart_read (chart, 2, pointer_at (chart, 6), &x, &y, &x_at, &y_at));
  tosst_chart_set_series_visible (chart, 0, FALSE);
  g_assert_false (tosst_chart_read (chart, 0, pointer_at (chart, 6), &x, &y, &x_at, &y_at));
  g_autofree char *heading = tosst_chart_describe_x (chart, 6);
  g_assert_cmpstr (heading, ==, "Iteration 6");
}

static void
test_read_categories (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("", "Split", "y");
  const char *const names[] = { "one", "two" };
  double x, y, x_at, y_at;

  tosst_chart_set_categories (chart, names, 2);
  for (guint s = 0; s < 2; s++)
    {
      tosst_chart_add_series (chart, "");
      tosst_chart_append (chart, s, 0, 10 + s);
      tosst_chart_append (chart, s, 1, 20 + s);
    }
  redraw (chart);
  for (guint s = 0; s < 2; s++)
    {
      g_assert_true (tosst_chart_read (chart, s, pointer_at (chart, 0.6), &x, &y, &x_at, &y_at));
      g_assert_true (x == 1 && y == 20 + s);
    }
  g_autofree char *heading = tosst_chart_describe_x (chart, 1);
  g_assert_cmpstr (heading, ==, "two");
}

static void
test_y_range (void)
{
  g_autoptr (TosstChart) chart = three_curves ();
  double low, high, x, y, x_at, y_at;

  tosst_chart_set_y_range (chart, 20, 60);
  redraw (chart);
  g_assert_cmpfloat (chart->y_axis.low, ==, 20);
  g_assert_cmpfloat (chart->y_axis.high, ==, 60);
  g_assert_cmpfloat_with_epsilon (tosst_chart_y_at (chart, chart->y_axis.to), 60, 1e-9);
  /* What is cut off is not read. */
  g_assert_false (tosst_chart_read (chart, 0, pointer_at (chart, 6), &x, &y, &x_at, &y_at));
  g_assert_true (tosst_chart_read (chart, 2, pointer_at (chart, 2), &x, &y, &x_at, &y_at));
  tosst_chart_set_y_range (chart, 5, 5);
  tosst_chart_get_y_range (chart, &low, &high);
  g_assert_true (isnan (low) && isnan (high));
  redraw (chart);
  g_assert_cmpfloat (chart->y_axis.high, >=, 100);
  /* A logarithmic axis has no zero. */
  tosst_chart_set_y_range (chart, 0, 60);
  tosst_chart_set_logarithmic (chart, FALSE, TRUE);
  redraw (chart);
  g_assert_cmpfloat (chart->y_axis.low, >, 0);
}

static gboolean
has_color (cairo_surface_t *surface, guint color)
{
  TosstColor c = tosst_color_series (&plain, color);
  const guchar *pixels = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  gboolean found = FALSE;

  for (int i = 0; i < 400; i++)
    for (int j = 0; j < 600; j++)
      {
        guint32 pixel = ((const guint32 *)(const void *)(pixels + (gsize)i * stride))[j];

        found = found
                || (pixel >> 24 == 255 && (pixel >> 16 & 255) == (guint)lround (255 * c.r)
                    && (pixel >> 8 & 255) == (guint)lround (255 * c.g) && (pixel & 255) == (guint)lround (255 * c.b));
      }
  return found;
}

/* The colour of a series does not depend on its place in the chart. */
static void
test_color (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("", "", "");
  cairo_surface_t *surface;

  tosst_chart_add_series (chart, "");
  for (int x = 0; x < 5; x++)
    tosst_chart_append (chart, 0, x, x % 2);
  tosst_chart_set_series_color (chart, 0, 8 + 4);
  surface = draw (chart);
  g_assert_true (has_color (surface, 4));
  g_assert_false (has_color (surface, 0));
  cairo_surface_destroy (surface);
  g_autoptr (TosstChart) copy = tosst_chart_copy (chart);
  g_assert_cmpuint (tosst_chart_series_color (copy, 0), ==, 12);
  /* Another one of this colour is told apart. */
  tosst_chart_add_series (chart, "");
  tosst_chart_set_series_color (chart, 1, 4);
  g_assert_cmpuint (tosst_chart_twins (chart, 0), ==, 0);
  g_assert_cmpuint (tosst_chart_twins (chart, 1), ==, 1);
  tosst_chart_set_series_visible (chart, 0, FALSE);
  g_assert_cmpuint (tosst_chart_twins (chart, 1), ==, 0);
}

static void
test_best (void)
{
  g_autoptr (TosstChart) chart = three_curves ();
  guint series;
  double x, y;

  g_assert_false (tosst_chart_get_best (chart, &series, &x, &y));
  tosst_chart_set_best (chart, 1, TOSST_CHART_BEST_LOWEST);
  g_assert_true (tosst_chart_get_best (chart, &series, &x, &y));
  g_assert_true (series == 1 && x == 10 && y == 90);
  tosst_chart_set_best (chart, -1, TOSST_CHART_BEST_HIGHEST);
  g_assert_true (tosst_chart_get_best (chart, &series, &x, &y));
  g_assert_true (series == 1 && x == 0 && y == 100);
  tosst_chart_set_series_visible (chart, 1, FALSE);
  g_assert_true (tosst_chart_get_best (chart, &series, &x, &y));
  g_assert_true (series == 2 && y == 50);
  redraw (chart);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/read", test_read);
  g_test_add_func ("/chart/read-categories", test_read_categories);
  g_test_add_func ("/chart/y-range", test_y_range);
  g_test_add_func ("/chart/color", test_color);
  g_test_add_func ("/chart/best", test_best);
  return g_test_run ();
}
