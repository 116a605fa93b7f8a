/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The handle of a store: connection, identification and schema of the database.
 *
 * The write-ahead log lets readers work while another connection writes. A commit is in the log when it returns, so
 * that killing the program loses nothing of it; flushing to disk is left to checkpoints (synchronous = NORMAL): a
 * power failure may lose the last seconds, never the store.
 */
#include "core/store/store.h"

#include <glib/gstdio.h>

#include "core/base/base.h"
#include "core/run/hash.h"
#include "core/store/private.h"

/* The tables, as steps from one version of the schema to the next; user_version is the number of applied steps. A
 * released step never changes: a change is a new step.
 *
 * Artifacts are stored in the database: a store is one file to copy, send and back up; an artifact is added and
 * deleted together with its run, even if the program is killed; and a dictionary has 0.1 to 15 MB, which SQLite
 * handles well. Their checksum is stored because a change inside a blob leaves the pages of a database valid. Content
 * is the last column, so that lists never read it. */

#define RUN "run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, "

static const char *const first_schema[] = {
  "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL, "
  "state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'stopped')), reason TEXT, "
  "queued REAL, started REAL, finished REAL, version TEXT, numerics INTEGER, cpu TEXT, blas TEXT, threads INTEGER, "
  "data TEXT, dataset TEXT, classes TEXT, splits INTEGER, title TEXT NOT NULL DEFAULT '', note TEXT NOT NULL DEFAULT "
  "'', "
  /* The process that executes the run, and the time it was last active. */
  "owner TEXT, heard REAL) STRICT",
  "CREATE INDEX runs_hash ON runs (hash, state)",
  /* number: the text as a number, if it is one; active 0: without influence on this run. */
  "CREATE TABLE parameters (" RUN "name TEXT NOT NULL, text TEXT NOT NULL, number REAL, active INTEGER NOT NULL, "
  "PRIMARY KEY (run, name)) STRICT, WITHOUT ROWID",
  "CREATE INDEX parameters_name ON parameters (name, number, text)",
  "CREATE TABLE series (" RUN "split INTEGER NOT NULL, name TEXT NOT NULL, iteration INTEGER NOT NULL, value REAL, "
  "PRIMARY KEY (run, split, name, iteration)) STRICT, WITHOUT ROWID",
  "CREATE TABLE results (" RUN "split INTEGER NOT NULL, name TEXT NOT NULL, value REAL, "
  "PRIMARY KEY (run, split, name)) STRICT, WITHOUT ROWID",
  /* kind: mean, std, best, last, chosen; step: the split or iteration of the value. */
  "CREATE TABLE metrics (" RUN "name TEXT NOT NULL, kind TEXT NOT NULL, value REAL, step INTEGER, "
  "PRIMARY KEY (run, name, kind)) STRICT, WITHOUT ROWID",
  "CREATE INDEX metrics_name ON metrics (name, kind, value)",
  "CREATE TABLE timings (" RUN "stage TEXT NOT NULL, seconds REAL, PRIMARY KEY (run, stage)) STRICT, WITHOUT ROWID",
  "CREATE TABLE artifacts (id INTEGER PRIMARY KEY, " RUN "split INTEGER NOT NULL, name TEXT NOT NULL, "
  "bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, content BLOB NOT NULL, UNIQUE (run, name, split)) STRICT",
  "CREATE TABLE tags (" RUN "tag TEXT NOT NULL, PRIMARY KEY (run, tag)) STRICT, WITHOUT ROWID",
  NULL,
};

/* Adds sweeps, and runs of a single split. */
static const char *const second_schema[] = {
  "CREATE TABLE sweeps (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT '', recipe TEXT NOT NULL, "
  "created REAL NOT NULL) STRICT",
  "ALTER TABLE runs ADD COLUMN sweep INTEGER REFERENCES sweeps ON DELETE SET NULL",
  "ALTER TABLE runs ADD COLUMN split INTEGER",
  "CREATE INDEX runs_sweep ON runs (sweep, state)",
  /* Index for taking the next queued run. */
  "CREATE INDEX runs_queued ON runs (state, id)",
  NULL,
};

