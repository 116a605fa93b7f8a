/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"
#include "core/run/hash.h"
#include "core/run/run.h"
#include "core/store/store.h"

/* Sweeps: parameter values to vary (TosstSweep, mutable), the resulting runs (TosstSweepPlan, immutable), and their
 * execution (tosst_sweep_execute()), recorded in a store. */

/* The values of one parameter. As text, one of
 *     v1;v2;...          these values (\; is a semicolon that belongs to one)
 *     lin:FROM:TO:N      N values, evenly spaced, ends included
 *     log:FROM:TO:N      the same in logarithms
 *     lin:FROM:TO, log:FROM:TO   any value between, ends included; random search only
 * Numbers between the ends are rounded to six digits, of parameters that are whole numbers to whole ones.
 *
 * Does not change: sweeps and their copies share it. */
typedef struct
{
  const TosstParameter *parameter;
  GPtrArray *tied; /* const TosstParameter *: others that have the same value; NULL: none */
  char *text;
  char **values;    /* each as a recipe writes it, no two the same; NULL for a range without N */
  double low, high; /* of that range */
  gboolean logarithmic;
} TosstSweepAxis;

/* name: group.key, or several joined by +, which have the same value: "dictionary.lambda+coding.lambda" */
TosstSweepAxis *tosst_sweep_axis_new (const char *name, const char *text, GError **error);
TosstSweepAxis *tosst_sweep_axis_ref (TosstSweepAxis *self);
void tosst_sweep_axis_unref (TosstSweepAxis *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweepAxis, tosst_sweep_axis_unref)
char *tosst_sweep_axis_name (const TosstSweepAxis *self); /* as in tosst_sweep_axis_new(), new */

typedef enum
{
  TOSST_SWEEP_GRID,   /* every combination of values */
  TOSST_SWEEP_RANDOM, /* random combinations; a larger number extends the same sequence */
} TosstSweepMethod;

typedef struct
{
  TosstRecipe *base; /* values of fixed parameters */
  GPtrArray *axes;   /* TosstSweepAxis *, the last one varies fastest */
  TosstSweepMethod method;
  int runs;     /* number of runs of random search */
  guint64 seed; /* of random search */
  /* Whether dataset.within was set, to 0 or not: the runs are scored by the images that it tells. */
  gboolean divided;
} TosstSweep;

TosstSweep *tosst_sweep_new (const TosstRecipe *base); /* without axes: one run */
/* A recipe file with a group [sweep]: lines group.key=VALUES as above, and method=grid|random, runs=N, seed=N. Errors
 * name the line. */
TosstSweep *tosst_sweep_load (GFile *file, GError **error);
TosstSweep *tosst_sweep_parse (const char *text, const char *name, GError **error);
TosstSweep *tosst_sweep_copy (const TosstSweep *self);
void tosst_sweep_free (TosstSweep *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweep, tosst_sweep_free)
char *tosst_sweep_to_text (const TosstSweep *self); /* for tosst_sweep_parse(), new */

/* "tosst sweep --set a.b=c --set sweep.a.b=v1;v2 ...", quoted for a shell; new. */
char *tosst_sweep_command (const TosstSweep *self);

/* Sets one value of the base and removes the parameter's axis. */
gboolean tosst_sweep_set (TosstSweep *self, const char *name, const char *text, GError **error);
/* Checks the sweep without opening a data set: values for every axis of a grid, number of combinations. */
gboolean tosst_sweep_check (const TosstSweep *self, GError **error);
/* Applies a line key=text of [sweep]. */
gboolean tosst_sweep_set_line (TosstSweep *self, const char *key, const char *text, GError **error);
/* Replaces the axis of a parameter; text NULL: removes it. */
gboolean tosst_sweep_set_axis (TosstSweep *self, const char *name, const char *text, GError **error);

typedef struct
{
  TosstRecipe *recipe;
  TosstDataset *dataset; /* NULL if it could not be opened */
  char *title;           /* varying values: "dictionary.atoms=20 coding.lambda=0.01" */
  char *hash;            /* tosst_run_hash() */
  char *problem;         /* why it cannot be executed, one sentence; or NULL */
} TosstSweepRun;

