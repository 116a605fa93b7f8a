/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms and codes: bars of b_k and of eigenvalues, codes as stems, thumbnails, and pages with all data of one.
 */
#include "core/plot/draw-code.h"

#include "core/base/base.h"
#include "core/plot/chart-private.h"

static const double SMALL = 0.9;

#define NOISE 1e-6 /* relative to the largest entry: a negative rounding error does not count as a negative entry */

typedef struct
{
  TosstAxis x, y;
  double em;
} Axes;

/* The range of y has zero and all values but those below 0 of at most noise times the largest. margin: left of the labels,
 * right, below and above, in the unit of the text. */
static void
lay_out (TosstText *text, double width, double height, const double *values, int n, double noise, int labels,
         const double margin[4], Axes *out)
{
  double low = 0, high = 0, left = 0;

  for (int i = 0; i < n; i++)
    if (isfinite (values[i]))
      {
        low = MIN (low, values[i]);
        high = MAX (high, values[i]);
      }
  if (low < 0 && -low < noise * high)
    low = 0;
  if (high == low)
    high = 1;
  tosst_axis_nice_range (&low, &high, FALSE, labels);
  g_autoptr (GArray) ticks = tosst_axis_ticks (low, high, FALSE, labels);
  for (guint i = 0; i < ticks->len; i++)
    left = MAX (left, tosst_text_width (text, g_array_index (ticks, TosstTick, i).label, SMALL));
  out->em = text->size;
  out->x = (TosstAxis){ 0, n, FALSE, left + margin[0] * out->em, width - margin[1] * out->em };
  out->y = (TosstAxis){ low, high, FALSE, height - margin[2] * out->em, margin[3] * out->em };
}

static void
draw_grid (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Axes *axes, int labels, double gap)
{
  g_autoptr (GArray) ticks = tosst_axis_ticks (axes->y.low, axes->y.high, FALSE, labels);

  cairo_set_line_width (cr, 1);
  TOSST_FOR_EACH (const TosstTick, tick, ticks)
    {
      double y = round (tosst_axis_position (&axes->y, tick->value)) + 0.5;

      tosst_color_set (cr, tick->value == 0 ? tosst_color_dim (style) : tosst_color_grid (style), 1);
      cairo_move_to (cr, axes->x.from, y);
      cairo_line_to (cr, axes->x.to, y);
      cairo_stroke (cr);
      tosst_color_set (cr, tosst_color_dim (style), 1);
      tosst_text_draw (text, cr, tick->label, axes->x.from - gap * axes->em, y, 1, 0.5, 0, 0, SMALL, FALSE);
    }
}

/* --- bars --- */

static void
lay_out_bars (TosstText *text, double width, double height, const TosstBarsDrawing *self, Axes *out)
{
  lay_out (text, width, height, self->values, self->n, NOISE, 3, (double[4]){ 0.8, 0.6, 1.8, 0.8 }, out);
}

/* Feature names below their bars, or numbers. */
static void
draw_names (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Axes *axes, const TosstBarsDrawing *self)
{
  double y = axes->y.from + 0.3 * axes->em, end = -INFINITY;

  tosst_color_set (cr, tosst_color_dim (style), 1);
  if (self->groups == NULL)
    {
      g_autoptr (GArray) ticks = tosst_axis_integer_ticks (1, self->n, 6);

      for (guint i = 0; i < ticks->len; i++)
        tosst_text_draw (text, cr, g_array_index (ticks, TosstTick, i).label,
                         tosst_axis_position (&axes->x, g_array_index (ticks, TosstTick, i).value - 0.5), y, 0.5, 0, 0,
                         0, SMALL, FALSE);
      return;
    }
  text->symbols = TRUE;
  TOSST_FOR_EACH (const TosstFeatureGroup, group, self->groups)
    {
      double x = tosst_axis_position (&axes->x, group->first + 0.5 * group->count);
      double half = tosst_text_width (text, group->name, SMALL) / 2;

      if (x - half < end + 0.3 * axes->em)
        continue;
      end = x + half;
      tosst_text_draw (text, cr, group->name, x, y, 0.5, 0, 0, 0, SMALL, FALSE);
    }
  text->symbols = FALSE;
}

