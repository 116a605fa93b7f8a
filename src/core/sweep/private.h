/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ranks/processes.h"
#include "core/run/cache.h"
#include "core/store/record.h"
#include "core/sweep/sweep.h"

/* State of a run of the plan. */
typedef enum
{
  TOSST_SWEEP_RUN_WAITING,   /* waiting for a job */
  TOSST_SWEEP_RUN_TAKEN,     /* executed by a job */
  TOSST_SWEEP_RUN_ELSEWHERE, /* executed by another program */
  TOSST_SWEEP_RUN_ENDED,     /* finished, or not to be executed */
} TosstSweepRunState;

struct TosstSweepWork;
typedef struct TosstSweepShare TosstSweepShare;

/* A thread that executes runs one after another. */
typedef struct
{
  struct TosstSweepWork *work;
  GThread *thread;
  TosstContext *context;
  TosstStore *store;
  int rank, slot, threads; /* the process that computes its runs, its number there, and its threads */
  GAsyncQueue *letters;    /* GBytes *, from that process; NULL: of this process */
  int run;                 /* current run, -1: none; this and the members below are guarded by the lock */
  int group;               /* of the last run; -1: none */
  double fraction;         /* of the current run */
  TosstStage stage;
  int split;
  double stage_fraction;
  gboolean changed; /* since the last report */

  /* For a run in another process, set by execute.c. */
  GArray *splits;    /* TosstSplitResult: earlier and finished ones */
  guint earlier;     /* number of earlier ones, which own nothing */
  GPtrArray *models; /* TosstModel * of these */
  gboolean lost;     /* the process, or one of its group, does not answer any more */
  int gone;          /* this one */
} TosstSweepJob;

/* A sweep in progress. Jobs send events to the thread of tosst_sweep_execute(), which calls the observer. */
typedef struct TosstSweepWork
{
  const TosstSweepPlan *plan;
  const TosstSweepOptions *options;
  TosstContext *context;
  const TosstSweepObserver *observer;
  TosstSweepResult *result; /* of the calling thread */
  gint64 *ids;              /* of runs in the store; constant while jobs exist, as are order and group */
  guint *order;             /* order of execution: runs with most shared results are neighbours */
  int *group;               /* per run: group of runs with the same dictionary; numbered in order */
  int *tensors;             /* the same with the same tensors */
  double *cost;             /* per run to execute */
  TosstStageCache *cache;
  TosstSweepShare *share;   /* with other processes; or NULL */
  TosstStageCounts *counts; /* of each process; by the thread that receives letters */
  int processes;
  gint64 told; /* monotonic time of the last sign of life to other processes */

  GAsyncQueue *events;
  GMutex lock; /* guards the members below, and the fields of jobs marked above */
  TosstSweepRunState *state;
  gint64 *heard;    /* per process: monotonic time of its last letter */
  gint64 pumped;    /* the same of looking for letters; both without the time in which this process was stopped */
  int *place;       /* per group with the same tensors: the process that had a run of it first; -1: none */
  gboolean watched; /* a job watches the runs of other programs */
  gboolean stop;
  int open;      /* number of jobs that have not ended */
  gboolean away; /* a process was lost */
  TosstSweepJob *jobs;
  int n_jobs;
} TosstSweepWork;

/* Event of a job. */
typedef struct
{
  enum
  {
    TOSST_EVENT_RUN,     /* the state of a run has changed */
    TOSST_EVENT_FAILURE, /* error of the store, which ends the sweep */
    TOSST_EVENT_NOTICE,
    TOSST_EVENT_LEFT, /* the job has ended */
  } kind;
  guint run;
  TosstSweepOutcome outcome;
  GError *error;
  gboolean final; /* the error replaces others */
  char *text;
} TosstSweepEvent;

