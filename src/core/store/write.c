/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing of runs during their execution. Each call is one transaction.
 */
#include "core/base/base.h"
#include "core/base/json-text.h"
#include "core/run/scores.h"
#include "core/store/private.h"

/* SQLite's own limit of a blob is 10^9 bytes. */
#define MAX_ARTIFACT 900000000

/* Checks that the run exists, and updates the time it was last active. Called within a transaction. */
static gboolean
touch (TosstStore *self, gint64 run, GError **error)
{
  if (!tosst_store_do (self, error, "UPDATE runs SET heard = ? WHERE id = ?", "di", tosst_store_now (), run))
    return FALSE;
  return sqlite3_changes (self->db) == 1 || tosst_store_fail_missing (self, run, error);
}

static gboolean
add_parameters (TosstStore *self, gint64 run, const TosstRecipe *recipe, GError **error)
{
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autofree char *text = tosst_recipe_get (recipe, p);
      char *end;
      double number = g_ascii_strtod (text, &end);

      if (end == text || *end)
        number = NAN;
      if (!tosst_store_do (self, error,
                           "INSERT INTO parameters (run, name, text, number, active) VALUES (?, ?, ?, ?, ?)", "issdn",
                           run, p->name, text, number, tosst_recipe_why_inactive (recipe, p) == NULL))
        return FALSE;
    }
  return TRUE;
}

static char *
classes_to_json (const char *const *names)
{
  g_autoptr (JsonNode) root = json_node_alloc ();
  JsonArray *array = json_array_new ();

  for (; names && *names; names++)
    json_array_add_string_element (array, *names);
  json_node_init_array (root, array);
  json_array_unref (array);
  return tosst_json_write (root, FALSE);
}

gint64
tosst_store_insert (TosstStore *self, const TosstRecipe *recipe, const TosstStoreOrigin *origin, TosstRunState state,
                    GError **error)
{
  g_autofree char *classes = classes_to_json (origin->class_names), *owner = tosst_store_owner ();
  gboolean runs = state == TOSST_RUN_RUNNING;
  double now = tosst_store_now ();

  gboolean ok = tosst_store_do (
      self, error,
      "INSERT INTO runs (hash, state, queued, started, version, numerics, cpu, blas, threads, data, dataset, classes, "
      "splits, title, owner, heard, sweep, split) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, "
      "0), "
      "nullif(?, -1))",
      "ssddsnssnsssnssdin", origin->hash, tosst_run_state_name (state), now, runs ? now : NAN, origin->version,
      origin->numerics, origin->cpu, origin->blas, origin->threads, origin->data, origin->dataset, classes,
      origin->splits, origin->title ? origin->title : "", runs ? owner : NULL, runs ? now : NAN, origin->sweep,
      origin->split);
  if (!ok)
    return -1;
  gint64 run = sqlite3_last_insert_rowid (self->db);
  return add_parameters (self, run, recipe, error) ? run : -1;
}

gint64
tosst_store_add (TosstStore *self, const TosstRecipe *recipe, const TosstStoreOrigin *origin, TosstRunState state,
                 GError **error)
{
  if (!tosst_store_begin (self, error))
    return -1;
  gint64 run = tosst_store_insert (self, recipe, origin, state, error);
  return tosst_store_end (self, run > 0, error) ? run : -1;
}

static gboolean
add_value (TosstStore *self, gint64 run, int split, int iteration, const char *name, double value, GError **error)
{
  return tosst_store_do (self, error,
                         "INSERT OR REPLACE INTO series (run, split, name, iteration, value) VALUES (?, ?, ?, ?, ?)",
                         "insnd", run, split, name, iteration, value);
}

static gboolean
add_iteration (TosstStore *self, gint64 run, const TosstStoreIteration *row, GError **error)
{
  const TosstIteration *it = &row->iteration;

  for (gsize i = 0; i < TOSST_STORE_ITERATION_NUMBERS; i++)
    if (!add_value (self, run, row->split, it->iteration, tosst_store_iteration_numbers[i].name,
                    G_STRUCT_MEMBER (double, it, tosst_store_iteration_numbers[i].offset), error))
      return FALSE;
  return add_value (self, run, row->split, it->iteration, "unused_atoms", it->unused_atoms, error);
}

gboolean
tosst_store_add_iterations (TosstStore *self, gint64 run, const TosstStoreIteration *iterations, gsize n,
                            GError **error)
{
  if (!tosst_store_begin (self, error))
    return FALSE;
  gboolean ok = touch (self, run, error);
  for (gsize i = 0; ok && i < n; i++)
    ok = add_iteration (self, run, &iterations[i], error);
  return tosst_store_end (self, ok, error);
}

static gboolean
put_artifact (TosstStore *self, gint64 run, int split, const char *name, GBytes *content, GError **error)
{
  g_autofree char *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, content);
  gsize size = g_bytes_get_size (content);

  if (size > MAX_ARTIFACT)
    return tosst_fail (error, TOSST_FAILED_OUTPUT,
                       _ ("%s has %zu bytes, more than a store of runs can hold in one entry"), name, size);
  return tosst_store_do (
      self, error,
      "INSERT OR REPLACE INTO artifacts (run, split, name, bytes, sha256, content) VALUES (?, ?, ?, ?, ?, ?)", "insisb",
      run, split, name, (gint64)size, sum, content);
}

