/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/cache.h"
#include "core/store/store.h"

/* Origin of a run of this recipe and data set. Owns its strings except those borrowed from dataset. */
typedef struct
{
  TosstStoreOrigin origin;
  char *hash, *cpu, *blas;
  GPtrArray *names;
} TosstRunOrigin;

void tosst_run_origin_init (TosstRunOrigin *self, const TosstRecipe *recipe, TosstDataset *dataset, int threads);
void tosst_run_origin_clear (TosstRunOrigin *self);

/* A run in a store, to be executed or resumed. */
typedef struct
{
  TosstStore *store;             /* borrowed */
  gint64 run;                    /* its id; running, owned by this process */
  struct TosstStageCache *cache; /* shared with other runs, or NULL */
  gboolean dictionaries;         /* whether those of later splits are kept: TosstRunOptions; and of the first one the
                                    use of atoms and TosstModel.training */
  double checkpoint;             /* seconds between checkpoints of learning and coding; 0: none */
  void (*write_failed) (const char *sentence, gpointer data); /* called at most once, when a write fails; or NULL */
  gpointer data;                                              /* of write_failed */
  /* As tosst_run_execute_with(), by which a run is executed if this is NULL. executor: its argument. What it passes to
   * the observer must last until tosst_run_execute_recorded() returns. */
  TosstRunResult *(*execute) (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                              const TosstRunObserver *observer, const TosstRunOptions *options, gpointer executor,
                              TosstRunResult **partial, GError **error);
  gpointer executor;
} TosstRecorded;

/* Executes a run of a store, on the calling thread, as tosst_run_execute(): finished splits are skipped, an
 * unfinished one is resumed from its checkpoint, and results are stored as they are computed, iterations in batches every
 * half second. Cancelling leaves a checkpoint. The observer first receives the earlier iterations and splits. A write that
 * fails (store locked, disk full) is retried later without stopping the run. An unfinished run is still marked as running
 * in the store until its process ends; then it counts as stopped.
 * Returns NULL with error if the run has no result, as tosst_run_execute(). *store_error: the data that could not be
 * recorded; NULL without error means that the store could not be read and nothing was executed. */
TosstRunResult *tosst_run_execute_recorded (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                            const TosstRunObserver *observer, const TosstRecorded *recorded,
                                            TosstRunResult **partial, GError **store_error, GError **error);

/* Restores the result of a finished run: the observer receives its iterations and splits, with the dictionaries of later
 * ones that are stored, and the result has the model of the first split if it is stored. Returns a new result, or NULL with error. */
TosstRunResult *tosst_run_restore (TosstStore *store, gint64 run, const TosstRecipe *recipe, TosstDataset *dataset,
                                   const TosstRunObserver *observer, GError **error);
