/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * kill -9 in every stage of a run, in the middle and at its ends: what goes on afterwards comes to the bits of a run
 * that was left alone, does not do again what was kept, and leaves no file behind.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

#include "../small-images.h"
#include "core/run/hash.h"
#include "core/run/tensor-file.h"
#include "core/store/record.h"
#include "core/store/resume.h"
#include "run-same.h"
#include "small-run.h"
#include "store-place.h"

static char *program, *images;

static TosstRecipe *
make_recipe (void)
{
  static const char *const values[][2] = { { "dictionary.iterations", "3" }, { "classifier.choose-c", "true" } };
  TosstRecipe *recipe = small_recipe (images);

  set_values (recipe, G_N_ELEMENTS (values), values);
  return recipe;
}

/* Where the process kills itself, and its progress until then. */
typedef struct
{
  int stage, split;             /* split < 0: any */
  double fraction;              /* of the stage; > 1: never */
  double first[TOSST_N_STAGES]; /* first reported fraction of each after 0; NAN: none */
} Moment;

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  Moment *moment = data;

  if (fraction > 0 && isnan (moment->first[stage]))
    moment->first[stage] = fraction;
  if ((int)stage == moment->stage && (moment->split < 0 || split == moment->split) && fraction >= moment->fraction)
    raise (SIGKILL);
}

static TosstRunResult *
execute (TosstStore *store, gint64 run, const TosstRecipe *recipe, TosstDataset *dataset, double interval,
         Moment *moment)
{
  const TosstRunObserver observer = { .stage = on_stage, .data = moment };
  const TosstRecorded recorded = { .store = store, .run = run, .checkpoint = interval };
  TosstContext *context = tosst_context_new (1);
  g_autoptr (GError) error = NULL;
  TosstRunResult *result;
  gboolean mine;

  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    moment->first[stage] = NAN;
  g_assert_true (tosst_store_claim_run (store, run, 1, &mine, NULL) && mine);
  result = tosst_run_execute_recorded (recipe, dataset, context, &observer, &recorded, NULL, NULL, &error);
  g_assert_no_error (error);
  tosst_context_free (context);
  return result;
}

/* Arguments of the other process: PATH IMAGES RUN STAGE SPLIT FRACTION. */
static int
die (char **arguments)
{
  g_autoptr (GFile) file = g_file_new_for_path (arguments[0]);
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, NULL);
  g_autoptr (TosstRecipe) recipe = NULL;
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  Moment moment = { atoi (arguments[3]), atoi (arguments[4]), g_ascii_strtod (arguments[5], NULL) };

  images = arguments[1];
  recipe = make_recipe ();
  dataset = tosst_dataset_open (recipe, NULL, NULL);
  result = execute (store, atoi (arguments[2]), recipe, dataset, 1e-9, &moment);
  return 0;
}

static void
spawn_and_bury (Place *place, gint64 run, const Moment *moment)
{
  g_autofree char *number = g_strdup_printf ("%d", (int)run), *stage = g_strdup_printf ("%d", moment->stage),
                  *split = g_strdup_printf ("%d", moment->split), *fraction = g_strdup_printf ("%g", moment->fraction);
  char *argv[] = { program, (char *)"die", place->path, images, number, stage, split, fraction, NULL };
  g_autoptr (GError) error = NULL;
  int status;

  g_spawn_sync (NULL, argv, NULL, 0, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGKILL);
}

/* Rows of tensors left by the run. */
static gsize
count_rows_kept (TosstStore *store, const TosstRecipe *recipe, TosstDataset *dataset, gsize rows, gsize row_bytes)
{
  g_autofree char *hash = tosst_run_part_hash (recipe, tosst_dataset_fingerprint (dataset), TOSST_PART_TENSORS);
  g_autoptr (GFile) file = tosst_store_tensors_file (store, hash);
  g_autoptr (TosstTensorFile) kept = tosst_tensor_file_open (file, hash, rows, row_bytes, FALSE);

  return kept != NULL ? tosst_tensor_file_count (kept) : 0;
}

static guint
count_files (Place *place)
{
  g_autoptr (GDir) folder = g_dir_open (place->folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (folder)))
    n += g_str_has_suffix (name, ".checkpoint") || g_str_has_suffix (name, ".tensors") || g_str_has_prefix (name, ".");
  return n;
}

/* Work before the kill is not repeated, except for one step. The progress of learning refers to the rest. */
static void
check_kept (const Moment *killed, const Moment *after, double described)
{
  double first = after->first[killed->stage];

  g_assert_true (after->first[TOSST_STAGE_DESCRIBE] > described || after->first[TOSST_STAGE_DESCRIBE] == 1);
  if (killed->stage != TOSST_STAGE_LEARN && killed->fraction > 0 && killed->fraction < 1)
    g_assert_cmpfloat (first, >, killed->fraction - 0.3);
}

