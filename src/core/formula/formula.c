/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fonts of formulas. A mathematical font has separate code points for italic and calligraphic letters (U+1D400 ...);
 * without one, the italics of a serif font are used. */
#include "config.h"

#include "core/base/base.h"
#include "core/formula/private.h"

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
  pango_font_description_set_family_static (self->font, family);
  pango_font_description_set_absolute_size (self->font, 20 * PANGO_SCALE);
  g_autoptr (PangoFont) font = pango_context_load_font (self->context, self->font);
  if (font == NULL)
    return FALSE;
  PangoFontDescription *found = pango_font_describe (font);
  gboolean right = g_ascii_strcasecmp (pango_font_description_get_family (found), family) == 0;
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

  pango_font_description_set_absolute_size (self->font, 100 * PANGO_SCALE);
  pango_layout_set_font_description (layout, self->font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_extents (layout, &ink, NULL);
  double baseline = pango_layout_get_baseline (layout);
  *top = (baseline - ink.y) / PANGO_SCALE / 100;
  *bottom = (baseline - ink.y - ink.height) / PANGO_SCALE / 100;
}

TOSST_DEFINE_FREE (Font, font_free, (font, pango_font_description_free), (context, g_object_unref))

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

/* One line of text in a face of formulas at so many units per em. New. */
static PangoLayout *
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
  if (!self->mathematical && face == TOSST_FACE_CALLIGRAPHIC)
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

/* Height of an x above the baseline. */
static double
tosst_formula_x_height (double size)
{
  return get_font ()->x_height * size;
}

/* Layout of a formula after appendix G of The TeXbook: shifts of indices, fractions and limits are fixed parts of an
 * em unless the contents need more. Axis and x-height are measured in the font. */

/* In em. */
#define RULE 0.05
#define SUP_DISPLAY 0.413
#define SUP_TEXT 0.363
#define SUP_DROP 0.386
#define SUB_ALONE 0.17
#define SUB_WITH_SUP 0.247
#define SUB_DROP 0.05
#define NUMERATOR_DISPLAY 0.677
#define NUMERATOR_TEXT 0.444
#define DENOMINATOR_DISPLAY 0.686
#define DENOMINATOR_TEXT 0.345
#define LIMIT_GAP 0.14
#define LINE_GAP 0.45
#define SCRIPT_SPACE 0.05

typedef struct
{
  double size; /* of the formula */
  int level;   /* 0 display style, 1 text style, 2 index, 3 index of an index */
} Style;

static double
em (Style style)
{
  static const double scales[] = { 1, 1, 0.72, 0.56 };

  return style.size * scales[style.level];
}

static Style
smaller (Style style)
{
  return (Style){ style.size, style.level < 2 ? 2 : 3 };
}

static Style
inside (Style style)
{
  return (Style){ style.size, MAX (style.level, 1) };
}

/* Boxes. */

TOSST_DEFINE_FREE (TosstBox, tosst_box_free, (layout, g_object_unref), (children, g_ptr_array_unref))

static TosstBox *
box_new (TosstBoxKind kind)
{
  TosstBox *box = g_new0 (TosstBox, 1);

  box->kind = kind;
  if (kind == TOSST_BOX_LIST)
    box->children = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_box_free);
  return box;
}

/* Places child at (x, y); the list grows to contain it. */
static void
place (TosstBox *list, TosstBox *child, double x, double y)
{
  child->x = x;
  child->y = y;
  g_ptr_array_add (list->children, child);
  list->width = MAX (list->width, x + child->width);
  list->ascent = MAX (list->ascent, child->ascent - y);
  list->descent = MAX (list->descent, child->descent + y);
}

static TosstBox *layout (const TosstNode *node, Style style);

static TosstBox *
layout_or_empty (const TosstNode *node, Style style)
{
  return node != NULL ? layout (node, style) : NULL;
}

/* Symbols. */

static TosstBox *
glyphs_new (const char *text, TosstFace face, double size)
{
  TosstBox *box = box_new (TOSST_BOX_GLYPHS);
  PangoRectangle ink, logical;
  double scale = PANGO_SCALE, right;

  box->layout = tosst_formula_text_layout (text, face, size);
  box->single = g_utf8_strlen (text, -1) == 1;
  pango_layout_get_extents (box->layout, &ink, &logical);
  box->baseline = pango_layout_get_baseline (box->layout) / scale;
  box->left = logical.x / scale;
  box->width = logical.width / scale;
  box->ascent = MAX (box->baseline - ink.y / scale, 0);
  box->descent = MAX ((ink.y + ink.height) / scale - box->baseline, 0);
  right = (ink.x + ink.width - logical.x) / scale;
  box->slant = face == TOSST_FACE_ITALIC || face == TOSST_FACE_CALLIGRAPHIC ? MAX (right - box->width, 0) : 0;
  box->free = MAX (box->width - right, 0);
  return box;
}

