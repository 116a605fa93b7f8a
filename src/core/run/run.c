/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One split: tensors of the sample, dictionary, codes and signatures, classifier, accuracy. With plain descriptors
 * there is no dictionary, and learning is skipped.
 */
#include "config.h"

#include "core/run/run.h"

#include <math.h>
#include <string.h>

#include "core/base/disk-cache.h"
#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/model.h"
#include "core/run/private.h"
#include "core/run/scores.h"

/* Trains the classifier and tests it. */
static gboolean
classify (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, const GArray *train,
          const GArray *test, TosstSplitResult *outcome, GError **error)
{
  TosstTrained trained = { 0 };

  outcome->worst_kkt = signatures->worst_kkt;
  outcome->mean_nonzeros = signatures->mean_nonzeros;
  if (!tosst_run_classify (self, learned, signatures, NULL, train, test, outcome, &trained, error))
    return FALSE;
  tosst_run_keep_dictionary (self, tosst_run_dictionary (self, learned), outcome);
  if (outcome->split == 0)
    {
      TosstModel *model = tosst_run_model_new (self, self->result->dictionary, signatures);

      model->svm = g_steal_pointer (&trained.svm);
      model->kernel = g_steal_pointer (&trained.kernel);
      model->slope = trained.slope;
      self->result->model = model;
      outcome->model = model;
    }
  tosst_trained_clear (&trained);
  return TRUE;
}

/* Predictions name samples of the whole data set. */
static void
number_predictions (const TosstRun *self, TosstSplitResult *outcome)
{
  for (guint i = 0; outcome->predictions != NULL && i < outcome->predictions->len; i++)
    {
      TosstPrediction *prediction = &g_array_index (outcome->predictions, TosstPrediction, i);

      prediction->sample = tosst_dataset_origin (self->dataset, prediction->sample);
      for (int side = 0; side < 2; side++)
        for (int *near = prediction->nearest[side]; near < prediction->nearest[side] + TOSST_NEAREST && *near >= 0;
             near++)
          *near = (int)tosst_dataset_origin (self->dataset, (guint)*near);
    }
}

/* A split of one descriptor. */
static gboolean
sign_and_classify (TosstRun *self, const GArray *train, const GArray *test, TosstSplitResult *outcome, GError **error)
{
  g_autoptr (TosstShared) learned = NULL, signatures = NULL;

  signatures = tosst_run_sign (self, train, (guint)outcome->split, &learned, error);
  if (signatures == NULL)
    return FALSE;
  self->result->tensors = tosst_recipe_has_tensors (self->recipe) ? self->patches->count : 0;
  self->result->d = self->layout->d;
  tosst_run_count_empty (self, signatures->data);
  return classify (self, learned != NULL ? learned->data : NULL, signatures->data, train, test, outcome, error);
}

static gboolean
tosst_run_one_split (TosstRun *self, guint split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  TosstSplitResult *outcome = &self->result->split[split];

  *outcome = (TosstSplitResult){ .split = (int)split, .objective = NAN };
  if (!tosst_dataset_split (self->dataset, self->recipe, split, &train, &test, error)
      || !(self->combined != NULL ? tosst_combined_split (self->combined, train, test, outcome, error)
                                  : sign_and_classify (self, train, test, outcome, error)))
    return FALSE;
  number_predictions (self, outcome);
  outcome->tensors = (double)self->result->tensors;
  outcome->d = self->result->d;
  self->result->splits = (int)split + 1;
  if (self->observer != NULL && self->observer->split != NULL)
    self->observer->split (outcome, self->observer->data);
  return TRUE;
}

/* Execution of a run, from images to accuracy. */

/* Means over the splits of the average precision of each class, where it is defined. */
static void
average_scores (TosstRunResult *result)
{
  g_autofree double *one = g_new (double, result->classes);
  g_autofree int *n = g_new0 (int, result->classes);
  double mean;

  for (int s = 0; s < result->splits; s++)
    if (result->split[s].scores != NULL && tosst_scores_mean (result->split[s].scores, result->score, one, &mean, NULL))
      for (int i = 0; i < result->classes; i++)
        if (!isnan (one[i]))
          {
            result->per_class[i] += one[i];
            n[i]++;
          }
  for (int i = 0; i < result->classes; i++)
    result->per_class[i] = n[i] > 0 ? result->per_class[i] / n[i] : NAN;
}

