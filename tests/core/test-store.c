/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of runs: what goes in comes out, in one process and several, after kill -9 and after damage.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "error.h"
#include "run-identity.h"
#include "run-record.h"
#include "store.h"

static const char *const names[] = { "one", "two, three", NULL };
static char *program;

typedef struct
{
  char *folder, *path;
  GFile *file;
} Place;

static void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("tosst store XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "runs.sqlite", NULL);
  place->file = g_file_new_for_path (place->path);
}

static void
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

static TosstStore *
open_store (Place *place, TosstStoreMode mode)
{
  g_autoptr (GError) error = NULL;
  TosstStore *store = tosst_store_open (place->file, mode, &error);

  g_assert_no_error (error);
  return store;
}

static void
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

static gint64
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

static double
objective_of (gint64 run, int split, int iteration)
{
  return 1000.0 * (double)run + 100.0 * split + 10.0 / iteration;
}

static void
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

static void
add_split (TosstStore *store, gint64 run, int split, double accuracy)
{
  int confusion[] = { 7, 1, (int)run, 8 };
  const TosstSplitResult result = { split, accuracy, confusion, 3.5, 1e-9, INFINITY, 10, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_store_add_split (store, run, &result, 2, &error));
  g_assert_no_error (error);
}

static void
finish (TosstStore *store, gint64 run, TosstRunState state, const char *reason)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_store_finish (store, run, state, reason, &error));
  g_assert_no_error (error);
}

/* What kind of bytes a run of this number has as its artifact. */
static GBytes *
content_of (gint64 run, gsize size)
{
  guint8 *data = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8)(i * 31 + (gsize)run * 17 + i / 251);
  return g_bytes_new_take (data, size);
}

static gint64
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
  finish (store, run, TOSST_RUN_DONE, NULL);
  return run;
}

static GPtrArray *
list (TosstStore *store, const char *sort, const char *filter)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *runs = tosst_store_list (store, sort, filter, &error);

  g_assert_no_error (error);
  return runs;
}

static TosstStoreRun *
only_run (TosstStore *store, GPtrArray **runs)
{
  *runs = list (store, NULL, NULL);
  g_assert_cmpuint ((*runs)->len, ==, 1);
  return g_ptr_array_index (*runs, 0);
}

static double
metric (JsonObject *run, const char *name, const char *kind)
{
  JsonObject *metrics = json_object_get_object_member (run, "metrics");

  return json_object_get_double_member (json_object_get_object_member (metrics, name), kind);
}

static gint64
count (Place *place, const char *sql)
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

