/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The picture of a curve chart: title, axes, curves, names at the right end of the curves, marks for what cannot be
 * drawn. */

#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "chart-private.h"

typedef struct
{
  TosstChart *chart;
  cairo_t *cr;
  const TosstChartStyle *style;
  TosstText text;
  double width, height;
  double em;                       /* height of a line of text */
  double left, top, right, bottom; /* the plot's inner rectangle */
  double names;                    /* room for the names of the series */
  GArray *x_ticks, *y_ticks;
} Drawing;

static const double SMALL = 0.9; /* tick labels */

static TosstSeries *
series_at (const Drawing *d, guint series)
{
  return g_ptr_array_index (d->chart->series, series);
}

static double
line_width (const Drawing *d)
{
  return (d->style->high_contrast ? 2.2 : 1.5) * MAX (d->text.size / 11.0, 0.6);
}

/* --- layout --- */

/* One series needs no name: the title or the axis says what it is. */
static gboolean
has_name (const Drawing *d, guint series)
{
  const TosstSeries *s = series_at (d, series);
  guint visible = 0;

  for (guint i = 0; i < d->chart->series->len; i++)
    visible += series_at (d, i)->visible && series_at (d, i)->points->len > 0;
  return s->visible && s->points->len > 0 && *s->name && visible > 1;
}

static double
names_width (Drawing *d)
{
  double widest = 0.0;

  for (guint i = 0; i < d->chart->series->len; i++)
    if (has_name (d, i))
      widest = MAX (widest, tosst_text_width (&d->text, series_at (d, i)->name, 1.0) + 1.4 * d->em);
  return MIN (widest, 0.3 * d->width);
}

static guint
wanted_x_ticks (const Drawing *d)
{
  return (guint)CLAMP ((d->right - d->left) / (5.5 * d->em), 2.0, 10.0);
}

static guint
wanted_y_ticks (const Drawing *d)
{
  return (guint)CLAMP ((d->bottom - d->top) / (2.8 * d->em), 2.0, 8.0);
}

static double
widest_label (Drawing *d, GArray *ticks)
{
  double widest = 0.0;

  for (guint i = 0; i < ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (ticks, TosstTick, i);
      if (tick->label)
        widest = MAX (widest, tosst_text_width (&d->text, tick->label, SMALL));
    }
  return widest;
}

static guint
count_labels (GArray *ticks)
{
  guint labels = 0;

  for (guint i = 0; i < ticks->len; i++)
    labels += g_array_index (ticks, TosstTick, i).label != NULL;
  return labels;
}

static void
choose_x_range (Drawing *d)
{
  TosstChart *chart = d->chart;
  TosstAxis *axis = &chart->x_axis;

  axis->logarithmic = chart->log_x;
  if (isfinite (chart->x_low) && isfinite (chart->x_high) && (!chart->log_x || chart->x_high > 0.0))
    {
      axis->low = chart->x_low;
      axis->high = chart->x_high;
      if (chart->log_x && axis->low <= 0.0)
        axis->low = axis->high * 1e-6;
      return;
    }
  tosst_chart_x_extent (chart, &axis->low, &axis->high);
  tosst_axis_nice_range (&axis->low, &axis->high, chart->log_x, wanted_x_ticks (d));
}

static void
choose_y_range (Drawing *d)
{
  TosstAxis *axis = &d->chart->y_axis;

  axis->logarithmic = d->chart->log_y;
  tosst_chart_y_extent (d->chart, d->chart->x_axis.low, d->chart->x_axis.high, &axis->low, &axis->high);
  tosst_axis_nice_range (&axis->low, &axis->high, d->chart->log_y, wanted_y_ticks (d));
}

