/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/sweep/sweep-charts.h"
#include "studio/sweep/sweep-editor.h"
#include "studio/sweep/sweep-table.h"
#include "studio/sweep/sweep-view.h"

/* The parts of the view, for its file and for tests. */
struct _StudioSweepView
{
  AdwBin parent_instance;
  StudioProject *project;
  StudioRecipeModel *model; /* this and the next two: the project's */
  StudioWorkspace *workspace;
  StudioSweepPlanner *planner;
  StudioRunList *list;
  gboolean go_on;
  TosstSweep *edited;   /* what the editor had last that made sense, maybe without axes; NULL: nothing yet */
  GPtrArray *earlier;   /* TosstStoreSweep, the latest last; NULL: not read yet */
  guint earlier_source; /* they are to be read again */

  StudioSweepEditor *editor;
  StudioSweepTable *table;
  StudioSweepCharts *charts;
  GtkWidget *stack, *editor_revealer, *editor_button, *panes;
  GtkWidget *summary, *detail, *start_button, *pause_button, *stop_button, *retry_button;
  GtkWidget *earlier_button, *earlier_list, *interrupted, *interrupted_label;
};

gboolean studio_sweep_view_is_busy (StudioSweepView *self);
void studio_sweep_view_open_earlier (StudioSweepView *self, const TosstStoreSweep *earlier, gboolean go_on);
/* The latest sweep of the workspace that is not done; NULL. */
const TosstStoreSweep *studio_sweep_view_get_interrupted (StudioSweepView *self);