static void
execute (Place *place, const char *sql)
{
  sqlite3 *db;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (place->path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
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
  g_assert_cmpfloat (metric (all, "accuracy", "best"), ==, a + 4);
  g_assert_cmpfloat (metric (all, "accuracy", "last"), ==, a + 4);
  g_assert_cmpfloat (metric (all, "accuracy", "chosen"), ==, a);
  /* The last of 5, 6 and 7 iterations, averaged over splits. */
  double last = (objective_of (id, 0, 5) + objective_of (id, 1, 6) + objective_of (id, 2, 7)) / 3;
  g_assert_cmpfloat_with_epsilon (metric (all, "objective", "last"), last, 1e-9);
  g_assert_cmpfloat_with_epsilon (metric (all, "objective", "best"), last, 1e-9);

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
  g_autoptr (GPtrArray) runs = list (store, "-id", NULL);
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
assert_order (TosstStore *store, const char *sort, const char *filter, const char *wanted)
{
  g_autoptr (GPtrArray) runs = list (store, sort, filter);
  g_autoptr (GString) got = g_string_new (NULL);

  for (guint i = 0; i < runs->len; i++)
    g_string_append_printf (got, "%s%d", i ? " " : "", (int)((TosstStoreRun *)g_ptr_array_index (runs, i))->id);
  if (!g_str_equal (got->str, wanted))
    g_error ("sorted by %s, filtered by %s: %s, not %s", sort, filter, got->str, wanted);
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
  g_assert_true (tosst_store_tag (store, one, "a", TRUE, &error)); /* once more changes nothing */
  g_assert_false (tosst_store_tag (store, one, "a b", TRUE, &error));
  g_clear_error (&error);
  g_assert_false (tosst_store_set_note (store, 99, "x", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_clear_error (&error);
  g_assert_false (tosst_store_delete (store, live, &error)); /* it is running: this process is there */
  g_clear_error (&error);
  g_assert_true (tosst_store_delete (store, one, &error));
  g_assert_no_error (error);
  g_assert_false (tosst_store_delete (store, one, &error));
  g_clear_error (&error);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *sql = g_strdup_printf ("SELECT count(*) FROM %s WHERE run = 1", tables[i]);

      g_assert_cmpint (count (place, sql), ==, 0);
    }
  /* The number of a run that was deleted is not given to another one. */
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

  execute (place, version_1);
  g_autoptr (TosstStore) store = open_store (place, data ? TOSST_STORE_WRITE : TOSST_STORE_READ);
  TosstStoreRun *run = only_run (store, &runs);
  g_assert_cmpstr (run->title, ==, "old");
  g_assert_cmpfloat (run->accuracy, ==, 77.5);
  assert_order (store, "dictionary.gone", "dictionary.atoms=70", "1"); /* a parameter that this program does not know */
  g_assert_true (tosst_store_find (store, "abc", &found, NULL));
  g_assert_cmpint (found, ==, 1);
  g_assert_cmpint (count (place, "PRAGMA user_version"), ==, 2);
  g_assert_cmpint (count (place, "SELECT count(*) FROM sweeps"), ==, 0);
  g_assert_cmpint (add_whole_run (store, NULL), ==, 2);
}

static GBytes *
contents (const char *path)
{
  char *data;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  return g_bytes_new_take (data, size);
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
  g_autoptr (GBytes) before = contents (place->path);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_INPUT, "not a store of runs");
  assert_fails (place, TOSST_STORE_READ, TOSST_FAILED_INPUT, "not a store of runs");
  g_autoptr (GBytes) after = contents (place->path);
  g_assert_true (g_bytes_equal (before, after));
  g_unlink (place->path);

  execute (place, "CREATE TABLE runs (x); INSERT INTO runs VALUES (1)");
  g_autoptr (GBytes) others = contents (place->path);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_INPUT, "another program");
  assert_fails (place, TOSST_STORE_READ, TOSST_FAILED_INPUT, "another program");
  g_autoptr (GBytes) others_after = contents (place->path);
  g_assert_true (g_bytes_equal (others, others_after));
  g_unlink (place->path);

  store = open_store (place, TOSST_STORE_WRITE);
  tosst_store_free (g_steal_pointer (&store));
  execute (place, "PRAGMA user_version = 99");
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_INPUT, "newer version");
  assert_fails (place, TOSST_STORE_READ, TOSST_FAILED_INPUT, "newer version");
  g_assert_cmpint (count (place, "PRAGMA user_version"), ==, 99);
  g_unlink (place->path);

  /* A file that is still empty is as good as none. */
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

/* Starts this program again, to do something to the store; its output comes through *out. */
static GPid
spawn (const char *job, Place *place, int *out)
{
  char *argv[] = { program, (char *)job, place->path, NULL };
  g_autoptr (GError) error = NULL;
  GPid pid;

  g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL, out, NULL, &error);
  g_assert_no_error (error);
  return pid;
}

static int
wait_for (GPid pid)
{
  int status;

  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  return status;
}

static char
read_byte (int fd)
{
  char byte = 0;

  return read (fd, &byte, 1) == 1 ? byte : '\0';
}

/* The jobs of other processes. */

static int
job_write (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  for (int i = 0; i < 30; i++)
    {
      add_whole_run (store, NULL);
      g_usleep (10000);
    }
  return 0;
}

/* One byte for each iteration that is in the store. */
static int
job_run (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gint64 run = add_run (store, NULL, TOSST_RUN_RUNNING);
  TosstStoreIteration row = { 0 };

  for (;;)
    {
      row.iteration.iteration++;
      if (!tosst_store_add_iterations (store, run, &row, 1, NULL) || write (STDOUT_FILENO, ".", 1) != 1)
        return 1;
    }
}

static int
job_claim (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gint64 run;

  while (tosst_store_claim (store, 0, &run, NULL, NULL) && run)
    {
      char line[32];

      g_snprintf (line, sizeof line, "%d\n", (int)run);
      finish (store, run, TOSST_RUN_DONE, line);
    }
  return 0;
}

