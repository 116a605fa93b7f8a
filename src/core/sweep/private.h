/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/cache.h"
#include "core/store/record.h"
#include "core/store/resume.h"
#include "core/sweep/sweep.h"

G_BEGIN_DECLS

/* axis.c. The number at part in [0, 1] of a range, and its text. */
double tosst_sweep_axis_between (const TosstSweepAxis *self, double part);
char *tosst_sweep_axis_number (const TosstSweepAxis *self, double value);

/* State of a run of the plan. */
typedef enum
{
  TOSST_SWEEP_RUN_WAITING,   /* for a job */
  TOSST_SWEEP_RUN_TAKEN,     /* by a job */
  TOSST_SWEEP_RUN_ELSEWHERE, /* another program runs it */
  TOSST_SWEEP_RUN_ENDED,     /* or not to be executed */
} TosstSweepRunState;

struct TosstSweepWork;

/* A thread that executes one run after the other. */
typedef struct
{
  struct TosstSweepWork *work;
  GThread *thread;
  TosstContext *context;
  TosstStore *store;
  int run;         /* current run, -1: none; this and the members below under the lock */
  int group;       /* of the last run; -1: there was none */
  double fraction; /* of it */
  TosstStage stage;
  int split;
  double stage_fraction;
  gboolean changed; /* since the last report */
} TosstSweepJob;

/* A sweep in progress. Jobs send events to the thread of tosst_sweep_execute(), which calls the observer. */
typedef struct TosstSweepWork
{
  const TosstSweepPlan *plan;
  const TosstSweepOptions *options;
  TosstContext *context;
  const TosstSweepObserver *observer;
  TosstSweepResult *result; /* of the calling thread */
  gint64 *ids;              /* of runs, in the store; constant while jobs exist, as are order and group */
  guint *order;             /* of execution: runs that share most results follow each other */
  int *group;               /* of a run: runs with the same dictionary; numbered in order */
  double *cost;             /* of a run to execute */
  TosstStageCache *cache;

  GAsyncQueue *events;
  GMutex lock; /* guards the members below, and the fields of jobs marked above */
  TosstSweepRunState *state;
  gboolean watched; /* a job watches the runs of other programs */
  gboolean stop;
  int open; /* jobs that have not ended */
  TosstSweepJob *jobs;
  int n_jobs;
} TosstSweepWork;

/* Event of a job. */
typedef struct
{
  enum
  {
    TOSST_EVENT_RUN,     /* the state of a run */
    TOSST_EVENT_TROUBLE, /* the store failed: the sweep ends */
    TOSST_EVENT_NOTICE,
    TOSST_EVENT_LEFT, /* the job has ended */
  } kind;
  guint run;
  TosstSweepOutcome outcome;
  GError *error;
  gboolean final; /* the error replaces others */
  char *text;
} TosstSweepEvent;

/* order.c. Fills in, for each run of the plan: the order in which runs are begun, and the group of each. */
void tosst_sweep_order (const TosstSweepPlan *plan, guint *order, int *group);

/* Number of groups with a run to execute: so many jobs can work without waiting for each other. */
guint tosst_sweep_count_groups (const TosstSweepPlan *plan, const gboolean *begins, const int *group);

/* cost.c. Cost of each run with begins, in the unit of rate (of each stage, for a unit of work), if the runs are
 * executed in this order and shared results are computed once; 0 for the others. */
void tosst_sweep_costs (const TosstSweepPlan *plan, const guint *order, const gboolean *begins,
                        const double rate[TOSST_N_STAGES], double *cost);
/* Work of a run by stage, splits included, as if nothing were shared. */
void tosst_sweep_work (const TosstRecipe *recipe, TosstDataset *dataset, double work[TOSST_N_STAGES]);

/* rates.c. Seconds for a unit of work; TRUE if they were measured now. NAN where they are not known. FALSE with error.
 * store: NULL where there is none. */
gboolean tosst_sweep_rates (const TosstSweepPlan *plan, const gboolean *begins, TosstStore *store,
                            TosstContext *context, double rate[TOSST_N_STAGES], gboolean *measured, GError **error);

/* estimate.c. The largest of these runs, and how many of the jobs fit. */
void tosst_sweep_fit (const TosstSweepPlan *plan, const gboolean *begins, int threads, int wanted, gsize *bytes,
                      gsize *available, int *jobs);

/* job.c. The body of a thread; data: TosstSweepJob *. */
gpointer tosst_sweep_job_main (gpointer data);
/* Reads the status of a run from the store. */
gboolean tosst_sweep_outcome_read (TosstStore *store, gint64 id, TosstSweepOutcome *outcome, GError **error);
gboolean tosst_sweep_outcome_from_list (TosstStore *store, const TosstStoreRun *run, TosstSweepOutcome *outcome,
                                        GError **error);

G_END_DECLS