/* Separators between features. */
static void
draw_borders (cairo_t *cr, const TosstChartStyle *style, const Axes *axes, const TosstBarsDrawing *self)
{
  if (self->groups == NULL || g_array_index (self->groups, TosstFeatureGroup, 0).count < 2)
    return;
  tosst_color_set (cr, tosst_color_grid (style), 1);
  for (guint g = 1; g < self->groups->len; g++)
    {
      double x = round (tosst_axis_position (&axes->x, g_array_index (self->groups, TosstFeatureGroup, g).first)) + 0.5;

      cairo_move_to (cr, x, axes->y.from);
      cairo_line_to (cr, x, axes->y.to);
    }
  cairo_stroke (cr);
}

void
tosst_draw_bars (cairo_t *cr, double width, double height, const TosstChartStyle *style, const TosstBarsDrawing *self)
{
  Axes axes;

  if (self->n <= 0)
    return;
  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_bars (&text, width, height, self, &axes);
  draw_grid (cr, &text, style, &axes, 3, 0.4);
  draw_borders (cr, style, &axes, self);
  double bar = MIN ((axes.x.to - axes.x.from) / self->n, 2.5 * axes.em);
  double zero = tosst_axis_position (&axes.y, 0);
  tosst_color_set (cr, tosst_color_series (style, 0), 1);
  for (int i = 0; i < self->n; i++)
    if (isfinite (self->values[i]))
      {
        double x = tosst_axis_position (&axes.x, i + 0.5), y = tosst_axis_position (&axes.y, self->values[i]);

        cairo_rectangle (cr, x - 0.4 * bar, MIN (y, zero), MAX (0.8 * bar, 1), fabs (y - zero));
      }
  cairo_fill (cr);
  draw_names (cr, &text, style, &axes, self);
}

int
tosst_bars_pick (double width, double height, const TosstChartStyle *style, const TosstBarsDrawing *self,
                 double pointer_x, double pointer_y)
{
  Axes axes;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_bars (&text, width, height, self, &axes);
  double at = tosst_axis_value (&axes.x, pointer_x);
  return at >= 0 && at < self->n && pointer_y >= 0 && pointer_y < height ? (int)at : -1;
}

/* --- thumbnails --- */

void
tosst_atom_pixels (const double *matrix, int rows, int columns, int zoom, gboolean dark, guint32 *pixels)
{
  gboolean negative;

  tosst_heat_pixels (matrix, rows, columns, zoom, tosst_matrix_limit (matrix, (gsize)rows * columns, &negative), dark,
                     pixels);
}

/* --- the page --- */

static void
draw_heading (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const char *heading, double x, double y,
              double width)
{
  tosst_color_set (cr, tosst_color_text (style), 1);
  tosst_text_draw (text, cr, heading, x, y, 0, 0, 0, width, 1, TRUE);
}

void
tosst_draw_atom_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                       const TosstAtomSheet *self)
{
  double em = style->font_size, top = 4.6 * em, strip = self->strip.planes > 1 ? 0.24 * height : 0;
  double upper = height - top - strip - 2 * em, left = 0.54 * width, right = width - left - 2 * em;
  double bars = upper / 2 - 2 * em, x = left + em;

  g_auto (TosstText) text = tosst_text_new (style);
  draw_heading (cr, &text, style, self->title, em, 0.8 * em, width - 2 * em);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  tosst_text_draw (&text, cr, self->facts, em, 2.5 * em, 0, 0, 0, width - 2 * em, 1, FALSE);
  draw_heading (cr, &text, style, "b", x, top, right);
  draw_heading (cr, &text, style, _ ("Eigenvalues"), x, top + upper / 2, right);
  cairo_save (cr);
  cairo_translate (cr, em, top);
  tosst_draw_named_matrix (cr, left - em, upper, style, &self->matrix);
  cairo_translate (cr, x - em, 1.7 * em);
  tosst_draw_bars (cr, right, bars, style, &self->b);
  cairo_translate (cr, 0, upper / 2);
  tosst_draw_bars (cr, right, bars, style, &self->eigenvalues);
  cairo_restore (cr);
  if (strip > 0)
    {
      draw_heading (cr, &text, style, _ ("Slices"), em, top + upper + 0.5 * em, width);
      cairo_save (cr);
      cairo_translate (cr, em, top + upper + 2.2 * em);
      tosst_draw_strip (cr, width - 2 * em, strip - 1.5 * em, style, &self->strip);
      cairo_restore (cr);
    }
}

