/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/base/row-file.h"
#include "core/data/patches.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/part-kernel.h"
#include "core/local/feature-cache.h"
#include "core/local/image-tensors.h"
#include "core/run/cache.h"
#include "core/run/checkpoint.h"
#include "core/run/run.h"

/* A reference-counted result in the cache; constant once shared. */
typedef struct
{
  gpointer data;
  GDestroyNotify free;
  gsize bytes;
  double seconds; /* duration of its computation */
} TosstShared;

TosstShared *tosst_shared_new (gpointer data, GDestroyNotify free, gsize bytes); /* takes ownership of data */
TosstShared *tosst_shared_ref (TosstShared *self);
void tosst_shared_unref (TosstShared *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstShared, tosst_shared_unref)

/* Codes of all patches, with the results of coding; constant. */
typedef struct
{
  TosstCodes *codes;
  double worst_kkt, mean_nonzeros;
} TosstCachedCodes;

void tosst_cached_codes_free (gpointer data); /* TosstCachedCodes * */
void tosst_learned_free (gpointer data);      /* TosstLearned * */
void tosst_signatures_free (gpointer data);   /* TosstSignatures * */

/* A request for a stage result. */
typedef struct
{
  char *key;    /* of the result, which is to be cached and which other threads may wait for; or NULL */
  double start; /* start of the computation, by the context's clock */
} TosstCacheRequest;

/* The tensors of all distinct patches of a data set: in memory, in a file, or described on demand. Constant once
 * opened; thread-safe. */
typedef struct
{
  TosstRecipe *recipe; /* parameters of the descriptor; a copy */
  TosstDataset *dataset;
  TosstPatches *patches;
  TosstLayout *layout;
  float *tensors;              /* patches x m, or NULL if not in memory */
  GBytes *received;            /* that they are in, of another process; or NULL */
  TosstRowFile *file;          /* the same tensors in a file, or NULL */
  TosstPca *pca;               /* principal components of local features, or NULL */
  TosstFeatureCache *features; /* of Fisher vectors, which have no tensors; or NULL */
  int split;                   /* that the tensors belong to; -1: all */
  guint image, images;         /* images of this process: image .. image + images - 1 */
  gsize begin, end;            /* their patches, whose tensors are in memory or in the file */
} TosstTensors;

/* A dictionary and how it was learned; constant. */
typedef struct
{
  TosstDictionary *dictionary;
  GArray *trace; /* TosstIteration */
  double *usage; /* K, of the last iteration; or NULL */
} TosstLearned;

/* Signatures of all samples; constant. */
typedef struct
{
  float *values;   /* samples x length */
  gsize bytes;     /* of values */
  gboolean mapped; /* values are in a file, and released from memory behind their writers and readers */
  double worst_kkt, mean_nonzeros;
  TosstAtomUsage *usage; /* of the first split; NULL if not all codes were computed at once */
  TosstPca *pca;         /* of Fisher vectors, or NULL */
  TosstMixture *mixture; /* of Fisher vectors, or NULL */
} TosstSignatures;

/* A run in progress. Codes of one image at a time are in memory and pooled immediately. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset;
  TosstContext *context;
  const TosstRunObserver *observer;
  TosstShared *shared_tensors; /* data: TosstTensors */
  TosstAtomUsage *atom_usage;  /* of the first split, until it is moved to the result; or NULL */
  const TosstTensors *source;  /* data of shared_tensors; patches and layout are its members */
  const TosstPatches *patches;
  const TosstLayout *layout;
  TosstRunResult *result;
  const TosstRunOptions *options;
  gboolean described;  /* whether the tensors came from the cache */
  guint splits, first; /* number of splits; the first unfinished one */
  gsize codes, length; /* length of a code, and of a signature */

  struct TosstCombined *combined; /* of several parts; NULL: of one descriptor */

  /* The current split. */
  TosstCheckpoint *checkpoint; /* of an earlier execution, or NULL */
  GArray *trace;               /* TosstIteration */
  double *usage;               /* of the last iteration; or NULL */
  TosstDictionary *drawn;      /* of dictionary.source=random, from the learned one; or NULL */
  TosstLinear *components;     /* of coding.method=pca, or NULL */
  gsize sample;                /* number of tensors learned from */
  double before;               /* seconds of learning before the checkpoint */
  double learning;             /* start of learning, by the context's clock */
  double objective, residual;  /* of the learned dictionary; the residual, relative, is NAN where a random one codes */
  gint64 saved;                /* monotonic time of the last checkpoint */
  double interval;             /* minimum seconds to the next checkpoint; 0: the interval of options */
  TosstCheckpoint *held;       /* state after the last complete iteration, not saved yet; or NULL */

  /* The stage of the engine's progress. */
  TosstStage stage;
  int split;
  double low, high;           /* range of the stage's fraction */
  double done, weight, total; /* work of finished stages, of the current stage, of the run */
  double start;
  double stage_start;
} TosstRun;

