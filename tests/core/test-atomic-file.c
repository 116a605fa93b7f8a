/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output-folder.h"

static void
test_replace (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.txt");
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstAtomicFile) output = NULL;
  struct stat info;

  g_assert_true (tosst_atomic_write (file, "old", 3, &error));
  g_assert_cmpint (g_chmod (g_file_peek_path (file), 0640), ==, 0);
  output = tosst_atomic_file_open (file, &error);
  g_assert_no_error (error);
  g_assert_true (tosst_atomic_file_write (output, "new ", 4, &error));
  g_assert_true (tosst_atomic_file_write (output, "text", 4, &error));
  assert_contents (file, "old");
  g_assert_true (tosst_atomic_file_commit (output, &error));
  g_assert_no_error (error);
  assert_contents (file, "new text");
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
  g_assert_cmpint (g_stat (g_file_peek_path (file), &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0640);
}

static void
test_abandon (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.txt");
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_atomic_write (file, "old", 3, &error));
  for (int named = 0; named < 2; named++)
    {
      TosstAtomicFile *output = open_output (file, named);

      g_assert_true (tosst_atomic_file_write (output, "half", 4, &error));
      g_assert_cmpuint (count_entries (fixture->folder), ==, tosst_atomic_file_temporary_path (output) != NULL ? 2 : 1);
      tosst_atomic_file_free (output);
      assert_contents (file, "old");
      g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
    }
}

/* A program that has written half of a file, and is killed; to be waited for. */
static void
die_writing (GFile *file, gboolean named)
{
  g_autofree char *half = g_malloc0 (1 << 20);
  int status;
  pid_t pid = fork ();

  if (pid == 0)
    {
      tosst_atomic_file_write (open_output (file, named), half, 1 << 20, NULL);
      kill (getpid (), SIGKILL);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
}

/* Whether the kernel reports open files of this folder: without that, no file is removed. */
static gboolean
leases_are_known (Fixture *fixture)
{
  g_autoptr (GFile) file = child (fixture, "lease");
  int fd;
  gboolean known;

  g_assert_true (g_file_set_contents (g_file_peek_path (file), "", 0, NULL));
  fd = open (g_file_peek_path (file), O_RDONLY | O_CLOEXEC);
  known = fcntl (fd, F_SETLEASE, F_RDLCK) == 0;
  close (fd);
  g_unlink (g_file_peek_path (file));
  return known;
}

static gboolean
has_unnamed (Fixture *fixture)
{
  int fd = open (fixture->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

  if (fd >= 0)
    close (fd);
  return fd >= 0 && g_file_test ("/proc/self/fd", G_FILE_TEST_IS_DIR);
}

static void
test_killed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.txt");

  if (!has_unnamed (fixture))
    {
      g_test_skip ("files of this folder cannot be without a name");
      return;
    }
  die_writing (file, FALSE);
  g_assert_cmpuint (count_entries (fixture->folder), ==, 0);
  g_assert_true (g_file_set_contents (g_file_peek_path (file), "old", 3, NULL));
  die_writing (file, FALSE);
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
  assert_contents (file, "old");
}

/* Leftover temporary files, and only these, are removed at the next write to the folder. */
static void
test_killed_named (Fixture *fixture, gconstpointer data)
{
  static const char *const others[]
      = { ".tosst-0123456789abcde.tmp", ".tosst-0123456789abcdeg.tmp", ".tosst-0123456789abcdef.tmp.old" };
  g_autoptr (GFile) file = child (fixture, "out.txt"), folder = child (fixture, ".tosst-0123456789abcdef.tmp");

  if (!leases_are_known (fixture))
    {
      g_test_skip ("the kernel does not tell whether files of this folder are open");
      return;
    }
  die_writing (file, TRUE);
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr (GFile) other = child (fixture, others[i]);

      g_assert_true (g_file_set_contents (g_file_peek_path (other), "mine", 4, NULL));
    }
  g_assert_cmpint (g_mkdir (g_file_peek_path (folder), 0777), ==, 0);
  g_assert_true (tosst_atomic_write (file, "new", 3, NULL));
  assert_contents (file, "new");
  g_assert_cmpuint (count_entries (fixture->folder), ==, G_N_ELEMENTS (others) + 2);
}

