/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values on the disk: what was written is read again, by whoever has the key, and nothing else ever is.
 */
#include <signal.h>
#include <sys/resource.h>

#include "own-cache.h"

#define NUMBERS 1000
#define BYTES (NUMBERS * sizeof (float))

static float data[NUMBERS];

static char *
key_of (int i)
{
  g_autofree char *text = g_strdup_printf ("value %d", i);

  return tosst_disk_cache_key (text);
}

static void
keep (int i)
{
  g_autofree char *key = key_of (i);

  tosst_disk_cache_write (key, 1, data, BYTES, data + 1, 7);
}

static gboolean
is_kept (int i)
{
  g_autofree char *key = key_of (i);
  float found[NUMBERS];
  gsize bytes;
  g_autofree char *second = NULL;

  if (!tosst_disk_cache_read (key, 0, found, BYTES) || (second = tosst_disk_cache_load (key, 1, &bytes)) == NULL)
    return FALSE;
  g_assert_cmpmem (found, BYTES, data, BYTES);
  g_assert_cmpmem (second, bytes, data + 1, 7);
  return TRUE;
}

static void
test_read (void)
{
  g_autofree char *key = key_of (1), *other = key_of (2);
  float found[NUMBERS + 1];

  g_assert_false (is_kept (1));
  keep (1);
  g_assert_true (is_kept (1));
  g_assert_false (is_kept (2));
  g_assert_cmpstr (key, !=, other);
  g_assert_false (tosst_disk_cache_read (key, 0, found, BYTES + 1));
  g_assert_false (tosst_disk_cache_read (key, 1, found, BYTES));
  g_assert_true (is_kept (1));
  tosst_disk_cache_write (other, 1, NULL, 0, NULL, 0);
  g_assert_true (tosst_disk_cache_read (other, 0, NULL, 0));
  g_assert_cmpuint (tosst_disk_cache_bytes (), >, BYTES);
  tosst_disk_cache_clear ();
  g_assert_cmpuint (tosst_disk_cache_bytes (), ==, 0);
  g_assert_false (is_kept (1));
}

