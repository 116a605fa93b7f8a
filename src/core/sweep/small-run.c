/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rates by a small run: a few images of the data set go through all stages of the recipe, with fewer tensors to learn
 * from. Describing and coding take a time for each image, learning one for each tensor besides one for each iteration,
 * and the classifier one for each pair of training samples.
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
count_each (TosstDataset *dataset, guint some, double wanted, gsize most)
{
  guint n = tosst_dataset_own_images (dataset), classes = tosst_dataset_classes (dataset), least = n;
  g_autofree guint *small = g_new0 (guint, classes);

  for (guint i = 0; i < n; i++)
    small[tosst_dataset_image (dataset, i)->class_index] += tosst_dataset_image_bytes (dataset, i) <= most;
  for (guint c = 0; c < classes; c++)
    if (is_chosen (c, some, classes))
      least = MIN (least, small[c]);
  return MAX (2, MIN (least, (guint)(wanted / some)));
}

/* As many images of each of some classes, evenly spread, that need at most so many bytes of memory; NULL if they have too
 * many patches, or too few are as small. */
static GArray *
choose_images (const TosstRecipe *recipe, TosstDataset *dataset, gsize most, guint *each)
{
  guint n = tosst_dataset_own_images (dataset), classes = tosst_dataset_classes (dataset);
  g_autofree guint *taken = g_new0 (guint, classes);
  GArray *images = g_array_new (FALSE, FALSE, sizeof (guint));
  gsize patches = 0;
  double wanted = CLAMP (IMAGES * SMALL_PIXELS * tosst_dataset_images (dataset) / MAX (count_pixels (dataset), 1),
                         IMAGES, MOST_IMAGES);

  if (tosst_dataset_largest_bytes (dataset) > TOSST_SWEEP_LARGE_IMAGE)
    wanted = LEAST_IMAGES;

  tosst_patches_bytes_of_recipe (recipe, dataset, &patches);
  if (!tosst_recipe_is_local (recipe) && patches > 0)
    wanted = MIN (wanted, (double)PATCHES * n / (double)patches);
  guint some = (guint)CLAMP (wanted / 2, 2, classes);
  *each = count_each (dataset, some, wanted, most);
  for (guint i = 0; i < n; i++)
    {
      guint c = (guint)tosst_dataset_image (dataset, i)->class_index;
      gboolean chosen
          = taken[c] < *each && is_chosen (c, some, classes) && tosst_dataset_image_bytes (dataset, i) <= most;

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

gboolean
tosst_sweep_run_small (const TosstRecipe *recipe, TosstDataset *whole, TosstContext *context,
                       double seconds[TOSST_N_STAGES], GError **error)
{
  if (tosst_recipe_is_combined (recipe))
    return run_small_parts (recipe, whole, context, seconds, error);

  g_autoptr (TosstDataset) dataset = tosst_dataset_of_run (whole, recipe, error);
  double share, splits, pixels;
  guint each_class = 2;

  if (dataset == NULL)
    return FALSE;
  splits = tosst_dataset_splits (dataset, recipe);

  g_autoptr (GArray) images = tosst_dataset_has_several_labels (dataset)
                                  ? NULL
                                  : choose_images (recipe, dataset, tosst_sweep_image_bytes (context), &each_class);
  g_autoptr (TosstDataset) some = images != NULL ? tosst_dataset_subset (dataset, images) : NULL;
  g_autoptr (TosstRecipe) small = some != NULL ? small_recipe (recipe, each_class) : NULL;
  /* Chosen images with their copies. */
  g_autoptr (TosstDataset) made = some != NULL ? tosst_dataset_of_run (some, small, NULL) : NULL;
  g_autoptr (TosstRunResult) result = NULL;
  TosstIteration last = { 0 };
  const TosstRunObserver observer = { .iteration = keep_iteration, .data = &last };
  gsize patches, few;

  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    seconds[stage] = NAN;
  if (small == NULL)
    return TRUE;
  result = tosst_run_execute (small, some, context, &observer, NULL, error);
  if (result == NULL)
    return FALSE;
  tosst_patches_bytes_of_recipe (recipe, dataset, &patches);
  tosst_patches_bytes_of_recipe (small, made, &few);
  pixels = count_pixels (dataset);
  share = pixels > 0 ? count_pixels (made) / pixels : (double)images->len / tosst_dataset_images (dataset);

  double each = tosst_recipe_has_split_tensors (recipe) ? splits : 1;
  double tensors = MIN ((double)patches * count_training (recipe, dataset) / tosst_dataset_samples (dataset),
                        recipe->dictionary.sample);
  double learned
      = MIN ((double)few * count_training (small, made) / tosst_dataset_samples (made), small->dictionary.sample);
  /* Copies have no part in choosing C. */
  double own = (double)tosst_dataset_own_samples (dataset) / tosst_dataset_samples (dataset);
  double grows = growing_part (&last), more = count_training (recipe, dataset) / ROWS;

  seconds[TOSST_STAGE_DESCRIBE] = each * result->seconds[TOSST_STAGE_DESCRIBE] / share;
  seconds[TOSST_STAGE_LEARN]
      = splits * result->seconds[TOSST_STAGE_LEARN] * (1 - grows + grows * MAX (tensors / learned, 1));
  if (tosst_recipe_is_fisher (recipe))
    seconds[TOSST_STAGE_LEARN]
        = splits * result->seconds[TOSST_STAGE_LEARN] * MAX (sampled (recipe, dataset) / sampled (small, made), 1);
  seconds[TOSST_STAGE_CODE] = splits * result->seconds[TOSST_STAGE_CODE] / share;
  if (recipe->classifier.loss == TOSST_LOSS_SQUARES)
    seconds[TOSST_STAGE_TRAIN] = splits * time_regression (context, more * ROWS, (int)tosst_dataset_classes (dataset));
  else
    seconds[TOSST_STAGE_TRAIN]
        = splits * (1 + (recipe->classifier.choose_c ? CHOOSING : 0) * own * own) * more * more
          * time_classifier (context, (gsize)tosst_recipe_code_length (recipe), (int)tosst_dataset_classes (dataset));
  seconds[TOSST_STAGE_TEST] = splits * result->seconds[TOSST_STAGE_TEST] / share;
  return TRUE;
}
