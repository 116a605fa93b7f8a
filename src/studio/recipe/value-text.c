/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/value-text.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/widgets/format.h"

const char *
studio_unset_label (const TosstParameter *parameter)
{
  if (parameter->type == TOSST_PARAMETER_TEXT)
    return _ ("none");
  return strcmp (parameter->group, "coding") == 0 ? _ ("from dictionary") : _ ("auto");
}

char *
studio_value_text (const TosstParameter *parameter, const char *value)
{
  if (*value == 0)
    return g_strdup (studio_unset_label (parameter));
  if (parameter->type == TOSST_PARAMETER_CHOICE)
    return g_strdup (_ (tosst_choice_label (value)));
  if (parameter->type == TOSST_PARAMETER_BOOLEAN)
    return g_strdup (strcmp (value, "true") == 0 ? _ ("on") : _ ("off"));
  if (parameter->type == TOSST_PARAMETER_REAL)
    {
      double number = g_ascii_strtod (value, NULL);
      g_autofree char *text = studio_number_from_c (value);

      return strlen (value) <= 6 ? g_steal_pointer (&text) : studio_format_real (number, 3);
    }
  return g_strdup (value);
}

char *
studio_parameter_markup (const TosstParameter *parameter)
{
  g_autofree char *text = g_strjoin ("  ", _ (parameter->label), parameter->symbol, NULL);

  return studio_symbol_markup (text);
}

char *
studio_parameter_text (const TosstParameter *parameter)
{
  return g_strdup (parameter->symbol != NULL ? parameter->symbol : _ (parameter->label));
}
