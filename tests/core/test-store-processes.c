/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store in several processes: readers beside a writer, kill -9, files that may not be written, a full disk, too
 * few files that may be open.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "store-place.h"

static char *program;

/* Starts this program again for a job on the store; *out receives its output. */
static GPid
spawn (const char *job, Place *place, int *out)
{
  char *argv[] = { program, (char *)job, place->path, NULL };
  g_autoptr (GError) error = NULL;
  GPid pid;

  g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL, out, NULL, &error);
  g_assert_no_error (error);
  return pid;
}

static int
wait_for (GPid pid)
{
  int status;

  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  return status;
}

static char
read_byte (int fd)
{
  char byte = 0;

  return read (fd, &byte, 1) == 1 ? byte : '\0';
}

/* The jobs of other processes. */

static int
job_write (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  for (int i = 0; i < 30; i++)
    {
      add_whole_run (store, NULL);
      g_usleep (10000);
    }
  return 0;
}

/* One byte for each iteration that is in the store. */
static int
job_run (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gint64 run = add_run (store, NULL, TOSST_RUN_RUNNING);
  TosstStoreIteration row = { 0 };

  for (;;)
    {
      row.iteration.iteration++;
      if (!tosst_store_add_iterations (store, run, &row, 1, NULL) || write (STDOUT_FILENO, ".", 1) != 1)
        return 1;
    }
}

static int
job_claim (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gboolean mine;

  for (gint64 run = 1; run <= 40; run++)
    {
      char line[32];

      g_assert_true (tosst_store_claim_run (store, run, 1, &mine, NULL));
      g_snprintf (line, sizeof line, "%d %d\n", (int)getpid (), (int)run);
      if (mine)
        finish_run (store, run, TOSST_RUN_DONE, line);
    }
  return 0;
}

