/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sweeps and their runs. A run is a member of every sweep with a run of its hash, so that nothing is computed twice;
 * an interrupted run is resumed by the next program.
 */
#include "core/base/base.h"
#include "core/run/hash.h"
#include "core/run/scores.h"
#include "core/store/private.h"

gint64
tosst_store_add_sweep (TosstStore *self, const char *title, const char *recipe, GError **error)
{
  if (!tosst_store_do (self, error, "INSERT INTO sweeps (title, recipe, created) VALUES (?, ?, ?)", "ssd",
                       title ? title : "", recipe, tosst_store_now ()))
    return -1;
  return sqlite3_last_insert_rowid (self->db);
}

gboolean
tosst_store_find (TosstStore *self, const char *hash, gint64 *run, GError **error)
{
  return tosst_store_number (self, run, 0, error, "SELECT max(id) FROM runs WHERE hash = ? AND state = 'done'", "s",
                             hash);
}

/* The hash of a run; new. NULL: not known, as it has unknown parameters. */
static char *
current_hash (TosstStore *self, gint64 run, const char *key)
{
  g_autoptr (TosstRecipe) recipe = tosst_store_recipe (self, run, NULL);
  gint64 split;

  if (!recipe
      || !tosst_store_number (self, &split, -1, NULL, "SELECT split FROM runs WHERE id = ? AND split >= 0", "i", run))
    return NULL;
  return tosst_run_hash (recipe, key, (int)split);
}

/* Whether the runs of these data are still to be looked at, once in a process. */
static gboolean
is_first_time (TosstStore *self, const char *data)
{
  static GMutex lock;
  static GHashTable *seen;
  const char *path = sqlite3_db_filename (self->db, "main");
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  if (!seen)
    seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return g_hash_table_add (seen, g_strdup_printf ("%s\n%s", data, path ? path : ""));
}

gboolean
tosst_store_renew_hashes (TosstStore *self, TosstDataset *dataset, GError **error)
{
  const char *data = dataset ? dataset->fingerprint : NULL;

  if (!dataset || !is_first_time (self, data))
    return TRUE;
  if (*dataset->listed
      && !tosst_store_do (self, error, "UPDATE runs SET data = ? WHERE data = ? AND state <> 'running'", "ss", data,
                          dataset->listed))
    return FALSE;
  g_autoptr (GArray) ids
      = tosst_store_ids (self, error, "SELECT id FROM runs WHERE state <> 'running' AND data = ? AND numerics = ?",
                         "sn", data, TOSST_NUMERICS);
  for (guint i = 0; ids && i < ids->len; i++)
    {
      gint64 id = g_array_index (ids, gint64, i);
      g_autofree char *hash = current_hash (self, id, dataset->key);

      if (hash
          && !tosst_store_do (self, error, "UPDATE runs SET hash = ?1 WHERE id = ?2 AND hash <> ?1", "si", hash, id))
        return FALSE;
    }
  return ids != NULL;
}

gboolean
tosst_store_find_sweep (TosstStore *self, const char *recipe, gint64 *sweep, GError **error)
{
  return tosst_store_number (self, sweep, 0, error, "SELECT max(id) FROM sweeps WHERE recipe = ?", "s", recipe);
}

gboolean
tosst_store_find_failed (TosstStore *self, gint64 sweep, const char *hash, gint64 *run, GError **error)
{
  return tosst_store_number (self, run, 0, error,
                             "SELECT r.id FROM members m JOIN runs r ON r.id = m.run "
                             "WHERE m.sweep = ? AND r.hash = ? AND r.state = 'failed'",
                             "is", sweep, hash);
}

