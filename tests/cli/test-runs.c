/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs that are recorded while they go, however they end, and what tosst runs makes of them.
 */
#include <signal.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "../few-textures.h"
#include "core/run/scores.h"
#include "core/store/store.h"
#include "harness.h"

#define SMALL                                                                                                          \
  "classify -w w.sqlite --threads 1 --set dataset.kind=samples --set dataset.splits=2 --set descriptor.patch=40 "      \
  "--set dataset.exclude=" ALL_BUT_FIVE_TEXTURES " "                                                                   \
  "--set descriptor.step=100 --set descriptor.pivots=2 --set dictionary.sample=60 --set dictionary.iterations=3 "

static JsonArray *
list (Shell *shell, const char *options)
{
  g_autofree char *line = g_strdup_printf ("runs w.sqlite --json %s", options);
  g_autoptr (JsonNode) root = NULL;

  shell_expect_done (shell, line);
  root = json_from_string (shell->output, NULL);
  g_assert_nonnull (root);
  return json_array_ref (json_object_get_array_member (json_node_get_object (root), "runs"));
}

static const char *
text_of (JsonArray *runs, guint i, const char *name)
{
  return json_object_get_string_member (json_array_get_object_element (runs, i), name);
}

static void
test_recorded (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonArray) runs = NULL, changed = NULL, none = NULL;
  g_autoptr (JsonNode) report = NULL, all = NULL;

  shell_expect_done (shell, SMALL "--set dictionary.atoms=8 --report r.json --confusion c.csv --model m.npz");
  shell_expect_done (shell, SMALL "--set dictionary.atoms=20");
  runs = list (shell, "--sort -dictionary.atoms");
  g_assert_cmpuint (json_array_get_length (runs), ==, 2);
  g_assert_cmpstr (text_of (runs, 0, "key"), ==, "20");
  g_assert_cmpstr (text_of (runs, 1, "key"), ==, "8");
  g_assert_cmpstr (text_of (runs, 1, "state"), ==, "done");

  /* The same as in the report. */
  g_autoptr (GBytes) bytes = shell_read (shell, "r.json");
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  report = json_from_string (text, NULL);
  JsonObject *first = json_array_get_object_element (runs, 1), *said = json_node_get_object (report);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (first, "accuracy_mean"),
                                  json_object_get_double_member (said, "accuracy_mean"), 1e-9);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (first, "accuracy_std"),
                                  json_object_get_double_member (said, "accuracy_std"), 1e-9);

  shell_expect_done (shell, "runs w.sqlite --show 1 --tag best --title 'a title' --note 'a, note' --extract art");
  g_assert_nonnull (strstr (shell->output, "a, note"));
  g_autoptr (GBytes) a = shell_read (shell, "art/confusion.csv"), b = shell_read (shell, "c.csv");
  g_assert_true (g_bytes_equal (a, b));
  shell_expect_done (shell, "export art/split-1-model.npz -o D.mat"); /* it is a dictionary, too */

  shell_expect_done (shell, "runs w.sqlite --filter tag=best --csv runs.csv --export runs.json");
  g_assert_nonnull (strstr (shell->output, "#best"));
  g_autoptr (GBytes) csv = shell_read (shell, "runs.csv");
  g_assert_nonnull (
      g_strstr_len (g_bytes_get_data (csv, NULL), (gssize)g_bytes_get_size (csv), ",a title,\"a, note\","));
  g_autoptr (GBytes) json = shell_read (shell, "runs.json");
  g_autofree char *exported = g_strndup (g_bytes_get_data (json, NULL), g_bytes_get_size (json));
  all = json_from_string (exported, NULL);
  g_assert_nonnull (all);
  g_assert_nonnull (strstr (exported, "\"objective\""));

  shell_expect_done (shell, "runs w.sqlite --show 1 --untag best");
  none = list (shell, "--filter tag=best");
  g_assert_cmpuint (json_array_get_length (none), ==, 0);
  shell_expect_done (shell, "runs w.sqlite --check");
  g_assert_nonnull (strstr (shell->output, "no damage found"));
  shell_expect_done (shell, "runs w.sqlite --delete 1");
  changed = list (shell, "");
  g_assert_cmpuint (json_array_get_length (changed), ==, 1);
  shell_expect_failure (shell, "runs w.sqlite --show 1", 1, "has no run 1");
}

/* Adds a finished run with two labels an image to the store. */
static void
add_scored_run (Shell *shell)
{
  static const double margins[] = { 0.9, 0.1, 0.5, 0.7 };
  static const int labels[] = { 1, -1, -1, 1 };
  static const char *const names[] = { "bus", "car", NULL };
  g_autoptr (GFile) file = shell_file (shell, "w.sqlite");
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, NULL);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstScores) scores = tosst_scores_new (2, 2);
  const TosstStoreOrigin origin = { .hash = "0", .data = "", .dataset = "VOC", .class_names = names, .split = -1 };
  const TosstSplitResult split = { .accuracy = 97.25, .scores = scores };

  scores->sample[1] = 1;
  memcpy (scores->margin, margins, sizeof margins);
  memcpy (scores->label, labels, sizeof labels);
  g_assert_true (tosst_recipe_set (recipe, "dataset.kind", "labels", NULL));
  gint64 run = tosst_store_add (store, recipe, &origin, TOSST_RUN_RUNNING, NULL);
  g_assert_true (tosst_store_add_split (store, run, &split, 2, NULL));
  g_assert_true (tosst_store_finish (store, run, TOSST_RUN_DONE, NULL, NULL));
}

