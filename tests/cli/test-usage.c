/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Messages of the program on wrong usage and on requests for help. */

#include <string.h>

#include "core/recipe/recipe.h"
#include "harness.h"

static void
test_wrong_usage (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "", 2, "missing command");
  shell_expect_failure (shell, "paint", 2, "tosst: paint: ");
  shell_expect_failure (shell, "help paint", 2, "unknown command");
  shell_expect_failure (shell, "learn", 2, "needs T.npy");
  shell_expect_failure (shell, "learn T.npy", 2, "needs --output");
  shell_expect_failure (shell, "learn T.npy -o", 2, "needs a value");
  shell_expect_failure (shell, "learn T.npy U.npy -o D.npz", 2, "U.npy");
  shell_expect_failure (shell, "learn T.npy -o D.npz --fast", 2, "unknown option --fast");
  shell_expect_failure (shell, "learn T.npy -o D.npz -x", 2, "unknown option -x");
  shell_expect_failure (shell, "learn T.npy -o D.npz --threads 0", 2, "--threads");
  shell_expect_failure (shell, "learn T.npy -o D.npz --threads two", 2, "--threads");
  shell_expect_failure (shell, "learn T.npy -o D.npz --seed -3", 2, "--seed");
  shell_expect_failure (shell, "learn T.npy -o D.npz --set dictionary.atoms", 2, "group.key=value");
  shell_expect_failure (shell, "learn T.npy -o D.npz --json=yes", 2, "takes no value");
  shell_expect_failure (shell, "code T.npy -d D.npz -o A.npy --memory 0", 2, "--memory must be");
  shell_expect_failure (shell, "classify", 2, "needs a folder of images, a recipe file or --set");
  shell_expect_failure (shell, "predict image.png", 2, "needs --model");
}

/* An empty argument does not mean the working folder. */
static void
test_empty_names (Shell *shell, gconstpointer data)
{
  static const char *const lines[] = { "textures ''",
                                       "classify --set dataset.kind=samples --plots ''",
                                       "runs ''",
                                       "runs r.sqlite --show 1 --extract ''",
                                       "describe '' -o t.npy",
                                       "describe a.png -o ''",
                                       "predict '' --model M.npz",
                                       "report 1 -o r.pdf -w ''" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    shell_expect_failure (shell, lines[i], 2, "empty");
  g_assert_false (shell_exists (shell, "bricks"));
  g_assert_false (shell_exists (shell, "accuracy.png"));
}

/* Commands without --set report it, after an error in its value. */
static void
test_settings (Shell *shell, gconstpointer data)
{
  static const char *const lines[]
      = { "textures tex", "export D.npz -o D.mat", "predict a.png --model M.npz", "doctor -q",
          "runs",         "report 1 -o r.pdf" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *unknown = g_strdup_printf ("%s --set dictionary.atomz=3", lines[i]);
      g_autofree char *wrong = g_strdup_printf ("%s --set dictionary.atoms=few", lines[i]);

      g_autofree char *idle = g_strdup_printf ("%s --set dictionary.atoms=3", lines[i]);

      shell_expect_failure (shell, unknown, 2, "unknown key dictionary.atomz; did you mean atoms?");
      shell_expect_failure (shell, wrong, 2, "dictionary.atoms must be a whole number");
      shell_expect_failure (shell, idle, 2, "no parameter affects this command");
    }
  g_assert_false (shell_exists (shell, "tex"));
}

static void
test_help (Shell *shell, gconstpointer data)
{
  static const char *const commands[] = { "describe", "learn",  "code", "classify", "predict", "export",   "rank",
                                          "sparsify", "recipe", "runs", "textures", "doctor",  "features", "compare" };

  shell_expect_done (shell, "--version");
  g_assert_true (g_str_has_prefix (shell->output, "tosst "));
  shell_expect_done (shell, "--threads 1 -q --set=dictionary.atoms=5 recipe --json");
  g_assert_nonnull (strstr (shell->output, "\"dictionary.atoms\":\"5\""));
  shell_expect_done (shell, "help");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_assert_nonnull (strstr (shell->output, commands[i]));
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *line = g_strdup_printf ("%s --help", commands[i]),
                      *other = g_strdup_printf ("help %s", commands[i]);
      g_autofree char *first = NULL;

      shell_expect_done (shell, line);
      g_assert_nonnull (strstr (shell->output, "--threads"));
      first = g_strdup (shell->output);
      shell_expect_done (shell, other);
      g_assert_cmpstr (shell->output, ==, first);
    }
}

