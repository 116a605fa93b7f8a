/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/recipe/recipe.h"

static void
expect_refused (const char *name, const char *value, const char *fragment)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new (), defaults = tosst_recipe_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (tosst_recipe_set (recipe, name, value, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);
  if (!strstr (error->message, fragment))
    g_error ("“%s” does not say “%s”", error->message, fragment);
  g_assert_true (tosst_recipe_equal (recipe, defaults));
}

/* Every row has the fields used by the window and the help, and its default is in its range. */
static void
test_table (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.%s", p[i].group, p[i].key);
      g_autofree char *value = tosst_recipe_get (recipe, &p[i]);
      g_autoptr (GError) error = NULL;

      g_assert_true (tosst_parameter_find (name) == &p[i]);
      g_assert_nonnull (p[i].label);
      g_assert_true (g_str_has_suffix (p[i].help, "."));
      g_assert_true ((p[i].type == TOSST_PARAMETER_CHOICE) == (p[i].choices != NULL));
      if (p[i].type == TOSST_PARAMETER_INTEGER || p[i].type == TOSST_PARAMETER_REAL)
        g_assert_cmpfloat (p[i].minimum, <, p[i].maximum);
      g_assert_true (tosst_recipe_is_default (recipe, &p[i]));
      g_assert_true (tosst_recipe_set (recipe, name, value, &error));
      g_assert_no_error (error);
      g_assert_true (tosst_recipe_is_default (recipe, &p[i]));
    }
}

static void
test_values (void)
{
  expect_refused ("dictionary.lambda", "-1", "dictionary.lambda must be between 0 and");
  expect_refused ("dictionary.lambda", "nan", "must be a number");
  expect_refused ("dictionary.lambda", "inf", "must be between");
  expect_refused ("dictionary.lambda", "1e-3x", "must be a number");
  expect_refused ("dictionary.lambda", "", "needs a value");
  expect_refused ("dictionary.gamma", "0", "or inf");
  expect_refused ("dictionary.atoms", "2.5", "whole number");
  expect_refused ("dictionary.atoms", "99999999999999999999", "must be between");
  expect_refused ("dictionary.seed", "-1", "whole number");
  expect_refused ("descriptor.patch", "1", "between 2 and 4096");
  expect_refused ("descriptor.gamma-eigen", "0", "between 0.01 and 1");
  expect_refused ("descriptor.gamma-coefficient", "1.5", "between 0.01 and 1");
  expect_refused ("descriptor.kind", "gist", "one of linear, rbf, covariance, autocorrelation,");
  expect_refused ("coding.method", "dense", "one of sparse, span, log-euclidean, raw,");
  expect_refused ("dataset.kind", "voc2012", "one of samples, brodatz, folders");
  expect_refused ("descriptor.radii", "12;;16", "whole numbers from 4 to 4096");
  expect_refused ("descriptor.radii", "2;3;4;5;6;7;8;9;10", "has 9 numbers; 8 at most");
  expect_refused ("descriptor.strides", "0", "whole numbers from 1 to 4096");
  expect_refused ("descriptor.features", "lineal", "one of linear, rbf");
  expect_refused ("pooling.kind", "median", "one of average, max, maxexp, gamma, axmin, exapro, at-n");
  expect_refused ("descriptor.luminance", "perhaps", "true or false");
  expect_refused ("dictionary.atomz", "3", "unknown key dictionary.atomz; did you mean atoms?");
  expect_refused ("dictionry.atoms", "3", "did you mean dictionary.atoms?");
  expect_refused ("atoms", "3", "group.key");
}

static void
set (TosstRecipe *recipe, const char *name, const char *value)
{
  g_autoptr (GError) error = NULL;

  tosst_recipe_set (recipe, name, value, &error);
  g_assert_no_error (error);
}