/* A run may be a member of several sweeps, each of which numbers its runs from 0: a finished run is not repeated.
 * Checkpoints of an unfinished run are artifacts; runs.sweep remains the sweep that the run was created for. */
static const char *const third[] = {
  "CREATE TABLE members (sweep INTEGER NOT NULL REFERENCES sweeps ON DELETE CASCADE, number INTEGER NOT NULL, " RUN
  "PRIMARY KEY (sweep, number)) STRICT, WITHOUT ROWID",
  "CREATE INDEX members_run ON members (run, sweep)",
  "INSERT INTO members SELECT sweep, row_number() OVER (PARTITION BY sweep ORDER BY id) - 1, id FROM runs "
  "WHERE sweep IS NOT NULL",
  NULL,
};

static const char *const *const steps[TOSST_STORE_SCHEMA] = { first_schema, second_schema, third };

/* within a transaction */
static gboolean
tosst_store_migrate (TosstStore *self, int from, GError **error)
{
  g_autofree char *version = g_strdup_printf ("PRAGMA user_version = %d", TOSST_STORE_SCHEMA);
  g_autofree char *application = g_strdup_printf ("PRAGMA application_id = %d", TOSST_STORE_APPLICATION);

  for (int step = from; step < TOSST_STORE_SCHEMA; step++)
    for (const char *const *sql = steps[step]; *sql; sql++)
      if (!tosst_store_do (self, error, *sql, NULL))
        return FALSE;
  return tosst_store_do (self, error, version, NULL) && tosst_store_do (self, error, application, NULL);
}

/* Protection from untrusted stores. A database can contain code: views and triggers run on reading and writing,
 * virtual keyed and generated columns compute, and without its key a table is searched completely for each look-up.
 * No version of this program creates any of these. */

/* Maximum steps of SQLite's virtual machine per statement: a constant (some seconds) plus an amount per byte of the
 * store; and the interval of checking them. A check of all pages and indices takes one step per two bytes. */
#define STEPS 1e8
#define STEPS_PER_BYTE 20
#define STEPS_PER_LOOK 10000

/* Columns of the primary keys, in all versions of the schema. */
static const struct
{
  const char *table, *key;
} keyed[] = {
  { "runs", "id" },
  { "parameters", "run,name" },
  { "series", "run,split,name,iteration" },
  { "results", "run,split,name" },
  { "metrics", "run,name,kind" },
  { "timings", "run,stage" },
  { "artifacts", "id" },
  { "tags", "run,tag" },
  { "sweeps", "id" },
  { "members", "sweep,number" },
};

