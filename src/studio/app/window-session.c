/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include "studio/tasks/task.h"

/* Saves the state of the window at each change; a new window restores it. */

#define SAVE_MS 1000 /* changes within this time are written together */

static gboolean
is_interrupted (StudioWindow *self)
{
  return !self->project->runner->opened
         && (studio_project_is_busy (self->project)
             || (self->project->closing && self->project->runner->outcome == STUDIO_OUTCOME_STOPPED));
}

/* The images of Predict; of a folder of many the first. */
#define MOST_PREDICTED 500

static void
save_predictions (StudioWindow *self, StudioSession *session)
{
  StudioPredictView *view = STUDIO_PREDICT_VIEW (self->predict_view);
  GListModel *items = G_LIST_MODEL (view->items);
  const StudioMapPicture *picture = &STUDIO_PREDICT_DETAIL (view->detail)->map_picture;

  g_set_object (&session->model, view->model_file);
  for (guint i = 0; i < MIN (g_list_model_get_n_items (items), MOST_PREDICTED); i++)
    {
      g_autoptr (StudioPredictItem) item = g_list_model_get_item (items, i);
      g_ptr_array_add (session->predicted, g_object_ref (item->file));
    }
  session->opacity = picture->opacity;
  session->uncertain = picture->uncertain;
}

static void
save (StudioWindow *self, gboolean now)
{
  g_autoptr (StudioSession) session = studio_session_new ();
  StudioAtom *atom = STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (self->atoms_view)->panel)->atom;
  StudioSweepView *sweep = STUDIO_SWEEP_VIEW (self->sweep_view);

  g_clear_handle_id (&self->save_source, g_source_remove);
  /* An empty window beside one with work, and one being restored, have less state than the file. */
  if ((studio_project_is_empty (self->project) && STUDIO_PREDICT_VIEW (self->predict_view)->model_file == NULL)
      || self->restoring != NULL)
    return;
  tosst_recipe_free (session->recipe);
  session->recipe = tosst_recipe_copy (self->project->model->recipe);
  session->base = tosst_recipe_copy (self->project->model->base);
  session->sweep = studio_sweep_view_varies (sweep) ? tosst_sweep_to_text (sweep->edited) : NULL;
  session->jobs = studio_sweep_editor_get_jobs (sweep->editor);
  session->open = self->project->dataset != NULL || self->project->opening != NULL;
  g_set_object (&session->dictionary, self->project->dictionary_file);
  g_free (session->view);
  session->view = g_strdup (adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views)));
  session->run = self->project->interrupted_run != 0 ? self->project->interrupted_run : self->project->runner->run;
  session->interrupted = self->project->interrupted_run != 0 || (session->run != 0 && is_interrupted (self));
  studio_learn_view_get_axes (STUDIO_LEARN_VIEW (self->learn_view), &session->logarithmic_x, &session->logarithmic,
                              &session->over_seconds);
  session->has_patch = studio_inspect_view_get_patch (STUDIO_INSPECT_VIEW (self->inspect_view), &session->image,
                                                      &session->x, &session->y);
  session->atom = atom != NULL ? atom->number : -1;
  studio_atoms_view_get_tiles (STUDIO_ATOMS_VIEW (self->atoms_view), &session->patch_tiles, &session->tile_size,
                               &session->tile_contrast);
  save_predictions (self, session);
  studio_session_save (session, now);
}

/* The id of a run is written at its start, so that it is known after a crash. */
static void
save_at_once (StudioWindow *self)
{
  save (self, FALSE);
}

static void
save_soon (StudioWindow *self)
{
  if (self->restoring == NULL)
    studio_later (&self->save_source, SAVE_MS, save_at_once, self);
}

void
studio_window_session_save_now (StudioWindow *self)
{
  if (!self->project->disposed)
    save (self, TRUE);
}

/* Restoring the last window. */

