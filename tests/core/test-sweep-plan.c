/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the text of a sweep to its runs.
 */
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "tosst/pool.h"

#define BASE                                                                                                           \
  "[dataset]\nkind=samples\nsplits=2\n[descriptor]\npatch=40\nstep=100\npivots=2\n[dictionary]\nsample=60\natoms=8\n"

static TosstSweepPlan *
plan (const char *lines)
{
  g_autofree char *text = g_strdup_printf (BASE "[sweep]\n%s", lines);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (text, "s.recipe", &error);
  TosstSweepPlan *plan;

  g_assert_no_error (error);
  plan = tosst_sweep_plan_new (sweep, &error);
  g_assert_no_error (error);
  return plan;
}

/* The values of a parameter, run by run: "20;40". */
static char *
values (const TosstSweepPlan *plan, const char *name)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < plan->runs->len; i++)
    {
      g_autofree char *value = tosst_recipe_get (tosst_sweep_plan_run (plan, i)->recipe, tosst_parameter_find (name));

      g_string_append_printf (text, "%s%s", i ? ";" : "", value);
    }
  return g_string_free (text, FALSE);
}

static void
check_values (const char *line, const char *name, const char *expected)
{
  g_autoptr (TosstSweepPlan) runs = plan (line);
  g_autofree char *found = values (runs, name);

  g_assert_cmpstr (found, ==, expected);
}

static void
test_axes (void)
{
  check_values ("dictionary.atoms=8; 20 ;30;", "dictionary.atoms", "8;20;30");
  check_values ("dictionary.atoms=8;20;8", "dictionary.atoms", "8;20");
  check_values ("dictionary.lambda=log:1e-4:1e-1:4", "dictionary.lambda", "0.0001;0.001;0.01;0.1");
  check_values ("dictionary.lambda=log:1:1e-2:3", "dictionary.lambda", "1;0.1;0.01");
  check_values ("dictionary.atoms=lin:5:30:6", "dictionary.atoms", "5;10;15;20;25;30");
  check_values ("dictionary.atoms=log:2:16:4", "dictionary.atoms", "2;4;8;16");
  check_values ("dictionary.atoms=lin:5:7:9", "dictionary.atoms", "5;6;7"); /* whole numbers, each once */
  check_values ("pooling.power=lin:0.1:0.3:3", "pooling.power", "0.1;0.2;0.3");
  check_values ("dictionary.gamma=1;inf", "dictionary.gamma", "1;inf");
  check_values ("coding.lambda=;0.1", "coding.lambda", ";0.1");
  check_values ("descriptor.luminance=true;false", "descriptor.luminance", "true;false");
  check_values ("dataset.exclude=bricks\\;x;mud", "dataset.exclude", "bricks;x;mud");
}

/* The maximum number of values is checked for duplicates fast; more are refused. */
static void
test_many_values (void)
{
  g_autoptr (TosstSweepAxis) axis = NULL, both = NULL, more = NULL;
  g_autoptr (GString) list = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  axis = tosst_sweep_axis_new ("dictionary.seed", "lin:1:200000:100000", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (axis->values), ==, 100000);
  for (int i = 0; i < TOSST_SWEEP_MAX_RUNS; i++)
    g_string_append_printf (list, "%d;", i / 2);
  both = tosst_sweep_axis_new ("dictionary.seed", list->str, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (both->values), ==, TOSST_SWEEP_MAX_RUNS / 2);
  g_assert_cmpstr (both->values[TOSST_SWEEP_MAX_RUNS / 2 - 1], ==, "49999");
  g_string_append (list, "7;");
  more = tosst_sweep_axis_new ("dictionary.seed", list->str, &error);
  g_assert_null (more);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);
  g_assert_nonnull (strstr (error->message, "dictionary.seed has more than 100000 values"));
}

