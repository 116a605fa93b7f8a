/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods, their splits, and the significance of differences.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/compare/comparison.h"
#include "dataset-folder.h"

static void
test_methods (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) some = tosst_methods_parse ("raw; tensor;raw;", &error);
  guint n;
  const TosstMethod *methods = tosst_methods (&n);

  g_assert_no_error (error);
  g_assert_cmpuint (some->len, ==, 2);
  g_assert_cmpstr (((const TosstMethod *)some->pdata[1])->name, ==, "tensor");
  g_assert_null (tosst_methods_parse ("raw;tensors", &error));
  g_assert_nonnull (strstr (error->message, "“tensors”"));
  g_assert_null (tosst_methods_parse (" ; ", NULL));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
      g_autoptr (GError) wrong = NULL;

      set (recipe, "dataset.kind", "folders");
      set (recipe, "dataset.path", "/photographs");
      tosst_method_apply (&methods[i], NULL, recipe);
      g_assert_true (tosst_recipe_check (recipe, &wrong));
      g_assert_no_error (wrong);
      /* No value is without an effect. */
      g_auto (GStrv) values = g_strsplit (methods[i].values, " ", -1);
      for (char **value = values; *value; value++)
        {
          g_autofree char *name = g_strndup (*value, strcspn (*value, "="));

          g_test_message ("%s: %s", methods[i].name, name);
          g_assert_cmpstr (tosst_recipe_why_inactive (recipe, tosst_parameter_find (name)), ==, NULL);
        }
    }
}

/* Every method has the same training samples. */
static void
test_division (Fixture *fixture, gconstpointer data)
{
  guint n;
  const TosstMethod *methods = tosst_methods (&n);
  g_autoptr (GArray) first = NULL;

  for (int i = 0; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("%c/%d.png", 'a' + i % 2, i);

      put_image (fixture, name, 40, 40);
    }
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
      g_autoptr (TosstDataset) dataset = NULL;
      g_autoptr (GArray) train = NULL, test = NULL;
      g_autoptr (GError) error = NULL;

      set (recipe, "dataset.kind", "folders");
      set (recipe, "dataset.path", fixture->folder);
      tosst_method_apply (&methods[i], NULL, recipe);
      dataset = tosst_dataset_open (recipe, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (tosst_dataset_split (dataset, recipe, 1, &train, &test, &error));
      if (!first)
        first = g_array_ref (train);
      g_assert_cmpmem (train->data, train->len * sizeof (guint), first->data, first->len * sizeof (guint));
    }
}

/* Tables of Student's distribution. */
static void
test_student (void)
{
  static const struct
  {
    guint degrees;
    double t, p;
  } cases[] = { { 1, 12.7062047362, 0.05 },
                { 2, 4.3026527297, 0.05 },
                { 5, 2.5705818356, 0.05 },
                { 9, 2.2621571628, 0.05 },
                { 9, 4.7809125860, 0.001 },
                { 30, 2.7499956536, 0.01 },
                { 9, 0, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_cmpfloat_with_epsilon (tosst_student_two_sided (cases[i].t, cases[i].degrees), cases[i].p, 1e-9);
      g_assert_cmpfloat_with_epsilon (tosst_student_two_sided (-cases[i].t, cases[i].degrees), cases[i].p, 1e-9);
    }
}

/* By hand: the smallest of three times three, the next times two, and never less than one before. */
static void
test_holm (void)
{
  double p[] = { 0.01, 0.04, NAN, 0.03 }, large[] = { 0.6, 0.5 };

  tosst_holm (p, 4);
  g_assert_cmpfloat_with_epsilon (p[0], 0.03, 1e-15);
  g_assert_cmpfloat_with_epsilon (p[1], 0.06, 1e-15);
  g_assert_true (isnan (p[2]));
  g_assert_cmpfloat_with_epsilon (p[3], 0.06, 1e-15);
  tosst_holm (large, 2);
  g_assert_cmpfloat (large[0], ==, 1);
  g_assert_cmpfloat (large[1], ==, 1);
}

static void
test_paired (void)
{
  static const double a[] = { 90, 92, 91, 95 }, b[] = { 88, 91, 91, 92 }, more[] = { 91, 93, 92, 96 };
  TosstPaired paired = tosst_paired_compare (a, b, 4, 50, 25);

  /* Differences 2, 1, 0, 3: mean 1.5, variance 5 / 3, times 1 / 4 + 1 / 2. */
  g_assert_cmpfloat_with_epsilon (paired.mean, 1.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (paired.p, tosst_student_two_sided (1.5 / sqrt (1.25), 3), 1e-12);
  /* 3.18244630528 is exceeded with a probability of 5 % with three degrees of freedom. */
  g_assert_cmpfloat_with_epsilon (paired.low, 1.5 - 3.18244630528 * sqrt (1.25), 1e-8);
  g_assert_cmpfloat_with_epsilon (paired.high, 1.5 + 3.18244630528 * sqrt (1.25), 1e-8);
  paired = tosst_paired_compare (more, a, 4, 50, 25);
  g_assert_cmpfloat (paired.p, ==, 0);
  paired = tosst_paired_compare (a, a, 4, 50, 25);
  g_assert_cmpfloat (paired.p, ==, 1);
  g_assert_true (isnan (tosst_paired_compare (a, b, 1, 50, 25).p));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compare/methods", test_methods);
  g_test_add ("/compare/division", Fixture, NULL, set_up, test_division, tear_down);
  g_test_add_func ("/compare/student", test_student);
  g_test_add_func ("/compare/paired", test_paired);
  g_test_add_func ("/compare/holm", test_holm);
  return g_test_run ();
}
