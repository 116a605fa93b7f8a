/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/report/document.h"

#include <cairo-pdf.h>

#include "core/base/base.h"
#include "core/plot/chart-private.h"

typedef struct
{
  TosstBlockKind kind;
  char *text; /* of most kinds; description of a figure */
  char *label, *more;
  TosstTable *table;
  TosstDrawFunc draw;
  gpointer data;
  GDestroyNotify destroy;
  double width, height;
  gboolean half;
} TosstBlock;

struct TosstDocument
{
  char *title, *subtitle;
  GPtrArray *blocks; /* TosstBlock * */
};

static void
block_free (gpointer data)
{
  TosstBlock *block = data;

  TOSST_CLEAR_MEMBERS (block, (text, g_free), (label, g_free), (more, g_free), (table, tosst_table_free));
  if (block->destroy)
    block->destroy (block->data);
  g_free (block);
}

TosstDocument *
tosst_document_new (const char *title, const char *subtitle)
{
  TosstDocument *self = g_new0 (TosstDocument, 1);

  self->title = tosst_clean_text (title);
  self->subtitle = subtitle ? tosst_clean_text (subtitle) : NULL;
  self->blocks = g_ptr_array_new_with_free_func (block_free);
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstDocument, tosst_document_free, TosstDocument *, (title, g_free), (subtitle, g_free),
                          (blocks, g_ptr_array_unref))

static TosstBlock *
add (TosstDocument *self, TosstBlockKind kind, const char *text)
{
  TosstBlock *block = g_new0 (TosstBlock, 1);

  block->kind = kind;
  block->text = tosst_clean_text (text);
  g_ptr_array_add (self->blocks, block);
  return block;
}

void
tosst_document_add (TosstDocument *self, TosstBlockKind kind, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  add (self, kind, text);
}

void
tosst_document_add_figure_of_merit (TosstDocument *self, const char *value, const char *label, const char *more)
{
  TosstBlock *block = add (self, TOSST_BLOCK_MERIT, value);

  block->label = tosst_clean_text (label);
  block->more = more ? tosst_clean_text (more) : NULL;
}

void
tosst_document_add_table (TosstDocument *self, TosstTable *table)
{
  add (self, TOSST_BLOCK_TABLE, "")->table = table;
}

void
tosst_document_add_figure (TosstDocument *self, TosstDrawFunc draw, gpointer data, GDestroyNotify destroy, double width,
                           double height, gboolean half, const char *description)
{
  TosstBlock *block = add (self, TOSST_BLOCK_FIGURE, description);

  block->draw = draw;
  block->data = data;
  block->destroy = destroy;
  block->width = width;
  block->height = height;
  block->half = half;
}

static void
draw_chart (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_chart_draw (data, cr, width, height, style);
}

void
tosst_document_add_chart (TosstDocument *self, TosstChart *chart, double width, double height, gboolean half)
{
  g_autofree char *description = tosst_chart_describe (chart);

  tosst_document_add_figure (self, draw_chart, chart, (GDestroyNotify)tosst_chart_free, width, height, half,
                             description);
}

/* Number of blocks from first on that form one row with it, at least 1. */
static guint
tosst_document_row (TosstDocument *self, guint first)
{
  const TosstBlock *block = g_ptr_array_index (self->blocks, first);
  guint most = block->kind == TOSST_BLOCK_MERIT ? G_MAXUINT : block->kind == TOSST_BLOCK_FIGURE && block->half ? 2 : 1;
  guint n = 1;

  for (; n < most && first + n < self->blocks->len; n++)
    {
      const TosstBlock *next = g_ptr_array_index (self->blocks, first + n);

      if (next->kind != block->kind || next->half != block->half)
        break;
    }
  return n;
}

static cairo_status_t
tosst_document_append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* Cairo write function that appends to a GByteArray, the closure. */
static gboolean
tosst_document_drawn (cairo_status_t status, GError **error)
{
  return status == CAIRO_STATUS_SUCCESS
         || tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("a figure cannot be drawn: %s"),
                        cairo_status_to_string (status));
}