/* Values have the form that a recipe gives them, and values between the ends of a range that of printf(). */
static void
test_forms (void)
{
  static const struct
  {
    const char *name, *values;
  } lists[] = {
    { "dictionary.lambda",
      "0;1;100;999999;1000000;1234567;123456.7;0.1;0.10;00.1;.5;5.;0.0001;0.00001;0.00012345678901;"
      "1e-3;0.30000000000000004;12345.678901234567890;+2; 7 ;0.0;1.5000001" },
    { "dictionary.sample", "1;007;100000;1000000; 12" },
    { "dictionary.seed", "0;7;007;18446744073709551615;999999999999999;1000000000000000" },
    { "dataset.within", "1;0" },
    { "classifier.choose-c", "1;0" },
    { "coding.lambda", ";0.5" },
  };
  static const struct
  {
    const char *kind, *low, *high;
  } ranges[] = { { "log", "0.00001", "2000000" }, { "lin", "0.000999", "0.001001" }, { "lin", "999999", "1000001" } };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) texts = g_strsplit (lists[i].values, ";", -1);
      const TosstParameter *p = tosst_parameter_find (lists[i].name);

      for (char **text = texts; p != NULL && *text != NULL; text++)
        {
          g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
          g_autoptr (TosstSweepAxis) axis = tosst_sweep_axis_new (lists[i].name, *text, &error);
          g_autofree char *wanted = NULL;

          if (tosst_recipe_set (recipe, lists[i].name, *text, NULL))
            wanted = tosst_recipe_get (recipe, p);
          g_assert_cmpstr (axis != NULL ? axis->values[0] : NULL, ==, wanted);
          g_clear_error (&error);
        }
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      g_autofree char *text = g_strdup_printf ("%s:%s:%s:60000", ranges[i].kind, ranges[i].low, ranges[i].high);
      g_autoptr (TosstSweepAxis) axis = tosst_sweep_axis_new ("classifier.c", text, NULL);
      double low = g_ascii_strtod (ranges[i].low, NULL), high = g_ascii_strtod (ranges[i].high, NULL);
      const char *before = axis->values[0];
      guint n = 0;

      for (int k = 1; k < 59999; k++)
        {
          double part = k / 59999.0;
          char wanted[G_ASCII_DTOSTR_BUF_SIZE];

          g_ascii_formatd (wanted, sizeof wanted, "%.6g",
                           g_str_equal (ranges[i].kind, "log") ? low * pow (high / low, part)
                                                               : low + (high - low) * part);
          if (strcmp (before, wanted) != 0)
            before = axis->values[++n];
          g_assert_cmpstr (before, ==, wanted);
        }
    }
}

static void
test_grid (void)
{
  g_autoptr (TosstSweepPlan) grid = plan ("dictionary.atoms=8;20\nclassifier.c=1;10;100\n");
  g_autofree char *atoms = values (grid, "dictionary.atoms"), *c = values (grid, "classifier.c");

  g_assert_cmpuint (grid->points, ==, 6);
  g_assert_cmpstr (atoms, ==, "8;8;8;20;20;20");
  g_assert_cmpstr (c, ==, "1;10;100;1;10;100");
  g_assert_cmpuint (grid->varying->len, ==, 2);
  g_assert_cmpstr (tosst_sweep_plan_run (grid, 4)->title, ==, "dictionary.atoms=20 classifier.c=10");
  g_assert_null (tosst_sweep_plan_run (grid, 4)->problem);
}

/* A rank affects only low-rank atoms. */
static void
test_joined (void)
{
  g_autoptr (TosstSweepPlan) grid = plan ("dictionary.scheme=psd;low-rank\ndictionary.rank=2;3;4\n");
  g_autoptr (TosstSweepPlan) same = plan ("classifier.choose-c=true\nclassifier.c=1;10\n");

  g_assert_cmpuint (grid->points, ==, 6);
  g_assert_cmpuint (grid->runs->len, ==, 4);
  g_assert_cmpstr (tosst_sweep_plan_run (grid, 0)->title, ==, "dictionary.scheme=psd");
  g_assert_cmpuint (same->runs->len, ==, 1);
  g_assert_cmpuint (same->varying->len, ==, 0);
  g_assert_cmpstr (same->idle, ==, "classifier.c has no influence in this sweep: Chosen by cross-validation");
  g_assert_null (grid->idle);
}

/* Invalid runs are listed with the reason. */
static void
test_problems (void)
{
  g_autoptr (TosstSweepPlan) grid = plan ("dictionary.atoms=8;1000\ndataset.train-per-class=4;100000\n");

  g_assert_cmpuint (grid->runs->len, ==, 4);
  g_assert_null (tosst_sweep_plan_run (grid, 0)->problem);
  g_assert_nonnull (strstr (tosst_sweep_plan_run (grid, 1)->problem, "train-per-class"));
  g_assert_null (tosst_sweep_plan_run (grid, 1)->dataset);
  g_assert_nonnull (strstr (tosst_sweep_plan_run (grid, 2)->problem, "dictionary.sample is 60"));
  g_assert_cmpstr (tosst_sweep_plan_run (grid, 2)->hash, !=, tosst_sweep_plan_run (grid, 3)->hash);
}

