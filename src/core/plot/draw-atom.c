/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms: bars of b_k and of eigenvalues, thumbnails, and a page with all data of one atom.
 */
#include "config.h"

#include "core/plot/draw-atom.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/chart-private.h"

static const double SMALL = 0.9;

#define NOISE 1e-6 /* relative to the largest entry: a negative rounding error does not count as a negative entry */

/* --- bars --- */

typedef struct
{
  TosstAxis x, y;
  double em;
} Axes;

static void
lay_out (TosstText *text, double width, double height, const TosstBarsDrawing *self, Axes *out)
{
  g_autoptr (GArray) ticks = NULL;
  double low = 0, high = 0, left = 0;

  for (int i = 0; i < self->n; i++)
    if (isfinite (self->values[i]))
      {
        low = MIN (low, self->values[i]);
        high = MAX (high, self->values[i]);
      }
  if (low < 0 && -low < NOISE * high)
    low = 0;
  if (high == low)
    high = 1;
  tosst_axis_nice_range (&low, &high, FALSE, 3);
  ticks = tosst_axis_ticks (low, high, FALSE, 3);
  for (guint i = 0; i < ticks->len; i++)
    left = MAX (left, tosst_text_width (text, g_array_index (ticks, TosstTick, i).label, SMALL));
  out->em = text->size;
  left += 0.8 * out->em;
  out->x = (TosstAxis){ 0, self->n, FALSE, left, width - 0.6 * out->em };
  out->y = (TosstAxis){ low, high, FALSE, height - 1.8 * out->em, 0.8 * out->em };
}

static void
draw_grid (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Axes *axes)
{
  g_autoptr (GArray) ticks = tosst_axis_ticks (axes->y.low, axes->y.high, FALSE, 3);

  cairo_set_line_width (cr, 1);
  for (guint i = 0; i < ticks->len; i++)
    {
      const TosstTick *tick = &g_array_index (ticks, TosstTick, i);
      double y = round (tosst_axis_position (&axes->y, tick->value)) + 0.5;

      tosst_color_set (cr, tick->value == 0 ? tosst_color_dim (style) : tosst_color_grid (style), 1);
      cairo_move_to (cr, axes->x.from, y);
      cairo_line_to (cr, axes->x.to, y);
      cairo_stroke (cr);
      tosst_color_set (cr, tosst_color_dim (style), 1);
      tosst_text_draw (text, cr, tick->label, axes->x.from - 0.4 * axes->em, y, 1, 0.5, 0, 0, SMALL, FALSE);
    }
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
  for (guint g = 0; g < self->groups->len; g++)
    {
      const TosstFeatureGroup *group = &g_array_index (self->groups, TosstFeatureGroup, g);
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
  g_auto (TosstText) text = { 0 };
  Axes axes;
  double bar, zero;

  if (self->n <= 0)
    return;
  tosst_text_init (&text, style);
  lay_out (&text, width, height, self, &axes);
  draw_grid (cr, &text, style, &axes);
  draw_borders (cr, style, &axes, self);
  bar = MIN ((axes.x.to - axes.x.from) / self->n, 2.5 * axes.em);
  zero = tosst_axis_position (&axes.y, 0);
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
  g_auto (TosstText) text = { 0 };
  Axes axes;
  double at;

  tosst_text_init (&text, style);
  lay_out (&text, width, height, self, &axes);
  at = tosst_axis_value (&axes.x, pointer_x);
  return at >= 0 && at < self->n && pointer_y >= 0 && pointer_y < height ? (int)at : -1;
}

/* --- thumbnails --- */

void
tosst_atom_pixels (const double *matrix, int rows, int columns, int zoom, gboolean dark, guint32 *pixels)
{
  const TosstHeatTable *table = tosst_heat_table_diverging (dark);
  gsize width = (gsize)columns * zoom;
  gboolean negative;
  double limit = tosst_matrix_limit (matrix, (gsize)rows * columns, &negative);

  for (gsize y = 0; y < (gsize)rows * zoom; y++)
    for (gsize x = 0; x < width; x++)
      pixels[y * width + x] = tosst_heat_pixel (table, matrix[y / zoom * columns + x / zoom], limit);
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
  g_auto (TosstText) text = { 0 };

  tosst_text_init (&text, style);
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
