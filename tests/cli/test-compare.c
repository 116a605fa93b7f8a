/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tosst compare: the table, its files, a method that fails, and what an interrupt leaves.
 */
#include <math.h>
#include <string.h>

#include "../small-images.h"
#include "harness.h"

#define SMALL                                                                                                          \
  "--splits 2 --set dataset.train-per-class=4 --set dictionary.atoms=5 --set dictionary.sample=60 "                    \
  "--set dictionary.iterations=2 --set descriptor.pivots=2 "

static void
set_up (Shell *shell, gconstpointer data)
{
  g_autofree char *images = NULL;

  shell_set_up (shell, data);
  images = shell_path (shell, "images");
  write_small_images (images);
}

static JsonObject *
method_of (JsonObject *report, const char *name)
{
  JsonArray *methods = json_object_get_array_member (report, "methods");

  for (guint i = 0; i < json_array_get_length (methods); i++)
    {
      JsonObject *method = json_array_get_object_element (methods, i);

      if (g_str_equal (json_object_get_string_member (method, "method"), name))
        return method;
    }
  g_error ("no method %s", name);
}

static double
mean_of (JsonObject *method)
{
  JsonArray *splits = json_object_get_array_member (method, "splits");

  g_assert_cmpuint (json_array_get_length (splits), ==, 2);
  return (json_array_get_double_element (splits, 0) + json_array_get_double_element (splits, 1)) / 2;
}

static void
test_table (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL, again = NULL, alone = NULL;
  g_autoptr (GBytes) csv = NULL;

  g_assert_cmpint (shell_tosst (shell, "compare images " SMALL "--methods 'raw;tosst-covariance;log-covariance' "
                                       "-w s.sqlite --report r.json --csv t.csv"),
                   ==, 0);
  g_assert_nonnull (strstr (shell->output, "tosst-covariance"));
  g_assert_nonnull (strstr (shell->output, "best"));
  g_assert_nonnull (strstr (shell->errors, "3 methods take about "));
  report = shell_read_json (shell, "r.json");
  g_assert_true (json_object_get_boolean_member (report, "complete"));
  g_assert_cmpint (json_object_get_int_member (report, "trains"), ==, 12);
  g_assert_cmpfloat_with_epsilon (mean_of (method_of (report, "raw")),
                                  json_object_get_double_member (method_of (report, "raw"), "accuracy_mean"), 1e-9);
  csv = shell_read (shell, "t.csv");
  g_assert_true (
      g_str_has_prefix (g_bytes_get_data (csv, NULL), "method,accuracy_mean,accuracy_std,seconds,difference,p"));
  /* Finished methods are read from the store; the same method alone has the same result. */
  shell_expect_done (shell, "compare images " SMALL "--methods 'log-covariance;raw' -w s.sqlite --json");
  again = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (method_of (again, "raw"), "run"), ==,
                   json_object_get_int_member (method_of (report, "raw"), "run"));
  shell_expect_done (shell, "compare images " SMALL "--methods raw -w other.sqlite --json");
  alone = shell_said (shell);
  g_assert_cmpfloat (mean_of (method_of (alone, "raw")), ==, mean_of (method_of (report, "raw")));
  shell_expect_done (shell, "runs s.sqlite");
  g_assert_nonnull (strstr (shell->output, "Third-order tensors, uncompressed"));
}

/* Images are smaller than the patches of one method; the other is not affected. */
static void
test_failure (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL;

  shell_expect_done (shell, "compare images " SMALL "--methods 'raw;tensor' --set descriptor.patch=80 --json");
  report = shell_said (shell);
  g_assert_cmpstr (json_object_get_string_member (method_of (report, "tensor"), "problem"), ==, "");
  g_assert_cmpstr (json_object_get_string_member (method_of (report, "raw"), "problem"), !=, "");
  shell_expect_failure (shell, "compare images " SMALL "--methods raw --set descriptor.patch=80 -q", 1,
                        "no method has a result");
}

static void
test_usage (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "compare", 2, "needs a folder");
  shell_expect_failure (shell, "compare images --methods none", 2, "“none”");
  shell_expect_failure (shell, "compare images --splits 0", 2, "dataset.splits");
  shell_expect_failure (shell, "compare nowhere", 1, "nowhere");
  shell_expect_done (shell, "compare --list");
  g_assert_nonnull (strstr (shell->output, "tosst-rbf"));
}

