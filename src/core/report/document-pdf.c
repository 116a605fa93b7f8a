/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as A4 pages. The layout is computed twice, the first time to count the pages. Lengths are in points.
 */
#include "config.h"

#include <cairo-pdf.h>
#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/chart-private.h"
#include "core/report/document-private.h"

/* State of drawing the pages of a document. Lengths are in points. */

#define TOSST_PAGE_WIDTH 595.28
#define TOSST_PAGE_HEIGHT 841.89
#define TOSST_PAGE_MARGIN 50.0
#define TOSST_PAGE_INNER (TOSST_PAGE_WIDTH - 2 * TOSST_PAGE_MARGIN)
#define TOSST_PAGE_BOTTOM (TOSST_PAGE_HEIGHT - 56.0)

#define TOSST_PAGE_BODY 9.5
#define TOSST_PAGE_SMALL 8.0
#define TOSST_PAGE_GAP 8.0 /* between blocks */

typedef struct
{
  TosstDocument *document;
  cairo_surface_t *surface;
  cairo_t *cr;
  TosstText text;             /* provides the Pango context */
  PangoLayout *layout, *foot; /* foot: of page footers, which may be drawn in the middle of a text */
  double y;
  int page, pages; /* pages: 0 in the first pass */
  GArray *folds;   /* guint: first blocks of pending folds */
  gboolean folded; /* in small print */
  gboolean parts;  /* a part has begun */
  int outline;     /* outline item of the current part */
} TosstPages;

typedef struct
{
  double size;
  gboolean bold, mono;
} TosstPageFont;

extern const TosstColor tosst_page_ink, tosst_page_dim;

/* Pages of a PDF document: text, footer, page breaks. */

const TosstColor tosst_page_ink = { 0.12, 0.14, 0.16 }, tosst_page_dim = { 0.36, 0.39, 0.44 };

static void
page_set_color (TosstPages *p, TosstColor color)
{
  cairo_set_source_rgb (p->cr, color.r, color.g, color.b);
}

/* Sets the layout's text, wrapped at width (0: not wrapped); its size; drawing it. */
static void
page_set_text (TosstPages *p, const char *text, TosstPageFont font, double width)
{
  PangoFontDescription *description = pango_font_description_from_string (font.mono ? "Monospace" : "Sans");

  pango_font_description_set_absolute_size (description, font.size * PANGO_SCALE);
  pango_font_description_set_weight (description, font.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (p->layout, description);
  pango_font_description_free (description);
  pango_layout_set_width (p->layout, width > 0 ? (int)(width * PANGO_SCALE) : -1);
  pango_layout_set_wrap (p->layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_height (p->layout, G_MAXINT);
  pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_NONE);
  pango_layout_set_alignment (p->layout, PANGO_ALIGN_LEFT);
  pango_layout_set_spacing (p->layout, (int)(0.18 * font.size * PANGO_SCALE));
  pango_layout_set_text (p->layout, text, -1);
}

static void
page_text_size (TosstPages *p, double *width, double *height)
{
  int w, h;

  pango_layout_get_size (p->layout, &w, &h);
  if (width)
    *width = (double)w / PANGO_SCALE;
  if (height)
    *height = (double)h / PANGO_SCALE;
}

static void
page_show (TosstPages *p, double x, double y)
{
  cairo_move_to (p->cr, x, y);
  pango_cairo_show_layout (p->cr, p->layout);
}

static void
page_draw_footer (TosstPages *p)
{
  g_autofree char *number = g_strdup_printf ("%d / %d", p->page, p->pages);
  PangoLayout *layout = p->layout;
  double width;

  p->layout = p->foot;
  page_set_color (p, tosst_page_dim);
  page_set_text (p, number, (TosstPageFont){ TOSST_PAGE_SMALL }, 0);
  page_text_size (p, &width, NULL);
  page_show (p, TOSST_PAGE_WIDTH - TOSST_PAGE_MARGIN - width, TOSST_PAGE_HEIGHT - 38);
  page_set_text (p, p->document->title, (TosstPageFont){ TOSST_PAGE_SMALL }, TOSST_PAGE_INNER - width - 20);
  pango_layout_set_height (p->layout, -1);
  pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
  page_show (p, TOSST_PAGE_MARGIN, TOSST_PAGE_HEIGHT - 38);
  p->layout = layout;
}

/* starts the next page */
static void
page_begin (TosstPages *p)
{
  if (p->page > 0)
    {
      page_draw_footer (p);
      cairo_show_page (p->cr);
    }
  p->page++;
  p->y = TOSST_PAGE_MARGIN;
}

/* Tables on pages: columns as wide as their contents, titles repeated on every page. */

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

  page_set_text (p, text, (TosstPageFont){ size, bold }, 0);
  page_text_size (p, &width, NULL);
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

  page_set_text (p, text, (TosstPageFont){ size, row < 0 }, width - 2 * PADDING);
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
      page_text_size (p, NULL, &h);
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
          page_set_color (p, bar_color);
          cairo_rectangle (p->cr, x, p->y + 1.2, widths[i] * CLAMP (bar, 0.0, 1.0), height - 2.4);
          cairo_fill (p->cr);
        }
      set_cell (p, table, row, i, widths[i], size);
      page_set_color (p, row < 0 ? tosst_page_dim : tosst_page_ink);
      page_show (p, x + PADDING, p->y + LEADING);
    }
  page_set_color (p, row < 0 ? tosst_page_dim : line_color);
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

