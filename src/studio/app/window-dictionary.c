/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* The dictionary that is looked at: learned by a run, or opened from a file in a background thread. */

/* Plain data that the worker may free. */
typedef struct
{
  GFile *file;
  StudioAtomSet *atoms;
} LoadJob;

typedef struct
{
  GWeakRef window;
  guint number; /* of the opening: an older one says nothing any more */
} Loading;

static void
load_job_free (LoadJob *job)
{
  g_object_unref (job->file);
  g_clear_pointer (&job->atoms, studio_atom_set_unref);
  g_free (job);
}

static void
load_work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  LoadJob *job = data;
  GError *error = NULL;

  job->atoms = studio_atom_set_load (job->file, g_get_num_processors (), &error);
  if (job->atoms == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
set_atoms (StudioWindow *self, StudioAtomSet *atoms)
{
  if (atoms != NULL)
    studio_atom_set_ref (atoms);
  g_clear_object (&self->dictionary_file);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  self->atoms = atoms;
  studio_atoms_view_set_atoms (STUDIO_ATOMS_VIEW (self->atoms_view), atoms);
  studio_inspect_view_set_atoms (STUDIO_INSPECT_VIEW (self->inspect_view), atoms);
  studio_window_update_run_actions (self);
}

static void
show_dictionary (StudioWindow *self, StudioAtomSet *atoms)
{
  set_atoms (self, atoms);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  if (self->dataset == NULL)
    adw_view_switcher_title_set_subtitle (ADW_VIEW_SWITCHER_TITLE (self->view_title), atoms->file);
  studio_window_show_problem (self, NULL);
  studio_window_show_view (self, "atoms");
}

static void
on_loaded (GObject *source, GAsyncResult *result, gpointer data)
{
  Loading *loading = data;
  g_autoptr (StudioWindow) self = g_weak_ref_get (&loading->window);
  g_autoptr (GError) error = NULL;
  gboolean fine = g_task_propagate_boolean (G_TASK (result), &error);
  LoadJob *job = g_task_get_task_data (G_TASK (result));
  gboolean current = self != NULL && !self->project->disposed && self->loading == loading->number;

  g_weak_ref_clear (&loading->window);
  g_free (loading);
  if (!current)
    return;
  self->loading = 0;
  if (fine)
    {
      show_dictionary (self, job->atoms);
      self->dictionary_file = g_object_ref (job->file);
      studio_window_remember (job->file);
    }
  else
    {
      if (studio_window_is_empty (self))
        gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "failed");
      studio_window_show_problem (self, error->message);
    }
  studio_window_session_step (self);
}

void
studio_window_open_dictionary (StudioWindow *self, GFile *file)
{
  static guint last;
  Loading *loading = g_new0 (Loading, 1);
  LoadJob *job = g_new0 (LoadJob, 1);
  g_autoptr (GTask) task = NULL;

  if (studio_window_is_empty (self))
    gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "loading");
  self->loading = loading->number = ++last;
  g_weak_ref_init (&loading->window, self);
  job->file = g_object_ref (file);
  task = g_task_new (NULL, NULL, on_loaded, loading);
  g_task_set_task_data (task, job, (GDestroyNotify)load_job_free);
  g_task_run_in_thread (task, load_work);
}

/* Of a run: once its first split is finished. */
static void
on_learned (StudioWindow *self)
{
  set_atoms (self, studio_runner_get_learned (self->project->runner));
}

void
studio_window_take_used (StudioWindow *self, StudioAtomSet *atoms)
{
  g_autoptr (GFile) file = self->dictionary_file != NULL ? g_object_ref (self->dictionary_file) : NULL;
  StudioAtom *open = studio_atoms_view_get_atom (STUDIO_ATOMS_VIEW (self->atoms_view));
  int number = open != NULL ? open->number : 0;

  set_atoms (self, atoms);
  self->dictionary_file = g_steal_pointer (&file);
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (self->atoms_view), number);
}

