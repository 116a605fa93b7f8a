/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Protection from untrusted stores. A database can contain code: views and triggers run on reading and writing,
 * virtual tables and generated columns compute, and without its key a table is searched completely for each look-up.
 * No version of this program creates any of these.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/store/private.h"

/* Maximum steps of SQLite's virtual machine per statement: a constant (some seconds) plus an amount per byte of the
 * store; and the interval of checking them. A check of all pages and indices takes one step per two bytes. */
#define STEPS 1e8
#define STEPS_PER_BYTE 20
#define STEPS_PER_LOOK 10000

/* Columns of the primary keys, in all versions of the schema. */
static const struct
{
  const char *table, *key;
} tables[] = {
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
  g_return_if_fail (self != NULL);

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

gboolean
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
  for (gsize i = 0; !self->failed && i < G_N_ELEMENTS (tables); i++)
    {
      /* Tables missing in an earlier version, or lost in a damaged store, have no columns. */
      gint64 fine;

      if (!tosst_store_number (self, &fine, 1, error,
                               "SELECT count(*) = 0 OR (max(hidden) = 0 AND ? IS (SELECT group_concat(name) FROM "
                               "(SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk))) "
                               "FROM pragma_table_xinfo(?)",
                               "sss", tables[i].key, tables[i].table, tables[i].table))
        return FALSE;
      if (!fine)
        return fail_schema (self, tables[i].table, error);
    }
  return !self->failed;
}
