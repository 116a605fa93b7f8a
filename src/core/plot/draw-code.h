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

/* Bar chart of values by feature, or by 1 .. n without groups. The structs borrow their data. */
typedef struct
{
  const double *values;
  int n;
  const GArray *groups; /* NULL: numbers */
} TosstBarsDrawing;

void tosst_draw_bars (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                      const TosstBarsDrawing *self);
/* Index of the bar at a pointer position; -1: none. */
int tosst_bars_pick (double width, double height, const TosstChartStyle *style, const TosstBarsDrawing *self,
                     double pointer_x, double pointer_y);

/* Page for files: B_k, b_k, its eigenvalues and its slices. */
typedef struct
{
  TosstMatrixDrawing matrix;
  TosstBarsDrawing b, eigenvalues;
  TosstStripDrawing strip;
  const char *title, *facts; /* one line each */
} TosstAtomSheet;

void tosst_draw_atom_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                            const TosstAtomSheet *self);

/* Renders B_k as pixels (rows x columns, each entry zoom x zoom) with diverging colours, scaled to its largest
 * |entry|, so that structure is visible at low energy. matrix: rows x columns. */
void tosst_atom_pixels (const double *matrix, int rows, int columns, int zoom, gboolean dark, guint32 *pixels);
