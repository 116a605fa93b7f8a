/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wherever a run keeps its tensors, it comes to the same numbers.
 */
#include <string.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/data/dataset.h"
#include "core/run/run.h"

static TosstRecipe *
small_recipe (const char *splits, const char *minibatch)
{
  const char *const settings[][2] = {
    { "dataset.exclude",
      "bricks,corduroy,denim,gingham,grass,honeycomb,knit,leopard,marble,mud,pebbles,ripples,scales" },
    { "dataset.splits", splits },
    { "descriptor.patch", "32" },
    { "descriptor.step", "48" },
    { "descriptor.pivots", "2" },
    { "dictionary.atoms", "12" },
    { "dictionary.iterations", "3" },
    { "dictionary.sample", "400" },
    { "dictionary.minibatch", minibatch },
  };
  TosstRecipe *recipe = tosst_recipe_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    g_assert_true (tosst_recipe_set (recipe, settings[i][0], settings[i][1], NULL));
  return recipe;
}

static TosstRunResult *
run (const TosstRecipe *recipe)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, &error);
  TosstContext *context = tosst_context_new (2);
  TosstRunResult *result = tosst_run_execute (recipe, dataset, context, NULL, NULL, &error);

  g_assert_no_error (error);
  tosst_context_free (context);
  return result;
}

static void
assert_same (const TosstRunResult *a, const TosstRunResult *b)
{
  g_assert_cmpint (a->splits, ==, b->splits);
  for (int s = 0; s < a->splits; s++)
    {
      g_assert_cmpfloat (a->split[s].objective, ==, b->split[s].objective);
      g_assert_cmpfloat (a->split[s].accuracy, ==, b->split[s].accuracy);
    }
}

/* data: of dictionary.minibatch. Several splits read a file, a single one computes again; so do several if no file can
 * be written. */
static void
test_places (gconstpointer data)
{
  const char *const splits[] = { "1", "2" };

  for (gsize i = 0; i < G_N_ELEMENTS (splits); i++)
    {
      g_autoptr (TosstRecipe) recipe = small_recipe (splits[i], data);
      g_autoptr (TosstRunResult) kept = run (recipe), apart = NULL;

      g_setenv ("TOSST_RESIDENT_MB", "0", TRUE);
      apart = run (recipe);
      g_unsetenv ("TOSST_RESIDENT_MB");
      assert_same (kept, apart);
      /* Computing tensors is a separate stage if tensors are stored. */
      g_assert_cmpint (kept->seconds[TOSST_STAGE_DESCRIBE] > 0, ==, 1);
      g_assert_cmpint (apart->seconds[TOSST_STAGE_DESCRIBE] > 0, ==, i > 0);
    }
}

static void
test_no_file (void)
{
  g_autoptr (TosstRecipe) recipe = small_recipe ("2", "0");
  g_autoptr (TosstRunResult) kept = run (recipe), apart = NULL;

  if (g_test_subprocess ())
    {
      g_setenv ("TOSST_RESIDENT_MB", "0", TRUE);
      apart = run (recipe);
      assert_same (kept, apart);
      g_assert_cmpfloat (apart->seconds[TOSST_STAGE_DESCRIBE], ==, 0);
      return;
    }
  g_setenv ("XDG_CACHE_HOME", "/dev/null/nowhere", TRUE);
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

/* Nested splits describe the training samples of their split alone, and name validation samples as the data set does. */
static void
test_within (void)
{
  g_autoptr (TosstRecipe) recipe = small_recipe ("1", "0");
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (GArray) train = NULL, test = NULL;
  g_autoptr (TosstRunResult) whole = run (recipe), nested = NULL;
  const GArray *predictions;

  g_assert_true (tosst_dataset_split (dataset, recipe, 0, &train, &test, NULL));
  g_assert_true (tosst_recipe_set (recipe, "dataset.within", "1", NULL));
  nested = run (recipe);
  g_assert_cmpuint (nested->tensors * dataset->samples->len, ==, whole->tensors * train->len);
  predictions = nested->split[0].predictions;
  g_assert_cmpuint (predictions->len, >, 0);
  for (guint i = 0; i < predictions->len; i++)
    {
      const TosstPrediction *prediction = &g_array_index (predictions, TosstPrediction, i);
      gboolean found = FALSE;

      for (guint j = 0; j < train->len; j++)
        found = found || g_array_index (train, guint, j) == prediction->sample;
      g_assert_true (found);
      g_assert_cmpint (tosst_dataset_sample (dataset, prediction->sample)->class_index, ==, prediction->truth);
    }
}

/* A run whose tensors do not fit on the disk is refused; one without such a file never is. */
static void
test_disk (void)
{
  g_autoptr (GFile) store = g_file_new_for_path ("/no such folder/runs.sqlite");
  g_autoptr (GFile) folder = g_file_get_parent (store);
  g_autoptr (GError) error = NULL;
  guint64 left = tosst_disk_free (folder);
  TosstRunEstimate needs = { 0 };

  g_assert_true (tosst_run_fits_disk (&needs, store, NULL));
  needs.disk = left + 1;
  if (left == 0) /* unknown */
    return;
  g_assert_false (tosst_run_fits_disk (&needs, store, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_nonnull (strstr (error->message, "raise descriptor.step"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/run-tensors/at-once", "0", test_places);
  g_test_add_data_func ("/run-tensors/batches", "100", test_places);
  g_test_add_func ("/run-tensors/no-file", test_no_file);
  g_test_add_func ("/run-tensors/within", test_within);
  g_test_add_func ("/run-tensors/disk", test_disk);
  return g_test_run ();
}