/* Large operators are centred on the axis. */
static TosstBox *
layout_large (const TosstNode *node, Style style)
{
  double size = em (style) * (style.level == 0 ? 1.45 : 1.1), axis = tosst_formula_axis (em (style)), shift;
  TosstBox *list = box_new (TOSST_BOX_LIST), *glyphs = glyphs_new (node->text, TOSST_FACE_UPRIGHT, size);

  shift = (glyphs->ascent - glyphs->descent) / 2 - axis;
  place (list, glyphs, 0, shift);
  return list;
}

/* Rows: the space between neighbours, in eighteenths of an em; negative values do not apply in indices. */

static int
space_between (TosstAtomClass left, TosstAtomClass right)
{
  static const signed char table[8][8] = {
    /*          ord op bin rel open close punct inner */
    /* ord */ { 0, 3, -4, -5, 0, 0, 0, -3 },
    /* op */ { 3, 3, 0, -5, 0, 0, 0, -3 },
    /* bin */ { -4, -4, 0, 0, -4, 0, 0, -4 },
    /* rel */ { -5, -5, 0, 0, -5, 0, 0, -5 },
    /* open */ { 0, 0, 0, 0, 0, 0, 0, 0 },
    /* close */ { 0, 3, -4, -5, 0, 0, 0, -3 },
    /* punct */ { -3, -3, 0, -3, -3, -3, -3, -3 },
    /* inner */ { -3, 3, -4, -5, -3, 0, -3, -3 },
  };

  return table[left][right];
}

/* A fence acts as an opening bracket towards its left neighbour and as a closing one towards its right. */
static TosstAtomClass
left_class (const TosstNode *node)
{
  if (node->kind == TOSST_NODE_FENCE)
    return TOSST_ATOM_OPEN;
  return node->kind == TOSST_NODE_SCRIPTS ? left_class (node->base) : node->atom;
}

static TosstAtomClass
right_class (const TosstNode *node)
{
  if (node->kind == TOSST_NODE_FENCE)
    return TOSST_ATOM_CLOSE;
  return node->kind == TOSST_NODE_SCRIPTS ? right_class (node->base) : node->atom;
}

/* A sign without a left operand is not a binary operator. */
static gboolean
takes_left (TosstAtomClass left)
{
  return left != TOSST_ATOM_BIN && left != TOSST_ATOM_OP && left != TOSST_ATOM_REL && left != TOSST_ATOM_OPEN
         && left != TOSST_ATOM_PUNCT;
}

static TosstBox *
layout_row (const TosstNode *row, Style style)
{
  TosstBox *list = box_new (TOSST_BOX_LIST);
  double x = 0, slant = 0;
  gboolean any = FALSE;
  TosstAtomClass last = TOSST_ATOM_OPEN;

  for (guint i = 0; i < row->children->len; i++)
    {
      const TosstNode *node = row->children->pdata[i];
      TosstAtomClass atom = left_class (node);
      TosstBox *box = layout (node, style);

      if (node->kind == TOSST_NODE_SPACE)
        {
          x += box->width;
          list->width = MAX (list->width, x);
          tosst_box_free (box);
          continue;
        }
      if (atom == TOSST_ATOM_BIN && (!takes_left (last) || i + 1 == row->children->len))
        atom = TOSST_ATOM_ORD;
      if (any)
        {
          int space = space_between (last, atom);
          double gap = (space >= 0 ? space : style.level < 2 ? -space : 0) / 18.0 * em (style);

          x += MAX (gap, slant); /* a slanted letter must not overlap the next one */
        }
      place (list, box, x, 0);
      x += box->width;
      slant = box->slant;
      last = atom == TOSST_ATOM_ORD && node->kind == TOSST_NODE_SYMBOL ? atom : right_class (node);
      any = TRUE;
    }
  list->slant = slant;
  /* A space has no box. */
  list->single = row->children->len == 1 && list->children->len == 1 && ((TosstBox *)list->children->pdata[0])->single;
  return list;
}

static TosstBox *
layout_lines (const TosstNode *lines, Style style)
{
  TosstBox *list = box_new (TOSST_BOX_LIST);
  double y = 0;

  for (guint i = 0; i < lines->children->len; i++)
    {
      TosstBox *line = layout (lines->children->pdata[i], style);

      line->width += line->slant;
      line->ascent = MAX (line->ascent, 0.7 * style.size);
      line->descent = MAX (line->descent, 0.22 * style.size);
      if (i > 0)
        y += list->descent - y + LINE_GAP * style.size + line->ascent;
      place (list, line, 0, y);
    }
  return list;
}

/* Indices. */

static TosstBox *
layout_limits (const TosstNode *node, Style style)
{
  TosstBox *list = box_new (TOSST_BOX_LIST), *base = layout (node->base, style);
  TosstBox *sub = layout_or_empty (node->sub, smaller (style)), *sup = layout_or_empty (node->sup, smaller (style));
  double width = MAX (base->width, MAX (sub != NULL ? sub->width : 0, sup != NULL ? sup->width : 0));
  double gap = LIMIT_GAP * em (style);

  if (sup != NULL)
    place (list, sup, (width - sup->width) / 2, -(base->ascent + gap + sup->descent));
  if (sub != NULL)
    place (list, sub, (width - sub->width) / 2, base->descent + gap + sub->ascent);
  place (list, base, (width - base->width) / 2, 0);
  return list;
}