/* Rows first, for they decide how many labels fit above each other; then columns. */
static void
lay_out (Drawing *d)
{
  TosstChart *chart = d->chart;
  double outer = 0.5 * d->em;

  d->top = outer + (*chart->title ? 1.7 * d->em : 0.4 * d->em);
  d->bottom = d->height - outer - 1.25 * d->em - (*chart->x_label ? 1.25 * d->em : 0.0);
  d->bottom = MAX (d->bottom, d->top + 1.0);
  d->names = names_width (d);
  d->left = outer + 3.0 * d->em;
  d->right = MAX (d->width - outer - MAX (d->names, 0.8 * d->em), d->left + 1.0);
  choose_x_range (d);
  choose_y_range (d);
  d->y_ticks = tosst_axis_ticks (chart->y_axis.low, chart->y_axis.high, chart->log_y, wanted_y_ticks (d));
  d->left = round (outer + (*chart->y_label ? 1.35 * d->em : 0.0) + widest_label (d, d->y_ticks) + 0.55 * d->em);
  d->right = MAX (round (d->right), d->left + 1.0);
  d->top = round (d->top);
  d->bottom = round (d->bottom);
  chart->x_axis.from = d->left;
  chart->x_axis.to = d->right;
  chart->y_axis.from = d->bottom;
  chart->y_axis.to = d->top;
  for (guint wanted = wanted_x_ticks (d);; wanted--)
    {
      d->x_ticks = chart->integer_x && !chart->log_x
                       ? tosst_axis_integer_ticks (chart->x_axis.low, chart->x_axis.high, wanted)
                       : tosst_axis_ticks (chart->x_axis.low, chart->x_axis.high, chart->log_x, wanted);
      /* Long labels need more room than was assumed. */
      if (wanted <= 1
          || (widest_label (d, d->x_ticks) + d->em) * count_labels (d->x_ticks) <= d->right - d->left + 2.0 * d->em)
        break;
      g_array_unref (d->x_ticks);
    }
}

/* --- axes --- */

static double
crisp (double position)
{
  return floor (position) + 0.5;
}

static void
draw_grid (Drawing *d)
{
  cairo_t *cr = d->cr;

  tosst_color_set (cr, tosst_color_grid (d->style), 1.0);
  cairo_set_line_width (cr, 1.0);
  for (guint i = 0; i < d->y_ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (d->y_ticks, TosstTick, i);
      double y = crisp (tosst_axis_position (&d->chart->y_axis, tick->value));
      if (!tick->label)
        continue;
      cairo_move_to (cr, d->left, y);
      cairo_line_to (cr, d->right, y);
    }
  for (guint i = 0; i < d->x_ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (d->x_ticks, TosstTick, i);
      double x = crisp (tosst_axis_position (&d->chart->x_axis, tick->value));
      if (!tick->label)
        continue;
      cairo_move_to (cr, x, d->top);
      cairo_line_to (cr, x, d->bottom);
    }
  cairo_stroke (cr);
}

static void
draw_x_axis (Drawing *d)
{
  cairo_t *cr = d->cr;
  double base = crisp (d->bottom);

  tosst_color_set (cr, tosst_color_dim (d->style), 1.0);
  cairo_set_line_width (cr, d->style->high_contrast ? 1.5 : 1.0);
  cairo_move_to (cr, d->left, base);
  cairo_line_to (cr, d->right, base);
  for (guint i = 0; i < d->x_ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (d->x_ticks, TosstTick, i);
      double x = tosst_axis_position (&d->chart->x_axis, tick->value);
      cairo_move_to (cr, crisp (x), base);
      cairo_line_to (cr, crisp (x), base + (tick->label ? 0.3 : 0.18) * d->em);
    }
  cairo_stroke (cr);
  for (guint i = 0; i < d->x_ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (d->x_ticks, TosstTick, i);
      if (tick->label)
        tosst_text_draw (&d->text, cr, tick->label, tosst_axis_position (&d->chart->x_axis, tick->value),
                         d->bottom + 0.38 * d->em, 0.5, 0.0, 0, 0.0, SMALL, FALSE);
    }
}

