/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include "studio/settings/state.h"
#include "studio/tasks/task.h"

/* Saves the state of the window at each change; a new window restores it: the recipe with its data set, the dictionary, the
 * visible run, the choices in the views. */

#define GROUP "session"
#define SAVE_MS 1000 /* changes within this time are written together */

static gboolean
is_interrupted (StudioWindow *self)
{
  return !self->project->runner->opened
         && (studio_project_is_busy (self->project)
             || (self->project->closing && self->project->runner->outcome == STUDIO_OUTCOME_STOPPED));
}

/* Texts and files of the session, new; NULL: none. */
static char *
text_of (GKeyFile *session, const char *key)
{
  return g_key_file_get_string (session, GROUP, key, NULL);
}

static GFile *
file_of (GKeyFile *session, const char *key)
{
  g_autofree char *uri = text_of (session, key);

  return uri != NULL && *uri != '\0' ? g_file_new_for_uri (uri) : NULL;
}

static TosstRecipe *
recipe_of (GKeyFile *session, const char *key)
{
  g_autofree char *text = text_of (session, key);

  return text != NULL ? tosst_recipe_parse (text, "session.ini", NULL) : NULL;
}

/* Takes the text. */
static void
put_text (GKeyFile *session, const char *key, char *text)
{
  if (text != NULL)
    g_key_file_set_string (session, GROUP, key, text);
  g_free (text);
}

/* The images of Predict; of a folder of many the first. */
#define MOST_PREDICTED 500

static void
save_predictions (StudioWindow *self, GKeyFile *session)
{
  StudioPredictView *view = STUDIO_PREDICT_VIEW (self->predict_view);
  GListModel *items = G_LIST_MODEL (view->items);
  const StudioMapPicture *picture = &STUDIO_PREDICT_DETAIL (view->detail)->map_picture;
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);

  put_text (session, "model", view->model_file != NULL ? g_file_get_uri (view->model_file) : NULL);
  for (guint i = 0; i < MIN (g_list_model_get_n_items (items), MOST_PREDICTED); i++)
    {
      g_autoptr (StudioPredictItem) item = g_list_model_get_item (items, i);
      g_ptr_array_add (uris, g_file_get_uri (item->file));
    }
  g_key_file_set_string_list (session, GROUP, "predicted", (const char *const *)uris->pdata, uris->len);
  g_key_file_set_double (session, GROUP, "opacity", picture->opacity);
  g_key_file_set_boolean (session, GROUP, "uncertain", picture->uncertain);
}

static void
save (StudioWindow *self, gboolean now)
{
  g_autoptr (GKeyFile) session = g_key_file_new ();
  StudioProject *project = self->project;
  StudioAtom *atom = STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (self->atoms_view)->panel)->atom;
  StudioSweepView *sweep = STUDIO_SWEEP_VIEW (self->sweep_view);
  gint64 run = project->interrupted_run != 0 ? project->interrupted_run : project->runner->run;
  gboolean logarithmic_x, logarithmic, over_seconds, patch_tiles;
  int x = 0, y = 0, tile_size;
  guint image = 0;
  double contrast;

  g_clear_handle_id (&self->save_source, g_source_remove);
  /* An empty window beside one with work, and one being restored, have less state than the file. */
  if ((studio_project_is_empty (project) && STUDIO_PREDICT_VIEW (self->predict_view)->model_file == NULL)
      || self->restoring != NULL)
    return;
  studio_learn_view_get_axes (STUDIO_LEARN_VIEW (self->learn_view), &logarithmic_x, &logarithmic, &over_seconds);
  gboolean has_patch = studio_inspect_view_get_patch (STUDIO_INSPECT_VIEW (self->inspect_view), &image, &x, &y);
  studio_atoms_view_get_tiles (STUDIO_ATOMS_VIEW (self->atoms_view), &patch_tiles, &tile_size, &contrast);
  const struct
  {
    const char *key;
    gboolean on;
  } flags[] = { { "open", project->dataset != NULL || project->opening != NULL },
                /* If it is set when read, the program was interrupted. */
                { "interrupted", project->interrupted_run != 0 || (run != 0 && is_interrupted (self)) },
                { "logarithmic-x", logarithmic_x },
                { "logarithmic", logarithmic },
                { "over-seconds", over_seconds },
                { "patch", has_patch },
                { "patch-tiles", patch_tiles } };
  const struct
  {
    const char *key;
    int value;
  } numbers[] = { { "jobs", studio_sweep_editor_get_jobs (sweep->editor) },
                  { "image", (int)image },
                  { "x", x },
                  { "y", y },
                  { "atom", atom != NULL ? atom->number : -1 },
                  { "tile-size", tile_size } };
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    g_key_file_set_boolean (session, GROUP, flags[i].key, flags[i].on);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_key_file_set_integer (session, GROUP, numbers[i].key, numbers[i].value);
  put_text (session, "recipe", tosst_recipe_to_text (project->model->recipe, TRUE));
  put_text (session, "base", project->model->base != NULL ? tosst_recipe_to_text (project->model->base, TRUE) : NULL);
  put_text (session, "sweep", studio_sweep_view_varies (sweep) ? tosst_sweep_to_text (sweep->edited) : NULL);
  put_text (session, "dictionary", project->dictionary_file != NULL ? g_file_get_uri (project->dictionary_file) : NULL);
  put_text (session, "view", g_strdup (adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views))));
  g_key_file_set_int64 (session, GROUP, "run", run);
  g_key_file_set_double (session, GROUP, "tile-contrast", contrast);
  save_predictions (self, session);
  studio_state_save_session (session, now);
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

