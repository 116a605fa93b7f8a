/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pages of a PDF document: text, footer, page breaks.
 */
#include "config.h"

#include "core/report/document-pdf-private.h"

const TosstColor tosst_page_ink = { 0.12, 0.14, 0.16 }, tosst_page_dim = { 0.36, 0.39, 0.44 };

void
tosst_page_set_color (TosstPages *p, TosstColor color)
{
  cairo_set_source_rgb (p->cr, color.r, color.g, color.b);
}

void
tosst_page_set_text (TosstPages *p, const char *text, TosstPageFont font, double width)
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

void
tosst_page_text_size (TosstPages *p, double *width, double *height)
{
  int w, h;

  pango_layout_get_size (p->layout, &w, &h);
  if (width)
    *width = (double)w / PANGO_SCALE;
  if (height)
    *height = (double)h / PANGO_SCALE;
}

void
tosst_page_show (TosstPages *p, double x, double y)
{
  cairo_move_to (p->cr, x, y);
  pango_cairo_show_layout (p->cr, p->layout);
}

void
tosst_page_draw_footer (TosstPages *p)
{
  g_autofree char *number = g_strdup_printf ("%d / %d", p->page, p->pages);
  PangoLayout *layout = p->layout;
  double width;

  p->layout = p->foot;
  tosst_page_set_color (p, tosst_page_dim);
  tosst_page_set_text (p, number, (TosstPageFont){ TOSST_PAGE_SMALL }, 0);
  tosst_page_text_size (p, &width, NULL);
  tosst_page_show (p, TOSST_PAGE_WIDTH - TOSST_PAGE_MARGIN - width, TOSST_PAGE_HEIGHT - 38);
  tosst_page_set_text (p, p->document->title, (TosstPageFont){ TOSST_PAGE_SMALL }, TOSST_PAGE_INNER - width - 20);
  pango_layout_set_height (p->layout, -1);
  pango_layout_set_ellipsize (p->layout, PANGO_ELLIPSIZE_END);
  tosst_page_show (p, TOSST_PAGE_MARGIN, TOSST_PAGE_HEIGHT - 38);
  p->layout = layout;
}

void
tosst_page_begin (TosstPages *p)
{
  if (p->page > 0)
    {
      tosst_page_draw_footer (p);
      cairo_show_page (p->cr);
    }
  p->page++;
  p->y = TOSST_PAGE_MARGIN;
}
