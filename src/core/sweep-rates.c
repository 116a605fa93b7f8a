/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long this machine takes for a unit of work: earlier runs of the same data tell, or a sample of the work is done.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "describe-patches.h"
#include "error.h"
#include "patch-coder.h"
#include "run-private.h"
#include "sweep-private.h"

/* Earlier runs that are asked. */
#define MOST_RUNS 20

/* Of a sample of the work. */
#define SAMPLE 256
#define SAMPLE_ITERATIONS 2

static gboolean
add_run (TosstStore *store, gint64 id, TosstDataset *dataset, double *seconds, double *work, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_store_recipe (store, id, NULL);
  double took[TOSST_N_STAGES], total, of[TOSST_N_STAGES];

  /* One of a program with other parameters tells nothing. */
  if (!recipe)
    return TRUE;
  if (!tosst_store_seconds (store, id, took, &total, error))
    return FALSE;
  tosst_sweep_work (recipe, dataset, of);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    {
      seconds[stage] += took[stage];
      work[stage] += of[stage];
    }
  return TRUE;
}

/* NAN where nothing is known. */
static gboolean
ask_store (TosstStore *store, TosstDataset *dataset, int threads, double rate[TOSST_N_STAGES], GError **error)
{
  g_autofree char *cpu = tosst_machine_cpu (), *blas = tosst_machine_blas ();
  double seconds[TOSST_N_STAGES] = { 0 }, work[TOSST_N_STAGES] = { 0 };
  g_autoptr (GArray) runs
      = store ? tosst_store_typical (store, tosst_dataset_fingerprint (dataset), cpu, blas, threads, MOST_RUNS, error)
              : g_array_new (FALSE, FALSE, sizeof (gint64));

  if (!runs)
    return FALSE;
  for (guint i = 0; i < runs->len; i++)
    if (!add_run (store, g_array_index (runs, gint64, i), dataset, seconds, work, error))
      return FALSE;
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    rate[stage] = seconds[stage] > 0 && work[stage] > 0 ? seconds[stage] / work[stage] : NAN;
  return TRUE;
}

/* A sample of the work of a run. */
typedef struct
{
  TosstRecipe *recipe; /* with fewer atoms and iterations */
  TosstContext *context;
  TosstLayout *layout;
  gsize n;
  float *tensors;
  TosstDictionary *dictionary;
  double *rate;
} Sample;

/* seconds: of a stage with n tensors. */
static void
set_rate (Sample *self, TosstStage stage, gsize n, double seconds)
{
  const TosstRunSizes sizes = { self->recipe, (double)n, (double)self->layout->m, self->layout->d, TRUE };
  double work = tosst_run_stage_work (&sizes, stage);

  if (work > 0)
    self->rate[stage] = seconds / work;
}

static double
now (const Sample *self)
{
  return tosst_context_seconds (self->context);
}

static gboolean
describe (Sample *self, TosstDataset *dataset, GError **error)
{
  const TosstDatasetImage *image = tosst_dataset_image (dataset, 0);
  int patch = self->recipe->descriptor.patch;
  gsize n = tosst_patch_grid (image->width, image->height, patch, self->recipe->descriptor.step, NULL);
  g_autofree TosstPoint *points = NULL;
  g_autoptr (TosstImage) pixels = NULL;
  double start = now (self), read;

  if (n == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is smaller than a patch"), image->name);
  points = g_new (TosstPoint, MAX (n, SAMPLE));
  tosst_patch_grid (image->width, image->height, patch, self->recipe->descriptor.step, points);
  /* Where an image has few, the same ones again. */
  for (gsize i = n; i < SAMPLE; i++)
    points[i] = points[i % n];
  pixels = tosst_dataset_read (dataset, 0, error);
  if (!pixels)
    return FALSE;
  read = now (self) - start;
  self->n = SAMPLE;
  self->tensors = g_new (float, self->n * self->layout->m);
  TosstStatus status = tosst_describe_patches (self->recipe, self->context, pixels, points, self->n, self->tensors);
  /* An image is read once for the patches that it has. */
  set_rate (self, TOSST_STAGE_DESCRIBE, n, read + (now (self) - start - read) * (double)n / (double)self->n);
  return tosst_error_from_status (status, self->context, image->name, error);
}

static gboolean
learn (Sample *self, GError **error)
{
  TosstLearnOptions options;
  double start = now (self);

  if (!tosst_recipe_has_dictionary (self->recipe))
    return TRUE;
  self->recipe->dictionary.atoms = MIN (self->recipe->dictionary.atoms, (int)self->n / 2);
  self->recipe->dictionary.sample = (int)self->n;
  self->recipe->dictionary.iterations = SAMPLE_ITERATIONS;
  self->recipe->dictionary.tolerance = 0;
  tosst_recipe_learn_options (self->recipe, &options);
  TosstStatus status
      = tosst_learn (self->context, self->layout, self->tensors, self->n, &options, NULL, NULL, &self->dictionary);
  set_rate (self, TOSST_STAGE_LEARN, self->n, now (self) - start);
  return tosst_error_from_status (status, self->context, _ ("Learning"), error);
}

static gboolean
code (Sample *self, GError **error)
{
  g_autofree float *codes = g_new (float, self->n *(gsize)tosst_recipe_code_length (self->recipe));
  g_autoptr (TosstPatchCoder) coder = NULL;
  double start = now (self);
  TosstStatus status = tosst_patch_coder_new (self->recipe, self->context, self->dictionary, &coder);

  if (status == TOSST_OK)
    status = tosst_patch_coder_code (coder, self->context, self->tensors, self->n, codes, NULL);
  set_rate (self, TOSST_STAGE_CODE, self->n, now (self) - start);
  self->rate[TOSST_STAGE_TRAIN] = self->rate[TOSST_STAGE_TEST] = self->rate[TOSST_STAGE_CODE];
  return tosst_error_from_status (status, self->context, _ ("Coding"), error);
}

/* What a sample cannot tell stays NAN; only being cancelled is an error. */
static gboolean
measure (const TosstSweepRun *run, TosstContext *context, double rate[TOSST_N_STAGES], GError **error)
{
  g_autoptr (GError) cause = NULL;
  Sample self = { .recipe = tosst_recipe_copy (run->recipe), .context = context, .rate = rate };

  self.layout = tosst_layout_new_shape (tosst_recipe_shape (run->recipe));
  if (!describe (&self, run->dataset, &cause) || !learn (&self, &cause) || !code (&self, &cause))
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

gboolean
tosst_sweep_rates (const TosstSweepPlan *plan, const gboolean *begins, TosstStore *store, TosstContext *context,
                   double rate[TOSST_N_STAGES], gboolean *measured, GError **error)
{
  const TosstSweepRun *first = NULL;
  double own[TOSST_N_STAGES];

  *measured = FALSE;
  for (guint i = 0; i < plan->runs->len && !first; i++)
    if (begins[i])
      first = tosst_sweep_plan_run (plan, i);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    rate[stage] = own[stage] = NAN;
  if (!first)
    return TRUE;
  if (!ask_store (store, first->dataset, tosst_context_threads (context), rate, error))
    return FALSE;
  if (!isnan (rate[TOSST_STAGE_DESCRIBE]) && !isnan (rate[TOSST_STAGE_CODE])
      && (!isnan (rate[TOSST_STAGE_LEARN]) || !tosst_recipe_has_dictionary (first->recipe)))
    return TRUE;
  *measured = TRUE;
  if (!measure (first, context, own, error))
    return FALSE;
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    rate[stage] = isnan (rate[stage]) ? own[stage] : rate[stage];
  return TRUE;
}
