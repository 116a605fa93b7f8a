/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document on pages of A4. Everything is laid out twice, first only to know how many pages there are. Lengths are
 * points.
 */
#include "config.h"

#include <cairo-pdf.h>
#include <glib/gi18n.h>
#include <math.h>

#include "chart-private.h"
#include "document-private.h"

#define PAGE_WIDTH 595.28
#define PAGE_HEIGHT 841.89
#define MARGIN 50.0
#define WIDTH (PAGE_WIDTH - 2 * MARGIN)
#define BOTTOM (PAGE_HEIGHT - 56.0)

#define BODY 9.5
#define SMALL 8.0
#define GAP 8.0 /* between blocks */

#define PADDING 4.0    /* in tables, to either side of a cell */
#define LEADING 2.0    /* above and below the text of a cell */
#define MAX_LINES 12   /* of a cell: more would not leave the page */
#define MIN_COLUMN 40. /* where a table is too wide for its page */
#define BAR 70.0       /* least width of a column with bars */

typedef struct
{
  TosstDocument *document;
  cairo_surface_t *surface;
  cairo_t *cr;
  TosstText text;             /* for its context */
  PangoLayout *layout, *foot; /* foot: of the foot of pages, which may be drawn in the midst of a text */
  double y;
  int page, pages; /* 0 in the first round */
  GArray *folds;   /* guint: first blocks of those that wait */
  gboolean folded; /* small print */
  gboolean parts;  /* one has begun */
  int outline;     /* of the part at hand */
} Pages;

static const TosstColor ink = { 0.12, 0.14, 0.16 }, dim = { 0.36, 0.39, 0.44 }, line_color = { 0.84, 0.86, 0.88 },
                        card = { 0.96, 0.965, 0.973 }, accent = { 0.10, 0.37, 0.71 }, bar_color = { 0.84, 0.895, 0.97 },
                        warning = { 0.992, 0.945, 0.867 };

static void
set_color (Pages *p, TosstColor color)
{
  cairo_set_source_rgb (p->cr, color.r, color.g, color.b);
}

/* --- text --- */

typedef struct
{
  double size;
  gboolean bold, mono;
} Font;

static void
set_text (Pages *p, const char *text, Font font, double width)
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
text_size (Pages *p, double *width, double *height)
{
  int w, h;

  pango_layout_get_size (p->layout, &w, &h);
  if (width)
    *width = (double)w / PANGO_SCALE;
  if (height)
    *height = (double)h / PANGO_SCALE;
}

static void
show_at (Pages *p, double x, double y)
{
  cairo_move_to (p->cr, x, y);
  pango_cairo_show_layout (p->cr, p->layout);
}

/* --- pages --- */

static void
draw_footer (Pages *p)
{
  g_autofree char *number = g_strdup_printf ("%d / %d", p->page, p->pages);
  PangoLayout *layout = p->layout;
  double width;

  p->layout = p->foot;
  set_color (p, dim);
  set_text (p, number, (Font){ SMALL }, 0);
  text_size (p, &width, NULL);
  show_at (p, PAGE_WIDTH - MARGIN - width, PAGE_HEIGHT - 38);
  set_text (p, p->document->title, (Font){ SMALL }, WIDTH - width - 20);
  pango_layout_set_height (p->layout, -1);
  pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
  show_at (p, MARGIN, PAGE_HEIGHT - 38);
  p->layout = layout;
}

static void
new_page (Pages *p)
{
  if (p->page > 0)
    {
      draw_footer (p);
      cairo_show_page (p->cr);
    }
  p->page++;
  p->y = MARGIN;
}

/* Room for what must stand together. */
static void
need (Pages *p, double height)
{
  if (p->y + height > BOTTOM && p->y > MARGIN)
    new_page (p);
}

