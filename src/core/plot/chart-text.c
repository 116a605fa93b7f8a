/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/base.h"
#include "core/plot/chart-private.h"

TosstText
tosst_text_new (const TosstChartStyle *style)
{
  TosstText text = { .size = style->font_size > 0.0 ? style->font_size : 11.0 };
  cairo_font_options_t *options = cairo_font_options_create ();
  PangoFontDescription *font = pango_font_description_from_string (style->font ? style->font : "Sans");

  text.context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  /* Hinted widths differ between screen and page. */
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (text.context, options);
  pango_cairo_context_set_resolution (text.context, 72.0);
  pango_context_set_round_glyph_positions (text.context, FALSE);
  pango_font_description_set_absolute_size (font, text.size * PANGO_SCALE);
  pango_context_set_font_description (text.context, font);
  text.layout = pango_layout_new (text.context);
  pango_layout_set_single_paragraph_mode (text.layout, TRUE);
  pango_font_description_free (font);
  cairo_font_options_destroy (options);
  return text;
}

TOSST_DEFINE_PUBLIC_CLEAR (TosstText, tosst_text_clear, TosstText *, (layout, g_object_unref),
                           (context, g_object_unref))

/* A subscript ends at the first character that is no lower-case letter. */
static char *
subscripts (const char *symbol)
{
  GString *out = g_string_new (NULL);

  while (*symbol != 0)
    {
      gsize plain = strcspn (symbol, "_"), letters;
      g_autofree char *escaped = g_markup_escape_text (symbol, (gssize)plain);

      g_string_append (out, escaped);
      symbol += plain;
      if (*symbol == 0)
        break;
      letters = strspn (symbol + 1, "abcdefghijklmnopqrstuvwxyz");
      g_string_append_printf (out, "<sub>%.*s</sub>", (int)letters, symbol + 1);
      symbol += letters + 1;
    }
  return g_string_free (out, FALSE);
}

