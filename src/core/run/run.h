/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/data/dataset.h"
#include "core/dictionary/file.h"
#include "core/recipe/recipe.h"

G_BEGIN_DECLS

typedef enum
{
  TOSST_STAGE_DESCRIBE, /* images to tensors */
  TOSST_STAGE_LEARN,
  TOSST_STAGE_CODE,  /* codes and signatures */
  TOSST_STAGE_TRAIN, /* the SVM */
  TOSST_STAGE_TEST,
  TOSST_N_STAGES,
} TosstStage;

const char *tosst_stage_label (TosstStage stage); /* N_("Learning the dictionary") */

/* What the classifier said of one test sample. */
typedef struct
{
  guint sample;    /* index in the data set */
  int truth, said; /* classes */
} TosstPrediction;

/* One finished split. */
typedef struct
{
  int split;
  double accuracy;                            /* percent of test samples */
  int *confusion;                             /* classes x classes, row true, column said; owned by the result */
  double mean_nonzeros, worst_kkt, objective; /* NaN without a dictionary */
  double c;                                   /* of the classifier: the recipe's, or the one that was chosen */
  const struct TosstModel *model;             /* of the first split, else NULL; the result's */
  struct TosstAtomUsage *usage; /* the same: how codes use its dictionary; NULL where these were made elsewhere */
  GArray *predictions; /* of TosstPrediction, one per test sample, by sample; owned like confusion; NULL: not kept */
} TosstSplitResult;

/* What a run tells while it goes; every function may be NULL and is called on the thread of tosst_run_execute(). What
 * they are given is valid during the call only. */
typedef struct
{
  void (*stage) (TosstStage stage, int split, double fraction, gpointer data); /* fraction of this stage */
  void (*progress) (double fraction, double seconds_left,
                    gpointer data); /* of the whole run; seconds_left < 0: unknown yet */
  void (*iteration) (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
                     gpointer data);
  void (*split) (const TosstSplitResult *result, gpointer data);
  gpointer data;
} TosstRunObserver;

typedef struct
{
  int classes, splits; /* splits done */
  int allocated_splits;
  char **class_names;                 /* NULL-terminated */
  double accuracy_mean, accuracy_std; /* percent; std with splits - 1, 0 for one split */
  TosstSplitResult *split;            /* allocated_splits entries, the first `splits` of them filled */
  double *per_class;                  /* mean accuracy of each class, percent */
  int *confusion;                     /* summed over splits */
  double seconds[TOSST_N_STAGES], seconds_total;
  double seconds_shared; /* that others took for what this run had from them, but for those that it waited */
  double peak_memory_mb; /* of the process */
  gsize tensors;         /* distinct patches described */
  int d;
  TosstDictionary *dictionary;  /* of the first split; NULL where the recipe learns none */
  struct TosstModel *model;     /* of the first split */
  struct TosstAtomUsage *usage; /* of the first split, as there */
} TosstRunResult;

void tosst_run_result_free (TosstRunResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRunResult, tosst_run_result_free)

/* What a run will need, from sizes alone. */
typedef struct
{
  gsize tensors, samples;
  int d;
  gboolean learns;   /* a dictionary */
  gboolean resident; /* all tensors are kept in memory; else in a file, or each split describes what it needs again */
  gsize bytes;       /* at its peak */
  gsize available;   /* of the machine, now */
} TosstRunEstimate;

void tosst_run_estimate (const TosstRecipe *recipe, TosstDataset *dataset, int threads, TosstRunEstimate *estimate);
/* FALSE with TOSST_FAILED_MEMORY: a run that needs so much is refused; the sentence has the number and what to lower. */
gboolean tosst_run_fits (const TosstRunEstimate *needs, GError **error);

/* What a run begins with, and what it leaves behind for the next that goes on with it. All zero: nothing. */
typedef struct
{
  const TosstSplitResult *done; /* splits that were finished earlier, from 0 on: not done again, part of the result */
  int n_done;

  struct TosstStageCache *cache; /* with other runs; they come to the same bits with it and without. cache.h */

  /* Checkpoints of splits under way: save() gets one every so many seconds (0: none), load() finds the last one of a
   * split, new, or NULL; a split that goes on from it comes to the same bits as one that was never interrupted. Both are
   * called on the thread of the run. What is too large to be handed over goes to a file, where place() has one, and is
   * looked for there first; who keeps checkpoints removes it once save() has had a later one. */
  double interval;
  void (*save) (int split, GBytes *checkpoint, gpointer data);
  GBytes *(*load) (int split, gpointer data);
  GFile *(*place) (int split, gpointer data); /* new; or NULL, as the function may be */
  /* Tensors of all patches, where describing them takes long, are kept in a file of their hash as they are made, and
   * looked for there; begins: a file is about to be made. The same of NULL and of removing holds. */
  GFile *(*keep) (const char *hash, gboolean begins, gpointer data);
  gpointer data;
} TosstRunOptions;

/* The whole road: images, tensors (each distinct patch once), and for each split a dictionary from training samples
 * (unless the recipe needs none: that stage never comes then), codes, signatures, SVM, accuracy. Blocks; call it in a
 * thread of its own. A run that would not fit into memory is refused with the number and what to lower. When cancelled
 * the error is TOSST_FAILED_CANCELLED and *partial, if not NULL, holds the splits that were finished. */
TosstRunResult *tosst_run_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                   const TosstRunObserver *observer, TosstRunResult **partial, GError **error);
/* The same. The result of what was done earlier has neither dictionary nor model; the observer hears of what is done
 * now. */
TosstRunResult *tosst_run_execute_with (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                        const TosstRunObserver *observer, const TosstRunOptions *options,
                                        TosstRunResult **partial, GError **error);

/* Reports as interface files have them. */
JsonNode *tosst_run_result_to_node (const TosstRunResult *result, const TosstRecipe *recipe);
char *tosst_run_result_to_json (const TosstRunResult *result, const TosstRecipe *recipe);
char *tosst_run_result_confusion_csv (const TosstRunResult *result);

G_END_DECLS
