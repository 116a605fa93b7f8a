/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/project-private.h"

#include "studio/tasks/task.h"

/* The dictionaries of later splits: ranks of thousands of atoms take a second, and only for those that are looked at. */

typedef struct
{
  TosstDictionary *dictionary; /* a copy, until it is taken */
  TosstRecipe *recipe;
  int split, atom;
  StudioAtomSet *atoms; /* result */
} SplitJob;

static void
split_job_free (gpointer data)
{
  SplitJob *job = data;

  tosst_dictionary_free (job->dictionary);
  tosst_recipe_free (job->recipe);
  g_clear_pointer (&job->atoms, studio_atom_set_unref);
  g_free (job);
}

static gboolean
split_work (gpointer data, GError **error)
{
  SplitJob *job = data;

  job->atoms = studio_atom_set_new (g_steal_pointer (&job->dictionary), job->recipe, NULL, NULL,
                                    g_get_num_processors (), error);
  if (job->atoms != NULL)
    job->atoms->split = job->split;
  return job->atoms != NULL;
}

static void
show (StudioProject *self, StudioAtomSet *atoms, int atom)
{
  self->first_atom = atom;
  studio_project_set_atoms (self, atoms, NULL);
  self->first_atom = -1;
}

/* Other atoms may have been shown since. */
static void
on_made (gpointer object, gpointer data, const GError *error)
{
  StudioProject *self = object;
  SplitJob *job = data;

  if (self->disposed || self->choosing != job)
    return;
  self->choosing = NULL;
  if (error == NULL)
    show (self, job->atoms, job->atom);
  else
    studio_project_toast (self, error->message, NULL, NULL);
}

void
studio_project_show_split (StudioProject *self, int split, int atom)
{
  SplitJob *job;

  g_return_if_fail (split >= 0 && split < studio_runner_get_n_dictionaries (self->runner));

  self->choosing = NULL;
  if (split == 0)
    show (self, studio_runner_get_learned (self->runner), atom);
  else
    {
      job = g_new0 (SplitJob, 1);
      job->dictionary = tosst_dictionary_copy (studio_runner_get_dictionary (self->runner, split));
      job->recipe = tosst_recipe_copy (studio_runner_get_recipe (self->runner));
      job->split = split;
      job->atom = atom;
      self->choosing = job;
      studio_task_run (self, split_work, job, split_job_free, on_made);
    }
}
