/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/patches.h"
#include "core/dictionary/atom-usage.h"
#include "core/run/cache.h"
#include "core/run/checkpoint.h"
#include "core/run/run.h"
#include "core/run/tensor-file.h"

G_BEGIN_DECLS

/* Something that runs have in common, counted; constant once it is shared. */
typedef struct
{
  gatomicrefcount references;
  gpointer data;
  GDestroyNotify free;
  gsize bytes;
  double seconds; /* that making it took */
} TosstShared;

TosstShared *tosst_shared_new (gpointer data, GDestroyNotify free, gsize bytes); /* takes data */
TosstShared *tosst_shared_ref (TosstShared *self);
void tosst_shared_unref (TosstShared *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstShared, tosst_shared_unref)

/* What a run asks for. */
typedef struct
{
  TosstStageCache *cache; /* NULL: nothing is shared */
  TosstRunPart part;
  char *key;
  gboolean pending; /* others may wait for it */
  double start;     /* for who makes it */
} TosstCacheRequest;

/* The tensors of all distinct patches of a data set: in memory, in a file, or described again whenever they are asked
 * for. Constant once opened, but for `kept`; any thread may read them. */
typedef struct
{
  TosstRecipe *recipe; /* whose descriptor they are of; a copy */
  TosstDataset *dataset;
  TosstPatches *patches;
  TosstLayout *layout;
  float *tensors;        /* patches x m, or NULL when not in memory */
  TosstTensorFile *file; /* the same where they are in a file, or NULL */
  double seconds;        /* that describing took */
  int kept;              /* atomic: those in memory are in a file as well, or cannot be */
} TosstTensors;

/* A dictionary and how it was learned; constant. */
typedef struct
{
  TosstDictionary *dictionary;
  GArray *trace; /* TosstIteration */
  double *usage; /* of the last iteration: K; or NULL */
} TosstLearned;

/* Signatures of all samples; constant. */
typedef struct
{
  float *values; /* samples x length */
  double worst_kkt, mean_nonzeros;
} TosstSignatures;

/* A run under way. Codes live for one image at a time: they are pooled at once. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset;
  TosstContext *context;
  const TosstRunObserver *observer;
  TosstShared *shared_tensors; /* of TosstTensors */
  TosstAtomUsage *atom_usage;  /* of the first split, until its result has it; or NULL */
  const TosstTensors *source;  /* the same; and what is in it: */
  const TosstPatches *patches;
  const TosstLayout *layout;
  TosstRunResult *result;
  const TosstRunOptions *options;
  gboolean described;  /* tensors were there already */
  guint splits, first; /* in all; the first one that is not done yet */
  gsize length;        /* of a code and a signature */

  /* The split at hand. */
  TosstCheckpoint *checkpoint; /* what an earlier run of it has left; or NULL */
  GArray *trace;               /* TosstIteration */
  double *usage;               /* of the last one; or NULL */
  gsize sample;                /* tensors that are learned from */
  double before;               /* seconds of learning that rest has behind it */
  double learning;             /* when the one at hand began, by the context */
  gint64 saved;                /* monotonic time of the last checkpoint */
  double interval;             /* seconds to the next at least; at first 0, for options' */
  TosstCheckpoint *held;       /* learning after its last whole iteration, not saved yet; or NULL */

  /* Where the engine's progress belongs. */
  TosstStage stage;
  int split;
  double low, high;           /* of the stage's fraction */
  double done, weight, total; /* work behind us, of the stage at hand, of all */
  double start;
  double stage_start;
} TosstRun;

/* cache.c. Returns a new reference to the cached result of a part of the run, after waiting for another thread that
 * computes it. NULL: this thread has to compute it and ends the request with tosst_run_cache_put(); or, with an error, the
 * run was cancelled. split: -1 for all. */
TosstShared *tosst_run_cache_get (TosstRun *self, TosstCacheRequest *request, TosstRunPart part, int split,
                                  GError **error);
