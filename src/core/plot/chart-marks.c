/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Marks with different shapes as well as colours, for colour-blind readers and grey prints; value labels of points
 * without lines. */

#include "config.h"

#include "core/plot/chart-draw-private.h"

/* A closed polygon about the origin, with the area of a circle of radius 1. */
typedef struct
{
  guint corners;
  double radius, angle; /* of a corner: angle from the x axis, clockwise, in quarter turns */
} Shape;

/* Circle, diamond, square, triangle up, triangle down, pentagon, hexagon, triangle right. */
static const Shape shapes[] = {
  { 0, 1.00, 0 }, { 4, 1.25, 0 },  { 4, 1.25, 0.5 }, { 3, 1.50, -1 },
  { 3, 1.50, 1 }, { 5, 1.15, -1 }, { 6, 1.10, 0 },   { 3, 1.50, 0 },
};

void
tosst_drawing_mark (TosstDrawing *d, guint series, double x, double y)
{
  guint number = tosst_drawing_series (d, series)->color + tosst_chart_twins (d->chart, series);
  const Shape *shape = &shapes[number % G_N_ELEMENTS (shapes)];
  double radius = 1.75 * tosst_drawing_line_width (d) * (d->chart->categories ? 1.35 : 1.0);

  cairo_new_sub_path (d->cr);
  if (shape->corners == 0)
    cairo_arc (d->cr, x, y, radius, 0.0, 2.0 * G_PI);
  for (guint i = 0; i < shape->corners; i++)
    {
      double angle = shape->angle * G_PI_2 + 2.0 * G_PI * i / shape->corners;

      cairo_line_to (d->cr, x + shape->radius * radius * cos (angle), y + shape->radius * radius * sin (angle));
    }
  cairo_close_path (d->cr);
}

void
tosst_drawing_numbers (TosstDrawing *d, guint series, guint first, guint last)
{
  const TosstSeries *s = tosst_drawing_series (d, series);
  const TosstAxis *axis = &d->chart->x_axis;
  double half = 0.5 * (axis->to - axis->from) / (axis->high - axis->low), room = d->chart->step - 0.4 * d->em;
  double right = (tosst_chart_visible (d->chart) > 1 ? room : half) - d->em;

  tosst_color_set (d->cr, tosst_color_dim (d->style), 1.0);
  for (guint i = first; i < last; i++)
    {
      const TosstChartPoint *point = tosst_series_point (s, i);
      g_autofree char *label = tosst_number_label (point->y, 4);
      double width = tosst_text_width (&d->text, label, TOSST_SMALL);

      if (tosst_drawing_can_show (d, point) && (width <= room || width <= right))
        {
          /* Beside the mark where there is room, else above its error bar, or below it at the top of the plot. */
          double low, high, x = tosst_drawing_x (d, point->x), gap = 0.35 * d->em, line = TOSST_SMALL * d->em;

          tosst_drawing_bar (d, point, &low, &high);
          if (width <= right)
            tosst_text_draw (&d->text, d->cr, label, x + 0.7 * d->em, tosst_drawing_y (d, point->y), 0.0, 0.5, 0, 0.0,
                             TOSST_SMALL, FALSE);
          else if (high - gap - line >= d->top)
            tosst_text_draw (&d->text, d->cr, label, x, high - gap, 0.5, 1.0, 0, 0.0, TOSST_SMALL, FALSE);
          else
            tosst_text_draw (&d->text, d->cr, label, x, low + gap, 0.5, 0.0, 0, 0.0, TOSST_SMALL, FALSE);
        }
    }
}