/* The most advanced run of this hash; *run is 0 if there is none. */
static gboolean
find_run (TosstStore *self, const char *hash, gint64 *run, TosstRunState *state, GError **error)
{
  const char *reason;
  sqlite3_stmt *row = tosst_store_query (self, error,
                                         "SELECT id, state, owner, heard FROM runs WHERE hash = ? ORDER BY "
                                         "state = 'done' DESC, state = 'running' DESC, state = 'stopped' DESC, "
                                         "state = 'queued' DESC, id DESC",
                                         "s", hash);

  *run = 0;
  if (tosst_store_row (self, row, error))
    {
      *run = sqlite3_column_int64 (row, 0);
      *state = tosst_store_state (row, 1, 2, 3, &reason);
      sqlite3_reset (row);
    }
  return !self->failed;
}

/* Called within a transaction. Metrics are computed again at the end of the run. */
static gboolean
queue_again (TosstStore *self, gint64 run, GError **error)
{
  return tosst_store_do (self, error, "DELETE FROM metrics WHERE run = ?", "i", run)
         && tosst_store_do (self, error,
                            "UPDATE runs SET state = 'queued', reason = NULL, started = NULL, finished = NULL, "
                            "heard = NULL, owner = NULL WHERE id = ?",
                            "i", run);
}

gboolean
tosst_store_requeue_run (TosstStore *self, gint64 run, GError **error)
{
  gint64 stopped;

  if (!tosst_store_begin (self, error))
    return FALSE;
  gboolean ok = tosst_store_number (self, &stopped, 0, error, "SELECT id FROM runs WHERE id = ? AND state = 'stopped'",
                                    "i", run)
                && (!stopped || queue_again (self, run, error));
  return tosst_store_end (self, ok, error);
}

static gint64
add_run (TosstStore *self, gint64 sweep, const TosstRunSpec *spec, GError **error)
{
  TosstStoreOrigin origin = spec->origin;

  origin.sweep = sweep;
  gint64 run = tosst_store_insert (self, spec->recipe, &origin, TOSST_RUN_QUEUED, error);
  return run > 0 && spec->problem && !tosst_store_finish (self, run, TOSST_RUN_FAILED, spec->problem, error) ? -1 : run;
}

/* A run that is queued again records the program, processor and kernel that resume it. */
static gboolean
queue_run (TosstStore *self, gint64 sweep, guint number, const TosstRunSpec *spec, gboolean again, gint64 *run,
           GError **error)
{
  const TosstStoreOrigin *origin = &spec->origin;
  TosstRunState state = TOSST_RUN_QUEUED;
  gint64 known;

  if (!find_run (self, origin->hash, run, &state, error)
      || (*run == 0 && (*run = add_run (self, sweep, spec, error)) < 0)
      || !tosst_store_number (self, &known, 0, error, "SELECT run FROM members WHERE sweep = ? AND run = ?", "ii",
                              sweep, *run))
    return FALSE;
  if ((state == TOSST_RUN_STOPPED || (state == TOSST_RUN_FAILED && !spec->problem && (again || !known)))
      && !(queue_again (self, *run, error)
           && tosst_store_do (self, error,
                              "UPDATE runs SET version = ?, cpu = ?, blas = ?, threads = ?, "
                              "sweep = coalesce(sweep, ?), title = CASE title WHEN '' THEN ? ELSE title END "
                              "WHERE id = ?",
                              "sssnisi", origin->version, origin->cpu, origin->blas, origin->threads, sweep,
                              origin->title ? origin->title : "", *run)))
    return FALSE;
  return tosst_store_do (self, error, "INSERT OR REPLACE INTO members (sweep, number, run) VALUES (?, ?, ?)", "ini",
                         sweep, (int)number, *run);
}

gboolean
tosst_store_queue_runs (TosstStore *self, gint64 sweep, const TosstRunSpec *specs, guint n, gboolean again,
                        gint64 *runs, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++)
    if (!tosst_store_renew_hashes (self, specs[i].dataset, error))
      return FALSE;
  if (!tosst_store_begin (self, error))
    return FALSE;
  for (guint i = 0; ok && i < n; i++)
    ok = queue_run (self, sweep, i, &specs[i], again, &runs[i], error);
  return tosst_store_end (self, ok, error);
}