/* Allows the actions of the program's own statements, and of those that SQLite generates from them. */
static int
authorize (gpointer data, int action, const char *first, const char *second, const char *database, const char *by)
{
  static const char *const pragmas[] = { "application_id", "auto_vacuum",        "cell_size_check", "data_version",
                                         "foreign_keys",   "incremental_vacuum", "journal_mode",    "integrity_check",
                                         "page_count",     "page_size",          "quick_check",     "synchronous",
                                         "table_info",     "table_xinfo",        "user_version",    NULL };

  switch (action)
    {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_TRANSACTION:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_INDEX:
    case SQLITE_ALTER_TABLE:
    case SQLITE_REINDEX:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return g_strcmp0 (second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return g_strv_contains (pragmas, first) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
    }
}

static double
size_of (TosstStore *self)
{
  const char *path = sqlite3_db_filename (self->db, "main");
  g_autofree char *log = g_strconcat (path ? path : "", "-wal", NULL);
  GStatBuf file, of_log;
  double size = 0;

  if (path && g_stat (path, &file) == 0)
    size += (double)file.st_size;
  if (g_stat (log, &of_log) == 0)
    size += (double)of_log.st_size;
  return size;
}

void
tosst_store_set_cancel (TosstStore *self, GCancellable *cancellable, TosstContext *context)
{
  self->cancellable = cancellable;
  self->context = context;
}

static int
on_steps (gpointer data)
{
  TosstStore *self = data;

  self->steps += STEPS_PER_LOOK;
  return tosst_store_is_cancelled (self)
         || (self->steps > STEPS && self->steps > STEPS + STEPS_PER_BYTE * size_of (self));
}

void
tosst_store_guard (TosstStore *self, gboolean salvage)
{
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, !salvage, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
  /* For salvage even a damaged schema is used. */
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, salvage, NULL);
  sqlite3_limit (self->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (self->db, SQLITE_LIMIT_COLUMN, 200);
  sqlite3_set_authorizer (self->db, authorize, NULL);
  sqlite3_progress_handler (self->db, STEPS_PER_LOOK, on_steps, self);
  sqlite3_exec (self->db, salvage ? "PRAGMA cell_size_check = OFF" : "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

static gboolean
fail_schema (TosstStore *self, const char *what, GError **error)
{
  return tosst_fail (error, TOSST_FAILED_INPUT,
                     _ ("%s is not a store of runs: its table “%s” has an unknown definition"), self->name, what);
}

/* Whether the database has only tables, with the expected keys. */
static gboolean
tosst_store_check_schema (TosstStore *self, GError **error)
{
  sqlite3_stmt *row
      = tosst_store_query (self, error,
                           "SELECT name FROM sqlite_schema WHERE type NOT IN ('table', 'index') "
                           "OR coalesce(rootpage, 0) <= 0 OR lower(substr(sql, 1, 14)) = 'create virtual' LIMIT 1",
                           NULL);

  if (tosst_store_row (self, row, error))
    {
      fail_schema (self, tosst_store_text (row, 0), error);
      sqlite3_reset (row);
      return FALSE;
    }
  for (gsize i = 0; !self->failed && i < G_N_ELEMENTS (keyed); i++)
    {
      /* Tables missing in an earlier version, or lost in a damaged store, have no columns. */
      gint64 fine;

      if (!tosst_store_number (self, &fine, 1, error,
                               "SELECT count(*) = 0 OR (max(hidden) = 0 AND ? IS (SELECT group_concat(name) FROM "
                               "(SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk))) "
                               "FROM pragma_table_xinfo(?)",
                               "sss", keyed[i].key, keyed[i].table, keyed[i].table))
        return FALSE;
      if (!fine)
        return fail_schema (self, keyed[i].table, error);
    }
  return !self->failed;
}

#define NUMBER(member)                                                                                                 \
  {                                                                                                                    \
#member, G_STRUCT_OFFSET(TosstIteration, member)                                                                   \
  }

const TosstNumber tosst_store_iteration_numbers[TOSST_STORE_ITERATION_NUMBERS]
    = { NUMBER (seconds),  NUMBER (objective),     NUMBER (fit),      NUMBER (proximity),
        NUMBER (sparsity), NUMBER (mean_nonzeros), NUMBER (worst_kkt) };

static const char *const state_names[TOSST_N_RUN_STATES] = { "queued", "running", "done", "failed", "stopped" };

const char *
tosst_run_state_name (TosstRunState state)
{
  return state_names[state];
}

TosstRunState
tosst_run_state_find (const char *name, TosstRunState otherwise)
{
  for (int state = 0; state < TOSST_N_RUN_STATES; state++)
    if (strcmp (state_names[state], name) == 0)
      return state;
  return otherwise;
}

const char *
tosst_run_state_label (TosstRunState state)
{
  static const char *const labels[TOSST_N_RUN_STATES]
      = { N_ ("queued"), N_ ("running"), N_ ("done"), N_ ("failed"), N_ ("stopped") };

  return _ (labels[state]);
}

static void
finalize (gpointer statement)
{
  sqlite3_finalize (statement);
}

TosstStore *
tosst_store_open_path (const char *path, const char *name, int flags, GError **error)
{
  TosstStore *self = g_new0 (TosstStore, 1);
  int code = sqlite3_open_v2 (path, &self->db, flags | SQLITE_OPEN_EXRESCODE, NULL);

  self->name = g_strdup (name);
  self->statements = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, finalize);
  if (code != SQLITE_OK)
    {
      tosst_store_fail (self, code, error);
      tosst_store_free (self);
      return NULL;
    }
  sqlite3_busy_timeout (self->db, TOSST_STORE_BUSY_TIMEOUT * 1000);
  tosst_store_guard (self, FALSE);
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstStore, tosst_store_free, TosstStore *, (statements, g_hash_table_unref),
                          (db, sqlite3_close), (notice, g_free), (name, g_free))

const char *
tosst_store_notice (TosstStore *self)
{
  return self->notice;
}

gboolean
tosst_store_identify (TosstStore *self, int *version, GError **error)
{
  gint64 schema, application, tables;

  if (!tosst_store_number (self, &schema, 0, error, "PRAGMA user_version", NULL)
      || !tosst_store_number (self, &application, 0, error, "PRAGMA application_id", NULL)
      || !tosst_store_number (self, &tables, 0, error, "SELECT count(*) FROM sqlite_schema", NULL))
    return FALSE;
  *version = (int)schema;
  if (application != TOSST_STORE_APPLICATION && (application || schema || tables))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is a database of another program, not a store of runs"),
                       self->name);
  if (schema > TOSST_STORE_SCHEMA)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("%s was written by a newer version of this program (schema %d, supported up to %d)"),
                       self->name, (int)schema, TOSST_STORE_SCHEMA);
  if (application && !tables)
    return tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("%s is damaged"), self->name);
  return tosst_store_check_schema (self, error);
}

