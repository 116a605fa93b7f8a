/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Matrices as heat maps: atoms and tensor slices, and confusion matrices. */
#include "core/base/base.h"
#include "core/plot/chart-private.h"

static const double SMALL = 0.9;

/* --- shared --- */

/* t in [0, 1]. */
typedef TosstColor (*ColorMap) (gboolean dark, double t);

/* A vertical bar from low (bottom, t = 0) to high (t = 1) with labels to its right. */
static void
draw_color_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, gboolean dark, ColorMap map, double x,
                double y, double width, double height, const char *low, const char *middle, const char *high)
{
  const guint steps = 64;
  double label_x = x + width + 0.4 * text->size;

  for (guint i = 0; i < steps; i++)
    {
      tosst_color_set (cr, map (dark, (steps - 1.0 - i) / (steps - 1)), 1.0);
      /* Without an overlap viewers of SVG and PDF show hairlines. */
      cairo_rectangle (cr, x, y + height * i / steps, width, height / steps + (i + 1 < steps ? 0.4 : 0.0));
      cairo_fill (cr);
    }
  tosst_color_set (cr, tosst_color_dim (style), 1.0);
  tosst_text_draw (text, cr, high, label_x, y, 0.0, 0.5, 0, 0.0, SMALL, FALSE);
  if (middle)
    tosst_text_draw (text, cr, middle, label_x, y + 0.5 * height, 0.0, 0.5, 0, 0.0, SMALL, FALSE);
  tosst_text_draw (text, cr, low, label_x, y + height, 0.0, 0.5, 0, 0.0, SMALL, FALSE);
}

/* --- matrices --- */

double
tosst_matrix_limit (const double *matrix, gsize entries, gboolean *negative)
{
  double limit = 0.0;

  *negative = FALSE;
  for (gsize i = 0; i < entries; i++)
    if (isfinite (matrix[i]))
      {
        limit = MAX (limit, fabs (matrix[i]));
        *negative = *negative || matrix[i] < 0.0;
      }
  return limit;
}

static guint32
pixel_of (TosstColor c)
{
  return 0xff000000u | (guint32)lround (255 * c.r) << 16 | (guint32)lround (255 * c.g) << 8
         | (guint32)lround (255 * c.b);
}

static void
fill_diverging (TosstHeatTable *self, gboolean dark)
{
  for (int i = -TOSST_HEAT_STEPS; i <= TOSST_HEAT_STEPS; i++)
    self->color[i + TOSST_HEAT_STEPS] = pixel_of (tosst_color_diverging (dark, (double)i / TOSST_HEAT_STEPS));
  self->broken = pixel_of ((TosstColor){ 0.85, 0.1, 0.75 }); /* outside of all maps */
}

const TosstHeatTable *
tosst_heat_table_diverging (gboolean dark)
{
  static TosstHeatTable tables[2];
  static gsize made;

  if (g_once_init_enter (&made))
    {
      fill_diverging (&tables[FALSE], FALSE);
      fill_diverging (&tables[TRUE], TRUE);
      g_once_init_leave (&made, 1);
    }
  return &tables[dark != FALSE];
}

guint32
tosst_heat_pixel (const TosstHeatTable *self, double value, double limit)
{
  double t = limit > 0.0 ? value / limit : 0.0;

  return isfinite (value) ? self->color[TOSST_HEAT_STEPS + (int)lround (TOSST_HEAT_STEPS * CLAMP (t, -1.0, 1.0))]
                          : self->broken;
}

void
tosst_heat_pixels (const double *matrix, int rows, int columns, int zoom, double limit, gboolean dark, guint32 *pixels)
{
  const TosstHeatTable *table = tosst_heat_table_diverging (dark);
  gsize width = (gsize)columns * zoom;

  for (gsize y = 0; y < (gsize)rows * zoom; y++)
    for (gsize x = 0; x < width; x++)
      pixels[y * width + x] = tosst_heat_pixel (table, matrix[y / zoom * columns + x / zoom], limit);
}

static TosstColor
full_diverging (gboolean dark, double t)
{
  return tosst_color_diverging (dark, 2.0 * t - 1.0);
}

void
tosst_draw_heat_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, double limit, double x, double y,
                     double width, double height)
{
  g_autofree char *high = tosst_number_label (limit, 2), *low = tosst_number_label (-limit, 2);

  draw_color_bar (cr, text, style, tosst_has_dark_cells (style), full_diverging, x, y, width, height, low, "0", high);
}

void
tosst_draw_color_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, double low, double high, double x,
                      double y, double width, double height)
{
  g_autofree char *most = tosst_number_label (high, 3), *least = tosst_number_label (low, 3);

  draw_color_bar (cr, text, style, style->dark, tosst_color_sequential, x, y, width, height, least, NULL, most);
}