static void
page_draw_table (TosstPages *p, const TosstTable *table)
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
          page_begin (p);
          begins = TRUE;
        }
      if (begins && titles)
        draw_rows (p, table, -1, twice ? -1 : n, widths, size, header);
      draw_rows (p, table, row, second, widths, size, height);
    }
  p->y += TOSST_PAGE_GAP;
}

static const TosstColor card = { 0.96, 0.965, 0.973 }, accent = { 0.10, 0.37, 0.71 }, warning = { 0.992, 0.945, 0.867 };

/* Starts a new page unless this height is available. */
static void
need (TosstPages *p, double height)
{
  if (p->y + height > TOSST_PAGE_BOTTOM && p->y > TOSST_PAGE_MARGIN)
    page_begin (p);
}

/* --- text --- */

/* Draws the layout's lines over as many pages as needed, each on a strip of background if there is one. */
static void
flow (TosstPages *p, double x, TosstColor color, const TosstColor *background, double inset)
{
  PangoLayoutIter *iter = pango_layout_get_iter (p->layout);
  double spacing = (double)pango_layout_get_spacing (p->layout) / PANGO_SCALE;

  do
    {
      PangoRectangle box;
      double height;

      pango_layout_iter_get_line_extents (iter, NULL, &box);
      height = (double)box.height / PANGO_SCALE + spacing;
      need (p, height);
      if (background)
        {
          page_set_color (p, *background);
          cairo_rectangle (p->cr, x - inset, p->y - 0.2, TOSST_PAGE_INNER, height + 0.4);
          cairo_fill (p->cr);
        }
      page_set_color (p, color);
      cairo_move_to (p->cr, x + (double)box.x / PANGO_SCALE,
                     p->y + (double)(pango_layout_iter_get_baseline (iter) - box.y) / PANGO_SCALE);
      pango_cairo_show_layout_line (p->cr, pango_layout_iter_get_line_readonly (iter));
      p->y += height;
    }
  while (pango_layout_iter_next_line (iter));
  pango_layout_iter_free (iter);
}

static void
draw_text (TosstPages *p, const char *text, TosstPageFont font, TosstColor color, double after)
{
  page_set_text (p, text, font, TOSST_PAGE_INNER);
  flow (p, TOSST_PAGE_MARGIN, color, NULL, 0);
  p->y += after;
}

static void
draw_box (TosstPages *p, const char *text, TosstPageFont font, TosstColor background)
{
  const double inset = 8.0, edge = 5.0;
  double height;

  page_set_text (p, text, font, TOSST_PAGE_INNER - 2 * inset);
  page_text_size (p, NULL, &height);
  need (p, MIN (height + 3 * edge, 0.5 * TOSST_PAGE_BOTTOM));
  page_set_color (p, background);
  cairo_rectangle (p->cr, TOSST_PAGE_MARGIN, p->y, TOSST_PAGE_INNER, edge);
  cairo_fill (p->cr);
  p->y += edge;
  flow (p, TOSST_PAGE_MARGIN + inset, tosst_page_ink, &background, inset);
  page_set_color (p, background);
  cairo_rectangle (p->cr, TOSST_PAGE_MARGIN, p->y, TOSST_PAGE_INNER, edge);
  cairo_fill (p->cr);
  p->y += edge + TOSST_PAGE_GAP;
}

