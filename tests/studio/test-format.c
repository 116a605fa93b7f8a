/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers, symbols and sentences as windows show them.
 */
#include "config.h"

#include "studio/widgets/format.h"
#include "studio/widgets/save-dialog.h"

static void
assert_real (double value, int digits, const char *expected)
{
  g_autofree char *text = studio_format_real (value, digits);

  g_assert_cmpstr (text, ==, expected);
}

static void
assert_rough (double seconds, const char *expected)
{
  g_autofree char *text = studio_format_rough_duration (seconds);

  g_assert_cmpstr (text, ==, expected);
}

static void
assert_run_time (double own, double shared, const char *expected)
{
  g_autofree char *text = studio_format_run_time (own, shared);

  g_assert_cmpstr (text, ==, expected);
}

static void
assert_decimals (double value, const char *expected)
{
  g_autofree char *text = studio_format_decimals (value, 2);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_numbers (void)
{
  assert_decimals (1, "1.00");
  assert_decimals (1.057, "1.06");
  assert_decimals (-0.041, "−0.04");
  assert_decimals (-0.004, "0.00");
  assert_decimals (-12.25, "−12.25");
  assert_decimals (0.0 / 0.0, "–");
  assert_run_time (0.04, 0, "0.0 s");
  assert_run_time (0.04, 76.2, "≈ 1 min 17 s");
  assert_run_time (0.0 / 0.0, 0, "–");
  assert_rough (0.2, "1 s");
  assert_rough (8.04, "8 s");
  assert_rough (47, "45 s");
  assert_rough (59, "1 min");
  assert_rough (131, "2 min 10 s");
  assert_rough (733, "12 min");
  assert_rough (7290, "2 h 2 min");
  assert_real (0, 3, "0");
  assert_real (22.468, 3, "22.5");
  assert_real (163.65, 5, "163.65");
  assert_real (3.24e-7, 2, "3.2×10⁻⁷");
  assert_real (1.5e12, 2, "1.5×10¹²");
  assert_real (-0.0123, 2, "−0.012");
  assert_real (-163.65, 3, "−164");
  assert_real (-3.24e-7, 2, "−3.2×10⁻⁷");
  assert_real (1.0 / 0.0, 2, "∞");
  assert_real (0.0 / 0.0, 2, "–");
}

static void
test_symbols (void)
{
  g_autofree char *power = studio_symbol_markup ("|X|^γ_c < 1"), *derivative = studio_symbol_markup ("I_yy, Iₓ");

  g_assert_cmpstr (power, ==, "|X|<sup>γ<sub>c</sub></sup> &lt; 1");
  g_assert_cmpstr (derivative, ==, "I<sub>yy</sub>, Iₓ");
}

static void
assert_problem (const char *problem, const char *expected)
{
  g_autofree char *text = studio_format_problem (problem);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_problems (void)
{
  assert_problem ("", "");
  assert_problem ("this run needs too much: lower dictionary.atoms, or raise descriptor.step",
                  "This run needs too much: lower “Atoms”, or raise “Patch step”");
  assert_problem ("dataset.train-per-class is too large", "“Training samples” is too large");
  assert_problem ("no.such key, 1.5 and e.g. a name.png", "No.such key, 1.5 and e.g. a name.png");
  assert_problem ("/tmp/a.tosst, line 5: dictionary.atoms is wrong", "/tmp/a.tosst, line 5: dictionary.atoms is wrong");
  assert_problem ("/tmp/dictionary.atoms: class “a” has 9 images, but dataset.train-per-class is 9",
                  "/tmp/dictionary.atoms: class “a” has 9 images, but “Training samples” is 9");
  assert_problem ("/tmp/dictionary.atoms does not exist", "/tmp/dictionary.atoms does not exist");
  assert_problem ("\xff dictionary.atoms", "\xff dictionary.atoms");
}

static void
assert_saved (const char *chosen, const char *name, const char *expected)
{
  g_autoptr (GFile) file = g_file_new_for_path (chosen), saved = studio_save_file (file, name);

  g_assert_cmpstr (g_file_peek_path (saved), ==, expected);
}

/* A recipe without suffix could not be opened again. */
static void
test_suffix (void)
{
  assert_saved ("/a.b/mine", "recipe.tosst", "/a.b/mine.tosst");
  assert_saved ("/a/rate-0.5", "recipe.tosst", "/a/rate-0.5.tosst");
  assert_saved ("/a/.hidden", "recipe.tosst", "/a/.hidden.tosst");
  assert_saved ("/a/mine.recipe", "recipe.tosst", "/a/mine.recipe");
  assert_saved ("/a/report.pdf", "report.html", "/a/report.pdf");
}

/* Another format changes the suffix of the name, and no other part of it. */
static void
test_save_name (void)
{
  static const char *const cases[][3] = {
    { "chart.svg", "pdf", "chart.pdf" },   { "chart.SVG", "csv", "chart.csv" },
    { "rate-0.5", "png", "rate-0.5.png" }, { "chart.svg.png", "pdf", "chart.svg.pdf" },
    { "chart", "svg", "chart.svg" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = studio_save_name (cases[i][0], "svg pdf png csv", cases[i][1]);
      g_assert_cmpstr (name, ==, cases[i][2]);
    }
  g_assert_cmpstr (studio_save_format_label ("svg"), ==, "SVG Picture");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/numbers", test_numbers);
  g_test_add_func ("/format/symbols", test_symbols);
  g_test_add_func ("/format/problems", test_problems);
  g_test_add_func ("/format/suffix", test_suffix);
  g_test_add_func ("/format/save-name", test_save_name);
  return g_test_run ();
}
