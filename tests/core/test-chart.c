/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Charts: what is drawn of curves, found under the pointer, said in words and saved.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/plot/chart-private.h"

static const TosstChartStyle plain = { .font = "Sans", .font_size = 11.0 };

static void
test_positions (void)
{
  const TosstAxis axes[] = { { -3, 9, FALSE, 40, 640 }, { 1e-4, 1e3, TRUE, 480, 20 } };

  for (gsize i = 0; i < G_N_ELEMENTS (axes); i++)
    {
      g_assert_cmpfloat_with_epsilon (tosst_axis_position (&axes[i], axes[i].low), axes[i].from, 1e-9);
      g_assert_cmpfloat_with_epsilon (tosst_axis_position (&axes[i], axes[i].high), axes[i].to, 1e-9);
      for (double p = 50; p < 450; p += 37)
        g_assert_cmpfloat_with_epsilon (tosst_axis_position (&axes[i], tosst_axis_value (&axes[i], p)), p, 1e-6);
    }
  g_assert_false (tosst_axis_can_show (&axes[1], 0.0));
  g_assert_false (tosst_axis_can_show (&axes[1], -1.0));
  g_assert_false (tosst_axis_can_show (&axes[0], NAN));
  g_assert_false (tosst_axis_can_show (&axes[0], INFINITY));
  g_assert_true (tosst_axis_can_show (&axes[0], -1.0));
}

static void
draw (TosstChart *chart, double width, double height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int)width, (int)height);
  cairo_t *cr = cairo_create (surface);

  tosst_chart_draw (chart, cr, width, height, &plain);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static gboolean
columns_have (GArray *columns, double value)
{
  for (guint i = 0; i < columns->len; i++)
    {
      const TosstColumn *column = &g_array_index (columns, TosstColumn, i);
      if (!column->empty && column->low <= value && column->high >= value)
        return TRUE;
    }
  return FALSE;
}

/* Single outliers among 100,000 points survive in their own pixel column; columns touch their neighbours. */
static void
test_decimation (void)
{
  for (int logarithmic = 0; logarithmic < 2; logarithmic++)
    {
      g_autoptr (TosstChart) chart = tosst_chart_new ("", "", "");
      guint s = tosst_chart_add_series (chart, "noise");
      const TosstSeries *series = g_ptr_array_index (chart->series, s);
      TosstAxis x = { 1, 100000, logarithmic, 0, 700 }, y = { 0.001, 1000, logarithmic, 400, 0 };
      g_autoptr (GArray) columns = NULL;
      GRand *random = g_rand_new_with_seed (4);

      for (int i = 1; i <= 100000; i++)
        tosst_chart_append (chart, s, i,
                            i == 31415  ? 900.0
                            : i == 4242 ? 0.002
                            : i == 777  ? NAN
                                        : g_rand_double_range (random, 1.0, 2.0));
      columns = tosst_series_columns (series, 0, 100000, &x, &y);
      g_assert_cmpuint (columns->len, ==, 700);
      for (int i = 0; i < 2; i++)
        {
          int at = i == 0 ? 31415 : 4242;
          guint column = (guint)floor (tosst_axis_position (&x, at));
          const TosstColumn *c = &g_array_index (columns, TosstColumn, column);
          g_assert_false (c->empty);
          g_assert_cmpfloat (i == 0 ? c->high : c->low, ==, i == 0 ? 900.0 : 0.002);
        }
      g_assert_false (columns_have (columns, 950.0));
      g_assert_false (columns_have (columns, 0.0015));
      for (guint i = 1; i < columns->len; i++)
        {
          const TosstColumn *a = &g_array_index (columns, TosstColumn, i - 1), *b = a + 1;
          if (!a->empty && !b->empty)
            g_assert_true (a->low <= b->high && b->low <= a->high);
        }
      g_rand_free (random);
    }
}

