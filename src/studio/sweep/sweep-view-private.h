/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/sweep/sweep-charts.h"
#include "studio/sweep/sweep-editor.h"
#include "studio/sweep/sweep-table.h"
#include "studio/sweep/sweep-view.h"

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

  GtkWidget *stack, *editor, *editor_revealer, *editor_button, *table, *charts, *panes;
  GtkWidget *summary, *detail, *start_button, *pause_button, *stop_button, *retry_button;
  GtkWidget *earlier_button, *earlier_list, *interrupted, *interrupted_label;
};

/* sweep/sweep-status.c: how far the sweep is, in numbers and in words (new). */
void studio_sweep_view_say (StudioSweepView *self, const char *sentence); /* as a toast */
gboolean studio_sweep_view_is_busy (StudioSweepView *self);
guint studio_sweep_view_count_open (StudioSweepView *self); /* what is to be done: neither done nor failed */
char *studio_sweep_view_describe_runs (StudioSweepView *self);
/* NULL: every run fits into memory. One that would not is refused before the sweep begins. */
char *studio_sweep_view_describe_refusal (StudioSweepView *self);
char *studio_sweep_view_describe_state (StudioSweepView *self, gboolean *wrong); /* *wrong: it is an error */

/* sweep/sweep-undo.c: what is edited has changed, for undo. */
void studio_sweep_view_remember_edited (StudioSweepView *self);

/* sweep-history.c: sweeps that the workspace has. */
void studio_sweep_view_read_earlier (StudioSweepView *self); /* soon */
void studio_sweep_view_open_earlier (StudioSweepView *self, const TosstStoreSweep *earlier, gboolean go_on);
const TosstStoreSweep *
studio_sweep_view_get_interrupted (StudioSweepView *self); /* the latest that is not done; NULL */
