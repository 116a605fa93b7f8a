/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store of many runs: filling it, opening it, and listing its runs sorted by parameters and metrics. --runs N (2000).
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <glib/gstdio.h>

#include "core/run/hash.h"
#include "core/store/store.h"
#include "tosst/context.h"

#define SPLITS 10
#define ITERATIONS 30
#define CLASSES 20
#define REPEATS 5

static void
check (gboolean ok, GError *error)
{
  if (!ok)
    g_error ("%s", error->message);
}

static void
add_run (TosstStore *store, TosstRecipe *recipe, TosstRandom *random)
{
  static const char *const names[] = { "a", NULL };
  g_autofree TosstStoreIteration *rows = g_new0 (TosstStoreIteration, ITERATIONS);
  g_autofree int *confusion = g_new0 (int, CLASSES *CLASSES);
  const double seconds[TOSST_N_STAGES] = { tosst_random_uniform (random) };
  g_autoptr (GError) error = NULL;

  recipe->dictionary.atoms = 10 + (int)tosst_random_below (random, 2000);
  recipe->dictionary.lambda = exp (-10 * tosst_random_uniform (random));
  g_autofree char *hash = tosst_run_hash (recipe, "0123456789abcdef", -1);
  const TosstStoreOrigin origin
      = { hash, "0", 1, "a processor", "a kernel", 2, "0123456789abcdef", "data", names, SPLITS, "", 0, -1 };
  gint64 run = tosst_store_add (store, recipe, &origin, TOSST_RUN_RUNNING, &error);
  check (run > 0, error);
  for (int split = 0; split < SPLITS; split++)
    {
      const TosstSplitResult result = { .split = split,
                                        .accuracy = 100 * tosst_random_uniform (random),
                                        .confusion = confusion,
                                        .mean_nonzeros = 3,
                                        .worst_kkt = 1e-9,
                                        .objective = 5,
                                        .c = 100 };

      for (int i = 0; i < ITERATIONS; i++)
        rows[i] = (TosstStoreIteration){ split, { .iteration = i + 1, .objective = tosst_random_uniform (random) } };
      check (tosst_store_add_iterations (store, run, rows, ITERATIONS, &error), error);
      check (tosst_store_add_split (store, run, &result, CLASSES, &error), error);
    }
  check (tosst_store_set_seconds (store, run, seconds, 1, &error), error);
  check (tosst_store_finish (store, run, TOSST_RUN_DONE, NULL, &error), error);
}

static void
fill (GFile *file, int n)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, &error);
  TosstRandom random;
  double start = bench_seconds ();

  check (store != NULL, error);
  tosst_random_init (&random, 1, 0);
  for (int i = 0; i < n; i++)
    add_run (store, recipe, &random);
  double taken = bench_seconds () - start;
  g_print ("filling: %.1f s, %.2f ms a run of %d iterations and %d splits\n", taken, 1e3 * taken / n,
           SPLITS * ITERATIONS, SPLITS);
}

/* Opening for the first time in this process, and a sorted list. */
static void
measure (GFile *file, const char *key, const char *filter)
{
  double seconds[REPEATS], busy[REPEATS];
  guint found = 0;

  for (int r = 0; r < REPEATS; r++)
    {
      g_autoptr (GError) error = NULL;
      double start = bench_seconds (), ticks = (double)clock ();
      g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_READ, &error);
      check (store != NULL, error);
      g_autoptr (GPtrArray) runs = tosst_store_list (store, key, filter, &error);
      check (runs != NULL, error);

      seconds[r] = bench_seconds () - start;
      busy[r] = ((double)clock () - ticks) / CLOCKS_PER_SEC;
      found = runs->len;
    }
  g_print ("open and list by %-22s %-26s %4u runs  %6.1f ms, %.1f ms of processor\n", key, filter ? filter : "", found,
           1e3 * bench_median (seconds, REPEATS), 1e3 * bench_median (busy, REPEATS));
}

static void
count_parameter (gint64 run, const char *name, const char *text, double number, gpointer data)
{
  ++*(guint *)data;
}

/* All that a table of all runs wants, as the window reads it in the background. */
static void
measure_table (GFile *file)
{
  double seconds[REPEATS], busy[REPEATS];
  guint values = 0;

  for (int r = 0; r < REPEATS; r++)
    {
      g_autoptr (GError) error = NULL;
      double start = bench_seconds (), ticks = (double)clock ();
      g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_READ, &error);
      check (store != NULL, error);
      g_autoptr (GPtrArray) runs = tosst_store_list (store, NULL, NULL, &error);
      values = 0;
      check (runs != NULL, error);
      check (tosst_store_each_parameter (store, 0, count_parameter, &values, &error), error);

      seconds[r] = bench_seconds () - start;
      busy[r] = ((double)clock () - ticks) / CLOCKS_PER_SEC;
    }
  g_print ("open and read all with %u parameters  %6.1f ms, %.1f ms of processor\n", values,
           1e3 * bench_median (seconds, REPEATS), 1e3 * bench_median (busy, REPEATS));
}

int
main (int argc, char **argv)
{
  static const char *const keys[]
      = { "id",        "-started",      "dictionary.atoms", "-dictionary.lambda", "pooling.kind",
          "-accuracy", "accuracy.best", "objective.last",   "seconds.learn" };
  g_autofree char *folder = g_dir_make_tmp ("tosst-bench-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "runs.sqlite", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  GStatBuf info;
  int n = 2000;

  for (int i = 1; i + 1 < argc; i++)
    if (strcmp (argv[i], "--runs") == 0)
      n = atoi (argv[i + 1]);
  fill (file, n);
  if (g_stat (path, &info) == 0)
    g_print ("%d runs, %.1f MB\n", n, info.st_size / 1e6);
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    measure (file, keys[k], NULL);
  measure (file, "-accuracy", "dictionary.atoms>=1000");
  measure_table (file);
  double start = bench_seconds ();
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, &error);
  g_print ("open to write, looking for damage  %6.1f ms\n", 1e3 * (bench_seconds () - start));
  g_autoptr (GPtrArray) runs = tosst_store_list (store, NULL, NULL, &error);
  start = bench_seconds ();
  g_autofree char *csv = tosst_store_export_csv (store, runs, &error);
  g_print ("CSV of all, %.1f MB  %6.1f ms\n", strlen (csv) / 1e6, 1e3 * (bench_seconds () - start));
  g_clear_pointer (&store, tosst_store_free);
  g_unlink (path);
  g_rmdir (folder);
  return 0;
}
