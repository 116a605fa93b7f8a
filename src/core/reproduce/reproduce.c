/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"
#include "core/data/lists.h"
#include "core/reproduce/private.h"
#include "core/run/cache.h"
#include "core/run/scores.h"

/* Values of an experiment that depend on data with several labels an image. */

/* Sets values or axes in all parts, except those that the caller has set. */
static gboolean
set_in_all (TosstReproduction *self, const TosstExperimentValue *values, gboolean axes, GError **error)
{
  for (; values && values->key; values++)
    for (guint i = 0; i < self->sweeps->len && !g_hash_table_contains (self->own, values->key); i++)
      {
        TosstSweep *sweep = g_ptr_array_index (self->sweeps, i);

        if (!(axes ? tosst_sweep_set_axis : tosst_sweep_set) (sweep, values->key, values->value, error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
set_official (TosstReproduction *self, const TosstRecipe *base, GError **error)
{
  g_autoptr (GFile) folder = g_file_new_for_path (base->dataset.path);
  g_autoptr (GPtrArray) missing = base->dataset.kind == TOSST_DATASET_VOC2007 ? tosst_voc_missing (folder) : NULL;

  self->official = missing && missing->len == 0;
  if (!self->official || self->flags & (TOSST_REPRODUCE_QUICK | TOSST_REPRODUCE_CHOOSE))
    return TRUE;
  return set_in_all (self, self->experiment->official_values, FALSE, error)
         && set_in_all (self, self->experiment->official_axes, TRUE, error);
}

/* The average precision of a rare class is mostly noise. */
static gboolean
leave_out_rare (TosstReproduction *self, const TosstRecipe *base, TosstDataset *dataset, GError **error)
{
  guint n = tosst_dataset_classes (dataset), rare = 0;
  g_autoptr (GString) names = g_string_new (NULL);

  g_clear_pointer (&self->left_out, g_free);
  for (guint i = 0; i < n; i++)
    if (tosst_dataset_count_label (dataset, TOSST_SIDE_TEST, i, 1) < TOSST_REPRODUCE_POSITIVES)
      {
        g_string_append_printf (names, "%s%s", rare > 0 ? "," : "", tosst_dataset_class_name (dataset, i));
        rare++;
      }
  if (rare == 0 || rare == n || base->dataset.exclude)
    return TRUE;
  const TosstExperimentValue exclude[] = { { "dataset.exclude", names->str }, { NULL } };

  if (!set_in_all (self, exclude, FALSE, error))
    return FALSE;
  g_string_replace (names, ",", ", ", 0);
  self->left_out = g_strdup (names->str);
  return TRUE;
}

/* Limits the values of dictionary.atoms of a part with principal components. */
static gboolean
limit_atoms (TosstSweep *sweep, guint most, GError **error)
{
  g_autoptr (GStrvBuilder) some = g_strv_builder_new ();
  g_auto (GStrv) values = NULL;
  g_autofree char *last = g_strdup_printf ("%u", most), *text = NULL;
  guint n = 0, all = 0;

  for (guint i = 0; i < sweep->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (sweep->axes, i);

      if (axis->parameter != tosst_parameter_find ("dictionary.atoms") || !axis->values)
        continue;
      for (char **value = axis->values; *value; value++, all++)
        if (g_ascii_strtoull (*value, NULL, 10) <= most)
          {
            g_strv_builder_add (some, *value);
            n++;
          }
    }
  if (all == 0)
    return sweep->base->dictionary.atoms <= (int)most || tosst_sweep_set (sweep, "dictionary.atoms", last, error);
  if (n == 0)
    return tosst_sweep_set (sweep, "dictionary.atoms", last, error);
  values = g_strv_builder_end (some);
  text = g_strjoinv (";", values);
  return tosst_sweep_set_axis (sweep, "dictionary.atoms", text, error);
}

static gboolean
limit_components (TosstReproduction *self, TosstDataset *dataset, GError **error)
{
  for (guint i = 0; i < self->sweeps->len; i++)
    {
      TosstSweep *sweep = g_ptr_array_index (self->sweeps, i);
      g_autoptr (GArray) train = NULL, test = NULL;

      if (sweep->base->coding.method != TOSST_CODING_PCA)
        continue;
      if (!tosst_dataset_split (dataset, sweep->base, 0, &train, &test, error)
          || !limit_atoms (sweep, train->len, error))
        return FALSE;
    }
  return TRUE;
}

/* Adapts the sweeps to data with several labels an image. */
static gboolean
tosst_reproduction_adapt (TosstReproduction *self, GError **error)
{
  const TosstRecipe *base = ((TosstSweep *)g_ptr_array_index (self->sweeps, 0))->base;
  g_autoptr (TosstDataset) dataset = NULL;

  if (!self->experiment->methods || !tosst_recipe_has_several_labels (base))
    return TRUE;
  dataset = tosst_dataset_open (base, NULL, error);
  return dataset && set_official (self, base, error) && leave_out_rare (self, base, dataset, error)
         && limit_components (self, dataset, error);
}

/* Size of parameter searches: divisions of the training samples, and combinations. */
#define CHOOSE_SPLITS "3"
#define CHOOSE_RUNS "32"
#define CHOOSE_QUICK_SPLITS "1"
#define CHOOSE_QUICK_RUNS "4"

static void
free_run (gpointer data)
{
  TosstReproducedRun *run = data;

  tosst_recipe_free (run->recipe);
  g_free (run->title);
  g_free (run->reason);
  g_free (run);
}

static void
free_sweep (gpointer sweep)
{
  tosst_sweep_free (sweep);
}

static void
free_plan (gpointer plan)
{
  tosst_sweep_plan_free (plan);
}

void
tosst_reproduction_free (TosstReproduction *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->plans);
  g_ptr_array_unref (self->sweeps);
  g_ptr_array_unref (self->runs);
  g_ptr_array_unref (self->varying);
  g_hash_table_unref (self->own);
  g_free (self->left_out);
  g_free (self);
}

/* --- from an experiment to sweeps --- */

static gboolean
set_values (TosstSweep *sweep, const TosstExperimentValue *values, GError **error)
{
  for (; values && values->key; values++)
    if (!tosst_sweep_set (sweep, values->key, values->value, error))
      return FALSE;
  return TRUE;
}

static gboolean
set_axes (TosstSweep *sweep, const TosstExperimentValue *axes, GError **error)
{
  for (; axes && axes->key; axes++)
    if (!tosst_sweep_set_axis (sweep, axes->key, axes->value, error))
      return FALSE;
  return TRUE;
}

/* Validates on a part of the first split's training samples: its test samples are not used. */
static gboolean
set_choice (TosstSweep *sweep, const TosstExperiment *experiment, gboolean quick, GError **error)
{
  return tosst_sweep_set (sweep, "dataset.within", "1", error)
         && tosst_sweep_set (sweep, "dataset.splits", quick ? CHOOSE_QUICK_SPLITS : CHOOSE_SPLITS, error)
         && tosst_sweep_set_line (sweep, "method", "random", error)
         && tosst_sweep_set_line (sweep, "runs", quick ? CHOOSE_QUICK_RUNS : CHOOSE_RUNS, error)
         && set_axes (sweep, experiment->open_axes, error);
}

static TosstSweep *
part_sweep (const TosstExperiment *experiment, guint part, TosstReproduceFlags flags, GError **error)
{
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  g_autoptr (TosstSweep) sweep = tosst_sweep_new (defaults);
  gboolean quick = (flags & TOSST_REPRODUCE_QUICK) != 0;

  if (!set_values (sweep, experiment->values, error) || !set_values (sweep, experiment->parts[part].values, error)
      || (quick && !set_values (sweep, experiment->quick_values, error)))
    return NULL;
  if (!(flags & TOSST_REPRODUCE_CHOOSE ? set_choice (sweep, experiment, quick, error)
                                       : set_axes (sweep, quick ? experiment->quick_axes : experiment->axes, error)))
    return NULL;
  return g_steal_pointer (&sweep);
}

TosstReproduction *
tosst_reproduction_new (const TosstExperiment *experiment, TosstReproduceFlags flags, const char *data, GError **error)
{
  g_autoptr (TosstReproduction) self = g_new0 (TosstReproduction, 1);

  self->experiment = experiment;
  self->flags = flags;
  self->sweeps = g_ptr_array_new_with_free_func (free_sweep);
  self->plans = g_ptr_array_new_with_free_func (free_plan);
  self->runs = g_ptr_array_new_with_free_func (free_run);
  self->varying = g_ptr_array_new ();
  self->own = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint part = 0; part < experiment->n_parts; part++)
    {
      TosstSweep *sweep = part_sweep (experiment, part, flags, error);

      if (!sweep)
        return NULL;
      g_ptr_array_add (self->sweeps, sweep);
    }
  if (data && !tosst_reproduction_set (self, "dataset.path", data, error))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
tosst_reproduction_set (TosstReproduction *self, const char *key, const char *value, GError **error)
{
  for (guint part = 0; part < self->sweeps->len; part++)
    {
      TosstSweep *sweep = g_ptr_array_index (self->sweeps, part);

      if (!(g_str_has_prefix (key, "sweep.") ? tosst_sweep_set_line (sweep, key + 6, value, error)
                                             : tosst_sweep_set (sweep, key, value, error)))
        return FALSE;
    }
  g_hash_table_add (self->own, g_strdup (g_str_has_prefix (key, "sweep.") ? key + 6 : key));
  return TRUE;
}

/* --- execution --- */

/* Mean average precision by area over splits and classes, in percent. */
static double
mean_area (const TosstReportRun *run, GError **error)
{
  double sum = 0, mean;

  for (guint i = 0; i < run->scores->len; i++)
    {
      if (!tosst_scores_mean (g_ptr_array_index (run->scores, i), TOSST_SCORE_AREA, NULL, &mean, error))
        return NAN;
      sum += mean;
    }
  return run->scores->len > 0 ? sum / run->scores->len : NAN;
}

/* A failed run may have finished splits, which are ignored. */
static gboolean
read_numbers (TosstReproducedRun *one, TosstStore *store, GError **error)
{
  g_autoptr (TosstReportRun) run = tosst_report_run_load (store, one->run, error);
  double sum = 0, squares = 0;

  if (!run)
    return FALSE;
  one->accuracy = run->accuracy;
  one->accuracy_deviation = run->deviation;
  one->splits = (int)run->done->len;
  one->area = run->scores ? mean_area (run, NULL) : NAN;
  for (guint i = 0; i < run->done->len; i++)
    sum += g_array_index (run->done, TosstReportSplit, i).objective;
  one->objective = sum / run->done->len;
  for (guint i = 0; i < run->done->len; i++)
    squares += pow (g_array_index (run->done, TosstReportSplit, i).objective - one->objective, 2);
  one->objective_deviation = run->done->len > 1 ? sqrt (squares / (run->done->len - 1)) : NAN;
  return TRUE;
}

static gboolean
collect (TosstReproduction *self, guint part, const TosstSweepPlan *plan, const TosstSweepResult *result,
         TosstStore *store, GError **error)
{
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);
      const TosstSweepOutcome *outcome = &result->outcome[i];
      TosstReproducedRun *one = g_new0 (TosstReproducedRun, 1);

      *one = (TosstReproducedRun){ part, tosst_recipe_copy (run->recipe), g_strdup (run->title), NULL, outcome->id };
      one->accuracy = one->accuracy_deviation = one->objective = one->objective_deviation = one->area = NAN;
      g_ptr_array_add (self->runs, one);
      if (outcome->state != TOSST_RUN_DONE)
        one->reason = g_strdup (outcome->reason ? outcome->reason : tosst_run_state_label (outcome->state));
      else if (!read_numbers (one, store, error))
        return FALSE;
    }
  for (guint i = 0; i < plan->varying->len; i++)
    if (!g_ptr_array_find (self->varying, g_ptr_array_index (plan->varying, i), NULL))
      g_ptr_array_add (self->varying, g_ptr_array_index (plan->varying, i));
  return TRUE;
}

gboolean
tosst_reproduction_is_whole (TosstReproduction *self, GError **error)
{
  const TosstReproducedRun *first = NULL;
  guint failed = 0;

  for (guint i = self->runs->len; i-- > 0;)
    {
      const TosstReproducedRun *run = g_ptr_array_index (self->runs, i);

      first = run->reason ? run : first;
      failed += run->reason != NULL;
    }
  return failed == 0
         || tosst_fail (error, TOSST_FAILED_INPUT, _ ("%u of %u runs failed; the first: %s"), failed, self->runs->len,
                        first->reason);
}

gboolean
tosst_reproduction_plan (TosstReproduction *self, GError **error)
{
  const TosstSweep *sweep = g_ptr_array_index (self->sweeps, 0);

  g_ptr_array_set_size (self->plans, 0);
  if (sweep->base->dataset.kind != TOSST_DATASET_SAMPLES && !sweep->base->dataset.path)
    /* Translators: an experiment, and what must be in the folder of the data. */
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s needs %s"), self->experiment->name,
                       _ (self->experiment->needs));
  if (!tosst_reproduction_adapt (self, error))
    return FALSE;
  for (guint i = 0; i < self->sweeps->len; i++)
    {
      TosstSweepPlan *plan = tosst_sweep_plan_new (g_ptr_array_index (self->sweeps, i), error);

      if (!plan)
        return FALSE;
      g_ptr_array_add (self->plans, plan);
    }
  return TRUE;
}

