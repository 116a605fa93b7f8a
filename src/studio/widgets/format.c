/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/format.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/recipe/recipe.h"
#include "core/report/run.h"

char *
studio_format_isolated (char *text)
{
  if (gtk_widget_get_default_direction () != GTK_TEXT_DIR_RTL)
    return text;
  char *isolated = g_strconcat ("\342\201\246", text, "\342\201\251", NULL);
  g_free (text);
  return isolated;
}

static const char *
superscript (char digit)
{
  static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
  return digit == '-' ? "⁻" : g_ascii_isdigit (digit) ? digits[digit - '0'] : "";
}

/* With a minus sign, which is as wide as a plus, for the hyphen of printf; frees text. */
static char *
take_signed (char *text)
{
  char *signed_text = *text == '-' ? g_strconcat ("−", text + 1, NULL) : g_strdup (text);

  g_free (text);
  return signed_text;
}

static char *
format_power (double value, int digits)
{
  g_autofree char *text = take_signed (g_strdup_printf ("%.*e", MAX (digits - 1, 0), value));
  char *exponent = strchr (text, 'e');
  g_autoptr (GString) out = g_string_new (NULL);

  *exponent = 0;
  g_autofree char *number = g_strdup_printf ("%d", atoi (exponent + 1));
  g_string_append_printf (out, "%s×10", text);
  for (const char *c = number; *c != 0; c++)
    g_string_append (out, superscript (*c));
  return studio_format_isolated (g_string_free (g_steal_pointer (&out), FALSE));
}

char *
studio_format_real (double value, int digits)
{
  double size = fabs (value);

  if (isnan (value))
    return g_strdup ("–");
  if (isinf (value))
    return g_strdup (value > 0 ? "∞" : "−∞");
  if (size != 0 && (size < 1e-3 || size >= 1e7))
    return format_power (value, digits);
  if (size >= pow (10, digits - 1))
    return take_signed (g_strdup_printf ("%'.0f", value));
  return take_signed (g_strdup_printf ("%.*f", size > 0 ? MAX (0, digits - 1 - (int)floor (log10 (size))) : 0, value));
}

char *
studio_format_decimals (double value, int decimals)
{
  if (!isfinite (value))
    return studio_format_real (value, decimals);
  if (fabs (value) < 0.5 * pow (10, -decimals))
    value = 0; /* without a sign */
  return take_signed (g_strdup_printf ("%'.*f", decimals, value));
}

char *
studio_format_setting (double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value) || (value != 0 && fabs (value) < 1e-4) || fabs (value) >= 1e5)
    return studio_format_real (value, 2);
  g_ascii_formatd (number, sizeof number, fabs (value) < 100 ? "%.2g" : "%.0f", value);
  return studio_number_from_c (number);
}

char *
studio_format_count (guint64 value)
{
  return g_strdup_printf ("%'" G_GUINT64_FORMAT, value);
}

char *
studio_format_percent (double percent, int decimals)
{
  if (isnan (percent))
    return g_strdup ("–");
  return studio_format_isolated (g_strdup_printf (_ ("%.*f %%"), decimals, percent));
}

char *
studio_format_duration (double seconds)
{
  return tosst_report_duration (seconds < 9.95 ? MAX (seconds, 0) : ceil (seconds));
}

char *
studio_format_run_time (double own, double shared)
{
  g_autofree char *duration = isnan (own) ? NULL : studio_format_duration (own + shared);

  if (duration == NULL)
    return g_strdup ("–");
  return shared > 0 ? g_strdup_printf ("≈ %s", duration) : g_steal_pointer (&duration);
}

char *
studio_format_rough_duration (double seconds)
{
  double step = seconds < 20 ? 1 : seconds < 60 ? 5 : seconds < 600 ? 10 : 60;
  int s = (int)MIN (MAX (round (seconds / step) * step, 1), 1e9);

  if (s < 60)
    return g_strdup_printf (_ ("%d s"), s);
  if (s < 3600 && s % 60 == 0)
    return g_strdup_printf (_ ("%d min"), s / 60);
  return studio_format_duration (s);
}

