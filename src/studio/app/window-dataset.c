/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"

/* Opening data sets and recipes: in a background thread, so that a slow folder never stops the window. */

#define REOPEN_MS 400 /* after the last edit of a parameter that cuts the data set differently */

/* Plain data that the worker may free; the window is reached through Opening, on the main thread only. */
typedef struct
{
  TosstRecipe *recipe;
  GFile *folder; /* NULL: as the recipe says */
  GFile *recent; /* what to remember when it is open, or NULL */
  TosstDataset *dataset;
} OpenJob;

typedef struct
{
  GWeakRef window;
  GCancellable *cancellable;
} Opening;

static void
open_job_free (OpenJob *job)
{
  g_clear_pointer (&job->recipe, tosst_recipe_free);
  g_clear_pointer (&job->dataset, tosst_dataset_unref);
  g_clear_object (&job->folder);
  g_clear_object (&job->recent);
  g_free (job);
}

static gboolean
set_folder (TosstRecipe *recipe, GFile *folder, GError **error)
{
  g_autofree char *path = g_file_get_path (folder);

  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (folder);

      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, _ ("%s is not on a local disk: copy it there first"),
                   uri);
      return FALSE;
    }
  return tosst_recipe_set (recipe, "dataset.kind",
                           tosst_dataset_guess_kind (folder) == TOSST_DATASET_BRODATZ ? "brodatz" : "folders", error)
         && tosst_recipe_set (recipe, "dataset.path", path, error);
}

static void
open_work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  OpenJob *job = data;
  GError *error = NULL;

  if (job->folder == NULL || set_folder (job->recipe, job->folder, &error))
    job->dataset = tosst_dataset_open (job->recipe, cancellable, &error);
  if (job->dataset == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
show_dataset (StudioWindow *self)
{
  const char *title = tosst_dataset_title (self->dataset);

  studio_data_view_set_recipe (STUDIO_DATA_VIEW (self->data_view), studio_recipe_model_peek (self->project->model));
  studio_data_view_set_dataset (STUDIO_DATA_VIEW (self->data_view), self->dataset);
  studio_window_set_given_recipe (self);
  studio_inspect_view_set_dataset (STUDIO_INSPECT_VIEW (self->inspect_view), self->dataset);
  gtk_stack_set_visible_child_name (GTK_STACK (self->data_stack), "data");
  adw_view_switcher_title_set_subtitle (ADW_VIEW_SWITCHER_TITLE (self->view_title), title);
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  studio_window_show_problem (self, NULL);
}

static void
cancel_opening (StudioWindow *self)
{
  if (self->opening != NULL)
    g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  g_clear_handle_id (&self->reopen_source, g_source_remove);
}

static void
accept_recipe (StudioWindow *self, OpenJob *job)
{
  g_autoptr (TosstRecipe) recipe = g_steal_pointer (&job->recipe);

  if (job->folder == NULL || tosst_recipe_equal (recipe, studio_recipe_model_peek (self->project->model)))
    return;
  studio_recipe_model_take (self->project->model, g_steal_pointer (&recipe));
  g_clear_handle_id (&self->reopen_source, g_source_remove); /* it is this very data set */
}

/* The sentence names the parameter that does not fit the images. */
static gboolean
is_about_parameter (const GError *error)
{
  return g_error_matches (error, TOSST_ERROR, TOSST_FAILED_INPUT)
         && (strstr (error->message, "dataset.") != NULL || strstr (error->message, "descriptor.") != NULL);
}

/* A sweep may have data of its own, and what it needs can be changed beside it. */
static gboolean
shows_sweep (StudioWindow *self)
{
  return g_strcmp0 (adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views)), "sweep") == 0
         && studio_sweep_view_varies (STUDIO_SWEEP_VIEW (self->sweep_view));
}