const TosstSweepPlan *
tosst_reproduction_part (TosstReproduction *self, guint part)
{
  return g_ptr_array_index (self->plans, part);
}

/* Keeps the results that runs of a part share with other parts. */
static void
hold (TosstReproduction *self, guint part, TosstStageCache *cache, gboolean reserve)
{
  const TosstSweepPlan *plan = g_ptr_array_index (self->plans, part);

  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);

      if (run->dataset)
        (reserve ? tosst_stage_cache_reserve : tosst_stage_cache_release) (cache, run->recipe, run->dataset);
    }
}

gboolean
tosst_reproduction_execute (TosstReproduction *self, const TosstSweepOptions *options, TosstContext *context,
                            const TosstSweepObserver *observer, TosstReproducePart part, GError **error)
{
  g_autoptr (TosstStageCache) cache = tosst_sweep_cache_new ();

  g_ptr_array_set_size (self->runs, 0);
  g_ptr_array_set_size (self->varying, 0);
  for (guint i = 0; i < self->plans->len; i++)
    hold (self, i, cache, TRUE);
  for (guint i = 0; i < self->plans->len; i++)
    {
      const TosstSweepPlan *plan = g_ptr_array_index (self->plans, i);

      if (part)
        part (i, self->plans->len, plan, observer->data);
      const char *label = self->experiment->parts[i].label;
      g_autofree char *title = g_strchomp (g_strdup_printf ("%s %s", self->experiment->name, label));
      TosstSweepOptions with_title = *options;
      g_autoptr (TosstSweepResult) result = NULL;
      g_autoptr (TosstStore) store = NULL;

      with_title.title = title;
      with_title.cache = cache;
      if (!tosst_sweep_execute (plan, &with_title, context, observer, &result, error))
        return FALSE;
      hold (self, i, cache, FALSE);
      store = tosst_store_open (options->workspace, TOSST_STORE_READ, error);
      if (!store || !collect (self, i, plan, result, store, error))
        return FALSE;
    }
  return TRUE;
}
