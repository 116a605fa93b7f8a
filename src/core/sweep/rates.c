/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time of this machine per unit of work: from earlier runs on the same data, or by measuring a sample of the work.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/data/frames.h"
#include "core/dictionary/describe-patches.h"
#include "core/dictionary/patch-coder.h"
#include "core/local/image-tensors.h"
#include "core/local/texture-vectors.h"
#include "core/run/private.h"
#include "core/sweep/private.h"

/* Maximum number of earlier runs to read. */
#define MAX_RUNS 20

/* Size of the sample of work: tensors, images (if there are as many), iterations of learning. */
#define SAMPLE 512
#define SAMPLE_IMAGES 16
#define FEW_IMAGES 4                   /* where they are large */
#define SAMPLE_BYTES ((gsize)64 << 20) /* of tensors of whole images */
#define SAMPLE_ITERATIONS 6 /* codes of the first iterations have many more non-zeros than those of nearly all others */

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
  g_autoptr (GArray) runs = store ? tosst_store_runs_for_timing (store, tosst_dataset_fingerprint (like->dataset), cpu,
                                                                 blas, threads, MAX_RUNS, error)
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

/* A sample of the work of a run. */
typedef struct
{
  const TosstRecipe *whole;
  TosstRecipe *recipe; /* with fewer atoms and iterations */
  TosstContext *context;
  TosstLayout *layout;
  gsize n;
  float *tensors;
  TosstDictionary *dictionary;
  double *rate;
} Sample;

static double
work_of (const Sample *self, const TosstRecipe *recipe, TosstStage stage, double n)
{
  const TosstRunSizes sizes = { recipe, n, (double)self->layout->m, self->layout->d, TRUE };

  return tosst_run_stage_work (&sizes, stage);
}

static double
now (const Sample *self)
{
  return tosst_context_seconds (self->context);
}

/* Adds tensors of neighbouring patches from the middle of an image, which share pixels as in a whole image, or of frames;
 * repeated if there are too few. seconds: reading the image and finding its frames, describing half of its tensors, describing all of them. */
