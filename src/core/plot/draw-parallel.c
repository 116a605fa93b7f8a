/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drawing of parallel coordinates, and picking.
 */
#include "core/plot/draw-parallel.h"

#include "core/base/base.h"
#include "core/plot/chart-private.h"

typedef struct
{
  char *label;
  char **names;
  gboolean logarithmic;
  double brush_low, brush_high;
  gboolean flipped; /* small values at the top */
  guint place;      /* from the left */
} TosstParallelAxis;

static const TosstParallelAxis *
tosst_parallel_axis (const TosstParallel *self, guint axis)
{
  return g_ptr_array_index (self->axes, axis);
}

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
  double right = width - MIN (5 * out->em, 0.2 * width);
  out->step = out->n > 1 ? (right - out->left) / (out->n - 1) : 0;
  if (out->n == 1)
    out->left = 0.5 * width;
}

TOSST_DEFINE_CLEAR (Layout, clear, (axis, g_free), (missing_on, g_free), (place, g_free), (order, g_free))

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
    {
      const TosstAxis *scale = &layout->axis[index];
      guint wanted = MAX (2, (guint)(fabs (scale->from - scale->to) / (3.5 * layout->em)));
      g_autoptr (GArray) ticks = tosst_axis_ticks (scale->low, scale->high, scale->logarithmic, wanted);

      for (guint i = 0; i < ticks->len; i++)
        draw_tick (cr, text, style, layout, index, g_array_index (ticks, TosstTick, i).value,
                   g_array_index (ticks, TosstTick, i).label);
    }
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
  Layout layout;

  if (self->axes->len == 0)
    return;
  g_auto (TosstText) text = tosst_text_new (style);
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

/* Model of parallel coordinates: axes, lines, brushes, and a text description. */

TOSST_DEFINE_FREE (TosstParallelAxis, free_axis, (label, g_free), (names, g_strfreev))

TosstParallel *
tosst_parallel_new (void)
{
  TosstParallel *self = g_new0 (TosstParallel, 1);

  self->axes = g_ptr_array_new_with_free_func (free_axis);
  self->values = g_array_new (FALSE, FALSE, sizeof (double));
  self->chosen = -1;
  return self;
}

TosstParallel *
tosst_parallel_copy (const TosstParallel *self)
{
  TosstParallel *copy = tosst_parallel_new ();

  for (guint i = 0; i < self->axes->len; i++)
    {
      const TosstParallelAxis *axis = tosst_parallel_axis (self, i);

      tosst_parallel_add_axis (copy, axis->label, axis->logarithmic, (const char *const *)axis->names);
      tosst_parallel_set_brush (copy, i, axis->brush_low, axis->brush_high);
      ((TosstParallelAxis *)copy->axes->pdata[i])->flipped = axis->flipped;
      ((TosstParallelAxis *)copy->axes->pdata[i])->place = axis->place;
    }
  if (self->values->len > 0)
    g_array_append_vals (copy->values, self->values->data, self->values->len);
  copy->chosen = self->chosen;
  return copy;
}

TOSST_DEFINE_PUBLIC_FREE (TosstParallel, tosst_parallel_free, TosstParallel *, (axes, g_ptr_array_unref),
                          (values, g_array_unref))

guint
tosst_parallel_add_axis (TosstParallel *self, const char *label, gboolean logarithmic, const char *const *names)
{
  TosstParallelAxis *axis = g_new0 (TosstParallelAxis, 1);

  axis->label = g_strdup (label);
  axis->names = g_strdupv ((char **)names);
  axis->logarithmic = logarithmic;
  axis->brush_low = axis->brush_high = NAN;
  axis->place = self->axes->len;
  g_ptr_array_add (self->axes, axis);
  return self->axes->len - 1;
}

void
tosst_parallel_flip (TosstParallel *self, guint axis)
{
  TosstParallelAxis *a = self->axes->pdata[axis];
  a->flipped = !a->flipped;
}

gboolean
tosst_parallel_is_flipped (const TosstParallel *self, guint axis)
{
  return tosst_parallel_axis (self, axis)->flipped;
}

