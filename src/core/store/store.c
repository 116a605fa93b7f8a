/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The handle of a store: connection, identification and schema of the database.
 *
 * The write-ahead log lets readers work while another connection writes. A commit is in the log when it returns, so
 * that killing the program loses nothing of it; flushing to disk is left to checkpoints (synchronous = NORMAL): a
 * power failure may lose the last seconds, never the store.
 */
#include "config.h"

#include "core/store/store.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/store/private.h"

#define NUMBER(type, member)                                                                                           \
  {                                                                                                                    \
#member, G_STRUCT_OFFSET(type, member)                                                                             \
  }

const TosstStoreNumber tosst_store_split_numbers[TOSST_STORE_SPLIT_NUMBERS] = {
  NUMBER (TosstSplitResult, accuracy),  NUMBER (TosstSplitResult, objective), NUMBER (TosstSplitResult, mean_nonzeros),
  NUMBER (TosstSplitResult, worst_kkt), NUMBER (TosstSplitResult, c),         NUMBER (TosstSplitResult, tensors),
  NUMBER (TosstSplitResult, d)
};
const TosstStoreNumber tosst_store_iteration_numbers[TOSST_STORE_ITERATION_NUMBERS]
    = { NUMBER (TosstIteration, seconds),   NUMBER (TosstIteration, objective), NUMBER (TosstIteration, fit),
        NUMBER (TosstIteration, proximity), NUMBER (TosstIteration, sparsity),  NUMBER (TosstIteration, mean_nonzeros),
        NUMBER (TosstIteration, worst_kkt) };

static const char *const state_names[TOSST_N_RUN_STATES] = { "queued", "running", "done", "failed", "stopped" };

const char *
tosst_run_state_name (TosstRunState state)
{
  g_return_val_if_fail ((guint)state < TOSST_N_RUN_STATES, NULL);

  return state_names[state];
}

const char *
tosst_run_state_label (TosstRunState state)
{
  g_return_val_if_fail ((guint)state < TOSST_N_RUN_STATES, NULL);

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

gboolean
tosst_store_close (TosstStore *self)
{
  g_hash_table_remove_all (self->statements);
  gboolean closed = sqlite3_close (self->db) == SQLITE_OK;

  self->db = NULL;
  return closed;
}

void
tosst_store_free (TosstStore *self)
{
  if (!self)
    return;
  tosst_store_close (self);
  g_hash_table_unref (self->statements);
  g_free (self->notice);
  g_free (self->name);
  g_free (self);
}

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
  gboolean ok;

  if (!tosst_store_identify (self, &version, error))
    return FALSE;
  if (version == TOSST_STORE_SCHEMA)
    return TRUE;
  if (!tosst_store_begin (self, error))
    return FALSE;
  /* Another program may have migrated the store in the meantime. */
  ok = tosst_store_identify (self, &version, error) && tosst_store_migrate (self, version, error);
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
