/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tosst reproduce: a tiny stand-in for the data, what is refused, and going on after an interrupt.
 */
#include <signal.h>
#include <string.h>

#include "../few-textures.h"
#include "harness.h"

#define TINY                                                                                                           \
  "--quick --threads 1 --set dataset.kind=samples --set dataset.exclude=" ALL_BUT_FIVE_TEXTURES                        \
  " --set descriptor.patch=60 --set descriptor.step=60 "                                                               \
  "--set descriptor.pivots=2 --set dictionary.sample=60 --set dictionary.iterations=2 "

static void
test_tiny (Shell *shell, gconstpointer data)
{
  static const char *const files[]
      = { "out/table1-quick.txt", "out/table1-quick.csv", "out/table1-quick.md",  "out/table1-quick.svg",
          "out/table1-quick.pdf", "out/table1-quick.png", "out/table1-quick.html" };

  shell_expect_done (shell, "reproduce table1 -o out " TINY "--set dictionary.atoms=6");
  g_assert_nonnull (strstr (shell->output, "(iv)"));
  g_assert_nonnull (strstr (shell->output, "of temporary files each"));
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    g_assert_true (shell_exists (shell, files[i]));
  shell_expect_done (shell, "reproduce table1 -o out --json " TINY "--set dictionary.atoms=6");
  g_assert_nonnull (strstr (shell->output, "\"rows\":["));
  /* Its runs are ordinary runs. */
  shell_expect_done (shell, "report 1 2 -o r.html");
}

static void
test_refused (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "reproduce", 2, "needs table1|fig1a");
  shell_expect_failure (shell, "reproduce fig9", 2, "unknown experiment “fig9”");
  shell_expect_failure (shell, "reproduce fig2", 1, "needs the images and lists of PASCAL VOC 2007");
  shell_expect_failure (shell, "reproduce table2 --quick --data nowhere", 1, "nowhere");
  shell_expect_failure (shell, "reproduce table2 --check", 2, "with --data");
  shell_expect_failure (shell, "reproduce table1 --check --data .", 2, "for table2 and fig2");
  shell_expect_failure (shell, "reproduce table2 --check --data .", 1, "not the whole of PASCAL VOC 2007");
  shell_expect_failure (shell, "reproduce table1", 1, "needs the Brodatz album: give the folder");
  shell_expect_failure (shell, "reproduce kth-tips", 1, "needs the images of KTH-TIPS: give their folder");
  shell_expect_failure (shell, "reproduce dtd --choose", 1, "needs images of DTD: give their folder");
  shell_expect_failure (shell, "reproduce dtd --data nowhere", 1, "nowhere");
  shell_expect_failure (shell, "reproduce fig1a --data nowhere", 1, "nowhere");
  shell_expect_failure (shell, "reproduce fig1a " TINY "--set dictionary.atom=6", 2, "atom");
  shell_expect_failure (shell, "reproduce fig1a --quick --set dataset.kind=samples -o /proc/out", 1, "/proc/out");
  g_assert_false (shell_exists (shell, "table1"));
  g_assert_false (shell_exists (shell, "runs.sqlite"));
}

static void
test_interrupted (Shell *shell, gconstpointer data)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autofree char *line
      = g_strdup_printf ("'%s' reproduce fig1d " TINY
                         "--set dictionary.atoms=6 --set dictionary.iterations=100000 --set dictionary.tolerance=0",
                         TOSST_PROGRAM);
  g_autoptr (GSubprocess) process = NULL;
  g_auto (GStrv) argv = NULL;

  g_assert_true (g_shell_parse_argv (line, NULL, &argv, NULL));
  g_subprocess_launcher_set_cwd (launcher, shell->folder);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *)argv, NULL);
  for (int i = 0; i < SHELL_LOOKS && !shell_exists (shell, "fig1d"); i++)
    g_usleep (10000);
  g_usleep (500000);
  g_subprocess_send_signal (process, SIGINT);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  shell_expect_done (shell, "reproduce fig1d " TINY "--set dictionary.atoms=6");
  g_assert_true (shell_exists (shell, "fig1d/fig1d-quick-objective.svg"));
}

#define ADD(name, func) g_test_add ("/reproduce/" name, Shell, NULL, shell_set_up, func, shell_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("tiny", test_tiny);
  ADD ("refused", test_refused);
  ADD ("interrupted", test_interrupted);
  return g_test_run ();
}
