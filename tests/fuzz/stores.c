/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stores: files of any bytes, and sound files any of whose cells hold any value.
 */
#include "stores.h"

#include <string.h>

#include <sqlite3.h>

#include "core/base/error.h"
#include "core/run/hash.h"
#include "core/run/scores.h"
#include "targets.h"

static const char *const classes[] = { "one", "two, three", NULL };

static gint64
add_run (TosstStore *store, gint64 sweep, TosstRunState state)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *hash = tosst_run_hash (recipe, "0123456789abcdef", -1);
  const TosstStoreOrigin origin = { hash,      "0.1.0", 1, "a processor", "Haswell", 2, "0123456789abcdef",
                                    "Zebra's", classes, 2, "a title",     sweep,     -1 };

  return tosst_store_add (store, recipe, &origin, state, NULL);
}

/* A split with several labels. */
static gboolean
add_scores (TosstStore *store, gint64 run)
{
  g_autoptr (TosstScores) scores = tosst_scores_new (2, 2);
  const TosstSplitResult split = { .split = 1, .accuracy = 50, .scores = scores };

  scores->sample[1] = 1;
  scores->margin[0] = scores->margin[3] = 0.5;
  scores->label[0] = scores->label[3] = 1;
  return tosst_store_add_split (store, run, &split, 2, NULL);
}

static void
fill (TosstStore *store)
{
  static const TosstStoreIteration iterations[]
      = { { 0, { .iteration = 1, .objective = 2 } }, { 0, { .iteration = 2, .objective = 1 } } };
  int confusion[] = { 2, 1, 0, 3 };
  static const TosstPrediction said[]
      = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 1 }, { 3, 1, 1 }, { 4, 1, 1 }, { 5, 1, 1 } };
  g_autoptr (GArray) predictions = g_array_new (FALSE, FALSE, sizeof *said);
  const TosstSplitResult split = { .accuracy = 83, .confusion = confusion, .predictions = predictions };
  const double seconds[TOSST_N_STAGES] = { 1, 2, 3 };
  g_autoptr (GBytes) content = g_bytes_new_static ("content", 7);
  gint64 sweep = tosst_store_add_sweep (store, "many", "[sweep]\ndictionary.atoms=10;20\n", NULL);
  gint64 run = add_run (store, sweep, TOSST_RUN_RUNNING);
  gint64 runs[1];
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  const TosstRunSpec spec
      = { recipe, { "abc", "0.1.0", 1, "cpu", "blas", 1, "data", "set", classes, 1, "t", 0, -1 }, NULL };

  g_array_append_vals (predictions, said, G_N_ELEMENTS (said));
  FUZZ_ASSERT (tosst_store_add_iterations (store, run, iterations, G_N_ELEMENTS (iterations), NULL));
  FUZZ_ASSERT (tosst_store_add_split (store, run, &split, 2, NULL));
  FUZZ_ASSERT (add_scores (store, run));
  FUZZ_ASSERT (tosst_store_set_seconds (store, run, seconds, 6, NULL));
  FUZZ_ASSERT (tosst_store_set_shared (store, run, 1, NULL));
  FUZZ_ASSERT (tosst_store_add_artifact (store, run, -1, "model.npz", content, NULL));
  FUZZ_ASSERT (tosst_store_set_note (store, run, "a note", NULL));
  FUZZ_ASSERT (tosst_store_tag (store, run, TOSST_STORE_STAR, TRUE, NULL));
  FUZZ_ASSERT (tosst_store_finish (store, run, TOSST_RUN_DONE, NULL, NULL));
  FUZZ_ASSERT (tosst_store_queue_runs (store, sweep, &spec, 1, FALSE, runs, NULL));
  add_run (store, 0, TOSST_RUN_QUEUED);
}

void
fuzz_make_store (GFile *file)
{
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, NULL);

  FUZZ_ASSERT (store != NULL);
  fill (store);
}

static void
count_parameter (gint64 run, const char *name, const char *text, double number, gpointer data)
{
  *(gsize *)data += strlen (name) + strlen (text);
}

/* All that belongs to one run. */
static void
read_run (TosstStore *store, const TosstStoreRun *run)
{
  g_autoptr (TosstRecipe) recipe = tosst_store_recipe (store, run->id, NULL);
  g_autoptr (JsonObject) json = tosst_store_run_json (store, run->id, NULL);
  g_autoptr (GArray) splits = tosst_store_splits (store, run->id, 2, NULL);
  g_autoptr (GBytes) content = tosst_store_artifact (store, run->id, -1, "model.npz", NULL);
  gsize n;
  g_autofree double *series = tosst_store_series (store, run->id, 0, "objective", &n, NULL);
  double seconds[TOSST_N_STAGES], total, shared;

  tosst_store_seconds (store, run->id, seconds, &total, &shared, NULL);
}

static void
read_lists (TosstStore *store)
{
  g_autoptr (GPtrArray) runs = tosst_store_list (store, "-accuracy", NULL, NULL);
  g_autoptr (GPtrArray) chosen = tosst_store_list (store, "dictionary.atoms", "dictionary.atoms >= 1, title ~ a", NULL);
  g_autoptr (GPtrArray) sweeps = tosst_store_sweeps (store, NULL);
  g_autoptr (GArray) typical
      = tosst_store_runs_for_timing (store, "0123456789abcdef", "a processor", "Haswell", 2, 3, NULL);
  g_autofree char *json = runs ? tosst_store_export_json (store, runs, NULL) : NULL;
  g_autofree char *csv = runs ? tosst_store_export_csv (store, runs, NULL) : NULL;
  gsize count = 0;

  FUZZ_ASSERT (!json || g_utf8_validate (json, -1, NULL));
  tosst_store_each_parameter (store, 0, count_parameter, &count, NULL);
  for (guint i = 0; runs && i < runs->len && i < 4; i++)
    read_run (store, g_ptr_array_index (runs, i));
}

