/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files beside the database, for checkpoints and tensors of gigabytes: in the database each would be copied three
 * times, and the database would not shrink when they are deleted.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>

#include "core/run/hash.h"
#include "core/store/private.h"

#define TENSORS ".tensors"

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
drop_all (const char *begin)
{
  g_autofree char *folder = g_path_get_dirname (begin), *name = g_path_get_basename (begin);
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  const char *entry;

  while (entries != NULL && (entry = g_dir_read_name (entries)) != NULL)
    if (g_str_has_prefix (entry, name) && g_str_has_suffix (entry, ".checkpoint"))
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
    drop_all (begin);
}

GFile *
tosst_store_tensors_file (TosstStore *self, const char *hash)
{
  const char *path = sqlite3_db_filename (self->db, "main");
  gboolean named = path != NULL && *path != '\0' && tosst_run_is_hash (hash);
  g_autofree char *file = named ? g_strdup_printf ("%s-%s" TENSORS, path, hash) : NULL;

  return file != NULL ? g_file_new_for_path (file) : NULL;
}

/* Paths of all tensor files, by hash; new. */
static GHashTable *
list_tensors (TosstStore *self)
{
  GHashTable *paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const char *path = sqlite3_db_filename (self->db, "main"), *entry;
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : NULL;
  g_autofree char *begin = g_strconcat (name, "-", NULL);
  g_autoptr (GDir) entries = name != NULL && *name != '\0' ? g_dir_open (folder, 0, NULL) : NULL;

  while (entries != NULL && (entry = g_dir_read_name (entries)) != NULL)
    if (g_str_has_prefix (entry, begin) && g_str_has_suffix (entry, TENSORS))
      g_hash_table_insert (paths,
                           g_strndup (entry + strlen (begin), strlen (entry) - strlen (begin) - strlen (TENSORS)),
                           g_build_filename (folder, entry, NULL));
  return paths;
}

/* Ids (gint64) and data fingerprints (char *) of unfinished runs. */
static gboolean
list_unfinished (TosstStore *self, gboolean stopped, GArray *ids, GPtrArray *data)
{
  sqlite3_stmt *rows = tosst_store_query (self, NULL,
                                          "SELECT id, data FROM runs WHERE state IN ('queued', 'running') "
                                          "OR (state = 'stopped' AND ?)",
                                          "i", (gint64)stopped);

  while (tosst_store_row (self, rows, NULL))
    {
      gint64 id = sqlite3_column_int64 (rows, 0);

      g_array_append_val (ids, id);
      g_ptr_array_add (data, g_strdup (tosst_store_text (rows, 1)));
    }
  return !self->failed;
}

void
tosst_store_drop_tensors (TosstStore *self, gboolean stopped)
{
  g_autoptr (GHashTable) paths = list_tensors (self);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) data = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter at;
  gpointer path;

  if (g_hash_table_size (paths) == 0 || !list_unfinished (self, !stopped, ids, data))
    return;
  for (guint i = 0; i < ids->len && g_hash_table_size (paths) > 0; i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_store_recipe (self, g_array_index (ids, gint64, i), NULL);
      g_autoptr (GPtrArray) hashes
          = recipe != NULL ? tosst_run_tensor_hashes (recipe, g_ptr_array_index (data, i)) : NULL;

      for (guint k = 0; hashes != NULL && k < hashes->len; k++)
        g_hash_table_remove (paths, g_ptr_array_index (hashes, k));
    }
  g_hash_table_iter_init (&at, paths);
  while (g_hash_table_iter_next (&at, NULL, &path))
    g_unlink (path);
}