/* Of a user who may read the folder and no more. */
static int
job_read_only (Place *place)
{
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GPtrArray) runs = NULL;

  if (geteuid () == 0 && (setgid (65534) != 0 || setuid (65534) != 0))
    return 77;
  if (g_access (place->folder, W_OK) == 0)
    return 77;
  store = open_store (place, TOSST_STORE_READ);
  runs = list (store, "-accuracy", NULL);
  g_assert_cmpuint (runs->len, ==, 1);
  g_autoptr (GError) error = NULL;
  g_assert_false (tosst_store_set_note (store, 1, "x", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_OUTPUT, "read but not written");
  return 0;
}

/* As on a full disk: files may not grow beyond what they are, and something. */
static int
job_full (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  const struct rlimit limit = { 300000, 300000 };
  g_autoptr (GBytes) content = content_of (1, 1000000);
  g_autoptr (GError) error = NULL;

  gint64 run = add_whole_run (store, NULL);
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_assert_false (tosst_store_add_artifact (store, run, -1, "large", content, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_nonnull (strstr (error->message, "unharmed"));
  return 0;
}

static void
test_readers (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) made = open_store (place, TOSST_STORE_WRITE), store = open_store (place, TOSST_STORE_READ);
  GPid first = spawn ("--write", place, NULL), second = spawn ("--write", place, NULL);
  guint seen = 0;
  int status, reads = 0;

  do
    {
      g_autoptr (GPtrArray) runs = list (store, "-accuracy", NULL);

      g_assert_cmpuint (runs->len, >=, seen);
      seen = runs->len;
      for (guint i = 0; i < runs->len; i++)
        {
          const TosstStoreRun *run = g_ptr_array_index (runs, i);

          /* Whatever is seen is whole. */
          if (run->state != TOSST_RUN_RUNNING && run->splits_done != 3)
            g_error ("run %d of %u: %s, %d splits, %s", (int)run->id, runs->len, tosst_run_state_name (run->state),
                     run->splits_done, run->reason);
        }
      reads++;
    }
  while (waitpid (first, &status, WNOHANG) == 0);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (wait_for (second), ==, 0);
  g_assert_cmpint (reads, >, 1);
  g_autoptr (GPtrArray) runs = list (store, NULL, "state=done");
  g_assert_cmpuint (runs->len, ==, 60);
  g_assert_cmpint (count (place, "SELECT count(*) FROM series"), ==, 60 * 18 * 8);
}

static void
test_killed (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  int out, told = 0;
  gsize n;
  GPid pid = spawn ("--run", place, &out);

  while (told < 200 && read_byte (out) == '.')
    told++;
  g_assert_cmpint (told, ==, 200);

  /* While it lives nobody stops it. */
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_cmpint (only_run (store, &runs)->state, ==, TOSST_RUN_RUNNING);
  tosst_store_free (g_steal_pointer (&store));
  g_clear_pointer (&runs, g_ptr_array_unref);

  kill (pid, SIGKILL);
  g_assert_true (WIFSIGNALED (wait_for (pid)));
  while (read_byte (out) == '.')
    told++;
  close (out);
  store = open_store (place, TOSST_STORE_READ);
  TosstStoreRun *run = only_run (store, &runs);
  g_assert_cmpint (run->state, ==, TOSST_RUN_STOPPED);
  g_assert_nonnull (strstr (run->reason, "program ended"));
  g_clear_pointer (&runs, g_ptr_array_unref);
  tosst_store_free (g_steal_pointer (&store));

  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_true (tosst_store_check (store, &error));
  g_assert_cmpint (only_run (store, &runs)->state, ==, TOSST_RUN_STOPPED);
  g_assert_cmpint (count (place, "SELECT count(*) FROM runs WHERE state = 'stopped' AND finished >= started"), ==, 1);
  g_autofree double *series = tosst_store_series (store, 1, 0, "objective", &n, &error);
  /* All that it told of, and at most the one that it had not come to tell. */
  g_assert_cmpuint (n, >=, (guint)told);
  g_assert_cmpuint (n, <=, (guint)told + 1);
}

static void
test_claim (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gint64 run;

  for (int i = 0; i < 40; i++)
    add_run (store, NULL, TOSST_RUN_QUEUED);
  GPid first = spawn ("--claim", place, NULL), second = spawn ("--claim", place, NULL);
  g_assert_cmpint (wait_for (first), ==, 0);
  g_assert_cmpint (wait_for (second), ==, 0);
  /* Each once: the reason is the number that the process was given. */
  g_assert_cmpint (count (place, "SELECT count(*) FROM runs WHERE state = 'done' AND reason = id || char(10)"), ==, 40);
  g_assert_true (tosst_store_claim (store, 0, &run, NULL, NULL));
  g_assert_cmpint (run, ==, 0);
}

static gint64
queue (TosstStore *store, gint64 sweep, int split)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  const TosstStoreOrigin origin = { .hash = "h", .sweep = sweep, .split = split };

  g_assert_true (tosst_recipe_set (recipe, "dictionary.atoms", split < 0 ? "33" : "44", NULL));
  gint64 run = tosst_store_add (store, recipe, &origin, TOSST_RUN_QUEUED, NULL);
  g_assert_cmpint (run, >, 0);
  return run;
}

