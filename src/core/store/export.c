/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs with all their values, as JSON and CSV.
 */
#include "core/base/base.h"
#include "core/base/json-text.h"
#include "core/store/private.h"

static void
set_column (JsonObject *object, sqlite3_stmt *row, int column, const char *name)
{
  int type = sqlite3_column_type (row, column);
  double value = tosst_store_real (row, column);

  if (type == SQLITE_INTEGER)
    json_object_set_int_member (object, name, sqlite3_column_int64 (row, column));
  else if (type == SQLITE_TEXT)
    json_object_set_string_member (object, name, tosst_store_text (row, column));
  else if (isinf (value))
    json_object_set_string_member (object, name, value > 0 ? "inf" : "-inf"); /* JSON cannot represent infinity */
  else
    tosst_json_set_number (object, name, value);
}

/* Returns the member of an object that is an object itself, creating it if it is missing. */
static JsonObject *
child (JsonObject *parent, const char *name)
{
  if (!json_object_has_member (parent, name))
    json_object_set_object_member (parent, name, json_object_new ());
  return json_object_get_object_member (parent, name);
}

typedef void (*RowFunc) (JsonObject *into, sqlite3_stmt *row);

static void
add_parameter (JsonObject *into, sqlite3_stmt *row)
{
  json_object_set_string_member (into, tosst_store_text (row, 0), tosst_store_text (row, 1));
}

static void
add_metric (JsonObject *into, sqlite3_stmt *row)
{
  set_column (child (into, tosst_store_text (row, 0)), row, 2, tosst_store_text (row, 1));
}

static void
add_second (JsonObject *into, sqlite3_stmt *row)
{
  set_column (into, row, 1, tosst_store_text (row, 0));
}

/* Adds values of splits, by split number: name to value. */
static void
add_result (JsonObject *into, sqlite3_stmt *row)
{
  g_autofree char *split = g_strdup_printf ("%d", sqlite3_column_int (row, 0));

  set_column (child (into, split), row, 2, tosst_store_text (row, 1));
}

/* Adds series of splits, by split number: name to the values of iterations 1, 2, ... */
static void
add_point (JsonObject *into, sqlite3_stmt *row)
{
  g_autofree char *split = g_strdup_printf ("%d", sqlite3_column_int (row, 0));
  JsonObject *series = child (into, split);
  const char *name = tosst_store_text (row, 1);

  if (!json_object_has_member (series, name))
    json_object_set_array_member (series, name, json_array_new ());
  tosst_json_add_number (json_object_get_array_member (series, name), tosst_store_real (row, 2));
}

static void
add_artifact (JsonObject *into, sqlite3_stmt *row)
{
  int split = sqlite3_column_int (row, 1);
  g_autofree char *name = split < 0 ? g_strdup (tosst_store_text (row, 0))
                                    : g_strdup_printf ("split-%d-%s", split + 1, tosst_store_text (row, 0));
  JsonObject *one = child (into, name);

  TOSST_JSON_SET (one, ("name", tosst_store_text (row, 0)), ("split", split), ("bytes", sqlite3_column_int64 (row, 2)),
                  ("sha256", tosst_store_text (row, 3)));
}

static const struct
{
  const char *name, *sql;
  RowFunc add;
} parts[] = {
  { "parameters", "SELECT name, text FROM parameters WHERE run = ? ORDER BY name", add_parameter },
  { "metrics", "SELECT name, kind, value FROM metrics WHERE run = ? ORDER BY name, kind", add_metric },
  { "seconds", "SELECT stage, seconds FROM timings WHERE run = ? ORDER BY stage", add_second },
  { "results", "SELECT split, name, value FROM results WHERE run = ? ORDER BY split, name", add_result },
  { "series", "SELECT split, name, value FROM series WHERE run = ? ORDER BY split, name, iteration", add_point },
  { "artifacts", "SELECT name, split, bytes, sha256 FROM artifacts WHERE run = ? ORDER BY split, name", add_artifact },
};

