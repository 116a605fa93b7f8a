/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Commands that are told to end, that get too little memory, and whose files are no files. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "../sanitized.h"
#include "harness.h"

typedef struct
{
  int number;
  gboolean ignored; /* at the start, as nohup does */
} Case;

/* The write end of a pipe that holds no more. */
static void
full_pipe (int ends[2])
{
  char page[4096] = "";

  g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
  g_assert_cmpint (fcntl (ends[1], F_SETFL, O_NONBLOCK), ==, 0);
  while (write (ends[1], page, sizeof page) > 0)
    ;
  while (write (ends[1], page, 1) > 0)
    ;
  g_assert_cmpint (fcntl (ends[1], F_SETFL, 0), ==, 0);
}

static void
ignore (gpointer data)
{
  signal (GPOINTER_TO_INT (data), SIG_IGN);
}

static char
state_of (const char *process)
{
  g_autofree char *path = g_build_filename ("/proc", process, "stat", NULL), *text = NULL;
  const char *end;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  end = strrchr (text, ')');
  return end ? end[2] : '?';
}

/* Until it waits for the pipe: the thread that prints does nothing else. */
static void
wait_for_sleep (GSubprocess *process)
{
  const char *identifier = g_subprocess_get_identifier (process);

  for (int i = 0, asleep = 0; identifier && asleep < 20 && i < SHELL_LOOKS; i++)
    {
      asleep = state_of (identifier) == 'S' ? asleep + 1 : 0;
      g_usleep (10000);
    }
}

static void
drain (int end)
{
  char page[4096];

  while (read (end, page, sizeof page) > 0)
    ;
}

/* A command that computes nothing, and whose reader has gone to sleep. */
static void
test_waiting (Shell *shell, gconstpointer data)
{
  const Case *which = data;
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE);
  const char *const argv[] = { TOSST_PROGRAM, "recipe", "--defaults", NULL };
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *errors = NULL;
  int ends[2];

  full_pipe (ends);
  g_subprocess_launcher_take_stdout_fd (launcher, ends[1]);
  if (which->ignored)
    g_subprocess_launcher_set_child_setup (launcher, ignore, GINT_TO_POINTER (which->number), NULL);
  process = g_subprocess_launcher_spawnv (launcher, argv, NULL);
  g_object_unref (g_steal_pointer (&launcher));
  shell_wait_for_handler (process, SIGTERM);
  wait_for_sleep (process);
  g_subprocess_send_signal (process, which->number);
  if (which->ignored)
    drain (ends[0]);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &errors, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, which->ignored ? 0 : 130);
  g_assert_cmpstr (errors, ==, which->ignored ? "" : "tosst: recipe: interrupted; start the same command again\n");
  close (ends[0]);
}

/* Of what a shell allows: the work, or one sentence. */
static void
test_little_memory (Shell *shell, gconstpointer data)
{
  static const int limits[] = { 200000, 250000, 300000, 400000, 500000 };
  static const char *const lines[]
      = { "--version", "recipe --defaults", "learn T.npy -o D.npz --threads 2 --set dictionary.atoms=6" };

  if (SANITIZED)
    {
      g_test_skip ("the sanitizer needs more memory");
      return;
    }
  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 200, 35, 0.5);
  for (gsize i = 0; i < G_N_ELEMENTS (limits) * G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *script = g_strdup_printf ("ulimit -v %d; exec '%s' %s", limits[i / G_N_ELEMENTS (lines)],
                                                 TOSST_PROGRAM, lines[i % G_N_ELEMENTS (lines)]);
      int status = shell_script (shell, script);
      const char *newline = strchr (shell->errors, '\n');

      if (status == 0)
        g_assert_cmpstr (shell->errors, ==, "");
      else if (status != 1 || !g_str_has_prefix (shell->errors, "tosst: learn: ") || !newline || newline[1])
        g_error ("%s: status %d, %s", script, status, shell->errors);
    }
}

/* A pipe without a writer would be waited for, a device read for ever. */
static void
test_no_files (Shell *shell, gconstpointer data)
{
  static const char *const names[] = { "pipe", "/dev/zero", "/dev/null", "socket", "folder" };
  static const char *const lines[] = { "learn %s -o new.npz",
                                       "learn %s -o new.npz --set dictionary.minibatch=50",
                                       "learn T.npy -o new.npz --resume %s",
                                       "code %s -d D.npz -o new.npy",
                                       "code T.npy -d %s -o new.npy",
                                       "export %s -o new.mat",
                                       "predict -m %s T.npy",
                                       "recipe %s",
                                       "classify %s",
                                       "sweep %s -w new.sqlite",
                                       "describe T.png -o new.npy --recipe %s",
                                       "describe %s -o new.npy",
                                       "runs %s",
                                       "runs %s --show 1 --tag a",
                                       "report 1 -w %s -o new.html" };

  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 200, 35, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz -q --set dictionary.atoms=6 --set dictionary.iterations=1");
  g_assert_cmpint (shell_script (shell, "mkfifo pipe && mkdir folder && python3 -c 'import socket; "
                                        "socket.socket (socket.AF_UNIX).bind (\"socket\")'"),
                   ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (lines); i++)
    {
      const char *name = names[i / G_N_ELEMENTS (lines)];
      g_auto (GStrv) parts = g_strsplit (lines[i % G_N_ELEMENTS (lines)], "%s", 2);
      g_autofree char *line = g_strjoinv (name, parts);

      shell_expect_failure (shell, line, 1, name);
    }
  g_assert_cmpint (shell_script (shell, "! ls -A | grep -e new -e '^\\.'"), ==, 0);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = { { SIGTERM }, { SIGINT }, { SIGHUP }, { SIGHUP, TRUE } };

  g_test_init (&argc, &argv, NULL);
#define ADD(path, data, function) g_test_add ("/signals/" path, Shell, data, shell_set_up, function, shell_tear_down)
  ADD ("waiting/terminate", &cases[0], test_waiting);
  ADD ("waiting/interrupt", &cases[1], test_waiting);
  ADD ("waiting/hang-up", &cases[2], test_waiting);
  ADD ("waiting/nohup", &cases[3], test_waiting);
  ADD ("little-memory", NULL, test_little_memory);
  ADD ("no-files", NULL, test_no_files);
#undef ADD
  return g_test_run ();
}