/* What the sentence asks for can be done beside it. */
static void
show_failure (StudioWindow *self, OpenJob *job, const GError *error)
{
  gboolean sweep = shows_sweep (self), parameter = sweep || is_about_parameter (error);

  if (parameter) /* before its page is: a flap without a size cannot slide */
    adw_flap_set_reveal_flap (ADW_FLAP (self->flap), TRUE);
  if (studio_window_is_empty (self))
    {
      self->unfit = parameter;
      if (parameter)
        {
          accept_recipe (self, job);
          adw_status_page_set_description (ADW_STATUS_PAGE (self->no_images_page), NULL); /* it tells of a dictionary */
          if (!sweep)
            studio_window_show_view (self, "data");
        }
      gtk_stack_set_visible_child_name (GTK_STACK (self->pages), parameter ? "work" : "failed");
    }
  studio_window_show_problem (self, error->message);
}

static void
on_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  Opening *opening = data;
  g_autoptr (StudioWindow) self = g_weak_ref_get (&opening->window);
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);
  OpenJob *job = g_task_get_task_data (G_TASK (result));
  gboolean current = self != NULL && self->opening == opening->cancellable;

  g_weak_ref_clear (&opening->window);
  g_object_unref (opening->cancellable);
  g_free (opening);
  if (!current)
    return;
  g_clear_object (&self->opening);
  if (ok)
    {
      g_clear_pointer (&self->dataset, tosst_dataset_unref);
      self->dataset = g_steal_pointer (&job->dataset);
      self->unfit = FALSE;
      accept_recipe (self, job);
      show_dataset (self);
      if (job->recent != NULL)
        studio_window_remember (job->recent);
      if (self->start_when_open)
        studio_window_start (self);
    }
  else
    show_failure (self, job, error);
  if (self->sweep_when_open) /* it may have data of its own */
    studio_sweep_view_begin (STUDIO_SWEEP_VIEW (self->sweep_view));
  self->start_when_open = self->sweep_when_open = FALSE;
  studio_window_update_run_actions (self);
  studio_window_session_step (self);
}

/* folder NULL: what the recipe says. recent: the file that the user chose, NULL if none. */
static void
begin_opening (StudioWindow *self, GFile *folder, GFile *recent)
{
  Opening *opening = g_new0 (Opening, 1);
  OpenJob *job = g_new0 (OpenJob, 1);
  g_autoptr (GTask) task = NULL;

  cancel_opening (self);
  self->opening = g_cancellable_new ();
  g_weak_ref_init (&opening->window, self);
  opening->cancellable = g_object_ref (self->opening);
  job->recipe = tosst_recipe_copy (studio_recipe_model_peek (self->project->model));
  job->folder = folder != NULL ? g_object_ref (folder) : NULL;
  job->recent = recent != NULL ? g_object_ref (recent) : NULL;
  task = g_task_new (NULL, self->opening, on_opened, opening);
  g_task_set_task_data (task, job, (GDestroyNotify)open_job_free);
  g_task_run_in_thread (task, open_work);
  if (self->dataset == NULL && self->atoms == NULL && !self->unfit) /* the row that is edited stays in sight */
    gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "loading");
  studio_window_update_run_actions (self);
}

void
studio_window_open_recipe_data (StudioWindow *self)
{
  begin_opening (self, NULL, NULL);
}