/* The layout's lines, over as many pages as they take, each on a strip of background if there is one. */
static void
flow (Pages *p, double x, TosstColor color, const TosstColor *background, double inset)
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
          set_color (p, *background);
          cairo_rectangle (p->cr, x - inset, p->y - 0.2, WIDTH, height + 0.4);
          cairo_fill (p->cr);
        }
      set_color (p, color);
      cairo_move_to (p->cr, x + (double)box.x / PANGO_SCALE,
                     p->y + (double)(pango_layout_iter_get_baseline (iter) - box.y) / PANGO_SCALE);
      pango_cairo_show_layout_line (p->cr, pango_layout_iter_get_line_readonly (iter));
      p->y += height;
    }
  while (pango_layout_iter_next_line (iter));
  pango_layout_iter_free (iter);
}

static void
draw_text (Pages *p, const char *text, Font font, TosstColor color, double after)
{
  set_text (p, text, font, WIDTH);
  flow (p, MARGIN, color, NULL, 0);
  p->y += after;
}

static void
draw_box (Pages *p, const char *text, Font font, TosstColor background)
{
  const double inset = 8.0, edge = 5.0;
  double height;

  set_text (p, text, font, WIDTH - 2 * inset);
  text_size (p, NULL, &height);
  need (p, MIN (height + 3 * edge, 0.5 * BOTTOM));
  set_color (p, background);
  cairo_rectangle (p->cr, MARGIN, p->y, WIDTH, edge);
  cairo_fill (p->cr);
  p->y += edge;
  flow (p, MARGIN + inset, ink, &background, inset);
  set_color (p, background);
  cairo_rectangle (p->cr, MARGIN, p->y, WIDTH, edge);
  cairo_fill (p->cr);
  p->y += edge + GAP;
}

/* --- headings --- */

static void
add_outline (Pages *p, const TosstBlock *block)
{
  g_autofree char *place = NULL;
  char position[G_ASCII_DTOSTR_BUF_SIZE];

  if (p->pages == 0 || block->level > 2)
    return;
  place = g_strdup_printf ("page=%d pos=[0 %s]", p->page, g_ascii_formatd (position, sizeof position, "%.1f", p->y));
  int entry = cairo_pdf_surface_add_outline (p->surface, block->level == 1 ? CAIRO_PDF_OUTLINE_ROOT : p->outline,
                                             block->text, place, CAIRO_PDF_OUTLINE_FLAG_OPEN);
  if (block->level == 1)
    p->outline = entry;
}

static double
figure_height (const TosstBlock *block, double width)
{
  return MIN (block->height * MIN (width / block->width, 1.0), BOTTOM - MARGIN);
}

/* after: what must not be on another page. */
static void
draw_heading (Pages *p, const TosstBlock *block, double after)
{
  static const double sizes[] = { 16.0, 12.0, 10.0 }, before[] = { 0.0, 12.0, 6.0 };
  int i = CLAMP (block->level, 1, 3) - 1;

  if (block->level == 1 && p->parts)
    new_page (p);
  p->parts = p->parts || block->level == 1;
  /* Not alone at the foot of a page. */
  need (p, MIN (before[i] + 2 * sizes[i] + after, BOTTOM - MARGIN));
  p->y += p->y > MARGIN ? before[i] : 0;
  add_outline (p, block);
  draw_text (p, block->text, (Font){ sizes[i], TRUE }, block->level == 1 ? accent : ink, 4.0);
}

/* --- numbers in cards --- */

/* As large as the card allows. */
static double
merit_size (Pages *p, const char *text, double width)
{
  double natural;

  set_text (p, text, (Font){ 14.0, TRUE }, 0);
  text_size (p, &natural, NULL);
  return CLAMP (14.0 * (width - 1) / natural, 9.0, 14.0);
}

