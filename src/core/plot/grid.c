/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/plot/grid.h"

#include "core/base/base.h"
#include "core/plot/chart-private.h"

#define SMALL 0.9

/* Data. */

TosstGrid *
tosst_grid_new (const char *x_label, const char *const *columns, const char *y_label, const char *const *rows,
                const char *label)
{
  TosstGrid *self = g_new0 (TosstGrid, 1);

  self->x_label = g_strdup (x_label);
  self->y_label = g_strdup (y_label);
  self->label = g_strdup (label);
  self->column_names = g_strdupv ((char **)columns);
  self->row_names = g_strdupv ((char **)rows);
  self->columns = g_strv_length (self->column_names);
  self->rows = g_strv_length (self->row_names);
  self->value = g_new (double, (gsize)self->columns * self->rows + 1);
  for (gsize i = 0; i < (gsize)self->columns * self->rows; i++)
    self->value[i] = NAN;
  self->chosen_column = self->chosen_row = -1;
  return self;
}

TosstGrid *
tosst_grid_copy (const TosstGrid *self)
{
  TosstGrid *copy = tosst_grid_new (self->x_label, (const char *const *)self->column_names, self->y_label,
                                    (const char *const *)self->row_names, self->label);

  for (gsize i = 0; i < (gsize)self->columns * self->rows; i++)
    copy->value[i] = self->value[i];
  copy->low_is_best = self->low_is_best;
  copy->chosen_column = self->chosen_column;
  copy->chosen_row = self->chosen_row;
  return copy;
}

TOSST_DEFINE_PUBLIC_FREE (TosstGrid, tosst_grid_free, TosstGrid *, (x_label, g_free), (y_label, g_free),
                          (label, g_free), (column_names, g_strfreev), (row_names, g_strfreev), (value, g_free))

void
tosst_grid_set (TosstGrid *self, guint column, guint row, double value)
{
  self->value[(gsize)row * self->columns + column] = isfinite (value) ? value : NAN;
}

double
tosst_grid_get (const TosstGrid *self, guint column, guint row)
{
  return self->value[(gsize)row * self->columns + column];
}

gboolean
tosst_grid_best (const TosstGrid *self, guint *column, guint *row)
{
  double best = NAN;

  for (guint r = 0; r < self->rows; r++)
    for (guint c = 0; c < self->columns; c++)
      {
        double value = tosst_grid_get (self, c, r);

        if (isnan (value) || (!isnan (best) && !(self->low_is_best ? value < best : value > best)))
          continue;
        best = value;
        *column = c;
        *row = r;
      }
  return !isnan (best);
}

static gboolean
range (const TosstGrid *self, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (gsize i = 0; i < (gsize)self->columns * self->rows; i++)
    if (!isnan (self->value[i]))
      {
        *low = MIN (*low, self->value[i]);
        *high = MAX (*high, self->value[i]);
      }
  return *low <= *high;
}

/* Drawing. */

typedef struct
{
  double em, left, top, width, height; /* of the cells */
  double bar;                          /* x of the colours */
} Layout;

static double
widest (TosstText *text, char **names)
{
  double most = 0;

  for (guint i = 0; names[i] != NULL; i++)
    most = MAX (most, tosst_text_width (text, names[i], SMALL));
  return most;
}

static Layout
lay_out (const TosstGrid *self, TosstText *text, double width, double height)
{
  Layout layout = { .em = tosst_text_height (text, 1) };
  double names = MIN (widest (text, self->row_names), 0.25 * width);

  layout.left = round (1.9 * layout.em + names + 0.5 * layout.em);
  layout.top = round (1.9 * layout.em);
  layout.bar = width - 5 * layout.em;
  layout.width = MAX (layout.bar - layout.em - layout.left, 1);
  layout.height = MAX (height - 3 * layout.em - layout.top, 1);
  return layout;
}

/* Edges of cells are at whole pixels. */
static double
column_edge (const TosstGrid *self, const Layout *layout, guint column)
{
  return round (layout->left + layout->width * column / MAX (self->columns, 1));
}