static void
test_random (void)
{
  static const char lines[] = "method=random\nseed=3\ndictionary.lambda=log:1e-4:1e-1\ndictionary.atoms=lin:5:50\n"
                              "pooling.kind=average;max\nclassifier.c=log:1:1000:4\n";
  g_autofree char *few = g_strdup_printf ("runs=5\n%s", lines), *many = g_strdup_printf ("runs=40\n%s", lines);
  g_autoptr (TosstSweepPlan) a = plan (few), b = plan (many);
  double low = 0;
  guint max = 0;

  g_assert_cmpuint (a->runs->len, ==, 5);
  g_assert_cmpuint (b->runs->len, ==, 40);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpstr (tosst_sweep_plan_run (a, i)->hash, ==, tosst_sweep_plan_run (b, i)->hash);
  for (guint i = 0; i < 40; i++)
    {
      const TosstRecipe *recipe = tosst_sweep_plan_run (b, i)->recipe;

      g_assert_cmpfloat (recipe->dictionary.lambda, >=, 1e-4);
      g_assert_cmpfloat (recipe->dictionary.lambda, <=, 1e-1);
      g_assert_cmpint (recipe->dictionary.atoms, >=, 5);
      g_assert_cmpint (recipe->dictionary.atoms, <=, 50);
      low += recipe->dictionary.lambda < 1e-2;
      max += recipe->pooling.kind == TOSST_POOL_MAX;
      g_assert_cmpfloat (fmod (log10 (recipe->classifier.c), 1), ==, 0);
    }
  /* Uniform in the logarithm: two of three decades; binomial bounds of 5 sigma. */
  g_assert_cmpfloat (fabs (low / 40 - 2 / 3.0), <, 5 * sqrt (2 / 9.0 / 40));
  g_assert_cmpfloat (fabs (max / 40.0 - 0.5), <, 5 * sqrt (0.25 / 40));
}

/* More runs than combinations. */
static void
test_random_exhausted (void)
{
  g_autoptr (TosstSweepPlan) all = plan ("method=random\nruns=100\ndictionary.atoms=8;20\nclassifier.c=1;10\n");

  g_assert_cmpuint (all->runs->len, ==, 4);
}

/* The text of a sweep gives the same one, and so does a copy. */
static void
test_text (void)
{
  static const char text[] = BASE "[sweep]\nmethod=random\nruns=7\nseed=9\ndictionary.atoms=8;20\n"
                                  "dataset.exclude=a\\;b;c\ndictionary.lambda=log:1e-3:1\n";
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (text, "s", NULL), copy = tosst_sweep_copy (sweep);
  g_autofree char *once = tosst_sweep_to_text (sweep), *copied = tosst_sweep_to_text (copy), *twice = NULL;
  g_autoptr (TosstSweep) again = tosst_sweep_parse (once, "s", NULL);

  twice = tosst_sweep_to_text (again);
  g_assert_cmpstr (once, ==, twice);
  g_assert_cmpstr (once, ==, copied);
  g_assert_cmpuint (again->axes->len, ==, 3);
  g_assert_true (tosst_sweep_set (sweep, "dictionary.atoms", "30", NULL));
  g_assert_cmpuint (sweep->axes->len, ==, 2);
  g_assert_cmpint (sweep->base->dictionary.atoms, ==, 30);
  g_assert_true (tosst_sweep_set_axis (sweep, "dictionary.lambda", "1;2", NULL));
  g_assert_cmpuint (sweep->axes->len, ==, 2);
}

static const struct
{
  const char *lines, *message;
} wrong[] = {
  { "dictionary.atoms=8;x", "s.recipe, line 12: dictionary.atoms must be a whole number, not “x”" },
  { "dictionary.atom=8", "line 12: unknown key dictionary.atom; did you mean" },
  { "atoms=8", "line 12: unknown key atoms" },
  { "dictionary.atoms=8\ndictionary.atoms=9", "line 13: sweep.dictionary.atoms is given twice" },
  { "dictionary.atoms=", "line 12: dictionary.atoms needs a value" },
  { "dictionary.atoms=8;;9", "line 12: dictionary.atoms needs a value" },
  { "dictionary.atoms=8,9", "line 12: dictionary.atoms: values must be separated by ;, as in 8;9" },
  { "dictionary.scheme=psd;free, full", "dictionary.scheme: values must be separated by ;, as in free; full" },
  { "dictionary.atoms=8,x", "line 12: dictionary.atoms must be a whole number, not “8,x”" },
  { "dictionary.atoms=lin:5:30", "a grid needs a number of values" },
  { "dictionary.atoms=lin:5", "line 12: dictionary.atoms: a range is written lin:FROM:TO:N" },
  { "dictionary.atoms=lin:5:30:1", "the number of values must be a whole number from 2" },
  { "dictionary.atoms=lin:5:30:x", "the number of values must be a whole number from 2" },
  { "dictionary.atoms=lin:0:30:3", "dictionary.atoms must be between" },
  { "dictionary.lambda=log:0:1:3", "both ends of log: must be above 0" },
  { "dictionary.gamma=log:1:inf:3", "a range needs finite ends" },
  { "coding.lambda=lin::1:3", "a range needs finite ends" },
  { "pooling.kind=log:1:2:3", "pooling.kind is not a number" },
  { "dictionary.lambda=log:1:0.1", "needs FROM below TO" },
  { "method=best", "line 12: sweep.method must be grid or random, not “best”" },
  { "runs=0", "sweep.runs must be a whole number from 1" },
  { "seed=-1", "sweep.seed must be a whole number" },
  { "dictionary.atoms=lin:1:1000:1000\ndictionary.seed=lin:1:1000:1000", "more than 100000 combinations" },
  { "dictionary.atoms=1000;2000", "none of the 2 runs is possible; the first: dictionary.sample is 60" },
};