static void
draw_y_labels (Drawing *d)
{
  cairo_t *cr = d->cr;

  tosst_color_set (cr, tosst_color_dim (d->style), 1.0);
  cairo_set_line_width (cr, 1.0);
  for (guint i = 0; i < d->y_ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (d->y_ticks, TosstTick, i);
      double y = tosst_axis_position (&d->chart->y_axis, tick->value);
      if (tick->label)
        {
          tosst_text_draw (&d->text, cr, tick->label, d->left - 0.4 * d->em, y, 1.0, 0.5, 0, 0.0, SMALL, FALSE);
          continue;
        }
      cairo_move_to (cr, d->left - 0.2 * d->em, crisp (y));
      cairo_line_to (cr, d->left, crisp (y));
      cairo_stroke (cr);
    }
}

static void
draw_titles (Drawing *d)
{
  TosstChart *chart = d->chart;
  double middle = 0.5 * (d->left + d->right);

  tosst_color_set (d->cr, tosst_color_text (d->style), 1.0);
  if (*chart->title)
    tosst_text_draw (&d->text, d->cr, chart->title, d->left, 0.5 * d->em, 0.0, 0.0, 0, d->width - d->left, 1.05, TRUE);
  if (*chart->x_label)
    tosst_text_draw (&d->text, d->cr, chart->x_label, middle, d->height - 0.4 * d->em, 0.5, 1.0, 0, d->right - d->left,
                     1.0, FALSE);
  if (*chart->y_label)
    tosst_text_draw (&d->text, d->cr, chart->y_label, 0.4 * d->em, 0.5 * (d->top + d->bottom), 0.5, 0.0, 1,
                     d->bottom - d->top, 1.0, FALSE);
}

/* --- curves --- */

/* Points a pixel: from the first on a curve is drawn by columns, beyond the second without error bars. */
#define DENSE 0.25
#define CROWDED 2.0

/* The points in sight, and one more on either side so that lines run to the edge. */
static void
visible_range (const Drawing *d, const TosstSeries *series, guint *first, guint *last)
{
  guint n = series->points->len;

  *first = tosst_series_find (series, d->chart->x_axis.low);
  *first -= *first > 0;
  *last = tosst_series_find (series, nextafter (d->chart->x_axis.high, INFINITY));
  *last += *last < n;
}

static const TosstPoint *
point_at (const TosstSeries *series, guint i)
{
  return &g_array_index (series->points, TosstPoint, i);
}

static gboolean
can_draw (const Drawing *d, const TosstPoint *point)
{
  return tosst_axis_can_show (&d->chart->x_axis, point->x) && tosst_axis_can_show (&d->chart->y_axis, point->y);
}

static double
x_of (const Drawing *d, double x)
{
  return CLAMP (tosst_axis_position (&d->chart->x_axis, x), d->left - 1e4, d->right + 1e4);
}

static double
y_of (const Drawing *d, double y)
{
  return CLAMP (tosst_axis_position (&d->chart->y_axis, y), d->top - 1e4, d->bottom + 1e4);
}

/* Cairo sorts all edges of what it strokes at once, and where lines are steep each meets many others: pieces take a tenth
 * of the time of a whole curve of thousands. */
#define STROKE_POINTS 16

