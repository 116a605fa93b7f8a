/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps learn from the tensors of a run, on the path of a run, from its beginning or from where it was stopped.
 */
#include <string.h>

#include "../small-images.h"
#include "core/base/error.h"
#include "core/run/run.h"
#include "core/run/step.h"
#include "small-run.h"

static char *images; /* folder */

static TosstRecipe *
make_recipe (void)
{
  TosstRecipe *recipe = small_recipe (images);

  recipe->dictionary.iterations = 4;
  return recipe;
}

/* The objectives of a run, and the checkpoint after its second iteration. */
typedef struct
{
  double objective[2][8];
  GBytes *checkpoint;
  int saved;
} Ear;

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  ((Ear *)data)->objective[split][iteration->iteration] = iteration->objective;
}

static void
save (int split, GBytes *checkpoint, gpointer data)
{
  Ear *ear = data;

  if (split == 0 && ++ear->saved == 2)
    ear->checkpoint = g_bytes_ref (checkpoint);
}

/* frames: those of the recipe. */
static void
test_path (gconstpointer frames)
{
  g_autoptr (TosstRecipe) recipe = make_recipe ();
  gboolean set = tosst_recipe_set (recipe, "descriptor.frames", frames, NULL);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (GError) error = NULL;
  TosstContext *context = tosst_context_new (2);
  Ear ear = { .saved = 0 };
  const TosstRunObserver observer = { .iteration = on_iteration, .data = &ear };
  const TosstRunOptions options = { .interval = 1e-9, .save = save, .data = &ear };
  g_autoptr (TosstRunResult) result G_GNUC_UNUSED
      = tosst_run_execute_with (recipe, dataset, context, &observer, &options, NULL, &error);

  g_assert_true (set);
  g_assert_no_error (error);
  g_assert_nonnull (ear.checkpoint);
  for (int from = 0; from < 3; from++)
    {
      int split = from == 1;
      g_autoptr (TosstStepLearning) learning = tosst_step_learning_new (
          recipe, dataset, split, from == 2 ? ear.checkpoint : NULL, 1 << 20, context, &error);
      TosstStep done = { .iteration = from == 2 ? 2 : 0 };

      g_assert_no_error (error);
      g_assert_cmpuint (tosst_step_learning_tensors (learning), ==, 100);
      while (done.iteration < 4 || !done.ends)
        {
          int before = done.iteration;

          g_assert_true (tosst_step_learning_step (learning, context, &done, &error));
          g_assert_cmpint (done.iteration, >=, MAX (before, 1));
          if (done.ends)
            g_assert_cmpfloat (done.after.objective, ==, ear.objective[split][done.iteration]);
        }
    }
  g_bytes_unref (ear.checkpoint);
  tosst_context_free (context);
}

static void
test_refused (void)
{
  static const char *const changes[][2]
      = { { "coding.method", "raw" }, { "dictionary.solver", "pqn" }, { "dictionary.minibatch", "40" } };
  TosstContext *context = tosst_context_new (1);

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (TosstRecipe) recipe = make_recipe ();
      g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (tosst_recipe_set (recipe, changes[i][0], changes[i][1], NULL));
      g_assert_null (tosst_step_learning_new (recipe, dataset, 0, NULL, 0, context, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);
    }
  tosst_context_free (context);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  images = folder;
  write_small_images (folder);
  g_test_add_data_func ("/step-learning/path", "grid", test_path);
  g_test_add_data_func ("/step-learning/keypoints", "keypoints", test_path);
  g_test_add_func ("/step-learning/refused", test_refused);
  status = g_test_run ();
  remove_small_images (folder);
  return status;
}