/* The job of a user with only read permission for the folder. */
static int
job_read_only (Place *place)
{
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GPtrArray) runs = NULL;

  if (geteuid () == 0 && (setgid (65534) != 0 || setuid (65534) != 0))
    return 77;
  if (g_access (place->folder, W_OK) == 0)
    return 77;
  store = open_store (place, TOSST_STORE_READ);
  runs = list_runs (store, "-accuracy", NULL);
  g_assert_cmpuint (runs->len, ==, 1);
  g_autoptr (GError) error = NULL;
  g_assert_false (tosst_store_set_note (store, 1, "x", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  assert_fails (place, TOSST_STORE_WRITE, TOSST_FAILED_OUTPUT, "read but not written");
  return 0;
}

/* Simulates a full disk: files may grow only by a small amount. */
static int
job_full (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  const struct rlimit limit = { 300000, 300000 };
  g_autoptr (GBytes) content = content_of (1, 1000000);
  g_autoptr (GError) error = NULL;

  gint64 run = add_whole_run (store, NULL);
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_assert_false (tosst_store_add_artifact (store, run, -1, "large", content, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_nonnull (strstr (error->message, "is unchanged"));
  return 0;
}

/* With few files a store can be opened or not, and the sentence has the reason. */
static int
job_files (Place *place)
{
  g_autofree char *reason = g_strdup (g_strerror (EMFILE));
  int first = dup (0), failed = 0;
  struct rlimit limit;

  g_assert_cmpint (close (first) | getrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  for (int mode = 0; mode < 2; mode++)
    for (int n = 0; n < 5; n++)
      {
        g_autoptr (GError) error = NULL;

        limit.rlim_cur = (rlim_t)(first + n);
        g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
        g_autoptr (TosstStore) store
            = tosst_store_open (place->file, mode == 0 ? TOSST_STORE_READ : TOSST_STORE_WRITE, &error);
        if (store == NULL && strstr (error->message, reason) == NULL)
          g_error ("%d files: %s", n, error->message);
        failed += store == NULL;
      }
  g_assert_cmpint (failed, >, 2);
  return 0;
}

static void
test_readers (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) made G_GNUC_UNUSED = open_store (place, TOSST_STORE_WRITE),
                              store = open_store (place, TOSST_STORE_READ);
  GPid first = spawn ("--write", place, NULL), second = spawn ("--write", place, NULL);
  guint seen = 0;
  int status, reads = 0;

  do
    {
      g_autoptr (GPtrArray) runs = list_runs (store, "-accuracy", NULL);

      g_assert_cmpuint (runs->len, >=, seen);
      seen = runs->len;
      for (guint i = 0; i < runs->len; i++)
        {
          const TosstStoreRun *run = g_ptr_array_index (runs, i);

          /* Every read is consistent. */
          if (run->state != TOSST_RUN_RUNNING && run->splits_done != 3)
            g_error ("run %d of %u: %s, %d splits, %s", (int)run->id, runs->len, tosst_run_state_name (run->state),
                     run->splits_done, run->reason);
        }
      reads++;
    }
  while (waitpid (first, &status, WNOHANG) == 0);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (wait_for (second), ==, 0);
  g_assert_cmpint (reads, >, 1);
  g_autoptr (GPtrArray) runs = list_runs (store, NULL, "state=done");
  g_assert_cmpuint (runs->len, ==, 60);
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM series"), ==, 60 * 18 * 8);
}

static void
test_killed (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  int out, told = 0;
  gsize n;
  GPid pid = spawn ("--run", place, &out);

  while (told < 200 && read_byte (out) == '.')
    told++;
  g_assert_cmpint (told, ==, 200);

  /* It is not stopped while its process lives. */
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_cmpint (only_run (store, &runs)->state, ==, TOSST_RUN_RUNNING);
  tosst_store_free (g_steal_pointer (&store));
  g_clear_pointer (&runs, g_ptr_array_unref);

  kill (pid, SIGKILL);
  g_assert_true (WIFSIGNALED (wait_for (pid)));
  while (read_byte (out) == '.')
    told++;
  close (out);
  store = open_store (place, TOSST_STORE_READ);
  TosstStoreRun *run = only_run (store, &runs);
  g_assert_cmpint (run->state, ==, TOSST_RUN_STOPPED);
  g_assert_nonnull (strstr (run->reason, "program ended"));
  g_clear_pointer (&runs, g_ptr_array_unref);
  tosst_store_free (g_steal_pointer (&store));

  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_true (tosst_store_check (store, &error));
  g_assert_cmpint (only_run (store, &runs)->state, ==, TOSST_RUN_STOPPED);
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM runs WHERE state = 'stopped' AND finished >= started"), ==,
                   1);
  g_autofree double *series G_GNUC_UNUSED = tosst_store_series (store, 1, 0, "objective", &n, &error);
  /* All reported ones, and at most one not yet reported. */
  g_assert_cmpuint (n, >=, (guint)told);
  g_assert_cmpuint (n, <=, (guint)told + 1);
}

static void
test_claim (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gboolean mine;

  for (int i = 0; i < 40; i++)
    add_run (store, NULL, TOSST_RUN_QUEUED);
  GPid first = spawn ("--claim", place, NULL), second = spawn ("--claim", place, NULL);
  g_assert_cmpint (wait_for (first), ==, 0);
  g_assert_cmpint (wait_for (second), ==, 0);
  /* All of them, each claimed only once. */
  g_assert_cmpint (
      count_rows (place, "SELECT count(*) FROM runs WHERE state = 'done' AND reason LIKE '% ' || id || char(10)"), ==,
      40);
  g_assert_true (tosst_store_claim_run (store, 1, 1, &mine, NULL));
  g_assert_false (mine);
}

static void
test_read_only (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  add_whole_run (store, NULL);
  tosst_store_free (g_steal_pointer (&store));
  g_chmod (place->path, 0444);
  g_chmod (place->folder, 0555);
  int status = wait_for (spawn ("--read-only", place, NULL));
  g_chmod (place->folder, 0755);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    g_test_skip ("the folder cannot be made read-only here");
  else
    g_assert_cmpint (status, ==, 0);
}

static void
test_full (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (wait_for (spawn ("--full", place, NULL)), ==, 0);
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_null (tosst_store_notice (store));
  g_assert_true (tosst_store_check (store, &error));
  assert_order (store, NULL, "state=done", "1");
}

static void
test_files (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  add_whole_run (store, NULL);
  g_clear_pointer (&store, tosst_store_free);
  g_assert_cmpint (wait_for (spawn ("--files", place, NULL)), ==, 0);
}

static const struct
{
  const char *name;
  int (*run) (Place *);
} jobs[] = { { "--write", job_write },         { "--run", job_run },   { "--claim", job_claim },
             { "--read-only", job_read_only }, { "--full", job_full }, { "--files", job_files } };

int
main (int argc, char **argv)
{
  program = argv[0];
  for (gsize i = 0; argc == 3 && i < G_N_ELEMENTS (jobs); i++)
    if (g_str_equal (argv[1], jobs[i].name))
      {
        Place place = { g_path_get_dirname (argv[2]), argv[2], g_file_new_for_path (argv[2]) };
        int status = jobs[i].run (&place);

        g_free (place.folder);
        g_object_unref (place.file);
        return status;
      }
  g_test_init (&argc, &argv, NULL);
  ADD_TEST ("readers", NULL, test_readers);
  ADD_TEST ("killed", NULL, test_killed);
  ADD_TEST ("claim", NULL, test_claim);
  ADD_TEST ("read-only", NULL, test_read_only);
  ADD_TEST ("full", NULL, test_full);
  ADD_TEST ("files", NULL, test_files);
  return g_test_run ();
}
