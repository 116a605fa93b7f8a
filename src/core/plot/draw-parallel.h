/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"

G_BEGIN_DECLS

/* Parallel coordinates: an upright axis for each quantity, and for each run a line through its values. The last axis is
 * the one that counts: colours grow with it, and the largest lie on top. A value that does not exist (NAN) has a place
 * of its own below the axis. A brush on an axis keeps the lines that pass through it and fades the others. */
typedef struct TosstParallel TosstParallel;

TosstParallel *tosst_parallel_new (void);
TosstParallel *tosst_parallel_copy (const TosstParallel *self);
void tosst_parallel_free (TosstParallel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstParallel, tosst_parallel_free)

/* Its index. names: NULL for numbers; else NULL-terminated, and values are 0, 1, 2 and so on. All axes come before the
 * first line. */
guint tosst_parallel_add_axis (TosstParallel *self, const char *label, gboolean logarithmic, const char *const *names);
void tosst_parallel_append (TosstParallel *self, const double *values); /* a line: a value for each axis */
guint tosst_parallel_axes (const TosstParallel *self);
guint tosst_parallel_lines (const TosstParallel *self);
double tosst_parallel_value (const TosstParallel *self, guint line, guint axis);
char *tosst_parallel_text (const TosstParallel *self, guint line, guint axis); /* for people, new; "–" for NAN */
const char *tosst_parallel_label (const TosstParallel *self, guint axis);

void tosst_parallel_set_chosen (TosstParallel *self, int line); /* drawn thick and above all; -1: none */
/* Values from low to high, both included; NAN: no brush on this axis. */
void tosst_parallel_set_brush (TosstParallel *self, guint axis, double low, double high);
void tosst_parallel_get_brush (const TosstParallel *self, guint axis, double *low, double *high);
gboolean tosst_parallel_passes (const TosstParallel *self, guint line); /* through all brushes */

/* Draws into (0, 0, width, height), as all of chart.h. */
void tosst_draw_parallel (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                          const TosstParallel *self);
/* In the same drawing: the line under a position that passes through the brushes; FALSE if none is near. */
gboolean tosst_parallel_pick (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                              double pointer_x, double pointer_y, guint *line);
/* The axis that a position belongs to, and the value there, within the axis; FALSE between two axes. */
gboolean tosst_parallel_value_at (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                                  double pointer_x, double pointer_y, guint *axis, double *value);
/* The place of an axis, and of a value on it. */
void tosst_parallel_place (const TosstParallel *self, double width, double height, const TosstChartStyle *style,
                           guint axis, double value, double *x, double *y);

/* One translated sentence for a screen reader. */
char *tosst_parallel_describe (const TosstParallel *self);

G_END_DECLS
