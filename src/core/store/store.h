/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/recipe/recipe.h"
#include "core/run/run.h"

/* The runs of a workspace, with their recipes, results and files, in one SQLite database. Several programs may read
 * while one writes; an operation on a locked store fails after TOSST_STORE_BUSY_TIMEOUT. A store is used by one thread
 * at a time; other threads open their own. Times are seconds since 1970 UTC, splits count from 0, and missing numbers
 * are NAN. */
typedef struct TosstStore TosstStore;

#define TOSST_STORE_BUSY_TIMEOUT 5 /* s */

typedef enum
{
  TOSST_RUN_QUEUED,
  TOSST_RUN_RUNNING,
  TOSST_RUN_DONE,
  TOSST_RUN_FAILED,  /* see reason */
  TOSST_RUN_STOPPED, /* by the user, or by the end of its program; finished splits are kept */
  TOSST_N_RUN_STATES,
} TosstRunState;

const char *tosst_run_state_name (TosstRunState state); /* as in the database: "running" */
TosstRunState tosst_run_state_find (const char *name, TosstRunState otherwise);
const char *tosst_run_state_label (TosstRunState state); /* translated */

typedef enum
{
  TOSST_STORE_READ,  /* the store must exist; in a read-only folder nothing is written */
  TOSST_STORE_WRITE, /* created if missing; migrated to the current schema */
} TosstStoreMode;

/* Opens a store and marks running runs whose program has ended as stopped. A damaged store fails with
 * TOSST_FAILED_DAMAGED under TOSST_STORE_READ; under TOSST_STORE_WRITE it is salvaged first, which tosst_store_notice()
 * reports. Files that are not a store, were written by a newer version or cannot be read or created fail with
 * TOSST_FAILED_INPUT or TOSST_FAILED_OUTPUT and are left unchanged. Returns a new store, freed with tosst_store_free(),
 * or NULL with error. */
TosstStore *tosst_store_open (GFile *file, TosstStoreMode mode, GError **error);
void tosst_store_free (TosstStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstStore, tosst_store_free)

/* Makes long statements fail with TOSST_FAILED_CANCELLED once the cancellable or the context is cancelled. Either may
 * be NULL; both are borrowed. Not for a store that records the end of a cancelled run. */
void tosst_store_set_cancel (TosstStore *store, GCancellable *cancellable, TosstContext *context);

const char *tosst_store_notice (TosstStore *store); /* a sentence for the user, or NULL; owned by the store */

/* Whether the open file was deleted or replaced by another file. */
gboolean tosst_store_has_moved (TosstStore *self);
/* Returns TRUE if it was neither deleted nor replaced. Otherwise copies the open database to a new file beside it,
 * STORE.rescued-1.sqlite, and returns FALSE with an error that names the copy. */
gboolean tosst_store_keep (TosstStore *self, GError **error);

/* Reads every page and the checksum of every artifact; fails with TOSST_FAILED_DAMAGED if any is wrong. */
gboolean tosst_store_check (TosstStore *store, GError **error);

/* Copies the readable part of a damaged store into a new store of the same name. The original is renamed; *notice (new)
 * is a sentence for the user with its name. On failure nothing is changed. Runs with missing parts get the tag
 * “salvaged”. */
gboolean tosst_store_salvage (GFile *file, char **notice, GError **error);

/* The functions below fail with TOSST_FAILED_OUTPUT if the store is locked, not writable or the disk is full, with
 * TOSST_FAILED_DAMAGED, or with TOSST_FAILED_INPUT for an unknown run. A failed call changes nothing. */

/* Data, program and machine of a run. The strings are borrowed. */
typedef struct
{
  const char *hash;    /* tosst_run_hash() */
  const char *version; /* of the program */
  int numerics;
  const char *cpu, *blas;
  int threads;
  const char *data, *dataset; /* fingerprint and title */
  const char *const *class_names;
  int splits; /* in the recipe */
  const char *title;
  gint64 sweep; /* that the run belongs to; 0: none */
  int split;    /* of a run of a single split, from 0; -1: all splits */
} TosstStoreOrigin;

/* Adds a run. A running run is owned by this process, a queued run has no owner. Returns its id, or -1 with error. */
gint64 tosst_store_add (TosstStore *store, const TosstRecipe *recipe, const TosstStoreOrigin *origin,
                        TosstRunState state, GError **error);
/* Adds a sweep; recipe is the text of tosst_sweep_to_text(). Returns its id, or -1 with error. */
gint64 tosst_store_add_sweep (TosstStore *store, const char *title, const char *recipe, GError **error);

