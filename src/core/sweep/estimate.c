/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimate of time, memory and disk space of a sweep before it starts.
 */
#include "core/base/base.h"
#include "core/local/feature-cache.h"
#include "core/method/parts.h"
#include "core/run/private.h"
#include "core/sweep/private.h"
#include "tosst/classify.h"

/* Time of this machine per unit of work: from earlier runs on the same data, or by a small run. */

static gboolean tosst_sweep_run_small (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                       double seconds[TOSST_N_STAGES], GError **error);

/* Rates by a small run: a few images of the data set go through all stages of the recipe, with fewer tensors to learn
 * from. Describing and coding take a time for each image, learning one for each tensor besides one for each iteration,
 * and the classifier one for each pair of training samples. A run of well under a second is repeated with more images:
 * what the stages take besides (principal components, a coder, the first use of memory) is told apart by both. */

/* Share of the available memory that decoded images may take. */
#define IMAGES_SHARE 4

/* Size of the small run. Where LEAST_IMAGES have more patches, FEW_PATCHES in the middle of the images are measured. */
#define IMAGES 16
#define SMALL_PIXELS (128.0 * 128.0) /* of smaller images more, as they have few local features */
#define MOST_IMAGES (8.0 * IMAGES)
#define PATCHES 10000
#define FEW_PATCHES 2000
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

  for (guint i = 0; i < dataset->entries->len; i++)
    pixels += (double)tosst_dataset_image (dataset, i)->width * tosst_dataset_image (dataset, i)->height;
  return pixels;
}

/* Classes 0, classes / some, ...: those at which the number of earlier ones rises. */
static gboolean
is_chosen (guint c, guint some, guint classes)
{
  return (c * some) / classes != ((c + 1) * some) / classes;
}

/* Images with several labels are those of two classes in turn, as in tosst_dataset_subset(): time does not depend on them. */
static guint
count_classes (TosstDataset *dataset)
{
  return dataset->labels != NULL ? 2 : dataset->classes->len;
}

static guint
class_of (TosstDataset *dataset, guint image)
{
  return dataset->labels != NULL ? image % 2 : (guint)tosst_dataset_image (dataset, image)->class_index;
}

/* Images of each of some classes: two or more, and as many in each. */
static guint
count_each (TosstDataset *dataset, guint some, double wanted, int side, gsize most)
{
  guint n = tosst_dataset_own_images (dataset), classes = count_classes (dataset), least = n;
  g_autofree guint *small = g_new0 (guint, classes);

  for (guint i = 0; i < n; i++)
    small[class_of (dataset, i)] += tosst_dataset_image_bytes (dataset, i, side) <= most;
  for (guint c = 0; c < classes; c++)
    if (is_chosen (c, some, classes))
      least = MIN (least, small[c]);
  return MAX (2, MIN (least, (guint)(wanted / some)));
}

static double
count_patches (const TosstRecipe *recipe, TosstDataset *dataset)
{
  gsize patches;

  tosst_patches_bytes_of_recipe (recipe, dataset, &patches);
  return (double)patches;
}

/* Images of the small run. */
static double
usual_images (const TosstRecipe *recipe, TosstDataset *dataset)
{
  double patches = count_patches (recipe, dataset);
  double wanted
      = CLAMP (IMAGES * SMALL_PIXELS * dataset->entries->len / MAX (count_pixels (dataset), 1), IMAGES, MOST_IMAGES);

  if (tosst_dataset_largest_bytes (dataset, tosst_recipe_longest (recipe)) > TOSST_SWEEP_LARGE_IMAGE)
    wanted = LEAST_IMAGES;
  if (!tosst_recipe_is_local (recipe) && patches > 0)
    wanted = MIN (wanted, (double)PATCHES * tosst_dataset_own_images (dataset) / patches);
  return MAX (wanted, LEAST_IMAGES);
}

/* The share of each image that is measured. */
static double
share_of_images (const TosstRecipe *recipe, TosstDataset *dataset)
{
  double patches = LEAST_IMAGES * count_patches (recipe, dataset) / tosst_dataset_own_images (dataset);

  return tosst_recipe_has_patches (recipe) && !tosst_recipe_has_frames (recipe) && patches > PATCHES
             ? FEW_PATCHES / patches
             : 1;
}

