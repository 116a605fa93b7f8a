/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tosst sweep as a user has it: what it prints and returns, and that a kill at any moment costs nothing that is done.
 */
#include <signal.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "../small-images.h"
#include "harness.h"

#define BASE                                                                                                           \
  "[dataset]\n" SMALL_DATASET "path=images\n[descriptor]\n" SMALL_DESCRIPTOR                                           \
  "[dictionary]\nsample=100\natoms=8\niterations=4\n[sweep]\n"

static void
set_up (Shell *shell, gconstpointer data)
{
  g_autofree char *images = NULL;

  shell_set_up (shell, data);
  images = shell_path (shell, "images");
  write_small_images (images);
}

static void
write_recipe (Shell *shell, const char *name, const char *lines)
{
  g_autofree char *text = g_strconcat (BASE, lines, NULL);

  shell_write (shell, name, text, strlen (text));
}

static JsonObject *
run_of (JsonObject *report, guint i)
{
  return json_array_get_object_element (json_object_get_array_member (report, "runs"), i);
}

static void
test_table (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL, runs = NULL;
  guint alone = 0; /* runs without shared results */

  write_recipe (shell, "s.recipe", "classifier.c=1;100\npooling.power=0.4;1\n");
  shell_expect_done (shell, "sweep s.recipe --jobs 2 --report r.json --title 'my sweep'");
  g_assert_nonnull (strstr (shell->output, "4 of 4 runs done, 0 failed"));
  g_assert_nonnull (strstr (shell->output, "classifier.c"));
  g_assert_nonnull (strstr (shell->output, "≈"));
  g_assert_null (strstr (shell->output, "  dictionary.atoms")); /* a column */
  g_assert_true (shell_exists (shell, "r.json"));
  shell_expect_done (shell, "sweep s.recipe --json");
  report = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (report, "done"), ==, 4);
  g_assert_true (json_object_get_boolean_member (run_of (report, 0), "earlier"));
  for (guint i = 0; i < 4; i++)
    alone += json_object_get_double_member (run_of (report, i), "shared") == 0;
  g_assert_cmpuint (alone, ==, 1);
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (run_of (report, 3), "parameters"), "classifier.c"),
      ==, "100");
  shell_expect_done (shell, "runs --sweeps");
  g_assert_nonnull (strstr (shell->output, "my sweep"));
  shell_expect_done (shell, "runs --filter sweep=1 --json");
  runs = shell_said (shell);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (runs, "runs")), ==, 4);
  /* Another sweep reuses the finished runs. */
  shell_expect_done (shell, "sweep s.recipe --set pooling.power=1 --set 'sweep.classifier.c=1;10;100' --json");
  g_clear_pointer (&report, json_object_unref);
  report = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (report, "done"), ==, 3);
  g_assert_false (json_object_get_boolean_member (run_of (report, 1), "earlier"));
  g_assert_true (json_object_get_boolean_member (run_of (report, 2), "earlier"));
}

/* Runs of other problems are compared by their codes; those without have a dash, and null. */
static void
test_codes (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL;
  double one, other;

  write_recipe (shell, "s.recipe", "dictionary.lambda=1e-3;1e-1\ncoding.method=sparse;raw\n");
  shell_expect_done (shell, "sweep s.recipe --report r.json");
  g_assert_nonnull (strstr (shell->output, "  non-zeros  residual  state"));
  g_assert_nonnull (strstr (shell->output, "  –          –         done"));
  report = shell_read_json (shell, "r.json");
  one = json_object_get_double_member (run_of (report, 0), "relative_residual");
  other = json_object_get_double_member (run_of (report, 2), "relative_residual");
  g_assert_cmpfloat (one, >, 0);
  g_assert_cmpfloat (other, >, one);
  g_assert_cmpfloat (other, <=, 1);
  g_assert_cmpfloat (json_object_get_double_member (run_of (report, 2), "mean_nonzeros"), <,
                     json_object_get_double_member (run_of (report, 0), "mean_nonzeros"));
  g_assert_true (json_object_get_null_member (run_of (report, 1), "relative_residual"));
  shell_expect_done (shell, "runs --sort -relative_residual --filter 'relative_residual>0' --show 1");
  g_assert_nonnull (strstr (shell->output, "relative_residual"));
}

