/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Salvage of a damaged store to a new one. It reads a copy, so that the original is unchanged: first the runs, from
 * both ends up to the damage and then one by one, then the data of each. The new store gets the name only after it is
 * complete and flushed to disk.
 */
#define _GNU_SOURCE /* memmem */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/store/private.h"

#define HEADER 100   /* bytes of page 1 before its first table */
#define PAGE 4096    /* default page size of SQLite, as in all stores */
#define LOOK 1048576 /* bytes from the start of the file that contain a parameter name if there is any */
#define MAX_RUNS 10000000

static const char *const children[]
    = { "parameters", "series", "results", "metrics", "timings", "artifacts", "tags", NULL };

typedef struct
{
  TosstStore *from, *to;
  gint64 runs, gaps;
} Salvage;

/* Page 1 has the application id in its header. If it is destroyed, the file must consist of whole pages, the third,
 * the root of the table of runs, must start with the type of a table page, and the name of a parameter must occur. */
gboolean
tosst_store_has_signature (const char *path)
{
  g_autofree char *start = g_malloc (LOOK);
  const guint32 application = GUINT32_TO_BE (TOSST_STORE_APPLICATION);
  int fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  gssize n = fd >= 0 ? read (fd, start, LOOK) : 0;
  GStatBuf info;

  if (fd >= 0)
    close (fd);
  if (n >= HEADER && memcmp (start + 68, &application, sizeof application) == 0)
    return TRUE;
  return n > 2 * PAGE && g_stat (path, &info) == 0 && info.st_size % PAGE == 0
         && (start[2 * PAGE] == 5 || start[2 * PAGE] == 13) && memmem (start, (gsize)n, "dictionary.atoms", 16);
}

/* Columns that exist on both sides, "a, b, c"; new. */
static char *
common_columns (const Salvage *self, const char *table)
{
  g_autofree char *sql = g_strdup_printf ("SELECT name FROM pragma_table_info('%s')", table);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) there = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  sqlite3_stmt *rows = tosst_store_query (self->from, NULL, sql, NULL);

  while (tosst_store_row (self->from, rows, NULL))
    g_hash_table_add (there, g_strdup (tosst_store_text (rows, 0)));
  rows = tosst_store_query (self->to, NULL, sql, NULL);
  while (tosst_store_row (self->to, rows, NULL))
    if (g_hash_table_contains (there, tosst_store_text (rows, 0)))
      g_ptr_array_add (names, g_strdup (tosst_store_text (rows, 0)));
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **)names->pdata);
}

/* Only errors of the new store are reported; invalid rows are skipped. */
static gboolean
copy_row (Salvage *self, const char *table, const char *columns, sqlite3_stmt *row, GError **error)
{
  g_autoptr (GString) sql = g_string_new (NULL);
  int n = sqlite3_column_count (row);

  g_string_printf (sql, "INSERT OR IGNORE INTO %s (%s) VALUES (?", table, columns);
  for (int i = 1; i < n; i++)
    g_string_append (sql, ", ?");
  g_string_append_c (sql, ')');
  sqlite3_stmt *insert = tosst_store_query (self->to, error, sql->str, NULL);
  if (!insert)
    return FALSE;
  for (int i = 0; i < n; i++)
    sqlite3_bind_value (insert, i + 1, sqlite3_column_value (row, i));
  int code = sqlite3_step (insert);
  sqlite3_reset (insert);
  sqlite3_clear_bindings (insert);
  return code == SQLITE_DONE || (code & 0xff) == SQLITE_CONSTRAINT || (code & 0xff) == SQLITE_MISMATCH
         || tosst_store_fail (self->to, code, error);
}

