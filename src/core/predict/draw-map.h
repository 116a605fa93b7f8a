/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "core/predict/class-map.h"

/* A map over its image. Each pixel has the colour of the window with the nearest centre, blended over the grey image
 * with this opacity (0 to 1); with `uncertain` it is multiplied by tosst_class_map_certainty(), so that the colour fades
 * where two classes are about equal. Regions are outlined, and labelled with the number of their class where there is room;
 * the legend lists the classes that occur, with number, colour, name and share. With up to 20 classes in the model
 * each has its own colour, the same in all maps; with more, the 20 classes with the largest area have distinct
 * colours, and the others reuse them and are distinguished by their numbers. */
typedef struct
{
  const TosstClassMap *map;
  const TosstImage *image;
  double opacity;
  gboolean uncertain;
} TosstMapDrawing;

/* Suitable size of the drawing. */
void tosst_map_drawing_size (const TosstMapDrawing *self, const TosstChartStyle *style, double *width, double *height);
void tosst_draw_class_map (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                           const TosstMapDrawing *self);
/* The window whose centre is nearest to a point of such a drawing; FALSE: the point is outside of the image. */
gboolean tosst_class_map_pick (double width, double height, const TosstChartStyle *style, const TosstMapDrawing *self,
                               double x, double y, int *row, int *column);
/* .png, .svg or .pdf. */
gboolean tosst_class_map_save (const TosstMapDrawing *self, GFile *file, GError **error);

/* A connected region of equal cells, and its cell farthest from its border, the position of its label. */
typedef struct
{
  int value;
  int row, column; /* of that cell */
  int room;        /* distance from that cell to the border, at least 1 */
} TosstMapRegion;

/* cells: rows x columns. Returns a new array of TosstMapRegion in order of their first cells. */
GArray *tosst_map_regions (const int *cells, int rows, int columns);

/* The margins of one image as bars from zero, the largest first and as many as fit, in the colours of class maps with up
 * to 20 classes. With a title: shares of a whole, in one colour, with a note or NULL. */
typedef struct
{
  const double *margins;  /* classes */
  gboolean probabilities; /* or shares: they end at 1 */
  char **class_names;
  int classes;
  const char *title, *note;
} TosstMarginsDrawing;

void tosst_draw_margins (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                         const TosstMarginsDrawing *self);
/* Class of the bar at a position; -1: none. */
int tosst_margins_pick (double width, double height, const TosstChartStyle *style, const TosstMarginsDrawing *self,
                        double x, double y);
/* "93 %", of what is not certain "> 99 %" or "< 1 %". New. */
char *tosst_probability_label (double probability);
/* Classes by decreasing margin. New. */
int *tosst_margins_order (const double *margins, int classes);
