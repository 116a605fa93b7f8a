/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/project-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/dictionary/atom-usage.h"
#include "core/local/image-tensors.h"
#include "studio/tasks/task.h"

/* Opening data sets and dictionaries in background threads, so that a slow folder never blocks the window. */

#define REOPEN_MS 400 /* after the last edit of a parameter that affects the split into patches */

/* Plain data; the worker may free it. */
typedef struct
{
  GCancellable *cancellable;
  TosstRecipe *recipe;   /* job of a data set; NULL: of a dictionary */
  TosstRecipe *base;     /* of the recipe */
  GFile *folder;         /* NULL: the data set of the recipe */
  GFile *file;           /* chosen by the user, or NULL */
  TosstDataset *present; /* open now, or NULL: the folder may have the features of its images */
  gboolean features;     /* result: it has */
  TosstPreset preset;    /* of a folder */

  TosstDataset *dataset; /* result: one of the two */
  StudioAtomSet *atoms;
  GPtrArray *kept; /* result: const TosstParameter *: the user's changes; NULL: no preset was applied */
} OpenJob;

TOSST_DEFINE_FREE (OpenJob, open_job_free, (cancellable, g_object_unref), (recipe, tosst_recipe_free),
                   (base, tosst_recipe_free), (kept, g_ptr_array_unref), (dataset, tosst_dataset_unref),
                   (present, tosst_dataset_unref), (atoms, studio_atom_set_unref), (folder, g_object_unref),
                   (file, g_object_unref))

/* Whether the project has started no other job. current: opening or loading. */
static gboolean
finish_job (StudioProject *self, GCancellable **current, const OpenJob *job)
{
  if (self->disposed || *current != job->cancellable)
    return FALSE;
  g_clear_object (current);
  return TRUE;
}

#define PROBED 16 /* images whose files of features are looked for, evenly distributed */

/* Whether a folder has the local features (core/local/features.h) of images of a data set. */
static gboolean
has_features (GFile *folder, TosstDataset *dataset)
{
  guint n = dataset->entries->len, probed = MIN (n, PROBED);

  for (guint i = 0; i < probed; i++)
    {
      g_autofree char *id = tosst_dataset_image_id (dataset, (guint)((guint64)i * n / probed));
      g_autofree char *npz = g_strconcat (id, ".npz", NULL), *npy = g_strconcat (id, ".npy", NULL);
      g_autoptr (GFile) both = g_file_resolve_relative_path (folder, npz);
      g_autoptr (GFile) array = g_file_resolve_relative_path (folder, npy);

      if (!g_file_query_exists (both, NULL) && !g_file_query_exists (array, NULL))
        return FALSE;
    }
  return probed > 0;
}

static gboolean
set_features (TosstRecipe *recipe, GFile *folder, GError **error)
{
  return tosst_recipe_set (recipe, "descriptor.length", "", error)
         && tosst_recipe_set (recipe, "descriptor.kind", "features", error)
         && tosst_recipe_set (recipe, "descriptor.folder", g_file_peek_path (folder), error);
}

/* Opens the folder by the defaults with the user's changes, and makes the recipe that of the preset with them. */
static gboolean
open_folder (OpenJob *job, GError **error)
{
  g_autoptr (TosstRecipe) mine = g_steal_pointer (&job->recipe), before = g_steal_pointer (&job->base);
  TosstFacts facts;

  job->base = tosst_recipe_new ();
  if (!tosst_preset_set_folder (job->base, job->folder, error))
    {
      job->recipe = g_steal_pointer (&mine);
      return FALSE;
    }
  job->recipe = tosst_recipe_copy (job->base);
  g_autoptr (GPtrArray) changes = tosst_recipe_carry_changes (job->recipe, mine, before);
  job->dataset = tosst_dataset_open (job->recipe, job->cancellable, error);
  if (job->dataset == NULL)
    return FALSE;
  tosst_facts_init (&facts, job->dataset);
  if (tosst_preset_is_unfit (job->recipe))
    job->preset = TOSST_N_PRESETS;

  g_autoptr (TosstRecipe) opened = g_steal_pointer (&job->recipe), source = g_steal_pointer (&job->base);
  job->base = tosst_preset_recipe (job->preset, source, &facts);
  job->recipe = tosst_recipe_copy (job->base);
  job->kept = tosst_recipe_carry_changes (job->recipe, mine, before);
  /* Images smaller than a patch are left out. */
  if (job->recipe->descriptor.patch == opened->descriptor.patch
      && tosst_recipe_has_frames (job->recipe) == tosst_recipe_has_frames (opened))
    return TRUE;
  g_clear_pointer (&job->dataset, tosst_dataset_unref);
  job->dataset = tosst_dataset_open (job->recipe, job->cancellable, error);
  return job->dataset != NULL;
}

