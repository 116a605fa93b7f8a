/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "tosst/describe.h"

/* Drawings of tensors: one slice in full size, all slices as thumbnails. The structs borrow their data. */

/* Consecutive components of a feature vector with a common name: the pivots of one feature. */
typedef struct
{
  char name[16];
  int first, count;
} TosstFeatureGroup;

/* New array of TosstFeatureGroup. */
GArray *tosst_feature_groups (const TosstFeatureOptions *options);
/* Label of component i: "I_x 3"; "4" if groups is NULL or too short. New. */
char *tosst_feature_group_label (const GArray *groups, int i);

enum
{
  TOSST_SLICE_TENSOR,
  TOSST_SLICE_RECONSTRUCTION,
  TOSST_SLICE_RESIDUAL,
  TOSST_N_SLICE_MAPS,
};

/* One slice of a tensor, of its reconstruction and of the residual, side by side, with common colours. */
typedef struct
{
  const double *map[TOSST_N_SLICE_MAPS]; /* each planes x rows x columns */
  int planes, rows, columns;
  int chosen;           /* plane to draw */
  const GArray *groups; /* names of rows and columns, or NULL */
} TosstSlicesDrawing;

void tosst_draw_slices (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                        const TosstSlicesDrawing *self);
/* The height above which more does not enlarge the maps in that width. */
double tosst_slices_height (double width, const TosstChartStyle *style, const TosstSlicesDrawing *self);
gboolean tosst_slices_pick (double width, double height, const TosstChartStyle *style, const TosstSlicesDrawing *self,
                            double pointer_x, double pointer_y, int *map, int *row, int *column);
const char *tosst_slice_map_label (int map); /* N_("Reconstruction") */

/* A matrix with feature names to its left and below it, and a colour bar. */
typedef struct
{
  const double *matrix;
  int rows, columns;
  const GArray *groups; /* NULL: numbers */
  double limit;         /* of the colours, if it exceeds the entries; 0: none */
} TosstMatrixDrawing;

void tosst_draw_named_matrix (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                              const TosstMatrixDrawing *self);
gboolean tosst_named_matrix_pick (double width, double height, const TosstChartStyle *style,
                                  const TosstMatrixDrawing *self, double pointer_x, double pointer_y, int *row,
                                  int *column);

/* All slices as thumbnails in reading order, as large as possible, with common colours; the selected one is framed. */
typedef struct
{
  const double *values; /* planes x rows x columns */
  int planes, rows, columns;
  int chosen; /* -1: none */
} TosstStripDrawing;

void tosst_draw_strip (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                       const TosstStripDrawing *self);
/* The height at which thumbnails fill that width, in about 0.28 of it; it grows with the width. */
double tosst_strip_height (double width, const TosstStripDrawing *self);
int tosst_strip_pick (double width, double height, const TosstStripDrawing *self, double pointer_x,
                      double pointer_y);                                              /* -1: none */
int tosst_strip_columns (double width, double height, const TosstStripDrawing *self); /* thumbnails per row */
