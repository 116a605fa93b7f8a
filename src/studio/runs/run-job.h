/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"
#include "core/store/store.h"
#include "studio/atoms/atom-set.h"
#include "studio/atoms/atom-snapshot.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* The part of a run that lives on both threads: plain data behind a lock, no GObject that the worker could be the last
 * to let go of.
 *
 *   main thread                          worker
 *   start(): thread begins      ----->   tosst_run_execute(), observer writes the newest state under the lock
 *   wake() at most every 16 ms  <-----   asks for a wake-up unless one is pending
 *   take(): moves the state out
 *   release(): cancels, joins   ----->   ends
 */
typedef struct StudioRunJob StudioRunJob;

/* What is to be done where the store has this run already. */
typedef enum
{
  STUDIO_RUN_UNLESS_DONE, /* what was done is found and not done again; what was stopped goes on */
  STUDIO_RUN_AGAIN,       /* from the beginning */
  STUDIO_RUN_OPEN,        /* nothing is done: what the store has is read */
} StudioRunWish;

typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset; /* NULL: opened by the worker */
  GFile *store;          /* of runs, where it is recorded; NULL: nowhere */
  StudioRunWish wish;
  gint64 run;        /* in the store, to be opened or gone on with; 0: the latest of the same recipe and data */
  double checkpoint; /* seconds between checkpoints of learning */
} StudioRunOrder;

typedef struct
{
  int split;
  TosstIteration iteration;
} StudioIteration;

typedef struct
{
  int split;
  double accuracy, mean_nonzeros, worst_kkt, objective;
} StudioSplit;

/* What happened since the last take(). Everything in it is the taker's; clear it. */
typedef struct
{
  TosstStage stage;
  int stage_split;
  double fraction, seconds_left; /* of the whole run; seconds_left < 0: unknown */
  GArray *iterations;            /* of StudioIteration, or NULL */
  GArray *splits;                /* of StudioSplit, or NULL */
  StudioAtoms *atoms;            /* newest, or NULL if unchanged */
  StudioAtomSet *learned;        /* dictionary of the first split, or NULL if unchanged */
  gint64 run;                    /* in the store; 0: not recorded */
  gboolean continued;            /* it was begun earlier */
  char *notice;                  /* what the user should see, or NULL */
  gboolean finished;
  TosstStoreRun *found;   /* with finished: the run that was done earlier, so that nothing was done now; or NULL */
  TosstRunResult *result; /* with finished: whole or, when error is set, partial; may be NULL */
  TosstDataset *dataset;  /* with finished: what it ran on, if it could be opened */
  GError *error;          /* with finished: why it did not end well */
} StudioRunUpdate;

void studio_run_update_clear (StudioRunUpdate *update);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StudioRunUpdate, studio_run_update_clear)

/* All of these: main thread. wake is called there with data until studio_run_job_release(). The order is copied. */
StudioRunJob *studio_run_job_start (const StudioRunOrder *order, int threads, StudioWakeFunc wake, gpointer data);
void studio_run_job_take (StudioRunJob *self, StudioRunUpdate *update);
void studio_run_job_pause (StudioRunJob *self, gboolean pause);
void studio_run_job_cancel (StudioRunJob *self); /* returns at once */
/* Cancels, waits for the worker, lets go. */
void studio_run_job_release (StudioRunJob *self);

G_END_DECLS
