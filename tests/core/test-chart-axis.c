/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ticks and their labels.
 */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/plot/chart-private.h"

typedef struct
{
  double low, high;
  gboolean logarithmic;
} Range;

static const Range ranges[] = {
  { 0, 1, FALSE },       { 0, 103, FALSE },       { 120, 310, FALSE },   { -3.3, 7.1, FALSE },    { 1e-9, 4e-9, FALSE },
  { 1e12, 5e12, FALSE }, { -0.02, -0.01, FALSE }, { 99.1, 99.9, FALSE }, { 1e6, 1e6 + 1, FALSE }, { 1e-4, 0.3, TRUE },
  { 2, 3, TRUE },        { 1, 1e9, TRUE },        { 0.03, 40, TRUE },    { 1e-200, 1e200, TRUE }, { 7, 7, FALSE },
  { 0, 0, FALSE },       { 5, 5, TRUE },          { -2, -2, FALSE },     { 0.999, 1.001, TRUE },
};

static gboolean
is_nice (double value)
{
  double share = value / pow (10.0, floor (log10 (value) + 1e-9));

  return fabs (share - 1) < 1e-6 || fabs (share - 2) < 1e-6 || fabs (share - 5) < 1e-6;
}

static void
test_ticks (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    for (guint wanted = 3; wanted <= 10; wanted++)
      {
        double low = ranges[i].low, high = ranges[i].high, first = NAN, second = NAN;
        g_autoptr (GArray) ticks = NULL;
        guint labels = 0;

        tosst_axis_nice_range (&low, &high, ranges[i].logarithmic, wanted);
        g_assert_cmpfloat (low, <, high);
        g_assert_cmpfloat (low, <=, ranges[i].low + 1e-9 * fabs (ranges[i].low));
        g_assert_cmpfloat (high, >=, ranges[i].high * (ranges[i].high > 0 ? 1 - 1e-9 : 1 + 1e-9));
        g_assert_true (!ranges[i].logarithmic || low > 0);
        ticks = tosst_axis_ticks (low, high, ranges[i].logarithmic, wanted);
        for (guint k = 0; k < ticks->len; k++)
          {
            const TosstTick *tick = &g_array_index (ticks, TosstTick, k);
            g_assert_cmpfloat (tick->value, >=, low - 1e-9 * fabs (low));
            g_assert_cmpfloat (tick->value, <=, high + 1e-9 * fabs (high));
            if (k > 0)
              g_assert_cmpfloat (tick->value, >, g_array_index (ticks, TosstTick, k - 1).value);
            if (!tick->label)
              continue;
            if (labels == 0)
              first = tick->value;
            else if (labels == 1)
              second = tick->value;
            labels++;
          }
        g_assert_cmpuint (labels, >=, 2);
        g_assert_cmpuint (labels, <=, ranges[i].logarithmic ? 2 * wanted + 2 : wanted + 1);
        if (!ranges[i].logarithmic)
          g_assert_true (is_nice (second - first));
      }
}

/* Neighbouring ticks must not read the same. */
static void
test_tick_labels_differ (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      double low = ranges[i].low, high = ranges[i].high;
      const char *previous = "";
      g_autoptr (GArray) ticks = NULL;
      tosst_axis_nice_range (&low, &high, ranges[i].logarithmic, 6);
      ticks = tosst_axis_ticks (low, high, ranges[i].logarithmic, 6);
      for (guint k = 0; k < ticks->len; k++)
        if (g_array_index (ticks, TosstTick, k).label)
          {
            g_assert_cmpstr (g_array_index (ticks, TosstTick, k).label, !=, previous);
            previous = g_array_index (ticks, TosstTick, k).label;
          }
    }
}

static char *
all_labels (double low, double high, gboolean logarithmic, guint wanted)
{
  g_autoptr (GArray) ticks = tosst_axis_ticks (low, high, logarithmic, wanted);
  GString *string = g_string_new (NULL);

  for (guint i = 0; i < ticks->len; i++)
    if (g_array_index (ticks, TosstTick, i).label)
      g_string_append_printf (string, "%s%s", string->len ? " " : "", g_array_index (ticks, TosstTick, i).label);
  return g_string_free (string, FALSE);
}

static void
test_labels (void)
{
  g_autofree char *simple = all_labels (0, 1, FALSE, 5), *minus = all_labels (-2, 2, FALSE, 4),
                  *powers = all_labels (1e-5, 0.1, TRUE, 5), *tens = all_labels (1, 1000, TRUE, 4),
                  *large = all_labels (0, 4e8, FALSE, 4), *small = all_labels (0, 12e-6, FALSE, 6);
  g_autofree char *nan = tosst_number_label (NAN, 4), *negative = tosst_number_label (-0.0125, 4),
                  *tiny = tosst_number_label (2.5e-9, 3), *round = tosst_number_label (310, 4);

  g_assert_cmpstr (simple, ==, "0 0.2 0.4 0.6 0.8 1.0");
  g_assert_cmpstr (minus, ==, "−2 −1 0 1 2");
  g_assert_cmpstr (powers, ==, "10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹");
  g_assert_cmpstr (tens, ==, "1 10 100 1000");
  g_assert_cmpstr (large, ==, "0 10⁸ 2×10⁸ 3×10⁸ 4×10⁸");
  g_assert_cmpstr (small, ==, "0 2×10⁻⁶ 4×10⁻⁶ 6×10⁻⁶ 8×10⁻⁶ 10×10⁻⁶ 12×10⁻⁶");
  g_assert_cmpstr (nan, ==, "NaN");
  g_assert_cmpstr (negative, ==, "−0.0125");
  g_assert_cmpstr (tiny, ==, "2.5×10⁻⁹");
  g_assert_cmpstr (round, ==, "310");
}

/* Ticks of iterations are whole numbers at any zoom. */
static void
test_integer_ticks (void)
{
  const double spans[][2] = { { 1, 3 }, { 0.5, 4.5 }, { 1, 10 }, { 1, 50 }, { 2.2, 2.9 }, { 2.6, 3.1 }, { 1, 20000 } };

  for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
    for (guint wanted = 1; wanted < 12; wanted++)
      {
        double low = spans[i][0], high = spans[i][1];
        g_autoptr (GArray) ticks = tosst_axis_integer_ticks (low, high, wanted);

        g_assert_true (ticks->len > 0 || wanted < 3 || floor (high) < ceil (low));
        for (guint k = 0; k < ticks->len; k++)
          {
            const TosstTick *tick = &g_array_index (ticks, TosstTick, k);

            g_assert_cmpfloat_with_epsilon (tick->value, round (tick->value), 1e-9);
            g_assert_cmpfloat (tick->value, >=, low - 1e-9);
            g_assert_cmpfloat (tick->value, <=, high + 1e-9);
            g_assert_null (strchr (tick->label, '.'));
          }
      }
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/ticks", test_ticks);
  g_test_add_func ("/chart/tick-labels-differ", test_tick_labels_differ);
  g_test_add_func ("/chart/labels", test_labels);
  g_test_add_func ("/chart/integer-ticks", test_integer_ticks);
  return g_test_run ();
}
