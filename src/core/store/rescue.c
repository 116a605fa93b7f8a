/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store whose file was deleted or replaced while it is open: the open file is still whole, and is copied.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/store/private.h"

gboolean
tosst_store_has_moved (TosstStore *self)
{
  int moved = 0;

  return sqlite3_file_control (self->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

/* An empty file of a name that nothing has; NULL where none can be made. */
static char *
new_name (const char *path)
{
  for (int i = 1; i < 1000; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.rescued-%d.sqlite", path, i);
      int fd = g_open (name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

      if (fd >= 0)
        {
          close (fd);
          return g_steal_pointer (&name);
        }
      if (errno != EEXIST)
        return NULL;
    }
  return NULL;
}

static gboolean
copy (sqlite3 *from, sqlite3 *to)
{
  sqlite3_backup *backup = sqlite3_backup_init (to, "main", from, "main");
  int code = backup ? sqlite3_backup_step (backup, -1) : SQLITE_ERROR;

  return backup && sqlite3_backup_finish (backup) == SQLITE_OK && code == SQLITE_DONE;
}

char *
tosst_store_rescue (TosstStore *self, GError **error)
{
  const char *path = sqlite3_db_filename (self->db, "main");
  g_autofree char *base = path ? g_path_get_basename (path) : NULL;
  g_autofree char *elsewhere = base ? g_build_filename (g_get_tmp_dir (), base, NULL) : NULL;
  g_autofree char *name = path ? new_name (path) : NULL;
  sqlite3 *to = NULL;
  gboolean copied;

  /* The folder may have gone, too. */
  if (!name && elsewhere)
    name = new_name (elsewhere);
  copied = name && sqlite3_open_v2 (name, &to, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK && copy (self->db, to);
  copied = sqlite3_close (to) == SQLITE_OK && copied;
  if (copied)
    return g_steal_pointer (&name);
  if (name)
    g_unlink (name);
  tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s was deleted or replaced, and what it held could not be copied"),
              self->name);
  return NULL;
}
