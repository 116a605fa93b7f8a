/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/each.h"
#include "core/store/project.h"
#include "studio/settings/state.h"
#include "studio/tasks/task.h"
#include "studio/widgets/save-dialog.h"

/* "Open Recent": the same files in the open menu and on the page of an empty window. */

#define ON_PAGE 3 /* limit of the welcome page */

static GList *windows; /* shared by all windows */

static char *
display_name (GFile *file)
{
  g_autofree char *path = g_file_get_path (file);

  return path != NULL ? g_filename_display_basename (path) : g_file_get_uri (file);
}

/* Its folder, with the home folder as a tilde. */
static char *
display_place (GFile *file)
{
  g_autoptr (GFile) parent = g_file_get_parent (file);
  g_autofree char *place = parent != NULL ? g_file_get_parse_name (parent) : g_strdup ("");
  const char *home = g_get_home_dir ();

  if (g_str_has_prefix (place, home) && (place[strlen (home)] == '/' || place[strlen (home)] == 0))
    return g_strconcat ("~", place + strlen (home), NULL);
  return g_steal_pointer (&place);
}

static void
add_to_menu (StudioWindow *self, GFile *file)
{
  g_autofree char *name = display_name (file), *uri = g_file_get_uri (file);
  g_auto (GStrv) parts = g_strsplit (name, "_", -1);
  g_autofree char *label = g_strjoinv ("__", parts); /* no mnemonic */
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "win.open", "s", uri);
  g_menu_append_item (self->recent_menu, item);
}

static void
add_to_page (StudioWindow *self, GFile *file)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *name = display_name (file), *place = display_place (file), *uri = g_file_get_uri (file);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), place);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 1);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.open");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", uri);
  gtk_list_box_append (GTK_LIST_BOX (self->recent_list), row);
}

static void
show_recent (StudioWindow *self)
{
  g_autoptr (GPtrArray) files = studio_state_get_recent ();
  GtkWidget *row;

  g_menu_remove_all (self->recent_menu);
  while ((row = gtk_widget_get_first_child (self->recent_list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->recent_list), row);
  for (guint i = 0; i < files->len; i++)
    add_to_menu (self, files->pdata[i]);
  for (guint i = 0; i < MIN (files->len, ON_PAGE); i++)
    add_to_page (self, files->pdata[i]);
  gtk_widget_set_visible (self->recent_page, files->len > 0);
}

static void
show_recent_everywhere (void)
{
  for (GList *l = windows; l != NULL; l = l->next)
    show_recent (l->data);
}

static void
on_opened (StudioWindow *self, GFile *file)
{
  studio_state_add_recent (file);
  show_recent_everywhere ();
}

/* Folders, recipes and dictionaries: chosen, dropped and opened. */

static gboolean
looks_like_recipe (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  static const char *const suffixes[] = { ".tosst", ".ini", ".recipe", ".conf", ".txt" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (name, suffixes[i]))
      return TRUE;
  return FALSE;
}

static gboolean
has_suffix (GFile *file, const char *suffix)
{
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1);

  return g_str_has_suffix (lower, suffix);
}

/* In the file manager, where its images can be moved. */
static void
show_folder (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_show_uri (GTK_WINDOW (widget), g_variant_get_string (parameter, NULL), GDK_CURRENT_TIME);
}

/* What the page of a file that cannot be opened offers instead. */
static void
offer_another (StudioWindow *self, const char *label, const char *action)
{
  gtk_button_set_label (GTK_BUTTON (self->failed_button), label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->failed_button), action);
}

/* A project is unpacked among the user's data, and its recipe, runs and model are opened. */

typedef struct
{
  GFile *file, *folder;
} Unpacking;

TOSST_DEFINE_FREE (Unpacking, unpacking_free, (file, g_object_unref), (folder, g_object_unref))

static gboolean
unpack (Unpacking *self, GError **error)
{
  g_autoptr (GFile) parent = g_file_new_build_filename (g_get_user_data_dir (), "tosst-studio", "projects", NULL);

  self->folder = tosst_project_unpack (self->file, parent, error);
  return self->folder != NULL;
}

static void
on_unpacked (StudioWindow *self, gpointer data, const GError *error)
{
  GFile *folder = ((Unpacking *)data)->folder;

  if (error != NULL)
    {
      studio_window_show_problem (self, error->message);
      return;
    }
  g_autoptr (GFile) recipe = g_file_get_child (folder, "recipe.tosst");
  g_autoptr (GFile) runs = g_file_get_child (folder, "runs.sqlite");
  g_autoptr (GFile) model = g_file_get_child (folder, "model.npz");
  studio_workspace_open (self->project->workspace, runs);
  if (g_file_query_exists (model, NULL))
    studio_predict_view_open_model (STUDIO_PREDICT_VIEW (self->predict_view), model);
  studio_window_open (self, recipe);
}

