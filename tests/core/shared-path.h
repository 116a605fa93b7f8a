/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Path of a published data set; new. NULL, and the test is skipped, if it is missing. */
static inline char *
shared_path (const char *name)
{
  const char *shared = g_getenv ("TOSST_SHARED");
  char *path = g_build_filename (shared != NULL ? shared : TOSST_SHARED_DEFAULT, name, NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *text = g_strdup_printf ("%s is not there", path);

      g_test_skip (text);
      g_clear_pointer (&path, g_free);
    }
  return path;
}
