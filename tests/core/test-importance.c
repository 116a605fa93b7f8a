/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Importance of parameters: the functional analysis of variance of grids whose effects are known, and runs that are no
 * grid.
 */
#include "config.h"

#include <math.h>

#include "core/sweep/importance.h"

static double
share (const TosstImportance *self, guint a, guint b)
{
  for (guint i = 0; i < self->effects->len; i++)
    {
      const TosstEffect *effect = &g_array_index (self->effects, TosstEffect, i);

      if (effect->a == a && effect->b == b)
        return effect->share;
    }
  return NAN;
}

/* 2 x 3 x 2 runs of f = 3 u + v + u v, u in {-1, 1}, v in {-1, 0, 1}; the third parameter has no effect. Variances: 9 of u,
 * 2/3 of v, 2/3 of both. */
static void
test_grid (void)
{
  guint level[12 * 3];
  double result[12];
  const double all = 9 + 4.0 / 3;

  for (guint i = 0; i < 12; i++)
    {
      double u, v;

      level[3 * i] = i / 6;
      level[3 * i + 1] = 10 * (i / 2 % 3); /* levels need not be consecutive */
      level[3 * i + 2] = i % 2;
      u = 2.0 * (i / 6) - 1;
      v = (double)(i / 2 % 3) - 1;
      result[i] = 70 + 3 * u + v + u * v;
    }
  g_autoptr (TosstImportance) grid = tosst_importance_new (level, result, 12, 3);
  g_assert_true (grid->complete);
  g_assert_cmpuint (grid->runs, ==, 12);
  g_assert_cmpfloat_with_epsilon (grid->variance, all, 1e-12);
  g_assert_cmpfloat_with_epsilon (share (grid, 0, 0), 9 / all, 1e-12);
  g_assert_cmpfloat_with_epsilon (share (grid, 1, 1), 2 / (3 * all), 1e-12);
  g_assert_cmpfloat_with_epsilon (share (grid, 0, 1), 2 / (3 * all), 1e-12);
  g_assert_cmpfloat_with_epsilon (share (grid, 2, 2), 0, 1e-12);
  g_assert_cmpfloat_with_epsilon (share (grid, 0, 2), 0, 1e-12);
  g_assert_cmpfloat_with_epsilon (grid->rest, 0, 1e-12);
  g_assert_cmpuint (g_array_index (grid->effects, TosstEffect, 0).a, ==, 0);
  /* Without one of the runs it is an estimate. */
  result[5] = NAN;
  g_autoptr (TosstImportance) part = tosst_importance_new (level, result, 12, 3);
  g_assert_false (part->complete);
  g_assert_cmpuint (part->runs, ==, 11);
  g_assert_cmpfloat (share (part, 0, 0), >, 0.7);
  g_assert_cmpfloat (share (part, 2, 2), <, 0.1);
  g_assert_true (isnan (part->rest) && isnan (share (part, 0, 1)));
}

/* The product of three parameters: none has an effect by itself, nor any two. */
static void
test_rest (void)
{
  guint level[8 * 3];
  double result[8];

  for (guint i = 0; i < 8; i++)
    {
      level[3 * i] = i / 4;
      level[3 * i + 1] = i / 2 % 2;
      level[3 * i + 2] = i % 2;
      result[i] = (i / 4 + i / 2 % 2 + i % 2) % 2 == 0 ? 1 : -1;
    }
  g_autoptr (TosstImportance) self = tosst_importance_new (level, result, 8, 3);
  g_assert_cmpfloat_with_epsilon (self->rest, 1, 1e-12);
  g_assert_cmpfloat_with_epsilon (share (self, 0, 1), 0, 1e-12);
}

/* Random search: every run has a value of its own. */
static void
test_random (void)
{
  enum
  {
    RUNS = 100
  };
  guint level[2 * RUNS];
  double result[RUNS];
  GRand *random = g_rand_new_with_seed (7);

  for (guint i = 0; i < RUNS; i++)
    {
      level[2 * i] = i;
      level[2 * i + 1] = i * 37 % RUNS;
      result[i] = i + g_rand_double_range (random, -5, 5);
    }
  g_rand_free (random);
  g_autoptr (TosstImportance) self = tosst_importance_new (level, result, RUNS, 2);
  g_assert_false (self->complete);
  g_assert_cmpfloat (share (self, 0, 0), >, 0.9);
  g_assert_cmpfloat (share (self, 1, 1), <, 0.15);
}

static void
test_nothing (void)
{
  const guint level[] = { 0, 1, 2 };

  g_assert_null (tosst_importance_new (level, (double[]){ 1, NAN, NAN }, 3, 1));
  g_assert_null (tosst_importance_new (level, (double[]){ 90, 90, 90 }, 3, 1));
  g_assert_null (tosst_importance_new (level, (double[]){ 1, 2, 3 }, 3, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/importance/grid", test_grid);
  g_test_add_func ("/importance/rest", test_rest);
  g_test_add_func ("/importance/random", test_random);
  g_test_add_func ("/importance/nothing", test_nothing);
  return g_test_run ();
}
