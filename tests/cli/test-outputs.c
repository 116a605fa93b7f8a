/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Outputs that would overwrite an input of the command, or each other, are refused before any work. */

#include <string.h>
#include <unistd.h>

#include "core/data/textures.h"
#include "core/format/npy.h"
#include "core/image/probe.h"
#include "harness.h"

#define LEARN "--set dictionary.atoms=2 --set dictionary.iterations=2 -q"

static void
set_up (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstImage) image = tosst_textures_render (0, 0, FALSE);
  g_autoptr (GFile) picture = NULL, tensors = NULL;
  g_autoptr (TosstNpy) array = tosst_npy_new (TOSST_NPY_FLOAT32, 2, (gsize[]){ 6, 4 });

  shell_set_up (shell, data);
  picture = shell_file (shell, "g.png");
  tensors = shell_file (shell, "T.npy");
  for (gsize i = 0; i < array->count; i++)
    ((float *)array->data)[i] = (float)(i * i % 7 + 1);
  g_assert_true (tosst_image_write_png (image, picture, NULL));
  g_assert_true (tosst_npy_write (array, tensors, NULL));
  shell_expect_done (shell, "learn T.npy -o D.npz " LEARN);
}

/* The command must be refused and keep the file. */
static void
expect_kept (Shell *shell, const char *name, const char *line)
{
  g_autoptr (GBytes) before = shell_read (shell, name), after = NULL;

  shell_expect_failure (shell, line, 2, "name");
  after = shell_read (shell, name);
  g_assert_true (g_bytes_equal (before, after));
}

static void
test_inputs (Shell *shell, gconstpointer data)
{
  g_autofree char *link = shell_path (shell, "link.png");

  expect_kept (shell, "g.png", "describe g.png -o g.png");
  expect_kept (shell, "g.png", "describe g.png -o ./g.png");
  g_assert_cmpint (symlink ("g.png", link), ==, 0);
  expect_kept (shell, "g.png", "describe g.png -o link.png");
  expect_kept (shell, "T.npy", "learn T.npy -o T.npy " LEARN);
  expect_kept (shell, "T.npy", "learn T.npy -o E.npz --trace T.npy " LEARN);
  g_assert_false (shell_exists (shell, "E.npz"));
  expect_kept (shell, "T.npy", "code T.npy -d D.npz -o T.npy");
  expect_kept (shell, "D.npz", "code T.npy -d D.npz -o D.npz");
  expect_kept (shell, "D.npz", "code T.npy -d D.npz -o A.npy --report D.npz");
  shell_write (shell, "r.ini", "[dictionary]\n", strlen ("[dictionary]\n"));
  expect_kept (shell, "r.ini", "classify r.ini --report r.ini");
  expect_kept (shell, "r.ini", "learn T.npy -o r.ini --recipe r.ini " LEARN);
  /* Only --resume may write its input. */
  shell_expect_done (shell, "learn T.npy -o D.npz --resume D.npz --set dictionary.iterations=4 -q");
}

static void
test_each_other (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "learn T.npy -o E.npz --trace E.npz " LEARN, 2,
                        "--trace and --output name the same file");
  g_assert_false (shell_exists (shell, "E.npz"));
  shell_expect_failure (shell, "code T.npy -d D.npz -o A.npy --report ./A.npy", 2, "--report and --output");
  shell_expect_failure (shell, "classify --set dataset.kind=samples --report x --confusion x", 2, "the same file");
  g_assert_false (shell_exists (shell, "x"));
}

/* Results that a data set does not have are refused before the work. */
static void
test_scores (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "classify --set dataset.kind=samples --curves x.svg", 2,
                        "needs a data set with several labels an image");
  shell_expect_failure (shell, "classify --set dataset.kind=labels --set dataset.path=. --confusion x.csv", 2,
                        "--confusion needs a data set with one class an image");
  shell_expect_failure (shell, "classify --set dataset.kind=labels --set dataset.path=. --curves x.txt", 2,
                        "“x.txt” must end in .csv, .svg, .pdf or .png");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/outputs/inputs", Shell, NULL, set_up, test_inputs, shell_tear_down);
  g_test_add ("/outputs/scores", Shell, NULL, set_up, test_scores, shell_tear_down);
  g_test_add ("/outputs/each-other", Shell, NULL, set_up, test_each_other, shell_tear_down);
  return g_test_run ();
}