/* Switching to the log needs an exclusive lock, which SQLite's busy timeout does not cover. */
static gboolean
use_log (TosstStore *self, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  char *message = NULL;
  int code;

  while ((code = sqlite3_exec (self->db, "PRAGMA journal_mode = WAL", NULL, NULL, &message) & 0xff) == SQLITE_BUSY
         && g_get_monotonic_time () - start < TOSST_STORE_BUSY_TIMEOUT * G_USEC_PER_SEC)
    {
      g_clear_pointer (&message, sqlite3_free);
      g_usleep (20000);
    }
  sqlite3_free (message);
  return code == SQLITE_OK || tosst_store_fail (self, code, error);
}

static gboolean
bring_up_to_date (TosstStore *self, GError **error)
{
  int version;

  if (!tosst_store_identify (self, &version, error))
    return FALSE;
  if (version == TOSST_STORE_SCHEMA)
    return TRUE;
  if (!tosst_store_begin (self, error))
    return FALSE;
  /* Another program may have migrated the store in the meantime. */
  gboolean ok = tosst_store_identify (self, &version, error) && tosst_store_migrate (self, version, error);
  return tosst_store_end (self, ok, error);
}

gboolean
tosst_store_prepare (TosstStore *self, GError **error)
{
  int version;

  return tosst_store_identify (self, &version, error)
         && (version || tosst_store_do (self, error, "PRAGMA auto_vacuum = INCREMENTAL", NULL)) && use_log (self, error)
         && tosst_store_do (self, error, "PRAGMA synchronous = NORMAL", NULL) && bring_up_to_date (self, error)
         && tosst_store_do (self, error, "PRAGMA foreign_keys = ON", NULL);
}

/* Files beside the database, for checkpoints of gigabytes: in the database each would be copied three times, and the
 * database would not shrink when they are deleted. */

/* Prefix of the file names: database, run and hash, as ids of runs are reused; new. NULL if the run does not exist. */
static char *
path_begin (TosstStore *self, gint64 run)
{
  const char *path = sqlite3_db_filename (self->db, "main");
  sqlite3_stmt *row = tosst_store_query (self, NULL, "SELECT hash FROM runs WHERE id = ?", "i", run);
  char *begin = NULL;

  if (!tosst_store_row (self, row, NULL))
    return NULL;
  if (path != NULL && *path != '\0' && tosst_run_is_hash (tosst_store_text (row, 0)))
    begin = g_strdup_printf ("%s-%" PRId64 "-%s-", path, run, tosst_store_text (row, 0));
  sqlite3_reset (row);
  return begin;
}

GFile *
tosst_store_file (TosstStore *self, gint64 run, int split)
{
  g_autofree char *begin = path_begin (self, run);
  g_autofree char *path = begin != NULL ? g_strdup_printf ("%s%d.checkpoint", begin, split + 1) : NULL;

  return path != NULL ? g_file_new_for_path (path) : NULL;
}

