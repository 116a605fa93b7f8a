/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/run-job.h"

G_BEGIN_DECLS

typedef enum
{
  STUDIO_RUNNER_IDLE,
  STUDIO_RUNNER_RUNNING,
  STUDIO_RUNNER_PAUSED,
  STUDIO_RUNNER_STOPPING,
} StudioRunnerState;

typedef enum
{
  STUDIO_OUTCOME_NONE, /* no run has ended yet */
  STUDIO_OUTCOME_DONE,
  STUDIO_OUTCOME_STOPPED,
  STUDIO_OUTCOME_FAILED,
  STUDIO_OUTCOME_FOUND, /* it was done earlier, and nothing was done now */
} StudioOutcome;

/* Runs recipes in the background, one at a time, and holds what is known of the current or last run. Main thread.
 * Signals: "started", "progress", "iterations", "atoms", "learned", "split", "finished"; each means that the getters below have
 * news. "recorded": the run is in the store, or nowhere. "notice" (const char *sentence): what the user should see. Each run has an id of its own; what an old one still had to say is dropped. */
#define STUDIO_TYPE_RUNNER (studio_runner_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunner, studio_runner, STUDIO, RUNNER, GObject)

StudioRunner *studio_runner_new (void);

/* dataset NULL: opened from the recipe. Must be idle. */
void studio_runner_start (StudioRunner *self, const TosstRecipe *recipe, TosstDataset *dataset);
/* The same, recorded, gone on with or opened, as the order says. */
void studio_runner_begin (StudioRunner *self, const StudioRunOrder *order);
void studio_runner_pause (StudioRunner *self, gboolean pause);
void studio_runner_stop (StudioRunner *self);

StudioRunnerState studio_runner_get_state (StudioRunner *self);
StudioOutcome studio_runner_get_outcome (StudioRunner *self);
guint studio_runner_get_id (StudioRunner *self);                   /* 0 before the first run */
gint64 studio_runner_get_run (StudioRunner *self);                 /* in the store; 0: not recorded, or not yet */
const TosstStoreRun *studio_runner_get_found (StudioRunner *self); /* the run that was done earlier; else NULL */
gboolean studio_runner_is_continued (StudioRunner *self);          /* it was begun earlier */
gboolean studio_runner_is_opened (StudioRunner *self);      /* nothing is or was done: it is read from the store */
const char *studio_runner_get_problem (StudioRunner *self); /* of a failed run, else NULL */
const TosstRecipe *
studio_runner_get_recipe (StudioRunner *self);                /* of the current or last run; NULL before the first */
TosstDataset *studio_runner_get_dataset (StudioRunner *self); /* once it ended; else NULL */
const TosstRunResult *
studio_runner_get_result (StudioRunner *self); /* once it ended, maybe of fewer splits; else NULL */

const char *studio_runner_get_stage (StudioRunner *self); /* translated: "Learning the dictionary" */
int studio_runner_get_current_split (StudioRunner *self); /* being worked on; -1 while tensors are made */

double studio_runner_get_fraction (StudioRunner *self);
double studio_runner_get_seconds_left (StudioRunner *self); /* < 0: unknown */

int studio_runner_get_n_splits (StudioRunner *self);                        /* that have iterations */
int studio_runner_get_last_split (StudioRunner *self);                      /* -1 before the first iteration */
const GArray *studio_runner_get_iterations (StudioRunner *self, int split); /* of TosstIteration; NULL if none */
const GArray *studio_runner_get_splits (StudioRunner *self);                /* of StudioSplit, finished ones */
StudioAtoms *studio_runner_get_atoms (StudioRunner *self);                  /* newest, or NULL */
StudioAtomSet *studio_runner_get_learned (StudioRunner *self);              /* the first split's dictionary, or NULL */

G_END_DECLS
