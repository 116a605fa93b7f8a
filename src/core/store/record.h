/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/store.h"

G_BEGIN_DECLS

/* Writes a run into a store while it goes: what an observer of tosst_run_execute() hears is handed on to the functions
 * below, on the same thread. Iterations are written together every half second. What cannot be written now (another
 * program keeps the store locked, the disk is full) is kept and tried again, and tosst_run_record_finish() tells if it
 * could not be written in the end; the run itself goes on. */
typedef struct TosstRunRecord TosstRunRecord;

/* Opens the store and adds the run. */
TosstRunRecord *tosst_run_record_new (GFile *file, const TosstRecipe *recipe, TosstDataset *dataset, int threads,
                                      GError **error);
/* A run that is in the store and running, of this process: what it has is kept, and what comes is added. store is
 * borrowed. */
TosstRunRecord *tosst_run_record_continue (TosstStore *store, gint64 run, TosstDataset *dataset, GError **error);
/* A run that was not finished stays as one that is running, which the end of the process turns into one that was
 * stopped. */
void tosst_run_record_free (TosstRunRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRunRecord, tosst_run_record_free)

/* What a run of this recipe and data set is made of; the strings are its own but for those borrowed from dataset. */
typedef struct
{
  TosstStoreOrigin origin;
  char *hash, *cpu, *blas;
  GPtrArray *names;
} TosstRunOrigin;

void tosst_run_origin_init (TosstRunOrigin *self, const TosstRecipe *recipe, TosstDataset *dataset, int threads);
void tosst_run_origin_clear (TosstRunOrigin *self);

gint64 tosst_run_record_id (TosstRunRecord *self);
const char *tosst_run_record_notice (TosstRunRecord *self); /* tosst_store_notice() */
/* Why the last write was put off, one sentence; NULL once it has succeeded. */
const char *tosst_run_record_error (TosstRunRecord *self);

void tosst_run_record_stage (TosstRunRecord *self, TosstStage stage);
void tosst_run_record_iteration (TosstRunRecord *self, int split, const TosstIteration *iteration);
/* result is borrowed until the record is finished. */
void tosst_run_record_split (TosstRunRecord *self, const TosstSplitResult *result);

/* Ends the run: result is what tosst_run_execute() returned, or what it finished before cause; either may be NULL. Where a
 * store of the record's own was deleted or replaced meanwhile, tosst_store_keep() has the error. */
gboolean tosst_run_record_finish (TosstRunRecord *self, const TosstRunResult *result, const GError *cause,
                                  GError **error);

G_END_DECLS