/* Heights of indices relative to the baseline of the base: rule 18 of the appendix. */
static void
script_shifts (const TosstBox *base, const TosstBox *sup, const TosstBox *sub, Style style, double *up, double *down)
{
  double e = em (style), x_height = tosst_formula_x_height (e), drop = em (smaller (style));

  *up = base->single ? 0 : base->ascent - SUP_DROP * drop;
  *down = base->single ? 0 : base->descent + SUB_DROP * drop;
  if (sup != NULL)
    *up = MAX (MAX (*up, (style.level == 0 ? SUP_DISPLAY : SUP_TEXT) * e), sup->descent + x_height / 4);
  if (sub != NULL && sup == NULL)
    *down = MAX (MAX (*down, SUB_ALONE * e), sub->ascent - 0.8 * x_height);
  if (sub != NULL && sup != NULL)
    {
      *down = MAX (*down, SUB_WITH_SUP * e);
      double gap = (*up - sup->descent) - (sub->ascent - *down);
      if (gap >= 4 * RULE * e)
        return;
      *down += 4 * RULE * e - gap;
      double low = 0.8 * x_height - (*up - sup->descent);
      *up += MAX (low, 0);
      *down -= MAX (low, 0);
    }
}

static TosstBox *
layout_scripts (const TosstNode *node, Style style)
{
  double up, down;

  if (node->base->limits && style.level == 0)
    return layout_limits (node, style);
  TosstBox *list = box_new (TOSST_BOX_LIST);
  TosstBox *base = layout (node->base, style);
  TosstBox *sub = layout_or_empty (node->sub, smaller (style));
  TosstBox *sup = layout_or_empty (node->sup, smaller (style));
  script_shifts (base, sup, sub, style, &up, &down);
  if (sup != NULL)
    place (list, sup, base->width + base->slant - base->free + SCRIPT_SPACE * em (style), -up);
  if (sub != NULL)
    place (list, sub, base->width - base->free + SCRIPT_SPACE * em (style) / 2, down);
  place (list, base, 0, 0);
  list->width += SCRIPT_SPACE * em (style);
  return list;
}

/* Fractions and roots. */

static TosstBox *
layout_fraction (const TosstNode *node, Style style)
{
  Style part = style.level == 0 ? inside (style) : smaller (style);
  TosstBox *list = box_new (TOSST_BOX_LIST), *above = layout (node->base, part), *below = layout (node->sub, part);
  double e = em (style), axis = tosst_formula_axis (e), rule = RULE * e, side = 0.12 * e;
  double width = MAX (above->width + above->slant, below->width + below->slant) + 2 * side;
  double clear = (style.level == 0 ? 3 : 1.5) * rule;

  double up
      = MAX ((style.level == 0 ? NUMERATOR_DISPLAY : NUMERATOR_TEXT) * e, axis + rule / 2 + clear + above->descent);
  double down
      = MAX ((style.level == 0 ? DENOMINATOR_DISPLAY : DENOMINATOR_TEXT) * e, below->ascent + clear + rule / 2 - axis);

  place (list, above, (width - above->width) / 2, -up);
  place (list, below, (width - below->width) / 2, down);

  TosstBox *box = box_new (TOSST_BOX_RULE);

  box->width = width - side;
  box->ascent = box->descent = rule / 2;
  box->thickness = rule;
  place (list, box, side / 2, -axis);
  list->width = width;
  return list;
}

static TosstBox *
layout_root (const TosstNode *node, Style style)
{
  TosstBox *list = box_new (TOSST_BOX_LIST), *base = layout (node->base, inside (style));
  TosstBox *radical = box_new (TOSST_BOX_RADICAL);
  double e = em (style), rule = RULE * e, gap = 2.5 * rule;

  radical->thickness = rule;
  radical->ascent = MAX (base->ascent, tosst_formula_x_height (e)) + gap + rule;
  radical->descent = MAX (base->descent, 0.05 * e);
  radical->left = 0.55 * e + 0.08 * (radical->ascent + radical->descent - e);
  radical->left = MAX (radical->left, 0.5 * e);
  radical->width = radical->left + base->width + base->slant + 0.08 * e;
  place (list, base, radical->left, 0);
  place (list, radical, 0, 0);
  return list;
}

static TosstBox *
layout_accent (const TosstNode *node, Style style)
{
  TosstBox *list = box_new (TOSST_BOX_LIST), *base = layout (node->base, inside (style));
  TosstBox *accent = box_new (TOSST_BOX_ACCENT);
  double e = em (style), height = node->text[0] == '^' ? 0.17 * e : RULE * e;

  accent->shape = g_utf8_get_char (node->text);
  accent->thickness = RULE * e;
  accent->width = MAX (base->width * 0.8, 0.3 * e);
  accent->ascent = height;
  place (list, base, 0, 0);
  place (list, accent, (base->width - accent->width) / 2 + base->slant * 0.7, -(base->ascent + 0.09 * e));
  list->width = base->width;
  list->slant = base->slant;
  list->single = base->single;
  return list;
}

