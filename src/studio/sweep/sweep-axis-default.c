/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/sweep/sweep-axis-default.h"

#include <math.h>

static char *
number_text (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%.4g", value));
}

static char *
range_text (const char *word, double low, double high, int n)
{
  g_autofree char *from = number_text (low), *to = number_text (high);

  return g_strdup_printf ("%s:%s:%s:%d", word, from, to, n);
}

static char *
default_real (const TosstParameter *p, double value)
{
  if (p->logarithmic)
    {
      double middle = isfinite (value) && value > 0 ? value : 0.01;
      double low = MAX (middle / 10, p->minimum > 0 ? p->minimum : 1e-12), high = MIN (middle * 10, p->maximum);

      return range_text ("log", low, MAX (high, low * 2), 5);
    }
  if (!isfinite (value))
    value = isfinite (p->maximum) ? 0.5 * (p->minimum + p->maximum) : 1;
  return range_text ("lin", CLAMP (0.5 * value, p->minimum, p->maximum),
                     CLAMP (value != 0 ? 1.5 * value : 1, p->minimum, p->maximum), 3);
}

static char *
default_integer (const TosstParameter *p, double value)
{
  double middle = isfinite (value) && value >= 1 ? value : MAX (p->minimum, 1);
  g_autofree char *low = number_text (CLAMP (round (middle / 2), p->minimum, p->maximum));
  g_autofree char *same = number_text (middle), *high = number_text (CLAMP (2 * middle, p->minimum, p->maximum));

  return g_strdup_printf ("%s;%s;%s", low, same, high);
}

char *
studio_sweep_axis_default (const TosstParameter *parameter, const TosstRecipe *recipe)
{
  g_autofree char *value = tosst_recipe_get (recipe, parameter);
  double number = *value != 0 ? g_ascii_strtod (value, NULL) : NAN;

  switch (parameter->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      return g_strdup ("false;true");
    case TOSST_PARAMETER_SEED:
      return g_strdup ("1;2;3");
    case TOSST_PARAMETER_INTEGER:
      return default_integer (parameter, number);
    case TOSST_PARAMETER_REAL:
      return default_real (parameter, number);
    case TOSST_PARAMETER_CHOICE:
      return g_strjoinv (";", (char **)parameter->choices);
    case TOSST_PARAMETER_TEXT:
    default:
      return g_strdup (value);
    }
}