/* As many images of each of some classes, evenly spread, that need at most so many bytes of memory each; NULL if fewer
 * than LEAST_IMAGES are wanted, or are as small. */
static GArray *
choose_images (const TosstRecipe *recipe, TosstDataset *dataset, double wanted, gsize most, guint *each)
{
  guint n = tosst_dataset_own_images (dataset), classes = count_classes (dataset);
  g_autofree guint *taken = g_new0 (guint, classes);
  GArray *images = g_array_new (FALSE, FALSE, sizeof (guint));
  int side = tosst_recipe_longest (recipe);
  guint some = (guint)CLAMP (wanted / 2, 2, classes);
  *each = count_each (dataset, some, wanted, side, most);
  for (guint i = 0; i < n; i++)
    {
      guint c = class_of (dataset, i);
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

/* The last iteration of learning, with the times of its parts so far. */
static void
keep_last (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
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

  tosst_random_init (&random, 1, 1);
  for (gsize i = 0; i < (gsize)ROWS * (gsize)p; i++)
    rows[i] = (float)((tosst_random_uniform (&random) - 0.5) / sqrt (p / 12.0));
  for (int i = 0; i < ROWS; i++)
    labels[i] = i % used;
  tosst_svm_options_default (&options);
  double start = tosst_context_seconds (context);
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

  return tosst_dataset_split (dataset, recipe, 0, &train, &test, NULL) ? train->len : dataset->samples->len;
}

/* Local features that a mixture is learned from. */
static double
sampled (const TosstRecipe *recipe, TosstDataset *dataset)
{
  double there = (double)tosst_local_features_expected (recipe, dataset) * count_training (recipe, dataset)
                 / dataset->samples->len;

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

/* A run of a few images. */
typedef struct
{
  TosstRecipe *recipe;
  TosstDataset *dataset; /* the images with their copies */
  TosstRunResult *result;
  double share;   /* of the pixels of the data set */
  GArray *images; /* guint: those of the data set that were chosen */
  TosstIteration last;
} SmallRun;

TOSST_DEFINE_CLEAR (SmallRun, clear_run, (recipe, tosst_recipe_free), (dataset, tosst_dataset_unref),
                    (result, tosst_run_result_free), (images, g_array_unref))

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SmallRun, clear_run)

/* Runs the recipe on about so many images; result is NULL if it cannot be run so. */
static gboolean
execute (SmallRun *self, const TosstRecipe *recipe, TosstDataset *dataset, double wanted, double share,
         TosstContext *context, const TosstRunObserver *observer, GError **error)
{
  guint each = 2;
  /* Bytes of a decoded image: those of all threads take a part of the memory. */
  gsize most = tosst_memory_available () / IMAGES_SHARE / (gsize)tosst_context_threads (context);
  g_autoptr (GArray) images = choose_images (recipe, dataset, wanted, MIN (most, TOSST_SWEEP_IMAGE_BYTES), &each);
  g_autoptr (TosstDataset) some
      = images != NULL ? tosst_dataset_subset (dataset, images, share, 2 * recipe->descriptor.patch) : NULL;
  double pixels = count_pixels (dataset);
  int slices = MAX (tosst_shape_slices (tosst_recipe_shape (recipe)), 1);

  if (some == NULL)
    return TRUE;
  self->recipe = tosst_recipe_copy (recipe);
  if (dataset->labels != NULL)
    self->recipe->dataset.kind = TOSST_DATASET_FOLDERS;
  self->recipe->dataset.protocol = TOSST_PROTOCOL_RANDOM;
  self->recipe->dataset.splits = 1;
  self->recipe->dataset.within = 0;
  self->recipe->dataset.train_per_class = (int)each / 2;
  self->recipe->classifier.choose_c = FALSE;
  self->recipe->dictionary.sample
      = MIN (recipe->dictionary.sample, MAX (TENSORS, 2 * recipe->dictionary.atoms / slices));
  self->dataset = tosst_dataset_of_run (some, self->recipe, error);
  self->result = self->dataset != NULL ? tosst_run_execute (self->recipe, some, context, observer, NULL, error) : NULL;
  self->share = pixels > 0 ? count_pixels (self->dataset) / pixels : (double)images->len / dataset->entries->len;
  self->images = g_steal_pointer (&images);
  return self->result != NULL;
}

/* Seconds of reading all images, whatever share of them is described. */
static double
time_reading (const SmallRun *self, TosstDataset *dataset, TosstContext *context)
{
  double start = tosst_context_seconds (context);

  for (guint i = 0; i < self->images->len; i++)
    tosst_image_free (tosst_dataset_read_for (dataset, g_array_index (self->images, guint, i), 0, NULL));
  return MIN (tosst_context_seconds (context) - start, self->result->seconds[TOSST_STAGE_DESCRIBE]) / self->share;
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

/* Estimated seconds of each stage of a run, by running it on a few images: NAN where the images are too large. Returns
 * FALSE with error. */
static gboolean
tosst_sweep_run_small (const TosstRecipe *recipe, TosstDataset *whole, TosstContext *context,
                       double seconds[TOSST_N_STAGES], GError **error)
{
  if (tosst_recipe_has_parts (recipe))
    return run_small_parts (recipe, whole, context, seconds, error);

  g_autoptr (TosstDataset) dataset = tosst_dataset_of_run (whole, recipe, error);
  g_auto (SmallRun) first = { 0 }, second = { 0 };
  const TosstRunObserver observers[]
      = { { .iteration = keep_last, .data = &first.last }, { .iteration = keep_last, .data = &second.last } };
  const SmallRun *last = &first;
  double usual, share, reading = 0;

  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    seconds[stage] = NAN;
  if (dataset == NULL)
    return FALSE;
  share = share_of_images (recipe, dataset);
  usual = usual_images (recipe, dataset);
  if (!execute (&first, recipe, dataset, usual, share, context, &observers[0], error))
    return FALSE;
  if (first.result == NULL)
    return TRUE;
  if (total (first.result) < SHORT_SECONDS
      && !execute (&second, recipe, dataset, MORE * usual, share, context, &observers[1], error))
    return FALSE;
  if (second.images != NULL && second.images->len <= first.images->len)
    clear_run (&second);
  if (second.result != NULL)
    last = &second;
  if (share < 1)
    reading = time_reading (last, dataset, context);
  for (SmallRun *run = share < 1 ? &first : NULL; run != NULL; run = run == last ? NULL : &second)
    {
      run->result->seconds[TOSST_STAGE_DESCRIBE] -= reading * run->share;
      run->share = count_patches (run->recipe, run->dataset) / count_patches (recipe, dataset);
    }

  double splits = tosst_dataset_splits (dataset, recipe);
  double each = tosst_recipe_has_split_tensors (recipe) ? splits : 1;
  double samples = dataset->samples->len, training = count_training (recipe, dataset);
  double tensors = MIN (count_patches (recipe, dataset) * training / samples, recipe->dictionary.sample);
  double learned = MIN (count_patches (last->recipe, last->dataset) * count_training (last->recipe, last->dataset)
                            / last->dataset->samples->len,
                        last->recipe->dictionary.sample);
  /* Copies have no part in choosing C. */
  double own = (double)tosst_dataset_own_samples (dataset) / samples;
  double grows = growing_part (&last->last), more = training / ROWS,
         learning = splits * last->result->seconds[TOSST_STAGE_LEARN];
  int classes = (int)dataset->classes->len;

  seconds[TOSST_STAGE_DESCRIBE] = each * (reading + for_all (&first, &second, TOSST_STAGE_DESCRIBE));
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

/* Iterations of a first look: its atoms change little after them, and a recipe may ask for thousands. */
#define LOOK_ITERATIONS 10

TosstRunResult *
tosst_sweep_first_look (const TosstRecipe *recipe, TosstDataset *whole, guint wanted, TosstContext *context,
                        const TosstRunObserver *observer, GArray **images, GError **error)
{
  g_autoptr (TosstDataset) dataset = tosst_dataset_of_run (whole, recipe, error);
  g_autoptr (TosstRecipe) brief = tosst_recipe_copy (recipe);
  g_auto (SmallRun) run = { 0 };

  brief->dictionary.iterations = MIN (recipe->dictionary.iterations, LOOK_ITERATIONS);
  if (dataset == NULL || dataset->labels != NULL
      || !execute (&run, brief, dataset, wanted, 1, context, observer, error))
    return NULL;
  *images = g_steal_pointer (&run.images);
  return g_steal_pointer (&run.result);
}

/* Maximum number of earlier runs to read. */
#define MAX_RUNS 20

/* Rates apply to tensors of similar size: small tensors spend nearly all time in Lassos, large ones in products. */
#define LIKE 3.0

static gboolean
add_run (TosstStore *store, gint64 id, const TosstSweepRun *like, double *seconds, double *work, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_store_recipe (store, id, NULL);
  double took[TOSST_N_STAGES], total, of[TOSST_N_STAGES];
  double m = recipe ? (double)tosst_shape_numbers (tosst_recipe_shape (recipe)) : 0;
  double other = (double)tosst_shape_numbers (tosst_recipe_shape (like->recipe));

  /* Runs with parameters unknown to this program are ignored. */
  if (!recipe || m > LIKE * other || other > LIKE * m)
    return TRUE;
  if (!tosst_store_seconds (store, id, took, &total, NULL, error))
    return FALSE;
  tosst_run_work (recipe, like->dataset, of);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    {
      seconds[stage] += took[stage];
      work[stage] += of[stage];
    }
  return TRUE;
}

/* Rates of runs with tensors of similar size; NAN where unknown. */
static gboolean
read_rates (TosstStore *store, const TosstSweepRun *like, int threads, double rate[TOSST_N_STAGES], GError **error)
{
  g_autofree char *cpu = tosst_machine_cpu (), *blas = tosst_machine_blas ();
  double seconds[TOSST_N_STAGES] = { 0 }, work[TOSST_N_STAGES] = { 0 };
  g_autoptr (GArray) runs
      = store ? tosst_store_runs_for_timing (store, like->dataset->fingerprint, cpu, blas, threads, MAX_RUNS, error)
              : g_array_new (FALSE, FALSE, sizeof (gint64));

  if (!runs)
    return FALSE;
  for (guint i = 0; i < runs->len; i++)
    if (!add_run (store, g_array_index (runs, gint64, i), like, seconds, work, error))
      return FALSE;
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    rate[stage] = seconds[stage] > 0 && work[stage] > 0 ? seconds[stage] / work[stage] : NAN;
  return TRUE;
}

/* Rates by a small run; those that cannot be measured remain NAN, and only cancelling is an error. */
static gboolean
measure (const TosstSweepRun *run, TosstContext *context, double rate[TOSST_N_STAGES], GError **error)
{
  double work[TOSST_N_STAGES], seconds[TOSST_N_STAGES];
  g_autoptr (GError) cause = NULL;

  if (!tosst_sweep_run_small (run->recipe, run->dataset, context, seconds, &cause))
    {
      g_debug ("%s", cause->message);
      if (!g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
        return TRUE;
      return tosst_pass_error (error, &cause);
    }
  tosst_run_work (run->recipe, run->dataset, work);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    if (work[stage] > 0)
      rate[stage] = seconds[stage] / work[stage];
  return TRUE;
}

typedef struct
{
  const TosstSweepRun *run;
  double work;
} Pending;

static int
compare_work (const void *a, const void *b)
{
  const Pending *one = a, *other = b;

  return (one->work > other->work) - (one->work < other->work);
}

/* The pending run of the median work, from which others are extrapolated in both directions; NULL if there is none. */
static const TosstSweepRun *
find_median (const TosstSweepPlan *plan, const gboolean *pending)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (Pending));

  for (guint i = 0; i < plan->runs->len; i++)
    if (pending[i])
      {
        Pending one = { tosst_sweep_plan_run (plan, i) };
        double work[TOSST_N_STAGES];

        tosst_run_work (one.run->recipe, one.run->dataset, work);
        for (int stage = 0; stage < TOSST_N_STAGES; stage++)
          one.work += work[stage];
        g_array_append_val (runs, one);
      }
  g_array_sort (runs, compare_work);
  return runs->len > 0 ? g_array_index (runs, Pending, (runs->len - 1) / 2).run : NULL;
}

/* Seconds per unit of work; NAN if unknown. *measured: whether they were measured now. store: may be NULL.
 * Returns FALSE with error. */
static gboolean
tosst_sweep_rates (const TosstSweepPlan *plan, const gboolean *pending, TosstStore *store, TosstContext *context,
                   double rate[TOSST_N_STAGES], gboolean *measured, GError **error)
{
  const TosstSweepRun *middle = find_median (plan, pending);
  double own[TOSST_N_STAGES];

  *measured = FALSE;
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    rate[stage] = own[stage] = NAN;
  if (!middle)
    return TRUE;
  if (!read_rates (store, middle, tosst_context_threads (context), rate, error))
    return FALSE;
  if (!isnan (rate[TOSST_STAGE_DESCRIBE]) && !isnan (rate[TOSST_STAGE_CODE])
      && (!isnan (rate[TOSST_STAGE_LEARN]) || !tosst_recipe_has_dictionary (middle->recipe)))
    return TRUE;
  *measured = TRUE;
  if (!measure (middle, context, own, error))
    return FALSE;
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    rate[stage] = isnan (rate[stage]) ? own[stage] : rate[stage];
  return TRUE;
}

/* Share of the available memory that all runs together may use. */
#define MEMORY_SHARE 0.85

static gboolean
is_cancelled (TosstContext *context, GError **error)
{
  return tosst_context_checkpoint (context)
         && !tosst_error_from_status (TOSST_CANCELLED, NULL, _ ("estimate of time and memory"), error);
}

int
tosst_sweep_together (const TosstSweepOptions *options)
{
  return MAX (1, options->together);
}

int
tosst_sweep_ranks (const TosstSweepOptions *options)
{
  return options->mail ? tosst_mail_size (options->mail) / tosst_sweep_together (options) : 1;
}

/* Jobs of each process for so many in all. */
static int
tosst_sweep_jobs_here (const TosstSweepOptions *options, int jobs)
{
  int ranks = tosst_sweep_ranks (options);

  return MAX (1, (jobs + ranks - 1) / ranks);
}

gboolean
tosst_sweep_fit (const TosstSweepPlan *plan, const gboolean *pending, const TosstSweepOptions *options,
                 TosstContext *context, int wanted, TosstSweepEstimate *out, GError **error)
{
  int here = tosst_sweep_jobs_here (options, wanted),
      processes = options->mail ? tosst_mail_node_size (options->mail) : 1;
  int threads = MAX (1, tosst_context_threads (context) / here);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  out->bytes = 0;
  out->disk = 0;
  out->available = tosst_memory_available () / (gsize)processes;
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);
      TosstRunEstimate needs = { 0 };

      if (is_cancelled (context, error))
        return FALSE;
      /* Runs with the same dictionary and codes need the same memory. */
      if (!pending[i]
          || !g_hash_table_add (seen, tosst_run_part_hash (run->recipe, run->dataset->key, TOSST_PART_CODES)))
        continue;
      tosst_run_estimate (run->recipe, run->dataset, threads, &needs);
      out->bytes = MAX (out->bytes, needs.bytes);
      out->disk = MAX (out->disk, needs.files);
    }
  double fit = out->bytes > 0 ? MEMORY_SHARE * (double)out->available / (double)out->bytes : here;
  out->jobs = CLAMP ((int)MIN (fit, (double)here), 1, here) * tosst_sweep_ranks (options);
  out->jobs = MIN (out->jobs, MAX (wanted, 1));
  return TRUE;
}

/* Counts runs in the store, if there is one; pending: for each run, whether it is to be executed. Failed runs are
 * executed only with retry_failed. */
static gboolean
count_runs (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstStore *store, TosstContext *context,
            gboolean *pending, TosstSweepEstimate *out, GError **error)
{
  gint64 sweep = 0;

  if (store && !tosst_store_find_sweep (store, plan->text, &sweep, error))
    return FALSE;
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);
      gint64 done = 0, failed = 0;

      if (is_cancelled (context, error))
        return FALSE;
      if (store && !tosst_store_find (store, run->hash, &done, error))
        return FALSE;
      pending[i] = done == 0 && run->problem == NULL;
      if (sweep && pending[i] && !tosst_store_find_failed (store, sweep, run->hash, &failed, error))
        return FALSE;
      out->done += done != 0;
      out->problems += done == 0 && run->problem != NULL;
      out->failed += failed != 0;
      pending[i] = pending[i] && (failed == 0 || options->retry_failed);
    }
  return TRUE;
}

