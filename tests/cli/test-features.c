/* SPDX-License-Identifier: GPL-3.0-or-later */

/* tosst features: dense SIFT of images, one archive each. */

#include <glib/gstdio.h>
#include <string.h>

#include "core/format/npz.h"
#include "harness.h"

static const TosstNpy *
member (TosstNpz *npz, const char *name)
{
  const TosstNpy *array = tosst_npz_array (npz, name);

  g_assert_nonnull (array);
  return array;
}

static void
test_archive (Shell *shell, gconstpointer data)
{
  g_autoptr (GFile) file = shell_file (shell, "out/g.npz");
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstNpz) npz = NULL;

  shell_write_texture (shell, "g.png", 0, 0);
  shell_expect_done (shell, "features g.png -o out -q");
  npz = tosst_npz_read (file, NULL, &error);
  g_assert_no_error (error);
  const TosstNpy *x = member (npz, "x"), *xy = member (npz, "xy"), *scale = member (npz, "scale");
  g_assert_cmpint (x->type, ==, TOSST_NPY_FLOAT32);
  g_assert_cmpuint (x->shape[1], ==, 128);
  g_assert_cmpuint (xy->shape[0], ==, x->shape[0]);
  g_assert_cmpuint (xy->shape[1], ==, 2);
  g_assert_cmpuint (scale->count, ==, x->shape[0]);
  g_assert_cmpfloat (((const float *)scale->data)[scale->count - 1], ==, 3);
}

/* A folder keeps its subfolders; the same bytes for any number of threads. */
static void
test_folder (Shell *shell, gconstpointer data)
{
  g_autofree char *a = shell_path (shell, "in/a"), *b = shell_path (shell, "in/b");

  g_assert_cmpint (g_mkdir_with_parents (a, 0755), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (b, 0755), ==, 0);
  shell_write_texture (shell, "in/a/1.png", 0, 0);
  shell_write_texture (shell, "in/b/1.png", 1, 0);
  shell_write_texture (shell, "in/b/2.x.png", 2, 0);
  shell_expect_done (shell, "features in -o one -q --threads 1");
  shell_expect_done (shell, "features in -o two --threads 2 --json");
  g_autoptr (JsonObject) said = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (said, "images"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (said, "D"), ==, 128);
  shell_expect_same_files (shell, "one/a/1.npz", "two/a/1.npz");
  shell_expect_same_files (shell, "one/b/1.npz", "two/b/1.npz");
  shell_expect_same_files (shell, "one/b/2.x.npz", "two/b/2.x.npz");

  g_autofree char *lost = shell_path (shell, "two/b/1.npz");
  g_unlink (lost);
  shell_expect_done (shell, "features in -o two --resume --json");
  g_autoptr (JsonObject) again = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (again, "images"), ==, 1);
  shell_expect_same_files (shell, "one/b/1.npz", "two/b/1.npz");
  shell_expect_failure (shell, "features in/a/1.png in/b/1.png -o three", 1, "would have one output");
  g_assert_false (shell_exists (shell, "three"));
}

static void
test_bad_input (Shell *shell, gconstpointer data)
{
  g_autofree char *empty = shell_path (shell, "empty");

  g_assert_cmpint (g_mkdir (empty, 0755), ==, 0);
  shell_write (shell, "broken.png", "\x89PNG\r\n\x1a\n", 8);
  shell_write (shell, "file", "", 0);
  shell_write_texture (shell, "g.png", 0, 0);
  shell_expect_failure (shell, "features broken.png -o out", 1, "broken.png");
  shell_expect_failure (shell, "features none.png -o out", 1, "none.png");
  shell_expect_failure (shell, "features empty -o out", 1, "has no images");
  g_assert_false (shell_exists (shell, "out"));
  shell_expect_failure (shell, "features g.png", 2, "--output");
  shell_expect_failure (shell, "features g.png -o file", 1, "file");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/features/archive", Shell, NULL, shell_set_up, test_archive, shell_tear_down);
  g_test_add ("/features/folder", Shell, NULL, shell_set_up, test_folder, shell_tear_down);
  g_test_add ("/features/bad-input", Shell, NULL, shell_set_up, test_bad_input, shell_tear_down);
  return g_test_run ();
}