/* --- headings --- */

static double
figure_height (const TosstBlock *block, double width)
{
  return MIN (block->height * MIN (width / block->width, 1.0), TOSST_PAGE_BOTTOM - TOSST_PAGE_MARGIN);
}

/* after: height of the following block to keep on the same page. */
static void
draw_heading (TosstPages *p, const TosstBlock *block, double after)
{
  static const double sizes[] = { 16.0, 12.0, 10.0 }, before[] = { 0.0, 12.0, 6.0 };
  int i = CLAMP (block->level, 1, 3) - 1;

  if (block->level == 1 && p->parts)
    page_begin (p);
  p->parts = p->parts || block->level == 1;
  /* No heading at the bottom of a page. */
  need (p, MIN (before[i] + 2 * sizes[i] + after, TOSST_PAGE_BOTTOM - TOSST_PAGE_MARGIN));
  p->y += p->y > TOSST_PAGE_MARGIN ? before[i] : 0;

  g_autofree char *place = NULL;
  char position[G_ASCII_DTOSTR_BUF_SIZE];

  if (p->pages != 0 && block->level <= 2)
    {
      place
          = g_strdup_printf ("page=%d pos=[0 %s]", p->page, g_ascii_formatd (position, sizeof position, "%.1f", p->y));
      int entry = cairo_pdf_surface_add_outline (p->surface, block->level == 1 ? CAIRO_PDF_OUTLINE_ROOT : p->outline,
                                                 block->text, place, CAIRO_PDF_OUTLINE_FLAG_OPEN);

      if (block->level == 1)
        p->outline = entry;
    }
  draw_text (p, block->text, (TosstPageFont){ sizes[i], TRUE }, block->level == 1 ? accent : tosst_page_ink, 4.0);
}

/* --- numbers in cards --- */

/* Largest font size that fits into the card. */
static double
merit_size (TosstPages *p, const char *text, double width)
{
  double natural;

  page_set_text (p, text, (TosstPageFont){ 14.0, TRUE }, 0);
  page_text_size (p, &natural, NULL);
  return CLAMP (14.0 * (width - 1) / natural, 9.0, 14.0);
}

static void
draw_merit (TosstPages *p, const TosstBlock *block, double x, double width, double height)
{
  const double inset = 9.0;
  double y = p->y + 7.0, h;

  page_set_color (p, card);
  cairo_rectangle (p->cr, x, p->y, width, height);
  cairo_fill (p->cr);
  for (int i = 0; i < 3; i++)
    {
      const char *text = i == 0 ? block->text : i == 1 ? block->label : block->more;
      if (!text)
        continue;
      page_set_text (p, text,
                     i == 0 ? (TosstPageFont){ merit_size (p, text, width - 2 * inset), TRUE }
                            : (TosstPageFont){ TOSST_PAGE_SMALL },
                     width - 2 * inset);
      pango_layout_set_height (p->layout, i == 2 ? -2 : -1);
      pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
      page_set_color (p, i == 0 ? tosst_page_ink : tosst_page_dim);
      page_show (p, x + inset, y);
      page_text_size (p, NULL, &h);
      y += h + 1.5;
    }
}

static void
draw_merits (TosstPages *p, guint first, guint n)
{
  const double gap = 8.0, height = 62.0;
  guint a_row = MIN (n, 4);
  double width = (TOSST_PAGE_INNER - gap * (a_row - 1)) / a_row;

  for (guint i = 0; i < n; i++)
    {
      if (i % a_row == 0)
        need (p, height);
      draw_merit (p, g_ptr_array_index (p->document->blocks, first + i),
                  TOSST_PAGE_MARGIN + (i % a_row) * (width + gap), width, height);
      if (i % a_row == a_row - 1 || i == n - 1)
        p->y += height + gap;
    }
  p->y += TOSST_PAGE_GAP - gap;
}

