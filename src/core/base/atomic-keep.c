/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results that took long to compute and whose folder was removed or became read-only: they are saved under another
 * name.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"

/* Returns the nearest writable parent folder. */
static char *
nearest_folder (const char *path)
{
  char *folder = g_path_get_dirname (path);

  while (access (folder, W_OK) != 0 && strcmp (folder, "/") != 0 && strcmp (folder, ".") != 0)
    {
      char *above = g_path_get_dirname (folder);

      g_free (folder);
      folder = above;
    }
  if (access (folder, W_OK) == 0)
    return folder;
  g_free (folder);
  return g_strdup (g_get_tmp_dir ());
}

/* Reserves the name with an empty file, as other programs may search for a name at the same time. */
GFile *
tosst_atomic_elsewhere (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file), *at = g_file_get_path (file);
  g_autofree char *folder = at != NULL ? nearest_folder (at) : g_strdup (g_get_user_data_dir ());
  const char *ending = strrchr (base, '.');

  for (int i = 1; i < 1000; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.rescued-%d%s", base, i, ending != NULL ? ending : "");
      g_autofree char *path = g_build_filename (folder, name, NULL);
      int fd = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

      if (fd >= 0)
        {
          close (fd);
          return g_file_new_for_path (path);
        }
      if (errno != EEXIST)
        break;
    }
  return NULL;
}

/* Appends the message to that of an earlier output. Takes cause. */
static void
add_error (GError **error, GError *cause)
{
  g_autofree char *before = NULL;

  if (error == NULL || *error == NULL)
    {
      g_propagate_error (error, cause);
      return;
    }
  before = (*error)->message;
  (*error)->message = g_strdup_printf ("%s; %s", before, cause->message);
  g_error_free (cause);
}

gboolean
tosst_atomic_keep (GFile *file, TosstAtomicSave save, gpointer data, GError **error)
{
  GError *cause = NULL;
  g_autoptr (GFile) elsewhere = NULL;

  if (save (file, data, &cause))
    return TRUE;
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_OUTPUT))
    elsewhere = tosst_atomic_elsewhere (file);
  if (elsewhere != NULL && save (elsewhere, data, NULL))
    {
      g_autofree char *why = g_strdup (cause->message), *name = g_file_get_parse_name (elsewhere);

      g_clear_error (&cause);
      tosst_fail (&cause, TOSST_FAILED_OUTPUT, _ ("%s; the result is kept in %s"), why, name);
    }
  else if (elsewhere != NULL)
    g_file_delete (elsewhere, NULL, NULL);
  add_error (error, cause);
  return FALSE;
}

static gboolean
save_text (GFile *file, gpointer text, GError **error)
{
  return tosst_atomic_write (file, text, strlen (text), error);
}

gboolean
tosst_atomic_keep_text (GFile *file, const char *text, GError **error)
{
  return file == NULL || tosst_atomic_keep (file, save_text, (gpointer)text, error);
}

static gboolean
save_stream (GFile *file, gpointer data, GError **error)
{
  return tosst_atomic_file_commit_as (data, file, error);
}

gboolean
tosst_atomic_file_keep (TosstAtomicFile *self, GFile *file, GError **error)
{
  return tosst_atomic_keep (file, save_stream, self, error);
}