/* A line joins distant points through all columns, except across a NaN. */
static void
test_bridges (void)
{
  for (int logarithmic = 0; logarithmic < 2; logarithmic++)
    {
      g_autoptr (TosstChart) chart = tosst_chart_new ("", "", "");
      guint s = tosst_chart_add_series (chart, "few");
      TosstAxis x = { 0, 100, FALSE, 0, 100 }, y = { 1, 100, logarithmic, 400, 0 };
      const double points[][2] = { { 10.5, 1 }, { 50.5, 100 }, { 60, NAN }, { 70.5, 4 } };

      for (guint i = 0; i < G_N_ELEMENTS (points); i++)
        tosst_chart_append (chart, s, points[i][0], points[i][1]);
      g_autoptr (GArray) columns = tosst_series_columns (g_ptr_array_index (chart->series, s), 0, 4, &x, &y);
      for (guint c = 0; c < columns->len; c++)
        {
          const TosstColumn *column = &g_array_index (columns, TosstColumn, c);
          double part = (c - 10.0) / 40.0, expected = logarithmic ? pow (100, part) : 1 + 99 * part;

          g_assert_cmpint (column->empty, ==, c < 10 || (c > 50 && c != 70));
          if (c >= 10 && c <= 50)
            g_assert_true (column->low <= expected * (1 + 1e-9) && column->high >= expected * (1 - 1e-9));
          if (c > 10 && c <= 50)
            g_assert_cmpfloat (column[-1].high, >=, column->low * (1 - 1e-9));
        }
    }
}

static void
test_nan_survives (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("t", "x", "y");
  guint s = tosst_chart_add_series (chart, "a");
  double low, high, x, y, w, h, px, py, vx, vy;
  guint picked;

  for (int i = 0; i < 20; i++)
    tosst_chart_append (chart, s, i, i == 5 ? NAN : i == 6 ? INFINITY : i == 7 ? -INFINITY : i);
  tosst_chart_append (chart, s, NAN, 3.0);
  tosst_chart_append (chart, s, 4.5, 1000.0);
  draw (chart, 500, 300);
  tosst_chart_y_extent (chart, -INFINITY, INFINITY, &low, &high);
  g_assert_cmpfloat (low, ==, 0.0);
  g_assert_cmpfloat (high, ==, 1000.0);
  tosst_chart_x_extent (chart, &low, &high);
  g_assert_cmpfloat (low, ==, 0.0);
  g_assert_cmpfloat (high, ==, 19.0);
  g_assert_cmpfloat (chart->x_axis.low, <=, 0.0);
  g_assert_cmpfloat (chart->x_axis.high, >=, 19.0);
  g_assert_true (isfinite (chart->y_axis.low) && isfinite (chart->y_axis.high));
  tosst_chart_plot_area (chart, &x, &y, &w, &h);
  g_assert_true (w > 300 && h > 150);
  /* Picking never returns a point that is not drawn. */
  for (px = 0; px < 500; px += 7)
    for (py = 0; py < 300; py += 7)
      if (tosst_chart_pick (chart, px, py, &picked, &vx, &vy, &w, &h))
        g_assert_true (isfinite (vx) && isfinite (vy));
}

/* The mark of a NaN is a column of coloured pixels on the axis at its x. */
static void
test_nan_mark (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (NULL, NULL, NULL);
  guint s = tosst_chart_add_series (chart, NULL), marked = 0, elsewhere = 0;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 400, 200);
  cairo_t *cr = cairo_create (surface);
  TosstColor color = tosst_color_series (&plain, 0);

  for (int i = 0; i <= 10; i++)
    tosst_chart_append (chart, s, i, i == 4 ? NAN : 50.0 + 10 * (i % 2));
  tosst_chart_append (chart, s, 0, 0);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  tosst_chart_draw (chart, cr, 400, 200, &plain);
  cairo_surface_flush (surface);
  for (int x = 0; x < 400; x++)
    {
      int y = (int)chart->y_axis.from - 3;
      guint32 pixel = ((guint32 *)(void *)(cairo_image_surface_get_data (surface)
                                           + y * cairo_image_surface_get_stride (surface)))[x];
      double at = tosst_axis_value (&chart->x_axis, x);
      gboolean coloured = fabs ((pixel >> 16 & 255) / 255.0 - color.r) + fabs ((pixel & 255) / 255.0 - color.b) < 0.3;
      marked += coloured && fabs (at - 4) < 0.15;
      elsewhere += coloured && at > 1.0 && fabs (at - 4) > 0.2;
    }
  g_assert_cmpuint (marked, >=, 1);
  g_assert_cmpuint (elsewhere, ==, 0);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static void