static gboolean
open_source (OpenJob *job, GError **error)
{
  job->features = job->folder != NULL && job->present != NULL && g_file_peek_path (job->folder) != NULL
                  && has_features (job->folder, job->present);
  if (job->folder != NULL && !job->features)
    return open_folder (job, error);
  if (job->features
      && (!set_features (job->base, job->folder, error) || !set_features (job->recipe, job->folder, error)))
    return FALSE;
  job->dataset = tosst_dataset_open (job->recipe, job->cancellable, error);
  return job->dataset != NULL;
}

static gboolean
open_work (OpenJob *job, GError **error)
{
  if (!open_source (job, error))
    return FALSE;
  gboolean known = job->recipe->descriptor.length > 0;
  /* The length of features; of a file that cannot be read, a run says so. */
  if (!tosst_local_complete_recipe (job->recipe, job->dataset, job->features ? error : NULL) && job->features)
    g_clear_pointer (&job->dataset, tosst_dataset_unref);
  if (!known)
    job->base->descriptor.length = job->recipe->descriptor.length;
  return job->dataset != NULL;
}

void
studio_project_cancel_opening (StudioProject *self)
{
  if (self->opening != NULL)
    g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  g_clear_handle_id (&self->reopen_source, g_source_remove);
}

/* In two steps to undo: the data set, and the values of a preset. */
static void
accept_recipe (StudioProject *self, OpenJob *job)
{
  g_autoptr (TosstRecipe) recipe = g_steal_pointer (&job->recipe), base = g_steal_pointer (&job->base);

  if (job->folder == NULL)
    return;
  if (job->kept != NULL)
    studio_project_take_preset (self, job->preset, recipe, base, job->kept);
  else
    studio_recipe_model_take_based (self->model, g_steal_pointer (&recipe), g_steal_pointer (&base), NULL);
  g_clear_handle_id (&self->reopen_source, g_source_remove); /* the same data set */
}

/* A recipe without the length of its features has that of the files of the data set. */
static void
accept_length (StudioProject *self, int length)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (self->model->recipe);
  g_autoptr (TosstRecipe) base = tosst_recipe_copy (self->model->base);

  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES || recipe->descriptor.length > 0 || length <= 0)
    return;
  recipe->descriptor.length = base->descriptor.length = length;
  studio_recipe_model_take_based (self->model, g_steal_pointer (&recipe), g_steal_pointer (&base),
                                  _ (tosst_parameter_find ("descriptor.length")->label));
  g_clear_handle_id (&self->reopen_source, g_source_remove); /* the same data set */
}

/* The sentence names the parameter that does not fit the images. */
static gboolean
is_about_parameter (const GError *error)
{
  return g_error_matches (error, TOSST_ERROR, TOSST_FAILED_INPUT)
         && (strstr (error->message, "dataset.") != NULL || strstr (error->message, "descriptor.") != NULL);
}

void
studio_project_forget_refused (StudioProject *self)
{
  g_clear_object (&self->refused);
  g_clear_object (&self->refused_recent);
}

