/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Typeset formulas: errors and their positions, and a layout as in print. Geometry is read from the boxes, ink from the
 * glyphs. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/formula/private.h"
#include "core/recipe/recipe.h"

#define EM 40.0

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
          TosstFormulaExtent extent = { 0 };

          g_assert_true (g_utf8_validate (words, -1, NULL) && g_utf8_validate (line, -1, NULL));
          if (i % 8 == 0) /* letters take longer */
            tosst_formula_measure (self, EM, &extent);
          g_assert_true (isfinite (extent.width) && isfinite (extent.ascent) && isfinite (extent.descent));
        }
    }
}

/* A space has no ink, also by itself. */
static void
test_space_alone (void)
{
  static const char *const alone[]
      = { "\\,", "{\\,}", "\\,^\\,", "\\frac{\\,}{\\!}", "\\hat{\\,}", "(\\,)", "\\sum_\\,", "{}" };

  for (guint i = 0; i < G_N_ELEMENTS (alone); i++)
    {
      g_autoptr (TosstFormula) self = formula (alone[i]);
      TosstFormulaExtent extent;

      tosst_formula_measure (self, EM, &extent);
      g_assert_true (isfinite (extent.width) && extent.ascent >= 0 && extent.descent >= 0);
      if (i < 2)
        g_assert_cmpfloat_with_epsilon (extent.width, EM * 3 / 18, 1e-9);
    }
}

/* Ink. */

typedef struct
{
  double x0, y0, x1, y1, baseline, size;
  const char *text;
} Ink;

static void
collect (const TosstBox *box, double x, double y, GArray *inks)
{
  x += box->x;
  y += box->y;
  if (box->kind == TOSST_BOX_GLYPHS)
    {
      PangoRectangle ink;
      double s = PANGO_SCALE;
      Ink one;

      pango_layout_get_extents (box->layout, &ink, NULL);
      one = (Ink){ .x0 = x - box->left + ink.x / s,
                   .y0 = y - box->baseline + ink.y / s,
                   .baseline = y,
                   .text = pango_layout_get_text (box->layout) };
      one.x1 = one.x0 + ink.width / s;
      one.y1 = one.y0 + ink.height / s;
      one.size = pango_font_description_get_size (pango_layout_get_font_description (box->layout)) / s;
      if (ink.width > 0)
        g_array_append_val (inks, one);
    }
  else if (box->kind == TOSST_BOX_RULE || box->kind == TOSST_BOX_DELIMITER)
    {
      Ink one = { x, y - box->ascent, x + box->width, y + box->descent, y, 0, "" };
      g_array_append_val (inks, one);
    }
  for (guint i = 0; box->children != NULL && i < box->children->len; i++)
    collect (box->children->pdata[i], x, y, inks);
}

static GArray *
inks_of (TosstFormula *self)
{
  GArray *inks = g_array_new (FALSE, FALSE, sizeof (Ink));
  TosstFormulaExtent extent;

  tosst_formula_measure (self, EM, &extent);
  collect (self->box, 0, 0, inks);
  return inks;
}

static const Ink *
find (GArray *inks, const char *text)
{
  for (guint i = 0; i < inks->len; i++)
    if (strcmp (g_array_index (inks, Ink, i).text, text) == 0)
      return &g_array_index (inks, Ink, i);
  g_error ("no %s", text);
}

/* Letters do not touch each other and are not clipped at the edges. */
static void
check_ink (const char *source)
{
  g_autoptr (TosstFormula) self = formula (source);
  g_autoptr (GArray) inks = inks_of (self);
  TosstFormulaExtent extent;
  double slack = 0.045 * EM;

  tosst_formula_measure (self, EM, &extent);
  g_assert_cmpfloat (extent.width, >, 0);
  for (guint i = 0; i < inks->len; i++)
    {
      const Ink *a = &g_array_index (inks, Ink, i);

      if (a->x0 < -slack || a->x1 > extent.width + slack || a->y0 < -extent.ascent - 0.5
          || a->y1 > extent.descent + 0.5)
        g_error ("%s: “%s” is cut off: %g to %g of %g, %g to %g", source, a->text, a->x0, a->x1, extent.width, a->y0,
                 a->y1);
      for (guint j = 0; j < i; j++)
        {
          const Ink *b = &g_array_index (inks, Ink, j);
          double wide = MIN (a->x1, b->x1) - MAX (a->x0, b->x0), high = MIN (a->y1, b->y1) - MAX (a->y0, b->y0);

          if (wide > slack && high > slack)
            g_error ("%s: “%s” and “%s” overlap by %g x %g", source, a->text, b->text, wide, high);
        }
    }
}