static void
test_sweep (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;
  gint64 one = tosst_store_add_sweep (store, "one", "[sweep]", &error),
         two = tosst_store_add_sweep (store, "two", "[sweep]", &error), run;
  gsize counts[TOSST_N_RUN_STATES], n;
  int split = 9;

  gint64 first = queue (store, one, -1), second = queue (store, two, 4), third = queue (store, two, 5);
  g_assert_true (tosst_store_claim (store, two, &run, &split, &error));
  g_assert_cmpint (run, ==, second);
  g_assert_cmpint (split, ==, 4);
  g_autoptr (TosstRecipe) recipe = tosst_store_recipe (store, run, &error);
  g_assert_no_error (error);
  g_assert_cmpint (recipe->dictionary.atoms, ==, 44);
  add_iterations (store, run, 4, 3);
  add_split (store, run, 4, 20);
  finish (store, run, TOSST_RUN_FAILED, "NaN");
  g_assert_true (tosst_store_claim (store, 0, &run, &split, &error));
  g_assert_cmpint (run, ==, first);
  g_assert_cmpint (split, ==, -1);
  finish (store, run, TOSST_RUN_FAILED, "NaN");
  g_assert_true (tosst_store_count (store, two, counts, &error));
  g_assert_cmpuint (counts[TOSST_RUN_QUEUED], ==, 1);
  g_assert_cmpuint (counts[TOSST_RUN_FAILED], ==, 1);

  /* Failed ones alone, of this sweep alone, without what they left. */
  g_assert_true (tosst_store_requeue (store, two, &n, &error));
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (count (place, "SELECT count(*) FROM series"), ==, 0);
  g_assert_cmpint (count (place, "SELECT count(*) FROM metrics"), ==, 0);
  assert_order (store, NULL, "state=queued", "2 3");
  g_assert_true (tosst_store_claim (store, two, &run, &split, &error));
  g_assert_cmpint (run, ==, second);
  g_assert_true (tosst_store_claim (store, two, &run, &split, &error));
  g_assert_cmpint (run, ==, third);
  g_assert_true (tosst_store_claim (store, two, &run, &split, &error));
  g_assert_cmpint (run, ==, 0);
  g_assert_null (tosst_store_recipe (store, 99, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
}

static void
test_read_only (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  add_whole_run (store, NULL);
  tosst_store_free (g_steal_pointer (&store));
  g_chmod (place->path, 0444);
  g_chmod (place->folder, 0555);
  int status = wait_for (spawn ("--read-only", place, NULL));
  g_chmod (place->folder, 0755);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    g_test_skip ("the folder cannot be made read-only here");
  else
    g_assert_cmpint (status, ==, 0);
}

static void
test_full (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (wait_for (spawn ("--full", place, NULL)), ==, 0);
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_null (tosst_store_notice (store));
  g_assert_true (tosst_store_check (store, &error));
  assert_order (store, NULL, "state=done", "1");
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
  gint64 start = g_get_monotonic_time ();
  assert_order (store, "-accuracy", NULL, "1"); /* reading does not wait */
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  g_assert_false (tosst_store_set_note (store, 1, "x", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_nonnull (strstr (error->message, "locked by another program"));
  g_assert_cmpint (g_get_monotonic_time () - start, <, (TOSST_STORE_PATIENCE + 2) * G_USEC_PER_SEC);
  g_clear_error (&error);
  sqlite3_close (other);
  g_assert_true (tosst_store_set_note (store, 1, "x", &error));
}

#define RUNS 40

static void
make_large (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  for (int i = 0; i < RUNS; i++)
    add_whole_run (store, NULL);
}

/* Every run that was salvaged says what was stored, or nothing; returns how many there are. */
static guint
assert_truthful (Place *place, guint *whole)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GPtrArray) runs = list (store, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_store_check (store, &error));
  g_assert_no_error (error);
  *whole = 0;
  for (guint i = 0; i < runs->len; i++)
    {
      const TosstStoreRun *run = g_ptr_array_index (runs, i);
      g_autoptr (GBytes) content = tosst_store_artifact (store, run->id, 0, "model.npz", NULL),
                         wanted = content_of (run->id, 6000);
      gsize n;
      g_autofree double *series = tosst_store_series (store, run->id, 2, "objective", &n, &error);

      g_assert_no_error (error);
      JsonObject *all = tosst_store_run_json (store, run->id, &error);
      g_assert_no_error (error);
      g_assert_cmpint (json_object_get_int_member (all, "id"), ==, run->id);
      json_object_unref (all);
      g_assert_true (!content || g_bytes_equal (content, wanted));
      for (gsize j = 0; j < n; j++)
        g_assert_cmpfloat (series[j], ==, objective_of (run->id, 2, (int)j + 1));
      if (!isnan (run->accuracy) && run->splits_done == 3)
        g_assert_cmpfloat_with_epsilon (run->accuracy, 50 + (double)run->id / 8 + 5.0 / 3, 1e-9);
      *whole += run->state == TOSST_RUN_DONE && content && n == 7 && run->splits_done == 3
                && !strstr (run->tags, "salvaged");
    }
  /* It works like any other. */
  g_assert_cmpint (add_whole_run (store, NULL), >, 0);
  return runs->len;
}

/* The file that is kept is the one that was damaged. */
static void
assert_kept (Place *place, GBytes *damaged)
{
  g_autoptr (GDir) dir = g_dir_open (place->folder, 0, NULL);
  g_autoptr (GBytes) kept = NULL;
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (place->folder, name, NULL);

      g_assert_null (strstr (name, "salvage-"));
      if (!g_str_has_prefix (name, "runs.sqlite.damaged-") || g_str_has_suffix (name, "-wal"))
        continue;
      g_assert_null (kept);
      kept = contents (path);
      g_unlink (path);
    }
  g_assert_nonnull (kept);
  g_assert_true (g_bytes_equal (kept, damaged));
}

static void
damage_page (Place *place, GBytes *sound, gsize page)
{
  gsize size;
  const char *data = g_bytes_get_data (sound, &size);
  g_autofree char *copy = g_memdup2 (data, size);

  for (gsize i = 0; i < 4096; i++)
    copy[page * 4096 + i] = (char)g_test_rand_int ();
  g_assert_true (g_file_set_contents (place->path, copy, (gssize)size, NULL));
}

static void
test_damaged_pages (Place *place, gconstpointer data)
{
  make_large (place);
  g_autoptr (GBytes) sound = contents (place->path);
  gsize pages = g_bytes_get_size (sound) / 4096;
  guint least = RUNS, whole;

  /* The first pages, which are the roots of all tables, and some of the others. */
  for (gsize page = 0; page < pages; page += page < 24 ? 1 : 29)
    {
      g_autoptr (GBytes) damaged = NULL;
      g_autoptr (TosstStore) store = NULL;
      const char *notice;

      damage_page (place, sound, page);
      damaged = contents (place->path);
      store = open_store (place, TOSST_STORE_WRITE);
      notice = tosst_store_notice (store);
      if (!notice)
        {
          /* Within an artifact: found by its checksum. */
          g_autoptr (GError) error = NULL;
          g_autofree char *sentence = NULL;

          g_assert_false (tosst_store_check (store, &error));
          g_assert_error (error, TOSST_ERROR, TOSST_FAILED_DAMAGED);
          tosst_store_free (g_steal_pointer (&store));
          damaged = (g_bytes_unref (damaged), contents (place->path));
          g_assert_true (tosst_store_salvage (place->file, &sentence, NULL));
          g_assert_nonnull (strstr (sentence, "kept as runs.sqlite.damaged-"));
        }
      else
        g_assert_nonnull (strstr (notice, "kept as runs.sqlite.damaged-"));
      g_clear_pointer (&store, tosst_store_free);
      assert_kept (place, damaged);
      g_autoptr (GPtrArray) marked = NULL;
      store = open_store (place, TOSST_STORE_READ);
      marked = list (store, NULL, "tag=salvaged");
      guint gaps = marked->len;
      g_clear_pointer (&store, tosst_store_free);
      guint left = assert_truthful (place, &whole);
      g_test_message ("page %zu of %zu: %u runs, %u of them whole", page, pages, left, whole);
      least = MIN (least, left);
      if (page == 0)
        g_assert_cmpuint (whole, ==, RUNS);
      /* The root of the runs: none of them is passed off as whole. */
      if (page == 2)
        g_assert_cmpuint (gaps, ==, RUNS);
      g_unlink (place->path);
    }
  /* One page never costs all runs. */
  g_assert_cmpuint (least, >, RUNS / 2);
}

/* A first page of nonsense that looks like one of a table, after its header. */
static void
test_damaged_start (Place *place, gconstpointer data)
{
  make_large (place);
  g_autoptr (GBytes) sound = contents (place->path);
  gsize size;
  const char *bytes = g_bytes_get_data (sound, &size);

  for (int kind = 5; kind <= 13; kind += 8)
    {
      g_autofree char *copy = g_memdup2 (bytes, size);
      guint whole;

      for (gsize i = 0; i < 4096; i++)
        copy[i] = (char)g_test_rand_int ();
      copy[100] = (char)kind;
      g_assert_true (g_file_set_contents (place->path, copy, (gssize)size, NULL));
      g_autoptr (GBytes) damaged = contents (place->path);
      g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
      g_assert_nonnull (tosst_store_notice (store));
      g_clear_pointer (&store, tosst_store_free);
      assert_kept (place, damaged);
      g_assert_cmpuint (assert_truthful (place, &whole), ==, RUNS);
      g_assert_cmpuint (whole, ==, RUNS);
      g_unlink (place->path);
    }
}

static void
test_truncated (Place *place, gconstpointer data)
{
  make_large (place);
  g_autoptr (GBytes) sound = contents (place->path);
  guint whole;

  for (int part = 1; part <= 9; part += 4)
    {
      g_autoptr (GBytes) damaged = g_bytes_new_from_bytes (sound, 0, g_bytes_get_size (sound) / 10 * (gsize)part);
      g_autoptr (TosstStore) store = NULL;
      gsize size;
      const char *bytes = g_bytes_get_data (damaged, &size);

      g_assert_true (g_file_set_contents (place->path, bytes, (gssize)size, NULL));
      store = open_store (place, TOSST_STORE_WRITE);
      g_assert_nonnull (tosst_store_notice (store));
      g_clear_pointer (&store, tosst_store_free);
      assert_kept (place, damaged);
      guint left = assert_truthful (place, &whole);
      g_test_message ("%d0 %% of the file: %u runs, %u of them whole", part, left, whole);
      if (part == 9)
        g_assert_cmpuint (left, >, RUNS / 2);
      g_unlink (place->path);
    }
}

static void
test_hash (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *base = tosst_run_hash (recipe, "f", -1);
  guint n, matters = 0;
  const TosstParameter *p = tosst_parameters (&n);

  /* One value after the other, each changed alone. */
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TosstRecipe) changed = tosst_recipe_copy (recipe);
      g_autofree char *name = g_strdup_printf ("%s.%s", p[i].group, p[i].key), *old = tosst_recipe_get (recipe, &p[i]);
      g_autofree char *text = p[i].choices ? g_strdup (p[i].choices[g_str_equal (old, p[i].choices[0])])
                              : p[i].type == TOSST_PARAMETER_BOOLEAN
                                  ? g_strdup (g_str_equal (old, "true") ? "false" : "true")
                              : p[i].type == TOSST_PARAMETER_TEXT ? g_strdup ("elsewhere")
                              : p[i].type == TOSST_PARAMETER_REAL ? g_strdup ("0.77")
                                                                  : g_strdup ("7");
      gboolean data = g_str_equal (name, "dataset.path") || g_str_equal (name, "dataset.exclude");

      g_assert_true (tosst_recipe_set (changed, name, text, NULL));
      g_autofree char *hash = tosst_run_hash (changed, "f", -1);
      gboolean inactive = tosst_recipe_why_inactive (recipe, &p[i]) && tosst_recipe_why_inactive (changed, &p[i]);
      if (g_str_equal (hash, base) != (data || inactive))
        g_error ("%s = %s instead of %s: %s hash", name, text, old, data || inactive ? "another" : "the same");
      matters += !data && !inactive;
    }
  g_assert_cmpuint (matters, >, 25);
}