static void
prepare (TosstText *text, const char *string, double scale, gboolean bold, double max_width)
{
  PangoFontDescription *font = pango_font_description_copy (pango_context_get_font_description (text->context));

  pango_font_description_set_absolute_size (font, text->size * scale * PANGO_SCALE);
  if (bold)
    pango_font_description_set_weight (font, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description (text->layout, font);
  pango_font_description_free (font);
  pango_layout_set_width (text->layout, max_width > 0.0 ? (int)ceil (max_width * PANGO_SCALE) : -1);
  pango_layout_set_ellipsize (text->layout, max_width > 0.0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  if (text->symbols)
    {
      g_autofree char *markup = subscripts (string);
      pango_layout_set_markup (text->layout, markup, -1);
      return;
    }
  pango_layout_set_attributes (text->layout, NULL);
  pango_layout_set_text (text->layout, string, -1);
}

static double
width_of (TosstText *text, const char *string, double scale, gboolean bold)
{
  int width;

  prepare (text, string, scale, bold, 0.0);
  pango_layout_get_size (text->layout, &width, NULL);
  return (double)width / PANGO_SCALE;
}

double
tosst_text_width (TosstText *text, const char *string, double scale)
{
  return width_of (text, string, scale, FALSE);
}

double
tosst_text_bold_width (TosstText *text, const char *string, double scale)
{
  return width_of (text, string, scale, TRUE);
}

double
tosst_text_height (TosstText *text, double scale)
{
  int height;

  prepare (text, "Xg", scale, FALSE, 0.0);
  pango_layout_get_size (text->layout, NULL, &height);
  return (double)height / PANGO_SCALE;
}

static const cairo_user_data_key_t collected;

GString *
tosst_text_collect (cairo_surface_t *surface)
{
  GString *elements = g_string_new (NULL);

  cairo_surface_set_user_data (surface, &collected, elements, NULL);
  return elements;
}

static void
append_number (GString *text, const char *before, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, before);
  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.6g", value));
}

/* What remains of a text that is cut off: its first characters and an ellipsis. New. */
static char *
visible_part (TosstText *text, const char *string, double scale, gboolean bold, double max_width)
{
  glong n = g_utf8_strlen (string, -1);
  char *part = g_strdup (string);

  while (n-- > 0 && pango_layout_is_ellipsized (text->layout))
    {
      g_autofree char *begin = g_utf8_substring (string, 0, n);

      g_free (part);
      part = g_strconcat (begin, "…", NULL);
      prepare (text, part, scale, bold, max_width);
    }
  return part;
}

/* Subscripts as markup of SVG. New. */
static char *
spans (const char *markup)
{
  g_auto (GStrv) parts = g_strsplit (markup, "<sub>", -1);
  g_autofree char *opened = g_strjoinv ("<tspan baseline-shift=\"sub\" font-size=\"70%\">", parts);
  g_auto (GStrv) rest = g_strsplit (opened, "</sub>", -1);

  return g_strjoinv ("</tspan>", rest);
}

/* An element of text whose baseline begins at the origin of cr. textLength has another font take the same room. */
static void
append_element (GString *elements, TosstText *text, cairo_t *cr, const char *string, double scale, gboolean bold)
{
  g_autofree char *markup = text->symbols ? subscripts (string) : g_markup_escape_text (string, -1),
                  *inner = spans (markup),
                  *family = g_markup_escape_text (
                      pango_font_description_get_family (pango_context_get_font_description (text->context)), -1);
  double red = 0, green = 0, blue = 0, alpha = 1;
  cairo_matrix_t m;
  int width;

  cairo_get_matrix (cr, &m);
  cairo_pattern_get_rgba (cairo_get_source (cr), &red, &green, &blue, &alpha);
  pango_layout_get_size (text->layout, &width, NULL);
  append_number (elements, "<text transform=\"matrix(", m.xx);
  append_number (elements, ",", m.yx);
  append_number (elements, ",", m.xy);
  append_number (elements, ",", m.yy);
  append_number (elements, ",", m.x0);
  append_number (elements, ",", m.y0);
  append_number (elements, ")\" font-size=\"", text->size * scale);
  g_string_append_printf (elements, "\" font-family=\"%s, sans-serif\"%s fill=\"#%02x%02x%02x\"", family,
                          bold ? " font-weight=\"bold\"" : "", (guint)(255 * red + 0.5), (guint)(255 * green + 0.5),
                          (guint)(255 * blue + 0.5));
  if (alpha < 1)
    {
      append_number (elements, " fill-opacity=\"", alpha);
      g_string_append_c (elements, '"');
    }
  append_number (elements, " textLength=\"", (double)width / PANGO_SCALE);
  g_string_append_printf (elements, "\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">%s</text>\n", inner);
}

void
tosst_text_draw (TosstText *text, cairo_t *cr, const char *string, double x, double y, double align_x, double align_y,
                 int quarter_turns, double max_width, double scale, gboolean bold)
{
  GString *elements = cairo_surface_get_user_data (cairo_get_target (cr), &collected);
  g_autofree char *part = NULL;
  PangoRectangle box;

  prepare (text, string, scale, bold, max_width);
  if (elements)
    part = visible_part (text, string, scale, bold, max_width);
  pango_layout_get_extents (text->layout, NULL, &box);
  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_rotate (cr, -quarter_turns * G_PI / 2.0);
  cairo_translate (cr, -align_x * box.width / PANGO_SCALE - (double)box.x / PANGO_SCALE,
                   -align_y * box.height / PANGO_SCALE);
  if (elements)
    {
      cairo_translate (cr, 0, (double)pango_layout_get_baseline (text->layout) / PANGO_SCALE);
      if (box.width > 0)
        append_element (elements, text, cr, part, scale, bold);
    }
  else
    {
      cairo_move_to (cr, 0, 0);
      pango_cairo_show_layout (cr, text->layout);
    }
  cairo_restore (cr);
}