/* A document as one file of HTML5 that is also well-formed XML, which enables checks by XML tools. Figures are SVG in
 * data URLs, which follow light and dark; inside of <img> their ids do not conflict. */

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

/* data: a table from the numbers of ids to those in their order. */
static gboolean
number_id (const GMatchInfo *match, GString *text, gpointer data)
{
  GHashTable *numbers = data;
  g_autofree char *id = g_match_info_fetch (match, 0);

  if (!g_hash_table_contains (numbers, id))
    g_hash_table_insert (numbers, g_strdup (id), GUINT_TO_POINTER (g_hash_table_size (numbers) + 1));
  g_string_append_printf (text, "i%u", GPOINTER_TO_UINT (g_hash_table_lookup (numbers, id)));
  return FALSE;
}

/* With ids from 1, which cairo counts over all drawings of a process. New; NULL with error. */
static char *
draw_figure (const TosstBlock *block, gboolean dark, GError **error)
{
  const TosstChartStyle style = { .dark = dark, .font = "Sans", .font_size = 11.0, .raster = TRUE };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GRegex) ids
      = g_regex_new ("(?<=id=\"|href=\"#|url\\(#)(?:surface|image|clip|mask|linear|radial)\\d+", 0, 0, NULL);
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (!tosst_document_drawn (
          tosst_draw_svg (block->draw, block->data, block->width, block->height, &style, FALSE, bytes), error))
    return NULL;
  g_autofree char *svg = g_strndup ((const char *)bytes->data, bytes->len);
  return g_regex_replace_eval (ids, svg, -1, 0, 0, number_id, numbers, NULL);
}

/* The next colour: rgb(...) or #rrggbb in an attribute. NULL: none. */
static const char *
find_color (const char *svg, gsize *length)
{
  for (const char *at = strpbrk (svg, "r\""); at != NULL; at = strpbrk (at + 1, "r\""))
    if (g_str_has_prefix (at, "rgb("))
      {
        *length = strcspn (at, ")") + 1;
        return at;
      }
    else if (g_str_has_prefix (at, "\"#") && strspn (at + 2, "0123456789abcdef") == 6 && at[8] == '"')
      {
        *length = 7;
        return at + 1;
      }
  return NULL;
}

/* One drawing for light and dark pages, from both, which differ in colours only: the pairs of colours become variables of a style
 * sheet. New; NULL if they differ otherwise. */
static char *
merge_figures (const char *light, const char *dark)
{
  g_autoptr (GHashTable) variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GString) merged = g_string_new (NULL), lights = g_string_new (NULL), darks = g_string_new (NULL);
  gsize a, b;

  for (;;)
    {
      const char *one = find_color (light, &a), *other = find_color (dark, &b);
      gsize before = one != NULL ? (gsize)(one - light) : strlen (light);

      if ((one == NULL) != (other == NULL) || (other != NULL ? (gsize)(other - dark) : strlen (dark)) != before
          || strncmp (light, dark, before) != 0)
        return NULL;
      g_string_append_len (merged, light, (gssize)before);
      if (one == NULL)
        break;

      g_autofree char *first = g_strndup (one, a), *second = g_strndup (other, b),
                      *pair = g_strconcat (first, ";", second, NULL);
      const char *variable = g_hash_table_lookup (variables, pair);

      light = one + a;
      dark = other + b;
      if (g_str_equal (first, second)) /* or a text */
        {
          g_string_append (merged, first);
          continue;
        }
      if (variable == NULL)
        {
          guint number = g_hash_table_size (variables);
          char *name = g_strdup_printf ("--c%u", number);

          g_string_append_printf (lights, "%s:%s;", name, first);
          g_string_append_printf (darks, "%s:%s;", name, second);
          g_hash_table_insert (variables, g_steal_pointer (&pair), name);
          variable = name;
        }
      g_string_append_printf (merged, "var(%s)", variable);
    }

  g_autofree char *sheet = g_strdup_printf (
      "<style>:root{%s}@media screen and (prefers-color-scheme:dark){:root{%s}}</style>", lights->str, darks->str);
  const char *root = strstr (merged->str, "<svg"), *inside = root != NULL ? strchr (root, '>') : NULL;

  if (inside == NULL)
    return NULL;
  g_string_insert (merged, inside + 1 - merged->str, sheet);
  return g_string_free (g_steal_pointer (&merged), FALSE);
}

