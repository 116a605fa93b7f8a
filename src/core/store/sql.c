/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements and errors: an error of SQLite becomes one sentence that names the store.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/store/private.h"

gboolean
tosst_store_is_cancelled (TosstStore *self)
{
  return g_cancellable_is_cancelled (self->cancellable)
         || (self->context && tosst_context_is_cancelled (self->context));
}

/* Tests locks on another file of the folder: closing a file of the store would release the locks held on it. */
static gboolean
folder_knows_locks (const char *path)
{
  struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };
  g_autofree char *name = g_strconcat (path, ".XXXXXX", NULL);
  int fd = g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0600);
  gboolean known = fd < 0 || fcntl (fd, F_SETLK, &lock) == 0 || (errno != ENOLCK && errno != EOPNOTSUPP);

  if (fd >= 0)
    {
      g_unlink (name);
      close (fd);
    }
  return known;
}

static gboolean
tosst_store_failed_as (const char *name, sqlite3 *db, int code, GError **error)
{
  const char *path = db ? sqlite3_db_filename (db, "main") : NULL;
  int reason = db ? sqlite3_system_errno (db) : 0;
  gboolean locking = (code & 0xff) == SQLITE_BUSY || code == SQLITE_IOERR_LOCK || code == SQLITE_IOERR_RDLOCK
                     || code == SQLITE_IOERR_SHMLOCK;

  if ((code & 0xff) == SQLITE_CANTOPEN && reason == EMFILE)
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", name, g_strerror (reason));
  if (locking && path && *path && !folder_knows_locks (path))
    return tosst_fail (error, TOSST_FAILED_OUTPUT,
                       _ ("%s is on a file system without locks, which a store of runs needs; keep it on another one"),
                       name);
  switch (code & 0xff)
    {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s is locked by another program; try again later"), name);
    case SQLITE_FULL:
      return tosst_fail (error, TOSST_FAILED_OUTPUT,
                         _ ("%s could not be written: the disk is full; its previous content is unchanged"), name);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s can be read but not written"), name);
    case SQLITE_CANTOPEN:
      return tosst_fail (
          error, TOSST_FAILED_OUTPUT,
          _ ("%s could not be opened: the folder does not exist, or you have no permission for it or the file"), name);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: /* unless it never was one: tosst_store_open() */
      return tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("%s is damaged"), name);
    case SQLITE_INTERRUPT: /* from tosst_store_guard() */
      return tosst_fail (error, TOSST_FAILED_INPUT, _ ("reading %s takes far too long for a store of runs of its size"),
                         name);
    case SQLITE_NOMEM:
      return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: not enough memory"), name);
    case SQLITE_IOERR:
      return tosst_fail (error, TOSST_FAILED_OUTPUT,
                         _ ("%s could not be read or written: %s; its previous content is unchanged"), name,
                         reason ? g_strerror (reason) : sqlite3_errstr (code));
    default:
      return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", name, db ? sqlite3_errmsg (db) : sqlite3_errstr (code));
    }
}

gboolean
tosst_store_fail (TosstStore *self, int code, GError **error)
{
  if ((code & 0xff) == SQLITE_INTERRUPT && tosst_store_is_cancelled (self))
    return tosst_error_from_status (TOSST_CANCELLED, NULL, self->name, error);
  return tosst_store_failed_as (self->name, self->db, code, error);
}

static void
bind (sqlite3_stmt *statement, const char *format, va_list arguments)
{
  for (int i = 1; format && *format; format++, i++)
    switch (*format)
      {
      case 'i':
        sqlite3_bind_int64 (statement, i, va_arg (arguments, gint64));
        break;
      case 'n':
        sqlite3_bind_int (statement, i, va_arg (arguments, int));
        break;
      case 's':
        sqlite3_bind_text (statement, i, va_arg (arguments, const char *), -1, SQLITE_TRANSIENT);
        break;
      case 'd':
        sqlite3_bind_double (statement, i, va_arg (arguments, double));
        break;
      case 'b':
        {
          GBytes *bytes = va_arg (arguments, GBytes *);
          gsize size;
          gconstpointer data = g_bytes_get_data (bytes, &size);

          sqlite3_bind_blob64 (statement, i, data ? data : "", size, SQLITE_STATIC);
          break;
        }
      default:
        g_assert_not_reached ();
      }
}

