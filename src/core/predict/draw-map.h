/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "core/predict/class-map.h"

G_BEGIN_DECLS

/* A map over its image. Each pixel has the colour of the window whose middle is nearest, laid over the grey image with
 * this opacity (0 to 1). Regions are outlined, and those with room for it bear the number of their class; beside the
 * picture stand the classes that occur, with number, colour, name and share. Where the model has up to 20 classes each
 * has a colour of its own, the same in all maps; where it has more, the 20 classes that cover most have, and the others
 * the same colours again, told apart by their numbers. */
typedef struct
{
  const TosstClassMap *map;
  const TosstImage *image;
  double opacity;
} TosstMapDrawing;

/* A size at which the picture shows well. */
void tosst_map_drawing_size (const TosstMapDrawing *self, const TosstChartStyle *style, double *width, double *height);
void tosst_draw_class_map (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                           const TosstMapDrawing *self);
/* .png, .svg or .pdf. */
gboolean tosst_class_map_save (const TosstMapDrawing *self, GFile *file, GError **error);

G_END_DECLS