/* Brackets: a glyph up to its maximum height, beyond that a path centred on the axis. */
static TosstBox *
delimiter_new (gunichar shape, double half, Style style)
{
  double e = em (style), axis = tosst_formula_axis (e);
  TosstBox *box;

  if (2 * half < 1.12 * e)
    {
      char text[8] = { 0 };

      g_unichar_to_utf8 (shape, text);
      box = glyphs_new (text, TOSST_FACE_UPRIGHT, e);
      box->x = 0;
      return box;
    }
  box = box_new (TOSST_BOX_DELIMITER);
  box->shape = shape;
  box->thickness = 1.15 * RULE * e;
  box->width = shape == 0x2016 ? 0.42 * e : shape == '|' ? 0.26 * e : (0.34 + 0.03 * MIN (2 * half / e, 4)) * e;
  box->ascent = axis + half;
  box->descent = half - axis;
  return box;
}

static TosstBox *
layout_fence (const TosstNode *node, Style style)
{
  TosstBox *list = box_new (TOSST_BOX_LIST), *base = layout (node->base, style), *open, *close;
  double axis = tosst_formula_axis (em (style)), half = MAX (base->ascent - axis, base->descent + axis);

  half = MAX (0.93 * half, half - 0.2 * em (style));
  open = delimiter_new (node->open, half, style);
  close = delimiter_new (node->close, half, style);
  place (list, open, 0, 0);
  place (list, base, open->width, 0);
  place (list, close, open->width + base->width + base->slant, 0);
  return list;
}

static TosstBox *
layout (const TosstNode *node, Style style)
{
  if (node->in_line)
    style = inside (style);
  switch (node->kind)
    {
    case TOSST_NODE_ROW:
      return layout_row (node, style);
    case TOSST_NODE_LINES:
      return layout_lines (node, style);
    case TOSST_NODE_SYMBOL:
      return node->face == TOSST_FACE_LARGE ? layout_large (node, style)
                                            : glyphs_new (node->text, node->face, em (style));
    case TOSST_NODE_SCRIPTS:
      return layout_scripts (node, style);
    case TOSST_NODE_FRACTION:
      return layout_fraction (node, style);
    case TOSST_NODE_ROOT:
      return layout_root (node, style);
    case TOSST_NODE_ACCENT:
      return layout_accent (node, style);
    case TOSST_NODE_FENCE:
      return layout_fence (node, style);
    case TOSST_NODE_SPACE:
      break;
    }
  TosstBox *box = box_new (TOSST_BOX_LIST);
  box->width = node->width * em (style);
  return box;
}

/* Painting: letters by Pango, lines and high brackets as paths. */

/* A bracket: two arcs with common ends, thick in the middle, as in print. */
static void
draw_parenthesis (cairo_t *cr, const TosstBox *box, gboolean closing)
{
  double w = box->width, top = -box->ascent, bottom = box->descent, h = bottom - top, t = box->thickness;
  double tip = 0.82 * w, outer = 0.14 * w, inner = outer + 1.5 * t;

  cairo_save (cr);
  if (closing)
    {
      cairo_translate (cr, w, 0);
      cairo_scale (cr, -1, 1);
    }
  cairo_move_to (cr, tip, top);
  cairo_curve_to (cr, outer - 0.12 * w, top + 0.28 * h, outer - 0.12 * w, bottom - 0.28 * h, tip, bottom);
  cairo_line_to (cr, tip + 0.5 * t, bottom - 0.3 * t);
  cairo_curve_to (cr, inner - 0.02 * w, bottom - 0.3 * h, inner - 0.02 * w, top + 0.3 * h, tip + 0.5 * t,
                  top + 0.3 * t);
  cairo_close_path (cr);
  cairo_fill (cr);
  cairo_restore (cr);
}

static void
path_brace (cairo_t *cr, double w, double top, double bottom)
{
  double middle = (top + bottom) / 2, stem = 0.5 * w, r = MIN (0.45 * w, (bottom - top) / 5);

  cairo_move_to (cr, 0.85 * w, top);
  cairo_curve_to (cr, stem, top, stem, top + 0.3 * r, stem, top + 2 * r);
  cairo_line_to (cr, stem, middle - 2 * r);
  cairo_curve_to (cr, stem, middle - 0.5 * r, stem, middle, 0.12 * w, middle);
  cairo_curve_to (cr, stem, middle, stem, middle + 0.5 * r, stem, middle + 2 * r);
  cairo_line_to (cr, stem, bottom - 2 * r);
  cairo_curve_to (cr, stem, bottom - 0.3 * r, stem, bottom, 0.85 * w, bottom);
}

