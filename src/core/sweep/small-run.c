/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rates by a small run: a few images of the data set go through all stages of the recipe, with fewer tensors to learn
 * from. Describing and coding take a time for each image, learning one for each tensor besides one for each iteration,
 * and the classifier one for each pair of training samples. A run of well under a second is repeated with more images:
 * what the stages take besides (principal components, a coder, the first use of memory) is told apart by both.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/local/feature-cache.h"
#include "core/method/parts.h"
#include "core/run/private.h"
#include "core/sweep/private.h"
#include "tosst/classify.h"

/* Share of the available memory that decoded images may take. */
#define IMAGES_SHARE 4

/* Size of the small run. Images with more patches are measured otherwise. */
#define IMAGES 16
#define SMALL_PIXELS (128.0 * 128.0) /* of smaller images more, as they have few local features */
#define MOST_IMAGES (8.0 * IMAGES)
#define PATCHES 10000
#define SHORT_SECONDS 0.6 /* of all stages: repeated with MORE times the images */
#define MORE 4
#define LEAST_SLOPE 0.3 /* of the time of an image by the larger run alone: noise must not take off more */
#define LEAST_IMAGES 4
#define TENSORS 1000

/* Numbers of the machine that stands for the classifier. */
#define ROWS 128
#define MOST_COLUMNS 8192

/* Values of C times folds, each on a part of the samples. */
#define CHOOSING 25

static double
count_pixels (TosstDataset *dataset)
{
  double pixels = 0;

  for (guint i = 0; i < tosst_dataset_images (dataset); i++)
    pixels += (double)tosst_dataset_image (dataset, i)->width * tosst_dataset_image (dataset, i)->height;
  return pixels;
}

/* Classes 0, classes / some, ...: those at which the number of earlier ones rises. */
static gboolean
is_chosen (guint c, guint some, guint classes)
{
  return (c * some) / classes != ((c + 1) * some) / classes;
}

/* Images of each of some classes: two or more, and as many in each. */
static guint
count_each (TosstDataset *dataset, guint some, double wanted, int side, gsize most)
{
  guint n = tosst_dataset_own_images (dataset), classes = tosst_dataset_classes (dataset), least = n;
  g_autofree guint *small = g_new0 (guint, classes);

  for (guint i = 0; i < n; i++)
    small[tosst_dataset_image (dataset, i)->class_index] += tosst_dataset_image_bytes (dataset, i, side) <= most;
  for (guint c = 0; c < classes; c++)
    if (is_chosen (c, some, classes))
      least = MIN (least, small[c]);
  return MAX (2, MIN (least, (guint)(wanted / some)));
}

/* As many images of each of some classes, evenly spread, that need at most so many bytes of memory; NULL if they have too
 * many patches, or too few are as small. factor: times the usual number. */
static GArray *
choose_images (const TosstRecipe *recipe, TosstDataset *dataset, double factor, gsize most, guint *each)
{
  guint n = tosst_dataset_own_images (dataset), classes = tosst_dataset_classes (dataset);
  g_autofree guint *taken = g_new0 (guint, classes);
  GArray *images = g_array_new (FALSE, FALSE, sizeof (guint));
  gsize patches = 0;
  int side = tosst_recipe_longest (recipe);
  double wanted = CLAMP (IMAGES * SMALL_PIXELS * tosst_dataset_images (dataset) / MAX (count_pixels (dataset), 1),
                         IMAGES, MOST_IMAGES);

  if (tosst_dataset_largest_bytes (dataset, side) > TOSST_SWEEP_LARGE_IMAGE)
    wanted = LEAST_IMAGES;

  tosst_patches_bytes_of_recipe (recipe, dataset, &patches);
  if (!tosst_recipe_is_local (recipe) && patches > 0)
    wanted = MIN (wanted, (double)PATCHES * n / (double)patches);
  wanted *= factor;
  guint some = (guint)CLAMP (wanted / 2, 2, classes);
  *each = count_each (dataset, some, wanted, side, most);
  for (guint i = 0; i < n; i++)
    {
      guint c = (guint)tosst_dataset_image (dataset, i)->class_index;
      gboolean chosen
          = taken[c] < *each && is_chosen (c, some, classes) && tosst_dataset_image_bytes (dataset, i, side) <= most;

      taken[c] += chosen;
      if (chosen)
        g_array_append_val (images, i);
    }
  if (wanted < LEAST_IMAGES || images->len < LEAST_IMAGES)
    g_clear_pointer (&images, g_array_unref);
  return images;
}

