/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/run/predictions.h"

#include <stdlib.h>
#include <string.h>

#include "core/run/scores.h"

#define HEADING "sample,true,predicted\n"

GBytes *
tosst_predictions_to_csv (const GArray *predictions)
{
  GString *csv = g_string_new (HEADING);

  for (guint i = 0; i < predictions->len; i++)
    {
      const TosstPrediction *one = &g_array_index (predictions, TosstPrediction, i);

      g_string_append_printf (csv, "%u,%d,%d\n", one->sample, one->truth, one->predicted);
    }
  return g_string_free_to_bytes (csv);
}

/* Parses a non-negative number of at most 31 bits, followed by the character end. */
static gboolean
take_number (const char **at, char end, guint *number)
{
  char *rest;
  guint64 value;

  if (!g_ascii_isdigit (**at))
    return FALSE;
  value = g_ascii_strtoull (*at, &rest, 10);
  if (*rest != end || value > G_MAXINT)
    return FALSE;
  *number = (guint)value;
  *at = rest + 1;
  return TRUE;
}

GArray *
tosst_predictions_from_csv (GBytes *csv, const int *confusion, int classes)
{
  gsize size;
  const char *data = g_bytes_get_data (csv, &size);
  g_autofree char *text = g_strndup (size > 0 ? data : "", size); /* zero-terminated */
  g_autofree int *left = g_memdup2 (confusion, sizeof *left * (gsize)classes * (gsize)classes);
  g_autoptr (GArray) predictions = g_array_new (FALSE, FALSE, sizeof (TosstPrediction));
  const char *at;
  guint n = (guint)classes, truth, predicted;

  if (!g_str_has_prefix (text, HEADING))
    return NULL;
  at = text + strlen (HEADING);
  while (*at != '\0')
    {
      TosstPrediction one;

      if (!take_number (&at, ',', &one.sample) || !take_number (&at, ',', &truth)
          || !take_number (&at, '\n', &predicted) || truth >= n || predicted >= n
          || left[(gsize)truth * n + predicted]-- == 0)
        return NULL;
      one.truth = (int)truth;
      one.predicted = (int)predicted;
      g_array_append_val (predictions, one);
    }
  for (gsize i = 0; i < (gsize)n * n; i++)
    if (left[i] != 0)
      return NULL;
  return g_steal_pointer (&predictions);
}

void
tosst_run_split_clear (gpointer data)
{
  TosstSplitResult *self = data;

  g_clear_pointer (&self->confusion, g_free);
  g_clear_pointer (&self->predictions, g_array_unref);
  g_clear_pointer (&self->parts, g_array_unref);
  g_clear_pointer (&self->scores, tosst_scores_unref);
  g_clear_pointer (&self->margins, tosst_scores_unref);
  g_clear_pointer (&self->dictionary, tosst_dictionary_free);
}