/* The context of a job, and the one that was asked, which may be cancelled. */
typedef struct
{
  TosstContext *asked, *job;
  int done; /* atomic */
} Relay;

#define RELAY_MICROSECONDS 20000

static gpointer
relay_cancel (gpointer data)
{
  Relay *self = data;

  while (!g_atomic_int_get (&self->done))
    {
      if (tosst_context_is_cancelled (self->asked))
        tosst_context_cancel (self->job);
      g_usleep (RELAY_MICROSECONDS);
    }
  return NULL;
}

/* Rates of a job with its share of the threads: two jobs of one thread do more than one of two. Without memory for another
 * context all threads are measured. */
static gboolean
find_rates (const TosstSweepPlan *plan, const gboolean *pending, int threads, TosstStore *store, TosstContext *context,
            double rate[TOSST_N_STAGES], gboolean *measured, GError **error)
{
  Relay relay = { .asked = context };

  if (threads >= tosst_context_threads (context) || (relay.job = tosst_context_new (threads)) == NULL)
    return tosst_sweep_rates (plan, pending, store, context, rate, measured, error);
  GThread *thread = g_thread_new ("relay", relay_cancel, &relay);
  gboolean ok = tosst_sweep_rates (plan, pending, store, relay.job, rate, measured, error);
  g_atomic_int_set (&relay.done, TRUE);
  g_thread_join (thread);
  tosst_context_free (relay.job);
  return ok;
}

