/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The folder of outputs is deleted while a command runs: expensive results are saved elsewhere, and the command names
 * the place. */

#include "harness.h"

#include <string.h>

#include <glib/gstdio.h>

#include "../sanitized.h"

/* Fails with status 1 and one line that names each of the files, which exist. */
static void
expect_kept (Shell *shell, const char *line, const char *const *names)
{
  g_autofree char *script
      = g_strdup_printf ("mkdir out && LD_PRELOAD='" LOSE_FOLDER "' LOST_FOLDER=out \"$T\" %s", line);
  int status = shell_script (shell, script);
  const char *newline = strchr (shell->errors, '\n');

  if (status != 1 || !g_str_has_prefix (shell->errors, "tosst: ") || !newline || newline[1])
    g_error ("%s: status %d, %s", line, status, shell->errors);
  g_assert_false (shell_exists (shell, "out"));
  for (; *names; names++)
    {
      g_autofree char *place = g_strdup_printf ("the result is kept in %s/%s", shell->folder, *names);

      if (!strstr (shell->errors, place))
        g_error ("“%s” is not in: %s", place, shell->errors);
      g_assert_true (shell_exists (shell, *names));
    }
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
test_arrays (Shell *shell, gconstpointer data)
{
  if (SANITIZED)
    {
      g_test_skip ("the sanitizer must come first");
      return;
    }
  shell_write_texture (shell, "T.png", 0, 0);
  shell_expect_done (shell, "describe T.png -o T.npy --set descriptor.step=16");
  expect_kept (shell, "describe T.png -o out/T.npy --set descriptor.step=16", NAMES ("T.npy.rescued-1.npy"));
  shell_expect_same_files (shell, "T.npy", "T.npy.rescued-1.npy");

  shell_expect_done (shell, "learn T.npy -o D.npz -q --set dictionary.atoms=6 --set dictionary.iterations=2");
  expect_kept (shell,
               "learn T.npy -o out/D.npz --trace out/t.csv --set dictionary.atoms=6 --set dictionary.iterations=2",
               NAMES ("D.npz.rescued-1.npz", "t.csv.rescued-1.csv"));
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy");
  expect_kept (shell, "code T.npy -d D.npz.rescued-1.npz -o out/A.npy --report out/R.json",
               NAMES ("A.npy.rescued-1.npy", "R.json.rescued-1.json"));
  shell_expect_same_files (shell, "A.npy", "A.npy.rescued-1.npy");
  expect_kept (shell, "code T.npy -d D.npz -o out/A.npy", NAMES ("A.npy.rescued-2.npy"));
  expect_kept (shell, "rank T.npy -o out/ranks", NAMES ("ranks.rescued-1"));
}

#define RUN                                                                                                            \
  "classify --set descriptor.kind=linear --set descriptor.step=40 --set dictionary.atoms=6 "                           \
  "--set dictionary.iterations=2 --set dataset.splits=1 "

static void
test_run (Shell *shell, gconstpointer data)
{
  if (SANITIZED)
    {
      g_test_skip ("the sanitizer must come first");
      return;
    }
  shell_write_texture (shell, "T.png", 0, 0);
  shell_expect_done (shell, RUN "-q --model M.npz --confusion c.csv");
  expect_kept (shell, RUN "--report out/r.json --confusion out/c.csv --model out/M.npz --dictionary out/D.npz -q",
               NAMES ("r.json.rescued-1.json", "c.csv.rescued-1.csv", "M.npz.rescued-1.npz", "D.npz.rescued-1.npz"));
  shell_expect_same_files (shell, "c.csv", "c.csv.rescued-1.csv");

  shell_expect_done (shell, "predict -m M.npz T.png -q --map-npy a.npy --map a.png");
  expect_kept (shell, "predict -m M.npz.rescued-1.npz T.png --map-npy out/a.npy --map out/a.png",
               NAMES ("a.npy.rescued-1.npy", "a.png.rescued-1.png"));
  shell_expect_same_files (shell, "a.npy", "a.npy.rescued-1.npy");
  shell_expect_same_files (shell, "a.png", "a.png.rescued-1.png");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/lost/arrays", Shell, NULL, shell_set_up, test_arrays, shell_tear_down);
  g_test_add ("/lost/run", Shell, NULL, shell_set_up, test_run, shell_tear_down);
  return g_test_run ();
}