static gboolean
append_figure (GString *html, const TosstBlock *block, GError **error)
{
  g_autofree char *light = draw_figure (block, FALSE, error), *dark = NULL, *both = NULL, *escaped = NULL;

  dark = light ? draw_figure (block, TRUE, error) : NULL;
  if (!dark)
    return FALSE;
  both = merge_figures (light, dark);
  /* Not base64, which pictures inside have already. */
  escaped = g_uri_escape_string (both ? both : light, " !\"$()*,/:;=>?@[]{|}", FALSE);
  g_string_append_printf (html, "<figure><img src='data:image/svg+xml,%s' width=\"%d\" height=\"%d\"%s alt=\"", escaped,
                          (int)block->width, (int)block->height, both ? "" : " style=\"background:#fff\"");
  append_text (html, block->text);
  g_string_append (html, "\"/></figure>\n");
  return TRUE;
}

/* --- tables --- */

static void
append_table (GString *html, const TosstTable *table)
{
  guint columns = table->columns->len;

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
        {
          double bar = tosst_table_bar (table, row, i);
          const char *number = tosst_table_is_number (table, i) ? "n" : "";
          char part[G_ASCII_DTOSTR_BUF_SIZE];

          if (isfinite (bar))
            g_string_append_printf (html, "<td class=\"%s bar\" style=\"--part:%s%%\">", number,
                                    g_ascii_formatd (part, sizeof part, "%.1f", 100 * CLAMP (bar, 0.0, 1.0)));
          else
            g_string_append (html, *number ? "<td class=\"n\">" : "<td>");
          append_text (html, tosst_table_cell (table, row, i));
          g_string_append (html, "</td>");
        }
      g_string_append (html, "</tr>\n");
    }
  g_string_append (html, "</tbody>\n</table></div>\n");
}

/* --- the document --- */

static gboolean
has_parts (TosstDocument *self)
{
  TOSST_FOR_EACH_POINTER (const TosstBlock, block, self->blocks)
    if (block->kind == TOSST_BLOCK_PART)
      return TRUE;
  return FALSE;
}