static TosstRecipe *
small_recipe (const TosstRecipe *recipe, guint each)
{
  TosstRecipe *small = tosst_recipe_copy (recipe);
  int slices = MAX (tosst_shape_slices (tosst_recipe_shape (recipe)), 1);

  small->dataset.protocol = TOSST_PROTOCOL_RANDOM;
  small->dataset.splits = 1;
  small->dataset.within = 0;
  small->dataset.train_per_class = (int)each / 2;
  small->classifier.choose_c = FALSE;
  small->dictionary.sample = MIN (recipe->dictionary.sample, MAX (TENSORS, 2 * recipe->dictionary.atoms / slices));
  return small;
}

/* The last iteration of learning, with the times of its parts so far. */
static void
keep_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
                gpointer data)
{
  *(TosstIteration *)data = *iteration;
}

/* The part of learning that grows with the number of tensors; solvers that do not report parts: all of it. */
static double
growing_part (const TosstIteration *last)
{
  const double *stage = last->stage;
  double fixed = stage[TOSST_LEARN_SETUP] + stage[TOSST_LEARN_SUMS] + stage[TOSST_LEARN_B] + stage[TOSST_LEARN_W]
                 + stage[TOSST_LEARN_b] + stage[TOSST_LEARN_REST];
  double growing
      = stage[TOSST_LEARN_PRODUCTS] + stage[TOSST_LEARN_Y] + stage[TOSST_LEARN_P] + stage[TOSST_LEARN_LASSOS];

  return growing > 0 ? growing / (growing + fixed) : 1;
}

/* Seconds of training a classifier of random signatures of this length and number of classes. */
static double
time_classifier (TosstContext *context, gsize length, int classes)
{
  int p = (int)MIN (length, MOST_COLUMNS), used = MIN (classes, ROWS / 2);
  g_autofree float *rows = g_new (float, (gsize)ROWS *(gsize)p);
  g_autofree int *labels = g_new (int, ROWS);
  TosstSvmOptions options;
  TosstSvm *svm = NULL;
  TosstRandom random;
  double start;

  tosst_random_init (&random, 1, 1);
  for (gsize i = 0; i < (gsize)ROWS * (gsize)p; i++)
    rows[i] = (float)((tosst_random_uniform (&random) - 0.5) / sqrt (p / 12.0));
  for (int i = 0; i < ROWS; i++)
    labels[i] = i % used;
  tosst_svm_options_default (&options);
  start = tosst_context_seconds (context);
  if (tosst_svm_train (context, rows, ROWS, p, labels, used, &options, NULL, &svm) != TOSST_OK)
    return 0;
  tosst_svm_free (svm);
  return (tosst_context_seconds (context) - start) * (double)length / p * (double)classes / used;
}

/* Seconds of a regression on the similarities of n training samples, with C by leaving one out: of ROWS random ones, by the
 * cube of their number. */
