/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows in a file: what was appended is there for who opens it later, and nothing else ever is.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include <glib/gstdio.h>

#include "core/run/tensor-file.h"

#define ROWS 10
#define NUMBERS 300 /* bytes of a row */
#define BYTES (NUMBERS * sizeof (float))

typedef struct
{
  char *folder;
  GFile *file;
  float data[ROWS * NUMBERS];
} Place;

static void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("tosst rows XXXXXX", NULL);
  place->file = g_file_new_build_filename (place->folder, "rows.tensors", NULL);
  for (int i = 0; i < ROWS * NUMBERS; i++)
    place->data[i] = (float)i;
}

static void
tear_down (Place *place, gconstpointer data)
{
  g_unlink (g_file_peek_path (place->file));
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_object_unref (place->file);
  g_free (place->folder);
}

static TosstTensorFile *
reopen (Place *place)
{
  return tosst_tensor_file_open (place->file, "hash", ROWS, BYTES, FALSE);
}

/* A file with this number of rows. */
static void
make (Place *place, gsize rows)
{
  g_autoptr (TosstTensorFile) self = tosst_tensor_file_open (place->file, "hash", ROWS, BYTES, TRUE);

  g_assert_nonnull (self);
  g_assert_cmpuint (tosst_tensor_file_count (self), ==, 0);
  g_assert_true (tosst_tensor_file_append (self, rows, place->data));
}

static void
check_rows (Place *place, const TosstTensorFile *self, gsize rows)
{
  float found[ROWS * NUMBERS];

  g_assert_cmpuint (tosst_tensor_file_count (self), ==, rows);
  g_assert_true (tosst_tensor_file_read (self, 0, rows, found));
  g_assert_cmpmem (found, rows * BYTES, place->data, rows * BYTES);
  g_assert_true (tosst_tensor_file_read (self, rows - 1, 1, found));
  g_assert_cmpmem (found, BYTES, place->data + (rows - 1) * NUMBERS, BYTES);
}

static void
test_gone_on_with (Place *place, gconstpointer data)
{
  g_assert_null (reopen (place));
  make (place, 3);
  for (gsize rows = 3; rows < ROWS; rows++)
    {
      g_autoptr (TosstTensorFile) self = reopen (place);

      check_rows (place, self, rows);
      g_assert_true (tosst_tensor_file_append (self, 1, place->data + rows * NUMBERS));
      check_rows (place, self, rows + 1);
    }
}

/* One writer at a time; a complete file has any number of readers. */
static void
test_locked (Place *place, gconstpointer data)
{
  g_autoptr (TosstTensorFile) first = NULL, second = NULL;

  make (place, 4);
  first = reopen (place);
  g_assert_null (reopen (place));
  g_assert_null (tosst_tensor_file_open (place->file, "hash", ROWS, BYTES, TRUE));
  g_assert_true (tosst_tensor_file_append (first, ROWS - 4, place->data + 4 * NUMBERS));
  second = reopen (place);
  check_rows (place, first, ROWS);
  check_rows (place, second, ROWS);
}

/* Rows of another file or other data are not found, and a writer starts over. */
static void
test_of_another (Place *place, gconstpointer data)
{
  g_autoptr (TosstTensorFile) fresh = NULL;

  make (place, 3);
  g_assert_null (tosst_tensor_file_open (place->file, "other", ROWS, BYTES, FALSE));
  g_assert_null (reopen (place));
  make (place, 3);
  g_assert_null (tosst_tensor_file_open (place->file, "hash", ROWS + 1, BYTES, FALSE));
  make (place, 3);
  g_assert_null (tosst_tensor_file_open (place->file, "hash", ROWS, BYTES - 4, FALSE));
  make (place, 3);
  fresh = tosst_tensor_file_open (place->file, "other", ROWS, BYTES, TRUE);
  g_assert_nonnull (fresh);
  g_assert_cmpuint (tosst_tensor_file_count (fresh), ==, 0);
}

/* A file truncated anywhere, or with another header, has no rows; data after the rows are ignored. */
static void
test_damaged (Place *place, gconstpointer data)
{
  g_autofree char *bytes = NULL;
  const char *path = g_file_peek_path (place->file);
  gsize size;

  make (place, 5);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (gsize cut = 0; cut < size; cut += 1 + size / 60)
    {
      g_assert_true (g_file_set_contents (path, bytes, (gssize)cut, NULL));
      g_assert_null (reopen (place));
    }
  /* 8 letters, a checksum, rows and their length; a byte of the number of rows. */
  for (gsize at = 0; at < 95; at++)
    {
      bytes[at] ^= 0x55;
      g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
      g_assert_null (reopen (place));
      bytes[at] ^= 0x55;
    }
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
  g_clear_pointer (&bytes, g_free);
  g_autoptr (TosstTensorFile) sound = reopen (place);
  check_rows (place, sound, 5);
}

/* On a full disk the file is deleted, and its space is freed. */
static void
test_no_space (Place *place, gconstpointer data)
{
  g_autoptr (TosstTensorFile) self = NULL;
  struct rlimit limit, old;
  gboolean written;

  make (place, 4);
  self = reopen (place);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  limit = old;
  limit.rlim_cur = 4096 + 6 * BYTES;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  written = tosst_tensor_file_append (self, 4, place->data + 4 * NUMBERS);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  g_assert_false (written);
  g_assert_false (g_file_query_exists (place->file, NULL));
}

/* A link to another place is not followed; a missing folder gives no file. */
static void
test_no_place (Place *place, gconstpointer data)
{
  g_autofree char *target = g_build_filename (place->folder, "precious", NULL), *content = NULL;
  g_autoptr (GFile) nowhere = g_file_new_for_path ("/dev/null/rows");

  g_assert_null (tosst_tensor_file_open (nowhere, "hash", ROWS, BYTES, TRUE));
  g_assert_true (g_file_set_contents (target, "precious", -1, NULL));
  g_assert_true (g_file_make_symbolic_link (place->file, target, NULL, NULL));
  g_assert_null (tosst_tensor_file_open (place->file, "hash", ROWS, BYTES, TRUE));
  g_assert_true (g_file_get_contents (target, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "precious");
  g_unlink (target);
}

#define ADD(name, function) g_test_add ("/run-kept/" name, Place, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("gone-on-with", test_gone_on_with);
  ADD ("locked", test_locked);
  ADD ("of-another", test_of_another);
  ADD ("damaged", test_damaged);
  ADD ("no-space", test_no_space);
  ADD ("no-place", test_no_place);
  return g_test_run ();
}