/* Starts to write, reports it, and ends on request. */
static pid_t
write_slowly (GFile *file, const int *said, const int *told)
{
  pid_t pid = fork ();
  char byte;

  if (pid == 0)
    {
      TosstAtomicFile *output = open_output (file, TRUE);

      /* Also ends if the test fails. */
      close (told[1]);
      if (tosst_atomic_file_write (output, "slow", 4, NULL) && write (said[1], "", 1) == 1
          && read (told[0], &byte, 1) == 1 && tosst_atomic_file_commit (output, NULL))
        _exit (0);
      _exit (1);
    }
  return pid;
}

/* A file being written by another program is kept. */
static void
test_living (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.txt"), other = child (fixture, "other.txt");
  int said[2], told[2], status;
  char byte;
  pid_t pid;

  g_assert_true (pipe (said) == 0 && pipe (told) == 0);
  pid = write_slowly (file, said, told);
  g_assert_cmpint (read (said[0], &byte, 1), ==, 1);
  g_assert_true (tosst_atomic_write (other, "other", 5, NULL));
  g_assert_cmpuint (count_entries (fixture->folder), ==, 2);
  g_assert_cmpint (write (told[1], "", 1), ==, 1);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  assert_contents (file, "slow");
  assert_contents (other, "other");
  g_assert_cmpuint (count_entries (fixture->folder), ==, 2);
  for (int i = 0; i < 2; i++)
    {
      close (said[i]);
      close (told[i]);
    }
}

/* A new file has the permissions of the mask, with or without a name from the start. */
static void
test_mask (Fixture *fixture, gconstpointer data)
{
  mode_t before = umask (027);

  for (int named = 0; named < 2; named++)
    {
      g_autoptr (GFile) file = child (fixture, named ? "named.txt" : "unnamed.txt");
      g_autoptr (TosstAtomicFile) output = open_output (file, named);
      struct stat info;

      g_assert_true (tosst_atomic_file_commit (output, NULL));
      g_assert_cmpint (g_stat (g_file_peek_path (file), &info), ==, 0);
      g_assert_cmpint (info.st_mode & 0777, ==, 0640);
    }
  umask (before);
}

/* A library may write by path, even replace the temporary file by a rename of its own. */
static void
test_by_path (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.txt");
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstAtomicFile) output = tosst_atomic_file_open_named (file, &error);

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (tosst_atomic_file_temporary_path (output), "by path", -1, &error));
  g_assert_true (tosst_atomic_file_commit (output, &error));
  assert_contents (file, "by path");
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
}

static void
test_link (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "real.txt");
  g_autoptr (GFile) alias = child (fixture, "alias.txt");
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_atomic_write (file, "old", 3, &error));
  g_assert_cmpint (symlink ("real.txt", g_file_peek_path (alias)), ==, 0);
  g_assert_true (tosst_atomic_write (alias, "new", 3, &error));
  g_assert_true (g_file_test (g_file_peek_path (alias), G_FILE_TEST_IS_SYMLINK));
  assert_contents (file, "new");
}

/* The target of a link is created; the link, and a link to it, stay links. */
static void
test_dangling_link (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) alias = child (fixture, "alias.txt"), second = child (fixture, "second.txt");
  g_autoptr (GFile) file = child (fixture, "sub/real.txt"), folder = child (fixture, "sub");
  g_autoptr (GError) error = NULL, missing = NULL;

  g_assert_cmpint (symlink ("sub/real.txt", g_file_peek_path (alias)), ==, 0);
  g_assert_cmpint (symlink (g_file_peek_path (alias), g_file_peek_path (second)), ==, 0);
  g_assert_false (tosst_atomic_check (second, &missing));
  g_assert_nonnull (strstr (missing->message, "sub/real.txt: its folder does not exist"));
  g_assert_cmpint (g_mkdir (g_file_peek_path (folder), 0777), ==, 0);
  g_assert_true (tosst_atomic_check (second, &error));
  g_assert_false (g_file_query_exists (file, NULL));
  g_assert_true (tosst_atomic_write (second, "new", 3, &error));
  g_assert_no_error (error);
  assert_contents (file, "new");
  g_assert_true (g_file_test (g_file_peek_path (alias), G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (g_file_peek_path (second), G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpuint (count_entries (g_file_peek_path (folder)), ==, 1);
  g_assert_true (g_file_delete (file, NULL, NULL) && g_file_delete (folder, NULL, NULL));
}

static void
test_link_to_itself (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "a.txt"), other = child (fixture, "b.txt");
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink ("b.txt", g_file_peek_path (file)), ==, 0);
  g_assert_cmpint (symlink ("a.txt", g_file_peek_path (other)), ==, 0);
  g_assert_false (tosst_atomic_write (file, "x", 1, &error));
  assert_refused (error, file);
  g_assert_true (g_file_test (g_file_peek_path (file), G_FILE_TEST_IS_SYMLINK));
}

