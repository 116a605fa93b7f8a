/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A frame of the window's charts: 8 curves of 100,000 points each, drawn into an image as the window does it, while they
 * grow, while they are zoomed into, on linear and logarithmic axes. Target: 16 ms.
 */
#include <math.h>

#include "bench.h"
#include "core/plot/chart.h"

#define CURVES 8
#define POINTS 100000
#define FRAMES 15
#define NEW_POINTS 50 /* of a curve between two frames */

static const TosstChartStyle style = { FALSE, FALSE, "Sans", 11 };
static const int sizes[][2] = { { 1280, 800 }, { 1600, 1000 } };

static void
append (TosstChart *chart, GRand *random, int from, int to)
{
  for (guint s = 0; s < CURVES; s++)
    for (int i = from; i < to; i++)
      tosst_chart_append (chart, s, i, s + 1 + sin (i * 1e-4) + g_rand_double (random));
}

/* Processor milliseconds of one frame, its surface made anew as the window does. */
static double
frame (TosstChart *chart, int width, int height)
{
  double start = bench_processor_seconds ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);

  tosst_chart_draw (chart, cr, width, height, &style);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return 1e3 * (bench_processor_seconds () - start);
}

typedef enum
{
  SAME,
  GROWING,
  ZOOMING,
} Change;

static void
measure (Change change, gboolean logarithmic_x, gboolean logarithmic_y, int width, int height)
{
  static const char *const names[] = { "as they are", "growing", "zooming" };
  g_autoptr (TosstChart) chart = tosst_chart_new ("Objective", "Iterations", "Objective");
  GRand *random = g_rand_new_with_seed (1);
  double ms[FRAMES];
  int points = POINTS;

  for (guint s = 0; s < CURVES; s++)
    tosst_chart_add_series (chart, "curve");
  append (chart, random, 1, POINTS + 1);
  tosst_chart_set_logarithmic (chart, logarithmic_x, logarithmic_y);
  double first = frame (chart, width, height);
  for (int i = 0; i < FRAMES; i++)
    {
      if (change == GROWING)
        {
          append (chart, random, points + 1, points + 1 + NEW_POINTS);
          points += NEW_POINTS;
        }
      if (change == ZOOMING)
        tosst_chart_set_x_range (chart, POINTS * 0.3, POINTS * (0.3 + 0.7 * pow (0.7, i)));
      ms[i] = frame (chart, width, height);
    }
  double median = bench_median (ms, FRAMES);
  g_print ("%4d x %4d, %s x, %s y, %-11s: first %5.1f ms, median %5.1f, worst %5.1f\n", width, height,
           logarithmic_x ? "log   " : "linear", logarithmic_y ? "log   " : "linear", names[change], first, median,
           ms[FRAMES - 1]);
  g_rand_free (random);
}

/* Milliseconds for a chart of nothing, as the first of the program: that looks for fonts, which the window has done for its
 * own labels. */
static double
look_for_fonts (void)
{
  g_autoptr (TosstChart) chart = tosst_chart_new ("Objective", "Iterations", "Objective");
  return frame (chart, sizes[0][0], sizes[0][1]);
}

int
main (void)
{
  g_usleep (G_USEC_PER_SEC / 5); /* threads of OpenBLAS look for work, and take processor time, when a program starts */
  g_print ("fonts, once: %.1f ms\n", look_for_fonts ());
  g_print ("%d curves of %d points, processor time of a frame:\n", CURVES, POINTS);
  for (gsize size = 0; size < G_N_ELEMENTS (sizes); size++)
    for (int change = SAME; change <= ZOOMING; change++)
      for (int logarithmic = 0; logarithmic < 4; logarithmic++)
        measure (change, logarithmic & 1, logarithmic & 2, sizes[size][0], sizes[size][1]);
  return 0;
}
