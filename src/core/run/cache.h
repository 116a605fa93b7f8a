/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/hash.h"

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

/* Numbers of results that several runs need: computed by runs of this process, received from others, and how often they
 * were found in the cache. */
typedef struct
{
  gsize made[TOSST_N_RUN_PARTS], received[TOSST_N_RUN_PARTS], found[TOSST_N_RUN_PARTS];
} TosstStageCounts;

void tosst_stage_cache_count (TosstStageCache *self, TosstStageCounts *counts);

/* The caches of other processes that execute runs of the same sweep. A key names a result. */
typedef struct
{
  const struct TosstStageForm *form; /* tosst_stage_form() */
  /* Asks who has or makes a result, or is to make it; tosst_stage_cache_answer() follows. On threads of runs. */
  void (*ask) (const char *key, gpointer data);
  /* Sends a result to a process that waits for it; content NULL: there is none. On any thread. */
  void (*send) (int rank, const char *key, GBytes *content, double seconds, gpointer data);
  gpointer data;
} TosstStageExchange;

/* transfer.c. How results become bytes. */
const struct TosstStageForm *tosst_stage_form (void);

/* exchange: NULL: none any more. Before the first run and after the last one. */
void tosst_stage_cache_connect (TosstStageCache *self, const TosstStageExchange *exchange);
/* content: of the result that a run here waits for, which took so many seconds; NULL: it is to be made here. */
void tosst_stage_cache_answer (TosstStageCache *self, const char *key, GBytes *content, double seconds);
/* Another process waits for a result: sends it at once or when it is made, or that there is none. */
void tosst_stage_cache_want (TosstStageCache *self, const char *key, int rank);
/* Asks again for all results without an answer, after a process was lost. */
void tosst_stage_cache_ask_again (TosstStageCache *self);

/* Bytes of a key with its end. */
#define TOSST_STAGE_KEY 56
