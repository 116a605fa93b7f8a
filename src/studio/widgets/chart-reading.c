/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/chart-reading.h"

gboolean
studio_chart_reading_is_key (guint key)
{
  return key == GDK_KEY_Left || key == GDK_KEY_Right || key == GDK_KEY_Up || key == GDK_KEY_Down || key == GDK_KEY_Home
         || key == GDK_KEY_End;
}

static gboolean
can_read (TosstChart *chart, guint series)
{
  return series < tosst_chart_series (chart) && tosst_chart_series_visible (chart, series)
         && tosst_chart_points (chart, series) > 0;
}

/* The next curve that has points, in either direction; the point of the same index, if it has that many. */
static gboolean
go_to_other_series (StudioChartReading *reading, TosstChart *chart, int step)
{
  guint n = tosst_chart_series (chart);

  for (guint i = 1; i <= n; i++)
    {
      guint series = (reading->series + (step > 0 ? i : n * 2 - i)) % n;

      if (!can_read (chart, series))
        continue;
      reading->series = series;
      reading->point = MIN (reading->point, tosst_chart_points (chart, series) - 1);
      return TRUE;
    }
  return FALSE;
}

static void
go_along (StudioChartReading *reading, TosstChart *chart, guint key)
{
  gsize last = tosst_chart_points (chart, reading->series) - 1;

  if (key == GDK_KEY_Home)
    reading->point = 0;
  else if (key == GDK_KEY_End)
    reading->point = last;
  else if (key == GDK_KEY_Left)
    reading->point = MAX (reading->point, 1) - 1;
  else
    reading->point = MIN (reading->point + 1, last);
}

gboolean
studio_chart_reading_move (StudioChartReading *reading, TosstChart *chart, guint key)
{
  guint n = tosst_chart_series (chart);

  if (n == 0)
    return FALSE;
  if (!reading->active || !can_read (chart, reading->series))
    {
      reading->series = n - 1; /* the next of which is the first */
      reading->point = 0;
      reading->active = go_to_other_series (reading, chart, 1);
    }
  else if (key == GDK_KEY_Up || key == GDK_KEY_Down)
    go_to_other_series (reading, chart, key == GDK_KEY_Down ? 1 : -1);
  else
    go_along (reading, chart, key);
  return reading->active;
}