/* Returns NULL unless the text is a JSON list of strings. */
static JsonNode *
read_names (const char *text)
{
  g_autoptr (JsonNode) names = tosst_json_read (text, strlen (text));
  JsonArray *array = names && JSON_NODE_HOLDS_ARRAY (names) ? json_node_get_array (names) : NULL;

  for (guint i = 0; array && i < json_array_get_length (array); i++)
    {
      JsonNode *name = json_array_get_element (array, i);

      if (!JSON_NODE_HOLDS_VALUE (name) || json_node_get_value_type (name) != G_TYPE_STRING)
        return NULL;
    }
  return array ? g_steal_pointer (&names) : NULL;
}

/* Columns of a run in the order of exports: those of its table, and after them its tags. */
static const char *const columns[]
    = { "id",       "state", "reason", "title",   "note", "hash",    "queued", "started", "finished", "version",
        "numerics", "cpu",   "blas",   "threads", "data", "dataset", "splits", "tags",    NULL };
#define TAGS 17 /* number of the others */

static gboolean
add_columns (TosstStore *self, gint64 run, JsonObject *object, GError **error)
{
  const char *reason;
  sqlite3_stmt *row = tosst_store_query (
      self, error,
      "SELECT id, state, reason, title, note, hash, queued, started, finished, version, numerics, cpu, blas, threads, "
      "data, dataset, splits, (SELECT group_concat(tag, ' ') FROM tags WHERE run = id), owner, heard, classes "
      "FROM runs WHERE id = ?",
      "i", run);

  if (!tosst_store_row (self, row, error))
    return self->failed ? FALSE : tosst_store_fail_missing (self, run, error);
  for (int i = 0; i < TAGS; i++)
    set_column (object, row, i, columns[i]);
  json_object_set_string_member (object, "state",
                                 tosst_run_state_name (tosst_store_state (row, 1, TAGS + 1, TAGS + 2, &reason)));
  if (reason)
    json_object_set_string_member (object, "reason", reason);
  json_object_set_string_member (object, "tags", tosst_store_text (row, TAGS));
  const char *classes = tosst_store_text (row, TAGS + 3); /* missing in a run salvaged without its row */
  JsonNode *class_names = *classes ? read_names (classes) : json_node_new (JSON_NODE_NULL);
  sqlite3_reset (row);
  if (!class_names)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("the classes of run %" PRId64 " in %s are not a list of names"),
                       run, self->name);
  json_object_set_member (object, "classes", class_names);
  return TRUE;
}

JsonObject *
tosst_store_run_json (TosstStore *self, gint64 run, GError **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  gboolean own = sqlite3_get_autocommit (self->db);

  /* One transaction, since another program may be writing. */
  if (own && !tosst_store_do (self, error, "BEGIN", NULL))
    return NULL;
  gboolean ok = add_columns (self, run, object, error);
  for (gsize i = 0; ok && i < G_N_ELEMENTS (parts); i++)
    {
      sqlite3_stmt *rows = tosst_store_query (self, error, parts[i].sql, "i", run);
      JsonObject *into = child (object, parts[i].name);

      while (tosst_store_row (self, rows, error))
        parts[i].add (into, rows);
      ok = !self->failed;
    }
  if (own)
    tosst_store_do (self, NULL, "COMMIT", NULL);
  return ok ? g_steal_pointer (&object) : NULL;
}

char *
tosst_store_export_json (TosstStore *self, GPtrArray *runs, GError **error)
{
  g_autoptr (JsonArray) array = json_array_new ();
  g_autoptr (JsonNode) root = json_node_alloc ();
  JsonObject *object = json_object_new ();

  json_node_take_object (root, object);
  if (!tosst_store_do (self, error, "BEGIN", NULL))
    return NULL;
  TOSST_FOR_EACH_POINTER (const TosstStoreRun, run, runs)
    {
      JsonObject *one = tosst_store_run_json (self, run->id, error);

      if (!one)
        {
          tosst_store_end (self, FALSE, NULL);
          return NULL;
        }
      json_array_add_object_element (array, one);
    }
  tosst_store_do (self, NULL, "COMMIT", NULL);
  json_object_set_array_member (object, "runs", g_steal_pointer (&array));
  g_autofree char *text = tosst_json_write (root, TRUE);
  return g_strconcat (text, "\n", NULL);
}