/* Restores choices once the background jobs are done, without undo steps. */
static void
finish_restoring (StudioWindow *self)
{
  const StudioSession *session = self->restoring;

  if (session->has_patch && self->project->dataset != NULL)
    {
      studio_inspect_view_set_image (STUDIO_INSPECT_VIEW (self->inspect_view), session->image);
      studio_inspect_view_choose_patch (STUDIO_INSPECT_VIEW (self->inspect_view), session->x, session->y);
    }
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (self->atoms_view), session->atom);
  if (session->tile_size > 0)
    studio_atoms_view_set_tiles (STUDIO_ATOMS_VIEW (self->atoms_view), session->patch_tiles, session->tile_size,
                                 session->tile_contrast);
  /* A stored run does not record them; the search takes time, which a view that is not shown is not worth. */
  if (session->patch_tiles && g_strcmp0 (session->view, "atoms") == 0)
    studio_project_find_patches (self->project);
  if (session->view != NULL && adw_view_stack_get_child_by_name (ADW_VIEW_STACK (self->views), session->view) != NULL)
    studio_window_show_view (self, session->view);
  if (session->model != NULL && g_strcmp0 (session->view, "predict") == 0)
    gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work"); /* needs no data set */
  g_clear_pointer (&self->restoring, studio_session_free);
  save_soon (self);
}

/* Restores step by step: the data set, its run, the dictionary; skips those that no longer exist. */
static void
on_settled (StudioWindow *self)
{
  StudioSession *session = self->restoring;

  if (session == NULL || self->project->opening != NULL || self->project->loading != NULL
      || studio_project_is_busy (self->project))
    return;
  if (session->run != 0 && !session->interrupted && self->project->dataset != NULL)
    {
      studio_project_open_run (self->project, session->run, STUDIO_RUN_OPEN);
      session->run = 0;
      return;
    }
  g_autoptr (GFile) dictionary = g_steal_pointer (&session->dictionary);
  if (dictionary != NULL && g_file_query_exists (dictionary, NULL))
    studio_project_open_dictionary (self->project, dictionary);
  else
    finish_restoring (self);
}

gboolean
studio_window_is_restoring (StudioWindow *self)
{
  return self->restoring != NULL;
}

void
studio_window_restore (StudioWindow *self)
{
  StudioSession *session = studio_session_load ();

  if (session == NULL)
    return;
  studio_window_complete (self);
  self->restoring = session;
  if (session->interrupted)
    studio_project_offer_interrupted (self->project, session->run);
  studio_learn_view_set_axes (STUDIO_LEARN_VIEW (self->learn_view), session->logarithmic_x, session->logarithmic,
                              session->over_seconds);
  StudioPredictView *view = STUDIO_PREDICT_VIEW (self->predict_view);
  if (session->opacity >= 0)
    studio_predict_detail_set_drawing (STUDIO_PREDICT_DETAIL (view->detail), session->opacity, session->uncertain);
  if (session->model != NULL && g_file_query_exists (session->model, NULL))
    studio_predict_view_open_model (view, session->model);
  studio_predict_view_add (view, session->predicted);
  studio_recipe_model_begin (self->project->model, tosst_recipe_copy (session->recipe),
                             session->base != NULL ? tosst_recipe_copy (session->base) : NULL);
  if (session->jobs > 0)
    studio_sweep_editor_set_jobs (STUDIO_SWEEP_VIEW (self->sweep_view)->editor, session->jobs);
  if (session->sweep != NULL)
    studio_sweep_view_restore (STUDIO_SWEEP_VIEW (self->sweep_view), session->sweep);
  if (session->open)
    studio_project_open (self->project, NULL, NULL);
  else
    on_settled (self);
}

void
studio_window_session_init (StudioWindow *self)
{
  g_signal_connect_swapped (self->project, "settled", G_CALLBACK (on_settled), self);
  g_signal_connect_swapped (self->project->model, "changed", G_CALLBACK (save_soon), self);
  g_signal_connect_swapped (self->project->runner, "recorded", G_CALLBACK (save_at_once), self);
  g_signal_connect_swapped (self->project->runner, "finished", G_CALLBACK (save_at_once), self);
  studio_connect (self->views, "notify::visible-child", save_soon, self);
  studio_connect (self->data_stack, "notify::visible-child", save_soon, self);
  studio_connect (self->sweep_view, "edited", save_soon, self);
  studio_connect (self->learn_view, "axes-changed", save_soon, self);
  studio_connect (self->inspect_view, "selected", save_soon, self);
  studio_connect (self->atoms_view, "changed", save_soon, self);
  studio_connect (self->predict_view, "changed", save_soon, self);
}

void
studio_window_session_dispose (StudioWindow *self)
{
  g_clear_handle_id (&self->save_source, g_source_remove);
  g_clear_pointer (&self->restoring, studio_session_free);
}