test_logarithmic (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("t", "x", "y");
  guint s = tosst_chart_add_series (chart, "a");

  for (int i = -3; i < 20; i++)
    tosst_chart_append_error (chart, s, i, i % 5 == 0 ? -1.0 : pow (10, -i), 0.5);
  tosst_chart_set_logarithmic (chart, TRUE, TRUE);
  draw (chart, 500, 300);
  g_assert_cmpfloat (chart->x_axis.low, >, 0.0);
  g_assert_cmpfloat (chart->x_axis.low, <=, 1.0);
  g_assert_cmpfloat (chart->x_axis.high, >=, 19.0);
  g_assert_cmpfloat (chart->y_axis.low, >, 0.0);
  g_assert_cmpfloat (chart->y_axis.low, <=, 1e-19);

  /* Without positive values there is still a picture. */
  tosst_chart_clear (chart);
  g_assert_cmpuint (tosst_chart_points (chart, s), ==, 0);
  tosst_chart_append (chart, s, -1, -1);
  tosst_chart_append (chart, s, 0, NAN);
  draw (chart, 500, 300);
  g_assert_cmpfloat (chart->y_axis.low, >, 0.0);
  g_assert_cmpfloat (chart->y_axis.high, >, chart->y_axis.low);
}

static void
test_odd_sizes (void)
{
  static const double sizes[][2] = { { 1, 1 }, { 3, 400 }, { 400, 3 }, { 60, 40 }, { 3000, 90 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (TosstChart) chart = tosst_chart_new ("A title that is much longer than the picture is wide", "x", "y");
      guint s = tosst_chart_add_series (chart, "first"), t = tosst_chart_add_series (chart, "second");
      draw (chart, sizes[i][0], sizes[i][1]);
      tosst_chart_append (chart, s, 1e300, -1e300);
      tosst_chart_append (chart, t, -1e300, 1e300);
      draw (chart, sizes[i][0], sizes[i][1]);
    }
}

static void
test_ranges (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("t", "x", "y");
  guint s = tosst_chart_add_series (chart, "a");
  double low, high, x, y, w, h;

  for (int i = 0; i <= 1000; i++)
    tosst_chart_append (chart, s, i, i);
  tosst_chart_get_x_range (chart, &low, &high);
  g_assert_true (isnan (low) && isnan (high));
  tosst_chart_set_x_range (chart, 100, 200);
  draw (chart, 500, 300);
  tosst_chart_get_x_range (chart, &low, &high);
  g_assert_cmpfloat (low, ==, 100);
  g_assert_cmpfloat (high, ==, 200);
  /* The y range follows the visible points. */
  g_assert_cmpfloat (chart->y_axis.low, >=, 50);
  g_assert_cmpfloat (chart->y_axis.high, <=, 250);
  tosst_chart_plot_area (chart, &x, &y, &w, &h);
  g_assert_cmpfloat_with_epsilon (tosst_chart_x_at (chart, x), 100, 1e-9);
  g_assert_cmpfloat_with_epsilon (tosst_chart_x_at (chart, x + w), 200, 1e-9);
  /* Kept when data arrive; an invalid range unsets it. */
  tosst_chart_append (chart, s, 2000, 5);
  draw (chart, 500, 300);
  g_assert_cmpfloat_with_epsilon (tosst_chart_x_at (chart, x + w), 200, 1e-9);
  tosst_chart_set_x_range (chart, 200, 100);
  tosst_chart_get_x_range (chart, &low, &high);
  g_assert_true (isnan (low) && isnan (high));
}

/* Coloured pixels of the first series left and right of the plot. */
static void
count_beside (TosstChart *chart, guint *left, guint *right)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 400, 200);
  cairo_t *cr = cairo_create (surface);
  TosstColor color = tosst_color_series (&plain, 0);
  double x, y, w, h;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  tosst_chart_draw (chart, cr, 400, 200, &plain);
  cairo_surface_flush (surface);
  tosst_chart_plot_area (chart, &x, &y, &w, &h);
  *left = *right = 0;
  for (int row = 0; row < 200; row++)
    for (int column = 0; column < 400; column++)
      {
        guint32 pixel = ((guint32 *)(void *)(cairo_image_surface_get_data (surface)
                                             + row * cairo_image_surface_get_stride (surface)))[column];
        gboolean coloured = fabs ((pixel >> 16 & 255) / 255.0 - color.r) + fabs ((pixel & 255) / 255.0 - color.b) < 0.3;

        *left += coloured && column + 1 <= x;
        *right += coloured && column >= x + w;
      }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* A curve is clipped at the edges, beyond which are the labels. A point on the edge is drawn whole. */
