/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of runs: what goes in comes out, also of older and foreign files.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "core/base/error.h"
#include "core/report/against.h"
#include "store-place.h"

static double
metric_of (JsonObject *run, const char *name, const char *kind)
{
  JsonObject *metrics = json_object_get_object_member (run, "metrics");

  return json_object_get_double_member (json_object_get_object_member (metrics, name), kind);
}

static void
test_round_trip (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;

  g_assert_true (tosst_recipe_set (recipe, "dictionary.gamma", "inf", NULL));
  g_assert_true (tosst_recipe_set (recipe, "dictionary.lambda", "0.00123456789012345", NULL));
  gint64 id = add_whole_run (store, recipe);
  g_assert_true (tosst_store_set_note (store, id, "line\n\"quoted\", ż", &error));
  g_assert_true (tosst_store_tag (store, id, "zebra", TRUE, &error));
  g_assert_true (tosst_store_tag (store, id, "best", TRUE, &error));
  tosst_store_free (g_steal_pointer (&store));

  store = open_store (place, TOSST_STORE_READ);
  TosstStoreRun *run = only_run (store, &runs);
  g_assert_cmpint (run->state, ==, TOSST_RUN_DONE);
  g_assert_cmpstr (run->title, ==, "a title");
  g_assert_cmpstr (run->note, ==, "line\n\"quoted\", ż");
  g_assert_cmpstr (run->tags, ==, "best zebra");
  g_assert_cmpint (run->splits_done, ==, 3);
  /* Accuracies a, a + 1, a + 4. */
  double a = 50 + 1.0 / 8;
  g_assert_cmpfloat_with_epsilon (run->accuracy, a + 5.0 / 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (run->deviation, sqrt ((25.0 / 9 + 4.0 / 9 + 49.0 / 9) / 2), 1e-12);

  g_autoptr (JsonObject) all = tosst_store_run_json (store, id, &error);
  g_assert_no_error (error);
  JsonObject *parameters = json_object_get_object_member (all, "parameters");
  guint rows;
  tosst_parameters (&rows);
  g_assert_cmpuint (json_object_get_size (parameters), ==, rows);
  g_assert_cmpstr (json_object_get_string_member (parameters, "dictionary.gamma"), ==, "inf");
  g_assert_cmpstr (json_object_get_string_member (parameters, "dictionary.lambda"), ==, "0.00123456789012345");
  g_assert_cmpfloat (metric_of (all, "accuracy", "best"), ==, a + 4);
  g_assert_cmpfloat (metric_of (all, "accuracy", "last"), ==, a + 4);
  g_assert_cmpfloat (metric_of (all, "accuracy", "chosen"), ==, a);
  /* The last of 5, 6 and 7 iterations, averaged over splits. */
  double last = (objective_of (id, 0, 5) + objective_of (id, 1, 6) + objective_of (id, 2, 7)) / 3;
  g_assert_cmpfloat_with_epsilon (metric_of (all, "objective", "last"), last, 1e-9);
  g_assert_cmpfloat_with_epsilon (metric_of (all, "objective", "best"), last, 1e-9);

  g_autofree double *series = tosst_store_series (store, id, 2, "objective", &n, &error);
  g_assert_cmpuint (n, ==, 7);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (series[i], ==, objective_of (id, 2, (int)i + 1));
  g_autofree double *missing = tosst_store_series (store, id, 2, "worst_kkt", &n, &error);
  g_assert_cmpuint (n, ==, 7);
  g_assert_true (isnan (missing[0]));
  g_autoptr (GBytes) content = tosst_store_artifact (store, id, 0, "model.npz", &error), wanted = content_of (id, 6000);
  g_assert_true (g_bytes_equal (content, wanted));
  g_assert_null (tosst_store_artifact (store, id, 1, "model.npz", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
}

static void
test_export (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 3; i++)
    add_whole_run (store, NULL);
  g_assert_true (tosst_store_set_note (store, 2, "a, \"b\"\nc", &error));
  g_autoptr (GPtrArray) runs = list_runs (store, "-id", NULL);
  g_autofree char *csv = tosst_store_export_csv (store, runs, &error),
                  *json = tosst_store_export_json (store, runs, &error);
  g_autoptr (JsonNode) root = json_from_string (json, &error);
  g_assert_no_error (error);
  JsonArray *array = json_object_get_array_member (json_node_get_object (root), "runs");
  g_assert_cmpuint (json_array_get_length (array), ==, 3);
  g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (array, 0), "id"), ==, 3);
  g_assert_nonnull (strstr (csv, "\n2,done,,a title,\"a, \"\"b\"\"\nc\","));
  g_assert_nonnull (strstr (csv, ",dictionary.atoms,"));
  g_assert_nonnull (strstr (csv, ",accuracy.best,"));
}

