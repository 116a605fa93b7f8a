/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores as text: in the store, to be read again, and for users with the names of images and classes.
 */
#include "config.h"

#include "core/run/scores.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"

static void
append_margin (GString *csv, double margin)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (csv, ',');
  g_string_append (csv, g_ascii_dtostr (text, sizeof text, margin));
}

static int
label_of (const TosstScores *self, guint test, int class_index)
{
  return self->label[(gsize)class_index * self->samples + test];
}

static double
margin_of (const TosstScores *self, guint test, int class_index)
{
  return self->margin[(gsize)test * (gsize)self->classes + (gsize)class_index];
}

static GString *
heading (int classes)
{
  GString *line = g_string_new ("sample");

  for (int c = 0; c < classes; c++)
    g_string_append (line, ",margin");
  for (int c = 0; c < classes; c++)
    g_string_append (line, ",label");
  return g_string_append_c (line, '\n');
}

GBytes *
tosst_scores_to_csv (const TosstScores *self)
{
  GString *csv = heading (self->classes);

  for (guint i = 0; i < self->samples; i++)
    {
      g_string_append_printf (csv, "%u", self->sample[i]);
      for (int c = 0; c < self->classes; c++)
        append_margin (csv, margin_of (self, i, c));
      for (int c = 0; c < self->classes; c++)
        g_string_append_printf (csv, ",%d", label_of (self, i, c));
      g_string_append_c (csv, '\n');
    }
  return g_string_free_to_bytes (csv);
}

/* Whether a number was read, and is followed by the character end, which is skipped. */
static gboolean
ends_with (const char **at, const char *rest, char end)
{
  if (rest == *at || *rest != end)
    return FALSE;
  *at = rest + 1;
  return TRUE;
}

/* Samples ascend. */
static gboolean
take_sample (const char **at, guint i, guint *sample)
{
  char *rest;
  guint64 value = g_ascii_isdigit (**at) ? g_ascii_strtoull (*at, &rest, 10) : G_MAXUINT64;

  if (value > G_MAXINT || (i > 0 && value <= sample[i - 1]))
    return FALSE;
  sample[i] = (guint)value;
  return ends_with (at, rest, ',');
}

static gboolean
take_line (const char **at, TosstScores *into, guint i)
{
  char *rest;

  if (!take_sample (at, i, into->sample))
    return FALSE;
  for (int c = 0; c < into->classes; c++)
    {
      double *margin = &into->margin[(gsize)i * (gsize)into->classes + (gsize)c];

      *margin = g_ascii_strtod (*at, &rest);
      if (isnan (*margin) || !ends_with (at, rest, ','))
        return FALSE;
    }
  for (int c = 0; c < into->classes; c++)
    {
      gint64 label = g_ascii_strtoll (*at, &rest, 10);

      if (label < -1 || label > 1 || !ends_with (at, rest, c + 1 < into->classes ? ',' : '\n'))
        return FALSE;
      into->label[(gsize)c * into->samples + i] = (int)label;
    }
  return TRUE;
}

static guint
count_lines (const char *text)
{
  guint n = 0;

  for (const char *at = text; (at = strchr (at, '\n')) != NULL; at++)
    n++;
  return n;
}

/* A number takes at least two bytes, so that the allocation is bounded by the length of the text. */
TosstScores *
tosst_scores_from_csv (GBytes *csv, int classes)
{
  gsize size, numbers = 1 + 2 * (gsize)classes;
  const char *data = g_bytes_get_data (csv, &size), *at;
  g_autofree char *text = g_strndup (size > 0 ? data : "", size); /* zero-terminated */
  g_autoptr (GString) first = NULL;
  g_autoptr (TosstScores) self = NULL;
  guint lines = count_lines (text);

  if (classes <= 0 || numbers > size / 2)
    return NULL;
  first = heading (classes);
  if (!g_str_has_prefix (text, first->str) || size / 2 / numbers < lines - 1)
    return NULL;
  self = tosst_scores_new (lines - 1, classes);
  at = text + first->len;
  for (guint i = 0; i < self->samples; i++)
    if (!take_line (&at, self, i))
      return NULL;
  return *at == '\0' ? g_steal_pointer (&self) : NULL;
}

/* --- for users --- */

static void
append_names (GString *csv, const TosstRunResult *result, const char *suffix)
{
  for (int c = 0; c < result->classes; c++)
    {
      g_autofree char *name = g_strconcat (result->class_names[c], suffix, NULL);

      g_string_append_c (csv, ',');
      tosst_csv_append_field (csv, name);
    }
}

static gboolean
has_blocks (TosstDataset *dataset)
{
  return tosst_dataset_samples (dataset) > tosst_dataset_images (dataset);
}

static void
append_tests (GString *csv, const TosstScores *self, TosstDataset *dataset, int split)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < self->samples; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, self->sample[i]);

      tosst_csv_append_field (csv, tosst_dataset_image (dataset, (guint)sample->image)->name);
      if (has_blocks (dataset))
        g_string_append_printf (csv, ",%d,%d", sample->x, sample->y);
      for (int c = 0; c < self->classes; c++)
        g_string_append_printf (csv, ",%s", g_ascii_formatd (text, sizeof text, "%.9g", margin_of (self, i, c)));
      for (int c = 0; c < self->classes; c++)
        g_string_append_printf (csv, ",%d", label_of (self, i, c));
      g_string_append_printf (csv, ",%d\n", split + 1);
    }
}

char *
tosst_run_result_scores_csv (const TosstRunResult *result, TosstDataset *dataset)
{
  GString *csv = g_string_new (has_blocks (dataset) ? "image,x,y" : "image");

  append_names (csv, result, "");
  append_names (csv, result, " label");
  g_string_append (csv, ",split\n");
  for (int s = 0; s < result->splits; s++)
    {
      const TosstSplitResult *split = &result->split[s];
      const TosstScores *scores = split->scores != NULL ? split->scores : split->margins;

      if (scores != NULL)
        append_tests (csv, scores, dataset, split->split);
    }
  return g_string_free (csv, FALSE);
}

static gboolean
append_curve (GString *csv, const TosstScores *scores, int class_index, const char *name, int split, GError **error)
{
  gsize n;
  g_autofree TosstRecallPoint *curve = tosst_scores_curve (scores, class_index, &n, error);
  char recall[G_ASCII_DTOSTR_BUF_SIZE], precision[G_ASCII_DTOSTR_BUF_SIZE];

  if (curve == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      tosst_csv_append_field (csv, name);
      g_string_append_printf (csv, ",%s,%s,%d\n", g_ascii_dtostr (recall, sizeof recall, curve[i].recall),
                              g_ascii_dtostr (precision, sizeof precision, curve[i].precision), split + 1);
    }
  return TRUE;
}

char *
tosst_run_result_curves_csv (const TosstRunResult *result, GError **error)
{
  g_autoptr (GString) csv = g_string_new ("class,recall,precision,split\n");

  for (int s = 0; s < result->splits; s++)
    for (int c = 0; result->split[s].scores != NULL && c < result->classes; c++)
      if (!append_curve (csv, result->split[s].scores, c, result->class_names[c], result->split[s].split, error))
        return NULL;
  return g_string_free (g_steal_pointer (&csv), FALSE);
}
