/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ticks at 1, 2 or 5 times a power of ten, on linear and logarithmic axes, and their labels. */
#include "core/base/base.h"
#include "core/plot/chart-private.h"

/* Returns the smallest step of 1, 2 or 5 times a power of ten that is at least about range / wanted. */
static double
nice_step (double range, guint wanted)
{
  double raw = range / MAX (wanted, 1u), power = pow (10.0, floor (log10 (raw))), share = raw / power;

  return power * (share <= 1.0000001 ? 1.0 : share <= 2.0000001 ? 2.0 : share <= 5.0000001 ? 5.0 : 10.0);
}

/* The nearest of 1, 2, 5 times a power of ten below (direction -1) or above (+1) value. */
static double
nice_decimal (double value, int direction)
{
  static const double steps[] = { 1.0, 2.0, 5.0, 10.0 };
  double power = pow (10.0, floor (log10 (value))), share = value / power;

  if (direction > 0)
    {
      for (guint i = 0; i < 4; i++)
        if (share <= steps[i] * (1.0 + 1e-9))
          return steps[i] * power;
      return 10.0 * power;
    }
  for (guint i = 4; i-- > 0;)
    if (share >= steps[i] * (1.0 - 1e-9))
      return steps[i] * power;
  return power;
}

void
tosst_axis_nice_range (double *low, double *high, gboolean logarithmic, guint wanted)
{
  if (!isfinite (*low) || !isfinite (*high) || *low > *high || (logarithmic && *low <= 0.0))
    {
      *low = logarithmic ? 0.1 : 0.0;
      *high = logarithmic ? 10.0 : 1.0;
      return;
    }
  if (logarithmic)
    {
      /* The next power of ten, or twice it, would overflow a double. */
      *low = MAX (nice_decimal (MAX (*low, 1e-300), -1), 1e-300);
      *high = nice_decimal (MIN (*high, 1e300), 1);
      if (*high <= *low * 1.0000001)
        {
          *low /= 2.0;
          *high *= 2.0;
        }
      return;
    }
  if (*high - *low <= 1e-12 * MAX (fabs (*low), fabs (*high)))
    {
      double pad = *low != 0.0 ? 0.1 * fabs (*low) : 1.0;
      *low -= pad;
      *high += pad;
    }
  double step = nice_step (*high - *low, wanted);
  /* Half steps: whole ones can leave a third of the plot empty. */
  *low = floor (*low / (0.5 * step) + 1e-9) * 0.5 * step;
  *high = ceil (*high / (0.5 * step) - 1e-9) * 0.5 * step;
}

/* Appends a number in the user's locale, with a real minus sign. */
static void
append_number (GString *string, double value, int decimals)
{
  g_autofree char *plain = g_strdup_printf ("%.*f", decimals, fabs (value));

  if (value < 0.0 && strpbrk (plain, "123456789"))
    g_string_append (string, "−");
  g_string_append (string, plain);
}

static void
append_power (GString *string, double mantissa, int decimals, int exponent)
{
  if (decimals > 0 || fabs (fabs (mantissa) - 1.0) > 1e-9)
    {
      append_number (string, mantissa, decimals);
      g_string_append (string, "×");
    }
  else if (mantissa < 0.0)
    g_string_append (string, "−");
  g_string_append (string, "10");

  static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
  g_autofree char *plain = g_strdup_printf ("%d", abs (exponent));

  if (exponent < 0)
    g_string_append (string, "⁻");
  for (const char *c = plain; *c; c++)
    g_string_append (string, digits[*c - '0']);
}

char *
tosst_number_label (double value, int digits)
{
  GString *string = g_string_new (NULL);

  if (isnan (value))
    g_string_append (string, "NaN");
  else if (isinf (value))
    g_string_append (string, value > 0 ? "∞" : "−∞");
  else if (value == 0.0)
    g_string_append (string, "0");
  else
    {
      int exponent = (int)floor (log10 (fabs (value)) + 1e-12);
      if (exponent >= 6 || exponent < -4)
        {
          double mantissa = value / pow (10.0, exponent);
          int decimals = MAX (digits - 1, 0);
          while (decimals > 0
                 && fabs (mantissa * pow (10, decimals - 1) - round (mantissa * pow (10, decimals - 1))) < 1e-9)
            decimals--;
          append_power (string, mantissa, decimals, exponent);
        }
      else
        {
          int decimals = MAX (digits - 1 - exponent, 0);
          while (decimals > 0 && fabs (value * pow (10, decimals - 1) - round (value * pow (10, decimals - 1))) < 1e-9)
            decimals--;
          append_number (string, value, decimals);
        }
    }
  return g_string_free (string, FALSE);
}

static void
clear_tick (gpointer data)
{
  g_free (((TosstTick *)data)->label);
}

static void
append_tick (GArray *ticks, double value, char *label)
{
  TosstTick tick = { value, label };

  if (ticks->len < TOSST_MAX_TICKS)
    g_array_append_val (ticks, tick);
  else
    g_free (label);
}

/* All labels of an axis have the same number of decimals and the same power of ten. */
static void
linear_ticks (GArray *ticks, double low, double high, guint wanted)
{
  double step = nice_step (high - low, wanted), largest = MAX (fabs (low), fabs (high));
  double first = ceil (low / step - 1e-9), last = floor (high / step + 1e-9);
  int power = (int)floor (log10 (largest) + 1e-12), step_power = (int)floor (log10 (step) + 1e-9);
  gboolean scientific = power >= 6 || power < -3;

  /* 2, 4, ... 12 times a power instead of 0.2, 0.4, ... 1.2 times the next. */
  if (scientific && power == step_power + 1)
    power = step_power;
  int decimals = MAX (scientific ? power - step_power : -step_power, 0);

  for (double i = first; i <= last && ticks->len < TOSST_MAX_TICKS; i++)
    {
      double value = i == 0.0 ? 0.0 : i * step;
      GString *label = g_string_new (NULL);
      if (value == 0.0)
        g_string_append (label, "0");
      else if (scientific)
        append_power (label, value / pow (10.0, power), MIN (decimals, 12), power);
      else
        append_number (label, value, MIN (decimals, 12));
      append_tick (ticks, value, g_string_free (label, FALSE));
    }
}

