/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/plot/chart-private.h"

#include <math.h>
#include <string.h>

void
tosst_text_init (TosstText *text, const TosstChartStyle *style)
{
  cairo_font_options_t *options = cairo_font_options_create ();
  PangoFontDescription *font = pango_font_description_from_string (style->font ? style->font : "Sans");

  text->symbols = FALSE;
  text->size = style->font_size > 0.0 ? style->font_size : 11.0;
  text->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  /* Hinted widths differ between screen and page. */
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (text->context, options);
  pango_cairo_context_set_resolution (text->context, 72.0);
  pango_context_set_round_glyph_positions (text->context, FALSE);
  pango_font_description_set_absolute_size (font, text->size * PANGO_SCALE);
  pango_context_set_font_description (text->context, font);
  text->layout = pango_layout_new (text->context);
  pango_layout_set_single_paragraph_mode (text->layout, TRUE);
  pango_font_description_free (font);
  cairo_font_options_destroy (options);
}

void
tosst_text_clear (TosstText *text)
{
  g_clear_object (&text->layout);
  g_clear_object (&text->context);
}

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

void
tosst_text_draw (TosstText *text, cairo_t *cr, const char *string, double x, double y, double align_x, double align_y,
                 int quarter_turns, double max_width, double scale, gboolean bold)
{
  PangoRectangle box;

  prepare (text, string, scale, bold, max_width);
  pango_layout_get_extents (text->layout, NULL, &box);
  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_rotate (cr, -quarter_turns * G_PI / 2.0);
  cairo_move_to (cr, -align_x * box.width / PANGO_SCALE - (double)box.x / PANGO_SCALE,
                 -align_y * box.height / PANGO_SCALE);
  pango_cairo_show_layout (cr, text->layout);
  cairo_restore (cr);
}