/* A recipe of many runs sets the axes of the Sweep view, too. */
static void
open_sweep_or_recipe (StudioWindow *self, GFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_load (file, &error);
  gboolean varies = sweep != NULL && sweep->axes->len > 0;

  self->opened_sweep = FALSE;
  if (sweep == NULL || (varies && !studio_sweep_view_open (STUDIO_SWEEP_VIEW (self->sweep_view), sweep, &error)))
    {
      offer_another (self, _ ("_Open Another Recipe…"), "win.open-recipe");
      studio_window_show_problem (self, error->message);
      return;
    }
  self->opened_sweep = varies;
  if (varies)
    studio_window_show_view (self, "sweep");
  else
    studio_recipe_model_take_based (self->project->model, tosst_recipe_copy (sweep->base), tosst_recipe_new (), NULL);
  self->chose_data = !varies;
  studio_project_open (self->project, NULL, file);
}

void
studio_window_open (StudioWindow *self, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);
  GFileType type = g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL);

  studio_window_complete (self);
  g_clear_pointer (&self->restoring, g_key_file_unref);
  offer_another (self, _ ("_Open Another Data Set…"), "win.open-folder");
  gtk_widget_set_visible (self->folder_button, type == G_FILE_TYPE_DIRECTORY);
  g_autofree char *uri = g_file_get_uri (file);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->folder_button), "s", uri);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->folder_button), "win.show-folder");
  if (type == G_FILE_TYPE_DIRECTORY || (type == G_FILE_TYPE_REGULAR && has_suffix (file, ".csv")))
    {
      self->chose_data = TRUE;
      studio_project_open (self->project, file, file);
      return;
    }
  if (type == G_FILE_TYPE_REGULAR && looks_like_recipe (file))
    {
      open_sweep_or_recipe (self, file);
      return;
    }
  if (type == G_FILE_TYPE_REGULAR && has_suffix (file, ".npz"))
    {
      offer_another (self, _ ("_Open Another Dictionary…"), "win.open-dictionary");
      studio_project_open_dictionary (self->project, file);
      return;
    }
  if (type == G_FILE_TYPE_REGULAR && has_suffix (file, ".sqlite"))
    {
      /* A store of runs: its runs are compared, and the views of a run show the newest. */
      studio_window_show_problem (self, NULL);
      g_set_object (&self->opened_store, file);
      studio_workspace_open (self->project->workspace, file);
      gtk_widget_activate_action (GTK_WIDGET (self), "win.view", "s", "compare");
      return;
    }
  if (type == G_FILE_TYPE_REGULAR && has_suffix (file, TOSST_PROJECT_SUFFIX))
    {
      Unpacking *job = g_new0 (Unpacking, 1);

      studio_window_show_problem (self, NULL);
      job->file = g_object_ref (file);
      studio_task_run (self, unpack, job, unpacking_free, on_unpacked);
      return;
    }
  if (type == G_FILE_TYPE_UNKNOWN)
    {
      studio_state_remove_recent (file);
      show_recent_everywhere ();
    }
  g_autofree char *text
      = type == G_FILE_TYPE_UNKNOWN
            ? g_strdup_printf (_ ("%s does not exist"), name)
            : g_strdup_printf (_ ("%s is neither a folder of images, nor a table of labels (.csv), nor a project "
                                  "(.tosst-project), nor a "
                                  "recipe (.tosst), nor a dictionary (.npz), nor a store of runs (.sqlite)"),
                               name);
  studio_window_show_problem (self, text);
}

void
studio_window_open_samples (StudioWindow *self)
{
  studio_window_complete (self);
  g_clear_pointer (&self->restoring, g_key_file_unref);
  self->chose_data = TRUE;
  studio_project_open_samples (self->project);
}

void
studio_window_start_opened (StudioWindow *self)
{
  studio_window_complete (self);
  if (!self->opened_sweep)
    studio_project_start (self->project);
  else if (self->project->opening != NULL)
    self->sweep_when_open = TRUE;
  else
    studio_sweep_view_begin (STUDIO_SWEEP_VIEW (self->sweep_view));
}

/* Signals of the project. */

static void
on_loading (StudioWindow *self)
{
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "loading");
}

static void
on_recipe (StudioWindow *self)
{
  studio_data_view_set_recipe (STUDIO_DATA_VIEW (self->data_view), self->project->model->recipe);
}

static void
on_dataset (StudioWindow *self)
{
  TosstDataset *dataset = self->project->dataset;
  const char *title = dataset->title;
  const char *view = adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views));

  studio_data_view_set_dataset (STUDIO_DATA_VIEW (self->data_view), dataset);
  studio_inspect_view_set_dataset (STUDIO_INSPECT_VIEW (self->inspect_view), dataset);
  gtk_stack_set_visible_child_name (GTK_STACK (self->data_stack), "data");
  adw_view_switcher_title_set_subtitle (ADW_VIEW_SWITCHER_TITLE (self->view_title), title);
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  studio_window_show_problem (self, NULL);
  /* A data set chosen by the user, in a view that shows nothing of it. */
  if (self->chose_data && g_strv_contains ((const char *const[]){ "learn", "results", "compare", NULL }, view))
    studio_window_show_view (self, "data");
}

