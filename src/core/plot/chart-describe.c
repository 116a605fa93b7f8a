/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text forms of a chart: a sentence for screen readers, and CSV. */
#include "core/base/base.h"
#include "core/plot/chart-private.h"

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
      double y = g_array_index (series->points, TosstChartPoint, i).y;
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
    course = g_strdup_printf (drawable == 1 ? _ ("at %s") : _ ("starting and ending at %s"), to);
  else
    course = g_strdup_printf (last < first ? _ ("from %s down to %s") : _ ("from %s up to %s"), from, to);
  if (drawable > 0 && drawable < n)
    missing = g_strdup_printf (ngettext ("; %u is not a number", "; %u are not numbers", n - drawable), n - drawable);
  return g_strconcat (count, ", ", course, missing, NULL);
}

/* Name of the quantity on the x axis. */
static char *
name_of (TosstChart *self, double x)
{
  return x >= 0 && x < self->n_categories ? g_strdup (self->categories[(guint)x]) : tosst_number_label (x, 6);
}

static char *
describe_value (double y, double deviation)
{
  g_autofree char *value = tosst_number_label (y, 4), *spread = tosst_number_label (deviation, 2);

  return isfinite (deviation) ? g_strdup_printf ("%s ± %s", value, spread) : g_steal_pointer (&value);
}

/* "(i) 93.9 ± 0.2, (ii) 99.4 ± 0.1" */
static char *
list_series (TosstChart *self, const TosstSeries *series)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < series->points->len; i++)
    {
      const TosstChartPoint *point = &g_array_index (series->points, TosstChartPoint, i);
      g_autofree char *name = name_of (self, point->x), *value = describe_value (point->y, point->deviation);

      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", name, value);
    }
  if (text->len == 0)
    g_string_append (text, _ ("no points"));
  return g_string_free (text, FALSE);
}

char *
tosst_chart_describe_value (TosstChart *self, guint series, double x, double y)
{
  const TosstSeries *of = g_ptr_array_index (self->series, series);
  double deviation = NAN;

  for (guint i = tosst_series_find (of, x);
       i < of->points->len && g_array_index (of->points, TosstChartPoint, i).x == x; i++)
    if (g_array_index (of->points, TosstChartPoint, i).y == y)
      deviation = g_array_index (of->points, TosstChartPoint, i).deviation;
  return describe_value (y, deviation);
}

char *
tosst_chart_describe_point (TosstChart *self, guint series, double x, double y)
{
  const TosstSeries *of = g_ptr_array_index (self->series, series);
  g_autofree char *name = name_of (self, x), *value = tosst_chart_describe_value (self, series, x, y);

  return self->series->len > 1 && *of->name ? g_strdup_printf ("%s, %s: %s", of->name, name, value)
                                            : g_strdup_printf ("%s: %s", name, value);
}

char *
tosst_chart_describe_x (TosstChart *self, double x)
{
  g_autofree char *name = name_of (self, x);

  /* Translators: a quantity and its value: "Iteration 7" */
  return self->categories || !*self->x_label ? g_steal_pointer (&name)
                                             : g_strdup_printf (_ ("%s %s"), self->x_label, name);
}

char *
tosst_chart_describe (TosstChart *self)
{
  const char *subject = *self->title ? self->title : *self->y_label ? self->y_label : _ ("Chart");
  GString *parts = g_string_new (NULL);
  guint visible = 0;

  tosst_chart_sort (self);
  for (guint i = 0; i < self->series->len; i++)
    visible += ((TosstSeries *)g_ptr_array_index (self->series, i))->visible;
  TOSST_FOR_EACH_POINTER (const TosstSeries, series, self->series)
    {
      if (!series->visible)
        continue;
      g_autofree char *words = self->categories ? list_series (self, series) : describe_series (series);
      if (parts->len > 0)
        g_string_append (parts, "; ");
      if (visible > 1 && *series->name)
        g_string_append_printf (parts, "%s: ", series->name);
      g_string_append (parts, words);
    }
  if (parts->len == 0)
    g_string_append (parts, _ ("no points"));
  g_autofree char *text = g_string_free (parts, FALSE);
  if (!*self->x_label)
    return g_strdup_printf ("%s: %s", subject, text);
  /* Translators: what is drawn, over which quantity, in words: "Objective over iterations: 12 points, from 310 down to
   * 120" */
  return g_strdup_printf (_ ("%s over %s: %s"), subject, self->x_label, text);
}

