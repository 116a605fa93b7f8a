/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/chart-values.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/drawing.h"

#define MOST_LINES 12 /* of the bubble */

GPtrArray *
studio_chart_readings_new (TosstChart *chart, double pointer_x)
{
  GPtrArray *readings = g_ptr_array_new_with_free_func (g_free);
  guint nearest = 0;

  for (guint series = 0; !isnan (pointer_x) && series < tosst_chart_series (chart); series++)
    {
      StudioChartValue value = { .series = series };

      if (tosst_chart_read (chart, series, pointer_x, &value.x, &value.y, &value.x_at, &value.y_at))
        g_ptr_array_add (readings, g_memdup2 (&value, sizeof value));
    }
  for (guint i = 1; i < readings->len; i++)
    {
      const StudioChartValue *a = readings->pdata[i], *b = readings->pdata[nearest];

      nearest = fabs (a->x_at - pointer_x) < fabs (b->x_at - pointer_x) ? i : nearest;
    }
  if (nearest > 0)
    g_ptr_array_insert (readings, 0, g_ptr_array_steal_index (readings, nearest));
  return readings;
}

/* The plate of the bubble is dark where the window is light. */
static void
append_dot (GString *markup, TosstChart *chart, GtkWidget *widget, guint series)
{
  TosstChartStyle style;
  double rgb[3];

  studio_chart_style (widget, &style);
  style.dark = !style.dark;
  tosst_chart_color (&style, tosst_chart_series_color (chart, series), rgb);
  g_string_append_printf (markup, "<span foreground=\"#%02x%02x%02x\">●</span> ", (guint)lround (255 * rgb[0]),
                          (guint)lround (255 * rgb[1]), (guint)lround (255 * rgb[2]));
}

static void
append_value (GString *markup, TosstChart *chart, GtkWidget *widget, const StudioChartValue *value)
{
  g_autofree char *text = tosst_chart_describe_value (chart, value->series, value->x, value->y);
  const char *name = tosst_chart_series_name (chart, value->series);
  g_autofree char *line
      = *name ? g_markup_printf_escaped ("%s: <b>%s</b>", name, text) : g_markup_printf_escaped ("<b>%s</b>", text);

  g_string_append_c (markup, '\n');
  append_dot (markup, chart, widget, value->series);
  g_string_append (markup, line);
}

char *
studio_chart_readings_markup (TosstChart *chart, GtkWidget *widget, const GPtrArray *readings, int except,
                              const char *heading)
{
  g_autofree char *escaped = g_markup_escape_text (heading, -1);
  GString *markup = g_string_new (NULL);
  guint lines = 0;

  if (except >= 0 && readings->len > 1)
    append_dot (markup, chart, widget, (guint)except);
  g_string_append (markup, escaped);
  for (guint series = 0; series < tosst_chart_series (chart); series++)
    for (guint i = 0; i < readings->len; i++)
      {
        const StudioChartValue *value = readings->pdata[i];

        if (value->series != series || (int)series == except)
          continue;
        if (lines++ < MOST_LINES)
          append_value (markup, chart, widget, value);
      }
  if (lines > MOST_LINES)
    {
      g_autofree char *more = g_strdup_printf (ngettext ("%u more", "%u more", lines - MOST_LINES), lines - MOST_LINES);

      g_string_append_printf (markup, "\n<i>%s</i>", more);
    }
  return g_string_free (markup, FALSE);
}