static char *
hash_with (const char *settings, const char *fingerprint, int split)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_auto (GStrv) all = g_strsplit (settings, " ", -1);

  for (char **one = all; *one; one++)
    {
      g_auto (GStrv) parts = g_strsplit (*one, "=", 2);

      if (**one)
        g_assert_true (tosst_recipe_set (recipe, parts[0], parts[1], NULL));
    }
  return tosst_run_hash (recipe, fingerprint, split);
}

static void
test_same_hash (void)
{
  static const char *const same[][2] = {
    { "", "coding.lambda=0.002 coding.gamma=1 dataset.block=0" },
    { "dictionary.lambda=0.3", "dictionary.lambda=0.3 coding.lambda=3e-1" },
    { "dictionary.scheme=low-rank", "dictionary.scheme=low-rank dictionary.rank=17" },
    { "pooling.kind=gamma", "pooling.kind=gamma pooling.parameter=0.5" },
    { "coding.method=raw", "coding.method=raw dictionary.atoms=9 dictionary.seed=5 coding.lambda=1" },
    { "classifier.choose-c=true", "classifier.choose-c=true classifier.c=7" },
    { "dataset.protocol=leave-one-out", "dataset.protocol=leave-one-out dataset.seed=3 dataset.splits=4" },
  };
  static const char *const other[][2] = {
    { "", "coding.lambda=0.003" },
    { "dictionary.lambda=0.3", "dictionary.lambda=0.3 coding.lambda=0.2" },
    { "pooling.kind=maxexp", "pooling.kind=maxexp pooling.parameter=30" },
    /* The parts by which C is chosen are drawn by this seed. */
    { "dataset.protocol=leave-one-out classifier.choose-c=true",
      "dataset.protocol=leave-one-out classifier.choose-c=true dataset.seed=3" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_autofree char *a = hash_with (same[i][0], "f", -1), *b = hash_with (same[i][1], "f", -1);

      if (strcmp (a, b) != 0)
        g_error ("“%s” is not the same as “%s”", same[i][0], same[i][1]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (other); i++)
    {
      g_autofree char *a = hash_with (other[i][0], "f", -1), *b = hash_with (other[i][1], "f", -1);

      g_assert_cmpstr (a, !=, b);
    }
  g_autofree char *all = hash_with ("", "f", -1), *first = hash_with ("", "f", 0), *second = hash_with ("", "f", 1);
  g_autofree char *of_fewer = hash_with ("dataset.splits=3", "f", 1), *elsewhere = hash_with ("", "g", -1);
  g_assert_cmpstr (all, !=, first);
  g_assert_cmpstr (first, !=, second);
  g_assert_cmpstr (second, ==, of_fewer);
  g_assert_cmpstr (all, !=, elsewhere);
}

static TosstRunResult *
run_with (const char *const (*settings)[2], gsize n, Place *place, char **hash)
{
  static const char *const small[][2]
      = { { "dataset.splits", "2" },        { "dataset.train-per-class", "4" }, { "descriptor.patch", "40" },
          { "descriptor.step", "100" },     { "descriptor.pivots", "2" },       { "dictionary.atoms", "8" },
          { "dictionary.iterations", "3" }, { "dictionary.sample", "60" } };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunRecord) record = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (small); i++)
    g_assert_true (tosst_recipe_set (recipe, small[i][0], small[i][1], NULL));
  for (gsize i = 0; i < n; i++)
    g_assert_true (tosst_recipe_set (recipe, settings[i][0], settings[i][1], NULL));
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  *hash = tosst_run_hash (recipe, tosst_dataset_fingerprint (dataset), -1);
  record = tosst_run_record_new (place->file, recipe, dataset, 1, &error);
  g_assert_no_error (error);
  TosstContext *context = tosst_context_new (1);
  TosstRunResult *result = tosst_run_execute (recipe, dataset, context, NULL, NULL, &error);
  g_assert_no_error (error);
  tosst_context_free (context);
  for (int split = 0; split < result->splits; split++)
    tosst_run_record_split (record, &result->split[split]);
  g_assert_true (tosst_run_record_finish (record, result, NULL, &error));
  return result;
}