static void
draw_merit (Pages *p, const TosstBlock *block, double x, double width, double height)
{
  const double inset = 9.0;
  double y = p->y + 7.0, h;

  set_color (p, card);
  cairo_rectangle (p->cr, x, p->y, width, height);
  cairo_fill (p->cr);
  for (int i = 0; i < 3; i++)
    {
      const char *text = i == 0 ? block->text : i == 1 ? block->label : block->more;
      if (!text)
        continue;
      set_text (p, text, i == 0 ? (Font){ merit_size (p, text, width - 2 * inset), TRUE } : (Font){ SMALL },
                width - 2 * inset);
      pango_layout_set_height (p->layout, i == 2 ? -2 : -1);
      pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
      set_color (p, i == 0 ? ink : dim);
      show_at (p, x + inset, y);
      text_size (p, NULL, &h);
      y += h + 1.5;
    }
}

static void
draw_merits (Pages *p, guint first, guint n)
{
  const double gap = 8.0, height = 62.0;
  guint a_row = MIN (n, 4);
  double width = (WIDTH - gap * (a_row - 1)) / a_row;

  for (guint i = 0; i < n; i++)
    {
      if (i % a_row == 0)
        need (p, height);
      draw_merit (p, g_ptr_array_index (p->document->blocks, first + i), MARGIN + (i % a_row) * (width + gap), width,
                  height);
      if (i % a_row == a_row - 1 || i == n - 1)
        p->y += height + gap;
    }
  p->y += GAP - gap;
}

/* --- tables --- */

static double
cell_width (Pages *p, const char *text, double size, gboolean bold)
{
  double width;

  set_text (p, text, (Font){ size, bold }, 0);
  text_size (p, &width, NULL);
  /* Rounded up: what was measured must not wrap. */
  return ceil (width + 0.5) + 2 * PADDING;
}

/* What columns want; where that is more than the page has, wide ones share what is left. */
static double *
column_widths (Pages *p, const TosstTable *table, double size)
{
  guint n = tosst_table_columns (table);
  double *widths = g_new (double, n), sum = 0, low = MIN_COLUMN, high = WIDTH;

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
  if (sum <= WIDTH)
    return widths;
  for (int round = 0; round < 40; round++)
    {
      double limit = 0.5 * (low + high);

      sum = 0;
      for (guint i = 0; i < n; i++)
        sum += MIN (widths[i], limit);
      *(sum > WIDTH ? &high : &low) = limit;
    }
  for (guint i = 0; i < n; i++)
    widths[i] = MIN (widths[i], n * MIN_COLUMN > WIDTH ? WIDTH / n : low);
  return widths;
}

/* row -1: the titles. */
static void
set_cell (Pages *p, const TosstTable *table, int row, guint column, double width, double size)
{
  const char *text = row < 0 ? tosst_table_title (table, column) : tosst_table_cell (table, (guint)row, column);

  set_text (p, text, (Font){ size, row < 0 }, width - 2 * PADDING);
  pango_layout_set_height (p->layout, -MAX_LINES);
  pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
  if (tosst_table_is_number (table, column))
    pango_layout_set_alignment (p->layout, PANGO_ALIGN_RIGHT);
}

static double
row_height (Pages *p, const TosstTable *table, int row, const double *widths, double size)
{
  double height = 0, h;

  for (guint i = 0; i < tosst_table_columns (table); i++)
    {
      set_cell (p, table, row, i, widths[i], size);
      text_size (p, NULL, &h);
      height = MAX (height, h);
    }
  return height + 2 * LEADING;
}

static void
draw_row (Pages *p, const TosstTable *table, int row, const double *widths, double size, double x, double height)
{
  double begin = x, end = x;

  for (guint i = 0; i < tosst_table_columns (table); i++, x = end)
    {
      double bar = row < 0 ? NAN : tosst_table_bar (table, (guint)row, i);

      end = x + widths[i];
      if (isfinite (bar))
        {
          set_color (p, bar_color);
          cairo_rectangle (p->cr, x, p->y + 1.2, widths[i] * CLAMP (bar, 0.0, 1.0), height - 2.4);
          cairo_fill (p->cr);
        }
      set_cell (p, table, row, i, widths[i], size);
      set_color (p, row < 0 ? dim : ink);
      show_at (p, x + PADDING, p->y + LEADING);
    }
  set_color (p, row < 0 ? dim : line_color);
  cairo_set_line_width (p->cr, row < 0 ? 0.7 : 0.5);
  cairo_move_to (p->cr, begin, p->y + height);
  cairo_line_to (p->cr, end, p->y + height);
  cairo_stroke (p->cr);
}