/* Whether the faulty value can be edited beside the sentence. */
static gboolean
on_failed (StudioWindow *self, const char *sentence, gboolean about_parameter)
{
  /* A sweep may have its own data set, and the faulty value can be edited in its view. */
  gboolean sweep = g_strcmp0 (adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views)), "sweep") == 0
                   && studio_sweep_view_varies (STUDIO_SWEEP_VIEW (self->sweep_view));
  gboolean parameter = sweep || about_parameter;

  if (parameter) /* before its page is shown: a flap without a size cannot slide */
    adw_flap_set_reveal_flap (ADW_FLAP (self->flap), TRUE);
  if (studio_project_is_empty (self->project))
    {
      if (parameter)
        adw_status_page_set_description (ADW_STATUS_PAGE (self->no_images_page), NULL); /* about a dictionary */
      if (parameter && !sweep)
        studio_window_show_view (self, "data");
      gtk_stack_set_visible_child_name (GTK_STACK (self->pages), parameter ? "work" : "failed");
    }
  studio_window_show_problem (self, sentence);
  return parameter;
}

/* The sweep may have its own data set, and starts even if opening the data set failed. */
static void
on_settled (StudioWindow *self)
{
  self->chose_data &= self->project->opening != NULL || self->project->refused != NULL;
  if (!self->sweep_when_open || self->project->opening != NULL)
    return;
  self->sweep_when_open = FALSE;
  studio_sweep_view_begin (STUDIO_SWEEP_VIEW (self->sweep_view));
}

/* Actions. */

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, StudioWindow *self)
{
  GSList *files = g_value_get_boxed (value);

  if (files == NULL)
    return FALSE;
  for (GSList *l = files; l != NULL; l = l->next)
    if (!studio_window_predicts (self, l->data))
      studio_window_open (self, l->data);
  return TRUE;
}

static void
on_chosen (GtkWidget *widget, GFile *file)
{
  studio_window_open ((StudioWindow *)widget, file);
}

static void
open_as (GtkWidget *widget, const char *name)
{
  static const struct
  {
    const char *action, *title, *filter, *suffixes[4]; /* filter: NULL: a folder */
  } kinds[] = { { "win.open-folder", N_ ("Open Data Set") },
                { "win.open-recipe", N_ ("Open Recipe"), N_ ("Recipes"), { "tosst", "ini", "recipe" } },
                { "win.open-project", N_ ("Open Project"), N_ ("Projects"), { "tosst-project" } },
                { "win.open-dictionary", N_ ("Open Dictionary"), N_ ("Dictionaries"), { "npz" } } };
  g_autoptr (GFile) folder = studio_state_get_folder ();
  guint i = 0;

  while (strcmp (kinds[i].action, name) != 0)
    i++;
  GtkFileChooser *dialog = kinds[i].filter != NULL
                               ? studio_file_dialog_new (widget, GTK_FILE_CHOOSER_ACTION_OPEN, _ (kinds[i].title),
                                                         _ ("_Open"), _ (kinds[i].filter), kinds[i].suffixes, on_chosen)
                               : studio_file_dialog_new (widget, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                                         _ (kinds[i].title), _ ("_Open"), NULL, NULL, on_chosen);
  if (folder != NULL)
    gtk_file_chooser_set_current_folder (dialog, folder, NULL);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
open_path (StudioWindow *self, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  studio_window_open (self, file);
}

void
studio_window_install_dataset_actions (GtkWidgetClass *widget_class)
{
  STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, ("win.open-folder", NULL, open_as), ("win.open-recipe", NULL, open_as),
                                 ("win.open-project", NULL, open_as), ("win.open-dictionary", NULL, open_as),
                                 ("win.show-folder", "s", show_folder),
                                 ("win.open-samples", NULL, studio_window_open_samples), ("win.open", "s", open_path));
}

void
studio_window_dataset_init (StudioWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  /* Before entries below the pointer, which would accept file names as text. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (target), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  g_signal_connect_swapped (self->project, "loading", G_CALLBACK (on_loading), self);
  g_signal_connect (self->project, "start", G_CALLBACK (studio_project_start), NULL);
  g_signal_connect_swapped (self->project, "dataset", G_CALLBACK (on_dataset), self);
  g_signal_connect_swapped (self->project, "failed", G_CALLBACK (on_failed), self);
  g_signal_connect_swapped (self->project, "settled", G_CALLBACK (on_settled), self);
  g_signal_connect_swapped (self->project->model, "changed", G_CALLBACK (on_recipe), self);
  on_recipe (self);
}

void
studio_window_recent_init (StudioWindow *self)
{
  windows = g_list_prepend (windows, self);
  g_signal_connect_swapped (self->project, "opened", G_CALLBACK (on_opened), self);
  show_recent (self);
}

void
studio_window_recent_dispose (StudioWindow *self)
{
  windows = g_list_remove (windows, self);
}
