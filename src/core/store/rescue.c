/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store whose file was deleted or replaced while it is open: the open file is still complete, and is copied.
 */
#include "config.h"

#include <glib/gi18n.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/store/private.h"

gboolean
tosst_store_has_moved (TosstStore *self)
{
  int moved = 0;

  return sqlite3_file_control (self->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

gboolean
tosst_store_keep (TosstStore *self, GError **error)
{
  const char *path = sqlite3_db_filename (self->db, "main");
  g_autoptr (GFile) place = path ? g_file_new_for_path (path) : NULL, elsewhere = NULL;
  g_autofree char *name = NULL;
  sqlite3 *to = NULL;
  sqlite3_backup *backup = NULL;
  gboolean copied = FALSE;

  if (!tosst_store_has_moved (self))
    return TRUE;
  elsewhere = place ? tosst_atomic_elsewhere (place) : NULL;
  if (elsewhere && sqlite3_open_v2 (g_file_peek_path (elsewhere), &to, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
    backup = sqlite3_backup_init (to, "main", self->db, "main");
  if (backup)
    copied = sqlite3_backup_step (backup, -1) == SQLITE_DONE;
  copied = backup && sqlite3_backup_finish (backup) == SQLITE_OK && copied;
  copied = sqlite3_close (to) == SQLITE_OK && copied;
  name = elsewhere ? g_file_get_parse_name (elsewhere) : NULL;
  if (copied)
    return tosst_fail (error, TOSST_FAILED_OUTPUT,
                       _ ("%s was deleted or replaced meanwhile; its content is kept in %s"), self->name, name);
  if (elsewhere)
    g_file_delete (elsewhere, NULL, NULL);
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s was deleted or replaced, and its content could not be copied"),
                     self->name);
}
