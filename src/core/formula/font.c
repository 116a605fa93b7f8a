/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fonts of formulas. A mathematical font has separate code points for italic and calligraphic letters (U+1D400 ...);
 * without one, the italics of a serif font are used. */

#include "config.h"

#include "core/formula/private.h"

#include <string.h>

/* The first installed one is used. Debian's fonts-dejavu-extra has the last but one. */
static const char *const families[]
    = { "STIX Two Math", "Libertinus Math", "Latin Modern Math", "DejaVu Math TeX Gyre", "DejaVu Serif" };

typedef struct
{
  PangoContext *context;
  PangoFontDescription *font;
  gboolean mathematical; /* has mathematical code points */
  double axis, x_height; /* at one unit per em */
} Font;

/* Whether the family is installed and has the characters of formulas. */
static gboolean
load (Font *self, const char *family)
{
  g_autoptr (PangoFont) font = NULL;
  PangoFontDescription *found;
  gboolean right;

  pango_font_description_set_family_static (self->font, family);
  pango_font_description_set_absolute_size (self->font, 20 * PANGO_SCALE);
  font = pango_context_load_font (self->context, self->font);
  if (font == NULL)
    return FALSE;
  found = pango_font_describe (font);
  right = g_ascii_strcasecmp (pango_font_description_get_family (found), family) == 0;
  pango_font_description_free (found);
  self->mathematical = right && pango_font_has_char (font, 0x1d44e) && pango_font_has_char (font, 0x1d6fc)
                       && pango_font_has_char (font, 0x1d4e7) && pango_font_has_char (font, 0x2211);
  return right;
}

static void
measure (Font *self, const char *text, double *top, double *bottom)
{
  g_autoptr (PangoLayout) layout = pango_layout_new (self->context);
  PangoRectangle ink;
  double baseline;

  pango_font_description_set_absolute_size (self->font, 100 * PANGO_SCALE);
  pango_layout_set_font_description (layout, self->font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_extents (layout, &ink, NULL);
  baseline = pango_layout_get_baseline (layout);
  *top = (baseline - ink.y) / PANGO_SCALE / 100;
  *bottom = (baseline - ink.y - ink.height) / PANGO_SCALE / 100;
}

static void
font_free (gpointer data)
{
  Font *self = data;

  pango_font_description_free (self->font);
  g_object_unref (self->context);
  g_free (self);
}

/* Pango font maps are bound to a thread, and so are the fonts created from them. */
static Font *
get_font (void)
{
  static GPrivate fonts = G_PRIVATE_INIT (font_free);
  Font *self = g_private_get (&fonts);
  double top, bottom;

  if (self != NULL)
    return self;
  self = g_new0 (Font, 1);

  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_t *options = cairo_font_options_create ();

  /* Hinted widths differ between screen and page. */
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (context, options);
  pango_cairo_context_set_resolution (context, 72.0);
  pango_context_set_round_glyph_positions (context, FALSE);
  cairo_font_options_destroy (options);
  self->context = context;
  self->font = pango_font_description_new ();
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (load (self, families[i]))
      break;
    else if (i + 1 == G_N_ELEMENTS (families))
      pango_font_description_set_family_static (self->font, "Serif");
  measure (self, "−", &top, &bottom);
  self->axis = (top + bottom) / 2;
  measure (self, "x", &top, &bottom);
  self->x_height = top;
  g_private_set (&fonts, self);
  return self;
}

static gunichar
mathematical_letter (gunichar c, TosstFace face)
{
  gboolean small = c >= 'a' && c <= 'z', capital = c >= 'A' && c <= 'Z';

  if (face == TOSST_FACE_ITALIC)
    return c == 'h'                   ? 0x210e
           : small                    ? 0x1d44e + c - 'a'
           : capital                  ? 0x1d434 + c - 'A'
           : c >= 0x3b1 && c <= 0x3c9 ? 0x1d6fc + c - 0x3b1
                                      : c;
  if (face == TOSST_FACE_BOLD)
    return small ? 0x1d41a + c - 'a' : capital ? 0x1d400 + c - 'A' : g_ascii_isdigit (c) ? 0x1d7ce + c - '0' : c;
  return capital ? 0x1d4d0 + c - 'A' : c; /* bold script: plain script has gaps in Unicode */
}

static char *
mathematical_text (const char *text, TosstFace face)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (const char *c = text; *c != 0; c = g_utf8_next_char (c))
    g_string_append_unichar (out, mathematical_letter (g_utf8_get_char (c), face));
  return g_string_free (g_steal_pointer (&out), FALSE);
}

PangoLayout *
tosst_formula_text_layout (const char *text, TosstFace face, double size)
{
  Font *self = get_font ();
  PangoLayout *layout = pango_layout_new (self->context);
  PangoFontDescription *font = pango_font_description_copy (self->font);
  gboolean plain = face == TOSST_FACE_UPRIGHT || face == TOSST_FACE_LARGE;
  g_autofree char *letters = self->mathematical && !plain ? mathematical_text (text, face) : g_strdup (text);

  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  if (!self->mathematical && (face == TOSST_FACE_ITALIC || face == TOSST_FACE_CALLIGRAPHIC))
    pango_font_description_set_style (font, PANGO_STYLE_ITALIC);
  if (!self->mathematical && (face == TOSST_FACE_BOLD || face == TOSST_FACE_CALLIGRAPHIC))
    pango_font_description_set_weight (font, PANGO_WEIGHT_BOLD);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, letters, -1);
  pango_font_description_free (font);
  return layout;
}

double
tosst_formula_axis (double size)
{
  return get_font ()->axis * size;
}

double
tosst_formula_x_height (double size)
{
  return get_font ()->x_height * size;
}