static void
draw_lined_delimiter (cairo_t *cr, const TosstBox *box)
{
  double w = box->width, top = -box->ascent, bottom = box->descent;
  gboolean closing = box->shape == ']' || box->shape == '}';

  cairo_save (cr);
  if (closing)
    {
      cairo_translate (cr, w, 0);
      cairo_scale (cr, -1, 1);
    }
  cairo_set_line_width (cr, box->thickness);
  if (box->shape == '[' || box->shape == ']')
    {
      cairo_move_to (cr, 0.82 * w, top);
      cairo_line_to (cr, 0.35 * w, top);
      cairo_line_to (cr, 0.35 * w, bottom);
      cairo_line_to (cr, 0.82 * w, bottom);
    }
  else if (box->shape == '{' || box->shape == '}')
    path_brace (cr, w, top, bottom);
  else
    for (int i = 0; i < (box->shape == '|' ? 1 : 2); i++)
      {
        double x = box->shape == '|' ? w / 2 : (i == 0 ? 0.3 : 0.7) * w;

        cairo_move_to (cr, x, top);
        cairo_line_to (cr, x, bottom);
      }
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_radical (cairo_t *cr, const TosstBox *box)
{
  double t = box->thickness, top = -box->ascent + t / 2, bottom = box->descent, w = box->left;
  double knee = bottom - 0.5 * (bottom - top);

  cairo_set_line_join (cr, CAIRO_LINE_JOIN_MITER);
  cairo_set_line_width (cr, t);
  cairo_move_to (cr, 0.06 * w, knee + 0.10 * w);
  cairo_line_to (cr, 0.26 * w, knee);
  cairo_stroke (cr);
  cairo_set_line_width (cr, 1.9 * t);
  cairo_move_to (cr, 0.26 * w, knee);
  cairo_line_to (cr, 0.52 * w, bottom - t);
  cairo_stroke (cr);
  cairo_set_line_width (cr, t);
  cairo_move_to (cr, 0.52 * w, bottom - t / 2);
  cairo_line_to (cr, 0.92 * w, top);
  cairo_line_to (cr, box->width, top);
  cairo_stroke (cr);
}

static void
draw_accent (cairo_t *cr, const TosstBox *box)
{
  double w = box->width, h = box->ascent;

  cairo_set_line_width (cr, box->thickness);
  if (box->shape == '^')
    {
      cairo_move_to (cr, 0.15 * w, 0);
      cairo_line_to (cr, 0.5 * w, -h);
      cairo_line_to (cr, 0.85 * w, 0);
    }
  else
    {
      cairo_move_to (cr, 0.06 * w, -h / 2);
      cairo_line_to (cr, 0.94 * w, -h / 2);
    }
  cairo_stroke (cr);
}

static void
tosst_box_draw (const TosstBox *box, cairo_t *cr, double x, double y)
{
  x += box->x;
  y += box->y;
  cairo_save (cr);
  cairo_translate (cr, x, y);
  switch (box->kind)
    {
    case TOSST_BOX_LIST:
      break;
    case TOSST_BOX_GLYPHS:
      cairo_move_to (cr, -box->left, -box->baseline);
      pango_cairo_show_layout (cr, box->layout);
      break;
    case TOSST_BOX_RULE:
      cairo_rectangle (cr, 0, -box->thickness / 2, box->width, box->thickness);
      cairo_fill (cr);
      break;
    case TOSST_BOX_DELIMITER:
      if (box->shape == '(' || box->shape == ')')
        draw_parenthesis (cr, box, box->shape == ')');
      else
        draw_lined_delimiter (cr, box);
      break;
    case TOSST_BOX_RADICAL:
      draw_radical (cr, box);
      break;
    case TOSST_BOX_ACCENT:
      draw_accent (cr, box);
      break;
    }
  cairo_new_path (cr);
  cairo_restore (cr);
  for (guint i = 0; box->children != NULL && i < box->children->len; i++)
    tosst_box_draw (box->children->pdata[i], cr, x, y);
}

#define SYMBOL(name, text, atom, face, limits, width, words)                                                           \
  {                                                                                                                    \
    name, text, TOSST_ATOM_##atom, TOSST_FACE_##face, limits, width, words                                             \
  }
#define ORD(name, text, words) SYMBOL (name, text, ORD, UPRIGHT, FALSE, 0, words)
#define BIN(name, text, words) SYMBOL (name, text, BIN, UPRIGHT, FALSE, 0, words)
#define REL(name, text, words) SYMBOL (name, text, REL, UPRIGHT, FALSE, 0, words)
#define PUNCT(name, text, words) SYMBOL (name, text, PUNCT, UPRIGHT, FALSE, 0, words)
#define FUNCTION(name, text, limits, words) SYMBOL (name, text, OP, UPRIGHT, limits, 0, words)
#define LARGE(name, text, words) SYMBOL (name, text, OP, LARGE, TRUE, 0, words)
#define SPACE(name, width) SYMBOL (name, "", ORD, UPRIGHT, FALSE, width, "")

static const TosstSymbol symbols[] = {
  ORD ("Sigma", "Σ", NULL),
  ORD ("partial", "∂", N_ ("partial")),
  ORD ("empty", "∅", N_ ("the empty set")),
  ORD ("T", "⊤", N_ ("transposed")),
  ORD ("prime", "′", N_ ("prime")),
  { "dots", "…", TOSST_ATOM_INNER, TOSST_FACE_UPRIGHT, FALSE, 0, N_ ("and so on") },
  BIN ("plus", "+", N_ ("plus")),
  BIN ("minus", "−", N_ ("minus")),
  BIN ("pm", "±", N_ ("plus or minus")),
  BIN ("times", "×", N_ ("times")),
  BIN ("cdot", "·", N_ ("times")),
  BIN ("otimes", "⊗", N_ ("outer product with")),
  BIN ("circ", "∘", N_ ("entry by entry with")),
  BIN ("cup", "∪", N_ ("united with")),
  BIN ("cap", "∩", N_ ("common with")),
  REL ("eq", "=", N_ ("equals")),
  REL ("lt", "<", N_ ("is below")),
  REL ("gt", ">", N_ ("is above")),
  REL ("le", "≤", N_ ("is at most")),
  REL ("ge", "≥", N_ ("is at least")),
  REL ("approx", "≈", N_ ("is about")),
  REL ("succeq", "⪰", N_ ("is semi-definite above")),
  REL ("in", "∈", N_ ("in")),
  REL ("sim", "∼", N_ ("is drawn from")),
  REL ("leftarrow", "←", N_ ("becomes")),
  REL ("mid", "|", N_ ("such that")),
  PUNCT ("comma", ",", ","),
  PUNCT ("semicolon", ";", ";"),
  ORD ("slash", "/", N_ ("divided by")),
  LARGE ("sum", "∑", N_ ("sum")),
  LARGE ("prod", "∏", N_ ("product")),
  FUNCTION ("min", "min", TRUE, N_ ("minimum")),
  FUNCTION ("max", "max", TRUE, N_ ("maximum")),
  FUNCTION ("argmin", "arg min", TRUE, N_ ("the minimiser")),
  FUNCTION ("tr", "tr", FALSE, N_ ("trace of")),
  FUNCTION ("rank", "rank", FALSE, N_ ("rank of")),
  FUNCTION ("TRank", "TRank", FALSE, N_ ("T-rank of")),
  FUNCTION ("Supp", "Supp", FALSE, N_ ("support of")),
  FUNCTION ("Pro", "Pro", FALSE, N_ ("projection of")),
  FUNCTION ("diag", "diag", FALSE, N_ ("diagonal of")),
  FUNCTION ("sgn", "sgn", FALSE, N_ ("sign of")),
  FUNCTION ("exp", "exp", FALSE, N_ ("exponential of")),
  FUNCTION ("log", "log", FALSE, N_ ("logarithm of")),
  FUNCTION ("vec", "vec", FALSE, N_ ("vector of")),
  SPACE (",", 3 / 18.0),
  SPACE (";", 5 / 18.0),
  SPACE ("!", -3 / 18.0),
  SPACE ("quad", 1.0),
};

static const TosstSymbol *
tosst_symbol_by_name (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (strlen (symbols[i].name) == length && strncmp (symbols[i].name, name, length) == 0)
      return &symbols[i];
  return NULL;
}

static const TosstSymbol *
tosst_symbol_by_text (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (symbols[i].text[0] != 0 && strcmp (symbols[i].text, text) == 0)
      return &symbols[i];
  return NULL;
}

/* Recursive descent parser: a row is a list of atoms up to a terminator, an atom may have indices, a command reads
 * its arguments. */

#define MAX_NESTED 24

typedef struct
{
  const char *source, *at;
  int depth;
  GError *error; /* the first error; it ends parsing */
} Parser;

static TosstNode *parse_row (Parser *self);

/* Nodes. */

static TosstNode *
node_new (TosstNodeKind kind, TosstAtomClass atom)
{
  TosstNode *node = g_new0 (TosstNode, 1);

  node->kind = kind;
  node->atom = atom;
  return node;
}

TOSST_DEFINE_FREE (TosstNode, tosst_node_free, (text, g_free), (base, tosst_node_free), (sub, tosst_node_free),
                   (sup, tosst_node_free), (children, g_ptr_array_unref))

static TosstNode *
list_new (TosstNodeKind kind, TosstAtomClass atom)
{
  TosstNode *node = node_new (kind, atom);

  node->children = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_node_free);
  return node;
}

