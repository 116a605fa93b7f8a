/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/run/hash.h"

G_BEGIN_DECLS

/* What runs of one process have in common is made once: tensors of a data set, dictionaries, codes, signatures. Kept is
 * what another run that is expected will want, within a bound; what has to go for it is made again. Any thread. */
typedef struct TosstStageCache TosstStageCache; /* run.h names it, too */

TosstStageCache *tosst_stage_cache_new (gsize bytes);
void tosst_stage_cache_free (TosstStageCache *self); /* when no run uses it any longer */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstStageCache, tosst_stage_cache_free)

/* A run is to come; it has ended, or will not come. */
void tosst_stage_cache_reserve (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset);
void tosst_stage_cache_release (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset);

/* Times that something was taken instead of made. */
gsize tosst_stage_cache_hits (TosstStageCache *self, TosstRunPart part);

G_END_DECLS