/* The help of classify and --explain reach every row of the table. */
static void
test_parameters (Shell *shell, gconstpointer data)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);
  g_autofree char *help = NULL;

  shell_expect_done (shell, "classify --help");
  help = g_strdup (shell->output);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.%s=", p[i].group, p[i].key);

      g_assert_nonnull (strstr (help, name));
    }
  shell_expect_done (shell, "recipe --explain lambda");
  g_assert_nonnull (strstr (shell->output, "dictionary.lambda"));
  g_assert_nonnull (strstr (shell->output, "coding.lambda"));
  g_assert_nonnull (strstr (shell->output, "advanced"));
  shell_expect_failure (shell, "recipe --explain dictionary.lamda", 2, "did you mean lambda?");
  shell_expect_done (shell, "recipe --explain lambda --json");
  g_assert_true (g_str_has_prefix (shell->output, "{\"dictionary.lambda\":{\"label\":"));
  g_assert_nonnull (strstr (shell->output, "\"coding.lambda\":{"));
  g_assert_true (strchr (shell->output, '\n') == shell->output + strlen (shell->output) - 1);
  g_assert_nonnull (strstr (shell->output, "\"basic\":true"));
  g_assert_nonnull (strstr (shell->output, "\"basic\":false")); /* that of coding */
  shell_expect_done (shell, "recipe --explain lambda -q");
  g_assert_cmpstr (shell->output, ==, "");
}

static void
test_recipe (Shell *shell, gconstpointer data)
{
  static const char wrong[] = "[dictionary]\natoms=20\natomz=7\n";
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  g_autoptr (TosstRecipe) printed = NULL;
  g_autoptr (GError) error = NULL;

  shell_expect_done (shell, "recipe --defaults");
  printed = tosst_recipe_parse (shell->output, "output", &error);
  g_assert_no_error (error);
  g_assert_true (tosst_recipe_equal (printed, defaults));
  shell_write (shell, "r.ini", shell->output, strlen (shell->output));
  shell_expect_done (shell, "recipe r.ini --set dictionary.gamma=inf --seed 9");
  g_assert_nonnull (strstr (shell->output, "gamma=inf"));
  g_assert_nonnull (strstr (shell->output, "seed=9"));
  shell_write (shell, "wrong.ini", wrong, strlen (wrong));
  shell_expect_failure (shell, "recipe wrong.ini", 1,
                        "wrong.ini, line 3: unknown key dictionary.atomz; did you mean atoms?");
  shell_expect_failure (shell, "recipe missing.ini", 1, "missing.ini");
  shell_expect_failure (shell, "recipe --set dictionary.lambda=-0.1", 2, "dictionary.lambda must be between 0 and");
  shell_expect_failure (shell, "recipe --set descriptor.kind=gist", 2, "one of linear, rbf");
  shell_expect_failure (shell, "recipe --set dataset.kind=brodatz", 1, "dataset.path");
  /* A parameter without influence is not printed. */
  shell_expect_done (shell, "recipe --set dataset.kind=samples --set coding.method=raw");
  g_assert_nonnull (strstr (shell->output, "\nmethod=raw\n"));
  g_assert_null (strstr (shell->output, "[dictionary]"));
  shell_expect_done (shell, "recipe --set dataset.kind=samples --set coding.method=raw --json");
  g_assert_null (strstr (shell->output, "dictionary.atoms"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/usage/wrong", Shell, NULL, shell_set_up, test_wrong_usage, shell_tear_down);
  g_test_add ("/usage/empty-names", Shell, NULL, shell_set_up, test_empty_names, shell_tear_down);
  g_test_add ("/usage/settings", Shell, NULL, shell_set_up, test_settings, shell_tear_down);
  g_test_add ("/usage/help", Shell, NULL, shell_set_up, test_help, shell_tear_down);
  g_test_add ("/usage/parameters", Shell, NULL, shell_set_up, test_parameters, shell_tear_down);
  g_test_add ("/usage/recipe", Shell, NULL, shell_set_up, test_recipe, shell_tear_down);
  return g_test_run ();
}
