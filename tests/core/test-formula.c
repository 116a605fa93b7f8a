/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Formulas: errors and their positions, words and text. */

#include "config.h"

#include <string.h>

#include "core/base/error.h"
#include "core/formula/formula.h"
#include "core/recipe/recipe.h"

static TosstFormula *
formula (const char *source)
{
  g_autoptr (GError) error = NULL;
  TosstFormula *self = tosst_formula_new (source, &error);

  g_assert_no_error (error);
  return self;
}

static void
test_errors (void)
{
  static const struct
  {
    const char *source, *says;
  } wrong[] = {
    { "\\frac{a}", "character 9: a group in braces is missing" },
    { "\\frac{a}{b", "character 11: a brace is not closed" },
    { "(a + b", "a bracket is not closed: (" },
    { "[a + b)", "a bracket is not closed: [" },
    { "a + b)", "character 6: a closing bracket without an opening one: )" },
    { "a_", "an argument is missing" },
    { "^2", "an argument is missing" },
    { "a_1_2", "two indices at the same place" },
    { "a'^2", "two indices at the same place" },
    { "α + \\alhpa", "an unknown command: \\alhpa" },
    { "\\text", "a group in braces is missing" },
    { "\\", "an unknown command" },
    { "\xff", "UTF-8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      TosstFormula *self = tosst_formula_new (wrong[i].source, &error);

      g_assert_null (self);
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
      if (strstr (error->message, wrong[i].says) == NULL)
        g_error ("%s: %s", wrong[i].source, error->message);
    }
}

static void
test_too_deep (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 200; i++)
    g_string_append_c (text, '(');
  g_assert_null (tosst_formula_new (text->str, &error));
  g_assert_nonnull (strstr (error->message, "nested too deeply"));
}

/* Any text is a formula or gives an error. */
static void
test_any_text (void)
{
  static const char *const pieces[]
      = { "\\frac", "{",   "}", "(", ")",      "^", "_",      "a",   "12",  "\\sum",  "\\\\",  "'",     "\\norm",
          "\\{",    "\\}", " ", "+", "\\sqrt", "α", "\\text", "\\,", "\\!", "\\quad", "\\hat", "\\bar", "\\inline" };

  for (int i = 0; i < 20000; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstFormula) self = NULL;

      for (int n = g_test_rand_int_range (1, 14); n > 0; n--)
        g_string_append (text, pieces[g_test_rand_int_range (0, G_N_ELEMENTS (pieces))]);
      self = tosst_formula_new (text->str, &error);
      g_assert_true ((self == NULL) == (error != NULL));
      if (self != NULL)
        {
          g_autofree char *words = tosst_formula_words (self), *line = tosst_formula_text (self);

          g_assert_true (g_utf8_validate (words, -1, NULL) && g_utf8_validate (line, -1, NULL));
        }
    }
}

static void
test_words (void)
{
  static const char *const words[][2] = {
    { "\\sum_k α_k B_k \\otimes b_k", "sum over k of α sub k B sub k outer product with b sub k" },
    { "\\frac{1}{N}", "1 over N" },
    { "\\norm{x}^2", "norm of x, end of norm squared" },
    { "\\sqrt{2}", "square root of 2" },
    { "\\sum_{k=1}^{K} α_k", "sum for k equals 1 up to K of α sub k" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autoptr (TosstFormula) self = formula (words[i][0]);
      g_autofree char *said = tosst_formula_words (self);

      g_assert_cmpstr (said, ==, words[i][1]);
    }
}

static void
test_text (void)
{
  static const char *const lines[][2] = {
    { "X \\approx \\sum_k α_k B_k \\otimes b_k", "X ≈ Σₖ αₖBₖ ⊗ bₖ" },
    { "\\frac{h}{\\norm{h}_2}", "h/‖h‖₂" },
    { "\\frac{1}{N} \\sum_n x_n", "1/NΣₙ xₙ" },
    { "\\abs{X}^{γ_c}", "|X|^(γ_c)" },
    { "(1 - 1/t)^ρ", "(1 − 1/t)^ρ" },
    { "α^\\T H α - 2q^\\T α", "αᵀHα − 2qᵀα" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (TosstFormula) self = formula (lines[i][0]);
      g_autofree char *text = tosst_formula_text (self);

      g_assert_cmpstr (text, ==, lines[i][1]);
    }
}

/* The contents of a popover: position in the method, effect of larger and smaller values, usual values, suggestions.
 * Locations of data have no formula. */
static void
test_parameters (void)
{
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      const TosstParameter *p = &parameters[i];
      gboolean place
          = strcmp (p->group, "dataset") == 0
            && (strcmp (p->key, "kind") == 0 || strcmp (p->key, "path") == 0 || strcmp (p->key, "exclude") == 0
                || strcmp (p->key, "additions") == 0 || strcmp (p->key, "hard") == 0);
      gboolean folder = strcmp (p->key, "path") == 0 || strcmp (p->key, "folder") == 0;

      g_test_message ("%s.%s", p->group, p->key);
      g_assert_nonnull (p->trial);
      g_assert_true (place || folder || p->formula != NULL);
      g_assert_true (folder || (p->more != NULL && p->less != NULL && p->typical != NULL));
      if (p->formula != NULL)
        tosst_formula_free (formula (p->formula));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/formula/errors", test_errors);
  g_test_add_func ("/formula/too-deep", test_too_deep);
  g_test_add_func ("/formula/any-text", test_any_text);
  g_test_add_func ("/formula/words", test_words);
  g_test_add_func ("/formula/text", test_text);
  g_test_add_func ("/formula/parameters", test_parameters);
  return g_test_run ();
}
