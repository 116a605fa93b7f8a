/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/project-private.h"

#include "core/base/error.h"
#include "core/dictionary/atom-usage.h"

/* Finds the patches that use the atoms of a file or of a stored run: a worker codes the open data set with them on
 * request. */

#define TELL_EVERY (G_USEC_PER_SEC / 5)

typedef struct
{
  StudioAtomSet *atoms;
  TosstRecipe *recipe;
  TosstDataset *dataset;
} Question;

typedef struct
{
  StudioAtomSet *asked; /* data set of the patches */
  double fraction;
  StudioAtomSet *used; /* NULL: still running, or */
  char *problem;
} Answer;

/* Progress of the worker. */
typedef struct
{
  StudioWorker *worker;
  const Question *question;
  gint64 told;
} Progress;

static void
question_free (gpointer data)
{
  Question *self = data;

  studio_atom_set_unref (self->atoms);
  tosst_recipe_free (self->recipe);
  tosst_dataset_unref (self->dataset);
  g_free (self);
}

static void
answer_free (gpointer data)
{
  Answer *self = data;

  studio_atom_set_unref (self->asked);
  g_clear_pointer (&self->used, studio_atom_set_unref);
  g_free (self->problem);
  g_free (self);
}

static Answer *
answer_new (const Question *question)
{
  Answer *answer = g_new0 (Answer, 1);

  answer->asked = studio_atom_set_ref (question->atoms);
  return answer;
}

static void
on_progress (double fraction, void *data)
{
  Progress *self = data;
  gint64 now = g_get_monotonic_time ();
  Answer *answer;

  if (now - self->told < TELL_EVERY)
    return;
  self->told = now;
  answer = answer_new (self->question);
  answer->fraction = fraction;
  studio_worker_put (self->worker, answer);
}

static void
work (StudioWorker *worker, TosstContext *context, gpointer data, gpointer *session)
{
  const Question *question = data;
  Progress progress = { worker, question, 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstAtomUsage) usage = NULL;
  Answer *answer;

  tosst_context_set_progress (context, on_progress, &progress);
  usage = tosst_find_usage (question->recipe, context, question->atoms->dictionary, question->dataset, &error);
  tosst_context_set_progress (context, NULL, NULL);
  if (g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return;
  answer = answer_new (question);
  if (usage != NULL)
    answer->used = studio_atom_set_new_used (question->atoms, question->recipe, usage, question->dataset);
  else
    answer->problem = g_strdup (error->message);
  studio_worker_put (worker, answer);
}

static const StudioWork usage_work = { work, question_free, answer_free, NULL, TRUE, TRUE };

static gboolean
is_looking (StudioProject *self)
{
  return self->found_atoms != NULL;
}

void
studio_project_stop_finding (StudioProject *self)
{
  g_clear_pointer (&self->finding, studio_worker_free);
  g_clear_pointer (&self->found_atoms, studio_atom_set_unref);
  g_clear_pointer (&self->found_dataset, tosst_dataset_unref);
}

/* The recipe to code with, new; NULL if the open data set does not fit the atoms. */
static TosstRecipe *
fitting_recipe (StudioProject *self)
{
  g_autoptr (TosstRecipe) recipe = NULL;
  g_autofree char *mismatch = NULL;

  if (self->atoms == NULL || self->atoms->usage != NULL || self->dataset == NULL)
    return NULL;
  recipe = studio_atom_set_recipe (self->atoms, studio_recipe_model_peek (self->model));
  mismatch = studio_atom_set_mismatch (self->atoms, recipe);
  return mismatch == NULL && tosst_recipe_has_dictionary (recipe) ? g_steal_pointer (&recipe) : NULL;
}

static void
show (StudioProject *self)
{
  g_autoptr (TosstRecipe) recipe = fitting_recipe (self);

  g_signal_emit_by_name (self, "usage", recipe != NULL, is_looking (self) ? self->found : -1);
}

static void
on_notify (gpointer data)
{
  StudioProject *self = data;
  Answer *answer;

  while (self->finding != NULL && (answer = studio_worker_take (self->finding)) != NULL)
    {
      gboolean current = answer->asked == self->found_atoms, ended = answer->used != NULL || answer->problem != NULL;

      if (current)
        self->found = answer->fraction;
      if (current && ended)
        {
          g_clear_pointer (&self->found_atoms, studio_atom_set_unref);
          g_clear_pointer (&self->found_dataset, tosst_dataset_unref);
        }
      if (current && answer->used != NULL)
        {
          self->refined = TRUE;
          studio_project_set_atoms (self, answer->used, self->dictionary_file);
          self->refined = FALSE;
        }
      if (current && answer->problem != NULL)
        studio_project_toast (self, answer->problem, NULL, NULL);
      answer_free (answer);
    }
  show (self);
}

void
studio_project_find_patches (StudioProject *self)
{
  g_autoptr (TosstRecipe) recipe = fitting_recipe (self);
  Question *question;

  if (is_looking (self) || recipe == NULL)
    {
      studio_project_stop_finding (self);
      show (self);
      return;
    }
  question = g_new0 (Question, 1);
  question->atoms = studio_atom_set_ref (self->atoms);
  question->recipe = g_steal_pointer (&recipe);
  question->dataset = tosst_dataset_ref (self->dataset);
  self->found_atoms = studio_atom_set_ref (self->atoms);
  self->found_dataset = tosst_dataset_ref (self->dataset);
  self->found = 0;
  studio_worker_ask_first (&self->finding, &usage_work, on_notify, self, question);
  show (self);
}

static void
update (StudioProject *self)
{
  if (is_looking (self) && (self->atoms != self->found_atoms || self->dataset != self->found_dataset))
    studio_project_stop_finding (self);
  show (self);
}

void
studio_project_usage_init (StudioProject *self)
{
  studio_project_connect (self, self, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->model, "changed", G_CALLBACK (update));
}
