/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files beside the database, for checkpoints of gigabytes: in the database each would be copied three times, and the
 * database would not shrink when they are deleted.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <inttypes.h>

#include "core/run/hash.h"
#include "core/store/private.h"

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