/* A run to queue for a sweep. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstStoreOrigin origin; /* sweep is filled in */
  const char *problem;     /* why it cannot be executed, or NULL */
  TosstDataset *dataset;   /* or NULL; borrowed */
} TosstRunSpec;

/* *sweep: the latest sweep with this text; 0 if there is none. */
gboolean tosst_store_find_sweep (TosstStore *store, const char *recipe, gint64 *sweep, GError **error);
/* *run: a failed run of the sweep with this hash; 0 if there is none. */
gboolean tosst_store_find_failed (TosstStore *store, gint64 sweep, const char *hash, gint64 *run, GError **error);
/* Queues the runs of a sweep, in its order; runs receives n ids. An existing run of the same hash is reused: done,
 * running, stopped or queued, in this order of preference. A stopped run is queued again with its splits and
 * checkpoints, and so is a failed one if again is set or if it is new to the sweep. Otherwise a run is added, queued
 * or, with a problem, failed. One transaction. */
gboolean tosst_store_queue_runs (TosstStore *store, gint64 sweep, const TosstRunSpec *specs, guint n, gboolean again,
                                 gint64 *runs, GError **error);
/* Makes this process the owner of a queued run, which it executes with this number of threads. *mine: FALSE if another
 * process owns it already. */
gboolean tosst_store_claim_run (TosstStore *store, gint64 run, int threads, gboolean *mine, GError **error);
/* Queues a stopped run again, with its splits and checkpoints. */
gboolean tosst_store_requeue_run (TosstStore *store, gint64 run, GError **error);
/* The finished splits of a run, from 0 up to the first missing one. Returns a new array of TosstSplitResult that owns
 * confusions (classes x classes), predictions and scores, or NULL with error. */
GArray *tosst_store_splits (TosstStore *store, gint64 run, int classes, GError **error);
/* Finished runs for estimating times, the latest first: of this data, processor, BLAS kernel and number of threads,
 * without results from the cache. Returns a new array of at most `most` ids (gint64), or NULL with error. */
GArray *tosst_store_runs_for_timing (TosstStore *store, const char *data, const char *cpu, const char *blas,
                                     int threads, guint most, GError **error);
/* Reads the values of tosst_store_set_seconds() and tosst_store_set_shared(), in seconds; 0 where missing. shared may
 * be NULL. */
gboolean tosst_store_seconds (TosstStore *store, gint64 run, double seconds[TOSST_N_STAGES], double *total,
                              double *shared, GError **error);

/* Artifact of an unfinished split; deleted when the split is finished. */
#define TOSST_STORE_CHECKPOINT "checkpoint"
/* A split after the first has its dictionary in its model. */
#define TOSST_STORE_DICTIONARY "dictionary.npz"
/* Artifact of the first split of a run in a window: the patches that use its atoms (core/dictionary/atom-usage.h). */
#define TOSST_STORE_USAGE "usage.npy"
/* Before the name of a part, in the names of its numbers. */
#define TOSST_STORE_WEIGHT "weight."
#define TOSST_STORE_ACCURACY "accuracy."
/* Artifact of a finished split; missing in runs of earlier versions. */
#define TOSST_STORE_PREDICTIONS "predictions.csv"
/* Artifact of a finished split with several labels a sample, in place of predictions and confusion matrix. */
#define TOSST_STORE_SCORES "scores.csv"

typedef struct
{
  gint64 id;
  char *title, *recipe;
  double created;
  gsize runs, count[TOSST_N_RUN_STATES];
} TosstStoreSweep;

/* All sweeps (TosstStoreSweep *), the latest last; new. */
GPtrArray *tosst_store_sweeps (TosstStore *store, GError **error);

/* Gives the runs of a data set (NULL: nothing is done) the fingerprint and the hashes that this version has for them: earlier ones
 * knew images by their time of change, and may have taken a parameter without influence for part of a run. Once in a
 * process. */
gboolean tosst_store_renew_hashes (TosstStore *store, TosstDataset *dataset, GError **error);
/* *run: the latest finished run of this hash; 0 if there is none. */
gboolean tosst_store_find (TosstStore *store, const char *hash, gint64 *run, GError **error);
/* The recipe of a run, new. Fails if it has a parameter that this program does not know. */
TosstRecipe *tosst_store_recipe (TosstStore *store, gint64 run, GError **error);

typedef struct
{
  int split;
  TosstIteration iteration;
} TosstStoreIteration;

/* Adds iterations in one transaction, and updates the time at which the owner was last active. */
gboolean tosst_store_add_iterations (TosstStore *store, gint64 run, const TosstStoreIteration *iterations, gsize n,
                                     GError **error);
/* Adds the numbers of a finished split, its confusion (classes x classes) and its predictions, if any; with several
 * labels its scores instead, and the mean average precision of both kinds as the numbers map11 and map_area. */