static char *
scored_on (Shell *shell, const char *arguments)
{
  g_autofree char *command = g_strconcat ("sweep ", arguments, " --json", NULL);
  g_autoptr (JsonObject) report = NULL;

  shell_expect_done (shell, command);
  report = shell_said (shell);
  return g_strdup (json_object_get_string_member (report, "scored_on"));
}

#define assert_scored_on(shell, arguments, expected)                                                                   \
  do                                                                                                                   \
    {                                                                                                                  \
      g_autofree char *found = scored_on (shell, arguments);                                                           \
                                                                                                                       \
      g_assert_cmpstr (found, ==, expected);                                                                           \
    }                                                                                                                  \
  while (0)

/* Values are chosen by training images that are left out, unless the sweep says otherwise. */
static void
test_choosing (Shell *shell, gconstpointer data)
{
  const char *command;
  JsonArray *runs;

  write_recipe (shell, "s.recipe", "classifier.c=1;100\n");
  write_recipe (shell, "seeds.recipe", "dataset.seed=1;2\n");
  shell_expect_done (shell, "sweep s.recipe");
  g_assert_nonnull (strstr (shell->output, "validation %"));
  command = strstr (shell->output, "tosst classify ");
  g_assert_nonnull (command);
  g_assert_null (strstr (command, "dataset.within"));
  shell_expect_done (shell, "runs --filter sweep=1,dataset.within=1 --json");
  g_autoptr (JsonObject) listed = shell_said (shell);
  runs = json_object_get_array_member (listed, "runs");
  g_assert_cmpuint (json_array_get_length (runs), ==, 2);

  assert_scored_on (shell, "--resume", "validation");
  assert_scored_on (shell, "s.recipe --set dataset.within=0 -w set.sqlite", "tests");
  assert_scored_on (shell, "seeds.recipe", "tests");
  /* Where no training image can be left out. */
  assert_scored_on (shell, "s.recipe --set dataset.train-per-class=1 -w one.sqlite", "tests");
  shell_expect_done (shell, "sweep s.recipe --test -w tests.sqlite");
  g_assert_nonnull (strstr (shell->output, "test %"));
  g_assert_nonnull (strstr (shell->output, "--validate"));
  /* A sweep that its store has by tests goes on so. */
  assert_scored_on (shell, "s.recipe -w tests.sqlite", "tests");
  assert_scored_on (shell, "s.recipe -w tests.sqlite --validate", "validation");
  shell_expect_failure (shell, "sweep s.recipe --validate --test", 2, "not both");
}

/* Only the plan, on request. */
static void
test_plan (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL;

  write_recipe (shell, "s.recipe", "dictionary.atoms=8;2000\nclassifier.c=1;10\n");
  shell_expect_done (shell, "sweep s.recipe --plan");
  g_assert_nonnull (strstr (shell->output, "4 runs: 0 done, 0 failed, 2 impossible, 2 to do, about"));
  g_assert_nonnull (strstr (shell->output, "dictionary.sample is 100, too few"));
  shell_expect_done (shell, "sweep s.recipe --plan --json");
  report = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (report, "to_do"), ==, 2);
  g_assert_false (shell_exists (shell, "runs.sqlite"));
}

static void
test_failing (Shell *shell, gconstpointer data)
{
  write_recipe (shell, "s.recipe", "dictionary.atoms=8;2000\n");
  shell_expect_failure (shell, "sweep s.recipe", 1, "1 of 2 runs failed: 2 (dictionary.atoms=2000): dictionary.sample");
  g_assert_nonnull (strstr (shell->output, "1 of 2 runs done, 1 failed"));
  shell_expect_failure (shell, "sweep s.recipe --retry-failed -q", 1, "1 of 2 runs failed");
  g_assert_cmpstr (shell->output, ==, "");
}

