/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/sweep/sweep.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* A plan that several hold: reference-counted, immutable, any thread. */
typedef struct
{
  gatomicrefcount references;
  TosstSweepPlan *plan;
} StudioSweepPlan;

StudioSweepPlan *studio_sweep_plan_ref (StudioSweepPlan *self);
void studio_sweep_plan_unref (StudioSweepPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSweepPlan, studio_sweep_plan_unref)

/* Which runs a sweep has, what the store has of them, and what the rest will take, while the sweep is being edited: a
 * worker (worker.h) answers twice, with the plan and, a second or two later, with the estimate. Of the questions asked
 * meanwhile only the newest counts, and one that is being answered is given up for it. */
typedef struct StudioSweepPlanner StudioSweepPlanner;

typedef struct
{
  guint question;          /* that it answers */
  StudioSweepPlan *plan;   /* NULL: problem says why */
  TosstSweepResult *found; /* of the store; NULL with the second answer */
  gboolean estimated;      /* the second answer */
  TosstSweepEstimate estimate;
  char *problem; /* a sentence, or NULL */
} StudioSweepAnswer;

void studio_sweep_answer_free (StudioSweepAnswer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSweepAnswer, studio_sweep_answer_free)

/* Main thread. wake is called there with data until studio_sweep_planner_free(), when there is something to take. */
StudioSweepPlanner *studio_sweep_planner_new (StudioWakeFunc wake, gpointer data);
void studio_sweep_planner_free (StudioSweepPlanner *self); /* returns at once */
/* Takes sweep; NULL gives up what was asked. Returns the number of the question. */
guint studio_sweep_planner_ask (StudioSweepPlanner *self, TosstSweep *sweep, GFile *workspace, int jobs);
StudioSweepAnswer *studio_sweep_planner_take (StudioSweepPlanner *self); /* the oldest; NULL: nothing new */

G_END_DECLS
