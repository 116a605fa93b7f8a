/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables, as steps from one version of the schema to the next; user_version is the number of applied steps. A
 * released step never changes: a change is a new step.
 *
 * Artifacts are stored in the database: a store is one file to copy, send and back up; an artifact is added and
 * deleted together with its run, even if the program is killed; and a dictionary has 0.1 to 15 MB, which SQLite
 * handles well. Their checksum is stored because a change inside a blob leaves the pages of a database valid. Content
 * is the last column, so that lists never read it.
 */
#include "config.h"

#include "core/store/private.h"

#define RUN "run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, "

static const char *const first[] = {
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
static const char *const second[] = {
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

static const char *const *const steps[TOSST_STORE_SCHEMA] = { first, second, third };

gboolean
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