static char *
log_label (double mantissa, int exponent, gboolean plain)
{
  GString *label = g_string_new (NULL);

  if (plain)
    append_number (label, mantissa * pow (10.0, exponent), MAX (-exponent, 0));
  else
    append_power (label, mantissa, 0, exponent);
  return g_string_free (label, FALSE);
}

static int
powers_inside (double low, double high, int every)
{
  double first = ceil (log10 (low) / every - 1e-9), last = floor (log10 (high) / every + 1e-9);

  return (int)(last - first) + 1;
}

/* Decades between labels: at most about the wanted number of labels, but two if the range has two powers. */
static int
decades_between_labels (double low, double high, guint wanted)
{
  int every = MAX (1, (int)ceil ((log10 (high) - log10 (low)) / MAX (wanted, 1u)));

  while (every > 1 && powers_inside (low, high, every) < 2)
    every--;
  return every;
}

static void
log_ticks (GArray *ticks, double low, double high, guint wanted)
{
  double decades = log10 (high) - log10 (low);
  int first = (int)floor (log10 (low) + 1e-9), last = (int)ceil (log10 (high) - 1e-9);
  int every = decades_between_labels (low, high, wanted);
  /* One or two decades: 2 and 5 are labelled as well. Short numbers are more readable than powers. */
  gboolean labels_between = powers_inside (low, high, 1) < 2 || decades * 3.0 <= 1.3 * MAX (wanted, 3u) + 1.0;
  gboolean plain = low >= 0.0000999 && high <= 20000.0;

  for (int exponent = first; exponent <= last; exponent++)
    for (int mantissa = 1; mantissa <= 9; mantissa++)
      {
        double value = mantissa * pow (10.0, exponent);
        gboolean labelled = mantissa == 1 ? ((exponent % every) + every) % every == 0
                                          : labels_between && (mantissa == 2 || mantissa == 5);
        if (value < low * (1.0 - 1e-9) || value > high * (1.0 + 1e-9))
          continue;
        if (labelled)
          append_tick (ticks, value, log_label (mantissa, exponent, plain));
        else if (decades < (mantissa == 1 ? 60.0 : 8.0))
          append_tick (ticks, value, NULL);
      }
}

static guint
tosst_axis_count_labels (const GArray *ticks)
{
  guint labels = 0;

  for (guint i = 0; i < ticks->len; i++)
    labels += g_array_index (ticks, TosstTick, i).label != NULL;
  return labels;
}

GArray *
tosst_axis_ticks (double low, double high, gboolean logarithmic, guint wanted)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (TosstTick));

  g_array_set_clear_func (ticks, clear_tick);
  if (!(high > low) || !isfinite (high - low))
    return ticks;
  if (logarithmic)
    log_ticks (ticks, low, high, wanted);
  /* Within less than a decade a logarithmic axis is nearly linear. */
  if (!logarithmic || (tosst_axis_count_labels (ticks) < 2 && high / low < 10.0))
    {
      g_array_set_size (ticks, 0);
      linear_ticks (ticks, low, high, wanted);
    }
  return ticks;
}

GArray *
tosst_axis_integer_ticks (double low, double high, guint wanted)
{
  double whole = ceil (low - 1e-9);

  /* At most as many ticks as whole numbers, so that their steps are whole. */
  if (!(high - low < 1.0))
    return tosst_axis_ticks (low, high, FALSE, MIN (wanted, (guint)MIN (floor (high - low), TOSST_MAX_TICKS)));
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (TosstTick));
  g_array_set_clear_func (ticks, clear_tick);
  if (whole <= high)
    append_tick (ticks, whole, tosst_number_label (whole, 15));
  return ticks;
}

gboolean
tosst_axis_can_show (const TosstAxis *axis, double value)
{
  return isfinite (value) && (!axis->logarithmic || value > 0.0);
}

double
tosst_axis_position (const TosstAxis *axis, double value)
{
  double share = axis->logarithmic ? (log10 (value) - log10 (axis->low)) / (log10 (axis->high) - log10 (axis->low))
                                   : (value - axis->low) / (axis->high - axis->low);

  return axis->from + share * (axis->to - axis->from);
}

double
tosst_axis_value (const TosstAxis *axis, double position)
{
  double share = (position - axis->from) / (axis->to - axis->from);

  return axis->logarithmic ? pow (10.0, log10 (axis->low) + share * (log10 (axis->high) - log10 (axis->low)))
                           : axis->low + share * (axis->high - axis->low);
}

/* Marks with different shapes as well as colours, for colour-blind readers and grey prints; value labels of points
 * without lines. */

/* State of drawing a chart. */
typedef struct
{
  TosstChart *chart;
  cairo_t *cr;
  const TosstChartStyle *style;
  TosstText text;
  double width, height;
  double em;                       /* height of a line of text */
  double left, top, right, bottom; /* the plot's inner rectangle */
  double names;                    /* width of the names of the series */
  double shift;                    /* of the current series: see tosst_chart_shift() */
  GArray *x_ticks, *y_ticks;
} TosstDrawing;

#define TOSST_SMALL 0.9 /* tick labels and numbers, relative to the style's size */

static const TosstSeries *
tosst_drawing_series (const TosstDrawing *d, guint series)
{
  return g_ptr_array_index (d->chart->series, series);
}

static double
tosst_drawing_line_width (const TosstDrawing *d)
{
  return tosst_boldness (d->style) * ((d->style->high_contrast ? 2.2 : 1.5) * MAX (d->text.size / 11.0, 0.6));
}

static const TosstChartPoint *
tosst_series_point (const TosstSeries *series, guint i)
{
  return &g_array_index (series->points, TosstChartPoint, i);
}

