/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/sweep-planner.h"
#include "studio/widgets/save-dialog.h"

/* Pictures of the runs of a sweep: a metric against a parameter with a curve for each value of a second one, a map over
 * two parameters, parallel coordinates, and the importance of the parameters. Signals: "picked" (StudioSweepRow *); "brushed". */
#define STUDIO_TYPE_SWEEP_CHARTS (studio_sweep_charts_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepCharts, studio_sweep_charts, STUDIO, SWEEP_CHARTS, AdwBin)

/* rows: StudioSweepRow that are to be drawn; once. */
void studio_sweep_charts_set_planner (StudioSweepCharts *self, StudioSweepPlanner *planner, GListModel *rows);
void studio_sweep_charts_refresh (StudioSweepCharts *self); /* rows or their numbers have changed: soon */
void studio_sweep_charts_plan (StudioSweepCharts *self);    /* another plan: other parameters */
void studio_sweep_charts_choose (StudioSweepCharts *self, StudioSweepRow *row); /* NULL: none */
GHashTable *studio_sweep_charts_get_brushed (StudioSweepCharts *self); /* rows, new; NULL: nothing is brushed */

gboolean studio_sweep_charts_has_picture (StudioSweepCharts *self);
StudioContent studio_sweep_charts_copy (StudioSweepCharts *self); /* the picture on show */
