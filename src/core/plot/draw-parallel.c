/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drawing of parallel coordinates, and picking.
 */
#include "config.h"

#include "core/plot/draw-parallel-private.h"

#include <math.h>

#include "core/plot/chart-private.h"

static const double SMALL = 0.9;

#define NEAR_LINE 8.0 /* distance from the pointer within which a line is picked, in units of the drawing */
#define NEAR_AXIS 16.0
#define MAX_NAMES 24 /* per axis; of more, intermediate ones are omitted */

/* Positions of all elements. */

typedef struct
{
  double em, left, step; /* x of the first axis, and distance of two axes */
  double missing;        /* y of missing values */
  gboolean has_missing;
  gboolean *missing_on; /* whether an axis has missing values */
  TosstAxis *axis;      /* one per axis, from the bottom up */
  guint *place, *order; /* of each axis its place from the left, and of each place its axis */
  guint n;
} Layout;

static void
fit_axis (const TosstParallel *self, guint index, TosstAxis *out, gboolean *missing)
{
  const TosstParallelAxis *axis = tosst_parallel_axis (self, index);

  out->logarithmic = axis->logarithmic;

  out->low = INFINITY;
  out->high = -INFINITY;
  for (guint line = 0; line < tosst_parallel_lines (self); line++)
    {
      double value = tosst_parallel_value (self, line, index);

      *missing |= isnan (value);
      if (isnan (value))
        continue;
      out->low = MIN (out->low, value);
      out->high = MAX (out->high, value);
    }
  if (axis->names)
    {
      out->low = -0.5;
      out->high = MAX (g_strv_length (axis->names), 1) - 0.5;
    }
  else
    tosst_axis_nice_range (&out->low, &out->high, axis->logarithmic, 5);
}

static void
lay_out (const TosstParallel *self, double width, double height, const TosstChartStyle *style, Layout *out)
{
  double right;

  *out = (Layout){ .em = style->font_size, .n = self->axes->len };
  out->axis = g_new0 (TosstAxis, MAX (out->n, 1));
  out->missing_on = g_new0 (gboolean, MAX (out->n, 1));
  out->place = g_new0 (guint, MAX (out->n, 1));
  out->order = g_new0 (guint, MAX (out->n, 1));
  for (guint i = 0; i < out->n; i++)
    {
      fit_axis (self, i, &out->axis[i], &out->missing_on[i]);
      out->has_missing |= out->missing_on[i];
      out->place[i] = tosst_parallel_axis (self, i)->place;
      out->order[out->place[i]] = i;
    }
  for (guint i = 0; i < out->n; i++)
    {
      double bottom = height - (out->has_missing ? 3 : 1.2) * out->em, top = 3 * out->em;
      gboolean flipped = tosst_parallel_axis (self, i)->flipped;

      out->axis[i].from = flipped ? top : bottom;
      out->axis[i].to = flipped ? bottom : top;
    }
  out->missing = height - 1.2 * out->em;
  out->left = MIN (5.5 * out->em, 0.2 * width);
  right = width - MIN (5 * out->em, 0.2 * width);
  out->step = out->n > 1 ? (right - out->left) / (out->n - 1) : 0;
  if (out->n == 1)
    out->left = 0.5 * width;
}

static void
clear (Layout *layout)
{
  g_free (layout->axis);
  g_free (layout->missing_on);
  g_free (layout->place);
  g_free (layout->order);
}

static double
x_of (const Layout *layout, guint axis)
{
  return layout->left + layout->place[axis] * layout->step;
}

static double
y_of (const Layout *layout, guint axis, double value)
{
  return isnan (value) ? layout->missing : tosst_axis_position (&layout->axis[axis], value);
}

/* Drawing. */

/* The text before, or after, the label at x. */
static void
draw_plate (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const char *label, double x, double y,
            gboolean begins)
{
  double width = tosst_text_width (text, label, SMALL), height = tosst_text_height (text, SMALL);

  tosst_color_set (cr, tosst_color_paper (style), 0.72);
  cairo_rectangle (cr, begins ? x - 1 : x - width - 1, y - 0.5 * height, width + 2, height);
  cairo_fill (cr);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  tosst_text_draw (text, cr, label, x, y, begins ? 0 : 1, 0.5, 0, 0, SMALL, FALSE);
}

static void
draw_tick (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Layout *layout, guint axis, double value,
           const char *label)
{
  double x = round (x_of (layout, axis)) + 0.5, y = round (y_of (layout, axis, value)) + 0.5;
  gboolean last = layout->n > 1 && layout->place[axis] + 1 == layout->n; /* no line to its right */
  double side = last ? 1 : -1;

  tosst_color_set (cr, tosst_color_dim (style), 1);
  cairo_move_to (cr, x + side * (label ? 4 : 2), y);
  cairo_line_to (cr, x, y);
  cairo_stroke (cr);
  if (label)
    draw_plate (cr, text, style, label, x + side * 0.6 * layout->em, y, last);
}