static void
test_refused (Shell *shell, gconstpointer data)
{
  write_recipe (shell, "s.recipe", "dictionary.atoms=8;x\n");
  shell_expect_failure (shell, "sweep s.recipe", 1, "s.recipe, line 15: dictionary.atoms must be a whole number");
  shell_expect_failure (shell, "sweep", 2, "needs a recipe file, --set or --resume");
  shell_expect_failure (shell, "sweep s.recipe --jobs 0", 2, "--jobs must be a whole number");
  shell_expect_failure (shell, "sweep s.recipe --checkpoint x", 2, "--checkpoint must be a number of seconds");
  shell_expect_failure (shell, "sweep --resume", 1, "there is no store of runs");
  shell_expect_failure (shell, "sweep no.recipe", 1, "no.recipe");
  write_recipe (shell, "s.recipe", "dictionary.atoms=2000;3000\n");
  shell_expect_failure (shell, "sweep s.recipe", 1, "none of the 2 runs is possible");
  g_assert_false (shell_exists (shell, "runs.sqlite"));
  write_recipe (shell, "s.recipe", "dictionary.atoms=8\n");
  shell_expect_failure (shell, "sweep s.recipe --workspace no/w.sqlite", 1, "could not be opened");
  shell_expect_failure (shell, "classify s.recipe", 1, "[sweep] is for tosst sweep");
  shell_write (shell, "w.sqlite", "no database at all", 18);
  shell_expect_failure (shell, "sweep s.recipe -w w.sqlite", 1, "is not a store of runs");
}

/* A damaged store is reported, salvaged and used. */
static void
test_damaged (Shell *shell, gconstpointer data)
{
  gsize size;

  write_recipe (shell, "s.recipe", "classifier.c=1;100\n");
  shell_expect_done (shell, "sweep s.recipe -w w.sqlite");
  g_autoptr (GBytes) sound = shell_read (shell, "w.sqlite");
  const char *bytes = g_bytes_get_data (sound, &size);
  g_autofree char *damaged = g_memdup2 (bytes, size);
  memset (damaged, 0x5a, 4096);
  shell_write (shell, "w.sqlite", damaged, size);
  g_assert_cmpint (shell_tosst (shell, "sweep s.recipe -w w.sqlite"), ==, 0);
  g_assert_nonnull (strstr (shell->errors, "was damaged; salvaged runs: 2"));
  g_assert_nonnull (strstr (shell->output, "2 of 2 runs done"));
  g_assert_nonnull (strstr (shell->output, "done earlier"));
}

static GSubprocess *
start (Shell *shell, const char *arguments)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autofree char *line = g_strdup_printf ("'%s' %s", TOSST_PROGRAM, arguments);
  g_auto (GStrv) argv = NULL;
  GSubprocess *process;

  g_assert_true (g_shell_parse_argv (line, NULL, &argv, NULL));
  g_subprocess_launcher_set_cwd (launcher, shell->folder);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *)argv, NULL);
  g_assert_nonnull (process);
  return process;
}

/* Waits until the runs of the store have the given state. */
static gboolean
is_so_far (Shell *shell, const char *fragment)
{
  for (int i = 0; i < SHELL_LOOKS; i++)
    {
      g_usleep (20000);
      if (shell_exists (shell, "w.sqlite") && shell_tosst (shell, "runs w.sqlite --export all.json -q") == 0)
        {
          g_autoptr (GBytes) bytes = shell_read (shell, "all.json");

          if (g_strstr_len (g_bytes_get_data (bytes, NULL), (gssize)g_bytes_get_size (bytes), fragment))
            return TRUE;
        }
    }
  return FALSE;
}

