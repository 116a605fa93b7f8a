/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Painting: letters by Pango, lines and high brackets as paths. */

#include "config.h"

#include "core/formula/private.h"

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
  gboolean closing = box->shape == ']' || box->shape == '}' || box->shape == 0x27e9;

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
  else if (box->shape == '|' || box->shape == 0x2016)
    for (int i = 0; i < (box->shape == '|' ? 1 : 2); i++)
      {
        double x = box->shape == '|' ? w / 2 : (i == 0 ? 0.3 : 0.7) * w;

        cairo_move_to (cr, x, top);
        cairo_line_to (cr, x, bottom);
      }
  else
    {
      cairo_move_to (cr, 0.8 * w, top);
      cairo_line_to (cr, 0.3 * w, (top + bottom) / 2);
      cairo_line_to (cr, 0.8 * w, bottom);
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
  else if (box->shape == '~')
    {
      cairo_move_to (cr, 0.1 * w, -0.2 * h);
      cairo_curve_to (cr, 0.35 * w, -1.6 * h, 0.65 * w, 0.7 * h, 0.9 * w, -0.8 * h);
    }
  else
    {
      cairo_move_to (cr, 0.06 * w, -h / 2);
      cairo_line_to (cr, 0.94 * w, -h / 2);
    }
  cairo_stroke (cr);
}

void
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