/* Values survive the conversion to text and back exactly. */
static void
test_round_trip (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstRecipe) again = NULL;
  g_autoptr (TosstRecipe) few = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *changes = NULL;

  set (recipe, "dataset.kind", "folders");
  set (recipe, "dataset.path", "/tmp/it's a folder; with = and # and ü");
  set (recipe, "dictionary.lambda", "0.1234567890123456");
  set (recipe, "dictionary.gamma", "inf");
  set (recipe, "dictionary.seed", "18446744073709551615");
  set (recipe, "coding.lambda", "1e-4");
  set (recipe, "pooling.normalise", "none");
  text = tosst_recipe_to_text (recipe, FALSE);
  again = tosst_recipe_parse (text, "text", &error);
  g_assert_no_error (error);
  g_assert_true (tosst_recipe_equal (recipe, again));
  g_assert_cmpfloat (again->dictionary.lambda, ==, 0.1234567890123456);
  g_assert_true (isinf (again->dictionary.gamma));
  g_assert_cmpuint (again->dictionary.seed, ==, G_MAXUINT64);
  g_assert_false (again->pooling.l2);
  changes = tosst_recipe_to_text (recipe, TRUE);
  g_assert_null (strstr (changes, "atoms"));
  few = tosst_recipe_parse (changes, "changes", &error);
  g_assert_no_error (error);
  g_assert_true (tosst_recipe_equal (recipe, few));
}

/* The command line that tosst_recipe_command() prints rebuilds the recipe. */
static void
test_command (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new (), again = tosst_recipe_new ();
  g_autofree char *command = NULL;
  g_auto (GStrv) words = NULL;
  int n;

  set (recipe, "dataset.kind", "brodatz");
  set (recipe, "dataset.path", "/tmp/it's $HOME");
  set (recipe, "classifier.c", "7.5");
  command = tosst_recipe_command (recipe);
  g_assert_true (g_shell_parse_argv (command, &n, &words, NULL));
  g_assert_cmpstr (words[1], ==, "classify");
  for (int i = 2; i < n; i += 2)
    {
      char *equals = strchr (words[i + 1], '=');

      g_assert_cmpstr (words[i], ==, "--set");
      *equals = '\0';
      set (again, words[i + 1], equals + 1);
    }
  g_assert_true (tosst_recipe_equal (recipe, again));
}

static void
expect_text_refused (const char *text, const char *fragment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstRecipe) recipe = tosst_recipe_parse (text, "recipe.ini", &error);

  g_assert_null (recipe);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);
  if (!strstr (error->message, fragment))
    g_error ("“%s” does not say “%s”", error->message, fragment);
}

static void
test_lines (void)
{
  expect_text_refused ("# one\n\n[dictionary]\natoms=30\n\natomz=7\n",
                       "recipe.ini, line 6: unknown key dictionary.atomz; did you mean atoms?");
  expect_text_refused ("[dictionry]\natoms=3\n",
                       "recipe.ini, line 1: unknown group [dictionry]; did you mean [dictionary]?");
  expect_text_refused ("[sweep]\n", "line 1: [sweep] is for tosst sweep");
  expect_text_refused ("[dictionary]\natoms=3\natoms=4\n", "line 3: dictionary.atoms is given twice");
  expect_text_refused ("atoms=3\n", "line 1: a value precedes");
  expect_text_refused ("[dictionary]\natoms\n", "line 2: expected key=value");
  expect_text_refused ("[dictionary\natoms=1\n", "line 1: a group is written [name]");
  expect_text_refused ("[dictionary]\r\nlambda=-1\r\n", "line 2: dictionary.lambda must be between");
  expect_text_refused ("[dataset]\npath=\xff\n", "not valid UTF-8");
}

static gboolean
checks (const TosstRecipe *recipe)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = tosst_recipe_check (recipe, &error);

  g_assert_true (ok == (error == NULL));
  return ok;
}