/* --- figures --- */

static void
draw_figures (TosstPages *p, guint first, guint n)
{
  const double gap = 12.0;
  double width = n > 1 ? 0.5 * (TOSST_PAGE_INNER - gap) : TOSST_PAGE_INNER, height = 0;

  for (guint i = first; i < first + n; i++)
    {
      const TosstBlock *block = g_ptr_array_index (p->document->blocks, i);

      height = MAX (height, figure_height (block, width));
    }
  need (p, height);
  for (guint i = 0; i < n; i++)
    {
      const TosstBlock *block = g_ptr_array_index (p->document->blocks, first + i);

      const TosstChartStyle style = { .font = "Sans", .font_size = block->half ? 7.5 : 8.5 };

      cairo_save (p->cr);
      cairo_translate (p->cr, TOSST_PAGE_MARGIN + i * (width + gap), p->y);
      block->draw (p->cr, MIN (width, block->width), height, &style, block->data);
      cairo_restore (p->cr);
    }
  p->y += height + TOSST_PAGE_GAP;
}

/* --- the document --- */

static void
draw_block (TosstPages *p, const TosstBlock *block)
{
  switch (block->kind)
    {
    case TOSST_BLOCK_TEXT:
      draw_text (p, block->text, (TosstPageFont){ TOSST_PAGE_BODY }, tosst_page_ink, TOSST_PAGE_GAP);
      break;
    case TOSST_BLOCK_REMARK:
      draw_text (p, block->text, (TosstPageFont){ TOSST_PAGE_SMALL }, tosst_page_dim, TOSST_PAGE_GAP);
      break;
    case TOSST_BLOCK_WARNING:
      draw_box (p, block->text, (TosstPageFont){ TOSST_PAGE_BODY }, warning);
      break;
    case TOSST_BLOCK_CODE:
      draw_box (p, block->text, (TosstPageFont){ TOSST_PAGE_SMALL, FALSE, TRUE }, card);
      break;
    case TOSST_BLOCK_TABLE:
      page_draw_table (p, block->table);
      break;
    case TOSST_BLOCK_HEADING:
    case TOSST_BLOCK_FOLD:
    case TOSST_BLOCK_UNFOLD:
    case TOSST_BLOCK_MERIT:
    case TOSST_BLOCK_FIGURE:
    default:
      g_assert_not_reached ();
    }
}

/* Index of the end of the fold that starts at first. */
static guint
fold_end (TosstDocument *document, guint first)
{
  for (guint i = first; i < document->blocks->len; i++)
    if (((const TosstBlock *)g_ptr_array_index (document->blocks, i))->kind == TOSST_BLOCK_UNFOLD)
      return i;
  return document->blocks->len;
}

/* PDF has no collapsed blocks: contents of folds follow at the end of the part, with a reference in their place. */
static void
skip_fold (TosstPages *p, guint first)
{
  const TosstBlock *block = g_ptr_array_index (p->document->blocks, first);
  /* Translators: what is not shown here but at the end: "12 better classes" */
  g_autofree char *text = g_strdup_printf (_ ("%s: at the end"), block->text);

  draw_text (p, text, (TosstPageFont){ TOSST_PAGE_SMALL }, tosst_page_dim, TOSST_PAGE_GAP);
  g_array_append_val (p->folds, first);
}

static void draw_blocks (TosstPages *p, guint first, guint last);

static void
draw_folds (TosstPages *p)
{
  for (guint i = 0; i < p->folds->len; i++)
    {
      guint fold = g_array_index (p->folds, guint, i);
      const TosstBlock *block = g_ptr_array_index (p->document->blocks, fold);

      need (p, 80);
      p->y += 6;
      draw_text (p, block->text, (TosstPageFont){ TOSST_PAGE_SMALL + 1, TRUE }, tosst_page_ink, 2.0);
      p->folded = TRUE;
      draw_blocks (p, fold + 1, fold_end (p->document, fold));
      p->folded = FALSE;
    }
  g_array_set_size (p->folds, 0);
}