static void
drop_all (const char *begin, const char *end)
{
  g_autofree char *folder = g_path_get_dirname (begin), *name = g_path_get_basename (begin);
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  const char *entry;

  while (entries != NULL && (entry = g_dir_read_name (entries)) != NULL)
    if (g_str_has_prefix (entry, name) && g_str_has_suffix (entry, end))
      {
        g_autofree char *path = g_build_filename (folder, entry, NULL);

        g_unlink (path);
      }
}

void
tosst_store_drop_files (TosstStore *self, gint64 run, int split)
{
  g_autofree char *begin = path_begin (self, run);
  g_autoptr (GFile) file = begin != NULL && split >= 0 ? tosst_store_file (self, run, split) : NULL;

  if (file != NULL)
    g_unlink (g_file_peek_path (file));
  else if (begin != NULL)
    drop_all (begin, ".checkpoint");
}

void
tosst_store_drop_tensors (TosstStore *self)
{
  const char *path = sqlite3_db_filename (self->db, "main");
  g_autofree char *begin = path != NULL && *path != '\0' ? g_strconcat (path, "-", NULL) : NULL;

  if (begin != NULL)
    drop_all (begin, ".tensors");
}

/* Recipe, series and artifacts of a run. */

gboolean
tosst_store_fail_missing (TosstStore *self, gint64 run, GError **error)
{
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s has no run %" PRId64), self->name, run);
}

TosstRecipe *
tosst_store_recipe (TosstStore *self, gint64 run, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GError) cause = NULL;
  sqlite3_stmt *rows = tosst_store_query (self, &cause,
                                          "SELECT name, text FROM parameters WHERE run = ?"
                                          " ORDER BY name NOT IN ('descriptor.kind', 'coding.method')",
                                          "i", run);
  guint n = 0;

  for (; !cause && tosst_store_row (self, rows, &cause); n++)
    tosst_recipe_set (recipe, tosst_store_text (rows, 0), tosst_store_text (rows, 1), &cause);
  sqlite3_reset (rows);
  if (!cause && n > 0)
    return g_steal_pointer (&recipe);
  if (cause)
    g_propagate_prefixed_error (error, g_steal_pointer (&cause), _ ("run %" PRId64 ": "), run);
  else
    tosst_store_fail_missing (self, run, error);
  return NULL;
}

double *
tosst_store_series (TosstStore *self, gint64 run, int split, const char *name, gsize *n, GError **error)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  sqlite3_stmt *rows = tosst_store_query (
      self, error, "SELECT value FROM series WHERE run = ? AND split = ? AND name = ? ORDER BY iteration", "ins", run,
      split, name);

  while (tosst_store_row (self, rows, error))
    {
      double value = tosst_store_real (rows, 0);

      g_array_append_val (values, value);
    }
  *n = self->failed ? 0 : values->len;
  return *n ? (double *)(void *)g_array_free (g_steal_pointer (&values), FALSE) : NULL;
}

GBytes *
tosst_store_artifact (TosstStore *self, gint64 run, int split, const char *name, GError **error)
{
  sqlite3_stmt *row = tosst_store_query (
      self, error, "SELECT sha256, content FROM artifacts WHERE run = ? AND name = ? AND split = ?", "isn", run, name,
      split);

  if (!tosst_store_row (self, row, error))
    {
      if (!self->failed)
        tosst_fail (error, TOSST_FAILED_INPUT, _ ("run %" PRId64 " in %s has no %s"), run, self->name, name);
      return NULL;
    }
  g_autoptr (GBytes) bytes = g_bytes_new (sqlite3_column_blob (row, 1), (gsize)sqlite3_column_bytes (row, 1));
  g_autofree char *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  gboolean same = g_str_equal (sum, tosst_store_text (row, 0));
  sqlite3_reset (row);
  if (same)
    return g_steal_pointer (&bytes);
  tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("%s is damaged: %s of run %" PRId64 " does not match its checksum"),
              self->name, name, run);
  return NULL;
}
