/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/draw-slices.h"

G_BEGIN_DECLS

/* Pictures of one atom. Nothing is copied or owned. */

/* Numbers as bars over features, or over 1 .. n where there are no groups. */
typedef struct
{
  const double *values;
  int n;
  const GArray *groups; /* NULL: numbers */
} TosstBarsDrawing;

void tosst_draw_bars (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                      const TosstBarsDrawing *self);
/* The bar at a pointer position; -1: none. */
int tosst_bars_pick (double width, double height, const TosstChartStyle *style, const TosstBarsDrawing *self,
                     double pointer_x, double pointer_y);

/* For files: B_k, b_k, its eigenvalues and its slices on one page. */
typedef struct
{
  TosstMatrixDrawing matrix;
  TosstBarsDrawing b, eigenvalues;
  TosstStripDrawing strip;
  const char *title, *facts; /* a line each */
} TosstAtomSheet;

void tosst_draw_atom_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                            const TosstAtomSheet *self);

/* B_k as pixels (rows x columns, each entry zoom x zoom), colours about zero by its own largest |entry|, so that
 * structure shows where energy is small. matrix: rows x columns. */
void tosst_atom_pixels (const double *matrix, int rows, int columns, int zoom, gboolean dark, guint32 *pixels);

G_END_DECLS