/* data: TOSST_RESIDENT_MB. */
static void
test_killed (Place *place, gconstpointer data)
{
  static const Moment moments[] = {
    { TOSST_STAGE_DESCRIBE, -1, 0.1 }, { TOSST_STAGE_DESCRIBE, -1, 0.6 }, { TOSST_STAGE_DESCRIBE, -1, 1 },
    { TOSST_STAGE_LEARN, 0, 0 },       { TOSST_STAGE_LEARN, 1, 0.5 },     { TOSST_STAGE_CODE, 0, 0.5 },
    { TOSST_STAGE_CODE, 1, 1 },        { TOSST_STAGE_TRAIN, 0, 0 },       { TOSST_STAGE_TRAIN, 0, 0.5 },
    { TOSST_STAGE_TRAIN, 1, 0.7 },     { TOSST_STAGE_TEST, 1, 0 },
  };
  g_autoptr (TosstRecipe) recipe = make_recipe ();
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  Moment never = { .fraction = 2 };
  g_autoptr (TosstRunResult) expected
      = execute (store, add_small_run (store, recipe, dataset, 1, TOSST_RUN_QUEUED), recipe, dataset, 1000, &never);
  gsize m = tosst_shape_numbers (tosst_recipe_shape (recipe));

  g_assert_true (g_setenv ("TOSST_RESIDENT_MB", data, TRUE));
  for (gsize i = 0; i < G_N_ELEMENTS (moments); i++)
    {
      gint64 run = add_small_run (store, recipe, dataset, 1, TOSST_RUN_QUEUED);
      g_autoptr (TosstStore) fresh = NULL;
      g_autoptr (TosstRunResult) result = NULL;
      gsize rows;

      g_test_message ("killed in stage %d of split %d, at %g", moments[i].stage, moments[i].split, moments[i].fraction);
      spawn_and_bury (place, run, &moments[i]);
      rows = count_rows_kept (store, recipe, dataset, expected->tensors, m * sizeof (float));
      g_assert_cmpuint (rows, >, 0);
      if (moments[i].stage > TOSST_STAGE_DESCRIBE)
        g_assert_cmpuint (rows, ==, expected->tensors);
      fresh = open_store (place, TOSST_STORE_WRITE);
      g_assert_true (tosst_store_requeue_run (fresh, run, NULL));
      result = execute (fresh, run, recipe, dataset, 1000, &never);
      assert_same (expected, result);
      check_kept (&moments[i], &never, (double)rows / (double)expected->tensors);
      g_assert_cmpuint (count_files (place), ==, 0);
    }
  g_unsetenv ("TOSST_RESIDENT_MB");
}

/* Cached rows are kept as long as a queued, running or stopped run needs them, and are deleted with the last of
 * them. */
static void
test_wanted (Place *place, gconstpointer data)
{
  static const Moment at = { TOSST_STAGE_LEARN, 0, 0.5 };
  g_autoptr (TosstRecipe) recipe = make_recipe (), other = make_recipe ();
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gint64 killed = add_small_run (store, recipe, dataset, 1, TOSST_RUN_QUEUED), queued, without;

  g_assert_true (tosst_recipe_set (other, "dictionary.atoms", "13", NULL));
  queued = add_small_run (store, other, dataset, 1, TOSST_RUN_QUEUED);
  g_assert_true (tosst_recipe_set (other, "descriptor.pivots", "3", NULL));
  without = add_small_run (store, other, dataset, 1, TOSST_RUN_QUEUED);
  g_assert_true (g_setenv ("TOSST_RESIDENT_MB", "0", TRUE));
  spawn_and_bury (place, killed, &at);
  g_unsetenv ("TOSST_RESIDENT_MB");
  tosst_store_free (g_steal_pointer (&store));
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_cmpuint (count_files (place), ==, 1);
  g_assert_true (tosst_store_delete (store, killed, NULL));
  g_assert_cmpuint (count_files (place), ==, 1);
  tosst_store_drop_tensors (store, TRUE);
  g_assert_cmpuint (count_files (place), ==, 1);
  g_assert_true (tosst_store_finish (store, queued, TOSST_RUN_STOPPED, NULL, NULL));
  g_assert_cmpuint (count_files (place), ==, 1);
  g_assert_true (tosst_store_finish (store, without, TOSST_RUN_DONE, NULL, NULL));
  g_assert_cmpuint (count_files (place), ==, 1);
  tosst_store_drop_tensors (store, TRUE);
  g_assert_cmpuint (count_files (place), ==, 0);
}

/* Those of a program that ended its last run, but not its work. */
static void
test_unwanted (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = make_recipe ();
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gint64 run = add_small_run (store, recipe, dataset, 1, TOSST_RUN_QUEUED);
  g_autofree char *hash = tosst_run_part_hash (recipe, tosst_dataset_fingerprint (dataset), TOSST_PART_TENSORS);
  g_autoptr (GFile) file = tosst_store_tensors_file (store, hash);

  for (int ended = 0; ended < 2; ended++)
    {
      g_autoptr (TosstStore) fresh = NULL;

      g_assert_true (g_file_set_contents (g_file_peek_path (file), "", 0, NULL));
      fresh = open_store (place, TOSST_STORE_WRITE);
      g_assert_cmpuint (count_files (place), ==, !ended);
      g_assert_true (ended || tosst_store_finish (store, run, TOSST_RUN_DONE, NULL, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int status;

  program = argv[0];
  if (argc == 8 && strcmp (argv[1], "die") == 0)
    return die (argv + 2);
  g_test_init (&argc, &argv, NULL);
  images = folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  write_small_images (folder);
  g_test_add ("/run-killed/memory", Place, "1000", set_up, test_killed, tear_down);
  g_test_add ("/run-killed/file", Place, "0", set_up, test_killed, tear_down);
  g_test_add ("/run-killed/wanted", Place, NULL, set_up, test_wanted, tear_down);
  g_test_add ("/run-killed/unwanted", Place, NULL, set_up, test_unwanted, tear_down);
  status = g_test_run ();
  remove_small_images (folder);
  return status;
}
