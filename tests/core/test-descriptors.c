/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Second-order descriptors and those that need no dictionary, from the sample textures to accuracy. Floors are well
 * below what was measured, and far above chance, which is 1 of the number of classes.
 */
#include <math.h>

#include "../few-textures.h"
#include "core/base/error.h"
#include "core/run/run.h"

typedef struct
{
  gboolean learned, iterated;
} Seen;

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  Seen *seen = data;

  g_assert_cmpfloat (fraction, >=, 0);
  g_assert_cmpfloat (fraction, <=, 1);
  seen->learned |= stage == TOSST_STAGE_LEARN;
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  g_assert_cmpfloat (fraction, <=, 1);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  ((Seen *)data)->iterated = TRUE;
}

/* settings: pairs of key and value, NULL-terminated. */
static TosstRunResult *
run (const char *const *settings, Seen *seen)
{
  static const char *const common[][2] = {
    { "dataset.splits", "1" },       { "dataset.train-per-class", "8" },
    { "descriptor.patch", "32" },    { "descriptor.step", "32" },
    { "dictionary.atoms", "20" },    { "dictionary.iterations", "6" },
    { "dictionary.sample", "1500" }, { "dataset.exclude", ALL_BUT_FIVE_TEXTURES },
  };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GError) error = NULL;
  TosstContext *context = tosst_context_new (2);
  TosstRunObserver observer = { on_stage, on_progress, on_iteration, NULL, seen };
  TosstRunResult *result;

  for (gsize i = 0; i < G_N_ELEMENTS (common); i++)
    g_assert_true (tosst_recipe_set (recipe, common[i][0], common[i][1], NULL));
  for (int i = 0; settings[i]; i += 2)
    g_assert_true (tosst_recipe_set (recipe, settings[i], settings[i + 1], NULL));
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  result = tosst_run_execute (recipe, dataset, context, &observer, NULL, &error);
  g_assert_no_error (error);
  tosst_context_free (context);
  return result;
}

static void
check (const char *const *settings, double floor, gboolean learns)
{
  Seen seen = { FALSE, FALSE };
  g_autoptr (TosstRunResult) result = run (settings, &seen);

  g_test_message ("%s %s, %s %s: %.1f %%", settings[0], settings[1], settings[2], settings[3], result->accuracy_mean);
  g_assert_cmpfloat (result->accuracy_mean, >, floor);
  g_assert_cmpint (seen.learned, ==, learns);
  g_assert_cmpint (seen.iterated, ==, learns);
  g_assert_cmpint (result->dictionary != NULL, ==, learns);
  g_assert_nonnull (result->model);
  if (learns)
    {
      g_assert_cmpfloat (result->split[0].worst_kkt, <, 1e-4);
      g_assert_cmpint (result->dictionary->S, ==, 1);
    }
  else
    {
      g_assert_true (isnan (result->split[0].objective));
      g_assert_cmpfloat (result->seconds[TOSST_STAGE_LEARN], ==, 0);
    }
}

static void
test_covariance (void)
{
  check ((const char *[]){ "descriptor.kind", "covariance", "descriptor.features", "linear", NULL }, 70, TRUE);
  check ((const char *[]){ "descriptor.kind", "covariance", "descriptor.features", "rbf", NULL }, 90, TRUE);
}

static void
test_autocorrelation (void)
{
  check ((const char *[]){ "descriptor.kind", "autocorrelation", "descriptor.features", "linear", NULL }, 75, TRUE);
  check ((const char *[]){ "descriptor.kind", "autocorrelation", "descriptor.features", "rbf", "descriptor.gamma-eigen",
                           "0.5", NULL },
         90, TRUE);
}

static void
test_log_euclidean (void)
{
  check ((const char *[]){ "coding.method", "log-euclidean", "descriptor.kind", "covariance", "descriptor.features",
                           "rbf", NULL },
         90, FALSE);
}

static void
test_raw (void)
{
  check ((const char *[]){ "coding.method", "raw", "descriptor.kind", "linear", NULL }, 90, FALSE);
  check (
      (const char *[]){ "coding.method", "raw", "descriptor.kind", "covariance", "classifier.choose-c", "true", NULL },
      60, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/descriptors/covariance", test_covariance);
  g_test_add_func ("/descriptors/autocorrelation", test_autocorrelation);
  g_test_add_func ("/descriptors/log-euclidean", test_log_euclidean);
  g_test_add_func ("/descriptors/raw", test_raw);
  return g_test_run ();
}
