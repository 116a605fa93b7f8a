/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of images that a test makes, in a folder of its own, and how they are refused.
 */
#pragma once

#include <glib/gstdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/image/probe.h"

static char *folder;

/* g_test_init(), and the folder, which image_folder_run() removes after g_test_run(). */
static inline void
image_folder_init (int *argc, char ***argv)
{
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (argc, argv, NULL);
  folder = g_dir_make_tmp ("tosst-image-XXXXXX", NULL);
}

static inline int
image_folder_run (void)
{
  int status = g_test_run ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
  g_free (folder);
  return status;
}

static inline GFile *
child (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_new_for_path (path);
}

static inline void
put (GFile *file, gconstpointer data, gsize size)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (g_file_peek_path (file), data, (gssize)size, &error);
  g_assert_no_error (error);
}

/* One sentence that names the file: no full stop, no line break. */
static inline void
assert_refused (GFile *file, gsize max_bytes, TosstFailure code, const char *word)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autoptr (GError) error = NULL;
  TosstImage *image = tosst_image_read_for (file, 0, max_bytes, &error);

  if (image != NULL)
    g_error ("%s was read though it should not be (%s)", name, word);
  g_assert_error (error, TOSST_ERROR, (int)code);
  g_assert_true (g_str_has_prefix (error->message, name));
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, word);
  g_assert_null (strchr (error->message, '\n'));
  g_assert_false (g_str_has_suffix (error->message, "."));
}