gboolean tosst_store_add_split (TosstStore *store, gint64 run, const TosstSplitResult *result, int classes,
                                GError **error);
gboolean tosst_store_set_seconds (TosstStore *store, gint64 run, const double seconds[TOSST_N_STAGES], double total,
                                  GError **error);
/* Sets the seconds that the run saved by results from the cache. */
gboolean tosst_store_set_shared (TosstStore *store, gint64 run, double seconds, GError **error);
/* Stores a file of the run with its checksum, at most 900 MB. split: -1 for the whole run. */
gboolean tosst_store_add_artifact (TosstStore *store, gint64 run, int split, const char *name, GBytes *content,
                                   GError **error);
/* The file, beside the database, for a checkpoint that is too large for it. It is deleted when the split is finished or
 * the run deleted. New; NULL if there is none. */
GFile *tosst_store_file (TosstStore *store, gint64 run, int split);
/* Deletes these files. split: -1 for all. */
void tosst_store_drop_files (TosstStore *store, gint64 run, int split);
/* Ends the run and stores mean, std, best, last and chosen values of accuracy and objective. reason may be NULL. */
gboolean tosst_store_finish (TosstStore *store, gint64 run, TosstRunState state, const char *reason, GError **error);

gboolean tosst_store_set_title (TosstStore *store, gint64 run, const char *title, GError **error);
gboolean tosst_store_set_note (TosstStore *store, gint64 run, const char *note, GError **error);
gboolean tosst_store_tag (TosstStore *store, gint64 run, const char *tag, gboolean on, GError **error);
#define TOSST_STORE_STAR "star" /* the tag of runs marked by the user */
/* Deletes a run with its results and files. Fails for a running run. */
gboolean tosst_store_delete (TosstStore *store, gint64 run, GError **error);

/* A row of the list. */
typedef struct
{
  gint64 id;
  TosstRunState state;
  char *reason, *title, *note, *tags, *hash, *dataset, *data; /* tags: separated by spaces; data: fingerprint */
  double queued, started, finished, seconds;
  double shared; /* seconds saved by results from the cache */
  int splits, splits_done;
  TosstScore score;                     /* that the next three are of */
  double accuracy, deviation, best;     /* percent, of finished splits, as are the means below */
  double objective, residual, nonzeros; /* the residual is relative */
  gboolean stale;                       /* its process has ended, which is not recorded yet */
  char *key;                            /* the sort key as text; NULL if it is one of the fields above */
} TosstStoreRun;

void tosst_store_run_free (TosstStoreRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstStoreRun, tosst_store_run_free)

/* Lists runs. Returns a new array of TosstStoreRun *, or NULL with error. sort: a column (id, state, title, started,
 * seconds ...), parameter (dictionary.atoms), metric (accuracy, accuracy.best, objective.last) or stage
 * (seconds.learn), with "-" in front for descending; NULL: id. Runs without the key come last. filter: conditions that
 * must all hold, "KEY OP VALUE, ..." with = != < <= > >= and ~ (contains); also tag = NAME and sweep = ID; or NULL. An
 * unknown key or an invalid condition is TOSST_FAILED_INPUT. */
GPtrArray *tosst_store_list (TosstStore *store, const char *sort, const char *filter, GError **error);

/* *version changes when another connection has changed the store. */
gboolean tosst_store_version (TosstStore *store, gint64 *version, GError **error);
/* Calls func for the parameters of all runs with an id above `after`, by run and name. number: NAN if the text is not a
 * number. Arguments are valid during the call only. */
typedef void (*TosstStoreParameterFunc) (gint64 run, const char *name, const char *text, double number, gpointer data);
gboolean tosst_store_each_parameter (TosstStore *store, gint64 after, TosstStoreParameterFunc func, gpointer data,
                                     GError **error);

/* A metric by iteration. Returns *n values, new; NULL with *n = 0 if there are none, or with error. */
double *tosst_store_series (TosstStore *store, gint64 run, int split, const char *name, gsize *n, GError **error);
/* Content of an artifact, after checking its checksum. New; NULL with error. */
GBytes *tosst_store_artifact (TosstStore *store, gint64 run, int split, const char *name, GError **error);

/* All values of a run except the content of artifacts. New; NULL with error. */
JsonObject *tosst_store_run_json (TosstStore *store, gint64 run, GError **error);
/* Exports runs (as of tosst_store_list()) with all values to one text; CSV has a line per run. New; NULL with error. */
char *tosst_store_export_json (TosstStore *store, GPtrArray *runs, GError **error);
char *tosst_store_export_csv (TosstStore *store, GPtrArray *runs, GError **error);