static void
test_combinations (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  g_assert_true (checks (recipe));
  set (recipe, "dataset.kind", "brodatz");
  g_assert_false (checks (recipe)); /* no path */
  set (recipe, "dataset.path", "/tmp");
  g_assert_true (checks (recipe));
  g_assert_cmpint (tosst_recipe_block (recipe), ==, 160);
  set (recipe, "descriptor.patch", "161");
  g_assert_false (checks (recipe));
  set (recipe, "dataset.block", "0");
  g_assert_true (checks (recipe));
  set (recipe, "dictionary.sample", "5"); /* fewer slices than atoms */
  g_assert_false (checks (recipe));
  set (recipe, "dictionary.sample", "200");
  set (recipe, "dictionary.rank", "36");
  g_assert_true (checks (recipe));
  set (recipe, "dictionary.scheme", "low-rank");
  g_assert_false (checks (recipe)); /* d = 35 */
  set (recipe, "dictionary.rank", "35");
  g_assert_true (checks (recipe));
  set (recipe, "dictionary.solver", "gradient");
  g_assert_true (checks (recipe));
  set (recipe, "dictionary.gamma", "inf");
  g_assert_false (checks (recipe)); /* no steps in beta */
  set (recipe, "dictionary.solver", "pqn");
  g_assert_true (checks (recipe));
  set (recipe, "pooling.parameter", "2.5");
  g_assert_true (checks (recipe)); /* not read by average */
  set (recipe, "pooling.kind", "maxexp");
  g_assert_true (checks (recipe));
  set (recipe, "pooling.kind", "at-n");
  g_assert_false (checks (recipe));
  set (recipe, "pooling.kind", "gamma");
  g_assert_false (checks (recipe));
  set (recipe, "pooling.parameter", "");
  g_assert_true (checks (recipe));
}

/* Second-order descriptors, and coding without a dictionary. */
static void
test_second_order (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  TosstFeatureOptions features;

  g_assert_cmpint (tosst_recipe_code_length (recipe), ==, 200);
  set (recipe, "coding.method", "log-euclidean");
  g_assert_false (checks (recipe)); /* third order */
  set (recipe, "descriptor.kind", "covariance");
  g_assert_true (checks (recipe));
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 7);
  g_assert_true (tosst_shape_equal (tosst_recipe_shape (recipe), tosst_shape (TOSST_SHAPE_SYMMETRIC, 7)));
  g_assert_cmpint (tosst_recipe_code_length (recipe), ==, 28);
  set (recipe, "descriptor.features", "rbf");
  tosst_recipe_feature_options (recipe, &features);
  g_assert_cmpint (features.kind, ==, TOSST_FEATURES_RBF);
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 35);
  set (recipe, "descriptor.gamma-eigen", "0.5");
  g_assert_true (checks (recipe));
  set (recipe, "pooling.kind", "maxexp");
  g_assert_false (checks (recipe));
  set (recipe, "pooling.kind", "max");
  set (recipe, "descriptor.gamma-coefficient", "0.5");
  g_assert_false (checks (recipe)); /* not positive semi-definite */
  set (recipe, "coding.method", "raw");
  g_assert_true (checks (recipe));
  set (recipe, "dictionary.scheme", "full");
  set (recipe, "dictionary.sample", "3");
  g_assert_true (checks (recipe)); /* of a dictionary that is not learned */
  set (recipe, "coding.method", "sparse");
  set (recipe, "dictionary.sample", "300");
  g_assert_false (checks (recipe)); /* whole atoms of matrices */
  set (recipe, "dictionary.scheme", "psd");
  g_assert_true (checks (recipe));
  set (recipe, "coding.method", "raw");
  set (recipe, "descriptor.kind", "linear");
  set (recipe, "dictionary.scheme", "full");
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 7);
  g_assert_cmpint (tosst_recipe_code_length (recipe), ==, 84);
}

