/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/predict/draw-margins.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/chart-private.h"

static const double LINE = 1.75; /* in font sizes */
static const double NAMES = 0.4; /* largest share of the width for names */

static int
compare_margins (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *margins = data;
  int p = *(const int *)a, q = *(const int *)b;

  if (margins[p] != margins[q])
    return margins[p] < margins[q] ? 1 : -1;
  return p - q;
}

int *
tosst_margins_order (const double *margins, int classes)
{
  int *order = g_new (int, classes);

  for (int c = 0; c < classes; c++)
    order[c] = c;
  g_qsort_with_data (order, classes, sizeof *order, compare_margins, (gpointer)margins);
  return order;
}

char *
tosst_probability_label (double probability)
{
  double percent = 100 * probability;

  return percent >= 99.5 ? g_strdup (_ ("> 99 %"))
         : percent < 0.5 ? g_strdup (_ ("< 1 %"))
                         : g_strdup_printf (_ ("%.0f %%"), percent);
}

typedef struct
{
  double line, left, right, low, high; /* of the bars: positions, and their margins */
  double names, values;                /* widths */
  int lines;
} Layout;

static Layout
lay_out (TosstText *text, double width, double height, const TosstMarginsDrawing *self, const int *order)
{
  Layout layout = { .line = LINE * text->size,
                    .values = tosst_text_width (text,
                                                "\xe2\x88\x92"
                                                "0.00",
                                                1) };

  layout.lines = CLAMP ((int)(height / layout.line), 1, self->classes);
  for (int i = 0; i < layout.lines; i++)
    {
      const char *name = self->class_names[order[i]];

      layout.names
          = MAX (layout.names, i == 0 ? tosst_text_bold_width (text, name, 1) : tosst_text_width (text, name, 1));
      layout.low = MIN (layout.low, self->margins[order[i]]);
      layout.high = MAX (layout.high, self->margins[order[i]]);
    }
  layout.names = MIN (ceil (layout.names), NAMES * width);
  layout.left = layout.names + 0.8 * text->size;
  layout.right = MAX (width - layout.values - 0.6 * text->size, layout.left + 1);
  if (self->probabilities)
    layout.high = 1;
  if (layout.high - layout.low < 1e-9)
    layout.high = layout.low + 1;
  return layout;
}

static double
position (const Layout *layout, double margin)
{
  return layout->left + (margin - layout->low) / (layout->high - layout->low) * (layout->right - layout->left);
}

static void
draw_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const TosstMarginsDrawing *self,
          const Layout *layout, int line, int class_index, double width)
{
  double y = (line + 0.5) * layout->line, margin = self->margins[class_index];
  double zero = position (layout, 0), end = position (layout, margin);
  g_autofree char *value = self->probabilities
                               ? tosst_probability_label (margin)
                               : g_strdup_printf ("%s%.2f", margin < -0.005 ? "\xe2\x88\x92" : "", fabs (margin));

  tosst_color_set (cr, line == 0 ? tosst_color_text (style) : tosst_color_dim (style), 1);
  tosst_text_draw (text, cr, self->class_names[class_index], layout->names, y, 1, 0.5, 0, layout->names, 1, line == 0);
  tosst_text_draw (text, cr, value, width, y, 1, 0.5, 0, 0, 1, line == 0);
  tosst_color_set (
      cr, self->classes <= TOSST_MAP_COLORS ? tosst_color_map ((guint)class_index) : tosst_color_series (style, 0),
      margin > 0 ? 1 : 0.55);
  cairo_rectangle (cr, MIN (zero, end), y - 0.32 * layout->line, MAX (fabs (end - zero), 1), 0.64 * layout->line);
  cairo_fill_preserve (cr);
  tosst_color_set (cr, tosst_color_dim (style), 0.6); /* dark colours on a dark ground */
  cairo_set_line_width (cr, 0.75);
  cairo_stroke (cr);
}

void
tosst_draw_margins (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                    const TosstMarginsDrawing *self)
{
  g_autofree int *order = tosst_margins_order (self->margins, self->classes);
  g_auto (TosstText) text = { 0 };

  tosst_text_init (&text, style);

  Layout layout = lay_out (&text, width, height, self, order);
  double zero = position (&layout, 0);

  for (int i = 0; i < layout.lines; i++)
    draw_bar (cr, &text, style, self, &layout, i, order[i], width);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, zero, 0);
  cairo_line_to (cr, zero, layout.lines * layout.line);
  cairo_stroke (cr);
}

int
tosst_margins_pick (double width, double height, const TosstChartStyle *style, const TosstMarginsDrawing *self,
                    double x, double y)
{
  g_autofree int *order = tosst_margins_order (self->margins, self->classes);
  g_auto (TosstText) text = { 0 };

  tosst_text_init (&text, style);

  Layout layout = lay_out (&text, width, height, self, order);
  int line = (int)floor (y / layout.line);

  return x >= 0 && x < width && line >= 0 && line < layout.lines ? order[line] : -1;
}