static gboolean
describe_image (Sample *self, TosstDataset *dataset, guint index, gsize count, double seconds[3], GError **error)
{
  const TosstDatasetImage *image = tosst_dataset_image (dataset, index);
  float *tensors = self->tensors + self->n * self->layout->m;
  int patch = self->recipe->descriptor.patch, step = self->recipe->descriptor.step;
  gboolean framed = tosst_recipe_has_frames (self->recipe);
  gsize n = tosst_patch_grid (image->width, image->height, patch, step, NULL);
  g_autofree TosstPoint *all = g_new (TosstPoint, MAX (n, 1)), *points = g_new (TosstPoint, count);
  g_autofree TosstFrame *found = NULL, *frames = NULL;
  g_autoptr (TosstImage) pixels = NULL;
  double start = now (self);

  if (!framed && n == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is smaller than a patch"), image->name);
  tosst_patch_grid (image->width, image->height, patch, step, all);
  pixels = tosst_dataset_read (dataset, index, error);
  if (!pixels || (framed && !(found = tosst_frames_of_image (self->recipe, pixels, &n, NULL, image->name, error))))
    return FALSE;
  frames = framed ? g_new (TosstFrame, count) : NULL;
  for (gsize i = 0; i < count; i++)
    if (framed)
      frames[i] = found[(n / 2 + i) % n];
    else
      points[i] = all[(n / 2 + i) % n];
  seconds[0] += now (self) - start;
  start = now (self);
  TosstStatus status = tosst_describe_places (self->recipe, self->context, pixels, points, frames, count / 2, tensors);
  seconds[1] += now (self) - start;
  start = now (self);
  if (status == TOSST_OK)
    status = tosst_describe_places (self->recipe, self->context, pixels, points, frames, count, tensors);
  seconds[2] += now (self) - start;
  self->n += count;
  return tosst_error_from_status (status, self->context, image->name, error);
}

/* Image i or the next one that can be decoded in the memory for an estimate; the number of images if there is none. */
static guint
find_small (const Sample *self, TosstDataset *dataset, guint i)
{
  gsize most = tosst_sweep_image_bytes (self->context);

  while (i < tosst_dataset_images (dataset) && tosst_dataset_image_bytes (dataset, i, 0) > most)
    i++;
  return i;
}

static gboolean
fail_large (GError **error)
{
  return tosst_fail (error, TOSST_FAILED_MEMORY, "the images are too large for an estimate");
}

static double
count_training_images (const Sample *self, TosstDataset *dataset)
{
  g_autoptr (GArray) images = tosst_local_training_images (self->whole, dataset, 0, NULL);

  return images ? images->len : tosst_dataset_images (dataset);
}

/* Adds tensors of whole images or vectors of samples, repeated if there are too few: the time of describing one does not depend on the values
 * of the principal components, so that those of a few images serve. Components take features of the training images
 * alone. */
static gboolean
describe_local (Sample *self, TosstDataset *dataset, GError **error)
{
  guint images = tosst_dataset_images (dataset), some = MIN (images, SAMPLE_IMAGES);
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (TosstPca) pca = NULL;
  g_autoptr (TosstPatches) patches = NULL;
  gsize m = self->layout->m, all = CLAMP (SAMPLE_BYTES / (m * sizeof (float)), some, SAMPLE);
  double start = now (self), components = 0, work[TOSST_N_STAGES];

  self->tensors = g_new (float, all *m);
  for (guint i = 0; i < some; i++)
    if (find_small (self, dataset, i) != i)
      return fail_large (error);
    else
      g_array_append_val (first, i);
  if (tosst_recipe_is_texture (self->recipe, NULL))
    {
      patches = tosst_patches_of_recipe (self->recipe, dataset, NULL);
      some = (guint)MIN (some, patches->count);
      if (!tosst_describe_textures (self->recipe, self->context, dataset, patches, 0, some, self->tensors, error))
        return FALSE;
      images = (guint)patches->count;
    }
  else
    {
      if (!tosst_local_components_of_images (self->recipe, self->context, dataset, first, &pca, error))
        return FALSE;
      components = now (self) - start;
      start = now (self);
      if (!tosst_local_describe_images (self->recipe, pca, self->context, dataset, 0, some, self->tensors, error))
        return FALSE;
    }
  double seconds = images * (now (self) - start) / some;

  if (components > 0)
    seconds += count_training_images (self, dataset) * components / some;
  for (self->n = some; self->n < all; self->n++)
    memcpy (self->tensors + self->n * m, self->tensors + (self->n - some) * m, m * sizeof (float));
  tosst_run_work (self->whole, dataset, work);
  self->rate[TOSST_STAGE_DESCRIBE] = seconds / work[TOSST_STAGE_DESCRIBE];
  return TRUE;
}

/* The cost per image (reading, features) is separated from the cost per patch; a patch of several samples is
 * described once. */
static gboolean
describe (Sample *self, TosstDataset *dataset, GError **error)
{
  gboolean large = tosst_dataset_largest_bytes (dataset, 0) > TOSST_SWEEP_LARGE_IMAGE;
  guint images = tosst_dataset_images (dataset), some = MIN (images, large ? FEW_IMAGES : SAMPLE_IMAGES);
  double seconds[3] = { 0 }, work[TOSST_N_STAGES], patches = 0;

  if (!tosst_recipe_has_patches (self->recipe))
    return describe_local (self, dataset, error);
  self->tensors = g_new (float, SAMPLE * self->layout->m);
  for (guint i = 0; i < some; i++)
    {
      guint image = find_small (self, dataset, i * (images / some));

      if (image == images)
        return fail_large (error);
      if (!describe_image (self, dataset, image, (i + 1) * SAMPLE / some - self->n, seconds, error))
        return FALSE;
    }
  for (guint i = 0; i < images; i++)
    {
      const TosstDatasetImage *image = tosst_dataset_image (dataset, i);
      patches += (double)tosst_patches_at_most (self->recipe, image->width, image->height);
    }
  double each = MAX (seconds[2] - seconds[1], 0.1 * seconds[2]) / (SAMPLE / 2.0);
  double once = (seconds[0] + MAX (seconds[2] - each * SAMPLE, 0)) / some;
  tosst_run_work (self->whole, dataset, work);
  self->rate[TOSST_STAGE_DESCRIBE] = (images * once + patches * each) / work[TOSST_STAGE_DESCRIBE];
  return TRUE;
}

static void
keep_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  TosstIteration *last = data;

  *last = *iteration;
}

/* Scales seconds from the sample's number of atoms to the run's: products grow linearly in K. Lassos do not: at the
 * same lambda, the cost of more atoms is compensated by fewer non-zeros. (Brodatz, K = 250 to 2000: K to the power
 * of 0.1 in learning, of -0.3 in coding.) */
static double
grow (const Sample *self, double products)
{
  return products * self->whole->dictionary.atoms / self->recipe->dictionary.atoms;
}

/* Separates the parts of an iteration that do and do not grow with the number of tensors: the sample is small, so
 * that the latter dominates its time, but not that of learning. The latter is work per atom and per pair of atoms;
 * the work per pair is the smaller part up to some thousands of atoms. For solvers that do not report the parts, all
 * of iteration, in seconds, is attributed to the tensors. */
