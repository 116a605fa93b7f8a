/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outputs whose folder is lost or full, and programs that end while they write.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output-folder.h"

/* The folder is deleted while the file is open. */
static TosstAtomicFile *
lose (Fixture *fixture, GFile *file)
{
  g_autoptr (GFile) folder = g_file_get_parent (file);
  TosstAtomicFile *output;

  g_assert_cmpint (g_mkdir (g_file_peek_path (folder), 0777), ==, 0);
  output = open_output (file, FALSE);
  g_assert_true (tosst_atomic_file_write (output, "hours", 5, NULL));
  if (tosst_atomic_file_temporary_path (output))
    g_assert_cmpint (g_remove (tosst_atomic_file_temporary_path (output)), ==, 0);
  g_assert_cmpint (g_rmdir (g_file_peek_path (folder)), ==, 0);
  return output;
}

/* The output is kept beside, and the error names the places of all outputs. */
static void
test_keep (Fixture *fixture, gconstpointer data)
{
  static const char *const kept[] = { "out.txt.rescued-1.txt", "out.txt.rescued-2.txt" };
  g_autoptr (GFile) file = child (fixture, "sub/out.txt");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autoptr (GFile) there = child (fixture, kept[i]);
      TosstAtomicFile *output = lose (fixture, file);

      g_assert_false (tosst_atomic_file_keep (output, file, &error));
      tosst_atomic_file_free (output);
      assert_refused (error, file);
      g_assert_nonnull (strstr (error->message, kept[0]));
      g_assert_nonnull (strstr (error->message, g_file_peek_path (there)));
      assert_contents (there, "hours");
      g_assert_cmpuint (count_entries (fixture->folder), ==, i + 1);
    }
}

/* Keeping an output on another file system, where a hard link is impossible. */
static void
test_keep_far (Fixture *fixture, gconstpointer data)
{
  g_autofree char *place = g_strdup_printf ("/dev/shm/tosst-atomic-%d", (int)getpid ());
  g_autoptr (GFile) file = child (fixture, "sub/out.txt"), far = g_file_new_for_path (place);
  g_autoptr (GError) error = NULL;
  TosstAtomicFile *output = lose (fixture, file);

  g_assert_false (tosst_atomic_file_commit_as (output, file, &error));
  g_clear_error (&error);
  if (!tosst_atomic_file_commit_as (output, far, &error))
    g_test_skip (error->message);
  else
    {
      assert_contents (far, "hours");
      g_assert_true (g_file_delete (far, NULL, NULL));
    }
  tosst_atomic_file_free (output);
}

/* If the folder accepts no more data, the error is that of the first place, and no file remains at the second. */
static void
test_keep_nothing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.txt");
  g_autoptr (GError) error = NULL;
  struct rlimit before, limit;

  g_assert_true (tosst_atomic_keep_text (NULL, "text", NULL));
  g_assert_true (tosst_atomic_write (file, "old", 3, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  limit = before;
  limit.rlim_cur = 2;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  gboolean kept = tosst_atomic_keep_text (file, "text", &error);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_false (kept);
  assert_refused (error, file);
  g_assert_null (strstr (error->message, "rescued"));
  assert_contents (file, "old");
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
}

/* If the program is killed while writing two files, the old ones are kept, without other files. */
static void
test_abandon_all (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.bin"), other = child (fixture, "other.bin");
  int status;
  pid_t pid;

  g_assert_true (tosst_atomic_write (file, "old", 3, NULL));
  pid = fork ();
  if (pid == 0)
    {
      TosstAtomicFile *a = tosst_atomic_file_open_named (file, NULL), *b = tosst_atomic_file_open_named (other, NULL),
                      *c = tosst_atomic_file_open_named (other, NULL);

      tosst_atomic_file_free (b);
      if (!a || !c || !tosst_atomic_file_write (a, "new", 3, NULL) || count_entries (fixture->folder) != 3)
        _exit (1);
      tosst_atomic_abandon_all ();
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  assert_contents (file, "old");
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/atomic-keep/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("keep", test_keep);
  ADD ("keep-far", test_keep_far);
  ADD ("keep-nothing", test_keep_nothing);
  ADD ("abandon-all", test_abandon_all);
  return g_test_run ();
}
