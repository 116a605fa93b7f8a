/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/draw-slices.h"

/* A code as stems over atom numbers, from 1; the largest are labelled. Zeros are omitted. The struct borrows its
 * data. */
typedef struct
{
  const double *code;
  int K;
  int chosen; /* selected atom; -1: none */
} TosstStemsDrawing;

void tosst_draw_stems (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                       const TosstStemsDrawing *self);
/* The non-zero whose stem is nearest to a pointer position, and the position of its head; -1: none is near. */
int tosst_stems_pick (double width, double height, const TosstChartStyle *style, const TosstStemsDrawing *self,
                      double pointer_x, double pointer_y, double *x_at, double *y_at);

/* Page for files: slices and stems. */
typedef struct
{
  TosstSlicesDrawing slices;
  TosstStemsDrawing stems;
  const char *title, *facts; /* one line each */
} TosstCodeSheet;

void tosst_draw_code_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                            const TosstCodeSheet *self);
