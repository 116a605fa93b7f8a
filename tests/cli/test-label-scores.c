/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images with several labels, from lists to scores, curves, reports and the store.
 */
#include <math.h>
#include <string.h>

#include "core/data/textures.h"
#include "harness.h"

#define TEXTURES 4
#define IMAGES 6 /* of a texture; the first half trains */
#define TESTS (TEXTURES * IMAGES / 2)

#define LABELS                                                                                                         \
  "classify --set dataset.kind=labels --set dataset.path=textures --set descriptor.patch=24 --set descriptor.step=24 " \
  "--set descriptor.pivots=2 --set coding.method=raw "

/* Textures 0 and 1 have the first label, 1 and 2 the second one, 3 neither; no test has the third one. */
static void
write_labels (Shell *shell)
{
  g_autoptr (GString) csv = g_string_new ("image,split,warm,\"wide, open\",none\n");

  for (guint t = 0; t < TEXTURES; t++)
    for (guint i = 0; i < IMAGES; i++)
      g_string_append_printf (csv, "%s/%s-%02u.png,%s,%d,%d,%d\n", tosst_textures_name (t), tosst_textures_name (t), i,
                              i < IMAGES / 2 ? "train" : "test", t <= 1 ? 1 : -1, t == 1 || t == 2 ? 1 : -1,
                              t == 0 && i == 0 ? 1 : -1);
  shell_expect_done (shell, "textures textures --grey -q");
  shell_write (shell, "textures/labels.csv", csv->str, csv->len);
}

/* The class without positive tests is named, and does not matter. */
static void
classify (Shell *shell, const char *line)
{
  g_assert_cmpint (shell_tosst (shell, line), ==, 0);
  g_assert_nonnull (strstr (shell->output, "none"));
}

static char *
read_text (Shell *shell, const char *name)
{
  g_autoptr (GBytes) bytes = shell_read (shell, name);

  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static double
number (JsonObject *object, const char *name)
{
  return json_object_get_double_member (object, name);
}

/* A line per test, with its margins and labels in the order of the classes. */
static void
check_scores (Shell *shell)
{
  g_autofree char *text = read_text (shell, "s.csv"),
                  *first = g_strdup_printf ("\n%s/%s-03.png,", tosst_textures_name (0), tosst_textures_name (0));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_assert_cmpstr (lines[0], ==, "image,warm,\"wide, open\",none,warm label,\"wide, open label\",none label,split");
  g_assert_cmpuint (g_strv_length (lines), ==, TESTS + 2);
  g_assert_nonnull (strstr (text, first));
  for (guint i = 1; i <= TESTS; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], ",", -1);

      g_assert_cmpuint (g_strv_length (cells), ==, 8);
      g_assert_cmpfloat (fabs (g_ascii_strtod (cells[1], NULL)), >, 0);
      if (strstr (first, cells[0]))
        g_assert_cmpstr (cells[4], ==, "1");
      g_assert_cmpstr (cells[7], ==, "1");
    }
}

static void
test_outputs (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL;
  g_autofree char *curves = NULL;

  write_labels (shell);
  classify (shell, LABELS "--report r.json --scores s.csv --curves c.csv --plots plots -w w.sqlite");
  g_assert_nonnull (strstr (shell->output, "AP (11 points)"));
  g_assert_nonnull (strstr (shell->output, "mean average precision (11 points) "));
  g_assert_null (strstr (shell->output, "ccuracy"));
  report = shell_read_json (shell, "r.json");
  JsonObject *classes = json_object_get_object_member (report, "average_precision");
  JsonObject *warm = json_object_get_object_member (classes, "warm");
  JsonObject *none = json_object_get_object_member (classes, "none");
  g_assert_cmpstr (json_object_get_string_member (report, "score"), ==, "ap11");
  g_assert_cmpfloat (number (warm, "ap11"), >, 60); /* chance is 50 */
  g_assert_cmpint (json_object_get_int_member (warm, "positives"), ==, TESTS / 2);
  g_assert_true (json_object_get_null_member (none, "ap11"));
  g_assert_cmpfloat_with_epsilon (
      number (report, "map11"),
      (number (warm, "ap11") + number (json_object_get_object_member (classes, "wide, open"), "ap11")) / 2, 1e-9);
  g_assert_cmpfloat (number (report, "map11"), ==, number (report, "accuracy_mean"));
  check_scores (shell);
  curves = read_text (shell, "c.csv");
  g_assert_true (g_str_has_prefix (curves, "class,recall,precision,split\nwarm,"));
  g_assert_nonnull (strstr (curves, "\n\"wide, open\","));
  g_assert_null (strstr (curves, "\nnone,"));
  g_assert_true (shell_exists (shell, "plots/precision-recall.png"));
  g_assert_false (shell_exists (shell, "plots/accuracy.png"));
}

