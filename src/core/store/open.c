/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opening and checking a store: salvage of a damaged one, and runs whose program ended before they did.
 */

#include <glib/gstdio.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/store/private.h"

/* Stores up to this size in bytes are checked before they are opened for writing. */
#define QUICK_CHECK 64e6

/* A running run whose process has ended, and the time it was last active. */
typedef struct
{
  gint64 run;
  double heartbeat;
} StaleRun;

/* Returns a new array of StaleRun; NULL with error. */
static GArray *
find_stale_runs (TosstStore *self, GError **error)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (StaleRun));
  sqlite3_stmt *rows
      = tosst_store_query (self, error, "SELECT id, owner, heard FROM runs WHERE state = 'running'", NULL);

  while (tosst_store_row (self, rows, error))
    {
      const StaleRun run = { sqlite3_column_int64 (rows, 0), tosst_store_real (rows, 2) };

      if (tosst_store_owner_is_gone (tosst_store_text (rows, 1), run.heartbeat))
        g_array_append_val (runs, run);
    }
  return self->failed ? NULL : g_steal_pointer (&runs);
}

/* Opening takes the write lock only if there are stale runs to mark. They are looked up again under the lock:
 * another program may have stopped and queued them in the meantime. */
static gboolean
stop_stale_runs (TosstStore *self, GError **error)
{
  g_autoptr (GArray) before = find_stale_runs (self, error), runs = NULL;

  if (!before || before->len == 0)
    return before != NULL;
  if (!tosst_store_begin (self, error))
    return FALSE;
  runs = find_stale_runs (self, error);
  gboolean ok = runs != NULL;
  for (guint i = 0; ok && i < runs->len; i++)
    {
      const StaleRun *stale = &g_array_index (runs, StaleRun, i);

      ok = tosst_store_finish (self, stale->run, TOSST_RUN_STOPPED, _ ("the program ended during the run"), error)
           && tosst_store_do (self, error, "UPDATE runs SET finished = ? WHERE id = ?", "di", stale->heartbeat,
                              stale->run);
    }
  return tosst_store_end (self, ok, error);
}

/* Whether a check by SQLite finds no damage. */
static gboolean
is_intact (TosstStore *self, const char *check, GError **error)
{
  sqlite3_stmt *row = tosst_store_query (self, error, check, NULL);

  if (!row)
    return FALSE;
  gboolean intact = tosst_store_row (self, row, NULL) && g_str_equal (tosst_store_text (row, 0), "ok");
  sqlite3_reset (row);
  return intact || tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("%s is damaged"), self->name);
}

/* Detects damage before a run starts. */
static gboolean
quick_check (TosstStore *self, GError **error)
{
  gint64 pages, size;

  return tosst_store_number (self, &pages, 0, error, "PRAGMA page_count", NULL)
         && tosst_store_number (self, &size, 0, error, "PRAGMA page_size", NULL)
         && ((double)pages * (double)size > QUICK_CHECK || is_intact (self, "PRAGMA quick_check(1)", error));
}

static TosstStore *
open_to_write (const char *path, const char *name, GError **error)
{
  g_autoptr (TosstStore) self = tosst_store_open_path (path, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);

  if (self && sqlite3_db_readonly (self->db, "main"))
    return tosst_store_fail (self, SQLITE_READONLY, error), NULL;
  if (!self || !tosst_store_prepare (self, error) || !quick_check (self, error) || !stop_stale_runs (self, error))
    return NULL;
  tosst_store_drop_tensors (self);
  return g_steal_pointer (&self);
}

/* In a read-only folder the index of the log cannot be created: opens the database as immutable, which is valid without
 * a log. */
static TosstStore *
open_untouched (const char *path, const char *name, GError **error)
{
  g_autofree char *log = g_strconcat (path, "-wal", NULL), *escaped = g_uri_escape_string (path, "/", FALSE);
  g_autofree char *uri = g_strdup_printf ("file:%s?immutable=1", escaped), *folder = g_path_get_dirname (path);

  if (g_file_test (log, G_FILE_TEST_EXISTS))
    {
      tosst_fail (
          error, TOSST_FAILED_INPUT,
          g_access (folder, W_OK) != 0
              ? _ ("%s has a log that cannot be read because the folder is not writable; copy both and open the copy")
              : _ ("%s has a log that cannot be read because its index cannot be written: the disk is full, or the "
                   "size of files or of memory is limited (ulimit)"),
          name);
      return NULL;
    }
  return tosst_store_open_path (uri, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
}

static TosstStore *
open_to_read (const char *path, const char *name, GError **error)
{
  g_autoptr (GError) cause = NULL;
  int version = 0;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("there is no store of runs at %s"), name), NULL;
  g_autoptr (TosstStore) self = tosst_store_open_path (path, name, SQLITE_OPEN_READWRITE, &cause);
  if (self && !tosst_store_identify (self, &version, &cause)
      && g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_OUTPUT) && g_access (path, R_OK) == 0)
    {
      g_clear_error (&cause);
      tosst_store_free (self);
      self = open_untouched (path, name, &cause);
      if (self)
        tosst_store_identify (self, &version, &cause);
    }
  if (cause)
    return tosst_pass_error (error, &cause), NULL;
  if (version < TOSST_STORE_SCHEMA && !tosst_store_prepare (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

TosstStore *
tosst_store_open (GFile *file, TosstStoreMode mode, GError **error)
{
  g_autofree char *path = g_file_get_path (file), *name = g_file_get_parse_name (file), *notice = NULL;
  g_autoptr (GError) cause = NULL;

  if (!path || g_file_test (path, G_FILE_TEST_IS_DIR))
    return tosst_fail_input (error, name, "%s",
                             path ? _ ("is a folder, not a store of runs") : _ ("is not a local file")),
           NULL;
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is not a store of runs"), name), NULL;
  TosstStore *self = mode == TOSST_STORE_WRITE ? open_to_write (path, name, &cause) : open_to_read (path, name, &cause);
  if (self)
    return self;
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_DAMAGED) && !tosst_store_has_signature (path))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is not a store of runs"), name), NULL;
  if (mode == TOSST_STORE_READ || !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_DAMAGED))
    return tosst_pass_error (error, &cause), NULL;
  if (!tosst_store_salvage (file, &notice, error))
    return NULL;
  self = open_to_write (path, name, error);
  if (self)
    self->notice = g_steal_pointer (&notice);
  return self;
}

gboolean
tosst_store_check (TosstStore *self, GError **error)
{
  if (!is_intact (self, "PRAGMA integrity_check(1)", error))
    return FALSE;
  sqlite3_stmt *rows = tosst_store_query (self, error, "SELECT run, split, name FROM artifacts", NULL);
  while (tosst_store_row (self, rows, error))
    {
      g_autoptr (GBytes) bytes = tosst_store_artifact (self, sqlite3_column_int64 (rows, 0),
                                                       sqlite3_column_int (rows, 1), tosst_store_text (rows, 2), error);

      if (!bytes)
        {
          sqlite3_reset (rows);
          return FALSE;
        }
    }
  return !self->failed;
}
