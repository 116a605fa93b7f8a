/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/run/hash.h"

G_BEGIN_DECLS

/* Cache of stage results that runs of one process share: tensors of a data set, dictionaries, codes, signatures. A
 * result is kept as long as a reserved run will use it, within a limit of memory; evicted results are computed again.
 * Thread-safe. */
typedef struct TosstStageCache TosstStageCache; /* declared in run.h, too */

TosstStageCache *tosst_stage_cache_new (gsize bytes);
void tosst_stage_cache_free (TosstStageCache *self); /* called after the last run that uses it */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstStageCache, tosst_stage_cache_free)

/* Reserves the parts of a future run; _release() ends the reservation after the run, or if it is not executed. */
void tosst_stage_cache_reserve (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset);
void tosst_stage_cache_release (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset);

/* Keeps the results of the run that is about to be executed, except codes, for a run after it, instead of those of the
 * run kept before: of these the parts remain that both share. Both NULL: keeps none. */
void tosst_stage_cache_keep (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset);

gsize tosst_stage_cache_bytes (TosstStageCache *self); /* in use */

/* Number of results that were found in the cache. */
gsize tosst_stage_cache_hits (TosstStageCache *self, TosstRunPart part);

G_END_DECLS