/* cache.c. *found: a new reference to the cached result of a part of the run, after waiting for another thread that
 * computes it; or NULL: this thread has to compute it and ends the request with tosst_run_cache_put(). FALSE with an
 * error: the run was cancelled. split: -1 for all. */
gboolean tosst_run_cache_get (TosstRun *self, TosstCacheRequest *request, TosstRunPart part, int split,
                              TosstShared **found, GError **error);
/* Ends a request. made: the result (borrowed), or NULL after a failure. */
void tosst_run_cache_put (TosstRun *self, TosstCacheRequest *request, TosstShared *made);

/* transfer.c. Whether results of this part of a run can be sent to other processes. */
struct TosstStageForm
{
  gboolean (*is_sent) (const TosstRun *run, TosstRunPart part);
  /* The bytes of a result, with all its bits; empty: not in memory. May refer to the result. NULL: it cannot be sent. */
  GBytes *(*pack) (TosstShared *self, TosstRunPart part);
  /* The result of these bytes for a run, which waits for it. NULL: it is to be made here. */
  TosstShared *(*unpack) (TosstRun *run, GBytes *content, TosstRunPart part, int split);
};

/* divide.c. The images of this process among those that execute the run together: about as many patches as of each
 * other. */
void tosst_run_share_images (const TosstRun *self, const TosstPatches *patches, guint *image, guint *images);
/* Part of n items in a row that this process has. */
void tosst_run_share (const TosstRun *self, gsize n, gsize *first, gsize *count);
/* The share of an image in the mean number of non-zeros, which is NAN where codes have none, before it is coded. */
#define TOSST_NOT_CODED -1.0
static inline gboolean
tosst_is_coded (double share)
{
  return !(share < 0);
}

/* Completes the signatures of a process's own images on all of them, and the shares of all images; *ended: all processes have coded theirs. */
gboolean tosst_run_share_signatures (TosstRun *self, TosstSignatures *signatures, double *shares, gboolean *ended,
                                     GError **error);
/* Sets the signatures of other images than those of this process to zero, and their shares to TOSST_NOT_CODED. */
void tosst_run_keep_own (TosstRun *self, TosstSignatures *signatures, double *shares);
/* The checkpoint of process 0 on all of them; own: NULL on others, or there is none. New, or NULL. */
GBytes *tosst_run_share_checkpoint (TosstRun *self, GBytes *own);
/* Whether process 0 is at a checkpoint. Collective. */
gboolean tosst_run_agree_due (TosstRun *self);

/* progress.c. */
void tosst_run_enter (TosstRun *self, TosstStage stage, int split);
void tosst_run_leave (TosstRun *self);
/* Reports this fraction of the whole run. */
void tosst_run_announce_whole (TosstRun *self, double whole);
/* Expected work of a run by stage, all splits, without sharing. */
void tosst_run_work (const TosstRecipe *recipe, TosstDataset *dataset, double work[TOSST_N_STAGES]);
/* Maps the engine's next progress to this part of the stage. */
void tosst_run_part (TosstRun *self, double low, double high);

void tosst_run_on_progress (double fraction, void *data); /* for the engine's context */
double tosst_run_total_work (const TosstRun *self);

/* Whether tensors are described once for the whole run. */
gboolean tosst_run_stores_tensors (const TosstRun *self);

/* Bytes of the largest signatures that are in memory and not in a file. */
gsize tosst_run_resident_signatures (void);

/* Bytes of memory for the features of a run without tensors that needs `base` bytes for the rest. */
gsize tosst_run_features_room (gsize base, gsize available);

/* checkpoint.c. Whether there are checkpoints; whether the next one is due. */
gboolean tosst_run_has_checkpoints (const TosstRun *self);
gboolean tosst_run_checkpoint_is_due (const TosstRun *self);
/* Records a checkpoint started at `start` (monotonic). The interval increases with its duration. */
void tosst_run_saved (TosstRun *self, gint64 start);

/* fisher.c. Computes the local features of all images. */
gboolean tosst_run_fill_features (TosstRun *self, TosstTensors *made, const TosstRunEstimate *needs, GError **error);

/* estimate.c */
gsize tosst_run_largest_image (const TosstPatches *patches); /* largest number of patches of an image */
void tosst_run_measure (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches,
                        const TosstLayout *layout, int threads, TosstRunEstimate *out);
/* Whether the tensors of a run are few enough for memory, by their number at most. */
gboolean tosst_run_tensors_may_stay (const TosstRecipe *recipe, TosstDataset *dataset);
/* Fills in the needs of the lists of patches; FALSE if these do not fit into memory. */
gboolean tosst_run_measure_lists (const TosstRecipe *recipe, TosstDataset *dataset, TosstRunEstimate *out);