/* A run is called by its score. */
static void
test_scores (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonArray) runs = NULL;

  add_scored_run (shell);
  shell_expect_done (shell, "runs w.sqlite");
  g_assert_nonnull (strstr (shell->output, "MAP %"));
  g_assert_null (strstr (shell->output, "ccuracy"));
  shell_expect_done (shell, "runs w.sqlite --show 1");
  g_assert_nonnull (strstr (shell->output, "Mean average precision  97.25"));
  g_assert_nonnull (strstr (shell->output, "\nbus               100.00        100.00          1          1\n"));
  shell_expect_done (shell, SMALL "--set dictionary.atoms=8");
  shell_expect_done (shell, "runs w.sqlite");
  g_assert_nonnull (strstr (shell->output, "score %"));
  g_assert_nonnull (strstr (shell->output, "97.25 MAP"));
  runs = list (shell, "--filter 'map11=100'");
  g_assert_cmpuint (json_array_get_length (runs), ==, 1);
  g_assert_cmpstr (text_of (runs, 0, "score"), ==, "ap11");
  shell_expect_done (shell, "runs w.sqlite --show 1 --extract art");
  g_assert_true (shell_exists (shell, "art/split-1-scores.csv"));
}

static void
test_refused (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "runs", 1, "there is no store of runs at");
  shell_expect_failure (shell, "runs w.sqlite --show x", 2, "--show needs the number of a run");
  shell_expect_failure (shell, "runs w.sqlite --show 0", 2, "--show needs the number of a run");
  shell_expect_failure (shell, "runs w.sqlite --tag best", 2, "need a run: --show ID");
  shell_expect_failure (shell, "runs w.sqlite --show 1 --delete 1", 2, "cannot be combined");
  g_assert_false (shell_exists (shell, "w.sqlite"));
  shell_write (shell, "w.sqlite", "no database at all", 18);
  shell_expect_failure (shell, SMALL "--set dictionary.atoms=8", 1, "is not a store of runs");
  shell_expect_failure (shell, "runs w.sqlite", 1, "is not a store of runs");
  shell_expect_failure (shell, "runs w.sqlite --check", 1, "is not a store of runs");
  shell_expect_failure (shell, "classify -w no/w.sqlite --set dataset.kind=samples", 1, "could not be opened");
}

/* Starts a run that does not end by itself; sends the signal once iterations are in the store. */
static void
signal_run (Shell *shell, int number)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autofree char *line = g_strdup_printf (
      "'%s' " SMALL "--set dictionary.atoms=30 --set dictionary.iterations=100000 --set dictionary.tolerance=0",
      TOSST_PROGRAM);
  g_autoptr (GSubprocess) process = NULL;
  g_auto (GStrv) argv = NULL;
  gboolean begun = FALSE;

  g_assert_true (g_shell_parse_argv (line, NULL, &argv, NULL));
  g_subprocess_launcher_set_cwd (launcher, shell->folder);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *)argv, NULL);
  for (int i = 0; i < SHELL_LOOKS && !begun; i++)
    {
      g_usleep (20000);
      if (shell_exists (shell, "w.sqlite") && shell_tosst (shell, "runs w.sqlite --show 1 --json") == 0)
        {
          g_assert_nonnull (strstr (shell->output, "\"state\":\"running\""));
          begun = strstr (shell->output, "\"objective\":[") != NULL;
        }
    }
  g_assert_true (begun);
  g_subprocess_send_signal (process, number);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
}

static void
test_signal (Shell *shell, gconstpointer data)
{
  int number = GPOINTER_TO_INT (data);
  g_autoptr (JsonArray) runs = NULL;

  signal_run (shell, number);
  runs = list (shell, "");
  g_assert_cmpuint (json_array_get_length (runs), ==, 1);
  g_assert_cmpstr (text_of (runs, 0, "state"), ==, "stopped");
  g_assert_nonnull (strstr (text_of (runs, 0, "reason"), number == SIGKILL ? "program ended" : "interrupted"));
  shell_expect_done (shell, "runs w.sqlite --check");
  /* The next run does not wait. */
  shell_expect_done (shell, SMALL "--set dictionary.atoms=8");
  shell_expect_done (shell, "runs w.sqlite --filter state=stopped");
  g_assert_nonnull (strstr (shell->output, "\n1 "));
}

static void
test_damaged (Shell *shell, gconstpointer data)
{
  shell_expect_done (shell, SMALL "--set dictionary.atoms=8");
  g_autoptr (GBytes) sound = shell_read (shell, "w.sqlite");
  gsize size;
  const char *bytes = g_bytes_get_data (sound, &size);

  /* The first page, found when the store is opened; the root of the runs, when they are listed. */
  for (int page = 0; page <= 2; page += 2)
    {
      g_autofree char *damaged = g_memdup2 (bytes, size);

      memset (damaged + page * 4096, 0x5a, 4096);
      shell_write (shell, "w.sqlite", damaged, size);
      g_assert_cmpint (shell_tosst (shell, "runs w.sqlite"), ==, 0);
      g_assert_nonnull (strstr (shell->errors, "was damaged; salvaged runs: 1"));
      g_assert_nonnull (strstr (shell->output, "\n1 "));
      shell_expect_done (shell, "runs w.sqlite --check");
      g_assert_nonnull (strstr (shell->output, "no damage found"));
    }
}

#define ADD(name, data, func) g_test_add ("/runs/" name, Shell, data, shell_set_up, func, shell_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("recorded", NULL, test_recorded);
  ADD ("scores", NULL, test_scores);
  ADD ("refused", NULL, test_refused);
  ADD ("interrupted", GINT_TO_POINTER (SIGINT), test_signal);
  ADD ("killed", GINT_TO_POINTER (SIGKILL), test_signal);
  ADD ("damaged", NULL, test_damaged);
  return g_test_run ();
}