static void
test_edges (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (NULL, NULL, NULL);
  guint s = tosst_chart_add_series (chart, NULL), left, right;

  for (int i = 1; i <= 20; i++)
    tosst_chart_append (chart, s, i, 50 + i % 3);
  tosst_chart_set_x_range (chart, 1, 20);
  count_beside (chart, &left, &right);
  g_assert_cmpuint (left, >, 0);
  g_assert_cmpuint (right, >, 0);
  tosst_chart_set_x_range (chart, 5.5, 14.5);
  count_beside (chart, &left, &right);
  g_assert_cmpuint (left, ==, 0);
  g_assert_cmpuint (right, ==, 0);
}

/* Percentages end at 100 for any ticks, and so do longer error bars; a point beyond is shown with its own. */
static void
test_bounds (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("t", "x", "%");
  guint s = tosst_chart_add_series (chart, "a");

  for (int i = 0; i < 5; i++)
    tosst_chart_append (chart, s, i, 100);
  draw (chart, 500, 300);
  g_assert_cmpfloat (chart->y_axis.high, >, 100);
  tosst_chart_set_y_bounds (chart, 0, 100);
  draw (chart, 500, 300);
  g_assert_cmpfloat (chart->y_axis.high, ==, 100);
  g_assert_cmpfloat (chart->y_axis.low, <, 100);
  tosst_chart_append_error (chart, s, 6, 99, 3);
  tosst_chart_append_error (chart, s, 7, 1, 3);
  draw (chart, 500, 300);
  g_assert_cmpfloat (chart->y_axis.high, ==, 100);
  g_assert_cmpfloat (chart->y_axis.low, ==, 0);
  tosst_chart_append_error (chart, s, 8, 101, 3);
  draw (chart, 500, 300);
  g_assert_cmpfloat (chart->y_axis.high, ==, 101);
}

/* Few points of bounded values, as accuracies, lie inside of the plot, off its axes; error bars are explained above. */
static void
test_points_off_axes (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("", "K", "Accuracy (%)");
  guint s = tosst_chart_add_series (chart, "a");
  double x, y, at[2][4], top;

  tosst_chart_append (chart, s, 10, 50);
  tosst_chart_append (chart, s, 20, 100);
  for (int bounded = 0; bounded < 2; bounded++)
    {
      if (bounded)
        tosst_chart_set_y_bounds (chart, 0, 100);
      draw (chart, 500, 300);
      g_assert_cmpfloat (chart->y_axis.low, ==, 50);
      g_assert_cmpfloat (chart->y_axis.high, ==, 100);
      g_assert_true (tosst_chart_point (chart, s, 0, &x, &y, &at[bounded][0], &at[bounded][1]));
      g_assert_true (tosst_chart_point (chart, s, 1, &x, &y, &at[bounded][2], &at[bounded][3]));
    }
  g_assert_cmpfloat (at[1][0], >, at[0][0] + 5); /* off the left edge */
  g_assert_cmpfloat (at[1][1], <, at[0][1] - 5); /* bottom */
  g_assert_cmpfloat (at[1][2], <, at[0][2] - 5); /* right */
  g_assert_cmpfloat (at[1][3], >, at[0][3] + 5); /* top */
  top = chart->y_axis.to;
  tosst_chart_append_error (chart, s, 15, 70, 3);
  draw (chart, 500, 300);
  g_assert_cmpfloat (chart->y_axis.to, >, top + 10);
}

