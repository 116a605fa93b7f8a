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
#include "core/store/record.h"
#include "own-cache.h"
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

static guint
count_files (Place *place)
{
  g_autoptr (GDir) folder = g_dir_open (place->folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (folder)))
    n += g_str_has_suffix (name, ".checkpoint") || g_str_has_prefix (name, ".");
  return n;
}

/* Work before the kill is not repeated, except for one step. The progress of learning refers to the rest. */
static void
check_kept (const Moment *killed, const Moment *after)
{
  double first = after->first[killed->stage];

  if (killed->stage != TOSST_STAGE_LEARN && killed->stage != TOSST_STAGE_DESCRIBE && killed->fraction > 0
      && killed->fraction < 1)
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
  g_setenv ("TOSST_CACHE_MB", "0", TRUE);
  g_autoptr (TosstRunResult) expected
      = execute (store, add_small_run (store, recipe, dataset, 1, TOSST_RUN_QUEUED), recipe, dataset, 1000, &never);
  g_setenv ("TOSST_CACHE_MB", "1000", TRUE);
  g_assert_true (g_setenv ("TOSST_RESIDENT_MB", data, TRUE));
  for (gsize i = 0; i < G_N_ELEMENTS (moments); i++)
    {
      gint64 run = add_small_run (store, recipe, dataset, 1, TOSST_RUN_QUEUED);
      g_autoptr (TosstStore) fresh = NULL;
      g_autoptr (TosstRunResult) result = NULL;
      g_autoptr (GPtrArray) kept = NULL, again = NULL;

      g_test_message ("killed in stage %d of split %d, at %g", moments[i].stage, moments[i].split, moments[i].fraction);
      spawn_and_bury (place, run, &moments[i]);
      kept = list_cache ();
      g_assert_cmpuint (kept->len, >, 0);
      if (moments[i].stage > TOSST_STAGE_DESCRIBE)
        g_assert_cmpuint (kept->len, ==, dataset->entries->len);
      for (guint k = 0; k < kept->len; k++)
        set_age (kept->pdata[k], 1000000000);
      fresh = open_store (place, TOSST_STORE_WRITE);
      g_assert_true (tosst_store_requeue_run (fresh, run, NULL));
      result = execute (fresh, run, recipe, dataset, 1000, &never);
      assert_same (expected, result);
      check_kept (&moments[i], &never);
      g_assert_cmpuint (count_files (place), ==, 0);
      again = list_cache ();
      g_assert_cmpuint (again->len, ==, dataset->entries->len);
      /* With fewer splits left, or codes of all images, it may need none. */
      for (guint k = 0; moments[i].stage == TOSST_STAGE_DESCRIBE && k < kept->len; k++)
        g_assert_cmpint (get_age (kept->pdata[k]), >, 1000000000);
      tosst_disk_cache_clear ();
    }
  g_unsetenv ("TOSST_RESIDENT_MB");
}

/* Files of tensors that earlier versions left beside a store are deleted. */
static void
test_earlier (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = NULL;
  g_autofree char *path = g_strdup_printf ("%s-0123456789abcdef0123456789abcdef.tensors", place->path);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL, *cache = NULL;
  int status;

  program = argv[0];
  if (argc == 8 && strcmp (argv[1], "die") == 0)
    return die (argv + 2);
  g_test_init (&argc, &argv, NULL);
  cache = make_cache ();
  images = folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  write_small_images (folder);
  g_test_add ("/run-killed/memory", Place, "1000", set_up, test_killed, tear_down);
  g_test_add ("/run-killed/file", Place, "0", set_up, test_killed, tear_down);
  g_test_add ("/run-killed/earlier", Place, NULL, set_up, test_earlier, tear_down);
  status = g_test_run ();
  remove_small_images (folder);
  remove_cache (cache);
  return status;
}