/* A message between the process with the store and one that computes runs. Content may follow. */
typedef struct
{
  enum
  {
    /* To the process that computes. */
    TOSST_LETTER_START,   /* slots: number of jobs; content: bytes, 1 for each run to execute */
    TOSST_LETTER_RUN,     /* content: tosst_run_pack_start() */
    TOSST_LETTER_RELEASE, /* the run has ended, and needs no shared results any more */
    TOSST_LETTER_PAUSE,
    TOSST_LETTER_RESUME,
    TOSST_LETTER_CANCEL, /* away: a process was lost, groups exchange nothing any more */
    TOSST_LETTER_CLOSE,  /* the sweep is about to end: answered by the same */
    TOSST_LETTER_END,    /* nothing follows; away: a process was lost */
    /* From it. */
    TOSST_LETTER_STAGE,      /* stage, split, a: fraction */
    TOSST_LETTER_PROGRESS,   /* a: fraction, b: seconds left */
    TOSST_LETTER_ITERATION,  /* split; content: TosstIteration */
    TOSST_LETTER_SPLIT,      /* content: tosst_run_pack_split() */
    TOSST_LETTER_CHECKPOINT, /* split; content: the checkpoint */
    TOSST_LETTER_FINISHED,   /* content: tosst_run_pack_end() */
    TOSST_LETTER_COUNTS,     /* content: TosstStageCounts, before TOSST_LETTER_FINISHED */
    /* To both. */
    TOSST_LETTER_ALIVE,
    /* Between any: share.c. Each has a key. */
    TOSST_LETTER_ASK,    /* to process 0: who has this result? */
    TOSST_LETTER_MAKE,   /* answer: make it */
    TOSST_LETTER_WANT,   /* send it to process `run` */
    TOSST_LETTER_NONE,   /* to process 0: there is none for process `run` */
    TOSST_LETTER_RESULT, /* a: seconds that it took; content: the result */
    TOSST_LETTER_AGAIN,  /* process `run` was lost: ask again */
  } kind;
  int slot, run, split, stage, away;
  double a, b;
  char key[TOSST_STAGE_KEY]; /* of a result */
} TosstLetter;

/* Seconds between signs of life of a process, and seconds of silence after which it counts as lost; after the end was
 * asked for, milliseconds. */
#define TOSST_LETTER_EVERY 1
#define TOSST_LETTER_SILENCE 20
#define TOSST_LETTER_LAST 500
/* Looking for letters less often than this, in seconds, a process was stopped itself: the others may have been, too. */
#define TOSST_LETTER_GAP 2
/* Between looks for mail, microseconds. */
#define TOSST_LETTER_TICK 1000

/* share.c. Posts a letter; content (borrowed) may be NULL. */
void tosst_letter_post (TosstMail *mail, int rank, const TosstLetter *letter, GBytes *content);
/* FALSE if it is none. *content: new, NULL without any. */
gboolean tosst_letter_read (GBytes *message, TosstLetter *letter, GBytes **content);

/* share.c. Connects the cache to those of the other processes. */
TosstSweepShare *tosst_sweep_share_new (TosstMail *mail, TosstStageCache *cache);
void tosst_sweep_share_free (TosstSweepShare *self); /* after the last run */
/* Takes a letter of process `rank` if it is one between caches. */
gboolean tosst_sweep_share_take (TosstSweepShare *self, int rank, const TosstLetter *letter, GBytes *content);
/* A process was lost, with the results that it has; on process 0. */
void tosst_sweep_share_forget (TosstSweepShare *self, int rank);

/* order.c. Computes the order in which runs are started, and for each run of the plan the group with its dictionary and
 * that with its tensors. */
void tosst_sweep_order (const TosstSweepPlan *plan, guint *order, int *group, int *tensors);

/* Number of groups with a run to execute, which is the number of jobs that can work without waiting for each other. */
guint tosst_sweep_count_groups (const TosstSweepPlan *plan, const gboolean *pending, const int *group);

/* order.c. Cost of each run to execute, in the unit of rate (per unit of work of each stage), if the runs are
 * executed in this order and shared results are computed once; 0 for the others. */
void tosst_sweep_costs (const TosstSweepPlan *plan, const guint *order, const gboolean *pending,
                        const double rate[TOSST_N_STAGES], double *cost);

/* Images that need more memory take so long to decode that an estimate reads few of them. */
#define TOSST_SWEEP_LARGE_IMAGE ((gsize)256 << 20)
/* An estimate leaves out images that need still more: it is made while a user looks at them. */
#define TOSST_SWEEP_IMAGE_BYTES ((gsize)360 << 20)
/* estimate.c. Sets memory and disk space of the largest of these runs, and the number of jobs, of those wanted, that fit
 * into the memory of their processes. FALSE with TOSST_FAILED_CANCELLED. */
gboolean tosst_sweep_fit (const TosstSweepPlan *plan, const gboolean *pending, const TosstSweepOptions *options,
                          TosstContext *context, int wanted, TosstSweepEstimate *out, GError **error);
/* Number of processes, or of groups of them, that compute runs; processes of a group. */
int tosst_sweep_together (const TosstSweepOptions *options);
int tosst_sweep_ranks (const TosstSweepOptions *options);

/* Reads the status of a run from the store. */
gboolean tosst_sweep_outcome_read (TosstStore *store, gint64 id, TosstSweepOutcome *outcome, GError **error);
void tosst_sweep_outcome_from_list (const TosstStoreRun *run, TosstSweepOutcome *outcome);
