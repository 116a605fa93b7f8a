/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over vectors: right to rounding, and with the same bits wherever the vectors lie.
 */
#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "engine/base/vector.h"
#include "tosst/context.h"

#define MOST 1085
#define ROOM (MOST + 8)

static void
draw (double *x, int n)
{
  TosstRandom random;

  tosst_random_init (&random, 7, n);
  for (int i = 0; i < n; i++)
    x[i] = tosst_random_normal (&random);
}

static void
test_alignment (void)
{
  static double a[ROOM], b[ROOM], x[2 * MOST];

  draw (x, 2 * MOST);
  for (int n = 0; n <= MOST; n = n < 40 ? n + 1 : n + 95)
    {
      double dot = tosst_dot (n, x, x + MOST), size = tosst_norm (n, x), sum = tosst_sum_abs (n, x);
      for (int shift = 0; shift < 8; shift++)
        {
          double *p = memcpy (a + shift, x, sizeof *x * n), *q = memcpy (b + (3 * shift) % 8, x + MOST, sizeof *x * n);
          g_assert_cmpfloat (tosst_dot (n, p, q), ==, dot);
          g_assert_cmpfloat (tosst_norm (n, p), ==, size);
          g_assert_cmpfloat (tosst_sum_abs (n, p), ==, sum);
        }
    }
}

static void
test_sums (void)
{
  static double x[3 * MOST];

  draw (x, 3 * MOST);
  for (int n = 1; n <= MOST; n = n < 40 ? n + 1 : n + 95)
    {
      long double dot = 0, strided = 0, square = 0, sum = 0;
      for (int i = 0; i < n; i++)
        {
          dot += (long double)x[i] * x[MOST + i];
          strided += (long double)x[i] * x[2 * i];
          square += (long double)x[i] * x[i];
          sum += fabsl (x[i]);
        }
      double rounding = n * DBL_EPSILON * (double)square;
      g_assert_cmpfloat_with_epsilon (tosst_dot (n, x, x + MOST), (double)dot, 2 * rounding);
      g_assert_cmpfloat_with_epsilon (tosst_dot_strided (n, x, x, 2), (double)strided, 2 * rounding);
      g_assert_cmpfloat_with_epsilon (tosst_norm (n, x), sqrt ((double)square), rounding);
      g_assert_cmpfloat_with_epsilon (tosst_sum_abs (n, x), (double)sum, n * DBL_EPSILON * (double)sum);
    }
}

/* Norms of what has squares beyond the range of numbers. */
static void
test_extremes (void)
{
  double large[] = { 3e200, 4e200 }, small[] = { 3e-200, -4e-200 }, zero[] = { 0, 0 }, infinite[] = { 1, -INFINITY },
         undefined[] = { 1, NAN };

  g_assert_cmpfloat_with_epsilon (tosst_norm (2, large), 5e200, 1e186);
  g_assert_cmpfloat_with_epsilon (tosst_norm (2, small), 5e-200, 1e-214);
  g_assert_cmpfloat (tosst_norm (2, zero), ==, 0);
  g_assert_cmpfloat (tosst_norm (2, infinite), ==, INFINITY);
  g_assert_true (isnan (tosst_norm (2, undefined)));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vector/alignment", test_alignment);
  g_test_add_func ("/vector/sums", test_sums);
  g_test_add_func ("/vector/extremes", test_extremes);
  return g_test_run ();
}