/* --- confusion matrices --- */

typedef struct
{
  double x, y, cell; /* of the first cell */
  double em;
  double label_width;
  guint every;      /* every how many classes a name is drawn */
  gboolean upright; /* column names are vertical */
  double legend;    /* width of the colour bar */
} ConfusionLayout;

static void
lay_out_confusion (TosstText *text, double width, double height, guint classes, const char *const *names,
                   ConfusionLayout *layout)
{
  double widest = 0.0, room;

  layout->em = tosst_text_height (text, 1.0);
  for (guint i = 0; i < classes; i++)
    widest = MAX (widest, names ? tosst_text_width (text, names[i], SMALL) : 0.0);
  layout->label_width = MIN (widest, 0.28 * MIN (width, height)) + 0.2 * layout->em;
  layout->legend = width > 34.0 * layout->em ? 7.5 * layout->em : 0.0;
  layout->x = 1.7 * layout->em + layout->label_width + 0.4 * layout->em;
  layout->y = 0.6 * layout->em;
  room = height - layout->y - 1.8 * layout->em;
  layout->cell
      = MIN ((width - layout->x - 0.6 * layout->em - layout->legend) / classes, (room - 1.2 * layout->em) / classes);
  layout->upright = layout->cell * 1.05 < widest + 0.3 * layout->em;
  if (layout->upright)
    layout->cell = MIN (layout->cell, (room - layout->label_width - 0.3 * layout->em) / classes);
  layout->cell = MAX (layout->cell, 0.1);
  layout->every = (guint)MAX (1.0, ceil (layout->em * SMALL / layout->cell - 0.05));
  layout->x += 0.5 * MAX (0.0, width - layout->x - 0.6 * layout->em - layout->legend - layout->cell * classes);
}

static int
row_sum (const int *counts, guint classes, guint row)
{
  int sum = 0;

  for (guint j = 0; j < classes; j++)
    sum += MAX (counts[row * classes + j], 0);
  return sum;
}

static void
draw_counts (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const ConfusionLayout *l, const int *counts,
             guint classes)
{
  int largest = 0;

  for (guint i = 0; i < classes * classes; i++)
    largest = MAX (largest, counts[i]);
  g_autofree char *longest = g_strdup_printf ("%d", largest);

  gboolean numbers
      = l->cell >= 1.15 * l->em * SMALL && l->cell >= tosst_text_width (text, longest, SMALL) + 0.4 * l->em;

  for (guint i = 0; i < classes; i++)
    for (guint j = 0, all = (guint)row_sum (counts, classes, i); j < classes; j++)
      {
        int count = counts[i * classes + j];
        double x = l->x + j * l->cell, y = l->y + i * l->cell, gap = l->cell > 8.0 ? 0.5 : 0.0;

        if (count <= 0)
          continue;
        /* The map begins with a colour distinct from the background: one in hundreds must be visible. */
        TosstColor color = (i == j ? tosst_color_correct : tosst_color_error) (style->dark, (double)count / all);
        tosst_color_set (cr, color, 1.0);
        cairo_rectangle (cr, x + gap, y + gap, l->cell - 2.0 * gap, l->cell - 2.0 * gap);
        cairo_fill (cr);
        if (numbers)
          {
            g_autofree char *label = g_strdup_printf ("%d", count);
            double ink = tosst_color_lightness (color) > 0.62 ? 0.08 : 1.0;

            cairo_set_source_rgb (cr, ink, ink, ink);
            tosst_text_draw (text, cr, label, x + 0.5 * l->cell, y + 0.5 * l->cell, 0.5, 0.5, 0, 0.0, SMALL, FALSE);
          }
      }
}

static void
draw_class_names (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const ConfusionLayout *l, guint classes,
                  const char *const *names)
{
  double size = l->cell * classes, label_end = l->y + size + 0.3 * l->em;

  tosst_color_set (cr, tosst_color_dim (style), 1.0);
  for (guint i = 0; names && i < classes; i += l->every)
    {
      double at = (i + 0.5) * l->cell;
      tosst_text_draw (text, cr, names[i], l->x - 0.3 * l->em, l->y + at, 1.0, 0.5, 0, l->label_width, SMALL, FALSE);
      if (l->upright)
        tosst_text_draw (text, cr, names[i], l->x + at, label_end, 1.0, 0.5, 1, l->label_width, SMALL, FALSE);
      else
        tosst_text_draw (text, cr, names[i], l->x + at, label_end, 0.5, 0.0, 0, 0.0, SMALL, FALSE);
    }
  tosst_color_set (cr, tosst_color_text (style), 1.0);
  tosst_text_draw (text, cr, _ ("True class"), l->x - l->label_width - 0.5 * l->em, l->y + 0.5 * size, 0.5, 1.0, 1,
                   size, 1.0, FALSE);
  tosst_text_draw (text, cr, _ ("Predicted class"), l->x + 0.5 * size,
                   label_end + (l->upright ? l->label_width : 1.0 * l->em) + 0.2 * l->em, 0.5, 0.0, 0, size, 1.0,
                   FALSE);
}