static void
test_pick (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("t", "x", "y");
  guint a = tosst_chart_add_series (chart, "a"), b = tosst_chart_add_series (chart, "b"), series;
  double x, y, x_at, y_at;

  g_assert_false (tosst_chart_pick (chart, 100, 100, &series, &x, &y, &x_at, &y_at));
  /* Appended out of order, as the runs of a sweep finish. */
  for (int i = 10; i >= 0; i--)
    {
      tosst_chart_append (chart, a, i, i);
      tosst_chart_append (chart, b, i, 10 - i);
    }
  draw (chart, 600, 400);
  for (int i = 0; i <= 10; i++)
    for (guint s = 0; s < 2; s++)
      {
        double px = tosst_axis_position (&chart->x_axis, i),
               py = tosst_axis_position (&chart->y_axis, s == 0 ? i : 10 - i);
        if (i == 5)
          continue;
        g_assert_true (tosst_chart_pick (chart, px + 3, py - 3, &series, &x, &y, &x_at, &y_at));
        g_assert_cmpuint (series, ==, s);
        g_assert_cmpfloat (x, ==, i);
        g_assert_cmpfloat (y, ==, s == 0 ? i : 10 - i);
        g_assert_cmpfloat_with_epsilon (x_at, px, 1e-9);
        g_assert_cmpfloat_with_epsilon (y_at, py, 1e-9);
      }
  g_assert_false (tosst_chart_pick (chart, tosst_axis_position (&chart->x_axis, 5),
                                    tosst_axis_position (&chart->y_axis, 9.5), &series, &x, &y, &x_at, &y_at));
  tosst_chart_set_series_visible (chart, a, FALSE);
  draw (chart, 600, 400);
  g_assert_false (tosst_chart_pick (chart, tosst_axis_position (&chart->x_axis, 9),
                                    tosst_axis_position (&chart->y_axis, 9), &series, &x, &y, &x_at, &y_at));
}

static void
test_describe (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("Objective", "iterations", "");
  guint s = tosst_chart_add_series (chart, "total");
  g_autofree char *empty = tosst_chart_describe (chart), *falling = NULL, *broken = NULL, *two = NULL;

  g_assert_cmpstr (empty, ==, "Objective over iterations: no points");
  for (int i = 0; i < 12; i++)
    tosst_chart_append (chart, s, i, i == 0 ? 310 : i == 11 ? 120 : 200);
  falling = tosst_chart_describe (chart);
  g_assert_cmpstr (falling, ==, "Objective over iterations: 12 points, from 310 down to 120");
  tosst_chart_append (chart, s, 12, NAN);
  broken = tosst_chart_describe (chart);
  g_assert_cmpstr (broken, ==, "Objective over iterations: 13 points, from 310 down to 120; 1 is not a number");
  tosst_chart_append (chart, tosst_chart_add_series (chart, "fit"), 0, 1.5);
  two = tosst_chart_describe (chart);
  g_assert_nonnull (strstr (two, "total: 13 points"));
  g_assert_nonnull (strstr (two, "fit: 1 point, at 1.5"));
}

static TosstChart *
table_chart (void)
{
  TosstChart *chart = tosst_chart_new ("", "iteration", "");
  guint a = tosst_chart_add_series (chart, "fit, \"quoted\""), b = tosst_chart_add_series (chart, "accuracy");

  tosst_chart_append (chart, a, 2, 0.1);
  tosst_chart_append (chart, a, 1, 1.0 / 3.0);
  tosst_chart_append (chart, a, 3, NAN);
  tosst_chart_append_error (chart, b, 2, 99.5, 0.25);
  tosst_chart_append_error (chart, b, 2.5, -1e-7, NAN);
  return chart;
}

