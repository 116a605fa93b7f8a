/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"

/* Parallel coordinates: a vertical axis for each quantity, a line through the values of each run. The axis added
 * last is the result: colours grow with it, and the largest values are drawn on top. Missing values (NAN) have a position of
 * their own below the axis. A brush on an axis selects the lines that pass through it and fades the others. */
typedef struct
{
  GPtrArray *axes;
  GArray *values; /* double, lines x axes */
  int chosen;
} TosstParallel;

TosstParallel *tosst_parallel_new (void);
TosstParallel *tosst_parallel_copy (const TosstParallel *self);
void tosst_parallel_free (TosstParallel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstParallel, tosst_parallel_free)

/* Adds an axis and returns its index. names: NULL for numbers; else NULL-terminated, and values are indices 0, 1, 2
 * and so on. All axes are added before the first line. */
guint tosst_parallel_add_axis (TosstParallel *self, const char *label, gboolean logarithmic, const char *const *names);
void tosst_parallel_append (TosstParallel *self, const double *values); /* adds a line: one value per axis */
guint tosst_parallel_lines (const TosstParallel *self);
double tosst_parallel_value (const TosstParallel *self, guint line, guint axis);
const char *tosst_parallel_label (const TosstParallel *self, guint axis);

/* Small values at the top; a further call undoes it. */
void tosst_parallel_flip (TosstParallel *self, guint axis);
gboolean tosst_parallel_is_flipped (const TosstParallel *self, guint axis);
/* Moves an axis to another place among the axes, from 0 at the left; at first they are in the order of their indices. */
void tosst_parallel_move (TosstParallel *self, guint axis, guint place);
guint tosst_parallel_get_place (const TosstParallel *self, guint axis);

void tosst_parallel_set_chosen (TosstParallel *self, int line); /* drawn thick and on top; -1: none */
/* Values from low to high, both included; NAN: no brush on this axis. */
void tosst_parallel_set_brush (TosstParallel *self, guint axis, double low, double high);
void tosst_parallel_get_brush (const TosstParallel *self, guint axis, double *low, double *high);
gboolean tosst_parallel_passes (const TosstParallel *self, guint line); /* whether it passes all brushes */

/* Draws into (0, 0, width, height), as the functions of chart.h. */
void tosst_draw_parallel (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                          const TosstParallel *self);
/* The line at a position in the same drawing that passes all brushes; FALSE if none is near. */
gboolean tosst_parallel_pick (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                              double pointer_x, double pointer_y, guint *line);
/* The axis at a position and the value there, clamped to the axis; FALSE between two axes. */
gboolean tosst_parallel_value_at (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                                  double pointer_x, double pointer_y, guint *axis, double *value);
/* The axis next to a position; FALSE without axes. */
gboolean tosst_parallel_axis_at (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                                 double pointer_x, guint *axis);
/* Position of a value on an axis. */
void tosst_parallel_place (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                           guint axis, double value, double *x, double *y);

/* One translated sentence for a screen reader. New. */
char *tosst_parallel_describe (const TosstParallel *self);
