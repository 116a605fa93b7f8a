/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One split: tensors of the sample, dictionary, codes and signatures, classifier, accuracy. With plain descriptors
 * there is no dictionary, and learning is skipped.
 */
#include "config.h"

#include <math.h>

#include "core/dictionary/model.h"
#include "core/run/private.h"

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

gboolean
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
