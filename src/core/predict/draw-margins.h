/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "core/predict/predictor.h"

/* The margins of one image as bars from zero, the largest first and as many as fit, in the colours of class maps with up
 * to 20 classes. */
typedef struct
{
  const double *margins; /* classes; or their probabilities: */
  gboolean probabilities;
  char **class_names;
  int classes;
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