static gboolean
will_learn (StudioWindow *self)
{
  return studio_project_is_busy (self->project)
         && tosst_recipe_has_dictionary (studio_runner_get_recipe (self->project->runner));
}

static void
on_state (StudioWindow *self)
{
  studio_atoms_view_set_waiting (STUDIO_ATOMS_VIEW (self->atoms_view), will_learn (self));
  studio_inspect_view_set_waiting (STUDIO_INSPECT_VIEW (self->inspect_view), will_learn (self));
}

/* By somebody who sees it: lists that fill themselves choose their first image, too. */
static void
on_image_chosen (StudioWindow *self, guint image)
{
  if (gtk_widget_get_mapped (self->data_view))
    studio_inspect_view_set_image (STUDIO_INSPECT_VIEW (self->inspect_view), image);
}

static void
on_patch_activated (StudioWindow *self, int x, int y)
{
  studio_inspect_view_choose_patch (STUDIO_INSPECT_VIEW (self->inspect_view), x, y);
  studio_window_show_view (self, "inspect");
}

static void
on_atom_chosen (StudioWindow *self, int atom)
{
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (self->atoms_view), atom);
  studio_window_show_view (self, "atoms");
}

/* A patch of a run's data set: it may be another one that is open now. */
static void
inspect_patch_of (StudioWindow *self, TosstDataset *dataset, guint image, int x, int y)
{
  if (self->dataset == NULL || dataset == NULL
      || strcmp (tosst_dataset_fingerprint (self->dataset), tosst_dataset_fingerprint (dataset)) != 0)
    {
      studio_window_toast (self, _ ("That patch lies in another data set"));
      return;
    }
  studio_inspect_view_set_image (STUDIO_INSPECT_VIEW (self->inspect_view), image);
  on_patch_activated (self, x, y);
}

static void
on_patch_of_atom (StudioWindow *self, guint image, int x, int y)
{
  inspect_patch_of (self, self->atoms->dataset, image, x, y);
}

/* Its first patch. */
static void
on_block (StudioWindow *self, guint image, int x, int y)
{
  inspect_patch_of (self, studio_runner_get_dataset (self->project->runner), image, x, y);
}

/* A file that was opened since has other atoms. */
static void
on_shared_atom (StudioWindow *self, int atom)
{
  StudioAtomSet *learned = studio_runner_get_learned (self->project->runner);

  if (learned != self->atoms)
    set_atoms (self, learned);
  on_atom_chosen (self, atom);
}

void
studio_window_set_given_recipe (StudioWindow *self)
{
  const TosstRecipe *recipe = studio_recipe_model_peek (self->project->model);

  studio_atoms_view_set_recipe (STUDIO_ATOMS_VIEW (self->atoms_view), recipe);
  studio_inspect_view_set_recipe (STUDIO_INSPECT_VIEW (self->inspect_view), recipe);
  studio_window_update_usage (self);
}

void
studio_window_dictionary_init (StudioWindow *self)
{
  studio_window_set_given_recipe (self);
  g_signal_connect_swapped (self->project->runner, "learned", G_CALLBACK (on_learned), self);
  g_signal_connect_swapped (self->project->runner, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect_object (self->inspect_view, "changed", G_CALLBACK (studio_window_update_run_actions), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->inspect_view, "atom-chosen", G_CALLBACK (on_atom_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->atoms_view, "changed", G_CALLBACK (studio_window_update_run_actions), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->atoms_view, "patch-chosen", G_CALLBACK (on_patch_of_atom), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->results_view, "block-chosen", G_CALLBACK (on_block), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->results_view, "atom-chosen", G_CALLBACK (on_shared_atom), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->data_view, "image-chosen", G_CALLBACK (on_image_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->data_view, "patch-activated", G_CALLBACK (on_patch_activated), self,
                           G_CONNECT_SWAPPED);
}

void
studio_window_dictionary_dispose (StudioWindow *self)
{
  self->loading = 0;
  g_clear_object (&self->dictionary_file);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
}
