/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"
#include "core/run/run.h"
#include "core/store/store.h"

G_BEGIN_DECLS

/* Many runs of one recipe: what varies (TosstSweep, which can be edited), the runs that follow from it (TosstSweepPlan,
 * which does not change), and doing them (tosst_sweep_execute()), recorded in a store. */

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
  char *text;
  char **values;    /* each as a recipe writes it, no two the same; NULL for a range without N */
  double low, high; /* of that range */
  gboolean logarithmic;
  gatomicrefcount references;
} TosstSweepAxis;

TosstSweepAxis *tosst_sweep_axis_new (const char *name, const char *text, GError **error); /* name: group.key */
TosstSweepAxis *tosst_sweep_axis_ref (TosstSweepAxis *self);
void tosst_sweep_axis_unref (TosstSweepAxis *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweepAxis, tosst_sweep_axis_unref)
char *tosst_sweep_axis_name (const TosstSweepAxis *self); /* group.key, new */

typedef enum
{
  TOSST_SWEEP_GRID,   /* every combination of values */
  TOSST_SWEEP_RANDOM, /* combinations drawn at random; more of them begin with the same ones */
} TosstSweepMethod;

typedef struct
{
  TosstRecipe *base; /* values of what does not vary */
  GPtrArray *axes;   /* TosstSweepAxis *, the last one varies fastest */
  TosstSweepMethod method;
  int runs;     /* that random search draws */
  guint64 seed; /* of random search */
} TosstSweep;

TosstSweep *tosst_sweep_new (const TosstRecipe *base); /* without axes: one run */
/* A recipe file with a group [sweep]: lines group.key=VALUES as above, and method=grid|random, runs=N, seed=N. Errors
 * name the line. */
TosstSweep *tosst_sweep_load (GFile *file, GError **error);
TosstSweep *tosst_sweep_parse (const char *text, const char *name, GError **error);
TosstSweep *tosst_sweep_copy (const TosstSweep *self);
void tosst_sweep_free (TosstSweep *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweep, tosst_sweep_free)
char *tosst_sweep_to_text (const TosstSweep *self); /* of which tosst_sweep_parse() makes the same one; new */

/* "tosst sweep --set a.b=c --set sweep.a.b=v1;v2 ...", quoted for a shell; new. */
char *tosst_sweep_command (const TosstSweep *self);

/* One value of the base; the parameter varies no longer. */
gboolean tosst_sweep_set (TosstSweep *self, const char *name, const char *text, GError **error);
/* Whether it makes sense by itself, before any data set is opened: a grid has values for every axis, and not too many
 * combinations. */
gboolean tosst_sweep_check (const TosstSweep *self, GError **error);
/* What a line key=text of [sweep] says. */
gboolean tosst_sweep_set_line (TosstSweep *self, const char *key, const char *text, GError **error);
/* An axis, in the place of the one that the parameter had; NULL: it has none from now on. */
gboolean tosst_sweep_set_axis (TosstSweep *self, const char *name, const char *text, GError **error);

typedef struct
{
  TosstRecipe *recipe;
  TosstDataset *dataset; /* NULL where it could not be opened */
  char *title;           /* what varies: "dictionary.atoms=20 coding.lambda=0.01" */
  char *hash;            /* tosst_run_hash() */
  char *problem;         /* why it cannot be done, one sentence; else NULL */
} TosstSweepRun;

/* Immutable; may be read from any thread. */
typedef struct
{
  GPtrArray *runs;    /* TosstSweepRun *, no two of the same hash */
  GPtrArray *varying; /* const TosstParameter *: those that do not have the same value in all runs */
  guint points;       /* combinations; those that lead to the same run are one */
  char *text;         /* of the sweep */
} TosstSweepPlan;

/* Most combinations of a plan. */
#define TOSST_SWEEP_MAX_RUNS 100000

/* Opens every data set that the runs need. A run that cannot be done has a problem; when none can, or when the sweep
 * makes no sense, that is the error. */