static void
on_opened (StudioProject *self, OpenJob *job, const GError *error)
{
  if (!finish_job (self, &self->opening, job))
    return;
  if (error == NULL)
    {
      int length = job->recipe->descriptor.length;

      g_clear_pointer (&self->dataset, tosst_dataset_unref);
      self->dataset = g_steal_pointer (&job->dataset);
      tosst_facts_init (&self->facts, self->dataset);
      self->unfit = FALSE;
      accept_recipe (self, job);
      accept_length (self, length);
      g_signal_emit_by_name (self, "dataset");
      if (job->file != NULL && !job->features)
        g_signal_emit_by_name (self, "opened", job->file);
      if (job->features)
        g_signal_emit_by_name (self, "toast", _ ("Images are described by the features of this folder"), NULL, NULL);
      if (self->start_when_open)
        g_signal_emit_by_name (self, "start");
    }
  else
    {
      gboolean empty = studio_project_is_empty (self), editable = FALSE;

      /* A folder refused because of a parameter is opened again when that is edited: without an open data set it is
       * already that of the recipe, else it replaces the open one, which stays until then. */
      g_signal_emit_by_name (self, "failed", error->message, is_about_parameter (error), &editable);
      if (empty)
        {
          self->unfit = editable;
          if (editable)
            accept_recipe (self, job);
        }
      if (editable)
        {
          g_set_object (&self->refused, job->folder);
          g_set_object (&self->refused_recent, job->file);
        }
    }
  self->start_when_open = FALSE;
  g_signal_emit_by_name (self, "changed");
  g_signal_emit_by_name (self, "settled");
}

void
studio_project_open (StudioProject *self, GFile *folder, GFile *recent)
{
  OpenJob *job = g_new0 (OpenJob, 1);

  job->folder = folder != NULL ? g_object_ref (folder) : NULL;
  job->file = recent != NULL ? g_object_ref (recent) : NULL;
  studio_project_cancel_opening (self);
  studio_project_forget_refused (self);
  self->opening = g_cancellable_new ();
  job->cancellable = g_object_ref (self->opening);
  job->recipe = tosst_recipe_copy (self->model->recipe);
  job->base = tosst_recipe_copy (self->model->base);
  job->preset = self->preset;
  job->present = self->dataset != NULL ? tosst_dataset_ref (self->dataset) : NULL;
  studio_task_run (self, open_work, job, open_job_free, on_opened);
  if (self->dataset == NULL && self->atoms == NULL && !self->unfit) /* the row being edited stays visible */
    g_signal_emit_by_name (self, "loading");
  g_signal_emit_by_name (self, "changed");
}

void
studio_project_reopen (StudioProject *self)
{
  studio_project_open (self, self->refused, self->refused_recent);
}

static gboolean
cuts_dataset (const char *name)
{
  return name == NULL || (g_str_has_prefix (name, "dataset.") && !g_str_has_suffix (name, "seed"))
         || strcmp (name, "descriptor.patch") == 0 || strcmp (name, "descriptor.kind") == 0
         || strcmp (name, "descriptor.frames") == 0 || strcmp (name, "descriptor.folder") == 0
         || strcmp (name, "descriptor.length") == 0;
}

static void
on_recipe (StudioProject *self, const char *name)
{
  if ((self->dataset == NULL && !self->unfit) || !cuts_dataset (name))
    return;
  if (name == NULL || strcmp (name, "dataset.path") == 0 || strcmp (name, "dataset.kind") == 0)
    studio_project_forget_refused (self); /* another data set is chosen */
  g_clear_handle_id (&self->reopen_source, g_source_remove);
  studio_later (&self->reopen_source, REOPEN_MS, studio_project_reopen, self);
}

/* The recipe of the samples with the user's changes. */
void
studio_project_open_samples (StudioProject *self)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();

  g_ptr_array_unref (tosst_recipe_carry_changes (recipe, self->model->recipe, self->model->base));
  studio_recipe_model_take_based (self->model, g_steal_pointer (&recipe), tosst_recipe_new_samples (), NULL);
  studio_project_open (self, NULL, NULL);
}

/* Dictionaries. */

static gboolean
load_work (OpenJob *job, GError **error)
{
  job->atoms = studio_atom_set_load (job->file, g_get_num_processors (), error);
  return job->atoms != NULL;
}