static void
read_store (GFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_READ, &error);

  FUZZ_ASSERT ((store != NULL) == (error == NULL));
  if (!store)
    return;
  tosst_store_check (store, NULL);
  read_lists (store);
}

/* As a program that runs something; a store that is damaged is salvaged by that, and is sound then. */
static void
mend_store (GFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, &error);

  FUZZ_ASSERT ((store != NULL) == (error == NULL));
  if (store && tosst_store_notice (store))
    FUZZ_ASSERT (tosst_store_check (store, NULL));
}

static GFile *
place (void)
{
  static GFile *file;

  if (!file)
    {
      g_autofree char *path = g_build_filename (fuzz_folder (), "runs.sqlite", NULL);

      file = g_file_new_for_path (path);
    }
  return file;
}

static void
write_place (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;

  fuzz_empty_folder ();
  if (!g_file_set_contents_full (g_file_peek_path (place ()), (const char *)data, (gssize)size,
                                 G_FILE_SET_CONTENTS_NONE, 0600, &error))
    g_error ("%s", error->message);
}

void
fuzz_store_bytes (const guint8 *data, gsize size)
{
  write_place (data, size);
  read_store (place ());
  mend_store (place ());
}

/* The bytes of a sound store; the columns that can be changed, as statements with two places for the row and the value. */
static GBytes *sound;
static GPtrArray *updates;

static void
find_columns (void)
{
  sqlite3 *db;
  sqlite3_stmt *rows;

  updates = g_ptr_array_new ();
  FUZZ_ASSERT (sqlite3_open (g_file_peek_path (place ()), &db) == SQLITE_OK);
  FUZZ_ASSERT (sqlite3_prepare_v2 (db,
                                   "SELECT t.name, c.name, "
                                   "(SELECT group_concat (p.name) FROM pragma_table_info (t.name) p WHERE p.pk > 0) "
                                   "FROM sqlite_schema t, pragma_table_info (t.name) c "
                                   "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid",
                                   -1, &rows, NULL)
               == SQLITE_OK);
  while (sqlite3_step (rows) == SQLITE_ROW)
    {
      const char *table = (const char *)sqlite3_column_text (rows, 0),
                 *key = (const char *)sqlite3_column_text (rows, 2);

      g_ptr_array_add (updates, g_strdup_printf ("UPDATE OR IGNORE \"%s\" SET \"%s\" = ?1 WHERE (%s) = "
                                                 "(SELECT %s FROM \"%s\" LIMIT 1 OFFSET ?2)",
                                                 table, sqlite3_column_text (rows, 1), key, key, table));
    }
  sqlite3_finalize (rows);
  sqlite3_close (db);
}

static void
make_sound (void)
{
  char *data;
  gsize size;

  fuzz_folder ();
  fuzz_make_store (place ());
  find_columns ();
  FUZZ_ASSERT (g_file_get_contents (g_file_peek_path (place ()), &data, &size, NULL));
  sound = g_bytes_new_take (data, size);
}

/* A value of the next bytes: kind and length, and then what it consists of. */
static void
bind_value (sqlite3_stmt *update, const guint8 **data, gsize *size)
{
  guint kind = (*data)[0] % 5, length = MIN ((*data)[1], *size - 2);
  const guint8 *value = *data + 2;
  union
  {
    gint64 whole;
    double real;
    guint8 bytes[8];
  } number = { 0 };

  memcpy (number.bytes, value, MIN (length, 8));
  *data += 2 + length;
  *size -= 2 + length;
  if (kind == 0)
    sqlite3_bind_int64 (update, 1, number.whole);
  else if (kind == 1)
    sqlite3_bind_double (update, 1, number.real);
  else if (kind == 2)
    sqlite3_bind_blob (update, 1, value, (int)length, SQLITE_STATIC);
  else if (kind == 3)
    sqlite3_bind_null (update, 1);
  else
    sqlite3_bind_text (update, 1, (const char *)value, (int)length, SQLITE_STATIC);
}

/* Four bytes and a value for each cell: column, row, kind and length. Tables are strict: what does not fit its column
 * stays out. */
void
fuzz_store_cells (const guint8 *data, gsize size)
{
  sqlite3 *db;

  if (!sound)
    make_sound ();
  write_place (g_bytes_get_data (sound, NULL), g_bytes_get_size (sound));
  FUZZ_ASSERT (sqlite3_open (g_file_peek_path (place ()), &db) == SQLITE_OK);
  sqlite3_exec (db, "PRAGMA ignore_check_constraints = 1; PRAGMA foreign_keys = 0; PRAGMA synchronous = 0; BEGIN", NULL,
                NULL, NULL);
  while (size >= 4)
    {
      sqlite3_stmt *update;

      FUZZ_ASSERT (sqlite3_prepare_v2 (db, g_ptr_array_index (updates, data[0] % updates->len), -1, &update, NULL)
                   == SQLITE_OK);
      sqlite3_bind_int (update, 2, data[1] % 64);
      data += 2;
      size -= 2;
      bind_value (update, &data, &size);
      sqlite3_step (update);
      sqlite3_finalize (update);
    }
  sqlite3_exec (db, "COMMIT", NULL, NULL, NULL);
  sqlite3_close (db);
  read_store (place ());
}
