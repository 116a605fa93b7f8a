/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "studio/settings/state.h"
#include "studio/widgets/format.h"

/* Which store runs are recorded in, and what is to be done with a run that is there already. */

static void
on_chosen (GtkNativeDialog *dialog, int response, StudioWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      studio_workspace_open (self->project->workspace, file);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
show_chooser (StudioWindow *self, GtkFileChooserAction action, const char *title, const char *accept)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (title, GTK_WINDOW (self), action, accept, NULL);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Workspaces"));
  gtk_file_filter_add_suffix (filter, "sqlite");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  if (action == GTK_FILE_CHOOSER_ACTION_SAVE)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "runs.sqlite");
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
open_workspace_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_chooser (STUDIO_WINDOW (widget), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Open Workspace"), _ ("_Open"));
}

static void
new_workspace_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_chooser (STUDIO_WINDOW (widget), GTK_FILE_CHOOSER_ACTION_SAVE, _ ("New Workspace"), _ ("_Create"));
}

static void
open_workspace (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  studio_workspace_open (STUDIO_WINDOW (widget)->project->workspace, file);
}

static void
own_workspace (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = studio_workspace_get_own_file ();

  studio_workspace_open (STUDIO_WINDOW (widget)->project->workspace, file);
}

/* A run under way stays where it is recorded. */
static void
on_changed (StudioWindow *self)
{
  GFile *file = studio_workspace_get_file (self->project->workspace);
  gboolean own = studio_workspace_is_own (self->project->workspace);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.own-workspace", !own);
  if (self->shown_workspace != NULL && !g_file_equal (self->shown_workspace, file))
    {
      g_autofree char *name = studio_workspace_dup_name (self->project->workspace);
      g_autofree char *text = g_strdup_printf (_ ("Runs are recorded in %s from now on"), name);

      studio_window_toast (self, text);
      studio_state_set_workspace (own ? NULL : file);
    }
  g_set_object (&self->shown_workspace, file);
}

/* Runs that are done already. */

static void
open_found (StudioWindow *self, gint64 run)
{
  StudioRunOrder order = { .recipe = studio_runner_get_recipe (self->project->runner),
                           .dataset = studio_runner_get_dataset (self->project->runner),
                           .store = studio_workspace_get_file (self->project->workspace),
                           .wish = STUDIO_RUN_OPEN,
                           .run = run };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (order.recipe); /* the runner forgets its own */
  g_autoptr (TosstDataset) dataset G_GNUC_UNUSED = order.dataset != NULL ? tosst_dataset_ref (order.dataset) : NULL;

  order.recipe = recipe;
  studio_runner_begin (self->project->runner, &order);
  studio_window_show_view (self, "results");
}

static void
on_found_answer (StudioWindow *self, const char *response)
{
  const TosstStoreRun *found = studio_runner_get_found (self->project->runner);

  if (studio_project_is_busy (self->project) || found == NULL)
    return;
  if (g_strcmp0 (response, "open") == 0)
    open_found (self, found->id);
  else if (g_strcmp0 (response, "again") == 0)
    studio_window_start_run (self, STUDIO_RUN_AGAIN);
}

static char *
describe_found (const TosstStoreRun *found)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64)found->finished);
  g_autofree char *when = time != NULL ? g_date_time_format (time, "%x %H:%M") : g_strdup ("");
  g_autofree char *accuracy = studio_format_percent (found->accuracy, 1);

  /* Translators: the first is a date and a time, the second a number in percent. */
  return g_strdup_printf (_ ("With the same data and parameters, on %s: accuracy %s."), when, accuracy);
}

void
studio_window_offer_found (StudioWindow *self)
{
  g_autofree char *text = describe_found (studio_runner_get_found (self->project->runner));
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), _ ("This Run Is Done Already"), text);

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "again", _ ("Run _Again"),
                                    "open", _ ("_Open"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "open", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "open");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_found_answer), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Runs of the workspace. */

typedef struct
{
  gint64 id;
  StudioRunWish wish;
  TosstStoreRun *run;  /* NULL: it is not there */
  TosstRecipe *recipe; /* that it was made with */
  GWeakRef window;     /* read on the main thread */
} ReadRun;

static void
read_run_free (gpointer data)
{
  ReadRun *self = data;

  g_clear_pointer (&self->run, tosst_store_run_free);
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_weak_ref_clear (&self->window);
  g_free (self);
}

static gboolean
read_run (TosstStore *store, gpointer data, GError **error)
{
  ReadRun *self = data;
  g_autofree char *filter = g_strdup_printf ("id=%" PRId64, self->id);
  g_autoptr (GPtrArray) runs = tosst_store_list (store, NULL, filter, error);

  if (runs == NULL || runs->len == 0)
    return runs != NULL;
  self->run = g_ptr_array_steal_index (runs, 0);
  self->recipe = tosst_store_recipe (store, self->id, error);
  return self->recipe != NULL;
}