/* --- stems --- */

#define MAX_LABELS 12
#define NEAR 24.0 /* distance from the pointer within which a stem is picked, in units of the drawing */

static void
lay_out_stems (TosstText *text, double width, double height, const TosstStemsDrawing *self, Axes *out)
{
  lay_out (text, width, height, self->code, self->K, 0, 4, (double[4]){ 2.3, 1.4, 2.9, 2 }, out);
  out->x.low = 0.5;
  out->x.high = self->K + 0.5;
}

static void
draw_axes (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Axes *axes, double height)
{
  g_autoptr (GArray) x_ticks = tosst_axis_integer_ticks (1, floor (axes->x.high), 8);

  draw_grid (cr, text, style, axes, 4, 0.5);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  TOSST_FOR_EACH (const TosstTick, tick, x_ticks)
    {
      double x = round (tosst_axis_position (&axes->x, tick->value)) + 0.5;

      cairo_move_to (cr, x, axes->y.from);
      cairo_rel_line_to (cr, 0, 0.3 * axes->em);
      cairo_stroke (cr);
      tosst_text_draw (text, cr, tick->label, x, axes->y.from + 0.4 * axes->em, 0.5, 0, 0, 0, SMALL, FALSE);
    }
  tosst_color_set (cr, tosst_color_text (style), 1);
  tosst_text_draw (text, cr, _ ("Atom"), 0.5 * (axes->x.from + axes->x.to), height - 0.1 * axes->em, 0.5, 1, 0, 0,
                   SMALL, FALSE);
  tosst_text_draw (text, cr, "α", 0.2 * axes->em, 0.5 * (axes->y.from + axes->y.to), 0, 0.5, 0, 0, 1, FALSE);
}

static int
compare_size (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *code = data;
  double x = fabs (code[*(const int *)a]), y = fabs (code[*(const int *)b]);

  return x > y ? -1 : x < y ? 1 : *(const int *)a - *(const int *)b;
}

/* Labels of the largest coefficients beside their heads, as long as they do not overlap. */
static void
draw_labels (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Axes *axes,
             const TosstStemsDrawing *self, const GArray *support)
{
  cairo_rectangle_t taken[MAX_LABELS];
  int n = 0;

  tosst_color_set (cr, tosst_color_text (style), 1);
  for (guint i = 0; i < support->len && n < MAX_LABELS && i < 3 * MAX_LABELS; i++)
    {
      int k = g_array_index (support, int, i);
      g_autofree char *label = g_strdup_printf ("%d", k + 1);
      double w = tosst_text_width (text, label, SMALL), h = 1.2 * axes->em;
      double x = CLAMP (tosst_axis_position (&axes->x, k + 1), axes->x.from + w / 2, axes->x.to - w / 2);
      double y = tosst_axis_position (&axes->y, self->code[k])
                 + (self->code[k] > 0 ? -0.35 * axes->em - h : 0.35 * axes->em);
      cairo_rectangle_t box = { x - w / 2 - 0.2 * axes->em, y, w + 0.4 * axes->em, h };
      gboolean clear = TRUE;

      for (int j = 0; j < n; j++)
        clear &= box.x > taken[j].x + taken[j].width || taken[j].x > box.x + box.width
                 || box.y > taken[j].y + taken[j].height || taken[j].y > box.y + box.height;
      if (!clear)
        continue;
      taken[n++] = box;
      tosst_text_draw (text, cr, label, x, y + h / 2, 0.5, 0.5, 0, 0, SMALL, FALSE);
    }
}