/* The other score; the store and its reports say the same. */
/* Whether the largest margin is that of the class with label 1. */
static gboolean
is_right (const char *line)
{
  g_auto (GStrv) cells = g_strsplit (line, ",", -1);
  guint classes = (g_strv_length (cells) - 4) / 2, best = 0, ones = 0;

  for (guint c = 0; c < classes; c++)
    {
      best = g_ascii_strtod (cells[3 + c], NULL) > g_ascii_strtod (cells[3 + best], NULL) ? c : best;
      ones += g_str_equal (cells[3 + classes + c], "1");
    }
  g_assert_cmpuint (ones, ==, 1);
  return g_str_equal (cells[3 + classes + best], "1");
}

/* With one class a sample: the largest margin is the prediction, and the label 1 the class. */
static void
test_one_class (Shell *shell, gconstpointer data)
{
  static const char line[]
      = "classify --set dataset.kind=folders --set dataset.path=textures --set dataset.train-per-class=4 --set "
        "dataset.splits=2 --set dataset.block=64 --set dataset.block-step=64 --set descriptor.patch=24 --set "
        "descriptor.step=40 --set descriptor.pivots=2 --set coding.method=raw --scores s.csv --report r.json";
  g_autoptr (JsonObject) report = NULL;
  g_autofree char *text = NULL;
  guint right = 0, tests;

  shell_expect_done (shell, "textures textures --grey -q");
  shell_expect_done (shell, line);
  report = shell_read_json (shell, "r.json");
  text = read_text (shell, "s.csv");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  tests = g_strv_length (lines) - 2;
  g_assert_true (g_str_has_prefix (lines[0], "image,x,y,"));
  for (guint i = 1; i <= tests; i++)
    right += is_right (lines[i]);
  g_assert_cmpfloat_with_epsilon (number (report, "accuracy_mean"), 100.0 * right / tests, 1e-9);
}

static void
test_store (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL, listed = NULL;
  g_autofree char *page = NULL;

  write_labels (shell);
  classify (shell, LABELS "--set classifier.score=area --report r.json --curves c.svg -w w.sqlite");
  report = shell_read_json (shell, "r.json");
  g_assert_cmpstr (json_object_get_string_member (report, "score"), ==, "area");
  g_assert_cmpfloat (number (report, "map_area"), ==, number (report, "accuracy_mean"));
  g_assert_true (shell_exists (shell, "c.svg"));
  shell_expect_done (shell, "runs w.sqlite --json");
  listed = shell_said (shell);
  JsonObject *run = json_array_get_object_element (json_object_get_array_member (listed, "runs"), 0);
  g_assert_cmpstr (json_object_get_string_member (run, "score"), ==, "area");
  g_assert_cmpfloat_with_epsilon (number (run, "accuracy_mean"), number (report, "map_area"), 1e-9);
  shell_expect_done (shell, "runs w.sqlite --show 1 --extract art");
  g_assert_true (shell_exists (shell, "art/split-1-scores.csv"));
  g_assert_false (shell_exists (shell, "art/confusion.csv"));
  shell_expect_done (shell, "report -w w.sqlite 1 -o r.html");
  page = read_text (shell, "r.html");
  g_assert_nonnull (strstr (page, "AP (11 points)"));
}

/* The best run is at the top; a sweep that was done is not repeated, and says the same. */
static void
test_sweep (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) first = NULL, again = NULL;

  write_labels (shell);
#define SWEEP "sweep" SWEEP_SETTINGS " -w w.sqlite --report s.json"
#define SWEEP_SETTINGS                                                                                                 \
  " --set dataset.kind=labels --set dataset.path=textures --set descriptor.patch=24 --set descriptor.step=24 "         \
  "--set descriptor.pivots=2 --set coding.method=raw --set 'sweep.classifier.c=0.001;100'"
  shell_expect_done (shell, SWEEP);
  g_assert_nonnull (strstr (shell->output, "MAP %"));
  g_assert_null (strstr (shell->output, "ccuracy"));
  first = shell_read_json (shell, "s.json");
  shell_expect_done (shell, SWEEP);
  again = shell_read_json (shell, "s.json");
  for (guint i = 0; i < 2; i++)
    {
      JsonObject *a = json_array_get_object_element (json_object_get_array_member (first, "runs"), i);
      JsonObject *b = json_array_get_object_element (json_object_get_array_member (again, "runs"), i);

      g_assert_cmpstr (json_object_get_string_member (a, "score"), ==, "ap11");
      g_assert_cmpfloat (number (a, "accuracy_mean"), ==, number (b, "accuracy_mean"));
      g_assert_true (json_object_get_boolean_member (b, "earlier"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/label-scores/outputs", Shell, NULL, shell_set_up, test_outputs, shell_tear_down);
  g_test_add ("/label-scores/one-class", Shell, NULL, shell_set_up, test_one_class, shell_tear_down);
  g_test_add ("/label-scores/store", Shell, NULL, shell_set_up, test_store, shell_tear_down);
  g_test_add ("/label-scores/sweep", Shell, NULL, shell_set_up, test_sweep, shell_tear_down);
  return g_test_run ();
}