gboolean
tosst_store_add_artifact (TosstStore *self, gint64 run, int split, const char *name, GBytes *content, GError **error)
{
  return tosst_store_begin (self, error)
         && tosst_store_end (self, touch (self, run, error) && put_artifact (self, run, split, name, content, error),
                             error);
}

static gboolean
put_number (TosstStore *self, gint64 run, int split, const char *name, double value, GError **error)
{
  return tosst_store_do (self, error, "INSERT OR REPLACE INTO results (run, split, name, value) VALUES (?, ?, ?, ?)",
                         "insd", run, split, name, value);
}

static gboolean
put_confusion (TosstStore *self, gint64 run, const TosstSplitResult *result, int classes, GError **error)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < classes * classes; i++)
    g_string_append_printf (text, "%d%c", result->confusion[i], (i + 1) % classes ? ',' : '\n');
  g_autoptr (GBytes) confusion = g_string_free_to_bytes (text);
  g_autoptr (GBytes) predictions = result->predictions ? tosst_predictions_to_csv (result->predictions) : NULL;
  return (!predictions || put_artifact (self, run, result->split, TOSST_STORE_PREDICTIONS, predictions, error))
         && put_artifact (self, run, result->split, "confusion.csv", confusion, error);
}

static gboolean
put_scores (TosstStore *self, gint64 run, const TosstSplitResult *result, GError **error)
{
  g_autoptr (GBytes) scores = tosst_scores_to_csv (result->scores);
  TosstClassScore mean;

  return tosst_scores_summarise (&result->scores, 1, NULL, &mean, error)
         && put_number (self, run, result->split, "map11", mean.ap11, error)
         && put_number (self, run, result->split, "map_area", mean.area, error)
         && put_artifact (self, run, result->split, TOSST_STORE_SCORES, scores, error);
}

static gboolean
put_split (TosstStore *self, gint64 run, const TosstSplitResult *result, int classes, GError **error)
{
  for (gsize i = 0; i < TOSST_SPLIT_NUMBERS; i++)
    if (!put_number (self, run, result->split, tosst_split_numbers[i].name,
                     G_STRUCT_MEMBER (double, result, tosst_split_numbers[i].offset), error))
      return FALSE;
  for (guint i = 0; result->parts && i < result->parts->len; i++)
    {
      const TosstPartResult *one = &g_array_index (result->parts, TosstPartResult, i);
      g_autofree char *weight = g_strconcat (TOSST_STORE_WEIGHT, one->name, NULL);
      g_autofree char *accuracy = g_strconcat (TOSST_STORE_ACCURACY, one->name, NULL);

      if (!put_number (self, run, result->split, weight, one->weight, error)
          || !put_number (self, run, result->split, accuracy, one->accuracy, error))
        return FALSE;
    }
  /* Samples of one class have predictions. */
  return (result->scores && !result->predictions ? put_scores (self, run, result, error)
                                                 : put_confusion (self, run, result, classes, error))
         && tosst_store_do (self, error, "DELETE FROM artifacts WHERE run = ? AND split = ? AND name = ?", "ins", run,
                            result->split, TOSST_STORE_CHECKPOINT);
}

gboolean
tosst_store_add_split (TosstStore *self, gint64 run, const TosstSplitResult *result, int classes, GError **error)
{
  if (!tosst_store_begin (self, error)
      || !tosst_store_end (self, touch (self, run, error) && put_split (self, run, result, classes, error), error))
    return FALSE;
  tosst_store_drop_files (self, run, result->split);
  return TRUE;
}

static gboolean
put_seconds (TosstStore *self, gint64 run, const char *stage, double seconds, GError **error)
{
  return tosst_store_do (self, error, "INSERT OR REPLACE INTO timings (run, stage, seconds) VALUES (?, ?, ?)", "isd",
                         run, stage, seconds);
}

gboolean
tosst_store_set_seconds (TosstStore *self, gint64 run, const double seconds[TOSST_N_STAGES], double total,
                         GError **error)
{
  if (!tosst_store_begin (self, error))
    return FALSE;
  gboolean ok = touch (self, run, error);
  for (int i = 0; ok && i < TOSST_N_STAGES; i++)
    ok = put_seconds (self, run, tosst_stage_name (i), seconds[i], error);
  return tosst_store_end (self, ok && put_seconds (self, run, "total", total, error), error);
}

gboolean
tosst_store_set_shared (TosstStore *self, gint64 run, double seconds, GError **error)
{
  return !(seconds > 0) || put_seconds (self, run, "shared", seconds, error);
}

/* Metrics from the results of splits: mean, standard deviation (of two splits at least), best (with its split) and last; chosen is the first
 * split, whose model is kept. Metrics from the objective, averaged over splits: best is the lowest value, last and
 * chosen the value of the last iteration, whose dictionary is used. */
