/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/recipe/recipe.h"
#include "core/run/run.h"

G_BEGIN_DECLS

/* The runs of a workspace: one SQLite database, with everything that is known of each run. Any number of programs may
 * read while one writes; who must wait for another waits at most TOSST_STORE_BUSY_TIMEOUT and then fails. A store belongs
 * to one thread at a time; open another one for another thread. Times are seconds since 1970 UTC, splits count from 0,
 * and a number that does not exist is NAN. */
typedef struct TosstStore TosstStore;

#define TOSST_STORE_BUSY_TIMEOUT 5 /* s */

typedef enum
{
  TOSST_RUN_QUEUED,
  TOSST_RUN_RUNNING,
  TOSST_RUN_DONE,
  TOSST_RUN_FAILED,  /* reason says why */
  TOSST_RUN_STOPPED, /* by the user, or because its program ended; splits that were finished are there */
  TOSST_N_RUN_STATES,
} TosstRunState;

const char *tosst_run_state_name (TosstRunState state);  /* as in the database: "running" */
const char *tosst_run_state_label (TosstRunState state); /* translated */

typedef enum
{
  TOSST_STORE_READ,  /* must be there; where the folder allows no more, a store is read without touching anything */
  TOSST_STORE_WRITE, /* made when it is not there; brought to the current schema */
} TosstStoreMode;

/* Opens a store. A damaged one is TOSST_FAILED_DAMAGED with TOSST_STORE_READ; with TOSST_STORE_WRITE it is salvaged
 * first, and tosst_store_notice() says so. Runs of programs that ended in the middle are stopped from then on. What is
 * not a store, is newer than this program or cannot be read or made is TOSST_FAILED_INPUT or TOSST_FAILED_OUTPUT, and
 * stays as it is. */
TosstStore *tosst_store_open (GFile *file, TosstStoreMode mode, GError **error);
void tosst_store_free (TosstStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstStore, tosst_store_free)

const char *tosst_store_notice (TosstStore *store); /* one sentence that the user should see, or NULL */

/* Whether the file that is open was deleted, or another one has its name. */
gboolean tosst_store_has_moved (TosstStore *self);
/* FALSE if it was: then what is open is copied to a new file beside the store's place, as tosst_atomic_elsewhere() names
 * it, and the error says so. */
gboolean tosst_store_keep (TosstStore *self, GError **error);

/* Reads every page: TOSST_FAILED_DAMAGED if one makes no sense or an artifact has changed. */
gboolean tosst_store_check (TosstStore *store, GError **error);

/* Puts what can be read of a damaged store into a new one under the same name. The original is kept, under the name
 * that the sentence *notice (new) states. Nothing is changed unless all of that succeeds. Runs that lost a part get the
 * tag “salvaged”. */
gboolean tosst_store_salvage (GFile *file, char **notice, GError **error);

/* Every function below fails with one sentence: TOSST_FAILED_OUTPUT when another program keeps the store locked, the
 * disk is full or the store is not writable; TOSST_FAILED_DAMAGED; TOSST_FAILED_INPUT for a run that is not there. A
 * call that fails has changed nothing. */

/* What a run is made of and made by. Borrowed strings. */
typedef struct
{
  const char *hash;    /* tosst_run_hash() */
  const char *version; /* of the program */
  int numerics;
  const char *cpu, *blas;
  int threads;
  const char *data, *dataset; /* fingerprint and title */
  const char *const *class_names;
  int splits; /* asked for */
  const char *title;
  gint64 sweep; /* that it belongs to; 0: none */
  int split;    /* the one that it is of, from 0; -1: all of them */
} TosstStoreOrigin;

/* A new run; running belongs to this process, queued to nobody. -1 with error. */
gint64 tosst_store_add (TosstStore *store, const TosstRecipe *recipe, const TosstStoreOrigin *origin,
                        TosstRunState state, GError **error);
/* Runs that are made together: recipe is the text that describes them all. -1 with error. */
gint64 tosst_store_add_sweep (TosstStore *store, const char *title, const char *recipe, GError **error);

/* A run that a sweep wants. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstStoreOrigin origin; /* sweep is filled in */
  const char *problem;     /* why it cannot be done; NULL */
} TosstRunSpec;