static void
test_no_overlap (void)
{
  static const char *const sources[] = {
    "\\sum_s \\norm{X^s - \\sum_{k=1}^{K} B_k β_k^s}_F^2 + γ\\norm{β^s - b^s \\circ α}_2^2 + λ\\norm{α}_1",
    "\\cal{X} = \\frac{1}{N} \\sum_{n=1}^{N} x_n \\otimes x_n \\otimes x_n",
    "f_i^{j_k^{l}} + (\\frac{\\frac{a}{b}}{\\sqrt{c}})^2",
    "\\min_{α \\ge 0} α^\\T H α - 2 q^\\T α + λ\\norm{α}_1",
    "[a_{11}, a_{12}] = \\{y \\mid y \\ge 0\\}",
    "\\bar{x}_n = \\hat{y} + z^2 \\\\ \\prod_n (1 - u_n)",
    "(\\frac{\\sqrt{q} + 1}{\\sqrt{q} - 1})^2 \\succeq [a, b]",
    "E \\leftarrow \\sgn(E)\\abs{E}^{γ_e}",
    "x = [\\frac{x - x_0}{w - 1}, I, I_x, I_{yy}]^\\T",
    "\\TRank(\\cal{X}) \\le \\sum_{k \\in \\Supp(α)} \\rank(B_k)",
  };

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    check_ink (sources[i]);
}

static void
test_baselines (void)
{
  g_autoptr (TosstFormula) self = formula ("7 + 8 = \\text{of} 9");
  g_autoptr (GArray) inks = inks_of (self);

  for (guint i = 0; i < inks->len; i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (inks, Ink, i).baseline, 0, 1e-9);
}

static void
test_scripts (void)
{
  g_autoptr (TosstFormula) self = formula ("1_2^3 4_5 6^7");
  g_autoptr (GArray) inks = inks_of (self);
  double base = find (inks, "1")->size;

  g_assert_cmpfloat (find (inks, "2")->baseline, >, 0.1 * EM);
  g_assert_cmpfloat (find (inks, "3")->baseline, <, -0.3 * EM);
  g_assert_cmpfloat (find (inks, "2")->size, <, 0.8 * base);
  /* One above the other, beside the base; equal indices at equal heights. */
  g_assert_cmpfloat (find (inks, "3")->y1, <, find (inks, "2")->y0);
  g_assert_cmpfloat (find (inks, "2")->x0, >, find (inks, "1")->x1);
  g_assert_cmpfloat_with_epsilon (find (inks, "7")->baseline, find (inks, "3")->baseline, 0.06 * EM);
  /* An index of an index is smaller again, and remains legible. */
  {
    g_autoptr (TosstFormula) deep = formula ("1_{2_{3_4}}");
    g_autoptr (GArray) all = inks_of (deep);

    g_assert_cmpfloat (find (all, "3")->size, <, find (all, "2")->size);
    g_assert_cmpfloat (find (all, "4")->size, ==, find (all, "3")->size);
    g_assert_cmpfloat (find (all, "4")->size, >, 0.5 * base);
  }
}

static void
test_axis (void)
{
  g_autoptr (TosstFormula) self = formula ("− \\frac{1}{2} \\sum_{k}^{8} (\\frac{3}{4})");
  g_autoptr (GArray) inks = inks_of (self);
  double axis = -tosst_formula_axis (EM);
  const Ink *minus = find (inks, "−"), *sum = find (inks, "∑"), *rule = find (inks, "");

  g_assert_cmpfloat_with_epsilon ((minus->y0 + minus->y1) / 2, axis, 0.01 * EM);
  g_assert_cmpfloat_with_epsilon ((rule->y0 + rule->y1) / 2, axis, 0.01 * EM);
  g_assert_cmpfloat_with_epsilon ((sum->y0 + sum->y1) / 2, axis, 0.01 * EM);
  /* Limits are centred over and under, numerator and denominator over each other. */
  g_assert_cmpfloat_with_epsilon (find (inks, "8")->x0 + find (inks, "8")->x1, sum->x0 + sum->x1, 0.2 * EM);
  g_assert_cmpfloat (find (inks, "8")->y1, <, sum->y0);
  g_assert_cmpfloat_with_epsilon (find (inks, "1")->x0 + find (inks, "1")->x1,
                                  find (inks, "2")->x0 + find (inks, "2")->x1, 0.15 * EM);
}