static void
test_engine_options (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  TosstFeatureOptions mine, theirs;
  TosstLearnOptions learn;
  TosstCodingOptions coding;

  tosst_recipe_feature_options (recipe, &mine);
  tosst_feature_options_default (&theirs);
  g_assert_cmpfloat (mine.sigma_first, ==, theirs.sigma_first);
  g_assert_cmpfloat (mine.sigma_second, ==, theirs.sigma_second);
  g_assert_cmpfloat (mine.range_second, ==, theirs.range_second);
  g_assert_cmpfloat_with_epsilon (mine.range_opponent, theirs.range_opponent, 1e-15);
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 35);
  set (recipe, "descriptor.opponent", "true");
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 45);
  set (recipe, "descriptor.kind", "linear");
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 9);
  set (recipe, "dictionary.lambda", "0.25");
  set (recipe, "dictionary.gamma", "inf");
  set (recipe, "coding.gamma", "3");
  tosst_recipe_learn_options (recipe, &learn);
  tosst_recipe_coding_options (recipe, &coding);
  g_assert_cmpint (learn.rank, ==, 4);
  g_assert_cmpfloat (coding.problem.lambda, ==, 0.25);
  g_assert_cmpfloat (coding.problem.gamma, ==, 3);
  set (recipe, "coding.gamma", "");
  tosst_recipe_coding_options (recipe, &coding);
  g_assert_true (isinf (coding.problem.gamma));
  g_assert_cmpint (learn.solver, ==, TOSST_SOLVER_EXACT);
  g_assert_cmpfloat (learn.eta, ==, 0);
  set (recipe, "dictionary.solver", "gradient");
  set (recipe, "dictionary.eta", "0.125");
  set (recipe, "coding.signed-alpha", "true");
  tosst_recipe_learn_options (recipe, &learn);
  g_assert_cmpint (learn.solver, ==, TOSST_SOLVER_GRADIENT);
  g_assert_cmpfloat (learn.eta, ==, 0.125);
  g_assert_true (learn.problem.signed_alpha);
}

static char *
value_of (const TosstRecipe *recipe, const char *name)
{
  return tosst_recipe_get (recipe, tosst_parameter_find (name));
}

static void
expect_value (const TosstRecipe *recipe, const char *name, const char *expected)
{
  g_autofree char *value = value_of (recipe, name);

  g_assert_cmpstr (value, ==, expected);
}

/* Values that have their default follow the kind of descriptor; others are kept, also through files. */
static void
test_local_defaults (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstRecipe) again = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  set (recipe, "dictionary.lambda", "0.5");
  set (recipe, "descriptor.kind", "sift");
  expect_value (recipe, "descriptor.gamma-eigen", "0.3");
  expect_value (recipe, "dictionary.lambda", "0.5");
  expect_value (recipe, "pooling.power", "0.5");
  set (recipe, "coding.method", "span");
  expect_value (recipe, "pooling.power", "1");
  expect_value (recipe, "pooling.normalise", "none");
  expect_value (recipe, "dictionary.scheme", "free");
  expect_value (recipe, "dictionary.signed-b", "true");
  expect_value (recipe, "coding.signed-alpha", "true");
  set (recipe, "coding.method", "raw");
  expect_value (recipe, "dictionary.scheme", "psd");
  expect_value (recipe, "pooling.power", "1");
  g_assert_true (tosst_recipe_is_default (recipe, tosst_parameter_find ("pooling.power")));
  expect_value (recipe, "descriptor.pca", "90");
  set (recipe, "coding.method", "fisher");
  expect_value (recipe, "pooling.power", "0.5");
  expect_value (recipe, "descriptor.pca", "64");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.spatial")));
  g_assert_null (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("coding.gaussians")));
  g_assert_cmpint (tosst_recipe_code_length (recipe), ==, 2 * 64 * 64);
  set (recipe, "coding.method", "raw");
  expect_value (recipe, "descriptor.pca", "90");
  set (recipe, "descriptor.gamma-eigen", "1"); /* the default of the other kinds */
  text = tosst_recipe_to_text (recipe, TRUE);
  g_assert_nonnull (strstr (text, "gamma-eigen=1\n"));
  g_assert_null (strstr (text, "power="));
  again = tosst_recipe_parse (text, "again", &error);
  g_assert_no_error (error);
  g_assert_true (tosst_recipe_equal (recipe, again));
  set (recipe, "descriptor.kind", "rbf");
  expect_value (recipe, "pooling.power", "0.4");
  expect_value (recipe, "descriptor.gamma-eigen", "1");

  /* Written by a version whose groups came in another order. */
  tosst_recipe_free (again);
  again = tosst_recipe_parse ("[pooling]\npower=0.4\n[descriptor]\ngamma-eigen=1\nkind=sift\n", "order", &error);
  g_assert_no_error (error);
  expect_value (again, "descriptor.gamma-eigen", "1");
  expect_value (again, "pooling.power", "0.4");
  expect_value (again, "dictionary.lambda", "0.0001");
}