/* A row and, of a table in two columns, the one that is half a table further down. */
static void
draw_rows (Pages *p, const TosstTable *table, int row, int second, const double *widths, double size, double height)
{
  draw_row (p, table, row, widths, size, MARGIN, height);
  if (second < (int)tosst_table_rows (table))
    draw_row (p, table, second, widths, size, PAGE_WIDTH / 2 + PADDING, height);
  p->y += height;
}

static double
rows_height (Pages *p, const TosstTable *table, int row, int second, const double *widths, double size)
{
  double height = row_height (p, table, row, widths, size);

  return second < (int)tosst_table_rows (table) ? MAX (height, row_height (p, table, second, widths, size)) : height;
}

/* Small print in two columns, where they fit. */
static gboolean
fits_twice (Pages *p, const TosstTable *table, const double *widths)
{
  double sum = 0;

  for (guint i = 0; i < tosst_table_columns (table); i++)
    sum += widths[i];
  return p->folded && sum <= WIDTH / 2 - PADDING && tosst_table_rows (table) > 8;
}

static void
draw_table (Pages *p, const TosstTable *table)
{
  double size = p->folded ? SMALL : BODY - 0.5;
  g_autofree double *widths = column_widths (p, table, size);
  gboolean titles = tosst_table_has_titles (table), twice = fits_twice (p, table, widths);
  double header = titles ? row_height (p, table, -1, widths, size) : 0;
  int n = (int)tosst_table_rows (table), rows = twice ? (n + 1) / 2 : n;

  for (int row = 0; row < rows; row++)
    {
      int second = twice ? row + rows : n;
      double height = rows_height (p, table, row, second, widths, size);
      gboolean begins = row == 0;

      if (p->y + height + (begins ? header + height : 0) > BOTTOM && p->y > MARGIN)
        {
          new_page (p);
          begins = TRUE;
        }
      if (begins && titles)
        draw_rows (p, table, -1, twice ? -1 : n, widths, size, header);
      draw_rows (p, table, row, second, widths, size, height);
    }
  p->y += GAP;
}

/* --- figures --- */

static void
draw_figure (Pages *p, const TosstBlock *block, double x, double width, double height)
{
  const TosstChartStyle style = { .font = "Sans", .font_size = block->half ? 7.5 : 8.5 };

  cairo_save (p->cr);
  cairo_translate (p->cr, x, p->y);
  block->draw (p->cr, width, height, &style, block->data);
  cairo_restore (p->cr);
}

static void
draw_figures (Pages *p, guint first, guint n)
{
  const double gap = 12.0;
  double width = n > 1 ? 0.5 * (WIDTH - gap) : WIDTH, height = 0;

  for (guint i = first; i < first + n; i++)
    {
      const TosstBlock *block = g_ptr_array_index (p->document->blocks, i);
      height = MAX (height, figure_height (block, width));
    }
  need (p, height);
  for (guint i = 0; i < n; i++)
    {
      const TosstBlock *block = g_ptr_array_index (p->document->blocks, first + i);
      draw_figure (p, block, MARGIN + i * (width + gap), MIN (width, block->width), height);
    }
  p->y += height + GAP;
}

/* --- the document --- */

