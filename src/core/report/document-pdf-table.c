/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables on pages: columns as wide as their contents, titles repeated on every page.
 */
#include "config.h"

#include <math.h>

#include "core/report/document-pdf-private.h"

#define PADDING 4.0    /* left and right of a cell */
#define LEADING 2.0    /* above and below the text of a cell */
#define MAX_LINES 12   /* of a cell, so that it fits on a page */
#define MIN_COLUMN 40. /* in tables wider than the page */
#define BAR 70.0       /* minimum width of a column with bars */

static const TosstColor line_color = { 0.84, 0.86, 0.88 }, bar_color = { 0.84, 0.895, 0.97 };

static double
cell_width (TosstPages *p, const char *text, double size, gboolean bold)
{
  double width;

  tosst_page_set_text (p, text, (TosstPageFont){ size, bold }, 0);
  tosst_page_text_size (p, &width, NULL);
  /* Rounded up, so that the measured text does not wrap. */
  return ceil (width + 0.5) + 2 * PADDING;
}

/* Natural widths of the columns; if their sum exceeds the page, wide columns are limited to a common width. */
static double *
column_widths (TosstPages *p, const TosstTable *table, double size)
{
  guint n = tosst_table_columns (table);
  double *widths = g_new (double, n), sum = 0, low = MIN_COLUMN, high = TOSST_PAGE_INNER;

  for (guint i = 0; i < n; i++)
    {
      widths[i] = cell_width (p, tosst_table_title (table, i), size, TRUE);
      for (guint row = 0; row < tosst_table_rows (table); row++)
        {
          widths[i] = MAX (widths[i], cell_width (p, tosst_table_cell (table, row, i), size, FALSE));
          if (isfinite (tosst_table_bar (table, row, i)))
            widths[i] = MAX (widths[i], BAR);
        }
      sum += widths[i];
    }
  if (sum <= TOSST_PAGE_INNER)
    return widths;
  for (int round = 0; round < 40; round++)
    {
      double limit = 0.5 * (low + high);

      sum = 0;
      for (guint i = 0; i < n; i++)
        sum += MIN (widths[i], limit);
      *(sum > TOSST_PAGE_INNER ? &high : &low) = limit;
    }
  for (guint i = 0; i < n; i++)
    widths[i] = MIN (widths[i], n * MIN_COLUMN > TOSST_PAGE_INNER ? TOSST_PAGE_INNER / n : low);
  return widths;
}

/* row -1: titles. */
static void
set_cell (TosstPages *p, const TosstTable *table, int row, guint column, double width, double size)
{
  const char *text = row < 0 ? tosst_table_title (table, column) : tosst_table_cell (table, (guint)row, column);

  tosst_page_set_text (p, text, (TosstPageFont){ size, row < 0 }, width - 2 * PADDING);
  pango_layout_set_height (p->layout, -MAX_LINES);
  pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
  if (tosst_table_is_number (table, column))
    pango_layout_set_alignment (p->layout, PANGO_ALIGN_RIGHT);
}

static double
row_height (TosstPages *p, const TosstTable *table, int row, const double *widths, double size)
{
  double height = 0, h;

  for (guint i = 0; i < tosst_table_columns (table); i++)
    {
      set_cell (p, table, row, i, widths[i], size);
      tosst_page_text_size (p, NULL, &h);
      height = MAX (height, h);
    }
  return height + 2 * LEADING;
}

static void
draw_row (TosstPages *p, const TosstTable *table, int row, const double *widths, double size, double x, double height)
{
  double begin = x, end = x;

  for (guint i = 0; i < tosst_table_columns (table); i++, x = end)
    {
      double bar = row < 0 ? NAN : tosst_table_bar (table, (guint)row, i);

      end = x + widths[i];
      if (isfinite (bar))
        {
          tosst_page_set_color (p, bar_color);
          cairo_rectangle (p->cr, x, p->y + 1.2, widths[i] * CLAMP (bar, 0.0, 1.0), height - 2.4);
          cairo_fill (p->cr);
        }
      set_cell (p, table, row, i, widths[i], size);
      tosst_page_set_color (p, row < 0 ? tosst_page_dim : tosst_page_ink);
      tosst_page_show (p, x + PADDING, p->y + LEADING);
    }
  tosst_page_set_color (p, row < 0 ? tosst_page_dim : line_color);
  cairo_set_line_width (p->cr, row < 0 ? 0.7 : 0.5);
  cairo_move_to (p->cr, begin, p->y + height);
  cairo_line_to (p->cr, end, p->y + height);
  cairo_stroke (p->cr);
}

/* A row and, in a table in two halves, the row half a table further down beside it. */
static void
draw_rows (TosstPages *p, const TosstTable *table, int row, int second, const double *widths, double size,
           double height)
{
  draw_row (p, table, row, widths, size, TOSST_PAGE_MARGIN, height);
  if (second < (int)tosst_table_rows (table))
    draw_row (p, table, second, widths, size, TOSST_PAGE_WIDTH / 2 + PADDING, height);
  p->y += height;
}

static double
rows_height (TosstPages *p, const TosstTable *table, int row, int second, const double *widths, double size)
{
  double height = row_height (p, table, row, widths, size);

  return second < (int)tosst_table_rows (table) ? MAX (height, row_height (p, table, second, widths, size)) : height;
}

/* Prints a table in two halves side by side, if they fit. */
static gboolean
fits_twice (TosstPages *p, const TosstTable *table, const double *widths)
{
  double sum = 0;

  for (guint i = 0; i < tosst_table_columns (table); i++)
    sum += widths[i];
  return p->folded && sum <= TOSST_PAGE_INNER / 2 - PADDING && tosst_table_rows (table) > 8;
}

void
tosst_page_draw_table (TosstPages *p, const TosstTable *table)
{
  double size = p->folded ? TOSST_PAGE_SMALL : TOSST_PAGE_BODY - 0.5;
  g_autofree double *widths = column_widths (p, table, size);
  gboolean titles = tosst_table_has_titles (table), twice = fits_twice (p, table, widths);
  double header = titles ? row_height (p, table, -1, widths, size) : 0;
  int n = (int)tosst_table_rows (table), rows = twice ? (n + 1) / 2 : n;

  for (int row = 0; row < rows; row++)
    {
      int second = twice ? row + rows : n;
      double height = rows_height (p, table, row, second, widths, size);
      gboolean begins = row == 0;

      if (p->y + height + (begins ? header + height : 0) > TOSST_PAGE_BOTTOM && p->y > TOSST_PAGE_MARGIN)
        {
          tosst_page_begin (p);
          begins = TRUE;
        }
      if (begins && titles)
        draw_rows (p, table, -1, twice ? -1 : n, widths, size, header);
      draw_rows (p, table, row, second, widths, size, height);
    }
  p->y += TOSST_PAGE_GAP;
}