static void
check_csv (void)
{
  g_autoptr (TosstChart) chart = table_chart ();
  g_autofree char *csv = tosst_chart_to_csv (chart);
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1), fields = NULL;

  g_assert_cmpuint (g_strv_length (lines), ==, 6);
  g_assert_cmpstr (lines[0], ==, "iteration,\"fit, \"\"quoted\"\"\",accuracy,accuracy deviation");
  fields = g_strsplit (lines[1], ",", -1);
  g_assert_cmpuint (g_strv_length (fields), ==, 4);
  g_assert_cmpfloat (g_ascii_strtod (fields[0], NULL), ==, 1.0);
  g_assert_cmpfloat (g_ascii_strtod (fields[1], NULL), ==, 1.0 / 3.0);
  g_assert_cmpstr (fields[2], ==, "");
  g_assert_true (g_str_has_prefix (lines[2], "2,0.1"));
  g_assert_true (g_str_has_suffix (lines[2], ",99.5,0.25"));
  g_assert_true (g_str_has_prefix (lines[3], "2.5,,-"));
  g_assert_true (g_str_has_suffix (lines[3], "e-08,") || g_str_has_suffix (lines[3], "e-07,"));
  g_assert_cmpstr (lines[4], ==, "3,nan,,");
  g_assert_cmpstr (lines[5], ==, "");
}

static void
test_csv (void)
{
  check_csv ();
}

/* Compiles a German locale into a temporary folder, as few machines have one. */
static void
test_csv_german (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-chart-XXXXXX", NULL), *locale = NULL, *command = NULL, *label = NULL;
  g_autofree char *output = NULL, *errors = NULL;
  g_autofree char *clean = g_strdup_printf ("rm -r '%s'", folder);
  gboolean german;

  locale = g_build_filename (folder, "de_DE.UTF-8", NULL);
  command = g_strdup_printf ("localedef -c -i de_DE -f UTF-8 '%s'", locale);
  g_spawn_command_line_sync (command, &output, &errors, NULL, NULL);
  g_setenv ("LOCPATH", folder, TRUE);
  german = setlocale (LC_ALL, "de_DE.UTF-8") != NULL;
  if (german)
    {
      label = tosst_number_label (0.25, 3);
      g_assert_cmpstr (label, ==, "0,25");
      check_csv ();
    }
  else
    g_test_skip ("no German locale and none can be made");
  setlocale (LC_ALL, "C.UTF-8");
  g_unsetenv ("LOCPATH");
  g_spawn_command_line_sync (clean, NULL, NULL, NULL, NULL);
}

