/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An empty folder for output files, and checks of what is in it.
 */
#pragma once

#include <glib/gstdio.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"

typedef struct
{
  char *folder;
} Fixture;

static inline void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tosst-atomic-XXXXXX", &error);
  g_assert_no_error (error);
}

static inline guint
count_entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static inline void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
}

static inline GFile *
child (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  return g_file_new_for_path (path);
}

static inline void
assert_contents (GFile *file, const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (g_file_peek_path (file), &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

/* One sentence that names the file: no full stop, no line break. */
static inline void
assert_refused (GError *error, GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);

  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_nonnull (strstr (error->message, name));
  g_assert_null (strchr (error->message, '\n'));
  g_assert_false (g_str_has_suffix (error->message, "."));
}

static inline TosstAtomicFile *
open_output (GFile *file, gboolean named)
{
  g_autoptr (GError) error = NULL;
  TosstAtomicFile *output = (named ? tosst_atomic_file_open_named : tosst_atomic_file_open) (file, &error);

  g_assert_no_error (error);
  g_assert_true (!named || tosst_atomic_file_temporary_path (output) != NULL);
  return output;
}
