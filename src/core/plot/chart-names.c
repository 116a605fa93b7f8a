/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names at the right ends of the curves, which make a legend unnecessary; a legend where there are no curves. */

#include "config.h"

#include "core/plot/chart-draw-private.h"

/* A single series is identified by the title or the axis. */
static gboolean
has_name (const TosstDrawing *d, guint series)
{
  const TosstSeries *s = tosst_drawing_series (d, series);
  guint visible = 0;

  for (guint i = 0; i < d->chart->series->len; i++)
    visible += tosst_drawing_series (d, i)->visible && tosst_drawing_series (d, i)->points->len > 0;
  return s->visible && s->points->len > 0 && *s->name && visible > 1;
}

double
tosst_drawing_names_width (TosstDrawing *d)
{
  double widest = 0.0;

  for (guint i = 0; i < d->chart->series->len; i++)
    if (has_name (d, i))
      widest = MAX (widest, tosst_text_width (&d->text, tosst_drawing_series (d, i)->name, 1.0)
                                + (d->chart->categories ? 2.2 : 1.4) * d->em);
  return MIN (widest, 0.3 * d->width);
}

typedef struct
{
  guint series;
  double wanted, y;
} Name;

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const Name *x = a, *y = b;

  return x->wanted < y->wanted ? -1 : x->wanted > y->wanted ? 1 : (int)x->series - (int)y->series;
}

/* y of the curve at the right edge of the plot. */
static double
last_height (const TosstDrawing *d, const TosstSeries *series)
{
  guint first, last;

  tosst_drawing_range (d, series, &first, &last);
  while (last > first)
    if (tosst_drawing_can_show (d, tosst_series_point (series, --last))
        && tosst_series_point (series, last)->x <= d->chart->x_axis.high)
      return CLAMP (tosst_drawing_y (d, tosst_series_point (series, last)->y), d->top, d->bottom);
  return d->bottom;
}

/* Separates overlapping names: downwards from the top, then upwards from the bottom if the room is exceeded. */
static void
spread_names (GArray *names, double top, double bottom, double line)
{
  double edge = top + 0.5 * line;

  for (guint i = 0; i < names->len; i++)
    {
      Name *name = &g_array_index (names, Name, i);
      name->y = MAX (name->wanted, edge);
      edge = name->y + line;
    }
  edge = bottom - 0.5 * line;
  for (guint i = names->len; i-- > 0;)
    {
      Name *name = &g_array_index (names, Name, i);
      name->y = MIN (name->y, edge);
      edge = name->y - line;
    }
}

/* Legend of the marks, right of the plot. */
static void
draw_legend (TosstDrawing *d)
{
  double x = d->right + 1.1 * d->em, y = d->top + 0.5 * d->em;

  for (guint i = 0; i < d->chart->series->len; i++)
    {
      if (!has_name (d, i))
        continue;
      tosst_color_set (d->cr, tosst_color_series (d->style, tosst_drawing_series (d, i)->color), 1.0);
      tosst_drawing_mark (d, i, x, y);
      cairo_fill (d->cr);
      tosst_text_draw (&d->text, d->cr, tosst_drawing_series (d, i)->name, x + 0.6 * d->em, y, 0.0, 0.5, 0,
                       d->names - 1.7 * d->em, 1.0, FALSE);
      y += 1.25 * d->em;
    }
}

void
tosst_drawing_names (TosstDrawing *d)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (Name));
  double line, scale = 1.0;

  for (guint i = 0; i < d->chart->series->len; i++)
    if (has_name (d, i))
      {
        Name name = { i, last_height (d, tosst_drawing_series (d, i)), 0.0 };
        g_array_append_val (names, name);
      }
  if (names->len == 0)
    return;
  if (d->chart->categories)
    {
      draw_legend (d);
      return;
    }
  g_array_sort (names, compare_names);
  line = MIN (d->em, (d->bottom - d->top + d->em) / names->len);
  scale = CLAMP (line / d->em, 0.55, 1.0);
  spread_names (names, d->top - 0.5 * d->em, d->bottom + 0.5 * d->em, line);
  for (guint i = 0; i < names->len; i++)
    {
      const Name *name = &g_array_index (names, Name, i);
      TosstColor color = tosst_color_series (d->style, tosst_drawing_series (d, name->series)->color);
      tosst_color_set (d->cr, color, 0.55);
      cairo_set_line_width (d->cr, 1.0);
      cairo_move_to (d->cr, d->right + 2.0, name->wanted);
      cairo_line_to (d->cr, d->right + 0.7 * d->em, name->y);
      cairo_stroke (d->cr);
      tosst_color_set (d->cr, color, 1.0);
      tosst_text_draw (&d->text, d->cr, tosst_drawing_series (d, name->series)->name, d->right + 0.9 * d->em, name->y,
                       0.0, 0.5, 0, d->names - 0.9 * d->em, scale, FALSE);
    }
}