/* Those between the two places move by one. */
void
tosst_parallel_move (TosstParallel *self, guint axis, guint place)
{
  guint from = tosst_parallel_axis (self, axis)->place;
  place = MIN (place, self->axes->len - 1);
  TOSST_FOR_EACH_POINTER (TosstParallelAxis, other, self->axes)
    {
      if (other->place > from && other->place <= place)
        other->place--;
      else if (other->place < from && other->place >= place)
        other->place++;
    }
  ((TosstParallelAxis *)self->axes->pdata[axis])->place = place;
}

guint
tosst_parallel_get_place (const TosstParallel *self, guint axis)
{
  return tosst_parallel_axis (self, axis)->place;
}

void
tosst_parallel_append (TosstParallel *self, const double *values)
{
  g_array_append_vals (self->values, values, self->axes->len);
}

guint
tosst_parallel_lines (const TosstParallel *self)
{
  return self->axes->len > 0 ? self->values->len / self->axes->len : 0;
}

/* NAN if the axis cannot show the value. */
double
tosst_parallel_value (const TosstParallel *self, guint line, guint axis)
{
  double value = g_array_index (self->values, double, line * self->axes->len + axis);

  return isfinite (value) && !(tosst_parallel_axis (self, axis)->logarithmic && value <= 0) ? value : NAN;
}

/* Text of a value for display, new; "–" for NAN. */
static char *
tosst_parallel_text (const TosstParallel *self, guint line, guint axis)
{
  double value = tosst_parallel_value (self, line, axis);
  char **names = tosst_parallel_axis (self, axis)->names;

  if (isnan (value))
    return g_strdup ("–");
  if (names)
    return g_strdup (value >= 0 && value < g_strv_length (names) ? names[(int)value] : "–");
  return tosst_number_label (value, 4);
}

const char *
tosst_parallel_label (const TosstParallel *self, guint axis)
{
  return tosst_parallel_axis (self, axis)->label;
}

void
tosst_parallel_set_chosen (TosstParallel *self, int line)
{
  self->chosen = line;
}

void
tosst_parallel_set_brush (TosstParallel *self, guint axis, double low, double high)
{
  TosstParallelAxis *a = g_ptr_array_index (self->axes, axis);

  a->brush_low = MIN (low, high);
  a->brush_high = MAX (low, high);
}

void
tosst_parallel_get_brush (const TosstParallel *self, guint axis, double *low, double *high)
{
  *low = tosst_parallel_axis (self, axis)->brush_low;
  *high = tosst_parallel_axis (self, axis)->brush_high;
}

/* A comparison with NAN is false: a missing value passes no brush. */
gboolean
tosst_parallel_passes (const TosstParallel *self, guint line)
{
  for (guint i = 0; i < self->axes->len; i++)
    {
      const TosstParallelAxis *axis = tosst_parallel_axis (self, i);
      double value = tosst_parallel_value (self, line, i);

      if (!isnan (axis->brush_low) && !(value >= axis->brush_low && value <= axis->brush_high))
        return FALSE;
    }
  return TRUE;
}

/* Spoken form of a value. */

static char *
describe_line (const TosstParallel *self, guint line)
{
  GString *words = g_string_new (NULL);

  for (guint i = 0; i < self->axes->len; i++)
    {
      g_autofree char *value = tosst_parallel_text (self, line, i);

      g_string_append_printf (words, "%s%s %s", i > 0 ? ", " : "", tosst_parallel_axis (self, i)->label, value);
    }
  return g_string_free (words, FALSE);
}

char *
tosst_parallel_describe (const TosstParallel *self)
{
  guint lines = tosst_parallel_lines (self), passing = 0, best = 0;
  double most = -INFINITY;

  for (guint i = 0; i < lines; i++)
    {
      double value = tosst_parallel_value (self, i, self->axes->len - 1);
      gboolean passes = tosst_parallel_passes (self, i);

      passing += passes;
      if (!passes || isnan (value) || value <= most)
        continue;
      most = value;
      best = i;
    }
  g_autofree char *count = g_strdup_printf (ngettext ("%u run over %u axes, %u of them within the brushes",
                                                      "%u runs over %u axes, %u of them within the brushes", lines),
                                            lines, self->axes->len, passing);
  if (!isfinite (most))
    return g_steal_pointer (&count);
  g_autofree char *words = describe_line (self, best);
  /* Translators: the first %s says how many runs there are, the second lists the values of one of them */
  return g_strdup_printf (_ ("%s; the largest: %s"), count, words);
}
