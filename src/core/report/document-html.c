/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A document as one file of HTML5 that is also well-formed XML, which enables checks by XML tools. Figures are SVG in
 * data URLs, in a light and a dark version; inside of <img> the ids of their glyphs do not conflict.
 */
#include "config.h"

#include <cairo-svg.h>
#include <glib/gi18n.h>
#include <math.h>

#include "core/report/document-private.h"

static const char style_sheet[]
    = ":root{color-scheme:light dark;--ink:#1f2328;--dim:#5b6370;--paper:#fff;--card:#f5f6f8;--line:#dfe2e7;"
      "--accent:#1a5fb4;--bar:#d5e4f7;--warn:#fdf1dd;--warn-line:#d9900a}\n"
      "@media screen and (prefers-color-scheme:dark){:root{--ink:#e9ebee;--dim:#a3aab5;--paper:#1e1e1e;--card:#2a2b2e;"
      "--line:#3d4046;--accent:#8fbcf5;--bar:#2c4667;--warn:#3a2e17;--warn-line:#b98a34}}\n"
      "*{box-sizing:border-box}\n"
      "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',"
      "Cantarell,'Noto Sans',sans-serif;overflow-wrap:break-word}\n"
      "main{max-width:54rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}\n"
      "h1{font-size:2rem;line-height:1.2;margin:0}\n"
      ".part{font-size:1.6rem;line-height:1.25;margin:4rem 0 .5rem;padding-top:1.5rem;border-top:2px solid "
      "var(--accent)}\n"
      ".section{font-size:1.2rem;line-height:1.3;margin:2.4rem 0 .6rem}\n"
      ".sub{font-size:1rem;margin:1.4rem 0 .4rem}\n"
      "p{margin:.6rem 0}\n"
      ".subtitle,.remark{color:var(--dim)}\n"
      ".subtitle{margin:.35rem 0 1.5rem}\n"
      ".remark{font-size:.85rem}\n"
      ".warning{background:var(--warn);border-left:4px solid var(--warn-line);border-radius:4px;padding:.7rem 1rem}\n"
      "pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;font:.82rem/1.5 "
      "ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
      ".merits{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.2rem 0}\n"
      ".merit{flex:1 1 9rem;background:var(--card);border-radius:10px;padding:.9rem 1.1rem}\n"
      ".merit b{display:block;font-size:1.45rem;line-height:1.25;font-weight:650;white-space:nowrap}\n"
      ".merit span{display:block;color:var(--dim);font-size:.85rem}\n"
      ".wide{overflow-x:auto;margin:.8rem 0}\n"
      "table{border-collapse:collapse;font-size:.9rem}\n"
      "th,td{padding:.3rem .8rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
      "th{font-weight:600;color:var(--dim);border-bottom-color:var(--dim)}\n"
      "th:first-child,td:first-child{padding-left:.2rem}\n"
      ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
      ".bar{min-width:9rem;background:linear-gradient(var(--bar),var(--bar)) no-repeat 0 3px/var(--part) "
      "calc(100% - 6px)}\n"
      "figure{margin:1rem 0}\n"
      "figure img{display:block;max-width:100%;height:auto}\n"
      ".pair{display:flex;flex-wrap:wrap;gap:1rem}\n"
      ".pair figure{flex:1 1 20rem;min-width:0}\n"
      "details{border:1px solid var(--line);border-radius:6px;margin:1rem 0;padding:0 1rem}\n"
      "summary{cursor:pointer;padding:.6rem 0;color:var(--accent);font-size:.95rem}\n"
      "nav ul{list-style:none;padding:0;columns:14rem;margin:1rem 0}\n"
      "a{color:var(--accent)}\n"
      "@media print{@page{margin:16mm 14mm}body{font-size:10.5pt;background:#fff}main{max-width:none;padding:0}"
      ".part{break-before:page;margin-top:0;border-top:0}h1,.part,.section,.sub{break-after:avoid}"
      "figure,tr,.merit,.warning,pre{break-inside:avoid}thead{display:table-header-group}.wide{overflow:visible}"
      ".merit{flex-basis:0}.merit,.bar,.warning,pre{-webkit-print-color-adjust:exact;print-color-adjust:exact}nav{"
      "display:none}}\n";

static void
append_text (GString *html, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_string_append (html, escaped);
}