static void
test_wrong (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autofree char *text = g_strdup_printf (BASE "[sweep]\n%s", wrong[i].lines);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (text, "s.recipe", &error);
  g_autoptr (TosstSweepPlan) none = sweep ? tosst_sweep_plan_new (sweep, &error) : NULL;

  g_assert_null (none);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, wrong[i].message));
}

/* A recipe with [sweep] is refused where a single run is expected. */
static void
test_recipe_refuses (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tosst_recipe_parse (BASE "[sweep]\ndictionary.atoms=8;9\n", "s", &error));
  g_assert_nonnull (strstr (error->message, "line 11: [sweep] is for tosst sweep"));
}

/* A single run is that of a sweep without axes. */
static void
test_one_run (void)
{
  g_autoptr (TosstSweepPlan) all = plan (""), one = NULL;
  const TosstSweepRun *run = tosst_sweep_plan_run (all, 0);

  one = tosst_sweep_plan_new_run (run->recipe, run->dataset);
  g_assert_cmpuint (one->runs->len, ==, 1);
  g_assert_cmpuint (one->points, ==, 1);
  g_assert_cmpstr (tosst_sweep_plan_run (one, 0)->hash, ==, run->hash);
  g_assert_cmpstr (tosst_sweep_plan_run (one, 0)->title, ==, "");
  g_assert_null (tosst_sweep_plan_run (one, 0)->problem);
  g_assert_cmpstr (one->text, ==, all->text);
}

/* Parameters joined by + have the same value in each run, and the text of the sweep reads back. */
static void
test_tied (void)
{
  g_autoptr (TosstSweepPlan) grid = plan ("dictionary.lambda+coding.lambda=0.001;0.01\npooling.power=0.4;1\n"),
                             again = NULL;
  g_autoptr (TosstSweep) sweep = NULL, misspelt = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (grid->runs->len, ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      const TosstRecipe *recipe = tosst_sweep_plan_run (grid, i)->recipe;

      g_assert_cmpfloat (recipe->dictionary.lambda, ==, i < 2 ? 0.001 : 0.01);
      g_assert_cmpfloat (recipe->coding.lambda, ==, recipe->dictionary.lambda);
    }
  sweep = tosst_sweep_parse (grid->text, "text", &error);
  g_assert_no_error (error);
  again = tosst_sweep_plan_new (sweep, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (again->text, ==, grid->text);
  g_assert_cmpfloat (tosst_sweep_plan_run (again, 3)->recipe->coding.lambda, ==, 0.01);
  misspelt = tosst_sweep_parse ("[sweep]\ndictionary.lambda+coding.lamda=1;2\n", "text", &error);
  g_assert_null (misspelt);
  g_assert_nonnull (strstr (error->message, "unknown key coding.lamda"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sweep-plan/axes", test_axes);
  g_test_add_func ("/sweep-plan/many-values", test_many_values);
  g_test_add_func ("/sweep-plan/forms", test_forms);
  g_test_add_func ("/sweep-plan/grid", test_grid);
  g_test_add_func ("/sweep-plan/joined", test_joined);
  g_test_add_func ("/sweep-plan/problems", test_problems);
  g_test_add_func ("/sweep-plan/random", test_random);
  g_test_add_func ("/sweep-plan/random-exhausted", test_random_exhausted);
  g_test_add_func ("/sweep-plan/one-run", test_one_run);
  g_test_add_func ("/sweep-plan/text", test_text);
  g_test_add_func ("/sweep-plan/recipe-refuses", test_recipe_refuses);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *name = g_strdup_printf ("/sweep-plan/wrong/%zu", i);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_wrong);
    }
  g_test_add_func ("/sweep-plan/tied", test_tied);
  return g_test_run ();
}