static void
expect_check_refused (TosstRecipe *recipe, const char *name, const char *value, const char *part)
{
  g_autoptr (TosstRecipe) changed = tosst_recipe_copy (recipe);
  g_autoptr (GError) error = NULL;

  set (changed, name, value);
  g_assert_false (tosst_recipe_check (changed, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);
  if (!strstr (error->message, part))
    g_error ("%s=%s: %s", name, value, error->message);
}

static void
test_local (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GError) error = NULL;
  const TosstRegion *regions;
  TosstSiftOptions sift;

  g_assert_false (tosst_recipe_is_local (recipe));
  set (recipe, "descriptor.kind", "sift");
  g_assert_true (tosst_recipe_is_local (recipe));
  g_assert_true (tosst_recipe_check (recipe, &error));
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 101);
  g_assert_cmpint (tosst_recipe_shape (recipe).kind, ==, TOSST_SHAPE_SUPER_SYMMETRIC);
  g_assert_true (tosst_recipe_sift_options (recipe, &sift, NULL));
  g_assert_cmpint (sift.scales, ==, 4);
  g_assert_cmpint (sift.radius[3], ==, 32);
  g_assert_cmpint (sift.stride[1], ==, 6);
  g_assert_cmpuint (tosst_recipe_regions (recipe, NULL), ==, 1);
  set (recipe, "descriptor.regions", "5");
  g_assert_cmpuint (tosst_recipe_regions (recipe, &regions), ==, 6);
  g_assert_cmpfloat (regions[5].left, ==, 0.2);
  set (recipe, "descriptor.order", "2");
  g_assert_cmpint (tosst_recipe_shape (recipe).kind, ==, TOSST_SHAPE_SYMMETRIC);
  expect_check_refused (recipe, "dataset.block", "40", "dataset.block must be 0");
  expect_check_refused (recipe, "descriptor.radii", "12;16", "radii has 2 numbers and descriptor.strides 4");
  expect_check_refused (recipe, "descriptor.radii", "12;16;24;33", "must be even, not 33");
  expect_check_refused (recipe, "descriptor.pca", "129", "more than the 128 numbers");
  set (recipe, "descriptor.kind", "features");
  expect_check_refused (recipe, "descriptor.pca", "90", "descriptor.folder must name");
  set (recipe, "descriptor.features", "/somewhere/else");
  expect_value (recipe, "descriptor.folder", "/somewhere/else");
  expect_value (recipe, "descriptor.features", "linear");
  g_assert_true (tosst_recipe_check (recipe, &error));
  expect_check_refused (recipe, "descriptor.pca", "0", "descriptor.length must be");
  set (recipe, "descriptor.length", "512");
  set (recipe, "descriptor.order", "3");
  expect_check_refused (recipe, "descriptor.pca", "0", "tensors of side 523 would be too large");
  set (recipe, "descriptor.length", "40");
  set (recipe, "descriptor.pca", "0");
  set (recipe, "descriptor.spatial", "none");
  g_assert_true (tosst_recipe_check (recipe, &error));
  g_assert_cmpint (tosst_recipe_dimension (recipe), ==, 40);
}

/* Fisher vectors need local features and no tensors. */
static void
test_fisher (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GError) error = NULL;

  set (recipe, "descriptor.kind", "sift");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("coding.gaussians")));
  set (recipe, "coding.method", "fisher");
  g_assert_true (tosst_recipe_check (recipe, &error));
  g_assert_false (tosst_recipe_has_tensors (recipe));
  expect_check_refused (recipe, "coding.gaussian-sample", "63", "fewer features than coding.gaussians");
  expect_check_refused (recipe, "descriptor.kind", "linear", "fisher needs local features");
}

/* The seed of the splits draws features, too. */
static void
test_seed_of_features (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  const TosstParameter *seed = tosst_parameter_find ("dataset.seed");

  set (recipe, "dataset.kind", "labels");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, seed));
  set (recipe, "descriptor.kind", "sift");
  g_assert_null (tosst_recipe_why_inactive (recipe, seed));
  set (recipe, "descriptor.pca", "0");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, seed));
  set (recipe, "dataset.kind", "samples");
  set (recipe, "dataset.protocol", "fixed");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, seed));
  set (recipe, "descriptor.pca", "9");
  g_assert_null (tosst_recipe_why_inactive (recipe, seed));
}

