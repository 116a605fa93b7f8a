/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/model.h"
#include "core/run/cache.h"
#include "studio/atoms/atom-set.h"
#include "studio/runs/sweep-plan.h"
#include "studio/tasks/worker.h"

/* The part of a run or sweep that lives on both threads: plain data behind a lock, no GObject whose last reference the
 * worker could drop.
 *
 *   main thread                          worker
 *   start(): thread begins      ----->   executes the order, observers write the newest state under the lock
 *   notify() once per frame       <-----   requests a notification unless one is pending
 *   take(): moves the state out
 *   release(): cancels, joins   ----->   ends
 */
typedef struct StudioJob StudioJob;

/* How to treat a run that is already in the store. */
typedef enum
{
  STUDIO_RUN_UNLESS_DONE, /* finished work is reused; a stopped run is resumed */
  STUDIO_RUN_AGAIN,       /* start over */
  STUDIO_RUN_OPEN,        /* read the results in the store without computing */
} StudioRunWish;

/* A single run, or with a plan the runs of a sweep that are not done. */
typedef struct
{
  GFile *store;           /* store of runs that records it; NULL: not recorded */
  double checkpoint;      /* seconds between checkpoints of learning */
  TosstStageCache *cache; /* keeps the results of a run for the next; borrowed; NULL: none */

  const TosstRecipe *recipe;
  TosstDataset *dataset; /* NULL: opened by the worker */
  StudioRunWish wish;
  gint64 run; /* id in the store of the run to open or resume; 0: the latest of the same recipe and data */
  guint look; /* images of the first look that precedes a new run; 0: none */

  StudioSweepPlan *plan; /* NULL: a single run */
  const char *title;
  int jobs;
  gboolean retry_failed;
} StudioOrder;

#define STUDIO_FIRST_LOOK (-1)

typedef struct
{
  int split; /* STUDIO_FIRST_LOOK: before the run */
  TosstIteration iteration;
} StudioIteration;

typedef struct
{
  int split;
  double accuracy, mean_nonzeros, worst_kkt, objective;
} StudioSplit;

/* New status of a run of the plan. */
typedef struct
{
  guint run;
  TosstSweepOutcome outcome; /* reason: owned by the array */
} StudioSweepNews;

/* How far an order is. */
typedef struct
{
  int number; /* run of the plan with the latest stage; -1: none yet */
  TosstStage stage;
  int stage_split;
  double fraction, seconds_left; /* of the whole order; seconds_left < 0: unknown */
  gboolean finished;

  /* A single run has these. */
  gboolean looking;   /* a first look is under way */
  gint64 run;         /* id in the store; 0: not recorded */
  gboolean continued; /* resumed from an earlier run */
  gboolean found;     /* the run was done before, and its results are read from the store */
} StudioStatus;

/* The status, and changes since the last take(). Owned by the caller of take(), which clears it. */
typedef struct
{
  StudioStatus status;
  char *notice;  /* message to the user, or NULL */
  GError *error; /* with finished: the reason of a failure */

  GArray *news; /* of a sweep: StudioSweepNews, oldest first, or NULL */

  /* A single run has these. */
  char *look;              /* one sentence on what it gave, or NULL if unchanged */
  GArray *iterations;      /* of StudioIteration, or NULL */
  GArray *splits;          /* of StudioSplit, or NULL */
  StudioAtoms *atoms;      /* newest, or NULL if unchanged */
  StudioAtomSet *learned;  /* dictionary of the first split, or NULL if unchanged */
  GPtrArray *dictionaries; /* of TosstDictionary: those of further splits, from the second one on, or NULL */
  TosstModel *model;       /* of the first split, or NULL if unchanged */
  TosstRunResult *result;  /* with finished: complete or, when error is set, partial; may be NULL */
  TosstDataset *dataset;   /* with finished: the data set, if it could be opened */
} StudioJobUpdate;

void studio_job_update_clear (StudioJobUpdate *update);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StudioJobUpdate, studio_job_update_clear)

/* All of these: main thread. notify is called there with data until studio_job_release(). The order is copied. */
StudioJob *studio_job_start (const StudioOrder *order, int threads, StudioNotifyFunc notify, gpointer data);
void studio_job_take (StudioJob *self, StudioJobUpdate *update);
void studio_job_pause (StudioJob *self, gboolean pause);
void studio_job_cancel (StudioJob *self); /* returns at once */
/* Cancels, waits for the worker and drops the reference. */
void studio_job_release (StudioJob *self);
