/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/sweep/sweep.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* A shared plan: reference-counted, immutable, any thread. */
typedef struct
{
  gatomicrefcount references;
  TosstSweepPlan *plan;
} StudioSweepPlan;

StudioSweepPlan *studio_sweep_plan_ref (StudioSweepPlan *self);
void studio_sweep_plan_unref (StudioSweepPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSweepPlan, studio_sweep_plan_unref)

/* Plans a sweep while it is being edited: its runs, their results in the store, and the estimated cost of the rest. A
 * worker (worker.h) answers twice, with the plan and, a second or two later, with the estimate. Of the requests made
 * meanwhile only the newest counts; it cancels the one being answered. */
typedef struct StudioSweepPlanner StudioSweepPlanner;

typedef struct
{
  guint question;        /* request that it answers */
  StudioSweepPlan *plan; /* NULL: problem says why */
  GPtrArray *rows;       /* StudioSweepRow *, as found in the store; NULL with the second answer */
  gboolean estimated;    /* the second answer */
  TosstSweepEstimate estimate;
  char *problem; /* a sentence, or NULL */
} StudioSweepAnswer;

void studio_sweep_answer_free (StudioSweepAnswer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSweepAnswer, studio_sweep_answer_free)

/* Main thread. wake is called there with data until studio_sweep_planner_free(), when an answer is available. */
StudioSweepPlanner *studio_sweep_planner_new (StudioWakeFunc wake, gpointer data);
void studio_sweep_planner_free (StudioSweepPlanner *self); /* returns at once */
/* Takes sweep; NULL cancels the request. Returns the number of the request. */
guint studio_sweep_planner_ask (StudioSweepPlanner *self, TosstSweep *sweep, GFile *workspace, int jobs);
StudioSweepAnswer *studio_sweep_planner_take (StudioSweepPlanner *self); /* the oldest answer; NULL: nothing new */

G_END_DECLS