/* mode: that of writing stops runs whose program has ended. */
static void
ask_run (StudioWindow *self, gint64 run, StudioRunWish wish, TosstStoreMode mode, GAsyncReadyCallback callback)
{
  ReadRun *read = g_new0 (ReadRun, 1);

  read->id = run;
  read->wish = wish;
  g_weak_ref_init (&read->window, self);
  studio_workspace_run (self->project->workspace, mode, read_run, read, read_run_free, callback, NULL);
}

/* What was read, for a window that is still there and at leisure; else NULL. */
static ReadRun *
take_read (GAsyncResult *result, StudioWindow **self)
{
  g_autoptr (GError) error = NULL;
  ReadRun *read = g_task_get_task_data (G_TASK (result));
  gboolean fine = g_task_propagate_boolean (G_TASK (result), &error);

  *self = g_weak_ref_get (&read->window);
  if (!fine)
    g_debug ("%s", error->message);
  return fine && read->run != NULL && *self != NULL && !(*self)->project->disposed
                 && !studio_project_is_busy ((*self)->project)
             ? read
             : NULL;
}

static void
on_run_read (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (StudioWindow) self = NULL;
  ReadRun *read = take_read (result, &self);
  gboolean open = read != NULL && read->wish == STUDIO_RUN_OPEN;

  if (read != NULL && (open ? read->run->splits_done > 0 : read->run->state == TOSST_RUN_STOPPED))
    {
      studio_runner_begin (self->project->runner,
                           &(StudioRunOrder){ .recipe = read->recipe,
                                              .store = studio_workspace_get_file (self->project->workspace),
                                              .wish = read->wish,
                                              .run = read->id,
                                              .checkpoint = studio_state_get_checkpoint_interval () });
      if (!open)
        studio_window_show_view (self, tosst_recipe_has_dictionary (read->recipe) ? "learn" : "results");
    }
  else if (self != NULL && !self->project->disposed)
    studio_window_session_step (self);
}

void
studio_window_open_run (StudioWindow *self, gint64 run, StudioRunWish wish)
{
  ask_run (self, run, wish, TOSST_STORE_READ, on_run_read);
}

static void
on_interrupted_read (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (StudioWindow) self = NULL;
  ReadRun *read = take_read (result, &self);
  g_autofree char *text = NULL;

  if (read == NULL || read->run->state != TOSST_RUN_STOPPED)
    return;
  self->offered_run = read->id;
  text = g_strdup_printf (_ ("A run on %s ended in the middle, with %d of %d splits done. It can go on where it was."),
                          read->run->dataset, read->run->splits_done, read->run->splits);
  gtk_label_set_label (GTK_LABEL (self->recovery_label), text);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->recovery_bar), TRUE);
}

void
studio_window_offer_interrupted (StudioWindow *self, gint64 run)
{
  ask_run (self, run, STUDIO_RUN_UNLESS_DONE, TOSST_STORE_WRITE, on_interrupted_read);
}

void
studio_window_recovery_answered (StudioWindow *self)
{
  self->offered_run = 0;
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->recovery_bar), FALSE);
}

static void
continue_run (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = STUDIO_WINDOW (widget);

  if (self->offered_run != 0)
    studio_window_open_run (self, self->offered_run, STUDIO_RUN_UNLESS_DONE);
}

static void
leave_stopped (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_recovery_answered (STUDIO_WINDOW (widget));
}

/* From the beginning, whatever the workspace has; a run that is under way is stopped for it. */
static void
start_over (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = STUDIO_WINDOW (widget);

  if (!studio_project_is_busy (self->project))
    {
      studio_window_start_run (self, STUDIO_RUN_AGAIN);
      return;
    }
  self->start_again = TRUE;
  studio_runner_stop (self->project->runner);
}

void
studio_window_install_workspace_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.open-workspace-as", NULL, open_workspace_as);
  gtk_widget_class_install_action (widget_class, "win.new-workspace-as", NULL, new_workspace_as);
  gtk_widget_class_install_action (widget_class, "win.open-workspace", "s", open_workspace);
  gtk_widget_class_install_action (widget_class, "win.own-workspace", NULL, own_workspace);
  gtk_widget_class_install_action (widget_class, "win.start-over", NULL, start_over);
  gtk_widget_class_install_action (widget_class, "win.continue-run", NULL, continue_run);
  gtk_widget_class_install_action (widget_class, "win.leave-stopped", NULL, leave_stopped);
}

void
studio_window_workspace_init (StudioWindow *self)
{
  g_signal_connect_swapped (self->project->workspace, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->project->workspace, "notice", G_CALLBACK (studio_window_notice), self);
  on_changed (self);
  studio_workspace_look (self->project->workspace);
}