static gboolean
tosst_drawing_can_show (const TosstDrawing *d, const TosstChartPoint *point)
{
  return tosst_axis_can_show (&d->chart->x_axis, point->x) && tosst_axis_can_show (&d->chart->y_axis, point->y);
}

/* Limits coordinates far outside of the picture: Cairo uses fixed-point numbers with few integer bits. */
static double
tosst_drawing_x (const TosstDrawing *d, double x)
{
  return CLAMP (tosst_axis_position (&d->chart->x_axis, x) + d->shift, d->left - 1e4, d->right + 1e4);
}

static double
tosst_drawing_y (const TosstDrawing *d, double y)
{
  return CLAMP (tosst_axis_position (&d->chart->y_axis, y), d->top - 1e4, d->bottom + 1e4);
}

/* Ends of a point's error bar in the picture, high above low. On a logarithmic axis a bar that reaches zero or below
 * extends beyond the picture. */
static void
tosst_drawing_bar (const TosstDrawing *d, const TosstChartPoint *point, double *low, double *high)
{
  double bottom, top;

  tosst_chart_bar (d->chart, point, &bottom, &top);
  *high = tosst_drawing_y (d, top);
  *low = tosst_axis_can_show (&d->chart->y_axis, bottom) ? tosst_drawing_y (d, bottom) : d->bottom + 2.0 * d->em;
}

/* Range of visible points of a series, with one more at either side so that lines extend to the edge. */
static void
tosst_drawing_range (const TosstDrawing *d, const TosstSeries *series, guint *first, guint *last)
{
  guint n = series->points->len;

  *first = tosst_series_find (series, d->chart->x_axis.low);
  *first -= *first > 0;
  *last = tosst_series_find (series, nextafter (d->chart->x_axis.high, INFINITY));
  *last += *last < n;
}

/* A closed polygon about the origin, with the area of a circle of radius 1. */
typedef struct
{
  guint corners;
  double radius, angle; /* of a corner: angle from the x axis, clockwise, in quarter turns */
} Shape;

/* Circle, diamond, square, triangle up, triangle down, pentagon, hexagon, triangle right. */
static const Shape shapes[] = {
  { 0, 1.00, 0 }, { 4, 1.25, 0 },  { 4, 1.25, 0.5 }, { 3, 1.50, -1 },
  { 3, 1.50, 1 }, { 5, 1.15, -1 }, { 6, 1.10, 0 },   { 3, 1.50, 0 },
};

/* Draws the mark of a series at a position. Eight successive series have different shapes. */
static void
tosst_drawing_mark (TosstDrawing *d, guint series, double x, double y)
{
  guint number = tosst_drawing_series (d, series)->color + tosst_chart_twins (d->chart, series);
  const Shape *shape = &shapes[number % G_N_ELEMENTS (shapes)];
  double radius = 1.75 * tosst_drawing_line_width (d) * (d->chart->categories ? 1.35 : 1.0);

  cairo_new_sub_path (d->cr);
  if (shape->corners == 0)
    cairo_arc (d->cr, x, y, radius, 0.0, 2.0 * G_PI);
  for (guint i = 0; i < shape->corners; i++)
    {
      double angle = shape->angle * G_PI_2 + 2.0 * G_PI * i / shape->corners;

      cairo_line_to (d->cr, x + shape->radius * radius * cos (angle), y + shape->radius * radius * sin (angle));
    }
  cairo_close_path (d->cr);
}

/* Draws the values of a series whose points are side by side with others, where there is room. */
static void
tosst_drawing_numbers (TosstDrawing *d, guint series, guint first, guint last)
{
  const TosstSeries *s = tosst_drawing_series (d, series);
  const TosstAxis *axis = &d->chart->x_axis;
  double half = 0.5 * (axis->to - axis->from) / (axis->high - axis->low), room = d->chart->step - 0.4 * d->em;
  double right = (tosst_chart_visible (d->chart) > 1 ? room : half) - d->em;

  tosst_color_set (d->cr, tosst_color_dim (d->style), 1.0);
  for (guint i = first; i < last; i++)
    {
      const TosstChartPoint *point = tosst_series_point (s, i);
      g_autofree char *label = tosst_number_label (point->y, 4);
      double width = tosst_text_width (&d->text, label, TOSST_SMALL);

      if (tosst_drawing_can_show (d, point) && (width <= room || width <= right))
        {
          /* Beside the mark where there is room, else above its error bar, or below it at the top of the plot. */
          double low, high, x = tosst_drawing_x (d, point->x), gap = 0.35 * d->em, line = TOSST_SMALL * d->em;

          tosst_drawing_bar (d, point, &low, &high);
          if (width <= right)
            tosst_text_draw (&d->text, d->cr, label, x + 0.7 * d->em, tosst_drawing_y (d, point->y), 0.0, 0.5, 0, 0.0,
                             TOSST_SMALL, FALSE);
          else if (high - gap - line >= d->top)
            tosst_text_draw (&d->text, d->cr, label, x, high - gap, 0.5, 1.0, 0, 0.0, TOSST_SMALL, FALSE);
          else
            tosst_text_draw (&d->text, d->cr, label, x, low + gap, 0.5, 0.0, 0, 0.0, TOSST_SMALL, FALSE);
        }
    }
}