static void
test_inactive (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dataset.path")));
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dictionary.rank")));
  g_assert_null (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.pivots")));
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dictionary.eta")));
  set (recipe, "descriptor.kind", "linear");
  set (recipe, "dictionary.scheme", "low-rank");
  set (recipe, "dictionary.solver", "gradient");
  g_assert_null (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dictionary.eta")));
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.pivots")));
  g_assert_null (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dictionary.rank")));
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("pooling.parameter")));
  g_assert_null (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("classifier.c")));
  set (recipe, "classifier.choose-c", "true");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("classifier.c")));
  set (recipe, "pooling.kind", "exapro");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("pooling.parameter")));
  set (recipe, "pooling.kind", "at-n");
  g_assert_null (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("pooling.parameter")));
}

static gboolean
is_active (const TosstRecipe *recipe, const char *name)
{
  return tosst_recipe_why_inactive (recipe, tosst_parameter_find (name)) == NULL;
}

static void
test_inactive_second_order (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  g_assert_false (is_active (recipe, "descriptor.features"));
  set (recipe, "descriptor.kind", "autocorrelation");
  g_assert_true (is_active (recipe, "descriptor.features"));
  g_assert_false (is_active (recipe, "descriptor.pivots"));
  set (recipe, "descriptor.features", "rbf");
  g_assert_true (is_active (recipe, "descriptor.pivots"));
  g_assert_true (is_active (recipe, "dictionary.atoms"));
  set (recipe, "coding.method", "raw");
  g_assert_false (is_active (recipe, "dictionary.atoms"));
  g_assert_false (is_active (recipe, "coding.lambda"));
  g_assert_true (is_active (recipe, "coding.method"));
  g_assert_true (is_active (recipe, "pooling.power"));
}

static void
test_files (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstRecipe) again = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "r.ini", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);

  g_assert_null (tosst_recipe_load (file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_clear_error (&error);
  set (recipe, "dictionary.atoms", "17");
  text = tosst_recipe_to_text (recipe, FALSE);
  g_assert_true (g_file_set_contents (path, text, -1, &error));
  again = tosst_recipe_load (file, &error);
  g_assert_no_error (error);
  g_assert_true (tosst_recipe_equal (recipe, again));
  g_assert_true (g_file_set_contents (path, "\0\1\2", 3, NULL));
  g_assert_null (tosst_recipe_load (file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);
  g_file_delete (file, NULL, NULL);
  g_rmdir (folder);
}

/* The finest scale is one of dense-scales only, and reaches the engine. */
static void
test_finest (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  const TosstParameter *p = tosst_parameter_find ("descriptor.finest");
  TosstFrameOptions options;

  set (recipe, "descriptor.kind", "sift");
  set (recipe, "descriptor.frames", "keypoints");
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, p));
  set (recipe, "descriptor.frames", "dense-scales");
  g_assert_null (tosst_recipe_why_inactive (recipe, p));
  set (recipe, "descriptor.finest", "0.5");
  tosst_recipe_frame_options (recipe, &options);
  g_assert_cmpfloat (options.finest, ==, 0.5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recipe/table", test_table);
  g_test_add_func ("/recipe/values", test_values);
  g_test_add_func ("/recipe/round-trip", test_round_trip);
  g_test_add_func ("/recipe/command", test_command);
  g_test_add_func ("/recipe/lines", test_lines);
  g_test_add_func ("/recipe/combinations", test_combinations);
  g_test_add_func ("/recipe/engine-options", test_engine_options);
  g_test_add_func ("/recipe/inactive", test_inactive);
  g_test_add_func ("/recipe/seed-of-features", test_seed_of_features);
  g_test_add_func ("/recipe/local", test_local);
  g_test_add_func ("/recipe/local-defaults", test_local_defaults);
  g_test_add_func ("/recipe/fisher", test_fisher);
  g_test_add_func ("/recipe/second-order", test_second_order);
  g_test_add_func ("/recipe/inactive-second-order", test_inactive_second_order);
  g_test_add_func ("/recipe/files", test_files);
  g_test_add_func ("/recipe/finest", test_finest);
  return g_test_run ();
}
