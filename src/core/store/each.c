/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read of all runs at once, for tables that follow a store while others write it.
 */
#include "config.h"

#include "core/store/private.h"

gboolean
tosst_store_version (TosstStore *self, gint64 *version, GError **error)
{
  return tosst_store_number (self, version, 0, error, "PRAGMA data_version", NULL);
}

static gboolean
finish (sqlite3_stmt *rows, GError *cause, GError **error)
{
  sqlite3_reset (rows);
  if (!cause)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}

gboolean
tosst_store_each_parameter (TosstStore *self, gint64 after, TosstStoreParameterFunc func, gpointer data, GError **error)
{
  GError *cause = NULL;
  sqlite3_stmt *rows = tosst_store_query (
      self, error, "SELECT run, name, text, number FROM parameters WHERE run > ? ORDER BY run, name", "i", after);

  if (!rows)
    return FALSE;
  while (tosst_store_row (self, rows, &cause))
    func (sqlite3_column_int64 (rows, 0), tosst_store_text (rows, 1), tosst_store_text (rows, 2),
          tosst_store_real (rows, 3), data);
  return finish (rows, cause, error);
}

gboolean
tosst_store_each_member (TosstStore *self, TosstStoreMemberFunc func, gpointer data, GError **error)
{
  GError *cause = NULL;
  sqlite3_stmt *rows
      = tosst_store_query (self, error, "SELECT run, sweep, number FROM members ORDER BY run, sweep, number", NULL);

  if (!rows)
    return FALSE;
  while (tosst_store_row (self, rows, &cause))
    func (sqlite3_column_int64 (rows, 0), sqlite3_column_int64 (rows, 1), sqlite3_column_int (rows, 2), data);
  return finish (rows, cause, error);
}