static void
test_brackets_grow (void)
{
  g_autoptr (TosstFormula) small = formula ("(1)"), large = formula ("(\\frac{1}{\\frac{2}{3}})");
  g_autoptr (GArray) a = inks_of (small), b = inks_of (large);
  const Ink *high = find (b, ""), *three = find (b, "3"), *one = find (b, "1");

  g_assert_cmpfloat (find (a, "(")->y1 - find (a, "(")->y0, <, 1.3 * EM);
  g_assert_cmpfloat (high->y1 - high->y0, >, 1.5 * EM);
  g_assert_cmpfloat (high->y0, <, one->y0 + 0.2 * EM);
  g_assert_cmpfloat (high->y1, >, three->y1 - 0.2 * EM);
}

static void
test_spaces (void)
{
  g_autoptr (TosstFormula) binary = formula ("1 - 2"), unary = formula ("-2"), relation = formula ("1 = 2");
  g_autoptr (GArray) a = inks_of (binary), b = inks_of (unary), c = inks_of (relation);
  double between = find (a, "2")->x0 - find (a, "−")->x1, sign = find (b, "2")->x0 - find (b, "−")->x1;

  g_assert_cmpfloat (between, >, sign + 0.15 * EM);
  g_assert_cmpfloat (find (c, "2")->x0 - find (c, "1")->x1, >, find (a, "2")->x0 - find (a, "1")->x1);
}

/* In a line of text sums are lower than on a line of their own. */
static void
test_inline (void)
{
  g_autoptr (TosstFormula) own = formula ("\\sum_k^K a"), line = formula ("\\inline{\\sum_k^K a}");
  TosstFormulaExtent high, low;

  tosst_formula_measure (own, EM, &high);
  tosst_formula_measure (line, EM, &low);
  g_assert_cmpfloat (low.ascent + low.descent, <, 0.75 * (high.ascent + high.descent));
  g_assert_cmpfloat (low.width, >, high.width);
}

/* The size only scales. */
static void
test_sizes (void)
{
  g_autoptr (TosstFormula) self = formula ("\\sum_{k=1}^{K} \\frac{α_k}{\\sqrt{b}} (\\frac{1}{2})^{2}");
  TosstFormulaExtent one, two;

  tosst_formula_measure (self, 12, &one);
  tosst_formula_measure (self, 48, &two);
  g_assert_cmpfloat_with_epsilon (two.width / one.width, 4, 0.02);
  g_assert_cmpfloat_with_epsilon (two.ascent / one.ascent, 4, 0.02);
  g_assert_cmpfloat_with_epsilon (two.descent / one.descent, 4, 0.02);
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

/* Ink has the requested colour and is inside of the measured area. */
static void
test_draw (void)
{
  g_autoptr (TosstFormula) self = formula ("\\frac{\\sqrt{α}}{(\\frac{1}{2})} \\hat{x} \\norm{\\frac{a}{b}}");
  TosstFormulaExtent extent;
  cairo_surface_t *surface;
  cairo_t *cr;
  int width, height, inked = 0;

  tosst_formula_measure (self, EM, &extent);
  width = (int)ceil (extent.width) + 20;
  height = (int)ceil (extent.ascent + extent.descent) + 20;
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 1, 0, 0);
  tosst_formula_draw (self, cr, 10, 10 + extent.ascent, EM);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        guint32 pixel = *(guint32 *)(cairo_image_surface_get_data (surface)
                                     + (gsize)y * cairo_image_surface_get_stride (surface) + 4 * x);

        g_assert_cmpuint (pixel & 0xffff, ==, 0);
        if (pixel == 0)
          continue;
        inked++;
        g_assert_cmpint (x, >=, 8);
        g_assert_cmpint (x, <, width - 8);
        g_assert_cmpint (y, >=, 8);
        g_assert_cmpint (y, <, height - 8);
      }
  g_assert_cmpint (inked, >, width * height / 50);
  cairo_surface_destroy (surface);
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
        check_ink (p->formula);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/formula/errors", test_errors);
  g_test_add_func ("/formula/too-deep", test_too_deep);
  g_test_add_func ("/formula/any-text", test_any_text);
  g_test_add_func ("/formula/space-alone", test_space_alone);
  g_test_add_func ("/formula/no-overlap", test_no_overlap);
  g_test_add_func ("/formula/baselines", test_baselines);
  g_test_add_func ("/formula/scripts", test_scripts);
  g_test_add_func ("/formula/axis", test_axis);
  g_test_add_func ("/formula/brackets-grow", test_brackets_grow);
  g_test_add_func ("/formula/spaces", test_spaces);
  g_test_add_func ("/formula/inline", test_inline);
  g_test_add_func ("/formula/sizes", test_sizes);
  g_test_add_func ("/formula/words", test_words);
  g_test_add_func ("/formula/text", test_text);
  g_test_add_func ("/formula/draw", test_draw);
  g_test_add_func ("/formula/parameters", test_parameters);
  return g_test_run ();
}