static sqlite3_stmt *
prepare (TosstStore *self, const char *sql, GError **error, const char *format, va_list arguments)
{
  sqlite3_stmt *statement = g_hash_table_lookup (self->statements, sql);

  self->steps = 0;
  self->failed = FALSE;
  if (statement)
    {
      sqlite3_reset (statement);
      sqlite3_clear_bindings (statement);
    }
  else
    {
      int code = sqlite3_prepare_v3 (self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);

      self->failed = code != SQLITE_OK;
      if (self->failed)
        return tosst_store_fail (self, code, error), NULL;
      g_hash_table_insert (self->statements, g_strdup (sql), statement);
    }
  bind (statement, format, arguments);
  return statement;
}

sqlite3_stmt *
tosst_store_query (TosstStore *self, GError **error, const char *sql, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sqlite3_stmt *statement = prepare (self, sql, error, format, arguments);
  va_end (arguments);
  return statement;
}

gboolean
tosst_store_row (TosstStore *self, sqlite3_stmt *statement, GError **error)
{
  int code = statement ? sqlite3_step (statement) : SQLITE_DONE;

  if (!statement || code == SQLITE_ROW)
    return statement != NULL;
  self->failed = code != SQLITE_DONE;
  if (self->failed)
    tosst_store_fail (self, code, error);
  sqlite3_reset (statement);
  return FALSE;
}

GArray *
tosst_store_ids (TosstStore *self, GError **error, const char *sql, const char *format, ...)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  va_list arguments;

  va_start (arguments, format);
  sqlite3_stmt *rows = prepare (self, sql, error, format, arguments);
  va_end (arguments);
  while (tosst_store_row (self, rows, error))
    {
      gint64 id = sqlite3_column_int64 (rows, 0);

      g_array_append_val (ids, id);
    }
  return self->failed ? NULL : g_steal_pointer (&ids);
}

static gboolean
step_once (TosstStore *self, sqlite3_stmt *statement, gint64 *value, GError **error)
{
  int code = sqlite3_step (statement);

  if (value && code == SQLITE_ROW && sqlite3_column_type (statement, 0) != SQLITE_NULL)
    *value = sqlite3_column_int64 (statement, 0);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    tosst_store_fail (self, code, error);
  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
  return code == SQLITE_ROW || code == SQLITE_DONE;
}

gboolean
tosst_store_number (TosstStore *self, gint64 *value, gint64 missing, GError **error, const char *sql,
                    const char *format, ...)
{
  va_list arguments;

  if (value)
    *value = missing;
  va_start (arguments, format);
  sqlite3_stmt *statement = prepare (self, sql, error, format, arguments);
  va_end (arguments);
  return statement && step_once (self, statement, value, error);
}

/* Takes the write lock immediately: upgrading a read transaction could not wait for another writer. */
gboolean
tosst_store_begin (TosstStore *self, GError **error)
{
  return tosst_store_do (self, error, "BEGIN IMMEDIATE", NULL);
}

gboolean
tosst_store_end (TosstStore *self, gboolean ok, GError **error)
{
  if (ok && tosst_store_do (self, error, "COMMIT", NULL))
    return TRUE;
  /* Some failures roll back automatically. */
  if (!sqlite3_get_autocommit (self->db))
    tosst_store_do (self, NULL, "ROLLBACK", NULL);
  return FALSE;
}

const char *
tosst_store_text (sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text (statement, column);

  if (!text || g_utf8_validate (text, -1, NULL))
    return text ? text : "";
  /* File names and foreign stores may contain any bytes; JSON and GTK require UTF-8. */
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return g_intern_string (valid);
}

double
tosst_store_real (sqlite3_stmt *statement, int column)
{
  return sqlite3_column_type (statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double (statement, column);
}