/* Copies rows up to the first damage; sets *broken if there is any. */
static gboolean
copy_rows (Salvage *self, const char *table, const char *where, gint64 id, const char *order, gboolean *broken,
           GError **error)
{
  g_autofree char *columns = common_columns (self, table), *sql = NULL;
  g_autoptr (GError) cause = NULL;

  if (!*columns)
    {
      *broken = TRUE;
      return TRUE;
    }
  sql = g_strdup_printf ("SELECT %s FROM %s %s %s", columns, table, where, order);
  sqlite3_stmt *rows = tosst_store_query (self->from, &cause, sql, NULL);
  if (rows && id)
    sqlite3_bind_int64 (rows, 1, id);
  while (tosst_store_row (self->from, rows, &cause))
    if (!copy_row (self, table, columns, rows, error))
      {
        sqlite3_reset (rows);
        return FALSE;
      }
  *broken = *broken || cause != NULL;
  return TRUE;
}

static gboolean
copy_runs (Salvage *self, gboolean *broken, GError **error)
{
  gint64 highest = 0, other;

  if (!copy_rows (self, "runs", "", 0, "ORDER BY id", broken, error))
    return FALSE;
  if (!*broken)
    return TRUE;
  if (!copy_rows (self, "runs", "", 0, "ORDER BY id DESC", broken, error))
    return FALSE;
  tosst_store_number (self->to, &highest, 0, NULL, "SELECT max(id) FROM runs", NULL);
  tosst_store_number (self->from, &other, 0, NULL, "SELECT max(run) FROM parameters", NULL);
  highest = MIN (MAX (highest, other), MAX_RUNS);
  for (gint64 id = 1; id <= highest; id++)
    if (!copy_rows (self, "runs", "WHERE id = ?", id, "", broken, error))
      return FALSE;
  return TRUE;
}

/* Each damaged run is counted once. */
static gboolean
mark_gap (Salvage *self, gint64 run, GError **error)
{
  if (!tosst_store_do (self->to, error, "INSERT OR IGNORE INTO tags (run, tag) VALUES (?, 'salvaged')", "i", run))
    return FALSE;
  self->gaps += sqlite3_changes (self->to->db);
  return TRUE;
}

/* The first column, up to the first damage. */
static GArray *
readable_ids (TosstStore *store, const char *sql)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  sqlite3_stmt *rows = tosst_store_query (store, NULL, sql, NULL);

  while (tosst_store_row (store, rows, NULL))
    {
      gint64 id = sqlite3_column_int64 (rows, 0);

      g_array_append_val (ids, id);
    }
  return ids;
}