static double
time_regression (TosstContext *context, double n, int classes)
{
  g_autofree double *gram = g_new0 (double, ROWS *ROWS);
  g_autofree int *labels = g_new (int, ROWS);
  double ridge[TOSST_SVM_GRID], start, factor = n / ROWS;
  TosstLeaveOneOut result[TOSST_SVM_GRID];
  TosstRandom random;
  int used = MIN (classes, ROWS / 2);

  tosst_random_init (&random, 1, 1);
  for (gsize i = 0; i < ROWS; i++)
    for (gsize j = 0; j <= i; j++)
      gram[i * ROWS + j] = gram[j * ROWS + i] = i == j ? 1 : 0.1 * tosst_random_uniform (&random);
  for (int i = 0; i < ROWS; i++)
    labels[i] = i % used;
  for (int i = 0; i < TOSST_SVM_GRID; i++)
    ridge[i] = TOSST_KERNEL_RIDGE (tosst_svm_grid (i));
  start = tosst_context_seconds (context);
  if (tosst_kernel_leave_one_out (context, gram, ROWS, labels, NULL, used, ridge, TOSST_SVM_GRID, result) != TOSST_OK)
    return 0;
  return (tosst_context_seconds (context) - start) * factor * factor * factor;
}

/* Number of training samples of a split. */
static double
count_training (const TosstRecipe *recipe, TosstDataset *dataset)
{
  g_autoptr (GArray) train = NULL, test = NULL;

  return tosst_dataset_split (dataset, recipe, 0, &train, &test, NULL) ? train->len : tosst_dataset_samples (dataset);
}

/* Local features that a mixture is learned from. */
static double
sampled (const TosstRecipe *recipe, TosstDataset *dataset)
{
  double there = (double)tosst_local_features_expected (recipe, dataset) * count_training (recipe, dataset)
                 / tosst_dataset_samples (dataset);

  return CLAMP (there, 1, recipe->coding.gaussian_sample);
}

/* The sum over the parts of a combination; NAN if one of them cannot be measured so. */
static gboolean
run_small_parts (const TosstRecipe *recipe, TosstDataset *whole, TosstContext *context, double seconds[TOSST_N_STAGES],
                 GError **error)
{
  g_autoptr (TosstParts) parts = tosst_parts_new (recipe, error);

  memset (seconds, 0, TOSST_N_STAGES * sizeof *seconds);
  for (guint i = 0; parts != NULL && i < parts->n; i++)
    {
      double one[TOSST_N_STAGES];

      if (!tosst_sweep_run_small (parts->recipe[i], whole, context, one, error))
        return FALSE;
      for (int stage = 0; stage < TOSST_N_STAGES; stage++)
        seconds[stage] += one[stage];
    }
  return parts != NULL;
}

gsize
tosst_sweep_image_bytes (TosstContext *context)
{
  gsize share = tosst_memory_available () / IMAGES_SHARE / (gsize)tosst_context_threads (context);

  return MIN (share, TOSST_SWEEP_IMAGE_BYTES);
}

/* A run of a few images. */
typedef struct
{
  TosstRecipe *recipe;
  TosstDataset *dataset; /* the images with their copies */
  TosstRunResult *result;
  double share;  /* of the pixels of the data set */
  double images; /* chosen */
  TosstIteration last;
} SmallRun;