static void
save_as (const char *folder, const char *name, const char *magic, gboolean inside)
{
  g_autoptr (TosstChart) chart = table_chart ();
  g_autofree char *path = g_build_filename (folder, name, NULL), *bytes = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  gsize length;

  g_assert_true (tosst_chart_save (chart, 400, 300, file, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_cmpuint (length, >, 1000);
  g_assert_true (inside ? strstr (bytes, magic) != NULL : memcmp (bytes, magic, strlen (magic)) == 0);
  g_unlink (path);
}

/* The bytes of a chart of these names, saved for a page; new. */
static char *
save_figure (const char *folder, const char *name, const TosstFigure *figure, gsize *length)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("Plots & “titles”", "Iteration", "Objective");
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  char *bytes;

  tosst_chart_append (chart, tosst_chart_add_series (chart, "one"), 1, 2);
  tosst_figure_set (figure);
  g_assert_true (tosst_chart_save (chart, 720, 360, file, NULL));
  tosst_figure_set (&(TosstFigure){ 0 });
  g_assert_true (g_file_get_contents (path, &bytes, length, NULL));
  g_unlink (path);
  return bytes;
}

static guint32
big32 (const char *bytes)
{
  guint32 value;

  memcpy (&value, bytes, 4);
  return GUINT32_FROM_BE (value);
}

/* Also behind zeros. */
static const char *
find_bytes (const char *bytes, gsize n, const char *words)
{
  gsize length = strlen (words);

  for (gsize i = 0; i + length <= n; i++)
    if (memcmp (bytes + i, words, length) == 0)
      return bytes + i;
  return NULL;
}

/* Width, size of letters, title; text of SVG as text. Sizes in points of 1/72 inch. */
static void
test_figure (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-figure-XXXXXX", NULL);
  gsize n;
  g_autofree char *column = save_figure (folder, "a.svg", &(TosstFigure){ 0 }, &n);
  g_autofree char *wide = save_figure (folder, "a.svg", &(TosstFigure){ 127, 10, "Serif", TRUE }, &n);
  g_autofree char *pdf = save_figure (folder, "a.pdf", &(TosstFigure){ 127, 10, NULL, FALSE }, &n);
  g_autofree char *png = save_figure (folder, "a.png", &(TosstFigure){ 127, 10, NULL, FALSE }, &n);

  g_assert_nonnull (strstr (column, "viewBox=\"0 0 238.1")); /* 84 mm */
  g_assert_nonnull (strstr (column, ">Plots &amp; “titles”</text>"));
  g_assert_nonnull (strstr (column, ">Iteration</text>"));
  g_assert_nonnull (strstr (column, "font-size=\"8\""));
  g_assert_null (strstr (column, "<symbol"));
  g_assert_nonnull (strstr (wide, "viewBox=\"0 0 360 180\""));
  g_assert_nonnull (strstr (wide, "font-size=\"10\" font-family=\"Serif"));
  g_assert_null (strstr (wide, "titles"));
  g_assert_true (g_str_has_suffix (wide, "</svg>\n"));
  g_assert_nonnull (find_bytes (pdf, n, "[ 0 0 360 180 ]"));
  g_assert_cmpuint (big32 (png + 16), ==, 1500); /* 5 inches of 300 pixels */
  g_assert_cmpuint (big32 (png + 20), ==, 750);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_save (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-chart-XXXXXX", NULL);

  save_as (folder, "a.svg", "<svg", TRUE);
  save_as (folder, "a.pdf", "%PDF-", FALSE);
  save_as (folder, "a.PNG", "\211PNG\r\n\032\n", FALSE);
  /* No other files remain. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
refuse (const char *path, int code, const char *words)
{
  g_autoptr (TosstChart) chart = table_chart ();
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;

  g_assert_false (tosst_chart_save (chart, 400, 300, file, &error));
  g_assert_error (error, TOSST_ERROR, code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_null (strchr (error->message, '\n'));
}

static void
test_save_refused (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-chart-XXXXXX", NULL);
  g_autofree char *jpeg = g_build_filename (folder, "a.jpg", NULL), *bare = g_build_filename (folder, "svg", NULL),
                  *missing = g_build_filename (folder, "none", "a.svg", NULL);

  refuse (jpeg, TOSST_FAILED_NAME, "a.jpg");
  refuse (bare, TOSST_FAILED_NAME, ".svg");
  refuse (missing, TOSST_FAILED_OUTPUT, "a.svg");
  g_assert_false (g_file_test (jpeg, G_FILE_TEST_EXISTS));
  refuse ("/proc/a.pdf", TOSST_FAILED_OUTPUT, "a.pdf");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/positions", test_positions);
  g_test_add_func ("/chart/decimation", test_decimation);
  g_test_add_func ("/chart/bridges", test_bridges);
  g_test_add_func ("/chart/nan-survives", test_nan_survives);
  g_test_add_func ("/chart/nan-mark", test_nan_mark);
  g_test_add_func ("/chart/logarithmic", test_logarithmic);
  g_test_add_func ("/chart/odd-sizes", test_odd_sizes);
  g_test_add_func ("/chart/ranges", test_ranges);
  g_test_add_func ("/chart/edges", test_edges);
  g_test_add_func ("/chart/bounds", test_bounds);
  g_test_add_func ("/chart/points-off-axes", test_points_off_axes);
  g_test_add_func ("/chart/pick", test_pick);
  g_test_add_func ("/chart/describe", test_describe);
  g_test_add_func ("/chart/csv", test_csv);
  g_test_add_func ("/chart/csv-german", test_csv_german);
  g_test_add_func ("/chart/save", test_save);
  g_test_add_func ("/chart/figure", test_figure);
  g_test_add_func ("/chart/save-refused", test_save_refused);
  return g_test_run ();
}