/* Ends a request: made is the result (borrowed), or NULL if there is none. */
void tosst_run_cache_put (TosstRun *self, TosstCacheRequest *request, TosstShared *made);

/* Of the iterations of learning that are allowed, as many are done before the objective stops falling: a guess. */
#define TOSST_LIKELY_ITERATIONS 0.6

/* What the work of a run depends on. */
typedef struct
{
  const TosstRecipe *recipe;
  double patches, m, d;
  gboolean keeps; /* tensors are described once */
} TosstRunSizes;

/* progress.c. Expected work of a stage (of one split), in floating-point operations or what takes as long: only
 * proportions matter. */
double tosst_run_stage_work (const TosstRunSizes *sizes, TosstStage stage);
void tosst_run_enter (TosstRun *self, TosstStage stage, int split);
void tosst_run_leave (TosstRun *self);
/* What the engine reports next is this part of the stage. */
void tosst_run_part (TosstRun *self, double low, double high);

void tosst_run_on_progress (double fraction, void *data); /* for the engine's context */
double tosst_run_total_work (const TosstRun *self);

/* Whether tensors are described once for the whole run. */
gboolean tosst_run_stores_tensors (const TosstRun *self);

/* Whether there are checkpoints; whether the next one is due. */
gboolean tosst_run_has_checkpoints (const TosstRun *self);
gboolean tosst_run_checkpoint_is_due (const TosstRun *self);
/* A checkpoint begun at `start` (monotonic) has been made. The interval grows with the time that this took. */
void tosst_run_saved (TosstRun *self, gint64 start);

/* estimate.c */
gsize tosst_run_largest_image (const TosstPatches *patches); /* patches of the image that has most */
void tosst_run_measure (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches,
                        const TosstLayout *layout, int threads, TosstRunEstimate *out);
/* Fills in what the lists of patches alone say; FALSE if those would not fit. */
gboolean tosst_run_measure_lists (const TosstRecipe *recipe, TosstDataset *dataset, TosstRunEstimate *out);

/* split.c */
gboolean tosst_run_one_split (TosstRun *self, guint split, GError **error);

/* tensors.c. Lists of patches and the layout alone: tensors are described whenever they are asked for. */
gboolean tosst_run_tensors_list (TosstRun *self, GError **error);

/* learn.c. The patches that the split learns from: up to dictionary.sample of the training samples, ascending; gsize,
 * new. */
GArray *tosst_run_select_sample (const TosstRun *self, const GArray *train, int split);
/* What the split learns, a new reference to a TosstLearned; NULL with error. */
TosstShared *tosst_run_learn (TosstRun *self, const GArray *train, int split, GError **error);

/* checkpoint-save.c. Bytes from which on a checkpoint is written to a file of its own. */
gsize tosst_run_max_checkpoint_ram (void);
/* Saves a checkpoint at once, to a file of its own where it is large. */
void tosst_run_save (TosstRun *self, const TosstCheckpoint *checkpoint);

/* code.c. Signatures of all samples, a new reference to TosstSignatures; NULL with error. dictionary: NULL where
 * there is none. */
TosstShared *tosst_run_code (TosstRun *self, const TosstLearned *learned, int split, GError **error);
/* A checkpoint, at once: signatures of this many images, and how far C has been chosen with them; choice: or NULL. */
void tosst_run_save_coded (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, guint images,
                           const TosstSvmChoice *choice);

/* tensors.c. Tensors of all patches of the run's data set, made or shared; the run's source from then on. */
gboolean tosst_run_tensors_open (TosstRun *self, GError **error);
/* Those that are in memory to a file as well, once, if they took long: who is killed later need not describe again. */
void tosst_run_tensors_save (TosstRun *self);
/* Of all patches of one image; in scratch (as many) where they are not in memory. NULL with an error. */
const float *tosst_run_tensors_of_image (TosstRun *self, guint image, float *scratch, GError **error);
/* Of patches by number, ascending: count x m. */
gboolean tosst_run_tensors_gather (TosstRun *self, const gsize *number, gsize count, float *tensors, GError **error);

G_END_DECLS
