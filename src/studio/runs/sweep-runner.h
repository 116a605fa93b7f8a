/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/runner.h"
#include "studio/runs/sweep-row.h"
#include "studio/runs/workspace.h"

G_BEGIN_DECLS

/* The sweep of a window: its plan, its results in the store, and its execution, one at a time. Main thread. Property
 * state (StudioRunnerState). Signals:
 *   "planned"    the rows were replaced: those of the newest plan, or none, with a problem or without
 *   "estimated"  the estimate is available, or its problem
 *   "run"        (StudioSweepRow *) news of one run
 *   "progress"
 *   "finished"
 *   "notice"     (const char *sentence) message to the user
 * Late news of earlier sweeps are dropped. */
#define STUDIO_TYPE_SWEEP_RUNNER (studio_sweep_runner_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepRunner, studio_sweep_runner, STUDIO, SWEEP_RUNNER, GObject)

StudioSweepRunner *studio_sweep_runner_new (StudioWorkspace *workspace);

/* Plans a sweep that is being edited, after a short delay without a newer one. sweep is borrowed; NULL: none. Must be
 * idle. */
void studio_sweep_runner_set_sweep (StudioSweepRunner *self, const TosstSweep *sweep, int jobs);
/* Executes the runs that are not done. Must be planned and idle. */
void studio_sweep_runner_start (StudioSweepRunner *self, gboolean retry_failed);
void studio_sweep_runner_pause (StudioSweepRunner *self, gboolean pause);
void studio_sweep_runner_stop (StudioSweepRunner *self);

StudioRunnerState studio_sweep_runner_get_state (StudioSweepRunner *self);
gboolean studio_sweep_runner_is_planning (StudioSweepRunner *self);        /* a plan or its estimate is pending */
gboolean studio_sweep_runner_is_planned (StudioSweepRunner *self);         /* the plan is of the newest sweep */
StudioSweepPlan *studio_sweep_runner_get_plan (StudioSweepRunner *self);   /* maybe of the previous sweep; NULL: none */
const TosstSweep *studio_sweep_runner_get_sweep (StudioSweepRunner *self); /* the newest; NULL: none */
GListModel *studio_sweep_runner_get_rows (StudioSweepRunner *self);        /* of StudioSweepRow, in the plan's order */
const char *studio_sweep_runner_get_problem (StudioSweepRunner *self);     /* of the plan, the estimate or the sweep */
const TosstSweepEstimate *studio_sweep_runner_get_estimate (StudioSweepRunner *self); /* NULL: none yet */
guint studio_sweep_runner_count (StudioSweepRunner *self, TosstRunState state);
double studio_sweep_runner_get_fraction (StudioSweepRunner *self);
double studio_sweep_runner_get_seconds_left (StudioSweepRunner *self); /* < 0: unknown */
/* "run 3: learning the dictionary, split 1"; new. */
char *studio_sweep_runner_get_stage (StudioSweepRunner *self);

G_END_DECLS