static double
row_edge (const TosstGrid *self, const Layout *layout, guint row)
{
  return round (layout->top + layout->height * (self->rows - row) / MAX (self->rows, 1));
}

static void
trace_cell (cairo_t *cr, const TosstGrid *self, const Layout *layout, guint column, guint row, double inset)
{
  double x = column_edge (self, layout, column), right = column_edge (self, layout, column + 1);
  double bottom = row_edge (self, layout, row), y = row_edge (self, layout, row + 1);

  cairo_rectangle (cr, x + inset, y + inset, MAX (right - x - 2 * inset, 1), MAX (bottom - y - 2 * inset, 1));
}

static void
draw_cells (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const TosstGrid *self, const Layout *layout)
{
  double low, high, gap = self->columns * self->rows <= 2500 ? 1 : 0;

  range (self, &low, &high);
  for (guint row = 0; row < self->rows; row++)
    for (guint column = 0; column < self->columns; column++)
      {
        double value = tosst_grid_get (self, column, row), t = high > low ? (value - low) / (high - low) : 0.5;
        TosstColor color = isnan (value) ? tosst_color_grid (style) : tosst_color_sequential (style->dark, t);
        g_autofree char *label = isnan (value) ? NULL : tosst_number_label (value, 3);
        double x = column_edge (self, layout, column), right = column_edge (self, layout, column + 1);
        double bottom = row_edge (self, layout, row), top = row_edge (self, layout, row + 1);

        tosst_color_set (cr, color, isnan (value) ? 0.5 : 1);
        trace_cell (cr, self, layout, column, row, 0.5 * gap);
        cairo_fill (cr);
        if (label == NULL || bottom - top < 1.4 * layout->em
            || right - x < tosst_text_width (text, label, SMALL) + 0.5 * layout->em)
          continue;
        /* Black or white, whichever differs more from the colour below. */
        double level = tosst_color_lightness (color) > 0.6 ? 0.1 : 0.98;

        cairo_set_source_rgb (cr, level, level, level);
        tosst_text_draw (text, cr, label, 0.5 * (x + right), 0.5 * (top + bottom), 0.5, 0.5, 0, 0, SMALL, FALSE);
      }
}

static void
draw_frame (cairo_t *cr, const TosstGrid *self, const Layout *layout, TosstColor color, double width, guint column,
            guint row)
{
  tosst_color_set (cr, color, 1);
  cairo_set_line_width (cr, width);
  trace_cell (cr, self, layout, column, row, 0.5 * width);
  cairo_stroke (cr);
}

/* Some names are left out where there is no room for all. */
static void
draw_names (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const TosstGrid *self, const Layout *layout)
{
  double column = layout->width / MAX (self->columns, 1), row = layout->height / MAX (self->rows, 1);
  guint every_row = (guint)ceil (1.1 * layout->em / row);
  guint every_column = (guint)ceil (MIN (widest (text, self->column_names) + 0.5 * layout->em, layout->width) / column);
  double bottom = row_edge (self, layout, 0);

  tosst_color_set (cr, tosst_color_dim (style), 1);
  for (guint i = 0; i < self->columns; i += MAX (every_column, 1))
    tosst_text_draw (text, cr, self->column_names[i],
                     0.5 * (column_edge (self, layout, i) + column_edge (self, layout, i + 1)),
                     bottom + 0.3 * layout->em, 0.5, 0, 0, layout->width, SMALL, FALSE);
  for (guint i = 0; i < self->rows; i += MAX (every_row, 1))
    tosst_text_draw (text, cr, self->row_names[i], layout->left - 0.4 * layout->em,
                     0.5 * (row_edge (self, layout, i) + row_edge (self, layout, i + 1)), 1, 0.5, 0,
                     layout->left - 2.2 * layout->em, SMALL, FALSE);
}

