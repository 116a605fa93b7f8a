/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Whether a script of the system's Python succeeds; path is its sys.argv[1]. Its output is in the log of the test. */
static gboolean
python (const char *script, const char *path)
{
  const char *argv[] = { "/usr/bin/python3", "-c", script, path, NULL };
  g_autofree char *errors = NULL;
  int status = -1;

  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &errors, &status, NULL))
    return FALSE;
  if (status)
    g_test_message ("%s", errors);
  return status == 0;
}