/* Restores runs with parameters but without their own row. */
static gboolean
restore_lost_runs (Salvage *self, GError **error)
{
  g_autoptr (GArray) all = readable_ids (self->from, "SELECT DISTINCT run FROM parameters");

  for (guint i = 0; i < all->len; i++)
    {
      gint64 id = g_array_index (all, gint64, i);

      if (!tosst_store_do (self->to, error,
                           "INSERT OR IGNORE INTO runs (id, hash, state, reason) VALUES (?, '', 'failed', ?)", "is", id,
                           _ ("its entry was damaged")))
        return FALSE;
      if (sqlite3_changes (self->to->db) == 1 && !mark_gap (self, id, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
copy_children (Salvage *self, gint64 run, GError **error)
{
  gboolean gap = FALSE;

  for (const char *const *table = children; *table; table++)
    {
      gboolean broken = FALSE;

      if (!copy_rows (self, *table, "WHERE run = ?", run, "", &broken, error)
          || (broken
              && !copy_rows (self, *table, "WHERE run = ?", run, "ORDER BY 1 DESC, 2 DESC, 3 DESC", &broken, error)))
        return FALSE;
      gap = gap || broken;
    }
  return !gap || mark_gap (self, run, error);
}

/* Deletes artifacts with a wrong checksum. */
static gboolean
drop_changed (Salvage *self, gint64 run, GError **error)
{
  g_autoptr (GArray) changed = g_array_new (FALSE, FALSE, sizeof (gint64));
  sqlite3_stmt *rows
      = tosst_store_query (self->to, error, "SELECT id, sha256, content FROM artifacts WHERE run = ?", "i", run);

  if (!rows)
    return FALSE;
  while (tosst_store_row (self->to, rows, NULL))
    {
      g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, sqlite3_column_blob (rows, 2),
                                                          (gsize)sqlite3_column_bytes (rows, 2));
      gint64 id = sqlite3_column_int64 (rows, 0);

      if (strcmp (sum, tosst_store_text (rows, 1)) != 0)
        g_array_append_val (changed, id);
    }
  if (!changed->len)
    return TRUE;
  for (guint i = 0; i < changed->len; i++)
    if (!tosst_store_do (self->to, error, "DELETE FROM artifacts WHERE id = ?", "i",
                         g_array_index (changed, gint64, i)))
      return FALSE;
  return mark_gap (self, run, error);
}

static gboolean
copy_all (Salvage *self, GError **error)
{
  gboolean broken = FALSE;

  if (!copy_rows (self, "sweeps", "", 0, "", &broken, error) || !copy_runs (self, &broken, error)
      || !restore_lost_runs (self, error))
    return FALSE;
  g_autoptr (GArray) ids = readable_ids (self->to, "SELECT id FROM runs ORDER BY id");
  for (guint i = 0; i < ids->len; i++)
    if (!copy_children (self, g_array_index (ids, gint64, i), error)
        || !drop_changed (self, g_array_index (ids, gint64, i), error))
      return FALSE;
  tosst_store_number (self->to, &self->runs, 0, NULL, "SELECT count(*) FROM runs", NULL);
  /* Without its members a sweep finds its runs by their hashes. */
  return copy_rows (self, "members", "", 0, "", &broken, error)
         && tosst_store_do (self->to, error,
                            "DELETE FROM members WHERE run NOT IN (SELECT id FROM runs) "
                            "OR sweep NOT IN (SELECT id FROM sweeps)",
                            NULL);
}

/* Reads bytes from the start of a file; FALSE if it is shorter. */
static gboolean
read_start (const char *path, char *start, gsize size)
{
  int fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  gboolean ok = fd >= 0 && read (fd, start, size) == (gssize)size;

  if (fd >= 0)
    close (fd);
  return ok;
}

/* Whether all tables common to all versions of the schema are found. */
static gboolean
finds_tables (const char *path)
{
  g_autoptr (TosstStore) store = tosst_store_open_path (path, path, SQLITE_OPEN_READWRITE, NULL);
  gboolean ok = store != NULL;

  if (ok)
    tosst_store_guard (store, TRUE);
  for (const char *const *table = children; ok && *table; table++)
    {
      g_autofree char *sql = g_strdup_printf ("SELECT * FROM runs, %s", *table);

      ok = tosst_store_query (store, NULL, sql, NULL) != NULL;
    }
  return ok;
}

static void
write_start (const char *path, const char *start)
{
  int fd = g_open (path, O_WRONLY | O_CLOEXEC, 0);

  if (fd >= 0 && write (fd, start, PAGE) != PAGE)
    g_debug ("%s: page 1 was not mended", path);
  if (fd >= 0)
    close (fd);
}

/* Page 1 identifies the file and locates its tables. With the same schema tables have the same positions in every
 * store: a destroyed page 1 is replaced by that of a new store, first only its header. */
static void
repair_first_page (const char *path, const char *fresh)
{
  char start[PAGE], model[PAGE];
  GStatBuf info;

  if (!read_start (path, start, PAGE) || !read_start (fresh, model, PAGE) || g_stat (path, &info) != 0
      || (memcmp (start, model, 24) == 0 && finds_tables (path)))
    return;
  guint32 pages = GUINT32_TO_BE ((guint32)(info.st_size / PAGE));
  memcpy (model + 28, &pages, sizeof pages);
  memcpy (start, model, HEADER);
  write_start (path, start);
  if (!finds_tables (path))
    write_start (path, model);
}

static gboolean
copy_file (const char *from, const char *to, GError **error)
{
  g_autoptr (GFile) a = g_file_new_for_path (from), b = g_file_new_for_path (to);
  g_autoptr (GError) cause = NULL;

  if (g_file_copy (a, b, G_FILE_COPY_OVERWRITE | G_FILE_COPY_NOFOLLOW_SYMLINKS, NULL, NULL, NULL, &cause)
      || g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s is damaged, and could not be copied for salvage: %s"), from,
                     cause->message);
}

/* Deletes a database and its auxiliary files. */
static void
remove_database (const char *path)
{
  static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *one = g_strconcat (path, ends[i], NULL);

      g_unlink (one);
    }
}

/* Copies the damaged store into a new store at fresh, which is complete and closed afterwards. */
static gboolean
rebuild (Salvage *self, const char *damaged, const char *fresh, const char *name, GError **error)
{
  self->to = tosst_store_open_path (fresh, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
  if (!self->to || !tosst_store_prepare (self->to, error))
    return FALSE;
  /* Until then the pages of the new store are in its log. */
  sqlite3_wal_checkpoint_v2 (self->to->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  repair_first_page (damaged, fresh);
  self->from = tosst_store_open_path (damaged, name, SQLITE_OPEN_READWRITE, error);
  if (self->from)
    tosst_store_guard (self->from, TRUE);
  if (!self->from || !tosst_store_do (self->to, error, "PRAGMA foreign_keys = OFF", NULL)
      || !tosst_store_begin (self->to, error))
    return FALSE;
  if (!tosst_store_end (self->to, copy_all (self, error), error))
    return FALSE;
  int code = sqlite3_wal_checkpoint_v2 (self->to->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  return code == SQLITE_OK || tosst_store_fail (self->to, code, error);
}

/* An unused name for the original file; its log gets the same suffix. New. */
static char *
name_for_original (const char *path)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y%m%d-%H%M%S");
  char *kept = g_strdup_printf ("%s.damaged-%s", path, date);

  for (int i = 2; g_file_test (kept, G_FILE_TEST_EXISTS); i++)
    {
      g_free (kept);
      kept = g_strdup_printf ("%s.damaged-%s-%d", path, date, i);
    }
  return kept;
}

/* The log is moved first: SQLite would apply it to the new store. */
static gboolean
exchange (const char *path, const char *fresh, const char *kept, GError **error)
{
  g_autofree char *log = g_strconcat (path, "-wal", NULL), *kept_log = g_strconcat (kept, "-wal", NULL);
  g_autofree char *shared = g_strconcat (path, "-shm", NULL);
  gboolean ok = link (path, kept) == 0 || copy_file (path, kept, NULL);
  gboolean moved = ok && g_rename (log, kept_log) == 0;

  ok = ok && (moved || errno == ENOENT);
  g_unlink (shared);
  if (ok && g_rename (fresh, path) == 0)
    return TRUE;
  tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s is damaged, and the salvaged store could not replace it: %s"), path,
              g_strerror (errno));
  if (moved && g_rename (kept_log, log) != 0)
    return FALSE; /* the original and its log keep the other name */
  g_unlink (kept);
  return FALSE;
}

static gboolean
salvage (const char *path, const char *name, char **notice, GError **error)
{
  g_autofree char *damaged = g_strconcat (path, ".salvage-old", NULL), *log = g_strconcat (path, "-wal", NULL);
  g_autofree char *damaged_log = g_strconcat (damaged, "-wal", NULL), *fresh = g_strconcat (path, ".salvage-new", NULL);
  g_autofree char *kept = name_for_original (path), *base = g_path_get_basename (kept);
  Salvage self = { 0 };

  remove_database (damaged);
  remove_database (fresh);
  gboolean ok = copy_file (path, damaged, error) && copy_file (log, damaged_log, error)
                && rebuild (&self, damaged, fresh, name, error);
  tosst_store_free (self.from);
  tosst_store_free (self.to);
  ok = ok && exchange (path, fresh, kept, error);
  if (ok)
    *notice = g_strdup_printf (
        _ ("%s was damaged; salvaged runs: %" PRId64 ", with gaps: %" PRId64 "; the original is kept as %s"), name,
        self.runs, self.gaps, base);
  remove_database (damaged);
  remove_database (fresh);
  return ok;
}

/* One of two programs that detect the damage salvages; the other waits and opens the new store. */
static int
lock (const char *path)
{
  g_autofree char *name = g_strconcat (path, ".salvage-lock", NULL);
  gint64 end = g_get_monotonic_time () + TOSST_STORE_BUSY_TIMEOUT * G_USEC_PER_SEC;
  int fd = g_open (name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

  while (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0)
    {
      if (g_get_monotonic_time () > end)
        {
          close (fd);
          errno = EWOULDBLOCK;
          return -1;
        }
      g_usleep (50000);
    }
  return fd;
}

gboolean
tosst_store_salvage (GFile *file, char **notice, GError **error)
{
  g_autofree char *path = g_file_get_path (file), *name = g_file_get_parse_name (file);
  g_autofree char *lock_name = g_strconcat (path, ".salvage-lock", NULL);
  GStatBuf before, after;
  gboolean ok = TRUE;

  *notice = NULL;
  if (g_stat (path, &before) != 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("there is no store of runs at %s"), name);
  int fd = lock (path);
  if (fd < 0)
    return errno == EWOULDBLOCK
               ? tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s is damaged, and another program is salvaging it"), name)
               : tosst_fail (
                   error, TOSST_FAILED_OUTPUT,
                   _ ("%s is damaged, and its folder is not writable; copy it to another one and open the copy"), name);
  if (g_stat (path, &after) == 0 && before.st_ino == after.st_ino)
    ok = salvage (path, name, notice, error);
  g_unlink (lock_name);
  close (fd);
  return ok;
}

/* A store whose file was deleted or replaced while it is open: the open file is still complete, and is copied. */

gboolean
tosst_store_has_moved (TosstStore *self)
{
  int moved = 0;

  return sqlite3_file_control (self->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

gboolean
tosst_store_copy_to (TosstStore *self, const char *path, int flags)
{
  sqlite3 *to = NULL;
  sqlite3_backup *backup = NULL;
  gboolean copied = FALSE;

  if (sqlite3_open_v2 (path, &to, SQLITE_OPEN_READWRITE | flags, NULL) == SQLITE_OK)
    backup = sqlite3_backup_init (to, "main", self->db, "main");
  if (backup)
    copied = sqlite3_backup_step (backup, -1) == SQLITE_DONE;
  copied = backup && sqlite3_backup_finish (backup) == SQLITE_OK && copied;
  return sqlite3_close (to) == SQLITE_OK && copied;
}

gboolean
tosst_store_keep (TosstStore *self, GError **error)
{
  const char *path = sqlite3_db_filename (self->db, "main");
  g_autoptr (GFile) place = path ? g_file_new_for_path (path) : NULL, elsewhere = NULL;

  if (!tosst_store_has_moved (self))
    return TRUE;
  elsewhere = place ? tosst_atomic_elsewhere (place) : NULL;
  gboolean copied = elsewhere && tosst_store_copy_to (self, g_file_peek_path (elsewhere), 0);
  g_autofree char *name = elsewhere ? g_file_get_parse_name (elsewhere) : NULL;
  if (copied)
    return tosst_fail (error, TOSST_FAILED_OUTPUT,
                       _ ("%s was deleted or replaced meanwhile; its content is kept in %s"), self->name, name);
  if (elsewhere)
    g_file_delete (elsewhere, NULL, NULL);
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s was deleted or replaced, and its content could not be copied"),
                     self->name);
}