static void
draw_line (Drawing *d, const TosstSeries *series, guint first, guint last)
{
  gboolean pen_down = FALSE;
  guint drawn = 0;

  cairo_set_line_width (d->cr, line_width (d));
  cairo_set_line_join (d->cr, last - first > 500 ? CAIRO_LINE_JOIN_BEVEL : CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (d->cr, CAIRO_LINE_CAP_ROUND);
  for (guint i = first; i < last; i++)
    {
      const TosstPoint *point = point_at (series, i);
      if (!can_draw (d, point))
        {
          pen_down = FALSE;
          continue;
        }
      double x = x_of (d, point->x), y = y_of (d, point->y);
      if (pen_down)
        cairo_line_to (d->cr, x, y);
      else
        cairo_move_to (d->cr, x, y);
      pen_down = TRUE;
      /* Dashes would begin anew. */
      if (++drawn % STROKE_POINTS == 0 && cairo_get_dash_count (d->cr) == 0)
        {
          cairo_stroke (d->cr);
          cairo_move_to (d->cr, x, y);
        }
    }
  cairo_stroke (d->cr);
}

static void
draw_error_bars (Drawing *d, const TosstSeries *series, guint first, guint last)
{
  double cap = 0.25 * d->em;

  for (guint i = first; i < last; i++)
    {
      const TosstPoint *point = point_at (series, i);
      double x, low, high;
      if (!can_draw (d, point) || !isfinite (point->deviation))
        continue;
      x = x_of (d, point->x);
      high = y_of (d, point->y + point->deviation);
      /* On a logarithmic axis a bar may reach below zero: it leaves the picture. */
      low = tosst_axis_can_show (&d->chart->y_axis, point->y - point->deviation) ? y_of (d, point->y - point->deviation)
                                                                                 : d->bottom + 2.0 * d->em;
      cairo_move_to (d->cr, x, low);
      cairo_line_to (d->cr, x, high);
      cairo_move_to (d->cr, x - cap, low);
      cairo_line_to (d->cr, x + cap, low);
      cairo_move_to (d->cr, x - cap, high);
      cairo_line_to (d->cr, x + cap, high);
    }
  cairo_set_line_width (d->cr, 0.75 * line_width (d));
  cairo_set_line_cap (d->cr, CAIRO_LINE_CAP_BUTT);
  cairo_stroke (d->cr);
}

static void
draw_dots (Drawing *d, const TosstSeries *series, guint first, guint last)
{
  double radius = 1.75 * line_width (d);

  for (guint i = first; i < last; i++)
    {
      const TosstPoint *point = point_at (series, i);
      if (!can_draw (d, point))
        continue;
      cairo_new_sub_path (d->cr);
      cairo_arc (d->cr, x_of (d, point->x), y_of (d, point->y), radius, 0.0, 2.0 * G_PI);
    }
  cairo_fill (d->cr);
}

/* Values that cannot be drawn stand on the axis: a short upright tick for NaN and infinity, a small triangle that
 * points down for what lies at or below zero on a logarithmic axis. */
static void
draw_missing (Drawing *d, const TosstSeries *series, guint first, guint last)
{
  double mark = 0.5 * d->em, previous = -INFINITY;

  for (guint i = first; i < last; i++)
    {
      const TosstPoint *point = point_at (series, i);
      double x;
      if (can_draw (d, point) || !tosst_axis_can_show (&d->chart->x_axis, point->x))
        continue;
      x = x_of (d, point->x);
      if (x < previous + 1.0)
        continue;
      previous = x;
      if (isfinite (point->y))
        {
          cairo_move_to (d->cr, x - 0.5 * mark, d->bottom - mark);
          cairo_rel_line_to (d->cr, mark, 0.0);
          cairo_rel_line_to (d->cr, -0.5 * mark, mark);
          cairo_close_path (d->cr);
          cairo_fill (d->cr);
          continue;
        }
      cairo_rectangle (d->cr, x - 0.75 * line_width (d), d->bottom - 1.4 * mark, 1.5 * line_width (d), 1.4 * mark);
      cairo_fill (d->cr);
    }
}

static void
draw_series (Drawing *d, guint index)
{
  const TosstSeries *series = series_at (d, index);
  guint first, last;
  double pixels = d->right - d->left;
  TosstColor color = tosst_color_series (d->style, index);
  gboolean dense;

  visible_range (d, series, &first, &last);
  dense = last - first > DENSE * pixels;
  tosst_color_set (d->cr, color, 1.0);
  if (dense)
    {
      g_autoptr (GArray) columns = tosst_series_columns (series, first, last, &d->chart->x_axis, &d->chart->y_axis);
      tosst_draw_columns (d->cr, columns, &d->chart->x_axis, &d->chart->y_axis, line_width (d));
    }
  else
    {
      const double dash[] = { 4.0 * line_width (d), 3.0 * line_width (d) };
      /* The colours come around after eight series. */
      cairo_set_dash (d->cr, dash, index / 8 % 2 ? 2 : 0, 0.0);
      draw_line (d, series, first, last);
      cairo_set_dash (d->cr, NULL, 0, 0.0);
    }
  if (series->has_errors && last - first <= CROWDED * pixels)
    {
      /* Fainter than the means, which the eye should follow. */
      tosst_color_set (d->cr, color, d->style->high_contrast ? 1.0 : 0.6);
      draw_error_bars (d, series, first, last);
      tosst_color_set (d->cr, color, 1.0);
    }
  if (!dense && (last - first) * 9.0 <= pixels)
    draw_dots (d, series, first, last);
  draw_missing (d, series, first, last);
}

/* --- names --- */

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

/* Where the curve leaves the picture. */
static double
last_height (const Drawing *d, const TosstSeries *series)
{
  guint first, last;

  visible_range (d, series, &first, &last);
  while (last > first)
    if (can_draw (d, point_at (series, --last)) && point_at (series, last)->x <= d->chart->x_axis.high)
      return CLAMP (y_of (d, point_at (series, last)->y), d->top, d->bottom);
  return d->bottom;
}

/* Pushes names apart: downwards from the top, then upwards from the bottom where the room ended. */
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

static void
draw_names (Drawing *d)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (Name));
  double line, scale = 1.0;

  for (guint i = 0; i < d->chart->series->len; i++)
    if (has_name (d, i))
      {
        Name name = { i, last_height (d, series_at (d, i)), 0.0 };
        g_array_append_val (names, name);
      }
  if (names->len == 0)
    return;
  g_array_sort (names, compare_names);
  line = MIN (d->em, (d->bottom - d->top + d->em) / names->len);
  scale = CLAMP (line / d->em, 0.55, 1.0);
  spread_names (names, d->top - 0.5 * d->em, d->bottom + 0.5 * d->em, line);
  for (guint i = 0; i < names->len; i++)
    {
      const Name *name = &g_array_index (names, Name, i);
      TosstColor color = tosst_color_series (d->style, name->series);
      tosst_color_set (d->cr, color, 0.55);
      cairo_set_line_width (d->cr, 1.0);
      cairo_move_to (d->cr, d->right + 2.0, name->wanted);
      cairo_line_to (d->cr, d->right + 0.7 * d->em, name->y);
      cairo_stroke (d->cr);
      tosst_color_set (d->cr, color, 1.0);
      tosst_text_draw (&d->text, d->cr, series_at (d, name->series)->name, d->right + 0.9 * d->em, name->y, 0.0, 0.5, 0,
                       d->names - 0.9 * d->em, scale, FALSE);
    }
}

