/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/draw-parallel.h"
#include "core/plot/grid.h"
#include "core/predict/draw-map.h"
#include "core/sweep/importance.h"
#include "studio/runs/sweep-row.h"

/* Pictures of the runs of a sweep: data only, no widget. Rows are StudioSweepRow of one plan, in which the parameters
 * vary; of several that share their values of what a curve shows, the best stands for them. */

/* Whether an axis of these values should be logarithmic. */
gboolean studio_sweep_is_logarithmic (GListModel *rows, const TosstSweep *sweep, const TosstParameter *parameter);

typedef struct
{
  TosstChart *chart;
  GHashTable *rows; /* of a point: its row */
  guint left_out;   /* runs for which a better one stands */
} StudioSweepCurves;

/* metric against x, a curve for each value of by (NULL: one curve), with the deviation over splits. */
StudioSweepCurves *studio_sweep_curves_new (GListModel *rows, const TosstSweep *sweep, StudioSweepMetric metric,
                                            const TosstParameter *x, const TosstParameter *by);
void studio_sweep_curves_free (StudioSweepCurves *self);
StudioSweepRow *studio_sweep_curves_row (StudioSweepCurves *self, guint series, double x); /* borrowed; NULL */
/* FALSE if no point stands for the row. */
gboolean studio_sweep_curves_find (StudioSweepCurves *self, StudioSweepRow *row, guint *series, double *x);

/* All that varies, and the metric; line i is row i. */
TosstParallel *studio_sweep_lines_new (GListModel *rows, const TosstSweep *sweep, const GPtrArray *varying,
                                       StudioSweepMetric metric);

/* A metric over two parameters: data only, no widget. Of several runs with the same two values the best stands for
 * them. */
typedef struct
{
  TosstGrid *grid;
  GPtrArray *rows; /* StudioSweepRow of each cell, row by row; NULL: none */
  guint left_out;  /* runs for which a better one stands */
} StudioSweepMap;

StudioSweepMap *studio_sweep_map_new (GListModel *rows, const TosstSweep *sweep, StudioSweepMetric metric,
                                      const TosstParameter *x, const TosstParameter *y);
void studio_sweep_map_free (StudioSweepMap *self);
StudioSweepRow *studio_sweep_map_row (StudioSweepMap *self, guint column, guint row); /* borrowed; NULL */
void studio_sweep_map_choose (StudioSweepMap *self, StudioSweepRow *row);             /* NULL: none */

/* What the parameters that vary explain of a metric of the runs; NULL: nothing yet. */
TosstImportance *studio_sweep_importance (GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric);
/* The same as bars to be drawn with a margin around them; new, NULL: nothing yet. */
TosstMarginsDrawing *studio_sweep_shares (GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric,
                                          const TosstSweep *sweep);
void studio_sweep_shares_free (TosstMarginsDrawing *self);
void studio_sweep_draw_shares (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data);
/* Fills a box with the shares as bars, with a heading that names the measure. */
void studio_sweep_show_importance (GtkWidget *box, GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric,
                                   const TosstSweep *sweep);