/* All figures of a run except for times. */
static char *
numbers_of (Shell *shell, const char *store, int id)
{
  g_autofree char *line = g_strdup_printf ("runs %s --show %d --json", store, id);
  g_autoptr (JsonObject) run = NULL;
  JsonObject *series;
  g_autofree char *results = NULL, *all = NULL;

  shell_expect_done (shell, line);
  run = shell_said (shell);
  g_assert_cmpstr (json_object_get_string_member (run, "state"), ==, "done");
  series = json_object_get_object_member (run, "series");
  for (int split = 0; split < 2; split++)
    {
      g_autofree char *name = g_strdup_printf ("%d", split);

      json_object_remove_member (json_object_get_object_member (series, name), "seconds");
    }
  results = json_to_string (json_object_get_member (run, "results"), FALSE);
  all = json_to_string (json_object_get_member (run, "series"), FALSE);
  return g_strconcat (results, all, NULL);
}

#define LONG "dictionary.seed=1;2;3;4;5\n" /* so that work remains when the first run is done */
#define SLOW "sweep s.recipe --set dictionary.iterations=400 --set dictionary.tolerance=0 --checkpoint 0.02 "

/* A sweep killed during learning, and again after the first run, gives the results of an uninterrupted one to the last
 * bit, with the same number of runs. */
static void
test_killed (Shell *shell, gconstpointer data)
{
  int number = GPOINTER_TO_INT (data);
  static const char *const moments[] = { "\"name\" : \"checkpoint\"", "\"state\" : \"done\"" };
  g_autoptr (JsonObject) report = NULL;

  write_recipe (shell, "s.recipe", LONG);
  for (gsize i = 0; i < G_N_ELEMENTS (moments); i++)
    {
      g_autoptr (GSubprocess) process = start (shell, SLOW "-w w.sqlite --jobs 2 --threads 2");

      g_assert_true (is_so_far (shell, moments[i]));
      g_subprocess_send_signal (process, number);
      g_assert_true (g_subprocess_wait (process, NULL, NULL));
      if (number == SIGKILL)
        g_assert_true (g_subprocess_get_if_signaled (process));
      else if (g_subprocess_get_if_exited (process))
        g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
    }
  shell_expect_done (shell, "runs w.sqlite --check");
  shell_expect_done (shell, "sweep --resume -w w.sqlite --json");
  report = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (report, "done"), ==, 5);
  shell_expect_done (shell, SLOW "-w whole.sqlite --jobs 1 --threads 1");
  for (int id = 1; id <= 5; id++)
    {
      g_autofree char *resumed = numbers_of (shell, "w.sqlite", id), *whole = numbers_of (shell, "whole.sqlite", id);

      g_assert_cmpstr (resumed, ==, whole);
    }
  shell_expect_failure (shell, "runs w.sqlite --show 6", 1, "has no run 6");
}

/* Two programs running the same sweep share the work. */
static void
test_together (Shell *shell, gconstpointer data)
{
  g_autoptr (GSubprocess) other = NULL;
  g_autoptr (JsonObject) report = NULL;

  write_recipe (shell, "s.recipe", "dictionary.seed=1;2;3;4\n");
  other = start (shell, "sweep s.recipe -w w.sqlite --threads 1");
  shell_expect_done (shell, "sweep s.recipe -w w.sqlite --threads 1 --json");
  report = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (report, "done"), ==, 4);
  g_assert_true (g_subprocess_wait_check (other, NULL, NULL));
  shell_expect_failure (shell, "runs w.sqlite --show 5", 1, "has no run 5");
}

#define ADD(name, data, func) g_test_add ("/sweep/" name, Shell, data, set_up, func, shell_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("table", NULL, test_table);
  ADD ("codes", NULL, test_codes);
  ADD ("choosing", NULL, test_choosing);
  ADD ("plan", NULL, test_plan);
  ADD ("failing", NULL, test_failing);
  ADD ("refused", NULL, test_refused);
  ADD ("damaged", NULL, test_damaged);
  ADD ("killed", GINT_TO_POINTER (SIGKILL), test_killed);
  ADD ("interrupted", GINT_TO_POINTER (SIGINT), test_killed);
  ADD ("together", NULL, test_together);
  return g_test_run ();
}
