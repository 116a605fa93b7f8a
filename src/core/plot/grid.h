/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"

/* A value for each pair of values of two quantities, as a heat map: columns from the left, rows from the bottom, colours
 * from the smallest value to the largest, the best cell in a frame. NAN: a cell without a value. */
typedef struct
{
  char *x_label, *y_label, *label;
  char **column_names, **row_names;
  guint columns, rows;
  double *value;                 /* rows x columns */
  gboolean low_is_best;          /* FALSE: the largest value */
  int chosen_column, chosen_row; /* -1: none */
} TosstGrid;

/* Names: NULL-terminated, copied. label: of the values. */
TosstGrid *tosst_grid_new (const char *x_label, const char *const *columns, const char *y_label,
                           const char *const *rows, const char *label);
TosstGrid *tosst_grid_copy (const TosstGrid *self);
void tosst_grid_free (TosstGrid *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstGrid, tosst_grid_free)

void tosst_grid_set (TosstGrid *self, guint column, guint row, double value);
double tosst_grid_get (const TosstGrid *self, guint column, guint row);
gboolean tosst_grid_best (const TosstGrid *self, guint *column, guint *row);

/* Draws into (0, 0, width, height), as the functions of chart.h. */
void tosst_draw_grid (cairo_t *cr, double width, double height, const TosstChartStyle *style, const TosstGrid *self);
/* The cell at a position in the same drawing. */
gboolean tosst_grid_pick (const TosstGrid *self, double width, double height, const TosstChartStyle *style,
                          double pointer_x, double pointer_y, guint *column, guint *row);

char *tosst_grid_describe (const TosstGrid *self); /* one translated sentence for a screen reader, new */
char *tosst_grid_to_csv (const TosstGrid *self);   /* a line for each row from the top, new */