static TosstNode *
symbol_new (const char *text, TosstAtomClass atom, TosstFace face)
{
  TosstNode *node = node_new (TOSST_NODE_SYMBOL, atom);

  node->text = g_strdup (text);
  node->face = face;
  return node;
}

static TosstNode *
node_of_symbol (const TosstSymbol *symbol)
{
  TosstNode *node = symbol_new (symbol->text, symbol->atom, symbol->face);

  node->limits = symbol->limits;
  node->words = symbol->words;
  if (symbol->space != 0)
    {
      node->kind = TOSST_NODE_SPACE;
      node->width = symbol->space;
    }
  return node;
}

/* Reading. */

static TosstNode *
fail (Parser *self, const char *what, const char *detail)
{
  if (self->error == NULL)
    tosst_fail (&self->error, TOSST_FAILED_INPUT, _ ("Formula, character %ld: %s%s"),
                g_utf8_pointer_to_offset (self->source, self->at) + 1, what, detail);
  self->at = self->source + strlen (self->source);
  return list_new (TOSST_NODE_ROW, TOSST_ATOM_ORD);
}

static void
skip_space (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
looking_at (Parser *self, const char *text)
{
  return strncmp (self->at, text, strlen (text)) == 0;
}

static TosstNode *
parse_group (Parser *self)
{
  skip_space (self);
  if (*self->at != '{')
    return fail (self, _ ("a group in braces is missing"), "");
  self->at++;
  TosstNode *row = parse_row (self);
  if (self->error == NULL && *self->at != '}')
    {
      tosst_node_free (row);
      return fail (self, _ ("a brace is not closed"), "");
    }
  if (self->error == NULL)
    self->at++;
  return row;
}

/* Returns the text of a group, unparsed. */
static TosstNode *
parse_faced (Parser *self, TosstFace face)
{
  skip_space (self);
  const char *end = *self->at == '{' ? strchr (self->at, '}') : NULL;
  if (end == NULL)
    return fail (self, _ ("a group in braces is missing"), "");
  g_autofree char *text = g_strndup (self->at + 1, end - self->at - 1);
  self->at = end + 1;
  return symbol_new (text, TOSST_ATOM_ORD, face);
}

static const struct
{
  const char *open, *close;
  gunichar open_shape, close_shape;
} fences[] = {
  { "(", ")", '(', ')' },
  { "[", "]", '[', ']' },
  { "\\{", "\\}", '{', '}' },
};

static TosstNode *
fence_new (TosstNode *inside, gunichar open, gunichar close)
{
  TosstNode *node = node_new (TOSST_NODE_FENCE, TOSST_ATOM_INNER);

  node->base = inside;
  node->open = open;
  node->close = close;
  return node;
}

static TosstNode *
parse_fence (Parser *self, guint i)
{
  self->at += strlen (fences[i].open);
  TosstNode *inside = parse_row (self);
  if (self->error == NULL && !looking_at (self, fences[i].close))
    {
      tosst_node_free (inside);
      return fail (self, _ ("a bracket is not closed: "), fences[i].open);
    }
  if (self->error == NULL)
    self->at += strlen (fences[i].close);
  return fence_new (inside, fences[i].open_shape, fences[i].close_shape);
}

static TosstNode *
parse_fraction (Parser *self)
{
  TosstNode *node = node_new (TOSST_NODE_FRACTION, TOSST_ATOM_INNER);

  node->base = parse_group (self);
  node->sub = parse_group (self);
  return node;
}

static TosstNode *
parse_over (Parser *self, TosstNodeKind kind, const char *accent)
{
  TosstNode *node = node_new (kind, TOSST_ATOM_ORD);

  node->text = g_strdup (accent);
  node->base = parse_group (self);
  return node;
}

static TosstNode *
parse_inline (Parser *self)
{
  TosstNode *node = parse_group (self);

  node->in_line = TRUE;
  return node;
}

static TosstNode *
parse_command (Parser *self)
{
  const char *name = self->at + 1;
  gsize length = 0;

  while (g_ascii_isalpha (name[length]))
    length++;
  if (length == 0 && *name != 0)
    length = 1;
  g_autofree char *copy = g_strndup (name, length);
  const TosstSymbol *symbol = tosst_symbol_by_name (name, length);
  if (symbol != NULL)
    {
      self->at = name + length;
      return node_of_symbol (symbol);
    }
#define IS(word) (strcmp (copy, word) == 0 && (self->at = name + length))
  if (IS ("frac"))
    return parse_fraction (self);
  if (IS ("sqrt"))
    return parse_over (self, TOSST_NODE_ROOT, NULL);
  if (IS ("inline"))
    return parse_inline (self);
  if (IS ("bar"))
    return parse_over (self, TOSST_NODE_ACCENT, "¯");
  if (IS ("hat"))
    return parse_over (self, TOSST_NODE_ACCENT, "^");
  if (IS ("norm"))
    return fence_new (parse_group (self), 0x2016, 0x2016);
  if (IS ("abs"))
    return fence_new (parse_group (self), '|', '|');
  if (IS ("text"))
    return parse_faced (self, TOSST_FACE_UPRIGHT);
  if (IS ("cal"))
    return parse_faced (self, TOSST_FACE_CALLIGRAPHIC);
#undef IS
  return fail (self, _ ("an unknown command: \\"), copy);
}

static TosstNode *
parse_atom (Parser *self)
{
  skip_space (self);
  for (guint i = 0; i < G_N_ELEMENTS (fences); i++)
    if (looking_at (self, fences[i].open))
      return parse_fence (self, i);
  if (*self->at == '{')
    return parse_group (self);
  if (*self->at == '\\')
    return parse_command (self);
  if (g_ascii_isdigit (*self->at))
    {
      /* A number is one symbol, as its digits have no space between them. */
      gsize length = 0;

      while (g_ascii_isdigit (self->at[length]) || (self->at[length] == '.' && g_ascii_isdigit (self->at[length + 1])))
        length++;
      g_autofree char *digits = g_strndup (self->at, length);
      self->at += length;
      return symbol_new (digits, TOSST_ATOM_ORD, TOSST_FACE_UPRIGHT);
    }

  if (*self->at == 0 || strchr ("^_'", *self->at) != NULL)
    return fail (self, _ ("an argument is missing"), "");

  gunichar c = g_utf8_get_char (self->at);
  char text[8] = { 0 };

  g_unichar_to_utf8 (c == '-' ? 0x2212 : c == '*' ? 0xb7 : c, text);
  self->at = g_utf8_next_char (self->at);
  const TosstSymbol *symbol = tosst_symbol_by_text (text);
  return symbol != NULL
             ? node_of_symbol (symbol)
             : symbol_new (text, TOSST_ATOM_ORD, g_unichar_isalpha (c) ? TOSST_FACE_ITALIC : TOSST_FACE_UPRIGHT);
}

/* Indices. */

static TosstNode *
prime_new (Parser *self)
{
  TosstNode *row = list_new (TOSST_NODE_ROW, TOSST_ATOM_ORD);

  for (; *self->at == '\''; self->at++)
    g_ptr_array_add (row->children, node_of_symbol (tosst_symbol_by_text ("′")));
  return row;
}

static TosstNode *
parse_scripts (Parser *self, TosstNode *base)
{
  TosstNode *node = NULL;

  for (skip_space (self); *self->at != 0 && strchr ("^_'", *self->at) != NULL; skip_space (self))
    {
      gboolean prime = *self->at == '\'';

      if (node == NULL)
        {
          node = node_new (TOSST_NODE_SCRIPTS, base->atom);
          node->base = base;
        }
      TosstNode **place = *self->at == '_' ? &node->sub : &node->sup;
      if (*place != NULL)
        {
          tosst_node_free (fail (self, _ ("two indices at the same place"), ""));
          break;
        }
      if (!prime)
        self->at++;
      *place = prime ? prime_new (self) : parse_atom (self);
    }
  return node != NULL ? node : base;
}

static gboolean
at_end_of_row (Parser *self)
{
  skip_space (self);
  if (*self->at == 0 || *self->at == '}' || looking_at (self, "\\\\"))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (fences); i++)
    if (looking_at (self, fences[i].close))
      return TRUE;
  return FALSE;
}