static void
count_parameter (gint64 run, const char *name, const char *text, double number, gpointer data)
{
  guint *count = data;

  g_assert_cmpint (run, ==, 2);
  if (g_str_equal (name, "dictionary.gamma"))
    g_assert_true (isinf (number) && g_str_equal (text, "inf"));
  else if (g_str_equal (name, "pooling.kind"))
    g_assert_true (isnan (number) && g_str_equal (text, "average"));
  ++*count;
}

/* A reader detects writes of others, and only these. */
static void
test_each (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE), reader = open_store (place, TOSST_STORE_READ);
  g_autoptr (GError) error = NULL;
  gint64 before, between, after;
  guint n, wanted;

  g_assert_true (tosst_recipe_set (recipe, "dictionary.gamma", "inf", NULL));
  g_assert_true (tosst_recipe_set (recipe, "pooling.kind", "average", NULL));
  add_whole_run (store, NULL);
  g_assert_true (tosst_store_version (reader, &before, &error));
  g_autoptr (GPtrArray) runs = list_runs (reader, NULL, NULL);
  g_assert_true (tosst_store_version (reader, &between, &error));
  add_run (store, recipe, TOSST_RUN_QUEUED);
  g_assert_true (tosst_store_version (reader, &after, &error));
  g_assert_cmpint (before, ==, between);
  g_assert_cmpint (after, !=, between);

  const TosstStoreRun *run = g_ptr_array_index (runs, 0);
  g_assert_cmpfloat (run->best, ==, 54.125);
  g_assert_cmpfloat (run->nonzeros, ==, 3.5);
  g_assert_cmpfloat (run->seconds, ==, 15);
  g_assert_cmpstr (run->data, ==, "0123456789abcdef");
  n = 0;
  tosst_parameters (&wanted);
  g_assert_true (tosst_store_each_parameter (reader, 1, count_parameter, &n, &error));
  g_assert_cmpuint (n, ==, wanted);
}