static char *
replace (const char *text, const char *from, const char *to)
{
  g_auto (GStrv) parts = g_strsplit (text, from, -1);
  return g_strjoinv (to, parts);
}

char *
studio_number_to_c (const char *typed)
{
  const char *point = localeconv ()->decimal_point;
  g_autofree char *text = g_strstrip (g_strdup (typed));

  if (strcmp (text, "∞") == 0)
    return g_strdup ("inf");
  if (*point != 0 && strcmp (point, ".") != 0)
    return replace (text, point, ".");
  return g_steal_pointer (&text);
}

char *
studio_number_from_c (const char *text)
{
  const char *point = localeconv ()->decimal_point;

  if (strcmp (text, "inf") == 0)
    return g_strdup ("∞");
  return replace (text, ".", *point != 0 ? point : ".");
}

/* An exponent ends with its term, a subscript with its letters. */
static void
append_markup (GString *out, const char *symbol, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      const char *rest = symbol + i + 1;

      if (symbol[i] == '^')
        {
          gsize term = strcspn (rest, " ,)");

          g_string_append (out, "<sup>");
          append_markup (out, rest, term);
          g_string_append (out, "</sup>");
          i += term;
        }
      else if (symbol[i] == '_')
        {
          gsize letters = strspn (rest, "abcdefghijklmnopqrstuvwxyz");

          g_string_append_printf (out, "<sub>%.*s</sub>", (int)letters, rest);
          i += letters;
        }
      else
        g_string_append_c (out, symbol[i]);
    }
}

char *
studio_symbol_markup (const char *symbol)
{
  g_autofree char *escaped = g_markup_escape_text (symbol, -1);
  g_autoptr (GString) out = g_string_new (NULL);

  append_markup (out, escaped, strlen (escaped));
  return g_string_free (g_steal_pointer (&out), FALSE);
}

gboolean
studio_text_contains (const char *text, const char *part)
{
  g_autofree char *folded = g_utf8_casefold (text != NULL ? text : "", -1);

  return strstr (folded, part) != NULL;
}

static gboolean
name_parameter (const GMatchInfo *match, GString *text, gpointer data)
{
  g_autofree char *key = g_match_info_fetch (match, 0);
  const TosstParameter *parameter = tosst_parameter_find (key);

  if (parameter == NULL)
    g_string_append (text, key);
  else
    g_string_append_printf (text, _ ("“%s”"), _ (parameter->label));
  return FALSE;
}

/* The start of the sentence: after the name of a file or folder. An error in a line of a file keeps the keys of the
 * file. */
static const char *
sentence_of (const char *problem)
{
  const char *colon = strstr (problem, ": "), *line = strstr (problem, ", line ");

  if (*problem != G_DIR_SEPARATOR)
    return problem;
  return colon != NULL && (line == NULL || line > colon) ? colon + 2 : problem + strlen (problem);
}

char *
studio_format_problem (const char *problem)
{
  static GRegex *key;
  char first[7] = "";

  if (key == NULL)
    key = g_regex_new ("\\b[a-z]+\\.[A-Za-z][A-Za-z0-9-]*\\b", G_REGEX_OPTIMIZE, 0, NULL);
  g_autofree char *named
      = g_regex_replace_eval (key, problem, -1, sentence_of (problem) - problem, 0, name_parameter, NULL, NULL);
  if (named == NULL || g_utf8_validate (named, -1, NULL) == FALSE)
    return g_strdup (problem);
  if (*named == G_DIR_SEPARATOR)
    return g_steal_pointer (&named);
  g_unichar_to_utf8 (g_unichar_toupper (g_utf8_get_char (named)), first);
  return *named != '\0' ? g_strconcat (first, g_utf8_next_char (named), NULL) : g_strdup ("");
}
