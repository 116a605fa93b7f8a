/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as A4 pages. The layout is computed twice, the first time to count the pages. Lengths are in points.
 */
#include "config.h"

#include <cairo-pdf.h>
#include <glib/gi18n.h>
#include <math.h>

#include "core/report/document-pdf-private.h"

static const TosstColor card = { 0.96, 0.965, 0.973 }, accent = { 0.10, 0.37, 0.71 }, warning = { 0.992, 0.945, 0.867 };

/* Starts a new page unless this height is available. */
static void
need (TosstPages *p, double height)
{
  if (p->y + height > TOSST_PAGE_BOTTOM && p->y > TOSST_PAGE_MARGIN)
    tosst_page_begin (p);
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
          tosst_page_set_color (p, *background);
          cairo_rectangle (p->cr, x - inset, p->y - 0.2, TOSST_PAGE_INNER, height + 0.4);
          cairo_fill (p->cr);
        }
      tosst_page_set_color (p, color);
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
  tosst_page_set_text (p, text, font, TOSST_PAGE_INNER);
  flow (p, TOSST_PAGE_MARGIN, color, NULL, 0);
  p->y += after;
}

static void
draw_box (TosstPages *p, const char *text, TosstPageFont font, TosstColor background)
{
  const double inset = 8.0, edge = 5.0;
  double height;

  tosst_page_set_text (p, text, font, TOSST_PAGE_INNER - 2 * inset);
  tosst_page_text_size (p, NULL, &height);
  need (p, MIN (height + 3 * edge, 0.5 * TOSST_PAGE_BOTTOM));
  tosst_page_set_color (p, background);
  cairo_rectangle (p->cr, TOSST_PAGE_MARGIN, p->y, TOSST_PAGE_INNER, edge);
  cairo_fill (p->cr);
  p->y += edge;
  flow (p, TOSST_PAGE_MARGIN + inset, tosst_page_ink, &background, inset);
  tosst_page_set_color (p, background);
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
    tosst_page_begin (p);
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

  tosst_page_set_text (p, text, (TosstPageFont){ 14.0, TRUE }, 0);
  tosst_page_text_size (p, &natural, NULL);
  return CLAMP (14.0 * (width - 1) / natural, 9.0, 14.0);
}

static void
draw_merit (TosstPages *p, const TosstBlock *block, double x, double width, double height)
{
  const double inset = 9.0;
  double y = p->y + 7.0, h;

  tosst_page_set_color (p, card);
  cairo_rectangle (p->cr, x, p->y, width, height);
  cairo_fill (p->cr);
  for (int i = 0; i < 3; i++)
    {
      const char *text = i == 0 ? block->text : i == 1 ? block->label : block->more;
      if (!text)
        continue;
      tosst_page_set_text (p, text,
                           i == 0 ? (TosstPageFont){ merit_size (p, text, width - 2 * inset), TRUE }
                                  : (TosstPageFont){ TOSST_PAGE_SMALL },
                           width - 2 * inset);
      pango_layout_set_height (p->layout, i == 2 ? -2 : -1);
      pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
      tosst_page_set_color (p, i == 0 ? tosst_page_ink : tosst_page_dim);
      tosst_page_show (p, x + inset, y);
      tosst_page_text_size (p, NULL, &h);
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
      tosst_page_draw_table (p, block->table);
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
  tosst_page_begin (p);
  draw_text (p, document->title, (TosstPageFont){ 21.0, TRUE }, tosst_page_ink, 2.0);
  if (document->subtitle)
    draw_text (p, document->subtitle, (TosstPageFont){ TOSST_PAGE_BODY }, tosst_page_dim, 10.0);
  draw_blocks (p, 0, document->blocks->len);
  draw_folds (p);
  tosst_page_draw_footer (p);
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