/* A file that is cut short anywhere, or one bit of which is another, is no value, and is removed. */
static void
test_damaged (void)
{
  g_autofree char *key = key_of (1), *path = tosst_disk_cache_path (key), *bytes = NULL;
  gsize size;

  keep (1);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (gsize cut = 0; cut < size; cut += 1 + size / 60)
    {
      g_assert_true (g_file_set_contents (path, bytes, (gssize)cut, NULL));
      g_assert_false (is_kept (1));
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
  for (gsize at = 0; at < size; at += at < 80 ? 1 : 37)
    {
      bytes[at] ^= (char)(1 << at % 8);
      g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
      g_assert_false (is_kept (1));
      bytes[at] ^= (char)(1 << at % 8);
    }
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
  g_assert_true (is_kept (1));
}

/* A value under the name of another one is none. */
static void
test_foreign (void)
{
  g_autofree char *key = key_of (1), *path = tosst_disk_cache_path (key), *other = key_of (2),
                  *other_path = tosst_disk_cache_path (other);

  keep (1);
  g_assert_cmpint (g_rename (path, other_path), ==, 0);
  g_assert_false (is_kept (2));
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_assert_false (is_kept (1));
  keep (1);
  g_assert_false (is_kept (1));
  g_assert_cmpint (g_rmdir (path), ==, 0);
}

/* Above the limit those go that were not used for longest, and none that was used since the run began. */
static void
test_limit (void)
{
  g_setenv ("TOSST_CACHE_MB", "1", TRUE);
  for (int i = 0; i < 200; i++)
    {
      g_autofree char *key = key_of (i), *path = tosst_disk_cache_path (key);

      keep (i);
      g_assert_true (is_kept (i));
      set_age (path, 1000000000 + i);
    }
  g_assert_true (is_kept (3));
  tosst_disk_cache_begin ();
  g_assert_true (is_kept (5));
  for (int i = 200; i < 300; i++)
    keep (i);
  g_assert_cmpuint (tosst_disk_cache_bytes (), <=, 1 << 20);
  g_assert_cmpuint (tosst_disk_cache_bytes (), >, (1 << 20) / 2);
  for (int i = 200; i < 300; i++)
    g_assert_true (is_kept (i));
  g_assert_true (is_kept (3));
  g_assert_true (is_kept (5));
  g_assert_true (is_kept (199));
  for (int i = 6; i < 20; i++)
    g_assert_false (is_kept (i));
  /* All of one run: the first ones stay. */
  for (int i = 300; i < 900; i++)
    keep (i);
  g_assert_cmpuint (tosst_disk_cache_bytes (), <=, 1 << 20);
  g_assert_true (is_kept (200));
  g_assert_true (is_kept (305));
  g_assert_false (is_kept (899));
  g_setenv ("TOSST_CACHE_MB", "1000", TRUE);
}

static void
test_off (void)
{
  keep (1);
  g_setenv ("TOSST_CACHE_MB", "0", TRUE);
  g_assert_null (key_of (1));
  g_assert_false (is_kept (1));
  keep (2);
  g_unsetenv ("TOSST_CACHE_MB");
  g_assert_cmpuint (tosst_disk_cache_limit (), <=, TOSST_DISK_CACHE_BYTES);
  tosst_disk_cache_set_limit (0);
  g_assert_null (key_of (1));
  tosst_disk_cache_set_limit (12345678);
  g_assert_cmpuint (tosst_disk_cache_limit (), ==, 12345678);
  g_setenv ("TOSST_CACHE_MB", "1000", TRUE);
  g_assert_cmpuint (tosst_disk_cache_limit (), ==, 1000 << 20);
  tosst_disk_cache_set_limit (G_MAXUINT64);
  g_assert_true (is_kept (1));
  g_assert_false (is_kept (2));
}

/* What is computed as fast as it is read, or at once, is not kept. */
static void
test_worth (void)
{
  g_unsetenv ("TOSST_CACHE_ALL");
  g_assert_true (tosst_disk_cache_is_worth (1, 1000000));
  g_assert_false (tosst_disk_cache_is_worth (1, 1000000000));
  g_assert_false (tosst_disk_cache_is_worth (1e-4, 10));
  g_setenv ("TOSST_CACHE_ALL", "1", TRUE);
  g_assert_true (tosst_disk_cache_is_worth (1e-4, 1000000000));
}

/* On a full disk nothing is kept, and nothing is left over. */
static void
test_full (void)
{
  struct rlimit limit, old;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  limit = old;
  limit.rlim_cur = BYTES / 2;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  keep (1);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  g_assert_false (is_kept (1));
  g_autofree char *folder = tosst_disk_cache_path (NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_assert_null (g_dir_read_name (dir));
  /* The next run finds room. */
  keep (1);
  g_assert_false (is_kept (1));
  tosst_disk_cache_begin ();
  keep (1);
  g_assert_true (is_kept (1));
}

static gpointer
keep_and_read (gpointer wrong)
{
  for (int i = 0; i < 300; i++)
    {
      keep (i % 7);
      if (!is_kept (i % 7))
        g_atomic_int_inc ((int *)wrong);
    }
  return NULL;
}

/* Writers of the same values do not disturb each other, nor readers. */
static void
test_at_once (void)
{
  GThread *threads[4];
  int wrong = 0;

  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new (NULL, keep_and_read, &wrong);
  for (int i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (wrong, ==, 0);
}

static void
test_nowhere (void)
{
  if (g_test_subprocess ())
    {
      keep (1);
      g_assert_false (is_kept (1));
      g_assert_cmpuint (tosst_disk_cache_bytes (), ==, 0);
      tosst_disk_cache_clear ();
      return;
    }
  g_autofree char *old = g_strdup (g_getenv ("XDG_CACHE_HOME"));
  g_setenv ("XDG_CACHE_HOME", "/dev/null/nowhere", TRUE);
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_setenv ("XDG_CACHE_HOME", old, TRUE);
}

static void
clear (gpointer function)
{
  tosst_disk_cache_clear ();
  ((void (*) (void))function) ();
}

#define ADD(name, function) g_test_add_data_func ("/disk-cache/" name, (gpointer)function, (GTestDataFunc)clear)

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!g_test_subprocess ())
    folder = make_cache ();
  for (int i = 0; i < NUMBERS; i++)
    data[i] = 0.1F * (float)i;
  ADD ("read", test_read);
  ADD ("damaged", test_damaged);
  ADD ("foreign", test_foreign);
  ADD ("limit", test_limit);
  ADD ("off", test_off);
  ADD ("worth", test_worth);
  ADD ("full", test_full);
  ADD ("at-once", test_at_once);
  ADD ("nowhere", test_nowhere);
  status = g_test_run ();
  if (folder != NULL)
    remove_cache (folder);
  return status;
}