gboolean
tosst_sweep_estimate (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                      TosstSweepEstimate *out, GError **error)
{
  guint n = plan->runs->len;
  g_autofree gboolean *pending = g_new0 (gboolean, n);
  g_autofree guint *order = g_new (guint, n);
  g_autofree int *group = g_new (int, n), *tensors = g_new (int, n);
  g_autofree double *cost = g_new (double, n);
  g_autoptr (TosstStore) store = NULL;
  double rate[TOSST_N_STAGES], longest = 0;

  *out = (TosstSweepEstimate){ .runs = n };
  if (options->workspace && g_file_query_exists (options->workspace, NULL)
      && !(store = tosst_store_open (options->workspace, TOSST_STORE_READ, error)))
    return FALSE;
  if (store)
    tosst_store_set_cancel (store, NULL, context);
  if (!count_runs (plan, options, store, context, pending, out, error))
    return FALSE;
  tosst_sweep_order (plan, order, group, tensors);
  out->groups = tosst_sweep_count_groups (plan, pending, group);
  out->free_disk = options->workspace ? tosst_disk_free (options->workspace) : 0;
  int wanted = MIN (MAX (options->jobs, 1) * tosst_sweep_ranks (options), (int)MAX (out->groups, 1));
  if (!tosst_sweep_fit (plan, pending, options, context, wanted, out, error)
      || !find_rates (plan, pending,
                      MAX (1, tosst_context_threads (context) / tosst_sweep_jobs_here (options, out->jobs)), store,
                      context, rate, &out->measured, error))
    return FALSE;
  tosst_sweep_costs (plan, order, pending, rate, cost);
  for (guint i = 0; i < n; i++)
    if (pending[i])
      {
        double seconds = cost[i] / tosst_sweep_together (options);

        out->seconds += seconds / out->jobs;
        if (seconds > longest)
          longest = seconds;
      }
  /* NAN remains. */
  if (longest > out->seconds)
    out->seconds = longest;
  return TRUE;
}