/* Names at the right ends of the curves, which make a legend unnecessary; a legend where there are no curves. */

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

  TOSST_FOR_EACH (Name, name, names)
    {
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

static void
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
  TOSST_FOR_EACH (const Name, name, names)
    {
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

/* Dense curves: lowest and highest value in each pixel column, and their painting. */

/* Extends neighbouring columns to half way between the last value of one and the first of the next, so that a steep
 * curve is connected. */
static void
join_columns (TosstColumn *left, double last, TosstColumn *right, double first, const TosstAxis *y_axis)
{
  double middle = y_axis->logarithmic ? sqrt (last) * sqrt (first) : 0.5 * last + 0.5 * first;

  left->low = MIN (left->low, middle);
  left->high = MAX (left->high, middle);
  right->low = MIN (right->low, middle);
  right->high = MAX (right->high, middle);
}

/* Interpolates across columns without points, from the last value of one to the first of the next. */
static void
bridge_columns (TosstColumn *columns, guint left, double last, guint right, double first, const TosstAxis *y_axis)
{
  double from = y_axis->logarithmic ? log (last) : last, to = y_axis->logarithmic ? log (first) : first;

  for (guint c = left; c < right; c++)
    {
      double edge = from + (to - from) * (c + 0.5 - left) / (right - left);
      edge = y_axis->logarithmic ? exp (edge) : edge;
      for (guint side = c; side <= c + 1; side++)
        {
          columns[side].low = MIN (columns[side].low, edge);
          columns[side].high = MAX (columns[side].high, edge);
          columns[side].empty = FALSE;
        }
    }
}

GArray *
tosst_series_columns (const TosstSeries *series, guint first, guint last, const TosstAxis *x_axis,
                      const TosstAxis *y_axis)
{
  const TosstChartPoint *points = (const TosstChartPoint *)series->points->data;
  guint n = (guint)MAX (1.0, ceil (x_axis->to - x_axis->from)), k = first, before = 0;
  GArray *columns = g_array_sized_new (FALSE, FALSE, sizeof (TosstColumn), n);
  double previous = NAN, lowest = y_axis->logarithmic ? 0.0 : -INFINITY; /* lower bound of drawable values */
  gboolean broken = FALSE; /* by a value that cannot be drawn after the previous one */

  for (guint c = 0; c < n; c++)
    {
      /* Points are sorted by x: comparing with the column's end avoids a logarithm per point. */
      double end = tosst_axis_value (x_axis, x_axis->from + c + 1), low = INFINITY, high = -INFINITY, start = NAN,
             finish = NAN;
      TosstColumn column = { .x = x_axis->from + c + 0.5 };
      gboolean gap = FALSE;

      for (; k < last && (points[k].x < end || c == n - 1); k++)
        {
          double y = points[k].y;
          if (!(y > lowest && y < INFINITY))
            {
              broken = TRUE;
              continue;
            }
          if (isnan (start))
            {
              start = y;
              gap = broken;
            }
          broken = FALSE;
          low = y < low ? y : low;
          high = y > high ? y : high;
          finish = y;
        }
      column.empty = isnan (start);
      column.low = low;
      column.high = high;
      g_array_append_val (columns, column);
      if (column.empty)
        continue;
      if (!isnan (previous) && c == before + 1)
        join_columns (&g_array_index (columns, TosstColumn, before), previous, &g_array_index (columns, TosstColumn, c),
                      start, y_axis);
      else if (!isnan (previous) && !gap)
        bridge_columns ((TosstColumn *)columns->data, before, previous, c, start, y_axis);
      previous = finish;
      before = c;
    }
  return columns;
}

/* Clamps coordinates far beyond the plot, which would overflow. */
static double
position (const TosstAxis *y_axis, double value)
{
  return CLAMP (tosst_axis_position (y_axis, value), y_axis->to - 1e4, y_axis->from + 1e4);
}

/* Covers rows from..to of one pixel column, the first and the last one partially. */
static void
cover (guchar *pixels, int stride, int scale, double from, double to)
{
  for (int row = (int)from; row < to; row++)
    {
      double part = MIN (to, row + 1.0) - MAX (from, row);
      memset (pixels + (gsize)row * stride, (int)lrint (255.0 * part), scale);
    }
}

/* Paints whole pixel columns through a mask: an image surface then need not compute and sort the edges of a polygon. */
static void
fill_mask (cairo_t *cr, const GArray *columns, const TosstAxis *x_axis, const TosstAxis *y_axis, double half)
{
  double top, bottom, across = 1.0, down = 1.0;

  /* Range of pixel rows of the columns inside the plot. */
  double low = INFINITY, high = -INFINITY;

  TOSST_FOR_EACH (const TosstColumn, c, columns)
    {
      low = c->empty ? low : MIN (low, position (y_axis, c->high) - half);
      high = c->empty ? high : MAX (high, position (y_axis, c->low) + half);
    }
  top = floor (MAX (low, y_axis->to - 4.0));
  bottom = ceil (MIN (high, y_axis->from + 4.0));
  if (!(top < bottom))
    return;
  cairo_user_to_device_distance (cr, &across, &down);
  int scale = MAX (1, (int)lrint (fabs (down))), height = (int)(bottom - top) * scale;
  cairo_surface_t *mask = cairo_image_surface_create (CAIRO_FORMAT_A8, (int)columns->len * scale, height);
  guchar *pixels = cairo_image_surface_get_data (mask);
  int stride = cairo_image_surface_get_stride (mask);

  for (guint i = 0; pixels && i < columns->len; i++)
    {
      const TosstColumn *c = &g_array_index (columns, TosstColumn, i);
      double from = (position (y_axis, c->high) - half - top) * scale,
             to = (position (y_axis, c->low) + half - top) * scale;

      if (!c->empty)
        cover (pixels + i * scale, stride, scale, CLAMP (from, 0.0, height), CLAMP (to, 0.0, height));
    }
  cairo_surface_mark_dirty (mask);
  cairo_surface_set_device_scale (mask, scale, scale);
  cairo_mask_surface (cr, mask, round (x_axis->from), top);
  cairo_surface_destroy (mask);
}

/* One outline for each group of columns, without seams between them in scaled files. */
static void
fill_outline (cairo_t *cr, const GArray *columns, const TosstAxis *y_axis, double half)
{
  const TosstColumn *c = (const TosstColumn *)columns->data;

  for (guint i = 0; i < columns->len;)
    {
      guint end = i;
      while (end < columns->len && !c[end].empty)
        end++;
      if (end == i)
        {
          i++;
          continue;
        }
      cairo_move_to (cr, c[i].x - 0.5, position (y_axis, c[i].high) - half);
      for (guint k = i; k < end; k++)
        cairo_line_to (cr, c[k].x, position (y_axis, c[k].high) - half);
      cairo_line_to (cr, c[end - 1].x + 0.5, position (y_axis, c[end - 1].high) - half);
      cairo_line_to (cr, c[end - 1].x + 0.5, position (y_axis, c[end - 1].low) + half);
      for (guint k = end; k-- > i;)
        cairo_line_to (cr, c[k].x, position (y_axis, c[k].low) + half);
      cairo_line_to (cr, c[i].x - 0.5, position (y_axis, c[i].low) + half);
      cairo_close_path (cr);
      i = end;
    }
  cairo_fill (cr);
}

/* Drawing of a curve chart: title, axes, curves, marks for values that cannot be drawn. */

/* --- layout --- */

/* The most points of a visible series. */
static guint
most_points (const TosstDrawing *d)
{
  guint most = 0;

  for (guint i = 0; i < d->chart->series->len; i++)
    if (tosst_drawing_series (d, i)->visible)
      most = MAX (most, tosst_drawing_series (d, i)->points->len);
  return most;
}

static guint
wanted_x_ticks (const TosstDrawing *d)
{
  return (guint)CLAMP ((d->right - d->left) / (5.5 * d->em), 2.0, 10.0);
}

static guint
wanted_y_ticks (const TosstDrawing *d)
{
  return (guint)CLAMP ((d->bottom - d->top) / (2.8 * d->em), 2.0, 8.0);
}

static double
widest_label (TosstDrawing *d, GArray *ticks)
{
  double widest = 0.0;

  TOSST_FOR_EACH (const TosstTick, tick, ticks)
    if (tick->label)
      widest = MAX (widest, tosst_text_width (&d->text, tick->label, TOSST_SMALL));
  return widest;
}

static void
choose_x_range (TosstDrawing *d)
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
  double first = axis->low;
  double last = axis->high;
  if (!chart->categories)
    tosst_axis_nice_range (&axis->low, &axis->high, chart->log_x, wanted_x_ticks (d));
  /* A count from 1 has no 0. */
  if (chart->integer_x && !chart->log_x && isfinite (first) && last > first)
    axis->low = MAX (axis->low, first);
}

static void
choose_y_range (TosstDrawing *d)
{
  TosstAxis *axis = &d->chart->y_axis;

  axis->logarithmic = d->chart->log_y;
  if (isfinite (d->chart->y_low) && (!d->chart->log_y || d->chart->y_low > 0.0))
    {
      axis->low = d->chart->y_low;
      axis->high = d->chart->y_high;
      return;
    }
  tosst_chart_y_extent (d->chart, d->chart->x_axis.low, d->chart->x_axis.high, &axis->low, &axis->high);
  double lowest = axis->low;
  double highest = axis->high;
  tosst_axis_nice_range (&axis->low, &axis->high, d->chart->log_y, wanted_y_ticks (d));
  if (!isfinite (lowest) || !isfinite (highest))
    return;
  axis->low = MAX (axis->low, MIN (d->chart->y_least, lowest));
  axis->high = MIN (axis->high, MAX (d->chart->y_most, highest));
}

/* Points per series from which error bars are too dense to be drawn side by side. */
#define MAX_BARS 64

static gboolean
has_bars (const TosstDrawing *d)
{
  gboolean bars = FALSE;

  for (guint i = 0; i < d->chart->series->len; i++)
    bars = bars || (tosst_drawing_series (d, i)->visible && tosst_drawing_series (d, i)->has_errors);
  return bars;
}

/* Whether two series have a point of the same name. */
static gboolean
shares_names (const TosstDrawing *d)
{
  g_autofree int *owner = g_new0 (int, MAX (d->chart->n_categories, 1));

  for (guint i = 0; i < d->chart->series->len; i++)
    for (guint j = 0; tosst_drawing_series (d, i)->visible && j < tosst_drawing_series (d, i)->points->len; j++)
      {
        double x = g_array_index (tosst_drawing_series (d, i)->points, TosstChartPoint, j).x;
        guint name = x >= 0 && x < d->chart->n_categories ? (guint)x : 0;

        if (owner[name] != 0 && owner[name] != (int)i + 1)
          return TRUE;
        owner[name] = (int)i + 1;
      }
  return FALSE;
}

/* Points with the same name, or error bars at the same x, are drawn side by side; the space between neighbouring
 * names is larger than between two points of one. The x axis has margins for that at its ends, and with few points,
 * error bars or bounded values so have both: a point is not drawn on an axis. */
static void
choose_step (TosstDrawing *d)
{
  TosstAxis *axis = &d->chart->x_axis, *y = &d->chart->y_axis;
  guint visible = tosst_chart_visible (d->chart);
  gboolean bars = has_bars (d), points = most_points (d) <= MAX_BARS && (bars || isfinite (d->chart->y_most));
  double margin = points && !d->chart->categories ? d->em : 0.0;

  margin = MIN (margin, 0.1 * (d->right - d->left));
  axis->from = d->left + margin;
  axis->to = d->right - margin;
  if (d->chart->categories)
    d->chart->step = shares_names (d) ? 0.8 / (visible + 1) * (axis->to - axis->from) / (axis->high - axis->low) : 0.0;
  else
    d->chart->step = bars && visible > 1 ? MIN (0.4 * d->em, 1.2 * margin / (visible - 1)) : 0.0;
  margin = points && isnan (d->chart->y_low) ? MIN (0.6 * d->em, 0.1 * (d->bottom - d->top)) : 0.0;
  y->from = d->bottom - margin;
  y->to = d->top + margin;
}

static GArray *
x_ticks (const TosstChart *chart, guint wanted)
{
  double low = chart->x_axis.low, high = chart->x_axis.high;

  if (chart->categories)
    {
      /* A tick for each name, at 0, 1, ..., that lies inside [low, high]. */
      const char *const *names = (const char *const *)chart->categories;
      GArray *ticks = g_array_new (FALSE, FALSE, sizeof (TosstTick));

      g_array_set_clear_func (ticks, clear_tick);
      for (guint i = 0; i < chart->n_categories; i++)
        if (i >= low && i <= high)
          append_tick (ticks, i, g_strdup (names[i]));
      return ticks;
    }
  return chart->integer_x && !chart->log_x ? tosst_axis_integer_ticks (low, high, wanted)
                                           : tosst_axis_ticks (low, high, chart->log_x, wanted);
}

/* Rows first, as they determine how many labels fit vertically; then columns. */
static void
lay_out (TosstDrawing *d)
{
  TosstChart *chart = d->chart;
  double outer = 0.5 * d->em;

  d->top = outer + (*chart->title && !d->style->untitled ? 1.7 * d->em : 0.4 * d->em);
  d->top += has_bars (d) ? 1.2 * d->em : 0.0;
  d->bottom = d->height - outer - 1.25 * d->em - (*chart->x_label ? 1.25 * d->em : 0.0);
  d->bottom = MAX (d->bottom, d->top + 1.0);
  /* Width of the names right of the plot. */
  double widest = 0.0;

  for (guint i = 0; i < d->chart->series->len; i++)
    if (has_name (d, i))
      widest = MAX (widest, tosst_text_width (&d->text, tosst_drawing_series (d, i)->name, 1.0)
                                + (d->chart->categories ? 2.2 : 1.4) * d->em);
  d->names = MIN (widest, 0.3 * d->width);
  d->left = outer + 3.0 * d->em;
  d->right = MAX (d->width - outer - MAX (d->names, 0.8 * d->em), d->left + 1.0);
  choose_x_range (d);
  choose_y_range (d);
  d->y_ticks = tosst_axis_ticks (chart->y_axis.low, chart->y_axis.high, chart->log_y, wanted_y_ticks (d));
  /* Usual labels at least, so that stacked charts are aligned and a growing chart does not move. */
  double labels = MAX (widest_label (d, d->y_ticks), tosst_text_width (&d->text, "100.0", TOSST_SMALL));
  d->left = round (outer + (*chart->y_label ? 1.35 * d->em : 0.0) + labels + 0.55 * d->em);
  d->right = MAX (round (d->right), d->left + 1.0);
  d->top = round (d->top);
  d->bottom = round (d->bottom);
  choose_step (d);
  for (guint wanted = wanted_x_ticks (d);; wanted--)
    {
      d->x_ticks = x_ticks (chart, wanted);
      /* Long labels may need more room than assumed; names are ellipsized instead. */
      if (wanted <= 1 || chart->categories
          || (widest_label (d, d->x_ticks) + d->em) * tosst_axis_count_labels (d->x_ticks)
                 <= d->right - d->left + 2.0 * d->em)
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
draw_grid (TosstDrawing *d)
{
  cairo_t *cr = d->cr;

  tosst_color_set (cr, tosst_color_grid (d->style), 1.0);
  cairo_set_line_width (cr, 1.0);
  TOSST_FOR_EACH (const TosstTick, tick, d->y_ticks)
    {
      double y = crisp (tosst_axis_position (&d->chart->y_axis, tick->value));
      if (!tick->label)
        continue;
      cairo_move_to (cr, d->left, y);
      cairo_line_to (cr, d->right, y);
    }
  TOSST_FOR_EACH (const TosstTick, tick, d->x_ticks)
    {
      /* The lines separate the names. */
      double x = crisp (tosst_axis_position (&d->chart->x_axis, tick->value + (d->chart->categories ? 0.5 : 0.0)));
      if (!tick->label || x > d->right)
        continue;
      cairo_move_to (cr, x, d->top);
      cairo_line_to (cr, x, d->bottom);
    }
  cairo_stroke (cr);
}

static void
draw_x_axis (TosstDrawing *d)
{
  cairo_t *cr = d->cr;
  double base = crisp (d->bottom);
  double step = (d->right - d->left) / (d->chart->x_axis.high - d->chart->x_axis.low); /* distance of two names */
  double widest = d->chart->categories ? MAX (step - 0.5 * d->em, d->em) : 0.0;        /* width of a label */

  tosst_color_set (cr, tosst_color_dim (d->style), 1.0);
  cairo_set_line_width (cr, d->style->high_contrast ? 1.5 : 1.0);
  cairo_move_to (cr, d->left, base);
  cairo_line_to (cr, d->right, base);
  for (guint i = 0; i < d->x_ticks->len && !d->chart->categories; i++)
    {
      const TosstTick *tick = &g_array_index (d->x_ticks, TosstTick, i);
      double x = tosst_axis_position (&d->chart->x_axis, tick->value);
      cairo_move_to (cr, crisp (x), base);
      cairo_line_to (cr, crisp (x), base + (tick->label ? 0.3 : 0.18) * d->em);
    }
  cairo_stroke (cr);
  TOSST_FOR_EACH (const TosstTick, tick, d->x_ticks)
    if (tick->label)
      tosst_text_draw (&d->text, cr, tick->label, tosst_axis_position (&d->chart->x_axis, tick->value),
                       d->bottom + 0.38 * d->em, 0.5, 0.0, 0, widest, TOSST_SMALL, FALSE);
}

static void
draw_y_labels (TosstDrawing *d)
{
  cairo_t *cr = d->cr;

  tosst_color_set (cr, tosst_color_dim (d->style), 1.0);
  cairo_set_line_width (cr, 1.0);
  TOSST_FOR_EACH (const TosstTick, tick, d->y_ticks)
    {
      double y = tosst_axis_position (&d->chart->y_axis, tick->value);
      if (tick->label)
        {
          tosst_text_draw (&d->text, cr, tick->label, d->left - 0.4 * d->em, y, 1.0, 0.5, 0, 0.0, TOSST_SMALL, FALSE);
          continue;
        }
      cairo_move_to (cr, d->left - 0.2 * d->em, crisp (y));
      cairo_line_to (cr, d->left, crisp (y));
      cairo_stroke (cr);
    }
}

static void
draw_titles (TosstDrawing *d)
{
  TosstChart *chart = d->chart;
  double middle = 0.5 * (d->left + d->right);

  tosst_color_set (d->cr, tosst_color_text (d->style), 1.0);
  if (*chart->title && !d->style->untitled)
    tosst_text_draw (&d->text, d->cr, chart->title, d->left, 0.5 * d->em, 0.0, 0.0, 0, d->width - d->left, 1.05, TRUE);
  if (has_bars (d)) /* from the left of the plot, or from further left where it has no space from there */
    {
      const char *note = _ ("Error bars: ± standard deviation over splits");
      double width = tosst_text_width (&d->text, note, TOSST_SMALL), left = CLAMP (d->width - width, 0.0, d->left);

      tosst_text_draw (&d->text, d->cr, note, left, d->top - 0.3 * d->em, 0.0, 1.0, 0, d->width - left, TOSST_SMALL,
                       FALSE);
    }
  if (*chart->x_label)
    tosst_text_draw (&d->text, d->cr, chart->x_label, middle, d->height - 0.4 * d->em, 0.5, 1.0, 0, d->right - d->left,
                     1.0, FALSE);
  if (*chart->y_label)
    tosst_text_draw (&d->text, d->cr, chart->y_label, 0.4 * d->em, 0.5 * (d->top + d->bottom), 0.5, 0.0, 1,
                     d->bottom - d->top, 1.0, FALSE);
}

/* --- curves --- */

/* Points per pixel: from the first on a curve is drawn by columns, from the second on without error bars. */
#define DENSE 0.25
#define CROWDED 2.0

/* Cairo sorts all edges of a stroke at once, and steep lines have many intersections: pieces take a tenth of the
 * time of a whole curve of thousands of points. */
#define STROKE_POINTS 16

static void
draw_line (TosstDrawing *d, const TosstSeries *series, guint first, guint last)
{
  gboolean pen_down = FALSE;
  guint drawn = 0;

  cairo_set_line_width (d->cr, tosst_drawing_line_width (d));
  cairo_set_line_join (d->cr, last - first > 500 ? CAIRO_LINE_JOIN_BEVEL : CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (d->cr, CAIRO_LINE_CAP_ROUND);
  for (guint i = first; i < last; i++)
    {
      const TosstChartPoint *point = tosst_series_point (series, i);
      if (!tosst_drawing_can_show (d, point))
        {
          pen_down = FALSE;
          continue;
        }
      double x = tosst_drawing_x (d, point->x), y = tosst_drawing_y (d, point->y);
      if (pen_down)
        cairo_line_to (d->cr, x, y);
      else
        cairo_move_to (d->cr, x, y);
      pen_down = TRUE;
      /* A new stroke would restart the dashes. */
      if (++drawn % STROKE_POINTS == 0 && cairo_get_dash_count (d->cr) == 0)
        {
          cairo_stroke (d->cr);
          cairo_move_to (d->cr, x, y);
        }
    }
  cairo_stroke (d->cr);
}

static void
draw_error_bars (TosstDrawing *d, const TosstSeries *series, guint first, guint last)
{
  double cap = 0.25 * d->em;

  for (guint i = first; i < last; i++)
    {
      const TosstChartPoint *point = tosst_series_point (series, i);
      double x, low, high;
      if (!tosst_drawing_can_show (d, point) || !isfinite (point->deviation))
        continue;
      x = tosst_drawing_x (d, point->x);
      tosst_drawing_bar (d, point, &low, &high);
      cairo_move_to (d->cr, x, low);
      cairo_line_to (d->cr, x, high);
      cairo_move_to (d->cr, x - cap, low);
      cairo_line_to (d->cr, x + cap, low);
      cairo_move_to (d->cr, x - cap, high);
      cairo_line_to (d->cr, x + cap, high);
    }
  cairo_set_line_width (d->cr, 0.75 * tosst_drawing_line_width (d));
  cairo_set_line_cap (d->cr, CAIRO_LINE_CAP_BUTT);
  cairo_stroke (d->cr);
}

/* Values that cannot be drawn are marked on the axis: a short upright tick for NaN and infinity, a small triangle
 * pointing down for values at or below zero on a logarithmic axis. */
static void
draw_missing (TosstDrawing *d, const TosstSeries *series, guint first, guint last)
{
  double mark = 0.5 * d->em, previous = -INFINITY;

  for (guint i = first; i < last; i++)
    {
      const TosstChartPoint *point = tosst_series_point (series, i);
      if (tosst_drawing_can_show (d, point) || !tosst_axis_can_show (&d->chart->x_axis, point->x))
        continue;
      double x = tosst_drawing_x (d, point->x);
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
      cairo_rectangle (d->cr, x - 0.75 * tosst_drawing_line_width (d), d->bottom - 1.4 * mark,
                       1.5 * tosst_drawing_line_width (d), 1.4 * mark);
      cairo_fill (d->cr);
    }
}

static void
draw_series (TosstDrawing *d, guint index)
{
  const TosstSeries *series = tosst_drawing_series (d, index);
  guint first, last;
  double pixels = d->right - d->left;
  TosstColor color = tosst_color_series (d->style, series->color);
  guint twins = tosst_chart_twins (d->chart, index);

  tosst_drawing_range (d, series, &first, &last);
  gboolean dense = !d->chart->categories && last - first > DENSE * pixels;
  d->shift = tosst_chart_shift (d->chart, index);
  tosst_color_set (d->cr, color, 1.0);
  if (dense)
    {
      g_autoptr (GArray) columns = tosst_series_columns (series, first, last, &d->chart->x_axis, &d->chart->y_axis);
      double half = 0.5 * tosst_drawing_line_width (d);

      /* The columns are extended by half a line width above and below. The y axis runs from its bottom to its top. */
      double across = 0.0, down = 1.0;

      cairo_user_to_device_distance (d->cr, &across, &down);
      /* A mask has whole pixels: those of a screen. */
      if (cairo_surface_get_type (cairo_get_target (d->cr)) == CAIRO_SURFACE_TYPE_IMAGE && down == rint (down))
        fill_mask (d->cr, columns, &d->chart->x_axis, &d->chart->y_axis, half);
      else
        fill_outline (d->cr, columns, &d->chart->y_axis, half);
    }
  else if (!d->chart->categories)
    {
      const double unit = tosst_drawing_line_width (d);
      const double dash[] = { (twins == 2 ? 1.0 : 4.0) * unit, (twins == 2 ? 2.5 : 3.0) * unit, unit, 3.0 * unit };
      /* Solid, dashed, dotted, both, for series of one colour. */
      cairo_set_dash (d->cr, dash, twins % 4 == 3 ? 4 : twins % 4 > 0 ? 2 : 0, 0.0);
      draw_line (d, series, first, last);
      cairo_set_dash (d->cr, NULL, 0, 0.0);
    }
  if (series->has_errors && last - first <= CROWDED * pixels)
    {
      /* Fainter than the means. */
      tosst_color_set (d->cr, color, d->style->high_contrast || d->chart->step > 0.0 ? 1.0 : 0.6);
      draw_error_bars (d, series, first, last);
      tosst_color_set (d->cr, color, 1.0);
    }
  if (!dense && (last - first) * 9.0 <= pixels)
    {
      for (guint i = first; i < last; i++)
        {
          const TosstChartPoint *point = tosst_series_point (series, i);

          if (tosst_drawing_can_show (d, point))
            tosst_drawing_mark (d, index, tosst_drawing_x (d, point->x), tosst_drawing_y (d, point->y));
        }
      cairo_fill (d->cr);
    }
  draw_missing (d, series, first, last);
  if (d->chart->categories)
    tosst_drawing_numbers (d, index, first, last);
  d->shift = 0;
}

/* A ring around the best point, and a word if it has room to its left: above, or below where the note is above. */
static void
draw_best (TosstDrawing *d)
{
  double x, y, radius = 0.55 * d->em, width;
  const char *label = d->chart->best_label != NULL ? d->chart->best_label : _ ("Best");
  double above = 1.5 * radius;
  guint series;

  if (!tosst_chart_get_best (d->chart, &series, &x, &y) || !tosst_drawing_can_show (d, &(TosstChartPoint){ x, y, NAN }))
    return;
  width = tosst_text_width (&d->text, label, TOSST_SMALL);
  d->shift = tosst_chart_shift (d->chart, series);
  x = tosst_drawing_x (d, x);
  y = tosst_drawing_y (d, y);
  d->shift = 0.0;
  tosst_color_set (d->cr, tosst_color_text (d->style), 1.0);
  cairo_set_line_width (d->cr, tosst_drawing_line_width (d));
  cairo_new_sub_path (d->cr);
  cairo_arc (d->cr, x, y, radius, 0.0, 2.0 * G_PI);
  cairo_stroke (d->cr);
  if (y - above - 0.5 * d->em < d->top)
    above = -above;
  if (x - width - 2.0 * radius > d->left)
    tosst_text_draw (&d->text, d->cr, label, x - 1.5 * radius, y - above, 1.0, 0.5, 0, 0.0, TOSST_SMALL, FALSE);
}

/* The clip is slightly larger than the plot, so that lines and dots on its edge are complete; a curve that extends
 * beyond the edge is cut there and does not cover the labels. */
static void
clip_curves (TosstDrawing *d)
{
  const TosstAxis *axis = &d->chart->x_axis;
  gboolean zoomed = isfinite (d->chart->y_low);
  double margin = MAX (4.0, 0.6 * d->em), low, high, left, right, above;

  tosst_chart_x_extent (d->chart, &low, &high);
  left = low < axis->low ? 0.0 : margin;
  right = high > axis->high ? 0.0 : margin;
  /* An omitted value may be higher or lower. */
  above = zoomed ? 0.0 : left > 0.0 && right > 0.0 ? margin : tosst_drawing_line_width (d);
  cairo_rectangle (d->cr, d->left - left, d->top - above, d->right - d->left + left + right,
                   d->bottom - d->top + 2.0 * above);
  cairo_clip (d->cr);
}

void
tosst_chart_draw (TosstChart *self, cairo_t *cr, double width, double height, const TosstChartStyle *style)
{
  TosstDrawing d = { .chart = self, .cr = cr, .style = style, .width = width, .height = height };

  tosst_chart_sort (self);
  d.text = tosst_text_new (style);
  d.em = tosst_text_height (&d.text, 1.0);
  lay_out (&d);
  cairo_save (cr);
  if (most_points (&d) > 0)
    {
      draw_grid (&d);
      draw_x_axis (&d);
      draw_y_labels (&d);
      draw_titles (&d);
    }
  else
    {
      /* An axis without data would have meaningless numbers. */
      tosst_color_set (cr, tosst_color_dim (style), 1.0);
      tosst_text_draw (&d.text, cr, _ ("No data"), 0.5 * (d.left + d.right), 0.5 * (d.top + d.bottom), 0.5, 0.5, 0, 0.0,
                       1.0, FALSE);
    }
  cairo_save (cr);
  clip_curves (&d);
  for (guint i = 0; i < self->series->len; i++)
    if (tosst_drawing_series (&d, i)->visible)
      draw_series (&d, i);
  draw_best (&d);
  cairo_restore (cr);
  tosst_drawing_names (&d);
  cairo_restore (cr);
  self->drawn = TRUE;
  g_array_unref (d.x_ticks);
  g_array_unref (d.y_ticks);
  tosst_text_clear (&d.text);
}