/* What does not change the hash does not change the result. */
static void
test_same_result (Place *place, gconstpointer data)
{
  static const char *const idle[][2] = {
    { "dictionary.rank", "3" },       { "dictionary.eta", "0.5" },          { "dictionary.forgetting", "3" },
    { "pooling.parameter", "7" },     { "coding.lambda", "0.002" },         { "coding.gamma", "1" },
    { "descriptor.features", "rbf" }, { "descriptor.sigma-opponent", "3" }, { "descriptor.range-opponent", "3" },
    { "dataset.block-step", "7" },    { "dataset.path", "/nowhere" },
  };
  g_autofree char *hash = NULL, *same_hash = NULL, *other_hash = NULL;
  g_autoptr (TosstRunResult) result = run_with (NULL, 0, place, &hash);
  g_autoptr (TosstRunResult) same = run_with (idle, G_N_ELEMENTS (idle), place, &same_hash);
  g_autoptr (TosstRunResult) other
      = run_with ((const char *const[][2]){ { "dictionary.seed", "2" } }, 1, place, &other_hash);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_READ);
  g_autoptr (GError) error = NULL;
  gint64 found;

  g_assert_cmpstr (hash, ==, same_hash);
  g_assert_cmpstr (hash, !=, other_hash);
  for (int split = 0; split < 2; split++)
    {
      g_assert_cmpfloat (result->split[split].accuracy, ==, same->split[split].accuracy);
      g_assert_cmpfloat (result->split[split].objective, ==, same->split[split].objective);
      g_assert_cmpfloat (result->split[split].objective, !=, other->split[split].objective);
    }
  g_assert_true (tosst_store_find (store, hash, &found, NULL));
  g_assert_cmpint (found, ==, 2);
  g_autoptr (GBytes) model = tosst_store_artifact (store, 1, 0, "model.npz", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (model), >, 1000);
}