gboolean
tosst_store_claim_run (TosstStore *self, gint64 run, int threads, gboolean *mine, GError **error)
{
  g_autofree char *owner = tosst_store_owner ();
  double now = tosst_store_now ();

  *mine = FALSE;
  if (!tosst_store_do (self, error,
                       "UPDATE runs SET state = 'running', started = ?, heard = ?, owner = ?, threads = ? "
                       "WHERE id = ? AND state = 'queued'",
                       "ddsni", now, now, owner, threads, run))
    return FALSE;
  *mine = sqlite3_changes (self->db) == 1;
  return TRUE;
}

/* Reads what each test gave. FALSE if it is missing or damaged. */
static gboolean
read_tests (TosstStore *self, gint64 run, int classes, TosstSplitResult *split)
{
  g_autoptr (GBytes) csv = tosst_store_artifact (self, run, split->split, "confusion.csv", NULL), tests = NULL;

  if (!csv)
    {
      tests = tosst_store_artifact (self, run, split->split, TOSST_STORE_SCORES, NULL);
      split->scores = tests ? tosst_scores_from_csv (tests, classes) : NULL;
      split->confusion = split->scores ? g_try_new0 (int, (gsize)classes *(gsize)classes) : NULL;
      return split->confusion != NULL;
    }
  split->confusion = tosst_confusion_from_csv (csv, classes, NULL);
  if (!split->confusion)
    return FALSE;
  /* Missing in runs of earlier versions: the other results are used without them. */
  tests = tosst_store_artifact (self, run, split->split, TOSST_STORE_PREDICTIONS, NULL);
  split->predictions = tests ? tosst_predictions_from_csv (tests, split->confusion, classes) : NULL;
  return TRUE;
}

/* Reads the weight or the accuracy of a part, whose names the order of rows may mix. */
static void
read_part (TosstSplitResult *split, const char *name, double value)
{
  gboolean weight = g_str_has_prefix (name, TOSST_STORE_WEIGHT);
  TosstPartResult part = { .weight = NAN, .accuracy = NAN }, *found = NULL;

  if (!weight && !g_str_has_prefix (name, TOSST_STORE_ACCURACY))
    return;
  part.name = g_intern_string (name + strlen (weight ? TOSST_STORE_WEIGHT : TOSST_STORE_ACCURACY));
  if (!split->parts)
    split->parts = g_array_new (FALSE, FALSE, sizeof part);
  for (guint i = 0; i < split->parts->len && !found; i++)
    if (g_array_index (split->parts, TosstPartResult, i).name == part.name)
      found = &g_array_index (split->parts, TosstPartResult, i);
  if (!found)
    found = &g_array_index (g_array_append_val (split->parts, part), TosstPartResult, split->parts->len - 1);
  *(weight ? &found->weight : &found->accuracy) = value;
}

/* Returns FALSE without error if this split is unfinished or incomplete. */
static gboolean
read_split (TosstStore *self, gint64 run, int number, int classes, TosstSplitResult *split, GError **error)
{
  sqlite3_stmt *rows = tosst_store_query (self, error, "SELECT name, value FROM results WHERE run = ? AND split = ?",
                                          "in", run, number);

  *split = (TosstSplitResult){ .split = number, .accuracy = NAN, .relative_residual = NAN };
  while (tosst_store_row (self, rows, error))
    {
      read_part (split, tosst_store_text (rows, 0), tosst_store_real (rows, 1));
      for (gsize i = 0; i < TOSST_SPLIT_NUMBERS; i++)
        if (g_str_equal (tosst_split_numbers[i].name, tosst_store_text (rows, 0)))
          G_STRUCT_MEMBER (double, split, tosst_split_numbers[i].offset) = tosst_store_real (rows, 1);
    }
  return !self->failed && !isnan (split->accuracy) && read_tests (self, run, classes, split);
}

