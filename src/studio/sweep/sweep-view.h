/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/project.h"
#include "studio/sweep/sweep-charts.h"
#include "studio/sweep/sweep-editor.h"
#include "studio/sweep/sweep-table.h"

/* Many runs of the window's recipe: what varies, doing them, and what came out as table and pictures.
 *
 * Signals: "edited": what varies has changed; "toast" (const char *sentence); "open-run" (StudioSweepRow *): it is to
 * be shown in Results; "run-again" (StudioSweepRow *): its recipe is the window's now, and is to be run.
 * Actions: sweep.start, pause, stop, retry, clear, open, use, again, star, hide, compare, copy-command,
 * copy-run-command; sweep.example (s: "lambda", "atoms" or "scheme"); sweep.export-KIND-as, and sweep.export (ss: KIND
 * and path) with KIND table, picture, recipe or run. */
#define STUDIO_TYPE_SWEEP_VIEW (studio_sweep_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepView, studio_sweep_view, STUDIO, SWEEP_VIEW, AdwBin)

/* Other files only read the members. */
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

/* Once. No sweep can begin while an ordinary run is under way. */
void studio_sweep_view_set_project (StudioSweepView *self, StudioProject *project);

/* The axes of sweep, and its recipe for the window, as one step that can be undone; go_on: its missing
 * runs are begun as soon as it is planned. Not while a sweep goes on. */
void studio_sweep_view_take (StudioSweepView *self, const TosstSweep *sweep, gboolean go_on);
/* The same from a file, with what varies in sight. FALSE, and nothing is taken, with a sentence where it makes no sense,
 * cannot be shown, or a sweep goes on. */
gboolean studio_sweep_view_open (StudioSweepView *self, const TosstSweep *sweep, GError **error);
void studio_sweep_view_begin (StudioSweepView *self);      /* its missing runs, as soon as it is planned */
gboolean studio_sweep_view_varies (StudioSweepView *self); /* there are axes */
/* What was edited, as text, is begun with again, which cannot be undone. */
void studio_sweep_view_restore (StudioSweepView *self, const char *text);

gboolean studio_sweep_view_is_busy (StudioSweepView *self);
void studio_sweep_view_open_earlier (StudioSweepView *self, const TosstStoreSweep *earlier, gboolean go_on);
/* The latest sweep of the workspace that is not done; NULL. */
const TosstStoreSweep *studio_sweep_view_get_interrupted (StudioSweepView *self);