static const struct
{
  const char *name;
  int (*run) (Place *);
} jobs[] = { { "--write", job_write },
             { "--run", job_run },
             { "--claim", job_claim },
             { "--read-only", job_read_only },
             { "--full", job_full } };

#define ADD(name, data, func) g_test_add ("/store/" name, Place, data, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  program = argv[0];
  for (gsize i = 0; argc == 3 && i < G_N_ELEMENTS (jobs); i++)
    if (g_str_equal (argv[1], jobs[i].name))
      {
        Place place = { g_path_get_dirname (argv[2]), argv[2], g_file_new_for_path (argv[2]) };
        int status = jobs[i].run (&place);

        g_free (place.folder);
        g_object_unref (place.file);
        return status;
      }
  g_test_init (&argc, &argv, NULL);
  ADD ("round-trip", NULL, test_round_trip);
  ADD ("export", NULL, test_export);
  ADD ("list", NULL, test_list);
  ADD ("change", NULL, test_change);
  ADD ("migration/write", "write", test_migration);
  ADD ("migration/read", NULL, test_migration);
  ADD ("refused", NULL, test_refused);
  ADD ("readers", NULL, test_readers);
  ADD ("killed", NULL, test_killed);
  ADD ("claim", NULL, test_claim);
  ADD ("sweep", NULL, test_sweep);
  ADD ("read-only", NULL, test_read_only);
  ADD ("full", NULL, test_full);
  ADD ("busy", NULL, test_busy);
  ADD ("damaged-pages", NULL, test_damaged_pages);
  ADD ("damaged-start", NULL, test_damaged_start);
  ADD ("truncated", NULL, test_truncated);
  g_test_add_func ("/store/hash", test_hash);
  g_test_add_func ("/store/same-hash", test_same_hash);
  ADD ("same-result", NULL, test_same_result);
  return g_test_run ();
}