/* Appends one field to a line. */
static void
append_field (GString *csv, const char *text)
{
  if (csv->len && csv->str[csv->len - 1] != '\n')
    g_string_append_c (csv, ',');
  tosst_csv_append_field (csv, text);
}

/* Columns after those of the table of runs: values that at least one of the runs has. */
#define NAMES                                                                                                          \
  "SELECT DISTINCT 1 AS part, name FROM parameters UNION ALL "                                                         \
  "SELECT DISTINCT 2, name || '.' || kind FROM metrics UNION ALL "                                                     \
  "SELECT DISTINCT 3, 'seconds.' || stage FROM timings ORDER BY part, name"
#define VALUES                                                                                                         \
  "SELECT name, text FROM parameters WHERE run = ?1 UNION ALL "                                                        \
  "SELECT name || '.' || kind, value FROM metrics WHERE run = ?1 UNION ALL "                                           \
  "SELECT 'seconds.' || stage, seconds FROM timings WHERE run = ?1"

static gboolean
append_run (TosstStore *self, const TosstStoreRun *run, GPtrArray *names, GString *csv, GError **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  if (!add_columns (self, run->id, object, error))
    return FALSE;
  for (const char *const *name = columns; *name; name++)
    {
      JsonNode *node = json_object_get_member (object, *name);
      g_autofree char *number = NULL;

      if (JSON_NODE_HOLDS_NULL (node))
        append_field (csv, "");
      else if (json_node_get_value_type (node) == G_TYPE_STRING)
        append_field (csv, json_node_get_string (node));
      else
        append_field (csv, number = tosst_json_write (node, FALSE));
    }
  sqlite3_stmt *rows = tosst_store_query (self, error, VALUES, "i", run->id);
  while (tosst_store_row (self, rows, error))
    {
      char exact[G_ASCII_DTOSTR_BUF_SIZE];
      const char *text = sqlite3_column_type (rows, 1) == SQLITE_FLOAT
                             ? g_ascii_dtostr (exact, sizeof exact, sqlite3_column_double (rows, 1))
                             : tosst_store_text (rows, 1);

      g_hash_table_insert (values, g_strdup (tosst_store_text (rows, 0)), g_strdup (text));
    }
  if (self->failed)
    return FALSE;
  for (guint i = 0; i < names->len; i++)
    {
      const char *value = g_hash_table_lookup (values, g_ptr_array_index (names, i));

      append_field (csv, value ? value : "");
    }
  g_string_append_c (csv, '\n');
  return TRUE;
}

char *
tosst_store_export_csv (TosstStore *self, GPtrArray *runs, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) csv = g_string_new (NULL);

  if (!tosst_store_do (self, error, "BEGIN", NULL))
    return NULL;
  sqlite3_stmt *rows = tosst_store_query (self, error, NAMES, NULL);
  while (tosst_store_row (self, rows, error))
    g_ptr_array_add (names, g_strdup (tosst_store_text (rows, 1)));
  gboolean ok = !self->failed;
  for (const char *const *name = columns; *name; name++)
    append_field (csv, *name);
  for (guint i = 0; i < names->len; i++)
    append_field (csv, g_ptr_array_index (names, i));
  g_string_append_c (csv, '\n');
  for (guint i = 0; ok && i < runs->len; i++)
    ok = append_run (self, g_ptr_array_index (runs, i), names, csv, error);
  tosst_store_do (self, NULL, "COMMIT", NULL);
  return ok ? g_string_free (g_steal_pointer (&csv), FALSE) : NULL;
}
