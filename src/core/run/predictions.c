/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/run/predictions.h"

#include <stdlib.h>
#include <string.h>

#include "core/run/scores.h"

#define HEADING "sample,true,predicted,near_predicted,near_true\n"
#define EARLIER_HEADING "sample,true,predicted\n"

/* Sample numbers with spaces between them, such as ",7 12 3". */
static void
append_nearest (GString *csv, const int nearest[TOSST_NEAREST])
{
  g_string_append_c (csv, ',');
  for (int k = 0; k < TOSST_NEAREST && nearest[k] >= 0; k++)
    g_string_append_printf (csv, k > 0 ? " %d" : "%d", nearest[k]);
}

GBytes *
tosst_predictions_to_csv (const GArray *predictions)
{
  GString *csv = g_string_new (HEADING);

  for (guint i = 0; i < predictions->len; i++)
    {
      const TosstPrediction *one = &g_array_index (predictions, TosstPrediction, i);

      g_string_append_printf (csv, "%u,%d,%d", one->sample, one->truth, one->predicted);
      append_nearest (csv, one->nearest[0]);
      append_nearest (csv, one->nearest[1]);
      g_string_append_c (csv, '\n');
    }
  return g_string_free_to_bytes (csv);
}

/* Parses a non-negative number of at most 31 bits. */
static gboolean
take_number (const char **at, guint *number)
{
  char *rest;
  guint64 value;

  if (!g_ascii_isdigit (**at))
    return FALSE;
  value = g_ascii_strtoull (*at, &rest, 10);
  *number = (guint)value;
  *at = rest;
  return value <= G_MAXINT;
}

static gboolean
take_char (const char **at, char c)
{
  return **at == c && *(*at)++ == c;
}

static gboolean
take_nearest (const char **at, int nearest[TOSST_NEAREST])
{
  gboolean ok = take_char (at, ',');
  guint number;

  for (int k = 0; ok && k < TOSST_NEAREST && g_ascii_isdigit (**at); k++)
    {
      ok = take_number (at, &number);
      nearest[k] = (int)number;
      take_char (at, ' ');
    }
  return ok;
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
  gboolean near = g_str_has_prefix (text, HEADING);

  if (!near && !g_str_has_prefix (text, EARLIER_HEADING))
    return NULL;
  at = text + strlen (near ? HEADING : EARLIER_HEADING);
  while (*at != '\0')
    {
      TosstPrediction one;

      memset (one.nearest, 0xff, sizeof one.nearest); /* -1 */
      if (!take_number (&at, &one.sample) || !take_char (&at, ',') || !take_number (&at, &truth)
          || !take_char (&at, ',') || !take_number (&at, &predicted) || truth >= n || predicted >= n
          || (near && (!take_nearest (&at, one.nearest[0]) || !take_nearest (&at, one.nearest[1])))
          || !take_char (&at, '\n') || left[(gsize)truth * n + predicted]-- == 0)
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