static void
studio_project_set_atoms (StudioProject *self, StudioAtomSet *atoms, GFile *file)
{
  g_autoptr (StudioAtomSet) old G_GNUC_UNUSED = g_steal_pointer (&self->atoms);

  self->atoms = atoms != NULL ? studio_atom_set_ref (atoms) : NULL;
  self->choosing = NULL;
  g_set_object (&self->dictionary_file, file);
  g_signal_emit_by_name (self, "atoms");
  g_signal_emit_by_name (self, "changed");
}

static void
on_loaded (StudioProject *self, OpenJob *job, const GError *error)
{
  if (!finish_job (self, &self->loading, job))
    return;
  if (error == NULL)
    {
      studio_project_set_atoms (self, job->atoms, job->file);
      g_signal_emit_by_name (self, "problem", NULL);
      g_signal_emit_by_name (self, "show-view", "atoms");
      g_signal_emit_by_name (self, "opened", job->file);
    }
  else
    g_signal_emit_by_name (self, "problem", error->message);
  g_signal_emit_by_name (self, "settled");
}

void
studio_project_open_dictionary (StudioProject *self, GFile *file)
{
  OpenJob *job = g_new0 (OpenJob, 1);

  if (studio_project_is_empty (self))
    g_signal_emit_by_name (self, "loading");
  g_clear_object (&self->loading);
  self->loading = g_cancellable_new ();
  job->cancellable = g_object_ref (self->loading);
  job->file = g_object_ref (file);
  studio_task_run (self, load_work, job, open_job_free, on_loaded);
}

void
studio_project_show_learned (StudioProject *self)
{
  studio_project_set_atoms (self, self->runner->learned, NULL);
}

/* Atoms and Inspect have the atoms of the last step, and those of the run again when stepping has ended. */
static void
on_stepper (StudioProject *self)
{
  StudioAtomSet *set = self->stepper->set;

  if (set == NULL ? !self->stepped || self->stepper->work != NULL : set == self->atoms)
    return;
  self->refined = self->stepped && set != NULL; /* the atom that is shown stays */
  self->stepped = set != NULL;
  studio_project_set_atoms (self, set != NULL ? set : self->runner->learned, NULL);
  self->refined = FALSE;
}

void
studio_project_open_init (StudioProject *self)
{
  self->first_atom = -1;
  studio_project_connect (self, self->stepper, "changed", G_CALLBACK (on_stepper));
  studio_project_connect (self, self->model, "changed", G_CALLBACK (on_recipe));
  studio_project_connect (self, self->runner, "learned", G_CALLBACK (studio_project_show_learned));
}

/* The dictionaries of later splits: ranks of thousands of atoms take a second, and only for those that are looked at. */

typedef struct
{
  TosstDictionary *dictionary; /* a copy, until it is taken */
  TosstRecipe *recipe;
  int split, atom;
  StudioAtomSet *atoms; /* result */
} SplitJob;

TOSST_DEFINE_FREE (SplitJob, split_job_free, (dictionary, tosst_dictionary_free), (recipe, tosst_recipe_free),
                   (atoms, studio_atom_set_unref))