static gboolean
on_reopen (gpointer data)
{
  StudioWindow *self = data;

  self->reopen_source = 0;
  begin_opening (self, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static gboolean
cuts_dataset (const char *name)
{
  return name == NULL || (g_str_has_prefix (name, "dataset.") && !g_str_has_suffix (name, "seed"))
         || strcmp (name, "descriptor.patch") == 0;
}

static void
on_recipe_changed (StudioRecipeModel *model, const char *name, StudioWindow *self)
{
  studio_data_view_set_recipe (STUDIO_DATA_VIEW (self->data_view), studio_recipe_model_peek (model));
  studio_window_set_given_recipe (self);
  if (studio_project_is_busy (self->project) && !self->next_run_said)
    {
      self->next_run_said = TRUE;
      studio_window_toast (self, _ ("The change counts from the next run on"));
    }
  if ((self->dataset == NULL && !self->unfit) || !cuts_dataset (name))
    return;
  g_clear_handle_id (&self->reopen_source, g_source_remove);
  self->reopen_source = g_timeout_add (REOPEN_MS, on_reopen, self);
}

/* One that asks for many runs is what varies in the Sweep view, too. */
static void
open_recipe (StudioWindow *self, GFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_load (file, &error);
  gboolean varies = sweep != NULL && sweep->axes->len > 0;

  self->opened_sweep = FALSE;
  if (sweep == NULL || (varies && !studio_sweep_view_open (STUDIO_SWEEP_VIEW (self->sweep_view), sweep, &error)))
    {
      studio_window_show_problem (self, error->message);
      return;
    }
  self->opened_sweep = varies;
  if (varies)
    studio_window_show_view (self, "sweep");
  else
    studio_recipe_model_take (self->project->model, tosst_recipe_copy (sweep->base));
  begin_opening (self, NULL, file);
}

static gboolean
looks_like_recipe (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  static const char *const suffixes[] = { ".ini", ".tosst", ".recipe", ".conf", ".txt" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (name, suffixes[i]))
      return TRUE;
  return FALSE;
}

static gboolean
looks_like_dictionary (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1);

  return g_str_has_suffix (lower, ".npz");
}

void
studio_window_open (StudioWindow *self, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autofree char *text = NULL;
  GFileType type = g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL);

  studio_window_session_forget (self);
  if (type == G_FILE_TYPE_DIRECTORY)
    {
      begin_opening (self, file, file);
      return;
    }
  if (type == G_FILE_TYPE_REGULAR && looks_like_recipe (file))
    {
      open_recipe (self, file);
      return;
    }
  if (type == G_FILE_TYPE_REGULAR && looks_like_dictionary (file))
    {
      studio_window_open_dictionary (self, file);
      return;
    }
  if (type == G_FILE_TYPE_UNKNOWN)
    studio_window_forget (file);
  text = type == G_FILE_TYPE_UNKNOWN
             ? g_strdup_printf (_ ("%s does not exist"), name)
             : g_strdup_printf (_ ("%s is neither a folder of images, nor a recipe (.ini), nor a dictionary (.npz)"),
                                name);
  studio_window_show_problem (self, text);
}

void
studio_window_start_opened (StudioWindow *self)
{
  if (!self->opened_sweep)
    studio_window_start (self);
  else if (self->opening != NULL)
    self->sweep_when_open = TRUE;
  else
    studio_sweep_view_begin (STUDIO_SWEEP_VIEW (self->sweep_view));
}

void
studio_window_open_samples (StudioWindow *self)
{
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  g_autoptr (GError) error = NULL;

  studio_window_session_forget (self);
  /* A recipe that somebody has worked on stays as it is. */
  if (tosst_recipe_equal (studio_recipe_model_peek (self->project->model), defaults))
    studio_recipe_model_take (self->project->model, tosst_recipe_new_samples ());
  else if (!studio_recipe_model_set (self->project->model, "dataset.kind", "samples", &error))
    g_warning ("%s", error->message);
  begin_opening (self, NULL, NULL);
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, StudioWindow *self)
{
  GSList *files = g_value_get_boxed (value);

  if (files == NULL)
    return FALSE;
  for (GSList *l = files; l != NULL; l = l->next)
    studio_window_open (self, l->data);
  return TRUE;
}

gboolean
studio_window_is_empty (StudioWindow *self)
{
  return self->dataset == NULL && self->opening == NULL && self->atoms == NULL && self->loading == 0;
}

void
studio_window_dataset_init (StudioWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  /* Before entries below the pointer, which would take the names of files as text. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (target), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  g_signal_connect (self->project->model, "changed", G_CALLBACK (on_recipe_changed), self);
}

void
studio_window_dataset_dispose (StudioWindow *self)
{
  cancel_opening (self);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
}