static void
summarise (TosstRunResult *result)
{
  int classes = result->classes;
  double sum = 0, squares = 0;

  for (int i = 0; i < classes; i++)
    result->per_class[i] = 0;
  memset (result->confusion, 0, sizeof *result->confusion * (gsize)(classes * classes));
  for (int s = 0; s < result->splits; s++)
    {
      sum += result->split[s].accuracy;
      for (int i = 0; i < classes * classes; i++)
        result->confusion[i] += result->split[s].confusion[i];
    }
  result->accuracy_mean = result->splits > 0 ? sum / result->splits : NAN;
  for (int s = 0; s < result->splits; s++)
    squares += pow (result->split[s].accuracy - result->accuracy_mean, 2);
  result->accuracy_std = result->splits > 1 ? sqrt (squares / (result->splits - 1)) : NAN;
  if (result->score != TOSST_SCORE_ACCURACY)
    {
      average_scores (result);
      return;
    }
  for (int i = 0; i < classes; i++)
    {
      int all = 0;
      for (int j = 0; j < classes; j++)
        all += result->confusion[i * classes + j];
      result->per_class[i] = all > 0 ? 100.0 * result->confusion[i * classes + i] / all : NAN;
    }
}

double
tosst_run_part_accuracy (const TosstSplitResult *split, const char *name)
{
  for (guint i = 0; split->parts != NULL && i < split->parts->len; i++)
    if (g_str_equal (g_array_index (split->parts, TosstPartResult, i).name, name))
      return g_array_index (split->parts, TosstPartResult, i).accuracy;
  return NAN;
}

static TosstRunResult *
result_new (TosstDataset *dataset, guint splits)
{
  TosstRunResult *result = g_new0 (TosstRunResult, 1);
  guint classes = tosst_dataset_classes (dataset);

  result->classes = (int)classes;
  result->class_names = g_new0 (char *, classes + 1);
  for (guint i = 0; i < classes; i++)
    result->class_names[i] = g_strdup (tosst_dataset_class_name (dataset, i));
  result->split = g_new0 (TosstSplitResult, splits);
  result->allocated_splits = (int)splits;
  result->per_class = g_new0 (double, classes);
  result->confusion = g_new0 (int, classes *classes);
  return result;
}

void
tosst_run_result_free (TosstRunResult *result)
{
  if (result == NULL)
    return;
  g_strfreev (result->class_names);
  for (int s = 0; s < result->allocated_splits; s++)
    tosst_run_split_clear (&result->split[s]);
  g_free (result->split);
  g_free (result->per_class);
  g_free (result->confusion);
  g_free (result->empty_name);
  g_strfreev (result->duplicates);
  tosst_dictionary_free (result->dictionary);
  tosst_model_free (result->model);
  g_clear_pointer (&result->usage, tosst_atom_usage_unref);
  g_free (result);
}

/* Any number may be in a file. */
static double
valid_count (double value)
{
  return value >= 0 && value <= G_MAXINT ? value : 0;
}

/* Copies earlier splits into the result. */
static void
load_splits (TosstRun *self)
{
  TosstRunResult *result = self->result;
  gsize size = (gsize)(result->classes * result->classes);

  self->first = MIN ((guint)self->options->n_done, self->splits);
  for (guint i = 0; i < self->first; i++)
    {
      result->split[i] = self->options->done[i];
      result->split[i].confusion = g_memdup2 (self->options->done[i].confusion, sizeof (int) * size);
      if (result->split[i].predictions != NULL)
        g_array_ref (result->split[i].predictions);
      if (result->split[i].scores != NULL)
        tosst_scores_ref (result->split[i].scores);
      if (result->split[i].parts != NULL)
        g_array_ref (result->split[i].parts);
      if (result->split[i].margins != NULL)
        tosst_scores_ref (result->split[i].margins);
      result->split[i].model = NULL;
      result->split[i].usage = NULL;
      result->split[i].dictionary = NULL;
    }
  result->splits = (int)self->first;
  /* Nothing is described again if no split is left. */
  if (self->first > 0)
    {
      result->tensors = (gsize)valid_count (self->options->done[self->first - 1].tensors);
      result->d = (int)valid_count (self->options->done[self->first - 1].d);
    }
}