static void
draw_ticks (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Layout *layout, guint index)
{
  const TosstAxis *axis = &layout->axis[index];
  guint wanted = MAX (2, (guint)(fabs (axis->from - axis->to) / (3.5 * layout->em)));
  g_autoptr (GArray) ticks = tosst_axis_ticks (axis->low, axis->high, axis->logarithmic, wanted);

  for (guint i = 0; i < ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (ticks, TosstTick, i);

      draw_tick (cr, text, style, layout, index, tick->value, tick->label);
    }
}

static void
draw_brush (cairo_t *cr, const TosstChartStyle *style, const Layout *layout, guint index, const TosstParallelAxis *axis)
{
  const TosstAxis *a = &layout->axis[index];
  double x = x_of (layout, index), least = MIN (a->to, a->from), most = MAX (a->to, a->from), top, bottom, swap;

  if (isnan (axis->brush_low))
    return;
  bottom
      = CLAMP (tosst_axis_position (a, a->logarithmic ? MAX (axis->brush_low, a->low) : axis->brush_low), least, most);
  top = CLAMP (tosst_axis_position (a, a->logarithmic ? MAX (axis->brush_high, a->low) : axis->brush_high), least,
               most);
  if (axis->flipped)
    {
      swap = top;
      top = bottom;
      bottom = swap;
    }
  cairo_rectangle (cr, round (x - 0.5 * layout->em) + 0.5, round (top) - 0.5, round (layout->em),
                   MAX (round (bottom - top), 1) + 1);
  tosst_color_set (cr, tosst_color_series (style, 0), 0.25);
  cairo_fill_preserve (cr);
  tosst_color_set (cr, tosst_color_series (style, 0), 1);
  cairo_stroke (cr);
}

static void
draw_axis (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Layout *layout, guint index,
           const TosstParallel *self, double width)
{
  const TosstParallelAxis *axis = tosst_parallel_axis (self, index);
  double x = round (x_of (layout, index)) + 0.5, room = layout->n > 1 ? 0.92 * layout->step : width;
  g_autofree char *label = axis->flipped ? g_strconcat ("↓ ", axis->label, NULL) : g_strdup (axis->label);
  double half = 0.5 * MIN (room, tosst_text_width (text, label, 1)), middle;
  double top = MIN (layout->axis[index].to, layout->axis[index].from);
  double bottom = MAX (layout->axis[index].to, layout->axis[index].from);

  cairo_set_line_width (cr, 1);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  cairo_move_to (cr, x, round (top) - 0.5);
  cairo_line_to (cr, x, round (bottom) + 0.5);
  cairo_stroke (cr);
  if (axis->names)
    {
      guint n = g_strv_length (axis->names), every = n / MAX_NAMES + 1;

      for (guint i = 0; i < n; i += every)
        draw_tick (cr, text, style, layout, index, i, axis->names[i]);
    }

  else
    draw_ticks (cr, text, style, layout, index);
  if (layout->missing_on[index])
    draw_tick (cr, text, style, layout, index, NAN, "–");
  draw_brush (cr, style, layout, index, axis);
  tosst_color_set (cr, tosst_color_text (style), 1);
  middle = CLAMP (x, MIN (half + 2, 0.5 * width), MAX (width - half - 2, 0.5 * width));
  tosst_text_draw (text, cr, label, middle, layout->em, 0.5, 0.5, 0, room, 1, FALSE);
}

/* Colour by the last value, with enough contrast to its background. */
static TosstColor
line_color (const TosstParallel *self, const Layout *layout, const TosstChartStyle *style, guint line)
{
  const TosstAxis *last = &layout->axis[layout->n - 1];
  double value = tosst_parallel_value (self, line, layout->n - 1), t;

  if (isnan (value))
    return tosst_color_dim (style);
  t = (y_of (layout, layout->n - 1, value) - last->from) / (last->to - last->from);
  return tosst_color_sequential (style->dark, 0.25 + 0.75 * t);
}

static void
trace_line (cairo_t *cr, const TosstParallel *self, const Layout *layout, guint line)
{
  cairo_new_sub_path (cr);
  for (guint place = 0; place < layout->n; place++)
    {
      guint i = layout->order[place];

      cairo_line_to (cr, x_of (layout, i), y_of (layout, i, tosst_parallel_value (self, line, i)));
    }
}

typedef struct
{
  guint line;
  double value;
} Ranked;

static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *p = a, *q = b;

  if (p->value != q->value)
    return p->value < q->value ? -1 : 1;
  return (p->line > q->line) - (p->line < q->line);
}

