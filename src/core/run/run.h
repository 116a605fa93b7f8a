/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/data/dataset.h"
#include "core/dictionary/file.h"
#include "core/recipe/recipe.h"
#include "tosst/ranks.h"

typedef enum
{
  TOSST_STAGE_DESCRIBE, /* images to tensors */
  TOSST_STAGE_LEARN,
  TOSST_STAGE_CODE,  /* codes and signatures */
  TOSST_STAGE_TRAIN, /* the SVM */
  TOSST_STAGE_TEST,
  TOSST_N_STAGES,
} TosstStage;

const char *tosst_stage_name (TosstStage stage); /* in reports and in the store: "learn" */
/* N_("Learning the dictionary"); of a run of the recipe, or of any run (NULL). */
const char *tosst_stage_label (TosstStage stage, const TosstRecipe *recipe);

const char *tosst_score_name (TosstScore score);  /* in reports: "accuracy", "ap11", "area" */
const char *tosst_score_label (TosstScore score); /* translated: "Accuracy", "Mean average precision" */

#define TOSST_NEAREST 3

/* Prediction of one test sample. */
typedef struct
{
  guint sample;         /* index in the data set */
  int truth, predicted; /* classes */
  /* If it is wrong: the training samples of the predicted [0] and of the true class [1] that are nearest to it in the
   * feature space of the classifier, the nearest first; -1: no more, or not known. With landmarks, of these. */
  int nearest[2][TOSST_NEAREST];
} TosstPrediction;

/* A part of a run whose similarities are added (core/method/parts.h). */
typedef struct
{
  const char *name; /* static or interned */
  double weight;
  double accuracy; /* of the part alone, or its average precision, percent; NAN: not known, of an earlier version */
} TosstPartResult;

/* One finished split. */
typedef struct
{
  int split;
  /* Percent of test samples that are classified correctly; of samples with several labels the mean average precision
   * in percent, by tosst_recipe_score(). */
  double accuracy;
  int *confusion; /* classes x classes, row true, column predicted; zeros with several labels; owned by the result */
  double mean_nonzeros, worst_kkt, objective; /* NaN without a dictionary */
  /* sqrt (sum ||X - reconstruction||^2 / sum ||X||^2) of the tensors that the dictionary was learned from, at the codes of
   * the objective: equation (5) without its other terms. NaN also where a random dictionary codes, and of
   * an earlier version. */
  double relative_residual;
  double c;          /* C of the classifier: of the recipe, or chosen */
  double tensors, d; /* of the run up to this split, as in TosstRunResult; 0: not known, of an earlier version */
  const struct TosstModel *model; /* of the first split, else NULL; owned by the result */
  struct TosstAtomUsage *usage;   /* of the first split: usage of its atoms; NULL if its coding was resumed */
  TosstDictionary
      *dictionary;     /* of a later split, with TosstRunOptions.dictionaries, else NULL; owned like confusion */
  GArray *predictions; /* TosstPrediction, one per test sample, by sample; owned like confusion; NULL: not stored, or
                          several labels */
  GArray *parts;       /* TosstPartResult; NULL: no parts, or not stored; owned like confusion */
  struct TosstScores *scores;  /* of test samples with several labels, else NULL; owned like confusion */
  struct TosstScores *margins; /* of test samples with one class, labels 1 and -1; NULL of several labels, or of a split
                                  finished earlier; owned like confusion */
} TosstSplitResult;

/* Its numbers: their names in results and in the store, and their offsets, those of the run up to it last. */
#define TOSST_SPLIT_NUMBERS 8
#define TOSST_SPLIT_OWN_NUMBERS 6
typedef struct
{
  const char *name;
  gsize offset;
} TosstNumber;
extern const TosstNumber tosst_split_numbers[TOSST_SPLIT_NUMBERS];

/* Mean of one of the numbers of splits, at this offset, and its standard deviation with n - 1; NAN: of too few. */
double tosst_split_mean (const TosstSplitResult *split, guint n, gsize offset, double *deviation);

/* Accuracy of a part of a split alone; NAN: it has no such part. */
double tosst_run_part_accuracy (const TosstSplitResult *split, const char *name);

/* Progress of a run. Every function may be NULL and is called on the thread of tosst_run_execute(). Arguments are valid
 * during the call only. */
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
  TosstScore score;                   /* accuracy, or the average precision that stands for it below */
  double accuracy_mean, accuracy_std; /* percent; std with splits - 1, NAN for one split */
  TosstSplitResult *split;            /* allocated_splits entries, the first `splits` of them filled */
  double *per_class;                  /* mean accuracy or average precision of each class, percent */
  int *confusion;                     /* summed over splits */
  double seconds[TOSST_N_STAGES], seconds_total;
  double seconds_shared; /* saved by results from the cache, minus the time of waiting for them */
  double peak_memory_mb; /* of the process */
  gsize tensors;         /* distinct patches described */
  int d;
  guint empty;                  /* samples in which a part or the descriptor found nothing: their signature is zero */
  GStrv duplicates;             /* tosst_dataset_find_duplicates() of the finished splits */
  char *empty_name;             /* the image of the first of them, or NULL */
  guint unfound;                /* images in which no frame was found: described by one patch in the middle */
  TosstDictionary *dictionary;  /* of the first split; NULL without a dictionary */
  struct TosstModel *model;     /* of the first split */
  struct TosstAtomUsage *usage; /* of the first split */
} TosstRunResult;

