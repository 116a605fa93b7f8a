/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"
#include "core/store/store.h"
#include "studio/atoms/atom-set.h"
#include "studio/atoms/atom-snapshot.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* The part of a run that lives on both threads: plain data behind a lock, no GObject whose last reference the worker
 * could drop.
 *
 *   main thread                          worker
 *   start(): thread begins      ----->   tosst_run_execute(), observer writes the newest state under the lock
 *   wake() at most every 16 ms  <-----   requests a wake-up unless one is pending
 *   take(): moves the state out
 *   release(): cancels, joins   ----->   ends
 */
typedef struct StudioRunJob StudioRunJob;

/* How to treat a run that is already in the store. */
typedef enum
{
  STUDIO_RUN_UNLESS_DONE, /* finished work is reused; a stopped run is resumed */
  STUDIO_RUN_AGAIN,       /* start over */
  STUDIO_RUN_OPEN,        /* read the results in the store without computing */
} StudioRunWish;

typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset; /* NULL: opened by the worker */
  GFile *store;          /* store of runs that records it; NULL: not recorded */
  StudioRunWish wish;
  gint64 run;        /* id in the store of the run to open or resume; 0: the latest of the same recipe and data */
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

/* Changes since the last take(). Owned by the caller of take(), which clears it. */
typedef struct
{
  TosstStage stage;
  int stage_split;
  double fraction, seconds_left; /* of the whole run; seconds_left < 0: unknown */
  GArray *iterations;            /* of StudioIteration, or NULL */
  GArray *splits;                /* of StudioSplit, or NULL */
  StudioAtoms *atoms;            /* newest, or NULL if unchanged */
  StudioAtomSet *learned;        /* dictionary of the first split, or NULL if unchanged */
  gint64 run;                    /* id in the store; 0: not recorded */
  gboolean continued;            /* resumed from an earlier run */
  char *notice;                  /* message to the user, or NULL */
  gboolean finished;
  TosstStoreRun *found;   /* with finished: the earlier run that was reused instead of computing; or NULL */
  TosstRunResult *result; /* with finished: complete or, when error is set, partial; may be NULL */
  TosstDataset *dataset;  /* with finished: the data set, if it could be opened */
  GError *error;          /* with finished: the reason of a failure */
} StudioRunUpdate;

void studio_run_update_clear (StudioRunUpdate *update);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StudioRunUpdate, studio_run_update_clear)

/* All of these: main thread. wake is called there with data until studio_run_job_release(). The order is copied. */
StudioRunJob *studio_run_job_start (const StudioRunOrder *order, int threads, StudioWakeFunc wake, gpointer data);
void studio_run_job_take (StudioRunJob *self, StudioRunUpdate *update);
void studio_run_job_pause (StudioRunJob *self, gboolean pause);
void studio_run_job_cancel (StudioRunJob *self); /* returns at once */
/* Cancels, waits for the worker and drops the reference. */
void studio_run_job_release (StudioRunJob *self);

G_END_DECLS