static void
draw_stem (cairo_t *cr, const Axes *axes, double value, int k, double radius)
{
  double x = tosst_axis_position (&axes->x, k + 1), y = tosst_axis_position (&axes->y, value);

  cairo_move_to (cr, x, tosst_axis_position (&axes->y, 0));
  cairo_line_to (cr, x, y);
  cairo_stroke (cr);
  cairo_arc (cr, x, y, radius, 0, 2 * G_PI);
  cairo_fill (cr);
}

void
tosst_draw_stems (cairo_t *cr, double width, double height, const TosstChartStyle *style, const TosstStemsDrawing *self)
{
  /* Indices of the non-zeros, largest first. */
  g_autoptr (GArray) support = g_array_new (FALSE, FALSE, sizeof (int));

  for (int k = 0; k < self->K; k++)
    if (self->code[k] != 0 && isfinite (self->code[k]))
      g_array_append_val (support, k);
  g_array_sort_with_data (support, compare_size, (gpointer)self->code);
  Axes axes;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_stems (&text, width, height, self, &axes);
  draw_axes (cr, &text, style, &axes, height);
  cairo_set_line_width (cr, (style->high_contrast ? 2 : 1.25) * tosst_boldness (style));
  tosst_color_set (cr, tosst_color_series (style, 0), 1);
  for (guint i = support->len; i-- > 0;)
    {
      int k = g_array_index (support, int, i);

      draw_stem (cr, &axes, self->code[k], k, (support->len > 150 ? 1.6 : 2.4) * tosst_boldness (style));
    }
  if (self->chosen >= 0 && self->chosen < self->K && self->code[self->chosen] != 0)
    {
      tosst_color_set (cr, tosst_color_series (style, 1), 1);
      draw_stem (cr, &axes, self->code[self->chosen], self->chosen, 4);
    }
  draw_labels (cr, &text, style, &axes, self, support);
}

int
tosst_stems_pick (double width, double height, const TosstChartStyle *style, const TosstStemsDrawing *self,
                  double pointer_x, double pointer_y, double *x_at, double *y_at)
{
  double best = NEAR * NEAR;
  Axes axes;
  int found = -1;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_stems (&text, width, height, self, &axes);
  for (int k = 0; k < self->K; k++)
    {
      double x = tosst_axis_position (&axes.x, k + 1), y, dx = x - pointer_x, dy;

      if (self->code[k] == 0 || !isfinite (self->code[k]) || fabs (dx) > NEAR)
        continue;
      /* Along the stem the distance is horizontal; beyond its head the vertical distance has a small weight. */
      y = tosst_axis_position (&axes.y, self->code[k]);
      dy = 0.3 * (pointer_y - y);
      if (dx * dx + dy * dy >= best)
        continue;
      best = dx * dx + dy * dy;
      found = k;
      *x_at = x;
      *y_at = y;
    }
  return found;
}

void
tosst_draw_code_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                       const TosstCodeSheet *self)
{
  double em = style->font_size, top = 4.2 * em, half = 0.56 * (height - top);

  g_auto (TosstText) text = tosst_text_new (style);
  tosst_color_set (cr, tosst_color_text (style), 1);
  tosst_text_draw (&text, cr, self->title, em, 0.8 * em, 0, 0, 0, width - 2 * em, 1.1, TRUE);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  tosst_text_draw (&text, cr, self->facts, em, 2.4 * em, 0, 0, 0, width - 2 * em, 1, FALSE);
  cairo_save (cr);
  cairo_translate (cr, em, top);
  tosst_draw_slices (cr, width - 2 * em, half, style, &self->slices);
  cairo_translate (cr, 0, half + em);
  tosst_draw_stems (cr, width - 2 * em, height - top - half - 2 * em, style, &self->stems);
  cairo_restore (cr);
}