/* Height that must fit on the same page as the preceding heading. */
static double
height_after (TosstDocument *document, guint heading)
{
  const TosstBlock *next
      = heading + 1 < document->blocks->len ? g_ptr_array_index (document->blocks, heading + 1) : NULL;
  guint n = next ? tosst_document_row (document, heading + 1) : 0;

  return next && next->kind == TOSST_BLOCK_FIGURE
             ? figure_height (next, n > 1 ? 0.5 * TOSST_PAGE_INNER : TOSST_PAGE_INNER)
             : 70;
}

static void
draw_blocks (TosstPages *p, guint first, guint last)
{
  TosstDocument *document = p->document;

  for (guint i = first, n; i < last; i += n)
    {
      const TosstBlock *block = g_ptr_array_index (document->blocks, i);

      n = tosst_document_row (document, i);
      if (block->kind == TOSST_BLOCK_HEADING)
        {
          n = 1;
          if (block->level == 1)
            draw_folds (p);
          draw_heading (p, block, height_after (document, i));
        }
      else if (block->kind == TOSST_BLOCK_FOLD)
        {
          n = fold_end (document, i) + 1 - i;
          skip_fold (p, i);
        }
      else if (block->kind == TOSST_BLOCK_MERIT)
        draw_merits (p, i, n);
      else if (block->kind == TOSST_BLOCK_FIGURE)
        draw_figures (p, i, n);
      else
        draw_block (p, block);
    }
}

static void
draw_document (TosstPages *p)
{
  TosstDocument *document = p->document;

  p->outline = CAIRO_PDF_OUTLINE_ROOT;
  page_begin (p);
  draw_text (p, document->title, (TosstPageFont){ 21.0, TRUE }, tosst_page_ink, 2.0);
  if (document->subtitle)
    draw_text (p, document->subtitle, (TosstPageFont){ TOSST_PAGE_BODY }, tosst_page_dim, 10.0);
  draw_blocks (p, 0, document->blocks->len);
  draw_folds (p);
  page_draw_footer (p);
}

/* Returns the number of pages; bytes NULL: only counts them. */
static int
write_pages (TosstDocument *document, double created, int pages, GByteArray *bytes, cairo_status_t *status)
{
  static const TosstChartStyle style = { .font = "Sans", .font_size = TOSST_PAGE_BODY };
  TosstPages p = { .document = document, .pages = pages };

  p.surface = cairo_pdf_surface_create_for_stream (bytes ? tosst_document_append_bytes : NULL, bytes, TOSST_PAGE_WIDTH,
                                                   TOSST_PAGE_HEIGHT);

  g_autoptr (GDateTime) time = isfinite (created) ? g_date_time_new_from_unix_utc ((gint64)created) : NULL;
  g_autofree char *date = time ? g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ") : NULL;

  cairo_pdf_surface_set_metadata (p.surface, CAIRO_PDF_METADATA_TITLE, document->title);
  cairo_pdf_surface_set_metadata (p.surface, CAIRO_PDF_METADATA_CREATOR, "TOSST Studio " PACKAGE_VERSION);
  if (date)
    cairo_pdf_surface_set_metadata (p.surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
  p.cr = cairo_create (p.surface);
  tosst_text_init (&p.text, &style);
  p.layout = pango_layout_new (p.text.context);
  p.foot = pango_layout_new (p.text.context);
  p.folds = g_array_new (FALSE, FALSE, sizeof (guint));
  draw_document (&p);
  *status = cairo_status (p.cr);
  g_array_unref (p.folds);
  g_object_unref (p.layout);
  g_object_unref (p.foot);
  tosst_text_clear (&p.text);
  cairo_destroy (p.cr);
  cairo_surface_finish (p.surface);
  if (*status == CAIRO_STATUS_SUCCESS)
    *status = cairo_surface_status (p.surface);
  cairo_surface_destroy (p.surface);
  return p.page;
}

GBytes *
tosst_document_to_pdf (TosstDocument *self, double created, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_status_t status;
  int pages = write_pages (self, created, 0, NULL, &status);

  write_pages (self, created, pages, bytes, &status);
  return tosst_document_drawn (status, error) ? g_byte_array_free_to_bytes (g_steal_pointer (&bytes)) : NULL;
}