/* Immutable; may be read from any thread. */
typedef struct
{
  GPtrArray *runs;    /* TosstSweepRun *, no two of the same hash */
  GPtrArray *varying; /* const TosstParameter *: first parameters of the axes with different values among the runs */
  GPtrArray *axes;    /* TosstSweepAxis *: the axis of each of these */
  guint points;       /* combinations; those with the same run count once */
  char *text;         /* of the sweep */
  char *idle;         /* an axis that has no influence on any run, one sentence; or NULL */
} TosstSweepPlan;

/* Largest number of combinations of a plan. */
#define TOSST_SWEEP_MAX_RUNS 100000

/* Makes the plan of a sweep; opens every data set that the runs need. A run that cannot be executed has a problem.
 * Returns a new plan, or NULL with error if the sweep is invalid or no run can be executed. */
TosstSweepPlan *tosst_sweep_plan_new (const TosstSweep *sweep, GError **error);
/* The same of a sweep that chooses values: where it does not set dataset.within and varies more than the data set, its
 * runs are scored by validation images (dataset.within=1), or by tests if no run can leave images out. */
TosstSweepPlan *tosst_sweep_plan_new_choosing (const TosstSweep *sweep, GError **error);
/* A plan of a single run on an open data set, for its status and its estimate. New. */
TosstSweepPlan *tosst_sweep_plan_new_run (const TosstRecipe *recipe, TosstDataset *dataset);
/* Titles its only run, instead of by varying values. */
void tosst_sweep_plan_set_title (TosstSweepPlan *self, const char *title);
void tosst_sweep_plan_free (TosstSweepPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweepPlan, tosst_sweep_plan_free)
const TosstSweepRun *tosst_sweep_plan_run (const TosstSweepPlan *self, guint run);

/* Status of a run of the plan. */
typedef struct
{
  gint64 id; /* in the store */
  TosstRunState state;
  char *reason;
  double accuracy, deviation;           /* percent, of the score of its recipe; NAN */
  double objective, residual, nonzeros; /* means over splits; NAN until the run has ended */
  double seconds;                       /* NAN: not known */
  double shared;                        /* seconds saved by results from the cache */
  int splits, splits_done;
  gboolean earlier; /* finished before tosst_sweep_execute() was called */
  gboolean starred; /* has the tag TOSST_STORE_STAR */
} TosstSweepOutcome;

typedef struct
{
  gint64 sweep; /* in the store */
  guint runs;
  TosstSweepOutcome *outcome; /* of each run of the plan */
  gsize count[TOSST_N_RUN_STATES];
  double seconds;
  gboolean away; /* another process was lost; the others have done its runs */
  /* By part, of results that several runs need: computed by a run, and sent to another process. */
  gsize made[TOSST_N_RUN_PARTS], received[TOSST_N_RUN_PARTS];
} TosstSweepResult;

void tosst_sweep_result_free (TosstSweepResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweepResult, tosst_sweep_result_free)

/* Progress of a sweep. Every function may be NULL and is called on the thread of tosst_sweep_execute(). Arguments are
 * valid during the call only. */
typedef struct
{
  /* Called once for every run before the first one starts, and then whenever its state changes. */
  void (*run) (guint run, const TosstSweepOutcome *outcome, gpointer data);
  void (*stage) (guint run, TosstStage stage, int split, double fraction, gpointer data);
  void (*progress) (double fraction, double seconds_left, gpointer data); /* of the sweep; seconds_left < 0: unknown */
  void (*notice) (const char *sentence, gpointer data);                   /* a sentence for the user */
  gpointer data;
} TosstSweepObserver;

