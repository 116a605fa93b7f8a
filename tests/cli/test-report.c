/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tosst report: a run that was just recorded, as a page and as PDF; what is refused.
 */
#include <string.h>

#include "../few-textures.h"
#include "../sanitized.h"
#include "harness.h"

#define SMALL                                                                                                          \
  "classify -w w.sqlite --threads 1 --set dataset.kind=samples --set dataset.splits=2 --set descriptor.patch=40 "      \
  "--set dataset.exclude=" ALL_BUT_FIVE_TEXTURES " "                                                                   \
  "--set descriptor.step=100 --set descriptor.pivots=2 --set dictionary.sample=60 --set dictionary.iterations=3 "

static char *
text_of (Shell *shell, const char *name)
{
  g_autoptr (GBytes) bytes = shell_read (shell, name);

  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
test_report (Shell *shell, gconstpointer data)
{
  g_autofree char *html = NULL, *again = NULL, *pdf = NULL, *both = NULL;

  shell_expect_done (shell, SMALL "--set dictionary.atoms=8");
  shell_expect_done (shell, SMALL "--set coding.method=raw");
  shell_expect_done (shell, "runs w.sqlite --show 1 --title 'a <title> & more'");
  shell_expect_done (shell, "report 1 -w w.sqlite -o r.html");
  g_assert_nonnull (strstr (shell->output, "report on 1 run: r.html"));
  html = text_of (shell, "r.html");
  g_assert_true (g_str_has_prefix (html, "<!DOCTYPE html>"));
  g_assert_nonnull (strstr (html, "a &lt;title&gt; &amp; more"));
  g_assert_nonnull (strstr (html, "--set dictionary.atoms=8"));
  g_assert_null (strstr (html, "<script"));

  /* The same run gives the same file. */
  shell_expect_done (shell, "report 1 -w w.sqlite -o again.html --quiet");
  again = text_of (shell, "again.html");
  g_assert_cmpstr (html, ==, again);

  shell_expect_done (shell, "report 2 1 -w w.sqlite -o both.html --json");
  g_assert_nonnull (strstr (shell->output, "\"runs\":[2,1]"));
  both = text_of (shell, "both.html");
  g_assert_nonnull (strstr (both, "2 runs compared"));
  shell_expect_done (shell, "report 1 2 -w w.sqlite -o r.PDF");
  pdf = text_of (shell, "r.PDF");
  g_assert_true (g_str_has_prefix (pdf, "%PDF-"));
}

static void
test_refused (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "report -o r.html", 2, "needs RUN...");
  shell_expect_failure (shell, "report 1", 2, "needs --output");
  shell_expect_failure (shell, "report one -o r.html", 2, "needs the numbers of runs");
  shell_expect_failure (shell, "report 1 -o r.txt", 2, "must end in .html or .pdf");
  shell_expect_failure (shell, "report 1 -o no/r.html", 1, "no");
  shell_expect_failure (shell, "report 1 -o r.html", 1, "there is no store of runs at");
  shell_expect_done (shell, SMALL "--set dictionary.atoms=8");
  shell_expect_failure (shell, "report 1 2 -w w.sqlite -o r.html", 1, "has no run 2");
  shell_write (shell, "x.sqlite", "no database at all", 18);
  shell_expect_failure (shell, "report 1 -w x.sqlite -o r.html", 1, "is not a store of runs");

  g_autoptr (GBytes) sound = shell_read (shell, "w.sqlite");
  gsize size;
  const char *bytes = g_bytes_get_data (sound, &size);
  g_autofree char *damaged = g_memdup2 (bytes, size);
  memset (damaged + 8192, 0x5a, 4096);
  shell_write (shell, "w.sqlite", damaged, size);
  shell_expect_failure (shell, "report 1 -w w.sqlite -o r.html", 1, "tosst runs --check");
  g_assert_false (shell_exists (shell, "r.html"));
}

/* Libraries that draw text end the process without memory, so that little of it is refused before. */
static void
test_little_memory (Shell *shell, gconstpointer data)
{
  if (SANITIZED)
    {
      g_test_skip ("the sanitizer needs more memory");
      return;
    }
  shell_expect_done (shell, SMALL "--set dictionary.atoms=8");
  g_assert_cmpint (shell_script (shell, "ulimit -v 250000; exec $T report 1 -w w.sqlite -o r.html"), ==, 1);
  g_assert_nonnull (strstr (shell->errors, "the memory limit (ulimit -v)"));
  g_assert_false (shell_exists (shell, "r.html"));
}

#define ADD(name, func) g_test_add ("/report/" name, Shell, NULL, shell_set_up, func, shell_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("report", test_report);
  ADD ("refused", test_refused);
  ADD ("little-memory", test_little_memory);
  return g_test_run ();
}