static void
test_list (Place *place, gconstpointer data)
{
  static const char *const atoms[] = { "300", "9", "1000", "9" }, *const gamma[] = { "1", "inf", "0.5", "2" };
  static const char *const wrong[] = { "nothing=1", "id", "dictionary.atoms", "=3", "accuracy.bogus>1" };
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;

  assert_order (store, "-accuracy", NULL, ""); /* of a store without runs */
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

      g_assert_true (tosst_recipe_set (recipe, "dictionary.atoms", atoms[i], NULL));
      g_assert_true (tosst_recipe_set (recipe, "dictionary.gamma", gamma[i], NULL));
      g_assert_true (tosst_recipe_set (recipe, "pooling.kind", i % 2 ? "maxexp" : "average", NULL));
      if (i < 3)
        add_whole_run (store, recipe);
      else
        add_run (store, recipe, TOSST_RUN_QUEUED); /* without accuracy: last in either direction */
    }
  g_assert_true (tosst_store_tag (store, 3, "x'y", TRUE, &error));
  assert_order (store, NULL, NULL, "1 2 3 4");
  assert_order (store, "-id", NULL, "4 3 2 1");
  assert_order (store, "dictionary.atoms", NULL, "2 4 1 3");
  assert_order (store, "-dictionary.gamma", NULL, "2 4 1 3");
  assert_order (store, "pooling.kind", NULL, "1 3 2 4");
  assert_order (store, "accuracy", NULL, "1 2 3 4");
  assert_order (store, "-accuracy.best", NULL, "3 2 1 4");
  assert_order (store, "-objective.last", NULL, "3 2 1 4");
  assert_order (store, "-seconds.learn", "state=done", "3 2 1");
  assert_order (store, NULL, "dictionary.atoms>=300", "1 3");
  assert_order (store, NULL, "dictionary.atoms=9, state!=queued", "2");
  assert_order (store, NULL, "dictionary.gamma=inf", "2");
  assert_order (store, NULL, "dictionary.gamma<1e308", "1 3 4");
  assert_order (store, NULL, "pooling.kind~EXP", "2 4");
  assert_order (store, NULL, "dataset=Zebra's, tag=x'y", "3");
  assert_order (store, NULL, "tag!=x'y", "1 2 4");
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_null (tosst_store_list (store, NULL, wrong[i], &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
      g_clear_error (&error);
    }
  g_assert_null (tosst_store_list (store, "id; DROP TABLE runs", NULL, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
}

static void
test_change (Place *place, gconstpointer data)
{
  static const char *const tables[] = { "parameters", "series", "results", "metrics", "timings", "artifacts", "tags" };
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;

  gint64 one = add_whole_run (store, NULL), two = add_whole_run (store, NULL),
         live = add_run (store, NULL, TOSST_RUN_RUNNING);
  g_assert_true (tosst_store_tag (store, one, "a", TRUE, &error));
  g_assert_true (tosst_store_tag (store, one, "a", TRUE, &error)); /* a second call changes nothing */
  g_assert_false (tosst_store_tag (store, one, "a b", TRUE, &error));
  g_clear_error (&error);
  g_assert_false (tosst_store_set_note (store, 99, "x", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_clear_error (&error);
  g_assert_false (tosst_store_delete (store, live, &error)); /* it is running: this process exists */
  g_clear_error (&error);
  g_assert_true (tosst_store_delete (store, one, &error));
  g_assert_no_error (error);
  g_assert_false (tosst_store_delete (store, one, &error));
  g_clear_error (&error);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *sql = g_strdup_printf ("SELECT count(*) FROM %s WHERE run = 1", tables[i]);

      g_assert_cmpint (count_rows (place, sql), ==, 0);
    }
  /* The number of a deleted run is not reused. */
  g_assert_true (tosst_store_delete (store, two, &error));
  g_assert_cmpint (add_run (store, NULL, TOSST_RUN_QUEUED), ==, 4);
}

/* Version 1 as it was released, with a run. */
static const char version_1[]
    = "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, "
      "queued REAL, started REAL, finished REAL, version TEXT, numerics INTEGER, cpu TEXT, blas TEXT, threads INTEGER, "
      "data TEXT, dataset TEXT, classes TEXT, splits INTEGER, title TEXT NOT NULL DEFAULT '', note TEXT NOT NULL "
      "DEFAULT "
      "'', owner TEXT, heard REAL) STRICT;"
      "CREATE TABLE parameters (run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT NULL, text TEXT "
      "NOT "
      "NULL, number REAL, active INTEGER NOT NULL, PRIMARY KEY (run, name)) STRICT, WITHOUT ROWID;"
      "CREATE TABLE series (run INTEGER NOT NULL, split INTEGER NOT NULL, name TEXT NOT NULL, iteration INTEGER NOT "
      "NULL, "
      "value REAL, PRIMARY KEY (run, split, name, iteration)) STRICT, WITHOUT ROWID;"
      "CREATE TABLE results (run INTEGER NOT NULL, split INTEGER NOT NULL, name TEXT NOT NULL, value REAL, PRIMARY KEY "
      "(run, split, name)) STRICT, WITHOUT ROWID;"
      "CREATE TABLE metrics (run INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, value REAL, step INTEGER, "
      "PRIMARY KEY (run, name, kind)) STRICT, WITHOUT ROWID;"
      "CREATE TABLE timings (run INTEGER NOT NULL, stage TEXT NOT NULL, seconds REAL, PRIMARY KEY (run, stage)) "
      "STRICT, "
      "WITHOUT ROWID;"
      "CREATE TABLE artifacts (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, split INTEGER NOT NULL, name TEXT NOT "
      "NULL, "
      "bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, content BLOB NOT NULL, UNIQUE (run, name, split)) STRICT;"
      "CREATE TABLE tags (run INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (run, tag)) STRICT, WITHOUT ROWID;"
      "INSERT INTO runs (hash, state, title, splits) VALUES ('abc', 'done', 'old', 1);"
      "INSERT INTO parameters VALUES (1, 'dictionary.atoms', '70', 70, 1), (1, 'dictionary.gone', '3', 3, 1);"
      "INSERT INTO metrics VALUES (1, 'accuracy', 'mean', 77.5, NULL);"
      "PRAGMA application_id = 1414746964; PRAGMA user_version = 1;";

static void
test_migration (Place *place, gconstpointer data)
{
  g_autoptr (GPtrArray) runs = NULL;
  gint64 found;

  run_sql (place, version_1);
  g_autoptr (TosstStore) store = open_store (place, data ? TOSST_STORE_WRITE : TOSST_STORE_READ);
  TosstStoreRun *run = only_run (store, &runs);
  g_assert_cmpstr (run->title, ==, "old");
  g_assert_cmpfloat (run->accuracy, ==, 77.5);
  assert_order (store, "dictionary.gone", "dictionary.atoms=70", "1"); /* a parameter unknown to this program */
  g_assert_true (tosst_store_find (store, "abc", &found, NULL));
  g_assert_cmpint (found, ==, 1);
  g_assert_cmpint (count_rows (place, "PRAGMA user_version"), ==, 3);
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM members"), ==, 0);
  g_assert_cmpint (add_whole_run (store, NULL), ==, 2);
}

static void
test_refused (Place *place, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (TosstStore) store = NULL;

  assert_fails (place, TOSST_STORE_READ, TOSST_FAILED_INPUT, "there is no store");
  g_assert_false (g_file_test (place->path, G_FILE_TEST_EXISTS));
  for (int i = 0; i < 2000; i++)
    g_string_append (text, "a,b,metrics,parameters\n");
  g_assert_true (g_file_set_contents (place->path, text->str, -1, NULL));
  g_autoptr (GBytes) before = file_contents (place->path);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_INPUT, "not a store of runs");
  assert_fails (place, TOSST_STORE_READ, TOSST_FAILED_INPUT, "not a store of runs");
  g_autoptr (GBytes) after = file_contents (place->path);
  g_assert_true (g_bytes_equal (before, after));
  g_unlink (place->path);

  run_sql (place, "CREATE TABLE runs (x); INSERT INTO runs VALUES (1)");
  g_autoptr (GBytes) others = file_contents (place->path);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_INPUT, "another program");
  assert_fails (place, TOSST_STORE_READ, TOSST_FAILED_INPUT, "another program");
  g_autoptr (GBytes) others_after = file_contents (place->path);
  g_assert_true (g_bytes_equal (others, others_after));
  g_unlink (place->path);

  store = open_store (place, TOSST_STORE_WRITE);
  tosst_store_free (g_steal_pointer (&store));
  run_sql (place, "PRAGMA user_version = 99");
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_INPUT, "newer version");
  assert_fails (place, TOSST_STORE_READ, TOSST_FAILED_INPUT, "newer version");
  g_assert_cmpint (count_rows (place, "PRAGMA user_version"), ==, 99);
  g_unlink (place->path);

  /* An empty file counts as missing. */
  g_assert_true (g_file_set_contents (place->path, "", 0, NULL));
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_cmpint (add_run (store, NULL, TOSST_RUN_QUEUED), ==, 1);
  tosst_store_free (g_steal_pointer (&store));

  g_autofree char *nowhere = g_build_filename (place->folder, "no", "runs.sqlite", NULL);
  g_set_object (&place->file, g_file_new_for_path (nowhere));
  g_object_unref (place->file);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_OUTPUT, "folder");
  g_set_object (&place->file, g_file_new_for_path (place->folder));
  g_object_unref (place->file);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_INPUT, "is a folder");
}

