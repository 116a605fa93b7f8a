/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>

#include "cli/run-words.h"

char *
cli_accuracy_text (double accuracy, double deviation)
{
  if (isnan (accuracy))
    return g_strdup ("");
  return isnan (deviation) ? g_strdup_printf ("%.2f", accuracy) : g_strdup_printf ("%.2f ± %.2f", accuracy, deviation);
}

void
cli_set_number (JsonObject *object, const char *name, double value)
{
  if (isfinite (value))
    json_object_set_double_member (object, name, value);
  else
    json_object_set_null_member (object, name);
}