/* sign.c. Computes the signatures of all samples for a split: tensors, dictionary, codes. *learned: a new reference, or NULL
 * without a dictionary. Returns a new reference to TosstSignatures, or NULL with error. */
TosstShared *tosst_run_sign (TosstRun *self, const GArray *train, guint split, TosstShared **learned, GError **error);
/* A model of the run without a classifier. New. */
struct TosstModel *tosst_run_model_new (TosstRun *self, const TosstDictionary *dictionary,
                                        const TosstSignatures *signatures);
/* The dictionary of the first split (or NULL) and the use of its atoms become those of the result; that of a later one is
 * kept with TosstRunOptions.dictionaries. Without memory there is none. */
void tosst_run_keep_dictionary (TosstRun *self, const TosstDictionary *dictionary, TosstSplitResult *outcome);
/* Releases what a run holds besides its result and its parts. */
void tosst_run_release (TosstRun *self);

/* Images of local features that are described, coded or read together. */
#define TOSST_RUN_IMAGES ((gsize)64)
/* estimate.c. Images of local features that are coded together: more where a projection is drawn again each time. */
gsize tosst_run_images_together (const TosstRecipe *recipe);

/* A trained classifier: a linear machine, or one on a kernel. */
typedef struct
{
  TosstSvm *svm;
  TosstKernelModel *kernel;
  double slope;     /* of its probabilities; NAN: none */
  double *sigmoids; /* with several labels a sample; NULL: none */
  float *rows;      /* signatures of the training samples, of a classifier on them that the options keep; or NULL */
} TosstTrained;

void tosst_trained_clear (TosstTrained *self);

/* Similarities of samples that are compared by more than their signatures: k without the 1 of the bias. */
typedef struct
{
  const double *train; /* of the training samples, or of the landmarks, among themselves */
  const double *test;  /* tests x training samples, or landmarks */
  const double *rows;  /* training samples x landmarks; NULL: all training samples are landmarks */
  gsize landmarks;     /* with rows */
  const GArray *base;  /* guint: the samples of the columns of test */
  gboolean alone;      /* of one part, whose classifier is not kept */
} TosstSimilar;

/* Training samples up to which all of them are landmarks. */
#define TOSST_RUN_EXACT ((gsize)3000)
/* landmarks.c. Bytes of the similarities of so many samples that so many parts have, and of training on them. */
gsize tosst_run_similar_bytes (gsize samples, guint parts);
/* The landmarks (guint): evenly spaced training samples of each class, or with several labels of all, without copies; some more
 * than that number, for no class is without one. New; NULL: all training samples. */
GArray *tosst_run_landmarks (const TosstRun *self, const GArray *train, const GArray *test, guint parts);
/* k of samples (guint) and of n rows by classifier.kernel: samples x n. Signatures are copied in blocks. diagonal: of the rows,
 * to divide by the lengths in the feature space; or NULL. empty: samples; whether their signatures are zero; or NULL. */
TosstStatus tosst_run_compare (const TosstRun *self, double width, const TosstSignatures *signatures,
                               const GArray *samples, const float *rows, gsize n, const double *diagonal,
                               double *values, gboolean *empty);

/* classifier.c. Trains the classifier of a split and tests it: outcome receives C, confusion, predictions or scores, and
 * accuracy. similar: NULL to compare by signatures; else signatures may be NULL, and the model in trained has no
 * rows. *trained is set on success. */
gboolean tosst_run_classify (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures,
                             const TosstSimilar *similar, const GArray *train, const GArray *test,
                             TosstSplitResult *outcome, TosstTrained *trained, GError **error);

/* Samples of a split in the form that classifiers need. */
typedef struct
{
  TosstRun *run;
  const GArray *train, *test;
  float *rows;           /* signatures of training samples, or of landmarks; NULL where they are not needed */
  double *own, *to_own;  /* of the next two, what is not the caller's */
  const double *gram;    /* Gram matrix of the training samples, or of the landmarks; NULL: linear machine on rows */
  const double *similar; /* training samples x landmarks; NULL: all training samples are landmarks */
  gsize n;               /* rows of the Gram matrix */
  GArray *base;          /* guint: their samples, and those of rows */
  TosstKernel kernel;
  double width;
} TosstEvidence;

/* classifier.c. Whether the model keeps so many training samples of so many numbers: TosstRunOptions.training. */
gboolean tosst_run_keeps_training (const TosstRun *self, gsize n, gsize length);
/* What a model was trained on, without rows. New. */
TosstTraining *tosst_run_training_new (const TosstRun *self, const GArray *train, double c);

/* classifier.c. Training samples that choose C and weights, which come first: all but copies (dataset.copies), as those of a
 * sample that is left out would give it away. */