static const char *const summaries[] = {
  "DELETE FROM metrics WHERE run = ?1",
  "INSERT INTO metrics SELECT run, name, 'mean', avg(value), NULL FROM results WHERE run = ?1 GROUP BY name",
  "INSERT INTO metrics SELECT r.run, r.name, 'std', sqrt(sum((r.value - m.value) * (r.value - m.value)) / (count(*) - "
  "1)), NULL FROM results r JOIN metrics m ON m.run = r.run AND m.name = r.name AND m.kind = 'mean' "
  "WHERE r.run = ?1 AND r.value IS NOT NULL GROUP BY r.name HAVING count(*) > 1",
  "INSERT INTO metrics SELECT run, name, 'best', max(value), split FROM results "
  "WHERE run = ?1 AND name = 'accuracy' HAVING count(*) > 0",
  "INSERT INTO metrics SELECT run, name, 'last', value, max(split) FROM results "
  "WHERE run = ?1 AND name = 'accuracy' HAVING count(*) > 0",
  "INSERT INTO metrics SELECT run, name, 'chosen', value, min(split) FROM results "
  "WHERE run = ?1 AND name = 'accuracy' HAVING count(*) > 0",
  "INSERT INTO metrics SELECT ?1, 'objective', 'best', avg(v), round(avg(i)) FROM (SELECT min(value) AS v, iteration "
  "AS i "
  "FROM series WHERE run = ?1 AND name = 'objective' GROUP BY split) HAVING count(*) > 0",
  "INSERT INTO metrics SELECT ?1, 'objective', kind, avg(v), round(avg(i)) FROM (SELECT value AS v, max(iteration) AS "
  "i "
  "FROM series WHERE run = ?1 AND name = 'objective' GROUP BY split), (SELECT 'last' AS kind UNION SELECT 'chosen') "
  "GROUP BY kind",
};

/* Called within a transaction. */
static gboolean
finish (TosstStore *self, gint64 run, TosstRunState state, const char *reason, GError **error)
{
  if (!touch (self, run, error)
      || !tosst_store_do (self, error, "UPDATE runs SET state = ?, reason = ?, finished = ?, owner = NULL WHERE id = ?",
                          "ssdi", tosst_run_state_name (state), reason, tosst_store_now (), run))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (summaries); i++)
    if (!tosst_store_do (self, error, summaries[i], "i", run))
      return FALSE;
  return TRUE;
}

gboolean
tosst_store_finish (TosstStore *self, gint64 run, TosstRunState state, const char *reason, GError **error)
{
  if (!sqlite3_get_autocommit (self->db))
    return finish (self, run, state, reason, error);
  return tosst_store_begin (self, error) && tosst_store_end (self, finish (self, run, state, reason, error), error);
}

static gboolean
update (TosstStore *self, gint64 run, const char *sql, const char *text, GError **error)
{
  return tosst_store_do (self, error, sql, "si", text, run)
         && (sqlite3_changes (self->db) == 1 || tosst_store_fail_missing (self, run, error));
}

gboolean
tosst_store_set_title (TosstStore *self, gint64 run, const char *title, GError **error)
{
  return update (self, run, "UPDATE runs SET title = ? WHERE id = ?", title, error);
}

gboolean
tosst_store_set_note (TosstStore *self, gint64 run, const char *note, GError **error)
{
  return update (self, run, "UPDATE runs SET note = ? WHERE id = ?", note, error);
}

gboolean
tosst_store_tag (TosstStore *self, gint64 run, const char *tag, gboolean on, GError **error)
{
  gint64 there;

  if (!*tag || strpbrk (tag, ", \t\n"))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("a tag is one word without commas, not “%s”"), tag);
  if (!tosst_store_number (self, &there, 0, error, "SELECT id FROM runs WHERE id = ?", "i", run))
    return FALSE;
  if (!there)
    return tosst_store_fail_missing (self, run, error);
  return tosst_store_do (self, error,
                         on ? "INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)"
                            : "DELETE FROM tags WHERE run = ? AND tag = ?",
                         "is", run, tag);
}

static gboolean
remove_run (TosstStore *self, gint64 run, GError **error)
{
  const char *reason;
  sqlite3_stmt *row = tosst_store_query (self, error, "SELECT state, owner, heard FROM runs WHERE id = ?", "i", run);

  if (!tosst_store_row (self, row, error))
    return self->failed ? FALSE : tosst_store_fail_missing (self, run, error);
  gboolean running = tosst_store_state (row, 0, 1, 2, &reason) == TOSST_RUN_RUNNING;
  sqlite3_reset (row);
  if (running)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("run %" PRId64 " is running; stop it first"), run);
  tosst_store_drop_files (self, run, -1);
  return tosst_store_do (self, error, "DELETE FROM runs WHERE id = ?", "i", run);
}

gboolean
tosst_store_delete (TosstStore *self, gint64 run, GError **error)
{
  if (!tosst_store_begin (self, error) || !tosst_store_end (self, remove_run (self, run, error), error))
    return FALSE;
  /* Returns the space to the file system; after a failure later runs reuse it. */
  sqlite3_exec (self->db, "PRAGMA incremental_vacuum", NULL, NULL, NULL);
  return TRUE;
}
