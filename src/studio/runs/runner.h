/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/sweep-planner.h"

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
} StudioOutcome;

/* Executes runs and sweeps in the background, one order at a time, and holds the results of the current or last single
 * run. Its tensors, dictionaries and signatures are kept for the next one, until a sweep starts. Main thread. Property
 * state (StudioRunnerState). Signals of a single run: "started", "progress", "iterations", "atoms", "learned", "model",
 * "split", "finished"; each announces new values of the members, which other files only read. "recorded": the run is in the store, or will not be
 * recorded. "notice" (const char *sentence): message to the user. A sweep in progress emits its own signals
 * (sweep-planner.h). Late news of earlier orders are dropped. */
#define STUDIO_TYPE_RUNNER (studio_runner_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunner, studio_runner, STUDIO, RUNNER, GObject)

struct _StudioRunner
{
  GObject parent_instance;
  StudioRunnerState state;
  StudioOutcome outcome;
  guint id;                  /* of the run in this program; 0 before the first one */
  StudioJob *job;            /* NULL when idle */
  TosstStageCache *cache;    /* results of the last run; NULL before the first */
  StudioSweepPlanner *sweep; /* executed by the job; NULL: a single run */
  gint64 run;                /* id in the store; 0: not recorded, or not yet */
  gboolean continued;        /* resumed from an earlier run */
  gboolean opened;           /* the run is only read from the store */
  TosstRecipe *recipe;       /* of the current or last run; NULL before the first */

  StudioStatus status;     /* of the job; where there is none, as it ended */
  char *look;              /* what the first look gave; NULL: none */
  GArray *first;           /* of TosstIteration, of the first look */
  GPtrArray *iterations;   /* of GArray of TosstIteration, by split */
  int last_split;          /* -1 before the first iteration */
  GArray *splits;          /* of StudioSplit, finished splits */
  StudioAtoms *atoms;      /* newest, or NULL */
  StudioAtomSet *learned;  /* the first split's dictionary, or NULL */
  GPtrArray *dictionaries; /* of TosstDictionary, of the splits after the first */
  TosstModel *model;       /* the first split's, or NULL */
  TosstRunResult *result;  /* after the end, possibly of fewer splits; else NULL */
  TosstDataset *dataset;   /* after the end; else NULL */
  char *problem;           /* of a failed run, else NULL */
};

/* Both must be idle. */
void studio_runner_begin (StudioRunner *self, const StudioOrder *order); /* a single run */
/* The runs of the planned sweep that are not done. */
void studio_runner_begin_sweep (StudioRunner *self, StudioSweepPlanner *sweep, gboolean retry_failed,
                                double checkpoint);
void studio_runner_pause (StudioRunner *self, gboolean pause);
void studio_runner_stop (StudioRunner *self);

gboolean studio_runner_is_busy (StudioRunner *self);     /* with a single run */
gsize studio_runner_get_kept_bytes (StudioRunner *self); /* memory of results kept for the next run */

/* Translated, new: "Learning the dictionary"; of a sweep: "Run 3: Learning the dictionary". */
char *studio_runner_get_stage (StudioRunner *self);
char *studio_runner_get_brief_stage (StudioRunner *self); /* in one word: "Learning"; new */
int studio_runner_get_current_split (StudioRunner *self); /* under way; -1 while tensors are computed */

/* An array of TosstIteration; NULL if none. STUDIO_FIRST_LOOK: those of the first look. */
const GArray *studio_runner_get_iterations (StudioRunner *self, int split);
/* The number of splits, from the first one on, whose dictionaries are known; and that of one after the first. */
int studio_runner_get_n_dictionaries (StudioRunner *self);
const TosstDictionary *studio_runner_get_dictionary (StudioRunner *self, int split);