/* Percent of the row, for both hues. */
static void
draw_legend (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const ConfusionLayout *l, guint classes)
{
  double x = l->x + l->cell * classes + 1.2 * l->em, height = MIN (0.3 * l->cell * classes, 8.0 * l->em);
  const struct
  {
    const char *name;
    ColorMap map;
  } bars[] = { { _ ("Correct"), tosst_color_correct }, { _ ("Confused"), tosst_color_error } };

  for (guint i = 0; i < G_N_ELEMENTS (bars) && i < classes; i++)
    {
      double y = l->y + i * (height + 3.2 * l->em);

      tosst_color_set (cr, tosst_color_text (style), 1.0);
      tosst_text_draw (text, cr, bars[i].name, x, y, 0.0, 0.0, 0, l->legend - 1.2 * l->em, SMALL, FALSE);
      /* Translators: ends of the colour scale of a confusion matrix; a row holds the tests of one class */
      draw_color_bar (cr, text, style, style->dark, bars[i].map, x, y + 1.7 * l->em, 0.8 * l->em, height, _ ("0 %"),
                      NULL,
                      /* xgettext:no-c-format */ _ ("100 % of row"));
    }
}

void
tosst_draw_confusion (cairo_t *cr, double width, double height, const TosstChartStyle *style, const int *counts,
                      guint classes, const char *const *names)
{
  ConfusionLayout layout;

  if (classes == 0)
    return;
  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_confusion (&text, width, height, classes, names, &layout);
  cairo_save (cr);

  double size = layout.cell * classes;
  guint every = layout.cell >= 6.0 ? 1 : 10;

  tosst_color_set (cr, tosst_color_grid (style), 1.0);
  cairo_set_line_width (cr, 0.5);
  for (guint i = every; i < classes; i += every)
    {
      cairo_move_to (cr, layout.x, layout.y + i * layout.cell);
      cairo_rel_line_to (cr, size, 0.0);
      cairo_move_to (cr, layout.x + i * layout.cell, layout.y);
      cairo_rel_line_to (cr, 0.0, size);
    }
  cairo_stroke (cr);
  tosst_color_set (cr, tosst_color_dim (style), 1.0);
  cairo_set_line_width (cr, style->high_contrast ? 1.5 : 0.75);
  cairo_rectangle (cr, layout.x, layout.y, size, size);
  cairo_stroke (cr);
  draw_counts (cr, &text, style, &layout, counts, classes);
  draw_class_names (cr, &text, style, &layout, classes, names);
  if (layout.legend > 0.0)
    draw_legend (cr, &text, style, &layout, classes);
  cairo_restore (cr);
}

gboolean
tosst_confusion_pick (double width, double height, const TosstChartStyle *style, guint classes,
                      const char *const *names, double pointer_x, double pointer_y, guint *row, guint *column)
{
  ConfusionLayout layout;

  if (classes == 0)
    return FALSE;
  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_confusion (&text, width, height, classes, names, &layout);
  double i = floor ((pointer_y - layout.y) / layout.cell);
  double j = floor ((pointer_x - layout.x) / layout.cell);
  *row = i >= 0.0 && i < classes ? (guint)i : G_MAXUINT;
  *column = j >= 0.0 && j < classes ? (guint)j : G_MAXUINT;
  return *row < classes && *column < classes;
}

double
tosst_confusion_height (double width, const TosstChartStyle *style, guint classes, const char *const *names)
{
  ConfusionLayout layout;

  if (classes == 0)
    return 0;
  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_confusion (&text, width, 2 * width, classes, names, &layout);
  return ceil (layout.y + layout.cell * classes
               + (layout.upright ? layout.label_width + 0.3 * layout.em : 1.2 * layout.em) + 1.8 * layout.em);
}

void
tosst_confusion_cell (double width, double height, const TosstChartStyle *style, guint classes,
                      const char *const *names, guint row, guint column, double *x, double *y, double *side)
{
  ConfusionLayout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out_confusion (&text, width, height, classes, names, &layout);
  *x = layout.x + column * layout.cell;
  *y = layout.y + row * layout.cell;
  *side = layout.cell;
}