static gboolean
execute (TosstRun *self, GError **error)
{
  if (self->first == self->splits)
    return TRUE;
  if (tosst_recipe_has_parts (self->recipe))
    {
      self->combined = tosst_combined_new (self, error);
      if (self->combined == NULL)
        return FALSE;
    }
  else if (!tosst_recipe_has_split_tensors (self->recipe) && !tosst_run_tensors_open (self, -1, error))
    return FALSE;
  for (guint split = self->first; split < self->splits; split++)
    if (!tosst_run_one_split (self, split, error))
      return FALSE;
  return TRUE;
}

TosstRunResult *
tosst_run_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                   const TosstRunObserver *observer, TosstRunResult **partial, GError **error)
{
  const TosstRunOptions options = { 0 };

  return tosst_run_execute_with (recipe, dataset, context, observer, &options, partial, error);
}

TosstRunResult *
tosst_run_execute_with (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                        const TosstRunObserver *observer, const TosstRunOptions *options, TosstRunResult **partial,
                        GError **error)
{
  g_return_val_if_fail (recipe != NULL, NULL);
  g_return_val_if_fail (dataset != NULL, NULL);
  g_return_val_if_fail (context != NULL, NULL);
  g_return_val_if_fail (options != NULL, NULL);

  g_autoptr (TosstDataset) used = NULL;
  TosstRun self = {
    .recipe = recipe, .context = context, .observer = observer, .options = options, .saved = g_get_monotonic_time ()
  };

  if (partial != NULL)
    *partial = NULL;
  if (!tosst_recipe_check (recipe, error))
    return NULL;
  self.dataset = used = tosst_dataset_of_run (dataset, recipe, error);
  if (used == NULL)
    return NULL;
  tosst_disk_cache_begin ();
  self.start = tosst_context_seconds (context);
  self.splits = tosst_dataset_splits (used, recipe);
  self.codes = (gsize)tosst_recipe_code_length (recipe);
  self.length = (gsize)tosst_recipe_signature_length (recipe);
  self.result = result_new (dataset, self.splits);
  self.result->score = tosst_recipe_score (recipe);
  load_splits (&self);
  tosst_context_set_progress (context, tosst_run_on_progress, &self);

  gboolean fine = execute (&self, error);

  tosst_context_set_progress (context, NULL, NULL);
  self.result->seconds_total = tosst_context_seconds (context) - self.start;
  self.result->peak_memory_mb = tosst_memory_peak_mb ();
  summarise (self.result);
  self.result->duplicates = tosst_dataset_find_duplicates (used, recipe, (guint)self.result->splits);
  tosst_combined_free (self.combined);
  tosst_run_release (&self);
  if (fine)
    return self.result;
  if (partial != NULL)
    *partial = self.result;
  else
    tosst_run_result_free (self.result);
  return NULL;
}

TosstRunResult *
tosst_run_sum_up (const TosstRecipe *recipe, TosstDataset *dataset, const GArray *done, GError **error)
{
  const TosstRunOptions options
      = { .done = (const TosstSplitResult *)(const void *)done->data, .n_done = (int)done->len };
  TosstContext *context = tosst_context_new (1);
  TosstRunResult *partial = NULL, *result;
  g_autoptr (GError) cause = NULL;

  if (context == NULL)
    {
      tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, "", error);
      return NULL;
    }
  /* The missing splits of a stopped run must not be executed here. */
  if (done->len < tosst_dataset_splits (dataset, recipe))
    tosst_context_cancel (context);
  result = tosst_run_execute_with (recipe, dataset, context, NULL, &options, &partial, &cause);
  tosst_context_free (context);
  if (result == NULL && partial == NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return result != NULL ? result : partial;
}
