/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "core/format/npy.h"

/* Runs the built tosst in a temporary folder and checks its output. */
typedef struct
{
  char *folder;
  int status; /* of the last command */
  char *output, *errors;
} Shell;

void shell_set_up (Shell *shell, gconstpointer data);
void shell_tear_down (Shell *shell, gconstpointer data); /* removes the folder with its contents */

/* Splits the line like a shell; the line omits the name tosst. Returns the exit status. */
int shell_tosst (Shell *shell, const char *line);
/* Runs sh -c with $T the program; returns its status. */
int shell_script (Shell *shell, const char *script);
/* Must succeed with nothing on standard error. */
void shell_expect_done (Shell *shell, const char *line);
/* Must fail with this status and one line "tosst: what: why" that contains fragment. */
void shell_expect_failure (Shell *shell, const char *line, int status, const char *fragment);

/* Starts the command, interrupts it so many seconds after it has a signal handler, and expects status 130 with one
 * sentence that says how to resume. */
void shell_interrupt (Shell *shell, const char *line, double seconds);
/* The same with two SIGHUP, as from a closing terminal. */
void shell_hang_up (Shell *shell, const char *line, double seconds);
/* Waits until the process has a handler for the signal, or has ended: an earlier signal would kill it. */
void shell_wait_for_handler (GSubprocess *process, int number);

/* Number of polls for an expected event, at least 10 ms apart: a hang is ended by the time limit of the whole
 * program. */
#define SHELL_LOOKS 60000

char *shell_path (Shell *shell, const char *name);  /* new */
GFile *shell_file (Shell *shell, const char *name); /* new */
gboolean shell_exists (Shell *shell, const char *name);
GBytes *shell_read (Shell *shell, const char *name); /* new; must exist */
void shell_write (Shell *shell, const char *name, gconstpointer data, gsize size);

/* Their contents must be valid. New. */
TosstNpy *shell_read_array (Shell *shell, const char *name);
JsonObject *shell_read_json (Shell *shell, const char *name);
JsonObject *shell_said (Shell *shell); /* of the last command, with --json */
void shell_expect_same_files (Shell *shell, const char *a, const char *b);

/* One of the sample textures, in grey. */
void shell_write_texture (Shell *shell, const char *name, guint texture, guint variant);
/* n rows of m different numbers, with the given last number. */
void shell_write_tensors (Shell *shell, const char *name, TosstNpyType type, gsize n, gsize m, double last);