static TosstNode *
parse_row (Parser *self)
{
  if (++self->depth > MAX_NESTED)
    return fail (self, _ ("nested too deeply"), "");
  TosstNode *row = list_new (TOSST_NODE_ROW, TOSST_ATOM_ORD);
  while (!at_end_of_row (self))
    g_ptr_array_add (row->children, parse_scripts (self, parse_atom (self)));
  self->depth--;
  return row;
}

static TosstNode *
tosst_node_parse (const char *source, GError **error)
{
  Parser self = { source, source, 0, NULL };
  TosstNode *lines = list_new (TOSST_NODE_LINES, TOSST_ATOM_ORD);

  if (!g_utf8_validate (source, -1, NULL))
    tosst_fail (&self.error, TOSST_FAILED_INPUT, _ ("A formula is not valid UTF-8"));
  else
    for (;;)
      {
        g_ptr_array_add (lines->children, parse_row (&self));
        if (self.error != NULL || !looking_at (&self, "\\\\"))
          break;
        self.at += 2;
      }
  if (self.error == NULL && *self.at != 0)
    tosst_node_free (fail (&self, _ ("a closing bracket without an opening one: "), self.at));
  if (self.error == NULL)
    return lines;
  tosst_node_free (lines);
  g_propagate_error (error, self.error);
  return NULL;
}

TosstFormula *
tosst_formula_new (const char *source, GError **error)
{
  TosstNode *root = tosst_node_parse (source, error);

  if (root == NULL)
    return NULL;
  TosstFormula *self = g_new0 (TosstFormula, 1);
  self->root = root;
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstFormula, tosst_formula_free, TosstFormula *, (root, tosst_node_free),
                          (box, tosst_box_free))

static void
ensure_box (TosstFormula *self, double size)
{
  if (self->box != NULL && self->size == size)
    return;
  tosst_box_free (self->box);
  self->box = layout (self->root, (Style){ size, 0 });
  self->size = size;
}

void
tosst_formula_measure (TosstFormula *self, double size, TosstFormulaExtent *extent)
{
  ensure_box (self, size);
  extent->width = self->box->width;
  extent->ascent = self->box->ascent;
  extent->descent = self->box->descent;
}

void
tosst_formula_draw (TosstFormula *self, cairo_t *cr, double x, double y, double size)
{
  ensure_box (self, size);
  tosst_box_draw (self->box, cr, x, y);
}
