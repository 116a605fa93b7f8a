/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/job.h"
#include "studio/runs/sweep-row.h"
#include "studio/runs/workspace.h"
#include "studio/tasks/worker.h"

/* A sweep being edited, planned and executed: its runs with their results in the store, and the estimated cost of those
 * that are not done. A single run is a sweep of one. A worker (worker.h) reads the plan and, a second or two later, the
 * estimate; a newer sweep cancels it. Main thread. Signals:
 *   "planned"    the rows were replaced: those of the newest plan, or none, with a problem or without
 *   "estimated"  the estimate is available, or its problem
 *   "run" (StudioSweepRow *)  news of one run
 * and during its execution by a StudioRunner:
 *   "progress"
 *   "finished"
 *   "notice" (const char *sentence)  message to the user
 * Other files only read the members. */
#define STUDIO_TYPE_SWEEP_PLANNER (studio_sweep_planner_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepPlanner, studio_sweep_planner, STUDIO, SWEEP_PLANNER, GObject)

struct _StudioSweepPlanner
{
  GObject parent_instance;
  StudioWorkspace *workspace;
  guint delay;
  StudioWorker *worker; /* NULL: nothing was planned yet */

  TosstSweep *sweep;     /* the newest; NULL: none */
  TosstDataset *dataset; /* of a single run, else NULL */
  int jobs;
  gsize kept; /* bytes that a single run frees or reuses */
  guint settle_source;
  guint newest, pending;           /* numbers of requests; 0: none pending */
  StudioSweepPlan *plan;           /* maybe of the previous sweep; or NULL */
  GListModel *rows;                /* of StudioSweepRow, in the plan's order; another list for each plan */
  guint count[TOSST_N_RUN_STATES]; /* of the rows: counting 100,000 of them again takes milliseconds */
  TosstRunEstimate needs;          /* of a planned single run */
  TosstSweepEstimate estimate;
  gboolean planned; /* the plan is of the newest sweep */
  gboolean estimated;
  char *problem; /* of plan, estimate or execution; or NULL */
};

/* delay: milliseconds without another change before planning. */
StudioSweepPlanner *studio_sweep_planner_new (StudioWorkspace *workspace, guint delay);

/* Replaces the sweep. NULL: none. It must not be executed at the moment. */
void studio_sweep_planner_set_sweep (StudioSweepPlanner *self, const TosstSweep *sweep, int jobs);
/* A single run of a recipe that passes tosst_recipe_check(), on its data set. An unreadable store counts as empty;
 * recording into it reports the error. The problem is that the run exceeds the memory. kept: bytes of earlier results,
 * which the run frees or reuses. */
void studio_sweep_planner_set_run (StudioSweepPlanner *self, const TosstRecipe *recipe, TosstDataset *dataset,
                                   gsize kept);

gboolean studio_sweep_planner_is_planning (StudioSweepPlanner *self); /* a plan or its estimate is pending */
const TosstSweepEstimate *studio_sweep_planner_get_estimate (StudioSweepPlanner *self); /* NULL: none yet */

/* For the runner that executes the sweep: ends planning, fills in the order (plan NULL: it is not planned), and returns
 * the title of the sweep, new: "λ × K". */
char *studio_sweep_planner_begin (StudioSweepPlanner *self, StudioOrder *order);
void studio_sweep_planner_update_run (StudioSweepPlanner *self, guint run, const TosstSweepOutcome *outcome);
void studio_sweep_planner_set_problem (StudioSweepPlanner *self, const char *problem);
