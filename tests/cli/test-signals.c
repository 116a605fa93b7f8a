/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Commands that receive signals, have too little memory, or read files that are not regular. */

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

/* The write end of a full pipe. */
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

/* Waits until it blocks on the pipe: the printing thread does nothing else. */
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

/* A command without computation, whose reader does not read. */
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
  g_assert_cmpstr (errors, ==, which->ignored ? "" : "tosst: recipe: interrupted; run the same command again\n");
  close (ends[0]);
}

/* Under limits of the shell: success, or one sentence. */
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

/* Reading a pipe without a writer would block, reading a device would never end. */
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

      shell_expect_failure (shell, line, 1, strrchr (name, '/') ? strrchr (name, '/') + 1 : name);
    }
  g_assert_cmpint (shell_script (shell, "! ls -A | grep -e new -e '^\\.'"), ==, 0);
}

#define LEARN "--threads 1 --set dictionary.atoms=30 --set dictionary.tolerance=0 --set dictionary.iterations=200"

static GSubprocess *
start (Shell *shell, const char *line)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autofree char *whole = g_strdup_printf ("'%s' %s", TOSST_PROGRAM, line);
  g_auto (GStrv) argv = NULL;
  GSubprocess *process;

  g_assert_true (g_shell_parse_argv (whole, NULL, &argv, NULL));
  g_subprocess_launcher_set_cwd (launcher, shell->folder);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *)argv, NULL);
  g_assert_nonnull (process);
  return process;
}

/* Fails with one sentence that has the fragment. */
static void
expect_trouble (GSubprocess *process, const char *fragment)
{
  g_autofree char *errors = NULL;

  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &errors, NULL));
  if (!g_subprocess_get_if_exited (process) || g_subprocess_get_exit_status (process) != 1
      || !strstr (errors, fragment))
    g_error ("“%s” is not in: %s", fragment, errors);
}

static void
wait_for_file (Shell *shell, const char *name)
{
  for (int i = 0; i < SHELL_LOOKS && !shell_exists (shell, name); i++)
    g_usleep (10000);
  g_assert_true (shell_exists (shell, name));
}

/* The folder of the output is deleted during learning. */
static void
test_no_folder (Shell *shell, gconstpointer data)
{
  g_autoptr (GSubprocess) process = NULL;

  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 2000, 35, 0.5);
  g_assert_cmpint (shell_script (shell, "mkdir out"), ==, 0);
  process = start (shell, "learn T.npy -o out/D.npz --checkpoint 0.001 " LEARN);
  wait_for_file (shell, "out/D.npz.checkpoint");
  g_assert_cmpint (shell_script (shell, "until rm -rf out 2>/dev/null; do :; done"), ==, 0);
  expect_trouble (process, "D.npz.rescued-1.npz");
  shell_expect_done (shell, "code T.npy -d D.npz.rescued-1.npz -o A.npy -q");
}

#define SWEEP                                                                                                          \
  "sweep -w w.sqlite --threads 1 --set descriptor.kind=linear --set descriptor.step=40 --set dataset.splits=1 "        \
  "--set dictionary.atoms=20 --set dictionary.tolerance=0 --set 'sweep.dictionary.iterations=2;100000' --checkpoint "  \
  "0 "

/* The store is deleted once a run is done: its contents are in a store beside it. */
static void
test_no_store (Shell *shell, gconstpointer data)
{
  g_autoptr (GSubprocess) process = start (shell, SWEEP);
  gboolean done = FALSE;

  wait_for_file (shell, "w.sqlite");
  for (int i = 0; i < SHELL_LOOKS && !done; i++)
    done = shell_tosst (shell, "runs w.sqlite -f state=done --json") == 0 && strstr (shell->output, "accuracy");
  g_assert_cmpint (shell_script (shell, "rm -f w.sqlite w.sqlite-wal w.sqlite-shm"), ==, 0);
  g_subprocess_send_signal (process, SIGINT);
  expect_trouble (process, "w.sqlite.rescued-1.sqlite");
  shell_expect_done (shell, "runs w.sqlite.rescued-1.sqlite --json");
  g_assert_nonnull (strstr (shell->output, "accuracy"));
}

/* The same for one run, and for a store replaced by another file, which is unchanged. */
static void
test_no_store_of_run (Shell *shell, gconstpointer data)
{
  const char *line = "classify -w w.sqlite --threads 1 --set descriptor.kind=linear --set descriptor.step=40 "
                     "--set dataset.splits=1 --set dictionary.atoms=20 --set dictionary.tolerance=0 "
                     "--set dictionary.iterations=100000";
  static const char *const changes[]
      = { "rm -f w.sqlite w.sqlite-wal w.sqlite-shm", "mv w.sqlite old && echo another > new && mv new w.sqlite" };

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *kept = g_strdup_printf ("w.sqlite.rescued-%zu.sqlite", i + 1), *errors = NULL;
      g_autofree char *look = g_strdup_printf ("runs %s -f state=stopped --json", kept);
      g_autoptr (GSubprocess) process = start (shell, line);
      gboolean running = FALSE;

      wait_for_file (shell, "w.sqlite");
      for (int k = 0; k < SHELL_LOOKS && !running; k++)
        running = shell_tosst (shell, "runs w.sqlite -f state=running --json") == 0 && strstr (shell->output, "\"id\"");
      g_assert_cmpint (shell_script (shell, changes[i]), ==, 0);
      g_subprocess_send_signal (process, SIGINT);
      g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &errors, NULL));
      g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
      g_assert_nonnull (strstr (errors, kept));
      shell_expect_done (shell, look);
      g_assert_nonnull (strstr (shell->output, "\"id\""));
      g_assert_cmpint (shell_script (shell, "rm -f w.sqlite-wal w.sqlite-shm"), ==, 0);
    }
  g_assert_cmpint (shell_script (shell, "grep -q another w.sqlite"), ==, 0);
}

/* The message for a file system without locks differs from that for a store locked by another program. */
static void
test_no_locks (Shell *shell, gconstpointer data)
{
  if (SANITIZED)
    {
      g_test_skip ("the sanitizer must come first");
      return;
    }
  g_assert_cmpint (shell_script (shell, "LD_PRELOAD='" NO_LOCKS "' \"$T\" sweep -w w.sqlite -q --set dataset.splits=1"),
                   ==, 1);
  g_assert_nonnull (strstr (shell->errors, "w.sqlite is on a file system without locks"));
}

int
main (int argc, char **argv)
{
  static const Case cases[] = { { SIGTERM }, { SIGINT }, { SIGHUP }, { SIGHUP, TRUE }, { SIGUSR1 } };

  g_test_init (&argc, &argv, NULL);
#define ADD(path, data, function) g_test_add ("/signals/" path, Shell, data, shell_set_up, function, shell_tear_down)
  ADD ("waiting/terminate", &cases[0], test_waiting);
  ADD ("waiting/interrupt", &cases[1], test_waiting);
  ADD ("waiting/hang-up", &cases[2], test_waiting);
  ADD ("waiting/nohup", &cases[3], test_waiting);
  ADD ("waiting/end-of-time", &cases[4], test_waiting);
  ADD ("little-memory", NULL, test_little_memory);
  ADD ("no-files", NULL, test_no_files);
  ADD ("no-folder", NULL, test_no_folder);
  ADD ("no-store", NULL, test_no_store);
  ADD ("no-store-of-run", NULL, test_no_store_of_run);
  ADD ("no-locks", NULL, test_no_locks);
#undef ADD
  return g_test_run ();
}