/* Frees what a split owns (TosstSplitResult *); neither its model nor the use of its atoms. */
void tosst_run_split_clear (gpointer split);
void tosst_run_result_free (TosstRunResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRunResult, tosst_run_result_free)

/* Memory and disk of a run, computed from sizes only. */
typedef struct
{
  gsize tensors, samples;
  int d;
  gboolean learns;   /* a dictionary */
  gboolean resident; /* all tensors are kept in memory; otherwise in a file, or described again by each split */
  gsize features;    /* bytes of local features in memory, of a run without tensors */
  gsize bytes;       /* at its peak */
  gsize images;      /* of bytes: decoded images, one for each thread */
  gsize disk;        /* of a file of tensors that several splits read; 0: none */
  gsize files;       /* on the disk at most, beside its results: tensors and two checkpoints */
  gsize available;   /* of the machine, now */
} TosstRunEstimate;

void tosst_run_estimate (const TosstRecipe *recipe, TosstDataset *dataset, int threads, TosstRunEstimate *estimate);
/* Returns FALSE with TOSST_FAILED_MEMORY if the run needs too much memory; the sentence states the size and the
 * parameters to lower. */
gboolean tosst_run_fits (const TosstRunEstimate *needs, GError **error);
/* The same of the disk, with TOSST_FAILED_OUTPUT. workspace: the store of the run, or NULL. */
gboolean tosst_run_fits_disk (const TosstRunEstimate *needs, GFile *workspace, GError **error);

#define TOSST_SPLIT_DICTIONARIES (64 << 20)

/* Earlier results to start from, and storage of checkpoints. All zero: none. */
typedef struct
{
  const TosstSplitResult *done; /* finished splits, from 0 on: not repeated, included in the result */
  int n_done;

  struct TosstStageCache *cache; /* shared with other runs (cache.h), or NULL; results are bitwise the same */

  /* Whether the splits after the first have their dictionaries, as long as all of them are within
   * TOSST_SPLIT_DICTIONARIES bytes. They have none where tensors depend on the split, without which atoms mean nothing. */
  gboolean dictionaries;
  /* Whether a model of one class an image has TosstModel.training, up to 256 MB of signatures; one on landmarks has none. */
  gboolean training;

  /* Checkpoints of unfinished splits: save() is called every interval seconds (0: never), load() returns the last
   * checkpoint of a split (new), or NULL. A resumed split gives the same bits as an uninterrupted one. Both are
   * called on the thread of the run. A large checkpoint is written to the file of place(), if there is one, and
   * looked up there first; the caller deletes that file after a later save(). */
  double interval;
  void (*save) (int split, GBytes *checkpoint, gpointer data);
  GBytes *(*load) (int split, gpointer data);
  GFile *(*place) (int split, gpointer data); /* new or NULL; the function may be NULL */
  gpointer data;

  /* Training samples up to which classifiers on kernels compare all of them with each other, and landmarks that stand for
   * more of them, of each part, at most. 0: 3000 and 2000. */
  guint exact, landmarks;

  /* Processes that execute the run together, or NULL: tosst_run_check_divided(). All make the same calls with the same
   * interval, and get the same result, without the use of atoms. Images are divided for describing and coding, and
   * learning is; classifiers are trained on all. Process 0 alone has checkpoints, which are those of any number. */
  TosstRanks *ranks;
} TosstRunOptions;

/* Whether several processes can execute the run of a recipe; FALSE with error. */
gboolean tosst_run_check_divided (const TosstRecipe *recipe, GError **error);

/* Executes a run: describes each distinct patch by a tensor and, for each split, learns a dictionary from training
 * samples (if the recipe has one), codes, pools, trains the SVM and tests it. Blocks. Returns a new result, freed with
 * tosst_run_result_free(), or NULL with error: TOSST_FAILED_MEMORY if the run would not fit into memory,
 * TOSST_FAILED_CANCELLED when cancelled. On failure *partial, if not NULL, is a new result with the finished splits. */
TosstRunResult *tosst_run_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                   const TosstRunObserver *observer, TosstRunResult **partial, GError **error);
/* As tosst_run_execute(), with options. Earlier splits in the result have neither dictionary nor model, and the
 * observer is not called for them. */
TosstRunResult *tosst_run_execute_with (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                        const TosstRunObserver *observer, const TosstRunOptions *options,
                                        TosstRunResult **partial, GError **error);

/* One sentence on the accuracies of finished splits, percent: how many of 100 new images, or blocks of images, are classified
 * correctly, how many would be by chance, and the range over splits. New; NULL of an average precision. */
char *tosst_run_sentence (const TosstRecipe *recipe, const double *accuracy, guint splits, guint classes);

/* The result of finished splits only (TosstSplitResult), from 0 on. Returns a new result, or NULL with error. */
TosstRunResult *tosst_run_sum_up (const TosstRecipe *recipe, TosstDataset *dataset, const GArray *done, GError **error);

/* Results as JSON and CSV, new. "score" names what "accuracy" and "per_class" are; an average precision is given in both
 * kinds, with the precision-recall curves of the first split (tosst_scores_curve()). */
JsonNode *tosst_run_result_to_node (const TosstRunResult *result, const TosstRecipe *recipe);
char *tosst_run_result_to_json (const TosstRunResult *result, const TosstRecipe *recipe);
char *tosst_run_result_confusion_csv (const TosstRunResult *result);