static gboolean
is_on (GKeyFile *session, const char *key)
{
  return g_key_file_get_boolean (session, GROUP, key, NULL);
}

static int
number_of (GKeyFile *session, const char *key)
{
  return g_key_file_get_integer (session, GROUP, key, NULL);
}

/* Restores choices once the background jobs are done, without undo steps. */
static void
finish_restoring (StudioWindow *self)
{
  GKeyFile *session = self->restoring;
  g_autofree char *view = text_of (session, "view");
  StudioInspectView *inspect = STUDIO_INSPECT_VIEW (self->inspect_view);
  StudioAtomsView *atoms = STUDIO_ATOMS_VIEW (self->atoms_view);

  if (is_on (session, "patch") && self->project->dataset != NULL)
    {
      studio_inspect_view_set_image (inspect, (guint)MAX (number_of (session, "image"), 0));
      studio_inspect_view_choose_patch (inspect, number_of (session, "x"), number_of (session, "y"));
    }
  studio_atoms_view_open (atoms, number_of (session, "atom"));
  if (number_of (session, "tile-size") > 0)
    studio_atoms_view_set_tiles (atoms, is_on (session, "patch-tiles"), number_of (session, "tile-size"),
                                 g_key_file_get_double (session, GROUP, "tile-contrast", NULL));
  /* A stored run does not record them; the search takes time, which a view that is not shown is not worth. */
  if (is_on (session, "patch-tiles") && g_strcmp0 (view, "atoms") == 0)
    studio_project_find_patches (self->project);
  if (view != NULL && adw_view_stack_get_child_by_name (ADW_VIEW_STACK (self->views), view) != NULL)
    studio_window_show_view (self, view);
  g_autoptr (GFile) model = file_of (session, "model");
  if (model != NULL && g_strcmp0 (view, "predict") == 0)
    gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work"); /* needs no data set */
  g_clear_pointer (&self->restoring, g_key_file_unref);
  save_soon (self);
}

/* Restores step by step: the data set, its run, the dictionary; skips those that no longer exist. */
static void
on_settled (StudioWindow *self)
{
  GKeyFile *session = self->restoring;

  if (session == NULL || self->project->opening != NULL || self->project->loading != NULL
      || studio_project_is_busy (self->project))
    return;
  gint64 run = g_key_file_get_int64 (session, GROUP, "run", NULL);
  if (run != 0 && !is_on (session, "interrupted") && self->project->dataset != NULL)
    {
      g_key_file_set_int64 (session, GROUP, "run", 0);
      studio_project_open_run (self->project, run, STUDIO_RUN_OPEN);
      return;
    }
  g_autoptr (GFile) dictionary = file_of (session, "dictionary");
  g_key_file_remove_key (session, GROUP, "dictionary", NULL);
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

static void
restore_predictions (StudioPredictView *view, GKeyFile *session)
{
  g_autoptr (GFile) model = file_of (session, "model");
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (g_object_unref);
  g_auto (GStrv) uris = g_key_file_get_string_list (session, GROUP, "predicted", NULL, NULL);

  if (g_key_file_has_key (session, GROUP, "opacity", NULL))
    studio_predict_detail_set_drawing (STUDIO_PREDICT_DETAIL (view->detail),
                                       g_key_file_get_double (session, GROUP, "opacity", NULL),
                                       is_on (session, "uncertain"));
  if (model != NULL && g_file_query_exists (model, NULL))
    studio_predict_view_open_model (view, model);
  for (guint i = 0; uris != NULL && uris[i] != NULL; i++)
    g_ptr_array_add (images, g_file_new_for_uri (uris[i]));
  studio_predict_view_add (view, images);
}

void
studio_window_restore (StudioWindow *self)
{
  g_autoptr (GKeyFile) session = studio_state_load_session ();
  TosstRecipe *recipe = session != NULL ? recipe_of (session, "recipe") : NULL;

  if (recipe == NULL)
    return;
  studio_window_complete (self);
  self->restoring = g_key_file_ref (session);
  if (is_on (session, "interrupted"))
    studio_project_offer_interrupted (self->project, g_key_file_get_int64 (session, GROUP, "run", NULL));
  studio_learn_view_set_axes (STUDIO_LEARN_VIEW (self->learn_view), is_on (session, "logarithmic-x"),
                              is_on (session, "logarithmic"), is_on (session, "over-seconds"));
  restore_predictions (STUDIO_PREDICT_VIEW (self->predict_view), session);
  studio_recipe_model_begin (self->project->model, recipe, recipe_of (session, "base"));
  if (number_of (session, "jobs") > 0)
    studio_sweep_editor_set_jobs (STUDIO_SWEEP_VIEW (self->sweep_view)->editor, number_of (session, "jobs"));
  g_autofree char *sweep = text_of (session, "sweep");
  if (sweep != NULL)
    studio_sweep_view_restore (STUDIO_SWEEP_VIEW (self->sweep_view), sweep);
  if (is_on (session, "open"))
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
  g_clear_pointer (&self->restoring, g_key_file_unref);
}