GArray *
tosst_store_splits (TosstStore *self, gint64 run, int classes, GError **error)
{
  g_autoptr (GArray) splits = g_array_new (FALSE, FALSE, sizeof (TosstSplitResult));
  g_autoptr (GError) cause = NULL;
  TosstSplitResult split;

  g_array_set_clear_func (splits, tosst_run_split_clear);
  while (read_split (self, run, (int)splits->len, classes, &split, &cause))
    g_array_append_val (splits, split);
  tosst_run_split_clear (&split); /* of an incomplete one */
  if (!cause)
    return g_steal_pointer (&splits);
  return tosst_pass_error (error, &cause), NULL;
}

gboolean
tosst_store_seconds (TosstStore *self, gint64 run, double seconds[TOSST_N_STAGES], double *total, double *shared,
                     GError **error)
{
  sqlite3_stmt *rows
      = tosst_store_query (self, error, "SELECT stage, coalesce(seconds, 0) FROM timings WHERE run = ?", "i", run);

  memset (seconds, 0, sizeof *seconds * TOSST_N_STAGES);
  *total = 0;
  if (shared)
    *shared = 0;
  while (tosst_store_row (self, rows, error))
    {
      const char *stage = tosst_store_text (rows, 0);

      if (g_str_equal (stage, "total"))
        *total = tosst_store_real (rows, 1);
      if (shared && g_str_equal (stage, "shared"))
        *shared = tosst_store_real (rows, 1);
      for (int i = 0; i < TOSST_N_STAGES; i++)
        if (g_str_equal (stage, tosst_stage_name (i)))
          seconds[i] = tosst_store_real (rows, 1);
    }
  return !self->failed;
}

GArray *
tosst_store_runs_for_timing (TosstStore *self, const char *data, const char *cpu, const char *blas, int threads,
                             guint most, GError **error)
{
  return tosst_store_ids (
      self, error,
      "SELECT id FROM runs r WHERE state = 'done' AND data = ? AND cpu = ? AND blas = ? AND threads = ? "
      "AND NOT EXISTS (SELECT 1 FROM timings WHERE run = r.id AND stage = 'shared') ORDER BY id DESC LIMIT ?",
      "sssnn", data, cpu, blas, threads, (int)most);
}

TOSST_DEFINE_FREE (TosstStoreSweep, free_sweep, (title, g_free), (recipe, g_free))

/* Counts the runs of a sweep by state, as of now. */
static gboolean
count_members (TosstStore *self, TosstStoreSweep *sweep, GError **error)
{
  const char *reason;
  sqlite3_stmt *rows = tosst_store_query (self, error,
                                          "SELECT r.state, r.owner, r.heard FROM members m JOIN runs r ON r.id = m.run "
                                          "WHERE m.sweep = ?",
                                          "i", sweep->id);

  while (tosst_store_row (self, rows, error))
    {
      sweep->count[tosst_store_state (rows, 0, 1, 2, &reason)]++;
      sweep->runs++;
    }
  return !self->failed;
}

GPtrArray *
tosst_store_sweeps (TosstStore *self, GError **error)
{
  g_autoptr (GPtrArray) sweeps = g_ptr_array_new_with_free_func (free_sweep);
  sqlite3_stmt *rows
      = tosst_store_query (self, error, "SELECT id, title, recipe, created FROM sweeps ORDER BY id", NULL);

  while (tosst_store_row (self, rows, error))
    {
      TosstStoreSweep *sweep = g_new0 (TosstStoreSweep, 1);

      sweep->id = sqlite3_column_int64 (rows, 0);
      sweep->title = g_strdup (tosst_store_text (rows, 1));
      sweep->recipe = g_strdup (tosst_store_text (rows, 2));
      sweep->created = tosst_store_real (rows, 3);
      g_ptr_array_add (sweeps, sweep);
    }
  for (guint i = 0; !self->failed && i < sweeps->len; i++)
    count_members (self, g_ptr_array_index (sweeps, i), error);
  return self->failed ? NULL : g_steal_pointer (&sweeps);
}