static void
test_missing_folder (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "no-such-folder/out.txt");
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) check = NULL;

  g_assert_null (tosst_atomic_file_open (file, &error));
  assert_refused (error, file);
  g_assert_nonnull (strstr (error->message, "folder does not exist"));
  g_assert_false (tosst_atomic_check (file, &check));
  assert_refused (check, file);
}

/* Fails before writing, not at the rename. */
static void
test_long_name (Fixture *fixture, gconstpointer data)
{
  g_autofree char *name = g_strnfill (300, 'n');
  g_autoptr (GFile) file = child (fixture, name);
  g_autoptr (GError) error = NULL;

  g_assert_false (tosst_atomic_check (file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_cmpuint (count_entries (fixture->folder), ==, 0);
}

static void
test_target_is_folder (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out");
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (g_file_peek_path (file), 0777), ==, 0);
  g_assert_false (tosst_atomic_write (file, "x", 1, &error));
  assert_refused (error, file);
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
}

static void
test_target_becomes_folder (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out");
  g_autoptr (GError) error = NULL;
  TosstAtomicFile *output = tosst_atomic_file_open (file, &error);

  g_assert_cmpint (g_mkdir (g_file_peek_path (file), 0777), ==, 0);
  g_assert_false (tosst_atomic_file_commit (output, &error));
  assert_refused (error, file);
  tosst_atomic_file_free (output);
  g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
}

static void
test_folder_is_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "plain");
  g_autoptr (GFile) below = g_file_get_child (file, "out.txt");
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_atomic_write (file, "x", 1, &error));
  g_assert_false (tosst_atomic_write (below, "x", 1, &error));
  assert_refused (error, below);
  assert_contents (file, "x");
}

static void
test_read_only_folder (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.txt");
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_chmod (fixture->folder, 0555), ==, 0);
  if (access (fixture->folder, W_OK) == 0)
    {
      /* The superuser may write everywhere, except for a folder of the kernel. */
      g_autoptr (GFile) kernel = g_file_new_for_path ("/proc/tosst-out.txt");

      g_assert_false (tosst_atomic_check (kernel, &error));
      assert_refused (error, kernel);
    }
  else
    {
      g_assert_false (tosst_atomic_check (file, &error));
      assert_refused (error, file);
    }
  g_assert_cmpint (g_chmod (fixture->folder, 0755), ==, 0);
  g_assert_cmpuint (count_entries (fixture->folder), ==, 0);
}

static void
test_device (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = g_file_new_for_path ("/dev/full");
  g_autoptr (GError) error = NULL;

  g_assert_false (tosst_atomic_write (file, "x", 1, &error));
  assert_refused (error, file);
}

/* A limit on the file's size fails in the middle of a write, like a full disk. */
static void
test_no_space (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = child (fixture, "out.bin");
  g_autoptr (GError) error = NULL;
  g_autofree char *block = g_malloc0 (1 << 20);

  g_assert_true (tosst_atomic_write (file, "old", 3, &error));
  for (int small = 0; small < 2; small++)
    {
      struct rlimit before, limit;
      g_autoptr (GError) failure = NULL;

      g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
      limit = before;
      limit.rlim_cur = small ? 16 : 65536;
      signal (SIGXFSZ, SIG_IGN);
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
      /* 100 bytes stay in the buffer until the commit: it must fail too. */
      gboolean written = tosst_atomic_write (file, block, small ? 100 : 1 << 20, &failure);
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
      g_assert_false (written);
      assert_refused (failure, file);
      assert_contents (file, "old");
      g_assert_cmpuint (count_entries (fixture->folder), ==, 1);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/atomic-file/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("replace", test_replace);
  ADD ("abandon", test_abandon);
  ADD ("killed", test_killed);
  ADD ("killed-named", test_killed_named);
  ADD ("living", test_living);
  ADD ("mask", test_mask);
  ADD ("by-path", test_by_path);
  ADD ("link", test_link);
  ADD ("dangling-link", test_dangling_link);
  ADD ("link-to-itself", test_link_to_itself);
  ADD ("missing-folder", test_missing_folder);
  ADD ("long-name", test_long_name);
  ADD ("target-is-folder", test_target_is_folder);
  ADD ("target-becomes-folder", test_target_becomes_folder);
  ADD ("folder-is-file", test_folder_is_file);
  ADD ("read-only-folder", test_read_only_folder);
  ADD ("device", test_device);
  ADD ("no-space", test_no_space);
  return g_test_run ();
}