static void
clear_run (SmallRun *self)
{
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  g_clear_pointer (&self->result, tosst_run_result_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SmallRun, clear_run)

/* Runs the recipe on factor times the usual number of images; result is NULL if that cannot be measured so. */
static gboolean
execute (SmallRun *self, const TosstRecipe *recipe, TosstDataset *dataset, double factor, TosstContext *context,
         GError **error)
{
  const TosstRunObserver observer = { .iteration = keep_iteration, .data = &self->last };
  guint each = 2;
  g_autoptr (GArray) images = tosst_dataset_has_several_labels (dataset)
                                  ? NULL
                                  : choose_images (recipe, dataset, factor, tosst_sweep_image_bytes (context), &each);
  g_autoptr (TosstDataset) some = images != NULL ? tosst_dataset_subset (dataset, images) : NULL;
  double pixels = count_pixels (dataset);

  if (some == NULL)
    return TRUE;
  self->recipe = small_recipe (recipe, each);
  self->dataset = tosst_dataset_of_run (some, self->recipe, error);
  self->result = self->dataset != NULL ? tosst_run_execute (self->recipe, some, context, &observer, NULL, error) : NULL;
  self->images = images->len;
  self->share
      = pixels > 0 ? count_pixels (self->dataset) / pixels : (double)images->len / tosst_dataset_images (dataset);
  return self->result != NULL;
}

static double
total (const TosstRunResult *result)
{
  double seconds = 0;

  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    seconds += result->seconds[stage];
  return seconds;
}

/* Seconds of a stage for all images. With two runs the time of an image is the slope between them: without what
 * both take once. */
static double
for_all (const SmallRun *first, const SmallRun *second, TosstStage stage)
{
  const SmallRun *last = second->result != NULL ? second : first;
  double took = last->result->seconds[stage], slope = took / last->share;

  if (last == second)
    slope = CLAMP ((took - first->result->seconds[stage]) / (second->share - first->share), LEAST_SLOPE * slope, slope);
  return took + slope * (1 - last->share);
}

gboolean
tosst_sweep_run_small (const TosstRecipe *recipe, TosstDataset *whole, TosstContext *context,
                       double seconds[TOSST_N_STAGES], GError **error)
{
  if (tosst_recipe_has_parts (recipe))
    return run_small_parts (recipe, whole, context, seconds, error);

  g_autoptr (TosstDataset) dataset = tosst_dataset_of_run (whole, recipe, error);
  g_auto (SmallRun) first = { 0 }, second = { 0 };
  const SmallRun *last = &first;
  gsize patches, few;

  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    seconds[stage] = NAN;
  if (dataset == NULL || !execute (&first, recipe, dataset, 1, context, error))
    return FALSE;
  if (first.result == NULL)
    return TRUE;
  if (total (first.result) < SHORT_SECONDS && !execute (&second, recipe, dataset, MORE, context, error))
    return FALSE;
  if (second.images <= first.images)
    clear_run (&second);
  if (second.result != NULL)
    last = &second;
  tosst_patches_bytes_of_recipe (recipe, dataset, &patches);
  tosst_patches_bytes_of_recipe (last->recipe, last->dataset, &few);

  double splits = tosst_dataset_splits (dataset, recipe);
  double each = tosst_recipe_has_split_tensors (recipe) ? splits : 1;
  double samples = tosst_dataset_samples (dataset), training = count_training (recipe, dataset);
  double tensors = MIN ((double)patches * training / samples, recipe->dictionary.sample);
  double learned
      = MIN ((double)few * count_training (last->recipe, last->dataset) / tosst_dataset_samples (last->dataset),
             last->recipe->dictionary.sample);
  /* Copies have no part in choosing C. */
  double own = (double)tosst_dataset_own_samples (dataset) / samples;
  double grows = growing_part (&last->last), more = training / ROWS,
         learning = splits * last->result->seconds[TOSST_STAGE_LEARN];
  int classes = (int)tosst_dataset_classes (dataset);

  seconds[TOSST_STAGE_DESCRIBE] = each * for_all (&first, &second, TOSST_STAGE_DESCRIBE);
  seconds[TOSST_STAGE_LEARN] = learning * (1 - grows + grows * MAX (tensors / learned, 1));
  if (tosst_recipe_is_fisher (recipe))
    seconds[TOSST_STAGE_LEARN] = learning * MAX (sampled (recipe, dataset) / sampled (last->recipe, last->dataset), 1);
  seconds[TOSST_STAGE_CODE] = splits * for_all (&first, &second, TOSST_STAGE_CODE);
  if (recipe->classifier.loss == TOSST_LOSS_SQUARES)
    seconds[TOSST_STAGE_TRAIN] = splits * time_regression (context, training, classes);
  else
    seconds[TOSST_STAGE_TRAIN] = splits * (1 + (recipe->classifier.choose_c ? CHOOSING : 0) * own * own) * more * more
                                 * time_classifier (context, (gsize)tosst_recipe_signature_length (recipe), classes);
  seconds[TOSST_STAGE_TEST] = splits * for_all (&first, &second, TOSST_STAGE_TEST);
  return TRUE;
}