static void
rate_learning (Sample *self, const TosstIteration *last, double iteration)
{
  const TosstRecipe *whole = self->whole;
  const double *stage = last->stage;
  double products = stage[TOSST_LEARN_PRODUCTS] + stage[TOSST_LEARN_Y] + stage[TOSST_LEARN_P];
  double fixed = stage[TOSST_LEARN_SETUP] + stage[TOSST_LEARN_SUMS] + stage[TOSST_LEARN_B] + stage[TOSST_LEARN_W]
                 + stage[TOSST_LEARN_b] + stage[TOSST_LEARN_REST];
  double tensors = whole->dictionary.sample;
  double each = products > 0 ? grow (self, products) + stage[TOSST_LEARN_LASSOS] : grow (self, iteration);

  each = each * tensors / (double)self->n + grow (self, fixed);
  self->rate[TOSST_STAGE_LEARN] = TOSST_LIKELY_ITERATIONS * whole->dictionary.iterations * each
                                  / work_of (self, whole, TOSST_STAGE_LEARN, tensors);
}

/* products: seconds of products with all atoms of the sample's dictionary. */
static gboolean
learn (Sample *self, double *products, GError **error)
{
  TosstLearnOptions options;
  TosstIteration last = { 0 };

  self->recipe->dictionary.atoms = MIN (self->recipe->dictionary.atoms, (int)self->n / 2);
  self->recipe->dictionary.iterations = SAMPLE_ITERATIONS;
  self->recipe->dictionary.tolerance = 0;
  tosst_recipe_learn_options (self->recipe, &options);
  TosstStatus status = tosst_learn (self->context, self->layout, self->tensors, self->n, &options, NULL, keep_iteration,
                                    &last, &self->dictionary);
  rate_learning (self, &last, last.seconds / SAMPLE_ITERATIONS);
  *products = last.stage[TOSST_LEARN_PRODUCTS];
  return tosst_error_from_status (status, self->context, _ ("Learning"), error);
}

static gboolean
code (Sample *self, double products, GError **error)
{
  g_autofree float *codes = g_new (float, self->n *(gsize)tosst_recipe_code_length (self->recipe));
  g_autoptr (TosstPatchCoder) coder = NULL;
  gboolean pca = self->recipe->coding.method == TOSST_CODING_PCA;

  /* Components take the time of a projection. */
  if (pca)
    self->recipe->coding.method = TOSST_CODING_PROJECTION;
  TosstStatus status = tosst_patch_coder_new (self->recipe, self->context, self->dictionary, &coder);
  double start = now (self), seconds; /* a coder is created once for all tensors */

  if (status == TOSST_OK)
    status = tosst_patch_coder_code (coder, self->context, self->tensors, self->n, codes, NULL);
  seconds = now (self) - start;
  if (self->dictionary)
    seconds = grow (self, MIN (products, seconds)) + MAX (seconds - products, 0);
  self->rate[TOSST_STAGE_CODE] = seconds / work_of (self, self->whole, TOSST_STAGE_CODE, (double)self->n);
  if (pca)
    self->rate[TOSST_STAGE_LEARN] = self->rate[TOSST_STAGE_CODE];
  self->rate[TOSST_STAGE_TRAIN] = self->rate[TOSST_STAGE_TEST] = self->rate[TOSST_STAGE_CODE];
  return tosst_error_from_status (status, self->context, _ ("Coding"), error);
}

/* Rates by a small run; without one they remain NAN. */
static gboolean
measure_small (const TosstSweepRun *run, TosstContext *context, double rate[TOSST_N_STAGES], GError **error)
{
  double work[TOSST_N_STAGES], seconds[TOSST_N_STAGES];
  g_autoptr (GError) cause = NULL;

  if (!tosst_sweep_run_small (run->recipe, run->dataset, context, seconds, &cause))
    {
      g_debug ("%s", cause->message);
      if (!g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  tosst_run_work (run->recipe, run->dataset, work);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    if (work[stage] > 0)
      rate[stage] = seconds[stage] / work[stage];
  return TRUE;
}

/* Rates that cannot be measured remain NAN; only cancelling is an error. */
static gboolean
measure (const TosstSweepRun *run, TosstContext *context, double rate[TOSST_N_STAGES], GError **error)
{
  g_autoptr (GError) cause = NULL;
  double products = 0;
  Sample self = { .whole = run->recipe, .recipe = tosst_recipe_copy (run->recipe), .context = context, .rate = rate };

  g_autoptr (TosstDataset) used = tosst_dataset_of_run (run->dataset, run->recipe, NULL);

  self.layout = tosst_layout_new_shape (tosst_recipe_shape (run->recipe));
  if (!describe (&self, used != NULL ? used : run->dataset, &cause)
      || (tosst_recipe_has_dictionary (run->recipe) && !learn (&self, &products, &cause))
      || !code (&self, products, &cause))
    g_debug ("%s", cause->message);
  tosst_recipe_free (self.recipe);
  tosst_layout_free (self.layout);
  tosst_dictionary_free (self.dictionary);
  g_free (self.tensors);
  if (!g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
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

gboolean
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
  if (!measure_small (middle, context, own, error)
      || (isnan (own[TOSST_STAGE_CODE]) && tosst_recipe_has_tensors (middle->recipe)
          && !measure (middle, context, own, error)))
    return FALSE;
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    rate[stage] = isnan (rate[stage]) ? own[stage] : rate[stage];
  return TRUE;
}