typedef struct
{
  GFile *workspace;  /* the store of runs; created if missing */
  const char *title; /* of the sweep, or NULL */
  /* Parallel runs, at least 1; each has its share of the context's threads, at least one. Reduced if fewer fit into
   * memory, or if more would wait for shared results. */
  int jobs;
  gboolean retry_failed;         /* repeat failed runs */
  double checkpoint;             /* seconds between checkpoints of learning; 0: none */
  struct TosstStageCache *cache; /* of results that other sweeps share, too; or NULL: of this sweep only */
  /* To the other processes of a launcher, whose process 0 this is: each executes `jobs` runs at a time, by
   * tosst_sweep_serve(). NULL: a process alone. Then the thread of tosst_sweep_execute() is the one that joined. */
  struct TosstMail *mail;
  /* Processes with neighbouring numbers that execute a run together, which divides those of the launcher; 0 or 1: each by
   * itself. With more: `ranks` of the ones of this process, and what ends their exchange when one of them is lost; jobs is
   * 1. */
  int together;
  TosstRanks *ranks;
  int *given_up;
} TosstSweepOptions;

/* A cache for several sweeps, of the share of the available memory that a sweep of one of so many processes on this machine
 * takes. New. */
struct TosstStageCache *tosst_sweep_cache_new (int processes);

#define TOSST_SWEEP_CHECKPOINT 30 /* s */

/* Estimate of time, memory and disk space of a sweep. */
typedef struct
{
  guint runs, done, failed; /* number of runs; finished and failed in the store */
  guint problems;           /* runs that cannot be executed */
  guint groups;             /* of the runs to execute: the largest useful number of jobs */
  double seconds;           /* from the first run to the end of the last one, with `jobs`; NAN: unknown */
  gboolean measured;        /* with rates measured now, not those of earlier runs */
  gsize bytes, available;   /* maximum of one run; available on the machine now */
  guint64 disk, free_disk;  /* maximum of one run, beside its results; free where the store is now */
  int jobs;                 /* useful number of jobs that fit into memory, at most the requested number */
} TosstSweepEstimate;

/* Estimates the runs that the store does not have yet, without changing the store: by the rates of earlier runs on this
 * machine and data or, without any, by running the first one on a few images. workspace NULL: without a store. FALSE with
 * TOSST_FAILED_CANCELLED or the error of the store. */
gboolean tosst_sweep_estimate (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                               TosstSweepEstimate *estimate, GError **error);

/* Runs a recipe on about `wanted` images, evenly spread over the classes, of which half train: what a run will give,
 * roughly and soon. Returns a new result with *images, new, which are those of the data set that its images stand for;
 * NULL with error, or without one if there are too few images, or they have several labels. */
TosstRunResult *tosst_sweep_first_look (const TosstRecipe *recipe, TosstDataset *dataset, guint wanted,
                                        TosstContext *context, const TosstRunObserver *observer, GArray **images,
                                        GError **error);

/* Reads the status of each run of the plan from a store, without changing it. A run that is not in the store is queued,
 * with id 0, or failed if it has a problem. The result's sweep is 0 if the store has none with this text. context: to
 * cancel reading; may be NULL. *result: new. */
gboolean tosst_sweep_read_status (const TosstSweepPlan *plan, GFile *workspace, TosstContext *context,
                                  TosstSweepResult **result, GError **error);

/* Executes the unfinished runs of a plan. Blocks. Runs that the store has already (tosst_store_find()) are not
 * repeated; interrupted ones are resumed from their last checkpoint. A failed run is recorded with its reason and does
 * not stop the others. context has the number of threads and is used to pause and cancel; results do not depend on the
 * number of jobs. *result (new) is set whenever runs were begun. FALSE with TOSST_FAILED_CANCELLED after
 * tosst_context_cancel(), or with the error of the store. */
gboolean tosst_sweep_execute (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                              const TosstSweepObserver *observer, TosstSweepResult **result, GError **error);

/* Computes runs of the same plan for the process 0, which executes it and records them, until that ends. Blocks. Cancelling
 * the context ends the sweep. FALSE with error: process 0 does not answer any more, TOSST_FAILED_CANCELLED and *alone, or
 * memory is short. *away: other processes were lost. */
gboolean tosst_sweep_serve (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                            gboolean *away, gboolean *alone, GError **error);