/* A combination is classified, kept as a model, and predicts; it has no tensors to describe. */
static void
test_combined (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL;
  g_autoptr (GBytes) page = NULL;
  JsonObject *weights;

  shell_expect_done (shell, "classify images --set dataset.splits=1 --set descriptor.kind=combined --set "
                            "'descriptor.parts=raw;log-covariance' --set descriptor.pivots=2 --set "
                            "'descriptor.weights=1;3' --model m.npz --report r.json -w s.sqlite -q");
  report = shell_read_json (shell, "r.json");
  weights = json_object_get_object_member (
      json_array_get_object_element (json_object_get_array_member (report, "splits"), 0), "weights");
  g_assert_cmpfloat (json_object_get_double_member (weights, "log-covariance"), ==, 0.75);
  shell_expect_done (shell, "report 1 -w s.sqlite -o r.html -q");
  page = shell_read (shell, "r.html");
  /* Parts are listed with their weights. */
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (page, NULL), -1, ">0.25</td>"));
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (page, NULL), -1, ">0.75</td>"));
  shell_expect_done (shell, "predict --model m.npz images/down/1.png --margins");
  g_assert_nonnull (strstr (shell->output, "down"));
  shell_expect_done (shell, "predict --model m.npz images/down/1.png --map m.png --window 48 --map-step 8");
  g_assert_nonnull (strstr (shell->output, "3 × 3 windows of 48 × 48 pixels"));
  shell_expect_failure (shell, "describe images/down/1.png -o t.npy --model m.npz", 1, "no tensors");
  shell_expect_failure (shell, "classify images --set descriptor.kind=combined --set 'descriptor.parts=raw;none' -q", 1,
                        "“none”");
}

/* The first method is in the store before the second one, which takes long, is interrupted. */
static void
test_interrupt (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL;

  shell_expect_done (shell, "compare images " SMALL "--methods raw -w s.sqlite -q");
  shell_interrupt (shell,
                   "compare images --splits 2 --set dataset.train-per-class=4 --set descriptor.pivots=2 --methods "
                   "'raw;tosst-rbf' --set dictionary.atoms=5 --set dictionary.sample=60 --set "
                   "dictionary.iterations=100000 --set dictionary.tolerance=0 -w s.sqlite --report r.json -q",
                   0.5);
  report = shell_read_json (shell, "r.json");
  g_assert_false (json_object_get_boolean_member (report, "complete"));
  g_assert_cmpstr (json_object_get_string_member (method_of (report, "tosst-rbf"), "problem"), ==, "not finished");
}

/* Differences are those of the accuracies of the splits; runs that cannot be compared say why. */
static void
test_against (Shell *shell, gconstpointer data)
{
  static const char *const runs[]
      = { "dictionary.atoms=5", "dictionary.atoms=12", "dataset.seed=2", "dataset.splits=1" };
  g_autoptr (JsonObject) one = NULL, two = NULL;
  JsonArray *differences;
  double a[2], b[2], mean, difference;

  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autofree char *line = g_strdup_printf (
          "classify -q --set dataset.path=images --set dataset.kind=folders --set dataset.splits=2 --set "
          "dataset.train-per-class=4 --set dictionary.sample=60 --set dictionary.iterations=2 --set "
          "descriptor.pivots=2 --set descriptor.patch=16 --set descriptor.step=12 --threads 1 -w a.sqlite --report "
          "r%u.json --set %s",
          i + 1, runs[i]);

      shell_expect_done (shell, line);
    }
  one = shell_read_json (shell, "r1.json");
  two = shell_read_json (shell, "r2.json");
  for (guint s = 0; s < 2; s++)
    {
      a[s] = json_array_get_double_element (json_object_get_array_member (two, "accuracy"), s);
      b[s] = json_array_get_double_element (json_object_get_array_member (one, "accuracy"), s);
    }
  mean = (a[0] - b[0] + a[1] - b[1]) / 2;
  shell_expect_done (shell, "runs a.sqlite --against 1 --json");

  g_autoptr (JsonNode) root = json_from_string (shell->output, NULL);
  differences = json_object_get_array_member (json_node_get_object (root), "differences");
  g_assert_cmpuint (json_array_get_length (differences), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      JsonObject *its = json_array_get_object_element (differences, i);

      difference
          = json_object_get_null_member (its, "difference") ? NAN : json_object_get_double_member (its, "difference");
      if (json_object_get_int_member (its, "run") == 2)
        {
          g_assert_cmpfloat_with_epsilon (difference, mean, 1e-9);
          g_assert_cmpfloat_with_epsilon (
              (json_object_get_double_member (its, "low") + json_object_get_double_member (its, "high")) / 2, mean,
              1e-6);
          g_assert_true (json_object_get_null_member (its, "problem"));
          continue;
        }
      g_assert_true (isnan (difference));
      g_assert_true (json_object_get_null_member (its, "p"));
      g_assert_nonnull (strstr (json_object_get_string_member (its, "problem"),
                                json_object_get_int_member (its, "run") == 3 ? "test other images" : "two splits"));
    }
  shell_expect_failure (shell, "runs a.sqlite --against 9", 1, "no run 9");
  shell_expect_failure (shell, "runs a.sqlite --against x", 2, "number of a run");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/compare/against", Shell, NULL, set_up, test_against, shell_tear_down);
  g_test_add ("/compare/table", Shell, NULL, set_up, test_table, shell_tear_down);
  g_test_add ("/compare/failure", Shell, NULL, set_up, test_failure, shell_tear_down);
  g_test_add ("/compare/usage", Shell, NULL, set_up, test_usage, shell_tear_down);
  g_test_add ("/compare/combined", Shell, NULL, set_up, test_combined, shell_tear_down);
  g_test_add ("/compare/interrupt", Shell, NULL, set_up, test_interrupt, shell_tear_down);
  return g_test_run ();
}