static void
append_contents (GString *html, TosstDocument *self)
{
  int part = 0;

  g_string_append (html, "<nav><ul>\n");
  TOSST_FOR_EACH_POINTER (const TosstBlock, block, self->blocks)
    {
      if (block->kind != TOSST_BLOCK_PART)
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
  int tag = (int)block->kind + (parts ? 2 : 1);

  g_string_append_printf (html, "<h%d class=\"%s\"", tag, classes[block->kind]);
  if (block->kind == TOSST_BLOCK_PART)
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

/* Blocks outside of rows. */
static void
append_block (GString *html, const TosstBlock *block)
{
  static const char *const class[] = { [TOSST_BLOCK_REMARK] = "remark", [TOSST_BLOCK_WARNING] = "warning" };

  if (block->kind == TOSST_BLOCK_TABLE)
    append_table (html, block->table);
  else if (block->kind == TOSST_BLOCK_UNFOLD)
    g_string_append (html, "</details>\n");
  else if (block->kind == TOSST_BLOCK_FOLD)
    {
      g_string_append (html, "<details>");
      append_element (html, "summary", NULL, block->text);
    }
  else if (block->kind == TOSST_BLOCK_CODE)
    append_element (html, "pre", NULL, block->text);
  else
    append_element (html, "p", class[block->kind], block -> text);
}

static gboolean
append_blocks (GString *html, TosstDocument *self, gboolean parts, GError **error)
{
  int part = 0;

  for (guint i = 0, n; i < self->blocks->len; i += n)
    {
      const TosstBlock *block = g_ptr_array_index (self->blocks, i);

      n = tosst_document_row (self, i);
      if (block->kind <= TOSST_BLOCK_SUBSECTION)
        append_heading (html, block, parts, &part);
      else if (block->kind == TOSST_BLOCK_MERIT)
        append_merits (html, self, i, n);
      else if (block->kind != TOSST_BLOCK_FIGURE)
        append_block (html, block);
      else
        {
          g_string_append (html, n > 1 ? "<div class=\"pair\">\n" : "");
          for (guint j = i; j < i + n; j++)
            if (!append_figure (html, g_ptr_array_index (self->blocks, j), error))
              return FALSE;
          g_string_append (html, n > 1 ? "</div>\n" : "");
        }
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

/* A document as A4 pages. The layout is computed twice, the first time to count the pages. Lengths are in points. */

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

/* Pages of a PDF document: text, footer, page breaks. */

static const TosstColor tosst_page_ink = { 0.12, 0.14, 0.16 }, tosst_page_dim = { 0.36, 0.39, 0.44 };

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
  guint n = table->columns->len;
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

  for (guint i = 0; i < table->columns->len; i++)
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

  for (guint i = 0; i < table->columns->len; i++, x = end)
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

static void
page_draw_table (TosstPages *p, const TosstTable *table)
{
  double size = p->folded ? TOSST_PAGE_SMALL : TOSST_PAGE_BODY - 0.5;
  g_autofree double *widths = column_widths (p, table, size);
  double sum = 0;

  for (guint i = 0; i < table->columns->len; i++)
    sum += widths[i];
  /* In two halves side by side, if they fit. */
  gboolean titles = tosst_table_has_titles (table),
           twice = p->folded && sum <= TOSST_PAGE_INNER / 2 - PADDING && tosst_table_rows (table) > 8;
  double header = titles ? row_height (p, table, -1, widths, size) : 0;
  int n = (int)tosst_table_rows (table), rows = twice ? (n + 1) / 2 : n;

  for (int row = 0; row < rows; row++)
    {
      int second = twice ? row + rows : n;
      double height = MAX (row_height (p, table, row, widths, size),
                           second < n ? row_height (p, table, second, widths, size) : 0);
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

      pango_layout_iter_get_line_extents (iter, NULL, &box);
      double height = (double)box.height / PANGO_SCALE + spacing;
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
  int i = (int)block->kind;

  if (block->kind == TOSST_BLOCK_PART && p->parts)
    page_begin (p);
  p->parts = p->parts || block->kind == TOSST_BLOCK_PART;
  /* No heading at the bottom of a page. */
  need (p, MIN (before[i] + 2 * sizes[i] + after, TOSST_PAGE_BOTTOM - TOSST_PAGE_MARGIN));
  p->y += p->y > TOSST_PAGE_MARGIN ? before[i] : 0;

  g_autofree char *place = NULL;
  char position[G_ASCII_DTOSTR_BUF_SIZE];

  if (p->pages != 0 && block->kind <= TOSST_BLOCK_SECTION)
    {
      place
          = g_strdup_printf ("page=%d pos=[0 %s]", p->page, g_ascii_formatd (position, sizeof position, "%.1f", p->y));
      int entry = cairo_pdf_surface_add_outline (p->surface,
                                                 block->kind == TOSST_BLOCK_PART ? CAIRO_PDF_OUTLINE_ROOT : p->outline,
                                                 block->text, place, CAIRO_PDF_OUTLINE_FLAG_OPEN);

      if (block->kind == TOSST_BLOCK_PART)
        p->outline = entry;
    }
  draw_text (p, block->text, (TosstPageFont){ sizes[i], TRUE },
             block->kind == TOSST_BLOCK_PART ? accent : tosst_page_ink, 4.0);
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
  if (block->kind == TOSST_BLOCK_TABLE)
    page_draw_table (p, block->table);
  else if (block->kind == TOSST_BLOCK_WARNING)
    draw_box (p, block->text, (TosstPageFont){ TOSST_PAGE_BODY }, warning);
  else if (block->kind == TOSST_BLOCK_CODE)
    draw_box (p, block->text, (TosstPageFont){ TOSST_PAGE_SMALL, FALSE, TRUE }, card);
  else if (block->kind == TOSST_BLOCK_REMARK)
    draw_text (p, block->text, (TosstPageFont){ TOSST_PAGE_SMALL }, tosst_page_dim, TOSST_PAGE_GAP);
  else
    draw_text (p, block->text, (TosstPageFont){ TOSST_PAGE_BODY }, tosst_page_ink, TOSST_PAGE_GAP);
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
      if (block->kind <= TOSST_BLOCK_SUBSECTION)
        {
          n = 1;
          if (block->kind == TOSST_BLOCK_PART)
            draw_folds (p);
          draw_heading (p, block, height_after (document, i));
        }
      else if (block->kind == TOSST_BLOCK_FOLD)
        {
          n = fold_end (document, i) + 1 - i;
          /* PDF has no collapsed blocks: contents of folds follow at the end of the part, with a reference in their
           * place.
           * Translators: what is not shown here but at the end: "12 better classes" */
          g_autofree char *text = g_strdup_printf (_ ("%s: at the end"), block->text);

          draw_text (p, text, (TosstPageFont){ TOSST_PAGE_SMALL }, tosst_page_dim, TOSST_PAGE_GAP);
          g_array_append_val (p->folds, i);
        }
      else if (block->kind == TOSST_BLOCK_MERIT)
        draw_merits (p, i, n);
      else if (block->kind == TOSST_BLOCK_FIGURE)
        draw_figures (p, i, n);
      else
        draw_block (p, block);
    }
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
  p.text = tosst_text_new (&style);
  p.layout = pango_layout_new (p.text.context);
  p.foot = pango_layout_new (p.text.context);
  p.folds = g_array_new (FALSE, FALSE, sizeof (guint));
  p.outline = CAIRO_PDF_OUTLINE_ROOT;
  page_begin (&p);
  draw_text (&p, document->title, (TosstPageFont){ 21.0, TRUE }, tosst_page_ink, 2.0);
  if (document->subtitle)
    draw_text (&p, document->subtitle, (TosstPageFont){ TOSST_PAGE_BODY }, tosst_page_dim, 10.0);
  draw_blocks (&p, 0, document->blocks->len);
  draw_folds (&p);
  page_draw_footer (&p);
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

typedef enum
{
  FORMAT_UNKNOWN,
  FORMAT_HTML,
  FORMAT_PDF,
} Format;

static Format
format_of (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  if (g_str_has_suffix (lower, ".html") || g_str_has_suffix (lower, ".htm"))
    return FORMAT_HTML;
  return g_str_has_suffix (lower, ".pdf") ? FORMAT_PDF : FORMAT_UNKNOWN;
}

gboolean
tosst_document_check (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_basename (file);

  if (format_of (name) == FORMAT_UNKNOWN)
    return tosst_fail (error, TOSST_FAILED_NAME, _ ("“%s” cannot be saved: its name must end in .html or .pdf"), name);
  return tosst_memory_check_drawing (error) && tosst_atomic_check (file, error);
}

gboolean
tosst_document_save (TosstDocument *self, double created, GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_basename (file);

  if (!tosst_document_check (file, error))
    return FALSE;
  g_autoptr (GBytes) bytes = format_of (name) == FORMAT_HTML ? tosst_document_to_html (self, error)
                                                             : tosst_document_to_pdf (self, created, error);
  return bytes && tosst_atomic_write (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
}
