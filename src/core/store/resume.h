/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/cache.h"
#include "core/store/store.h"

G_BEGIN_DECLS

/* A run as a store has it: what it needs for being done, gone on with and shown again. */
typedef struct
{
  TosstStore *store;             /* borrowed */
  gint64 run;                    /* in it; running, of this process */
  struct TosstStageCache *cache; /* with other runs, or NULL */
  double checkpoint;             /* seconds between checkpoints of learning and coding; 0: none */
  void (*trouble) (const char *sentence, gpointer data); /* the store has refused something, once at most; or NULL */
  gpointer data;                                         /* of trouble */
} TosstRecorded;

/* tosst_run_execute() for a run that is in a store, on the calling thread: splits that are finished there are not done
 * again, one under way goes on from its checkpoint, and what comes is written as it comes. Cancelling leaves a
 * checkpoint. The observer hears of iterations and splits that were done earlier before those that are done now, so that
 * it knows the whole run. What the store refuses meanwhile does not stop the run.
 *
 * NULL with an error that says why the run has no result, as tosst_run_execute() does. *trouble: what could not be
 * recorded; with neither result nor error nothing was done, because the store could not be read. */
TosstRunResult *tosst_run_execute_recorded (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                            const TosstRunObserver *observer, const TosstRecorded *recorded,
                                            TosstRunResult **partial, GError **trouble, GError **error);

/* What a store has of a run that has ended, as if it had been done now: the observer hears of its iterations and splits,
 * and the result has the model of its first split where that is stored. NULL with error. */
TosstRunResult *tosst_run_restore (TosstStore *store, gint64 run, const TosstRecipe *recipe, TosstDataset *dataset,
                                   const TosstRunObserver *observer, GError **error);

G_END_DECLS