static void
draw_block (Pages *p, const TosstBlock *block)
{
  switch (block->kind)
    {
    case TOSST_BLOCK_TEXT:
      draw_text (p, block->text, (Font){ BODY }, ink, GAP);
      break;
    case TOSST_BLOCK_REMARK:
      draw_text (p, block->text, (Font){ SMALL }, dim, GAP);
      break;
    case TOSST_BLOCK_WARNING:
      draw_box (p, block->text, (Font){ BODY }, warning);
      break;
    case TOSST_BLOCK_CODE:
      draw_box (p, block->text, (Font){ SMALL, FALSE, TRUE }, card);
      break;
    case TOSST_BLOCK_TABLE:
      draw_table (p, block->table);
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

/* The end of the fold that begins at first. */
static guint
fold_end (TosstDocument *document, guint first)
{
  for (guint i = first; i < document->blocks->len; i++)
    if (((const TosstBlock *)g_ptr_array_index (document->blocks, i))->kind == TOSST_BLOCK_UNFOLD)
      return i;
  return document->blocks->len;
}

/* Paper does not unfold: what is in folds comes at the end of its part, and its place says so. */
static void
skip_fold (Pages *p, guint first)
{
  const TosstBlock *block = g_ptr_array_index (p->document->blocks, first);
  /* Translators: what is not shown here but at the end: "12 better classes" */
  g_autofree char *text = g_strdup_printf (_ ("%s: at the end"), block->text);

  draw_text (p, text, (Font){ SMALL }, dim, GAP);
  g_array_append_val (p->folds, first);
}

static void draw_blocks (Pages *p, guint first, guint last);

static void
draw_folds (Pages *p)
{
  for (guint i = 0; i < p->folds->len; i++)
    {
      guint fold = g_array_index (p->folds, guint, i);
      const TosstBlock *block = g_ptr_array_index (p->document->blocks, fold);

      need (p, 80);
      p->y += 6;
      draw_text (p, block->text, (Font){ SMALL + 1, TRUE }, ink, 2.0);
      p->folded = TRUE;
      draw_blocks (p, fold + 1, fold_end (p->document, fold));
      p->folded = FALSE;
    }
  g_array_set_size (p->folds, 0);
}

/* What should stand on the same page as the heading before it. */
static double
height_after (TosstDocument *document, guint heading)
{
  const TosstBlock *next
      = heading + 1 < document->blocks->len ? g_ptr_array_index (document->blocks, heading + 1) : NULL;
  guint n = next ? tosst_document_row (document, heading + 1) : 0;

  return next && next->kind == TOSST_BLOCK_FIGURE ? figure_height (next, n > 1 ? 0.5 * WIDTH : WIDTH) : 70;
}

static void
draw_blocks (Pages *p, guint first, guint last)
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
draw_document (Pages *p)
{
  TosstDocument *document = p->document;

  p->outline = CAIRO_PDF_OUTLINE_ROOT;
  new_page (p);
  draw_text (p, document->title, (Font){ 21.0, TRUE }, ink, 2.0);
  if (document->subtitle)
    draw_text (p, document->subtitle, (Font){ BODY }, dim, 10.0);
  draw_blocks (p, 0, document->blocks->len);
  draw_folds (p);
  draw_footer (p);
}

static void
set_metadata (cairo_surface_t *surface, TosstDocument *document, double created)
{
  g_autoptr (GDateTime) time = isfinite (created) ? g_date_time_new_from_unix_utc ((gint64)created) : NULL;
  g_autofree char *date = time ? g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ") : NULL;

  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, document->title);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, "TOSST Studio " PACKAGE_VERSION);
  if (date)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
}

/* Returns the number of pages; bytes NULL: only that. */
static int
write_pages (TosstDocument *document, double created, int pages, GByteArray *bytes, cairo_status_t *status)
{
  static const TosstChartStyle style = { .font = "Sans", .font_size = BODY };
  Pages p = { .document = document, .pages = pages };

  p.surface = cairo_pdf_surface_create_for_stream (bytes ? tosst_document_append_bytes : NULL, bytes, PAGE_WIDTH,
                                                   PAGE_HEIGHT);
  set_metadata (p.surface, document, created);
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