static gboolean
split_work (SplitJob *job, GError **error)
{
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
on_made (StudioProject *self, SplitJob *job, const GError *error)
{
  if (self->disposed || self->choosing != job)
    return;
  self->choosing = NULL;
  if (error == NULL)
    show (self, job->atoms, job->atom);
  else
    g_signal_emit_by_name (self, "toast", error->message, NULL, NULL);
}

void
studio_project_show_split (StudioProject *self, int split, int atom)
{
  SplitJob *job;

  self->choosing = NULL;
  if (split == 0)
    show (self, self->runner->learned, atom);
  else
    {
      job = g_new0 (SplitJob, 1);
      job->dictionary = tosst_dictionary_copy (studio_runner_get_dictionary (self->runner, split));
      job->recipe = tosst_recipe_copy (self->runner->recipe);
      job->split = split;
      job->atom = atom;
      self->choosing = job;
      studio_task_run (self, split_work, job, split_job_free, on_made);
    }
}

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

TOSST_DEFINE_FREE (Question, question_free, (atoms, studio_atom_set_unref), (recipe, tosst_recipe_free),
                   (dataset, tosst_dataset_unref))

TOSST_DEFINE_FREE (Answer, answer_free, (asked, studio_atom_set_unref), (used, studio_atom_set_unref),
                   (problem, g_free))

static Answer *
answer_new (const Question *question)
{
  Answer *answer = g_new0 (Answer, 1);

  answer->asked = studio_atom_set_ref (question->atoms);
  return answer;
}

static void
on_progress (double fraction, Progress *self)
{
  gint64 now = g_get_monotonic_time ();

  if (now - self->told < TELL_EVERY)
    return;
  self->told = now;
  Answer *answer = answer_new (self->question);
  answer->fraction = fraction;
  studio_worker_put (self->worker, answer);
}

static void
work (StudioWorker *worker, TosstContext *context, const Question *question, gpointer *session)
{
  Progress progress = { worker, question, 0 };
  g_autoptr (GError) error = NULL;

  tosst_context_set_progress (context, (TosstProgressFunc)on_progress, &progress);
  g_autoptr (TosstAtomUsage) usage
      = tosst_find_usage (question->recipe, context, question->atoms->dictionary, question->dataset, &error);
  tosst_context_set_progress (context, NULL, NULL);
  if (g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return;
  Answer *answer = answer_new (question);
  if (usage != NULL)
    answer->used = studio_atom_set_new_used (question->atoms, question->recipe, usage, question->dataset);
  else
    answer->problem = g_strdup (error->message);
  studio_worker_put (worker, answer);
}

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
  if (self->atoms == NULL || self->atoms->usage != NULL || self->dataset == NULL)
    return NULL;
  g_autoptr (TosstRecipe) recipe = studio_atom_set_recipe (self->atoms, self->model->recipe);
  g_autofree char *mismatch = studio_atom_set_mismatch (self->atoms, recipe);
  return mismatch == NULL && tosst_recipe_has_dictionary (recipe) ? g_steal_pointer (&recipe) : NULL;
}

static void
show_usage (StudioProject *self)
{
  g_autoptr (TosstRecipe) recipe = fitting_recipe (self);

  g_signal_emit_by_name (self, "usage", recipe != NULL, is_looking (self) ? self->found : -1);
}

static void
on_answer (StudioProject *self, Answer *answer)
{
  if (answer->asked != self->found_atoms)
    return;
  self->found = answer->fraction;
  if (answer->used != NULL || answer->problem != NULL)
    {
      g_clear_pointer (&self->found_atoms, studio_atom_set_unref);
      g_clear_pointer (&self->found_dataset, tosst_dataset_unref);
    }
  if (answer->used != NULL)
    {
      self->refined = TRUE;
      studio_project_set_atoms (self, answer->used, self->dictionary_file);
      self->refined = FALSE;
    }
  if (answer->problem != NULL)
    g_signal_emit_by_name (self, "toast", answer->problem, NULL, NULL);
}

static const StudioWork usage_work = { G_CALLBACK (work),      question_free,      answer_free,     NULL,
                                       G_CALLBACK (on_answer), .interrupts = TRUE, .parallel = TRUE };

void
studio_project_find_patches (StudioProject *self)
{
  g_autoptr (TosstRecipe) recipe = fitting_recipe (self);

  if (is_looking (self) || recipe == NULL)
    {
      studio_project_stop_finding (self);
      show_usage (self);
      return;
    }
  Question *question = g_new0 (Question, 1);
  question->atoms = studio_atom_set_ref (self->atoms);
  question->recipe = g_steal_pointer (&recipe);
  question->dataset = tosst_dataset_ref (self->dataset);
  self->found_atoms = studio_atom_set_ref (self->atoms);
  self->found_dataset = tosst_dataset_ref (self->dataset);
  self->found = 0;
  studio_worker_ask_first (&self->finding, &usage_work, show_usage, self, question);
  show_usage (self);
}

static void
update (StudioProject *self)
{
  if (is_looking (self) && (self->atoms != self->found_atoms || self->dataset != self->found_dataset))
    studio_project_stop_finding (self);
  show_usage (self);
}

void
studio_project_usage_init (StudioProject *self)
{
  studio_project_connect (self, self, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->model, "changed", G_CALLBACK (update));
}