/* A comma, and the value; nothing after it without one. */
static void
append_value (GString *csv, gboolean known, double value)
{
  if (known)
    tosst_csv_next_real (csv, value);
  else
    g_string_append_c (csv, ',');
}

static void
append_header (GString *csv, TosstChart *self)
{
  tosst_csv_append_field (csv, *self->x_label ? self->x_label : "x");
  TOSST_FOR_EACH_POINTER (const TosstSeries, series, self->series)
    {
      g_autofree char *deviation = g_strconcat (series->name, " deviation", NULL);
      tosst_csv_next_field (csv, series->name);
      if (series->has_errors)
        tosst_csv_next_field (csv, deviation);
    }
  g_string_append_c (csv, '\n');
}

/* Finds the smallest x that is not written yet. Returns FALSE after the last one. */
static gboolean
next_x (TosstChart *self, const guint *at, double *x)
{
  gboolean found = FALSE;

  for (guint i = 0; i < self->series->len; i++)
    {
      const TosstSeries *series = g_ptr_array_index (self->series, i);
      if (at[i] >= series->points->len)
        continue;
      double candidate = g_array_index (series->points, TosstChartPoint, at[i]).x;
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
  char first[G_ASCII_DTOSTR_BUF_SIZE];

  tosst_chart_sort (self);
  append_header (csv, self);
  while (next_x (self, at, &x))
    {
      tosst_csv_append_field (csv, x >= 0 && x < self->n_categories ? self->categories[(guint)x]
                                                                    : g_ascii_dtostr (first, sizeof first, x));
      for (guint i = 0; i < self->series->len; i++)
        {
          const TosstSeries *series = g_ptr_array_index (self->series, i);
          const TosstChartPoint *point
              = at[i] < series->points->len ? &g_array_index (series->points, TosstChartPoint, at[i]) : NULL;
          gboolean here = point && (point->x == x || (isnan (x) && isnan (point->x)));

          append_value (csv, here, here ? point->y : 0);
          if (series->has_errors)
            append_value (csv, here && isfinite (point->deviation), here ? point->deviation : 0);
          at[i] += here;
        }
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}

/* Mapping of pointer positions to points, by the axes of the last draw. */

static const double PICK_RADIUS = 24.0;

/* Whether a chosen range of y excludes the value. */
static gboolean
is_cut (TosstChart *self, double y)
{
  return isfinite (self->y_low) && (y < self->y_axis.low || y > self->y_axis.high);
}

gboolean
tosst_chart_pick (TosstChart *self, double pointer_x, double pointer_y, guint *series, double *x, double *y,
                  double *x_at, double *y_at)
{
  double nearest = PICK_RADIUS * PICK_RADIUS;
  gboolean found = FALSE;

  if (!self->drawn)
    return FALSE;
  for (guint i = 0; i < self->series->len; i++)
    {
      const TosstSeries *s = g_ptr_array_index (self->series, i);
      double shift = tosst_chart_shift (self, i);
      guint first = tosst_series_find (s, tosst_axis_value (&self->x_axis, pointer_x - shift - PICK_RADIUS));
      double end = tosst_axis_value (&self->x_axis, pointer_x - shift + PICK_RADIUS);
      for (guint k = first; s->visible && k < s->points->len && g_array_index (s->points, TosstChartPoint, k).x <= end;
           k++)
        {
          const TosstChartPoint *point = &g_array_index (s->points, TosstChartPoint, k);
          if (!tosst_axis_can_show (&self->x_axis, point->x) || !tosst_axis_can_show (&self->y_axis, point->y)
              || point->x < self->x_axis.low || point->x > self->x_axis.high || is_cut (self, point->y))
            continue;
          double px = tosst_axis_position (&self->x_axis, point->x) + shift;
          double py = tosst_axis_position (&self->y_axis, point->y);
          double distance = (px - pointer_x) * (px - pointer_x) + (py - pointer_y) * (py - pointer_y);
          if (distance > nearest)
            continue;
          nearest = distance;
          found = TRUE;
          *series = i;
          *x = point->x;
          *y = point->y;
          *x_at = px;
          *y_at = py;
        }
    }
  return found;
}

void
tosst_chart_plot_area (TosstChart *self, double *x, double *y, double *width, double *height)
{
  *x = self->x_axis.from;
  *y = self->y_axis.to;
  *width = self->x_axis.to - self->x_axis.from;
  *height = self->y_axis.from - self->y_axis.to;
}

double
tosst_chart_x_at (TosstChart *self, double pointer_x)
{
  return self->drawn ? tosst_axis_value (&self->x_axis, pointer_x) : NAN;
}

double
tosst_chart_y_at (TosstChart *self, double pointer_y)
{
  return self->drawn ? tosst_axis_value (&self->y_axis, pointer_y) : NAN;
}

/* The first point from number on, in either direction, that can be drawn. */
static gboolean
next_drawable (TosstChart *self, const TosstSeries *series, gint64 number, int step, TosstChartPoint *point)
{
  for (; number >= 0 && number < series->points->len; number += step)
    {
      *point = g_array_index (series->points, TosstChartPoint, number);
      if (tosst_axis_can_show (&self->x_axis, point->x) && tosst_axis_can_show (&self->y_axis, point->y))
        return TRUE;
    }
  return FALSE;
}

gboolean
tosst_chart_read (TosstChart *self, guint series, double pointer_x, double *x, double *y, double *x_at, double *y_at)
{
  const TosstSeries *s = series < self->series->len ? g_ptr_array_index (self->series, series) : NULL;
  double at = tosst_chart_x_at (self, pointer_x), reach = PICK_RADIUS;
  TosstChartPoint found[2];
  gboolean is_found[2], is_read = FALSE;

  if (!self->drawn || !s || !s->visible)
    return FALSE;
  at = self->categories ? round (at) : at;
  guint next = tosst_series_find (s, at);
  is_found[0] = next_drawable (self, s, (gint64)next - 1, -1, &found[0]);
  is_found[1] = next_drawable (self, s, next, 1, &found[1]);
  if (self->categories)
    {
      is_found[0] = FALSE;
      is_found[1] = is_found[1] && found[1].x == at;
    }
  /* Between two points, or the only one of a name, at any distance. */
  if ((is_found[0] && is_found[1]) || self->categories)
    reach = INFINITY;
  for (int i = 0; i < 2; i++)
    {
      double position = is_found[i] ? tosst_axis_position (&self->x_axis, found[i].x) : NAN;

      if (!(fabs (position - pointer_x) < reach) || found[i].x < self->x_axis.low || found[i].x > self->x_axis.high
          || is_cut (self, found[i].y))
        continue;
      reach = fabs (position - pointer_x);
      *x = found[i].x;
      *y = found[i].y;
      *x_at = position + tosst_chart_shift (self, series);
      *y_at = tosst_axis_position (&self->y_axis, found[i].y);
      is_read = TRUE;
    }
  return is_read;
}

gboolean
tosst_chart_point (TosstChart *self, guint series, gsize number, double *x, double *y, double *x_at, double *y_at)
{
  const TosstSeries *s = series < self->series->len ? g_ptr_array_index (self->series, series) : NULL;

  if (!self->drawn || !s || number >= s->points->len)
    return FALSE;
  const TosstChartPoint *point = &g_array_index (s->points, TosstChartPoint, number);
  if (!tosst_axis_can_show (&self->x_axis, point->x))
    return FALSE;
  *x = point->x;
  *y = point->y;
  *x_at = tosst_axis_position (&self->x_axis, point->x) + tosst_chart_shift (self, series);
  *y_at = tosst_axis_can_show (&self->y_axis, point->y) ? tosst_axis_position (&self->y_axis, point->y)
                                                        : self->y_axis.from;
  return TRUE;
}
