/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stages of a run up to its sample, and a stepper for learning from it.
 */
#include "core/run/step.h"

#include "core/base/base.h"
#include "core/run/private.h"

struct TosstStepLearning
{
  TosstRecipe *recipe;
  TosstDataset *dataset;
  TosstRun run; /* for its lists and layout */
  TosstRunOptions options;
  TosstRunResult result;
  float *tensors;
  gsize n;
  TosstStepper *stepper;
};

static gboolean
check_recipe (const TosstRecipe *recipe, GError **error)
{
  TosstMinibatchOptions minibatch;

  if (!tosst_recipe_check (recipe, error))
    return FALSE;
  if (!tosst_recipe_has_dictionary (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("this recipe learns no dictionary, so that there are no steps"));
  if (recipe->dictionary.solver != TOSST_SOLVER_EXACT)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("steps need the exact solver: set dictionary.solver to exact"));
  if (tosst_recipe_minibatch_options (recipe, &minibatch))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("steps need all tensors at once: set dictionary.minibatch to 0"));
  return TRUE;
}

static gboolean
gather (TosstStepLearning *self, int split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL, sample = NULL;

  if (!tosst_run_tensors_list (&self->run, split, error)
      || !tosst_dataset_split (self->dataset, self->recipe, (guint)split, &train, &test, error))
    return FALSE;
  sample = tosst_run_select_sample (&self->run, train, split);
  self->n = sample->len;
  self->tensors = g_try_malloc_n (self->n, sizeof (float) * self->run.layout->m);
  if (self->tensors == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Learning"), error);
  return tosst_run_tensors_gather (&self->run, (const gsize *)(const void *)sample->data, self->n, self->tensors,
                                   error);
}

static gboolean
begin (TosstStepLearning *self, GBytes *checkpoint, gsize history, TosstContext *context, GError **error)
{
  g_autoptr (TosstCheckpoint) saved
      = checkpoint != NULL
            ? tosst_checkpoint_from_bytes (checkpoint, self->run.layout->shape, self->recipe->dictionary.atoms,
                                           self->run.patches->samples * self->run.length)
            : NULL;
  g_autofree float *codes = NULL;
  TosstLearnOptions options;
  TosstLearnRun run = { 0 };
  TosstLearnState state;

  tosst_recipe_learn_options (self->recipe, &options);
  if (saved != NULL && saved->codes != NULL && tosst_checkpoint_get_rows (saved, self->n, 0, self->n, &state, &codes))
    {
      run.resume = &state;
      options.iterations = MAX (options.iterations, state.done + 1); /* the number of steps is not limited */
    }
  TosstStatus status
      = tosst_stepper_new (context, self->run.layout, self->tensors, self->n, &options, &run, history, &self->stepper);
  return tosst_error_from_status (status, context, _ ("Learning"), error);
}

TosstStepLearning *
tosst_step_learning_new (const TosstRecipe *recipe, TosstDataset *dataset, int split, GBytes *checkpoint, gsize history,
                         TosstContext *context, GError **error)
{
  g_autoptr (TosstStepLearning) self = g_new0 (TosstStepLearning, 1);

  self->recipe = tosst_recipe_copy (recipe);
  self->dataset
      = tosst_recipe_has_copies (recipe) ? tosst_dataset_of_run (dataset, recipe, error) : tosst_dataset_ref (dataset);
  if (self->dataset == NULL)
    return NULL;
  self->run = (TosstRun){ .recipe = self->recipe,
                          .dataset = self->dataset,
                          .context = context,
                          .options = &self->options,
                          .result = &self->result,
                          .splits = 1,
                          .codes = (gsize)tosst_recipe_code_length (recipe),
                          .length = (gsize)tosst_recipe_signature_length (recipe) };
  if (!check_recipe (self->recipe, error) || !gather (self, split, error)
      || !begin (self, checkpoint, history, context, error))
    return NULL;
  return g_steal_pointer (&self);
}

TOSST_DEFINE_PUBLIC_FREE (TosstStepLearning, tosst_step_learning_free, TosstStepLearning *,
                          (stepper, tosst_stepper_free), (tensors, g_free), (run.shared_tensors, tosst_shared_unref),
                          (dataset, tosst_dataset_unref), (recipe, tosst_recipe_free))

gboolean
tosst_step_learning_step (TosstStepLearning *self, TosstContext *context, TosstStep *done, GError **error)
{
  TosstStatus status = tosst_stepper_step (self->stepper, context, done);

  return tosst_error_from_status (status, context, _ ("Learning"), error);
}

TosstStepper *
tosst_step_learning_stepper (TosstStepLearning *self)
{
  return self->stepper;
}

gsize
tosst_step_learning_tensors (TosstStepLearning *self)
{
  return self->n;
}