static gboolean
is_empty (const Drawing *d)
{
  for (guint i = 0; i < d->chart->series->len; i++)
    if (series_at (d, i)->visible && series_at (d, i)->points->len > 0)
      return FALSE;
  return TRUE;
}

void
tosst_chart_draw (TosstChart *self, cairo_t *cr, double width, double height, const TosstChartStyle *style)
{
  Drawing d = { .chart = self, .cr = cr, .style = style, .width = width, .height = height };

  tosst_chart_sort (self);
  tosst_text_init (&d.text, style);
  d.em = tosst_text_height (&d.text, 1.0);
  lay_out (&d);
  cairo_save (cr);
  draw_grid (&d);
  draw_x_axis (&d);
  draw_y_labels (&d);
  draw_titles (&d);
  if (is_empty (&d))
    {
      tosst_color_set (cr, tosst_color_dim (style), 1.0);
      tosst_text_draw (&d.text, cr, _ ("No data"), 0.5 * (d.left + d.right), 0.5 * (d.top + d.bottom), 0.5, 0.5, 0, 0.0,
                       1.0, FALSE);
    }
  cairo_save (cr);
  /* A little wider than the plot, so that lines and dots on its edge are whole. */
  cairo_rectangle (cr, d.left - 4.0, d.top - 4.0, d.right - d.left + 8.0, d.bottom - d.top + 8.0);
  cairo_clip (cr);
  for (guint i = 0; i < self->series->len; i++)
    if (series_at (&d, i)->visible)
      draw_series (&d, i);
  cairo_restore (cr);
  draw_names (&d);
  cairo_restore (cr);
  self->drawn = TRUE;
  g_array_unref (d.x_ticks);
  g_array_unref (d.y_ticks);
  tosst_text_clear (&d.text);
}
