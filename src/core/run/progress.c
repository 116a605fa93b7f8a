/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/base.h"
#include "core/method/parts.h"
#include "core/run/private.h"

/* Typical numbers of local features of an image. */
#define SIFT_FEATURES 15000
#define FILE_FEATURES 1000

/* Operations for each pixel of kinds lbp and image-covariance, and of invariant-covariance; typical pixels of an image. */
#define TEXTURE_WORK 600
#define INVARIANT_WORK 1500
#define TEXTURE_PIXELS 2e5

const char *
tosst_stage_name (TosstStage stage)
{
  static const char *const names[TOSST_N_STAGES] = { "describe", "learn", "code", "train", "test" };

  return names[stage];
}

const char *
tosst_stage_label (TosstStage stage, const TosstRecipe *recipe)
{
  static const char *const labels[TOSST_N_STAGES]
      = { N_ ("Describing patches"), N_ ("Learning the dictionary"), N_ ("Coding and pooling"),
          N_ ("Training the classifier"), N_ ("Testing") };
  static const char *const of_features[]
      = { N_ ("Computing local features"), N_ ("Learning the mixture"), N_ ("Coding") };
  static const char *const of_images[] = { N_ ("Describing images"), N_ ("Learning"), N_ ("Coding and pooling") };

  if (recipe == NULL || stage >= G_N_ELEMENTS (of_features))
    return labels[stage];
  if (tosst_recipe_has_parts (recipe) || tosst_recipe_is_texture (recipe, NULL))
    return of_images[stage];
  return tosst_recipe_is_fisher (recipe) ? of_features[stage] : labels[stage];
}

gboolean
tosst_run_stores_tensors (const TosstRun *self)
{
  return self->source->tensors != NULL || self->source->file != NULL;
}

/* Sizes that determine the work of a run. */
typedef struct
{
  const TosstRecipe *recipe;
  double patches, m, d;
  gboolean keeps; /* tensors are described once */
} Sizes;

/* Estimated fraction of the allowed iterations of learning after which the objective stops falling. */
#define LIKELY_ITERATIONS 0.6
/* Iterations of k-means and EM until a mixture stops improving. */
#define MIXTURE_ITERATIONS 35
/* Operations for one descriptor of dense SIFT, and at a frame that is detected. */
#define SIFT_WORK 1e5
#define FRAME_WORK 3e6

static double
fisher_work (const Sizes *sizes, TosstStage stage)
{
  const TosstRecipe *recipe = sizes->recipe;
  gboolean sift = recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT;
  double n = sizes->patches, length = tosst_recipe_code_length (recipe), d = sizes->d;
  int most = tosst_recipe_has_frames (recipe) ? recipe->descriptor.most : 0;
  double features = n * (!sift ? FILE_FEATURES : most > 0 ? most : SIFT_FEATURES);

  switch (stage)
    {
    case TOSST_STAGE_DESCRIBE:
      return features * (most > 0 ? FRAME_WORK : sift ? SIFT_WORK : 0.1 * SIFT_WORK);
    case TOSST_STAGE_LEARN:
      return MIXTURE_ITERATIONS * recipe->coding.gaussian_sample * 3 * length + features * 10 * d;
    case TOSST_STAGE_CODE:
      return features * (2 * TOSST_SIFT_LENGTH * d + 3 * length);
    case TOSST_STAGE_TRAIN:
      return n * MIN (n, TOSST_RUN_EXACT) * length * (recipe->classifier.choose_c ? 5 : 1);
    case TOSST_STAGE_TEST:
    case TOSST_N_STAGES:
    default:
      return n * length;
    }
}

/* Expected work of a stage (of one split), in units of about one floating-point operation; only ratios matter. */
static double
work_of (const Sizes *sizes, TosstStage stage)
{
  const TosstRecipe *recipe = sizes->recipe;
  gboolean learns = tosst_recipe_has_dictionary (recipe);
  double m = sizes->m, n = sizes->patches, K = tosst_recipe_code_length (recipe);
  double pixels = pow (recipe->descriptor.patch, 2);
  double sample = MIN (n, recipe->dictionary.sample);
  double describe = 4 * n * pixels * m, code = learns ? n * K * (2 * m + 10 * K) : n * 100 * m;
  gboolean linear = tosst_recipe_is_linear (recipe);

  if (tosst_recipe_is_fisher (recipe))
    return fisher_work (sizes, stage);
  if (tosst_recipe_is_local (recipe))
    describe = 2 * n * m * (recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT ? SIFT_FEATURES : FILE_FEATURES);
  if (tosst_recipe_is_texture (recipe, NULL))
    {
      int block = tosst_recipe_block (recipe);
      double work = recipe->descriptor.kind == TOSST_DESCRIPTOR_INVARIANT_COVARIANCE ? INVARIANT_WORK : TEXTURE_WORK;

      describe = n * work * (block > 0 ? (double)block * block : TEXTURE_PIXELS);
    }
  if (tosst_recipe_coding (recipe) == TOSST_CODING_LOG_EUCLIDEAN)
    code = 20 * n * pow (sizes->d, 3);
  if (linear)
    code = 2 * n * m * K;
  if (recipe->descriptor.gamma_eigen < 1 && !tosst_recipe_is_texture (recipe, NULL))
    describe += 20 * n * pow (sizes->d, 4);

  switch (stage)
    {
    case TOSST_STAGE_DESCRIBE:
      return describe;
    case TOSST_STAGE_LEARN:
      if (tosst_recipe_coding (recipe) == TOSST_CODING_PCA)
        return m * sample * (2 * sample + 2 * K);
      return !learns ? 0 : LIKELY_ITERATIONS * recipe->dictionary.iterations * sample * K * (4 * m + 10 * K);
    case TOSST_STAGE_CODE:
      return sizes->keeps ? code : code + describe;
    case TOSST_STAGE_TRAIN:
      /* Choosing C trains six values of C on five folds, each on four fifths of the samples. */
      return 0.02 * code * (recipe->classifier.choose_c ? 25 : 1);
    case TOSST_STAGE_TEST:
    case TOSST_N_STAGES:
    default:
      return 0.02 * code;
    }
}