/* The latest sweep of this text; 0 if there is none. */
gboolean tosst_store_find_sweep (TosstStore *store, const char *recipe, gint64 *sweep, GError **error);
/* A run of this hash that is part of a sweep and has failed; 0 if there is none. */
gboolean tosst_store_find_failed (TosstStore *store, gint64 sweep, const char *hash, gint64 *run, GError **error);
/* The runs of a sweep in its own order, runs: n ids. A run of the same hash that is there is taken: done, running,
 * stopped or queued, in this order; a stopped one is queued again with the splits and checkpoints that it has, and so is
 * one that failed if again is set or if it is new to the sweep. Where there is none one is made, queued or, with a
 * problem, failed. All of that or nothing. */
gboolean tosst_store_queue_runs (TosstStore *store, gint64 sweep, const TosstRunSpec *specs, guint n, gboolean again,
                                 gint64 *runs, GError **error);
/* This queued run is now this process's, which does it with so many threads; *mine: FALSE if somebody else has taken
 * it. */
gboolean tosst_store_claim_run (TosstStore *store, gint64 run, int threads, gboolean *mine, GError **error);
/* A run that was stopped is queued again, with the splits and checkpoints that it has. */
gboolean tosst_store_requeue_run (TosstStore *store, gint64 run, GError **error);
/* Splits of a run that are finished, from 0 on without a gap: TosstSplitResult, whose confusions and predictions the
 * array owns, new; classes x classes. NULL with error. */
GArray *tosst_store_splits (TosstStore *store, gint64 run, int classes, GError **error);
/* Runs that are done and tell what this machine takes, the latest first: by this processor, kernel and number of
 * threads, of this data, without anything from others; at most `most` ids (gint64), new. */
GArray *tosst_store_runs_for_timing (TosstStore *store, const char *data, const char *cpu, const char *blas,
                                     int threads, guint most, GError **error);
/* What tosst_store_set_seconds() wrote, *total included, and tosst_store_set_shared(); 0 where there is none. shared: or
 * NULL. */
gboolean tosst_store_seconds (TosstStore *store, gint64 run, double seconds[TOSST_N_STAGES], double *total,
                              double *shared, GError **error);

/* The artifact of a split under way; it goes when the split is finished. */
#define TOSST_STORE_CHECKPOINT "checkpoint"
/* The artifact of a finished split; runs of earlier versions have none. */
#define TOSST_STORE_PREDICTIONS "predictions.csv"

typedef struct
{
  gint64 id;
  char *title, *recipe;
  double created;
  gsize runs, count[TOSST_N_RUN_STATES];
} TosstStoreSweep;

/* All sweeps (TosstStoreSweep *), the latest last; new. */
GPtrArray *tosst_store_sweeps (TosstStore *store, GError **error);

/* The latest run of this hash that is done; 0 if there is none. */
gboolean tosst_store_find (TosstStore *store, const char *hash, gint64 *run, GError **error);
/* What the run was made with; new. A parameter that this program does not know is an error. */
TosstRecipe *tosst_store_recipe (TosstStore *store, gint64 run, GError **error);

typedef struct
{
  int split;
  TosstIteration iteration;
} TosstStoreIteration;

/* All of them or none. Also a sign of life of the run. */
gboolean tosst_store_add_iterations (TosstStore *store, gint64 run, const TosstStoreIteration *iterations, gsize n,
                                     GError **error);
/* Accuracy and the other numbers of a finished split, its confusion (classes x classes) and its predictions, if any. */
gboolean tosst_store_add_split (TosstStore *store, gint64 run, const TosstSplitResult *result, int classes,
                                GError **error);
gboolean tosst_store_set_seconds (TosstStore *store, gint64 run, const double seconds[TOSST_N_STAGES], double total,
                                  GError **error);
/* Seconds that the run has saved, by what it had from others. */
gboolean tosst_store_set_shared (TosstStore *store, gint64 run, double seconds, GError **error);
/* A file that the run made, kept in the database with its checksum: at most 900 MB. split: -1 for the whole run. */
gboolean tosst_store_add_artifact (TosstStore *store, gint64 run, int split, const char *name, GBytes *content,
                                   GError **error);
/* Where a checkpoint of a split lies that is too large for the database: beside it; it goes when the split is finished
 * or its run deleted. New; NULL where there is no such place. */