/* A run of this hash, by 33 atoms; problem: or NULL. */
static gint64
enlist (TosstStore *store, gint64 sweep, const char *hash, const char *problem, gboolean again)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  const TosstRunSpec spec = { recipe, { .hash = hash, .split = -1, .title = hash, .splits = 3 }, problem };
  g_autoptr (GError) error = NULL;
  gint64 run;

  g_assert_true (tosst_recipe_set (recipe, "dictionary.atoms", "33", NULL));
  g_assert_true (tosst_store_queue_runs (store, sweep, &spec, 1, again, &run, &error));
  g_assert_no_error (error);
  return run;
}

static gboolean
claim (TosstStore *store, gint64 run)
{
  gboolean mine;

  g_assert_true (tosst_store_claim_run (store, run, 2, &mine, NULL));
  return mine;
}

/* A run belongs to every sweep that contains it, and keeps its finished splits. */
static void
test_sweep (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;
  gint64 one = tosst_store_add_sweep (store, "one", "[sweep]\n1", &error),
         two = tosst_store_add_sweep (store, "two", "[sweep]\n2", &error), found;
  gint64 run = enlist (store, one, "a", NULL, FALSE);

  g_assert_true (tosst_store_find_sweep (store, "[sweep]\n2", &found, &error));
  g_assert_cmpint (found, ==, two);
  g_autoptr (TosstRecipe) recipe = tosst_store_recipe (store, run, &error);
  g_assert_no_error (error);
  g_assert_cmpint (recipe->dictionary.atoms, ==, 33);
  g_assert_true (claim (store, run));
  g_assert_false (claim (store, run));
  g_assert_cmpint (enlist (store, one, "a", NULL, FALSE), ==, run); /* it is under way */
  add_iterations (store, run, 0, 3);
  add_split (store, run, 0, 20);
  add_iterations (store, run, 1, 2);
  finish_run (store, run, TOSST_RUN_STOPPED, "interrupted");
  g_assert_cmpint (enlist (store, two, "a", NULL, FALSE), ==, run);
  assert_order (store, NULL, "state=queued, sweep=1", "1");
  assert_order (store, NULL, "state=queued, sweep=2", "1");
  g_autoptr (GArray) splits = tosst_store_splits (store, run, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (splits->len, ==, 1);
  g_assert_cmpfloat (g_array_index (splits, TosstSplitResult, 0).accuracy, ==, 20);
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM series WHERE name = 'objective'"), ==, 5);
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM metrics"), ==, 0);
  g_assert_true (claim (store, run));
  finish_run (store, run, TOSST_RUN_FAILED, "NaN");
  enlist (store, two, "a", NULL, FALSE);
  assert_order (store, NULL, "state=failed", "1");
  enlist (store, two, "a", NULL, TRUE);
  assert_order (store, NULL, "state=queued", "1");

  gint64 hopeless = enlist (store, one, "b", "no atoms", FALSE);
  g_assert_cmpint (enlist (store, one, "b", "no atoms", TRUE), ==, hopeless);
  assert_order (store, NULL, "state=failed, reason=no atoms", "2");
  g_assert_true (tosst_store_find_failed (store, one, "b", &found, &error));
  g_assert_cmpint (found, ==, hopeless);
  g_assert_null (tosst_store_recipe (store, 99, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
}

static void
test_busy (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;
  sqlite3 *other;

  add_whole_run (store, NULL);
  g_assert_cmpint (sqlite3_open (place->path, &other), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (other, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
  assert_order (store, "-accuracy", NULL, "1"); /* reading does not wait for the lock, which is held until the end */
  g_assert_false (tosst_store_set_note (store, 1, "x", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_nonnull (strstr (error->message, "locked by another program"));
  g_clear_error (&error);
  sqlite3_close (other);
  g_assert_true (tosst_store_set_note (store, 1, "x", &error));
}

/* A statement that takes some 10^7 steps ends when it is cancelled; short ones do not check. */
static void
test_cancelled (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  TosstContext *context = tosst_context_new (1);
  g_autoptr (GError) error = NULL;

  run_sql (place, "INSERT INTO sweeps (id, recipe, created) VALUES (7, '', 0)");
  fill_slow_sweep (place, 7);
  tosst_store_set_cancel (store, cancellable, NULL);
  g_cancellable_cancel (cancellable);
  g_assert_null (tosst_store_list (store, NULL, "sweep=7", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  g_assert_true (g_str_has_suffix (error->message, ": cancelled"));
  g_clear_error (&error);
  tosst_store_set_cancel (store, NULL, context);
  tosst_context_cancel (context);
  g_assert_null (tosst_store_list (store, NULL, "sweep=7", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  g_clear_error (&error);
  g_assert_true (tosst_store_set_note (store, 1, "short", &error));
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM runs WHERE note = 'short'"), ==, 1);
  tosst_context_free (context);
}

/* Done, with the accuracies of three splits. */
static gint64
add_accuracies (TosstStore *store, const TosstRecipe *recipe, double first, double second, double third)
{
  gint64 run = add_run (store, recipe, TOSST_RUN_RUNNING);

  add_split (store, run, 0, first);
  add_split (store, run, 1, second);
  add_split (store, run, 2, third);
  finish_run (store, run, TOSST_RUN_DONE, NULL);
  return run;
}

/* Only an earlier run of the same splits is compared with, the latest one first. */
static void
test_earlier (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  g_autofree char *none = NULL, *like = NULL, *better = NULL;
  gint64 first, second;

  first = add_accuracies (store, recipe, 80, 82, 81);
  none = tosst_against_earlier (store, first, NULL);
  g_assert_null (none);
  tosst_recipe_set (recipe, "dataset.seed", "77", NULL);
  second = add_accuracies (store, recipe, 90, 90, 90); /* other splits */
  none = tosst_against_earlier (store, second, NULL);
  g_assert_null (none);
  tosst_recipe_set (recipe, "dataset.seed", "1", NULL);
  tosst_recipe_set (recipe, "dictionary.atoms", "20", NULL);
  second = add_accuracies (store, recipe, 82, 81, 83); /* differences 2, -1, 2 */
  like = tosst_against_earlier (store, second, NULL);
  g_assert_nonnull (strstr (like, "+1.0 points (95 % interval −"));
  g_assert_nonnull (strstr (like, "no difference that these splits can show"));
  tosst_recipe_set (recipe, "dictionary.atoms", "30", NULL);
  second = add_accuracies (store, recipe, 92, 91.1, 93); /* 10, 10.1, 10 */
  better = tosst_against_earlier (store, second, NULL);
  g_assert_nonnull (strstr (better, "+10.0 points"));
  g_assert_null (strstr (better, "no difference"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_TEST ("round-trip", NULL, test_round_trip);
  ADD_TEST ("export", NULL, test_export);
  ADD_TEST ("each", NULL, test_each);
  ADD_TEST ("list", NULL, test_list);
  ADD_TEST ("change", NULL, test_change);
  ADD_TEST ("migration/write", "write", test_migration);
  ADD_TEST ("migration/read", NULL, test_migration);
  ADD_TEST ("refused", NULL, test_refused);
  ADD_TEST ("sweep", NULL, test_sweep);
  ADD_TEST ("busy", NULL, test_busy);
  ADD_TEST ("cancelled", NULL, test_cancelled);
  ADD_TEST ("earlier", NULL, test_earlier);
  return g_test_run ();
}