gsize tosst_run_choosing (const TosstRun *self, const GArray *train);
/* The Gram matrix of the first samples of n: `gram`, or *own, new; NULL without memory. */
const double *tosst_run_first_block (const double *gram, gsize n, gsize some, double **own);

/* The slope of the largest likelihood of n samples. margins: n x classes. */
double tosst_run_fit_slope (const double *margins, const int *labels, gsize n, int classes);
/* Platt's sigmoid 1 / (1 + exp (-a f - b)) of n margins f, `stride` numbers apart, of samples with labels 1 or -1 (0: left out):
 * a >= 0, finite. */
void tosst_run_fit_sigmoid (const double *margins, gsize stride, const signed char *labels, gsize n, double *a,
                            double *b);

/* code.c. Releases `count` mapped signatures from `first` on from memory: they remain in their file. Any thread. */
void tosst_signatures_release (const TosstSignatures *self, gsize length, gsize first, gsize count);

/* Signatures that are copied together where not all are needed at once, a multiple of the rows that are compared at once. */
#define TOSST_RUN_ROWS ((gsize)240)
/* code.c. Signatures of `count` of the samples (guint) from `first` on, row by row. New; NULL if they do not fit into memory. */
float *tosst_run_select_rows (const TosstRun *self, const TosstSignatures *signatures, const GArray *samples,
                              gsize first, gsize count);
/* Codes of all images: one of each patch or, of local features, of each image. */
gsize tosst_run_count_codes (const TosstRun *self);

/* sign.c. Counts the samples whose signature is zero in the result, unless another part of a combination has more. */
void tosst_run_count_empty (TosstRun *self, const TosstSignatures *signatures);

/* Patches of an image that are coded: all, of local features the image without its regions. */
gsize tosst_run_coded_patches (const TosstRun *self, guint image);

/* tensors.c. Builds the lists of patches and the layout only; tensors are described on demand. */
gboolean tosst_run_tensors_list (TosstRun *self, int split, GError **error);

/* learn.c. Selects the patches to learn from: at most dictionary.sample patches of the training samples. A new array
 * of gsize, ascending. */
GArray *tosst_run_select_sample (const TosstRun *self, const GArray *train, int split);
/* Learns the dictionary of the split. Returns a new reference to a TosstLearned, or NULL with error. */
TosstShared *tosst_run_learn (TosstRun *self, const GArray *train, int split, GError **error);

/* checkpoint.c. Size in bytes above which a checkpoint is written to a file of its own. */
gsize tosst_run_max_checkpoint_ram (void);
/* Saves a checkpoint immediately; a large one to a file of its own. */
void tosst_run_save (TosstRun *self, const TosstCheckpoint *checkpoint);

/* Saves a checkpoint immediately: signatures of this many images or, with shares, of those that have one; and the state
 * of choosing C (or NULL). */
void tosst_run_save_coded (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, guint images,
                           const double *shares, const TosstSvmChoice *choice);

/* The dictionary that codes: the one drawn at random, or the learned one; NULL without a dictionary. */
const TosstDictionary *tosst_run_dictionary (const TosstRun *self, const TosstLearned *learned);

/* learn.c. Computes the principal components of coding.method=pca from the sample of the split. */
gboolean tosst_run_find_components (TosstRun *self, const GArray *train, int split, GError **error);

/* code.c. Computes the signatures of all samples. Returns a new reference to TosstSignatures, or NULL with error.
 * learned: NULL without a dictionary. */
TosstShared *tosst_run_code (TosstRun *self, const TosstLearned *learned, int split, GError **error);
/* fisher.c. Learns components and mixture of the split, which signatures keep, and enters its stages of learning and coding.
 * The coder of images is new; NULL with error. */
TosstFisher *tosst_run_fisher_new (TosstRun *self, TosstSignatures *signatures, int split, GError **error);
/* The signatures of n images. */
gboolean tosst_run_fisher_images (TosstRun *self, TosstSignatures *signatures, TosstFisher *fisher, guint first,
                                  guint n, GError **error);

/* tensors.c. Opens the tensors of all patches as the run's source: from the cache, from a file, or by describing them.
 * split: that they belong to, -1 if they do not depend on it. */
gboolean tosst_run_tensors_open (TosstRun *self, int split, GError **error);
/* The tensors that another process has described, as those of this run; split: as of tosst_run_tensors_open(). NULL if
 * they are of another size. */
TosstShared *tosst_run_tensors_received (TosstRun *self, int split, GBytes *content);
/* Tensors of all coded patches of `images` images; in scratch (of that size) if they are not in memory. More than one
 * image is for local features only. NULL with error. */
const float *tosst_run_tensors_of_images (TosstRun *self, guint image, guint images, float *scratch, GError **error);
/* Tensors of patches by number, ascending: count x m. */
gboolean tosst_run_tensors_gather (TosstRun *self, const gsize *number, gsize count, float *tensors, GError **error);