GFile *tosst_store_file (TosstStore *store, gint64 run, int split);
/* Removes it, if there is one. split: -1 for all. */
void tosst_store_drop_files (TosstStore *store, gint64 run, int split);
/* Where tensors of this hash (TOSST_PART_TENSORS) lie that a run has made and others, or the same one after a kill, may
 * want. New; NULL where there is no such place. */
GFile *tosst_store_tensors_file (TosstStore *store, const char *hash);
/* Removes those that no run wants which is queued, running or stopped; stopped: nor those that only these want. */
void tosst_store_drop_tensors (TosstStore *store, gboolean stopped);
/* Ends the run and sums it up: mean, std, best, last and chosen of accuracy and objective. reason: or NULL. */
gboolean tosst_store_finish (TosstStore *store, gint64 run, TosstRunState state, const char *reason, GError **error);

gboolean tosst_store_set_title (TosstStore *store, gint64 run, const char *title, GError **error);
gboolean tosst_store_set_note (TosstStore *store, gint64 run, const char *note, GError **error);
gboolean tosst_store_tag (TosstStore *store, gint64 run, const char *tag, gboolean on, GError **error);
#define TOSST_STORE_STAR "star" /* the tag of runs that the user wants to find again */
/* With all that belongs to it. One that is running is refused. */
gboolean tosst_store_delete (TosstStore *store, gint64 run, GError **error);

/* A row of the list. */
typedef struct
{
  gint64 id;
  TosstRunState state;
  char *reason, *title, *note, *tags, *hash, *dataset, *data; /* tags: with spaces between; data: fingerprint */
  double queued, started, finished, seconds;
  double shared; /* seconds that other runs took for what this one has from them; 0: it did everything itself */
  int splits, splits_done;
  double accuracy, deviation, best; /* percent, of the splits that are done; so are the means that follow */
  double objective, nonzeros;
  gboolean orphan; /* its process ended in the middle, and nobody has written that down yet */
  char *key;       /* what the list is sorted by, as text; NULL if that is of the columns above */
} TosstStoreRun;

void tosst_store_run_free (TosstStoreRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstStoreRun, tosst_store_run_free)

/* Runs (TosstStoreRun *), new. sort: a column (id, state, title, started, seconds ...), parameter (dictionary.atoms),
 * metric (accuracy, accuracy.best, objective.last) or stage (seconds.learn), with "-" in front for descending; NULL:
 * id. Runs without it come last. filter: conditions that must all hold, "KEY OP VALUE, ..." with = != < <= > >= and ~
 * (contains); also tag = NAME and sweep = ID; or NULL. A key that no run knows, or a condition that cannot be read, is
 * TOSST_FAILED_INPUT. */
GPtrArray *tosst_store_list (TosstStore *store, const char *sort, const char *filter, GError **error);

/* Another number than before once somebody else has changed the store, however little. */
gboolean tosst_store_version (TosstStore *store, gint64 *version, GError **error);
/* Parameters of all runs whose id is above `after`, by run and then by name. number: of a text that is one, else NAN;
 * what is passed is valid during the call only. */
typedef void (*TosstStoreParameterFunc) (gint64 run, const char *name, const char *text, double number, gpointer data);
gboolean tosst_store_each_parameter (TosstStore *store, gint64 after, TosstStoreParameterFunc func, gpointer data,
                                     GError **error);
/* The runs of all sweeps, by run and then by sweep; number: in the sweep's own order, from 0. */
typedef void (*TosstStoreMemberFunc) (gint64 run, gint64 sweep, int number, gpointer data);
gboolean tosst_store_each_member (TosstStore *store, TosstStoreMemberFunc func, gpointer data, GError **error);

/* A metric by iteration: *n values, new; NULL with *n = 0 if there is none, or with error. */
double *tosst_store_series (TosstStore *store, gint64 run, int split, const char *name, gsize *n, GError **error);
/* The content, its checksum tested; NULL with error. */
GBytes *tosst_store_artifact (TosstStore *store, gint64 run, int split, const char *name, GError **error);

/* Everything about a run but the content of artifacts; new. */
JsonObject *tosst_store_run_json (TosstStore *store, gint64 run, GError **error);
/* The runs of a list (as tosst_store_list()) with everything, as one file. CSV has a line per run. */
char *tosst_store_export_json (TosstStore *store, GPtrArray *runs, GError **error);
char *tosst_store_export_csv (TosstStore *store, GPtrArray *runs, GError **error);

G_END_DECLS
