/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "core/base/error.h"
#include "core/run/hash.h"
#include "store-place.h"

static const char *const names[] = { "one", "two, three", NULL };

void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("tosst store XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "runs.sqlite", NULL);
  place->file = g_file_new_for_path (place->path);
}

void
tear_down (Place *place, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (place->folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (place->folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (place->folder);
  g_free (place->folder);
  g_free (place->path);
  g_object_unref (place->file);
}

TosstStore *
open_store (Place *place, TosstStoreMode mode)
{
  g_autoptr (GError) error = NULL;
  TosstStore *store = tosst_store_open (place->file, mode, &error);

  g_assert_no_error (error);
  return store;
}

void
assert_fails (Place *place, TosstStoreMode mode, TosstFailure failure, const char *fragment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (place->file, mode, &error);

  if (store)
    g_error ("opened, instead of “%s”", fragment);
  g_assert_error (error, TOSST_ERROR, (int)failure);
  if (!strstr (error->message, fragment))
    g_error ("“%s” is not in: %s", fragment, error->message);
}

gint64
add_run (TosstStore *store, const TosstRecipe *recipe, TosstRunState state)
{
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  g_autofree char *hash = tosst_run_hash (recipe ? recipe : defaults, "0123456789abcdef", -1);
  const TosstStoreOrigin origin
      = { hash, "0.1.0", 1, "a processor", "Haswell", 2, "0123456789abcdef", "Zebra's", names, 3, "a title", 0, -1 };
  g_autoptr (GError) error = NULL;
  gint64 run = tosst_store_add (store, recipe ? recipe : defaults, &origin, state, &error);

  g_assert_no_error (error);
  g_assert_cmpint (run, >, 0);
  return run;
}

double
objective_of (gint64 run, int split, int iteration)
{
  return 1000.0 * (double)run + 100.0 * split + 10.0 / iteration;
}

void
add_iterations (TosstStore *store, gint64 run, int split, int n)
{
  g_autofree TosstStoreIteration *rows = g_new0 (TosstStoreIteration, n);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < n; i++)
    rows[i] = (TosstStoreIteration){
      split, { .iteration = i + 1, .objective = objective_of (run, split, i + 1), .worst_kkt = NAN }
    };
  g_assert_true (tosst_store_add_iterations (store, run, rows, (gsize)n, &error));
  g_assert_no_error (error);
}

void
add_split (TosstStore *store, gint64 run, int split, double accuracy)
{
  int confusion[] = { 7, 1, (int)run, 8 };
  const TosstSplitResult result = { .split = split,
                                    .accuracy = accuracy,
                                    .confusion = confusion,
                                    .mean_nonzeros = 3.5,
                                    .worst_kkt = 1e-9,
                                    .objective = INFINITY,
                                    .c = 10 };
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_store_add_split (store, run, &result, 2, &error));
  g_assert_no_error (error);
}

void
finish_run (TosstStore *store, gint64 run, TosstRunState state, const char *reason)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_store_finish (store, run, state, reason, &error));
  g_assert_no_error (error);
}

/* The contents of the artifact of a run of this number. */
GBytes *
content_of (gint64 run, gsize size)
{
  guint8 *data = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8)(i * 31 + (gsize)run * 17 + i / 251);
  return g_bytes_new_take (data, size);
}

gint64
add_whole_run (TosstStore *store, const TosstRecipe *recipe)
{
  gint64 run = add_run (store, recipe, TOSST_RUN_RUNNING);
  g_autoptr (GBytes) content = content_of (run, 6000);
  const double seconds[TOSST_N_STAGES] = { 1, 2, 3, 4, 5 };
  g_autoptr (GError) error = NULL;

  for (int split = 0; split < 3; split++)
    {
      add_iterations (store, run, split, 5 + split);
      add_split (store, run, split, 50 + (double)run / 8 + split * split);
    }
  g_assert_true (tosst_store_add_artifact (store, run, 0, "model.npz", content, &error));
  g_assert_true (tosst_store_set_seconds (store, run, seconds, 15, &error));
  finish_run (store, run, TOSST_RUN_DONE, NULL);
  return run;
}

GPtrArray *
list_runs (TosstStore *store, const char *sort, const char *filter)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *runs = tosst_store_list (store, sort, filter, &error);

  g_assert_no_error (error);
  return runs;
}

TosstStoreRun *
only_run (TosstStore *store, GPtrArray **runs)
{
  *runs = list_runs (store, NULL, NULL);
  g_assert_cmpuint ((*runs)->len, ==, 1);
  return g_ptr_array_index (*runs, 0);
}

void
run_sql (Place *place, const char *sql)
{
  sqlite3 *db;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (place->path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
}

void
fill_slow_sweep (Place *place, gint64 sweep)
{
  g_autofree char *sql = g_strdup_printf (
      "DROP INDEX members_run; INSERT INTO runs (hash, state) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
      "SELECT i + 1 FROM n LIMIT 2000) SELECT '', 'done' FROM n; "
      "INSERT INTO members SELECT %" G_GINT64_FORMAT ", id, 1 FROM runs",
      sweep);

  run_sql (place, sql);
}

gint64
count_rows (Place *place, const char *sql)
{
  sqlite3 *db;
  sqlite3_stmt *row;

  g_assert_cmpint (sqlite3_open (place->path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &row, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (row), ==, SQLITE_ROW);
  gint64 n = sqlite3_column_int64 (row, 0);
  sqlite3_finalize (row);
  sqlite3_close (db);
  return n;
}

void
assert_order (TosstStore *store, const char *sort, const char *filter, const char *wanted)
{
  g_autoptr (GPtrArray) runs = list_runs (store, sort, filter);
  g_autoptr (GString) got = g_string_new (NULL);

  for (guint i = 0; i < runs->len; i++)
    g_string_append_printf (got, "%s%d", i ? " " : "", (int)((TosstStoreRun *)g_ptr_array_index (runs, i))->id);
  if (!g_str_equal (got->str, wanted))
    g_error ("sorted by %s, filtered by %s: %s, not %s", sort, filter, got->str, wanted);
}

GBytes *
file_contents (const char *path)
{
  char *data;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  return g_bytes_new_take (data, size);
}
