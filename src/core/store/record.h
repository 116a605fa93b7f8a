/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/store.h"

/* Records a run in a store: the observer of tosst_run_execute() calls the functions below, on the same thread.
 * Iterations are written in batches every half second. A write that fails (store locked, disk full) is retried later
 * without stopping the run; tosst_run_record_finish() reports data that could not be written. */
typedef struct TosstRunRecord TosstRunRecord;

/* Opens the store and adds the run. Returns a new record, or NULL with error. */
TosstRunRecord *tosst_run_record_new (GFile *file, const TosstRecipe *recipe, TosstDataset *dataset, int threads,
                                      GError **error);
/* Continues the record of a run in the store that this process owns; existing results are kept. store is borrowed. */
TosstRunRecord *tosst_run_record_continue (TosstStore *store, gint64 run, TosstDataset *dataset, GError **error);
/* An unfinished run is still marked as running in the store until its process ends; then it counts as stopped. */
void tosst_run_record_free (TosstRunRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRunRecord, tosst_run_record_free)

/* Origin of a run of this recipe and data set. Owns its strings except those borrowed from dataset. */
typedef struct
{
  TosstStoreOrigin origin;
  char *hash, *cpu, *blas;
  GPtrArray *names;
} TosstRunOrigin;

void tosst_run_origin_init (TosstRunOrigin *self, const TosstRecipe *recipe, TosstDataset *dataset, int threads);
void tosst_run_origin_clear (TosstRunOrigin *self);

gint64 tosst_run_record_id (TosstRunRecord *self);
/* Reason of the last failed write, one sentence; NULL after a successful write. */
const char *tosst_run_record_error (TosstRunRecord *self);

void tosst_run_record_stage (TosstRunRecord *self, TosstStage stage);
void tosst_run_record_iteration (TosstRunRecord *self, int split, const TosstIteration *iteration);
/* result is borrowed until the record is finished. */
void tosst_run_record_split (TosstRunRecord *self, const TosstSplitResult *result);

/* Ends the run. result: of tosst_run_execute(), or its partial result before cause; either may be NULL. If the
 * record has a store of its own that was deleted or replaced meanwhile, the error is that of tosst_store_keep(). */
gboolean tosst_run_record_finish (TosstRunRecord *self, const TosstRunResult *result, const GError *cause,
                                  GError **error);
