/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The chart without a picture: a sentence for those who listen, a table for those who compute. */

#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "chart-private.h"
#include "table.h"

/* "12 points, from 310 down to 120" */
static char *
describe_series (const TosstSeries *series)
{
  guint drawable = 0, n = series->points->len;
  double first = NAN, last = NAN;
  g_autofree char *count = g_strdup_printf (ngettext ("%u point", "%u points", n), n);
  g_autofree char *from = NULL, *to = NULL, *course = NULL, *missing = NULL;

  for (guint i = 0; i < n; i++)
    {
      double y = g_array_index (series->points, TosstPoint, i).y;
      if (!isfinite (y))
        continue;
      first = drawable++ == 0 ? y : first;
      last = y;
    }
  if (n == 0)
    return g_strdup (_ ("no points"));
  from = tosst_number_label (first, 4);
  to = tosst_number_label (last, 4);
  if (drawable == 0)
    course = g_strdup (_ ("none of them a number"));
  else if (strcmp (from, to) == 0)
    course = g_strdup_printf (drawable == 1 ? _ ("at %s") : _ ("ending where they began, at %s"), to);
  else
    course = g_strdup_printf (last < first ? _ ("from %s down to %s") : _ ("from %s up to %s"), from, to);
  if (drawable > 0 && drawable < n)
    missing = g_strdup_printf (ngettext ("; %u is not a number", "; %u are not numbers", n - drawable), n - drawable);
  return g_strconcat (count, ", ", course, missing, NULL);
}

char *
tosst_chart_describe (TosstChart *self)
{
  const char *subject = *self->title ? self->title : *self->y_label ? self->y_label : _ ("Chart");
  GString *parts = g_string_new (NULL);
  g_autofree char *text = NULL;
  guint visible = 0;

  tosst_chart_sort (self);
  for (guint i = 0; i < self->series->len; i++)
    visible += ((TosstSeries *)g_ptr_array_index (self->series, i))->visible;
  for (guint i = 0; i < self->series->len; i++)
    {
      const TosstSeries *series = g_ptr_array_index (self->series, i);
      g_autofree char *words = NULL;
      if (!series->visible)
        continue;
      words = describe_series (series);
      if (parts->len > 0)
        g_string_append (parts, "; ");
      if (visible > 1 && *series->name)
        g_string_append_printf (parts, "%s: ", series->name);
      g_string_append (parts, words);
    }
  if (parts->len == 0)
    g_string_append (parts, _ ("no points"));
  text = g_string_free (parts, FALSE);
  if (!*self->x_label)
    return g_strdup_printf ("%s: %s", subject, text);
  /* Translators: what is drawn, over which quantity, in words: "Objective over iterations: 12 points, from 310 down to
   * 120" */
  return g_strdup_printf (_ ("%s over %s: %s"), subject, self->x_label, text);
}

static void
append_value (GString *csv, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (csv, g_ascii_dtostr (buffer, sizeof buffer, value));
}

static void
append_header (GString *csv, TosstChart *self)
{
  tosst_csv_append_field (csv, *self->x_label ? self->x_label : "x");
  for (guint i = 0; i < self->series->len; i++)
    {
      const TosstSeries *series = g_ptr_array_index (self->series, i);
      g_autofree char *deviation = g_strconcat (series->name, " deviation", NULL);
      g_string_append_c (csv, ',');
      tosst_csv_append_field (csv, series->name);
      if (!series->has_errors)
        continue;
      g_string_append_c (csv, ',');
      tosst_csv_append_field (csv, deviation);
    }
  g_string_append_c (csv, '\n');
}

/* The smallest x that is not written yet. FALSE: all are. */
static gboolean
next_x (TosstChart *self, const guint *at, double *x)
{
  gboolean found = FALSE;

  for (guint i = 0; i < self->series->len; i++)
    {
      const TosstSeries *series = g_ptr_array_index (self->series, i);
      double candidate;
      if (at[i] >= series->points->len)
        continue;
      candidate = g_array_index (series->points, TosstPoint, at[i]).x;
      if (!found || candidate < *x || (isnan (*x) && !isnan (candidate)))
        *x = candidate;
      found = TRUE;
    }
  return found;
}

char *
tosst_chart_to_csv (TosstChart *self)
{
  GString *csv = g_string_new (NULL);
  g_autofree guint *at = g_new0 (guint, self->series->len + 1);
  double x = NAN;

  tosst_chart_sort (self);
  append_header (csv, self);
  while (next_x (self, at, &x))
    {
      append_value (csv, x);
      for (guint i = 0; i < self->series->len; i++)
        {
          const TosstSeries *series = g_ptr_array_index (self->series, i);
          const TosstPoint *point
              = at[i] < series->points->len ? &g_array_index (series->points, TosstPoint, at[i]) : NULL;
          gboolean here = point && (point->x == x || (isnan (x) && isnan (point->x)));
          g_string_append_c (csv, ',');
          if (here)
            append_value (csv, point->y);
          if (series->has_errors)
            g_string_append_c (csv, ',');
          if (here && isfinite (point->deviation))
            append_value (csv, point->deviation);
          at[i] += here;
        }
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}