TosstSweepPlan *tosst_sweep_plan_new (const TosstSweep *sweep, GError **error);
/* Of this one run, of a data set that is open: to look for it and to reckon it as those of a sweep. */
TosstSweepPlan *tosst_sweep_plan_new_run (const TosstRecipe *recipe, TosstDataset *dataset);
void tosst_sweep_plan_free (TosstSweepPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweepPlan, tosst_sweep_plan_free)
const TosstSweepRun *tosst_sweep_plan_run (const TosstSweepPlan *self, guint run);

/* What is known of a run of the plan. */
typedef struct
{
  gint64 id; /* in the store */
  TosstRunState state;
  char *reason;
  double accuracy, deviation; /* percent; NAN */
  double objective;           /* mean of what the splits ended with; NAN until the run has ended */
  double seconds;             /* NAN: not known */
  double shared;              /* seconds that other runs took for what this one has from them */
  int splits, splits_done;
  gboolean earlier; /* was done before tosst_sweep_execute() was called */
  gboolean starred; /* has the tag TOSST_STORE_STAR */
} TosstSweepOutcome;

typedef struct
{
  gint64 sweep; /* in the store */
  guint runs;
  TosstSweepOutcome *outcome; /* of each run of the plan */
  gsize count[TOSST_N_RUN_STATES];
  double seconds;
} TosstSweepResult;

void tosst_sweep_result_free (TosstSweepResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSweepResult, tosst_sweep_result_free)

/* Every function may be NULL, and is called on the thread of tosst_sweep_execute(). What they are given is valid during
 * the call only. */
typedef struct
{
  /* Once for every run before the first begins, and then whenever its state changes. */
  void (*run) (guint run, const TosstSweepOutcome *outcome, gpointer data);
  void (*stage) (guint run, TosstStage stage, int split, double fraction, gpointer data);
  void (*progress) (double fraction, double seconds_left, gpointer data); /* of the sweep; seconds_left < 0: unknown */
  void (*notice) (const char *sentence, gpointer data);                   /* what the user should know */
  gpointer data;
} TosstSweepObserver;

typedef struct
{
  GFile *workspace;      /* the store of runs; made when it is not there */
  const char *title;     /* of the sweep, or NULL */
  int jobs;              /* runs at once, at least 1; each has its part of the context's threads, at least one. Fewer
                          * where fewer fit into memory, or runs have so much in common that more would wait */
  gboolean retry_failed; /* do runs again that failed earlier */
  double checkpoint;     /* seconds between checkpoints of learning; 0: none */
} TosstSweepOptions;

#define TOSST_SWEEP_CHECKPOINT 30 /* s */

/* What a sweep will take. */
typedef struct
{
  guint runs, done, failed; /* in all; in the store */
  guint problems;           /* that cannot be done */
  guint groups;             /* of what is to be done: as many jobs as are of use */
  double seconds;           /* of what is to be done; NAN: not known */
  gboolean measured;        /* with rates measured now, not those of earlier runs */
  gsize bytes, available;   /* at most, of one run; of the machine, now */
  int jobs;                 /* that are of use and fit, at most as many as asked for */
} TosstSweepEstimate;

/* Looks what the store has, without changing it, and reckons the rest: by the rates of earlier runs in the store on this
 * machine and data, or where there are none by a sample of the work, which takes a second or two. FALSE with
 * TOSST_FAILED_CANCELLED or what the store met. */
gboolean tosst_sweep_estimate (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                               TosstSweepEstimate *estimate, GError **error);

/* What a store has of each run of the plan, without changing it: as tosst_sweep_execute() would find it. A run that it
 * does not have is queued, with id 0, or failed if it has a problem. sweep is 0 where there is none of this text. */
gboolean tosst_sweep_read_status (const TosstSweepPlan *plan, GFile *workspace, TosstSweepResult **result,
                                  GError **error);

/* Does what is not done yet, and blocks until then. A run that was done by whomever (tosst_store_find()) is not done
 * again, one that was interrupted goes on where its last checkpoint was. A run that fails is recorded with its reason,
 * and the others go on. context gives the number of threads and is what the caller pauses and cancels; results do not
 * depend on threads or jobs. *result is set whenever runs were begun; FALSE with TOSST_FAILED_CANCELLED after
 * tosst_context_cancel(), or with the error that the store met. */
gboolean tosst_sweep_execute (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                              const TosstSweepObserver *observer, TosstSweepResult **result, GError **error);

G_END_DECLS