/* Classifying on the sum of the parts takes little time. */
static double
stage_work (const TosstRun *self, TosstStage stage)
{
  if (self->combined != NULL)
    return 0;

  const Sizes sizes = { self->recipe, (double)self->patches->count, (double)self->layout->m, self->layout->d,
                        tosst_run_stores_tensors (self) };

  return work_of (&sizes, stage);
}

void
tosst_run_announce_whole (TosstRun *self, double whole)
{
  const TosstRunObserver *observer = self->observer;
  double elapsed = tosst_context_seconds (self->context) - self->start;

  if (observer != NULL && observer->progress != NULL)
    observer->progress (whole, whole > 0.02 && elapsed > 1 ? elapsed * (1 - whole) / whole : -1, observer->data);
}

static void
announce (TosstRun *self, double fraction)
{
  const TosstRunObserver *observer = self->observer;

  if (observer == NULL)
    return;
  if (observer->stage != NULL)
    observer->stage (self->stage, self->split, fraction, observer->data);
  tosst_run_announce_whole (self, MIN ((self->done + fraction * self->weight) / self->total, 1));
}

void
tosst_run_on_progress (double fraction, void *data)
{
  TosstRun *self = data;

  announce (self, self->low + (self->high - self->low) * fraction);
}

void
tosst_run_part (TosstRun *self, double low, double high)
{
  self->low = low;
  self->high = high;
}

void
tosst_run_enter (TosstRun *self, TosstStage stage, int split)
{
  self->stage = stage;
  self->split = split;
  self->weight = stage_work (self, stage);
  self->stage_start = tosst_context_seconds (self->context);
  tosst_run_part (self, 0, 1);
  announce (self, 0);
}

void
tosst_run_leave (TosstRun *self)
{
  self->result->seconds[self->stage] += tosst_context_seconds (self->context) - self->stage_start;
  announce (self, 1);
  self->done += self->weight;
}

double
tosst_run_total_work (const TosstRun *self)
{
  double split = stage_work (self, TOSST_STAGE_LEARN) + stage_work (self, TOSST_STAGE_CODE)
                 + stage_work (self, TOSST_STAGE_TRAIN) + stage_work (self, TOSST_STAGE_TEST);

  guint times = tosst_recipe_has_split_tensors (self->recipe) ? self->splits - self->first : 1;

  gboolean describes = tosst_run_stores_tensors (self) || !tosst_recipe_has_tensors (self->recipe);

  return (describes && !self->described ? times * stage_work (self, TOSST_STAGE_DESCRIBE) : 0)
         + (self->splits - self->first) * split;
}

static void
add_work (const TosstRecipe *recipe, TosstDataset *whole, double work[TOSST_N_STAGES])
{
  g_autoptr (TosstDataset) used = tosst_dataset_of_run (whole, recipe, NULL);
  TosstDataset *dataset = used != NULL ? used : whole;
  TosstShape shape = tosst_recipe_shape (recipe);
  gsize patches;
  double splits = tosst_dataset_splits (dataset, recipe);

  tosst_patches_bytes_of_recipe (recipe, dataset, &patches);
  const Sizes sizes = { recipe, (double)patches, (double)tosst_shape_numbers (shape), shape.d1, TRUE };
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    work[stage] += work_of (&sizes, stage) * (stage == TOSST_STAGE_DESCRIBE ? 1 : splits);
}

void
tosst_run_work (const TosstRecipe *recipe, TosstDataset *dataset, double work[TOSST_N_STAGES])
{
  g_autoptr (TosstParts) parts = tosst_recipe_has_parts (recipe) ? tosst_parts_new (recipe, NULL) : NULL;

  memset (work, 0, TOSST_N_STAGES * sizeof *work);
  if (parts == NULL)
    add_work (recipe, dataset, work);
  for (guint i = 0; parts != NULL && i < parts->n; i++)
    add_work (parts->recipe[i], dataset, work);
}