/* Lines that pass the brushes, the largest on top; the faded ones are drawn together. */
static void
draw_lines (cairo_t *cr, const TosstParallel *self, const Layout *layout, const TosstChartStyle *style)
{
  g_autoptr (GArray) passing = g_array_new (FALSE, FALSE, sizeof (Ranked));
  guint n = tosst_parallel_lines (self);
  double alpha = CLAMP (1.1 - 0.12 * log2 (1 + n), 0.35, 0.9);

  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width (cr, 1);
  for (guint line = 0; line < n; line++)
    {
      double value = tosst_parallel_value (self, line, layout->n - 1);
      Ranked ranked = { line, isnan (value) ? -INFINITY : value };

      if (tosst_parallel_passes (self, line))
        {
          g_array_append_val (passing, ranked);
          continue;
        }
      tosst_color_set (cr, tosst_color_grid (style), 1);
      trace_line (cr, self, layout, line);
      cairo_stroke (cr);
    }
  g_array_sort (passing, compare_ranked);
  cairo_set_line_width (cr, 1.5);
  for (guint i = 0; i < passing->len; i++)
    {
      guint line = g_array_index (passing, Ranked, i).line;

      tosst_color_set (cr, line_color (self, layout, style, line), alpha);
      trace_line (cr, self, layout, line);
      cairo_stroke (cr);
    }
}

void
tosst_draw_parallel (cairo_t *cr, double width, double height, const TosstChartStyle *style, const TosstParallel *self)
{
  g_auto (TosstText) text = { 0 };
  Layout layout;

  if (self->axes->len == 0)
    return;
  tosst_text_init (&text, style);
  lay_out (self, width, height, style, &layout);
  draw_lines (cr, self, &layout, style);

  if (self->chosen >= 0 && self->chosen < (int)tosst_parallel_lines (self))
    {
      trace_line (cr, self, &layout, (guint)self->chosen);
      tosst_color_set (cr, tosst_color_paper (style), 0.9);
      cairo_set_line_width (cr, 6);
      cairo_stroke_preserve (cr);
      tosst_color_set (cr, tosst_color_series (style, 1), 1);
      cairo_set_line_width (cr, 3);
      cairo_stroke (cr);
    }
  for (guint i = 0; i < layout.n; i++)
    draw_axis (cr, &text, style, &layout, i, self, width);
  clear (&layout);
}

/* Picking. */

static double
distance_to_segment (double px, double py, double ax, double ay, double bx, double by)
{
  double dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
  double t = length > 0 ? CLAMP (((px - ax) * dx + (py - ay) * dy) / length, 0, 1) : 0;

  return hypot (px - ax - t * dx, py - ay - t * dy);
}

static double
distance_to_line (const TosstParallel *self, const Layout *layout, guint line, double x, double y)
{
  double nearest = INFINITY;
  guint last = layout->n - 1;

  if (layout->n == 1)
    return hypot (x - layout->left, y - y_of (layout, 0, tosst_parallel_value (self, line, 0)));
  for (guint place = 0; place < last; place++)
    {
      guint i = layout->order[place], j = layout->order[place + 1];

      nearest = MIN (
          nearest, distance_to_segment (x, y, x_of (layout, i), y_of (layout, i, tosst_parallel_value (self, line, i)),
                                        x_of (layout, j), y_of (layout, j, tosst_parallel_value (self, line, j))));
    }
  return nearest;
}

gboolean
tosst_parallel_pick (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                     double pointer_x, double pointer_y, guint *line)
{
  double nearest = NEAR_LINE;
  gboolean found = FALSE;
  Layout layout;

  lay_out (self, width, height, style, &layout);
  for (guint i = 0; layout.n > 0 && i < tosst_parallel_lines (self); i++)
    {
      double distance
          = tosst_parallel_passes (self, i) ? distance_to_line (self, &layout, i, pointer_x, pointer_y) : INFINITY;

      if (!(distance < nearest))
        continue;
      nearest = distance;
      found = TRUE;
      *line = i;
    }
  clear (&layout);
  return found;
}

gboolean
tosst_parallel_value_at (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                         double pointer_x, double pointer_y, guint *axis, double *value)
{
  gboolean found = FALSE;
  Layout layout;

  lay_out (self, width, height, style, &layout);
  for (guint i = 0; i < layout.n && !found; i++)
    if (fabs (pointer_x - x_of (&layout, i)) <= NEAR_AXIS)
      {
        const TosstAxis *a = &layout.axis[i];

        *axis = i;
        *value = tosst_axis_value (a, CLAMP (pointer_y, MIN (a->to, a->from), MAX (a->to, a->from)));
        found = TRUE;
      }
  clear (&layout);
  return found;
}

gboolean
tosst_parallel_axis_at (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                        double pointer_x, guint *axis)
{
  gboolean found = self->axes->len > 0;
  Layout layout;

  lay_out (self, width, height, style, &layout);
  if (found)
    {
      double place = layout.step > 0 ? round ((pointer_x - layout.left) / layout.step) : 0;

      *axis = layout.order[(guint)CLAMP (place, 0, layout.n - 1.0)];
    }
  clear (&layout);
  return found;
}

void
tosst_parallel_place (const TosstParallel *self, double width, double height, const TosstChartStyle *style, guint axis,
                      double value, double *x, double *y)
{
  Layout layout;

  lay_out (self, width, height, style, &layout);
  *x = x_of (&layout, axis);
  *y = y_of (&layout, axis, value);
  clear (&layout);
}