/* <name class="class">text</name> */
static void
append_element (GString *html, const char *name, const char *class, const char *text)
{
  g_string_append_printf (html, "<%s", name);
  if (class)
    g_string_append_printf (html, " class=\"%s\"", class);
  g_string_append_c (html, '>');
  append_text (html, text);
  g_string_append_printf (html, "</%s>\n", name);
}

/* --- figures --- */

static char *
figure_address (const TosstBlock *block, gboolean dark, GError **error)
{
  const TosstChartStyle style = { .dark = dark, .font = "Sans", .font_size = 11.0 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface
      = cairo_svg_surface_create_for_stream (tosst_document_append_bytes, bytes, block->width, block->height);
  cairo_t *cr = cairo_create (surface);
  g_autofree char *text = NULL;

  block->draw (cr, block->width, block->height, &style, block->data);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (!tosst_document_drawn (status, error))
    return NULL;
  text = g_base64_encode (bytes->data, bytes->len);
  return g_strconcat ("data:image/svg+xml;base64,", text, NULL);
}

static gboolean
append_figure (GString *html, const TosstBlock *block, GError **error)
{
  g_autofree char *light = figure_address (block, FALSE, error), *dark = NULL;

  dark = light ? figure_address (block, TRUE, error) : NULL;
  if (!dark)
    return FALSE;
  g_string_append_printf (html,
                          "<figure><picture><source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"%s\"/>"
                          "<img src=\"%s\" width=\"%d\" height=\"%d\" alt=\"",
                          dark, light, (int)block->width, (int)block->height);
  append_text (html, block->text);
  g_string_append (html, "\"/></picture></figure>\n");
  return TRUE;
}

/* --- tables --- */

static void
append_cell (GString *html, const TosstTable *table, guint row, guint column)
{
  double bar = tosst_table_bar (table, row, column);
  const char *number = tosst_table_is_number (table, column) ? "n" : "";
  char part[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (bar))
    g_string_append_printf (html, "<td class=\"%s bar\" style=\"--part:%s%%\">", number,
                            g_ascii_formatd (part, sizeof part, "%.1f", 100 * CLAMP (bar, 0.0, 1.0)));
  else
    g_string_append (html, *number ? "<td class=\"n\">" : "<td>");
  append_text (html, tosst_table_cell (table, row, column));
  g_string_append (html, "</td>");
}

static void
append_table (GString *html, const TosstTable *table)
{
  guint columns = tosst_table_columns (table);

  g_string_append (html, "<div class=\"wide\"><table>\n");
  if (tosst_table_has_titles (table))
    {
      g_string_append (html, "<thead><tr>");
      for (guint i = 0; i < columns; i++)
        {
          g_string_append (html, tosst_table_is_number (table, i) ? "<th class=\"n\">" : "<th>");
          append_text (html, tosst_table_title (table, i));
          g_string_append (html, "</th>");
        }
      g_string_append (html, "</tr></thead>\n");
    }
  g_string_append (html, "<tbody>\n");
  for (guint row = 0; row < tosst_table_rows (table); row++)
    {
      g_string_append (html, "<tr>");
      for (guint i = 0; i < columns; i++)
        append_cell (html, table, row, i);
      g_string_append (html, "</tr>\n");
    }
  g_string_append (html, "</tbody>\n</table></div>\n");
}

/* --- the document --- */

static gboolean
has_parts (TosstDocument *self)
{
  for (guint i = 0; i < self->blocks->len; i++)
    {
      const TosstBlock *block = g_ptr_array_index (self->blocks, i);

      if (block->kind == TOSST_BLOCK_HEADING && block->level == 1)
        return TRUE;
    }
  return FALSE;
}

static void
append_contents (GString *html, TosstDocument *self)
{
  int part = 0;

  g_string_append (html, "<nav><ul>\n");
  for (guint i = 0; i < self->blocks->len; i++)
    {
      const TosstBlock *block = g_ptr_array_index (self->blocks, i);

      if (block->kind != TOSST_BLOCK_HEADING || block->level != 1)
        continue;
      g_string_append_printf (html, "<li><a href=\"#part-%d\">", ++part);
      append_text (html, block->text);
      g_string_append (html, "</a></li>\n");
    }
  g_string_append (html, "</ul></nav>\n");
}

/* Heading levels increase by one from the page's heading. */
static void
append_heading (GString *html, const TosstBlock *block, gboolean parts, int *part)
{
  static const char *const classes[] = { "part", "section", "sub" };
  int tag = block->level + (parts ? 1 : 0);

  g_string_append_printf (html, "<h%d class=\"%s\"", tag, classes[CLAMP (block->level, 1, 3) - 1]);
  if (block->level == 1)
    g_string_append_printf (html, " id=\"part-%d\"", ++*part);
  g_string_append_c (html, '>');
  append_text (html, block->text);
  g_string_append_printf (html, "</h%d>\n", tag);
}

static void
append_merits (GString *html, TosstDocument *self, guint first, guint n)
{
  g_string_append (html, "<div class=\"merits\">\n");
  for (guint i = first; i < first + n; i++)
    {
      const TosstBlock *block = g_ptr_array_index (self->blocks, i);

      g_string_append (html, "<div class=\"merit\">");
      append_element (html, "b", NULL, block->text);
      append_element (html, "span", NULL, block->label);
      if (block->more)
        append_element (html, "span", NULL, block->more);
      g_string_append (html, "</div>\n");
    }
  g_string_append (html, "</div>\n");
}

static gboolean
append_figures (GString *html, TosstDocument *self, guint first, guint n, GError **error)
{
  g_string_append (html, n > 1 ? "<div class=\"pair\">\n" : "");
  for (guint i = first; i < first + n; i++)
    if (!append_figure (html, g_ptr_array_index (self->blocks, i), error))
      return FALSE;
  g_string_append (html, n > 1 ? "</div>\n" : "");
  return TRUE;
}

/* Blocks outside of rows. */
static void
append_block (GString *html, const TosstBlock *block)
{
  switch (block->kind)
    {
    case TOSST_BLOCK_TEXT:
      append_element (html, "p", NULL, block->text);
      break;
    case TOSST_BLOCK_REMARK:
      append_element (html, "p", "remark", block->text);
      break;
    case TOSST_BLOCK_WARNING:
      append_element (html, "p", "warning", block->text);
      break;
    case TOSST_BLOCK_CODE:
      append_element (html, "pre", NULL, block->text);
      break;
    case TOSST_BLOCK_TABLE:
      append_table (html, block->table);
      break;
    case TOSST_BLOCK_FOLD:
      g_string_append (html, "<details>");
      append_element (html, "summary", NULL, block->text);
      break;
    case TOSST_BLOCK_UNFOLD:
      g_string_append (html, "</details>\n");
      break;
    case TOSST_BLOCK_HEADING:
    case TOSST_BLOCK_MERIT:
    case TOSST_BLOCK_FIGURE:
    default:
      g_assert_not_reached ();
    }
}

static gboolean
append_blocks (GString *html, TosstDocument *self, gboolean parts, GError **error)
{
  int part = 0;

  for (guint i = 0, n; i < self->blocks->len; i += n)
    {
      const TosstBlock *block = g_ptr_array_index (self->blocks, i);

      n = tosst_document_row (self, i);
      if (block->kind == TOSST_BLOCK_HEADING)
        append_heading (html, block, parts, &part);
      else if (block->kind == TOSST_BLOCK_MERIT)
        append_merits (html, self, i, n);
      else if (block->kind != TOSST_BLOCK_FIGURE)
        append_block (html, block);
      else if (!append_figures (html, self, i, n, error))
        return FALSE;
    }
  return TRUE;
}

GBytes *
tosst_document_to_html (TosstDocument *self, GError **error)
{
  g_autoptr (GString) html = g_string_new ("<!DOCTYPE html>\n");
  gboolean parts = has_parts (self);

  /* Translators: the code of the language of these translations, as in xml:lang: "de", "pt-BR". */
  const char *language = _ ("en");
  g_string_append_printf (html,
                          "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"%s\" xml:lang=\"%s\">\n<head>\n"
                          "<meta charset=\"utf-8\"/>\n"
                          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                          "<meta name=\"generator\" content=\"TOSST Studio %s\"/>\n",
                          language, language, PACKAGE_VERSION);
  append_element (html, "title", NULL, self->title);
  g_string_append_printf (html, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", style_sheet);
  append_element (html, "h1", NULL, self->title);
  if (self->subtitle)
    append_element (html, "p", "subtitle", self->subtitle);
  if (parts)
    append_contents (html, self);
  if (!append_blocks (html, self, parts, error))
    return NULL;
  g_string_append (html, "</main>\n</body>\n</html>\n");
  return g_string_free_to_bytes (g_steal_pointer (&html));
}
