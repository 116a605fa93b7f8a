/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Runs the built tosst in a folder of its own and looks at what comes out. */
typedef struct
{
  char *folder;
  int   status; /* of the last command */
  char *output, *errors;
} Shell;

void shell_set_up (Shell *shell, gconstpointer data);
void shell_tear_down (Shell *shell, gconstpointer data); /* removes the folder and all in it */

/* Splits the line as a shell does; it must not name tosst itself. Returns the exit status. */
int  shell_tosst (Shell *shell, const char *line);
/* Must succeed without a word on standard error. */
void shell_expect_done (Shell *shell, const char *line);
/* Must fail with this status and one line "tosst: what: why" that contains fragment. */
void shell_expect_failure (Shell *shell, const char *line, int status, const char *fragment);

char    *shell_path (Shell *shell, const char *name); /* new */
GFile   *shell_file (Shell *shell, const char *name); /* new */
gboolean shell_exists (Shell *shell, const char *name);
GBytes  *shell_read (Shell *shell, const char *name); /* new; must be there */
void     shell_write (Shell *shell, const char *name, gconstpointer data, gsize size);