void
tosst_draw_grid (cairo_t *cr, double width, double height, const TosstChartStyle *style, const TosstGrid *self)
{
  double low, high;
  guint column, row;

  g_auto (TosstText) text = tosst_text_new (style);
  Layout layout = lay_out (self, &text, width, height);
  if (!range (self, &low, &high))
    {
      tosst_color_set (cr, tosst_color_dim (style), 1);
      tosst_text_draw (&text, cr, _ ("No data"), 0.5 * width, 0.5 * height, 0.5, 0.5, 0, 0, 1, FALSE);
      return;
    }
  draw_cells (cr, &text, style, self, &layout);
  draw_names (cr, &text, style, self, &layout);
  tosst_color_set (cr, tosst_color_text (style), 1);
  tosst_text_draw (&text, cr, self->x_label, layout.left + 0.5 * layout.width, height - 0.3 * layout.em, 0.5, 1, 0,
                   layout.width, 1, FALSE);
  tosst_text_draw (&text, cr, self->y_label, 0.4 * layout.em, layout.top + 0.5 * layout.height, 0.5, 0, 1,
                   layout.height, 1, FALSE);
  tosst_text_draw (&text, cr, self->label, layout.left, 0.4 * layout.em, 0, 0, 0, layout.width, 1, TRUE);
  tosst_draw_color_bar (cr, &text, style, low, high, layout.bar, layout.top, 0.9 * layout.em, layout.height);
  if (tosst_grid_best (self, &column, &row))
    {
      /* Seen on any colour. */
      draw_frame (cr, self, &layout, tosst_color_paper (style), 5, column, row);
      draw_frame (cr, self, &layout, tosst_color_text (style), 2, column, row);
    }
  if (self->chosen_column >= 0 && (guint)self->chosen_column < self->columns && self->chosen_row >= 0
      && (guint)self->chosen_row < self->rows)
    draw_frame (cr, self, &layout, tosst_color_series (style, 1), 3, (guint)self->chosen_column,
                (guint)self->chosen_row);
}

/* Picking. */

gboolean
tosst_grid_pick (const TosstGrid *self, double width, double height, const TosstChartStyle *style, double pointer_x,
                 double pointer_y, guint *column, guint *row)
{
  g_auto (TosstText) text = tosst_text_new (style);
  Layout layout = lay_out (self, &text, width, height);
  double x = (pointer_x - layout.left) / layout.width * self->columns;
  double y = (layout.top + layout.height - pointer_y) / layout.height * self->rows;

  if (!(x >= 0 && x < self->columns && y >= 0 && y < self->rows))
    return FALSE;
  *column = (guint)x;
  *row = (guint)y;
  return TRUE;
}

/* Text. */

char *
tosst_grid_describe (const TosstGrid *self)
{
  guint column, row, n = 0;

  for (gsize i = 0; i < (gsize)self->columns * self->rows; i++)
    n += !isnan (self->value[i]);
  if (!tosst_grid_best (self, &column, &row))
    return g_strdup_printf (_ ("%s: no data"), self->label);
  g_autofree char *value = tosst_number_label (tosst_grid_get (self, column, row), 4);
  /* Translators: "Accuracy (%) over λ and K: 12 cells, the best 91.2 at λ 0.01, K 60" */
  return g_strdup_printf (ngettext ("%s over %s and %s: %u cell, the best %s at %s %s, %s %s",
                                    "%s over %s and %s: %u cells, the best %s at %s %s, %s %s", n),
                          self->label, self->x_label, self->y_label, n, value, self->x_label,
                          self->column_names[column], self->y_label, self->row_names[row]);
}

char *
tosst_grid_to_csv (const TosstGrid *self)
{
  GString *csv = g_string_new (NULL);
  g_autofree char *corner = g_strdup_printf ("%s / %s", self->y_label, self->x_label);

  tosst_csv_append_field (csv, corner);
  for (guint c = 0; c < self->columns; c++)
    tosst_csv_next_field (csv, self->column_names[c]);
  g_string_append_c (csv, '\n');
  for (guint r = self->rows; r-- > 0;)
    {
      tosst_csv_append_field (csv, self->row_names[r]);
      for (guint c = 0; c < self->columns; c++)
        if (isnan (tosst_grid_get (self, c, r)))
          g_string_append_c (csv, ',');
        else
          tosst_csv_next_real (csv, tosst_grid_get (self, c, r));
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}
