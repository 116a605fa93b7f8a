/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>

#include "studio/settings/state.h"
#include "studio/widgets/format.h"
#include "studio/widgets/save-dialog.h"

/* The store that records runs, and the question about runs that it already has. */

static void
on_chosen (GtkWidget *widget, GFile *file)
{
  studio_workspace_open (((StudioWindow *)widget)->project->workspace, file);
}

static void
show_chooser (GtkWidget *widget, GtkFileChooserAction action, const char *title, const char *accept)
{
  static const char *const suffixes[] = { "sqlite", NULL };
  GtkFileChooser *dialog
      = studio_file_dialog_new (widget, action, title, accept, _ ("Workspaces"), suffixes, on_chosen);

  if (action == GTK_FILE_CHOOSER_ACTION_SAVE)
    gtk_file_chooser_set_current_name (dialog, "runs.sqlite");
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
open_workspace_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_chooser (widget, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Open Workspace"), _ ("_Open"));
}

static void
new_workspace_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_chooser (widget, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("New Workspace"), _ ("_Create"));
}

static void
open_workspace (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  studio_workspace_open (((StudioWindow *)widget)->project->workspace, file);
}

static void
own_workspace (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = studio_workspace_get_own_file ();

  studio_workspace_open (((StudioWindow *)widget)->project->workspace, file);
}

/* A run under way remains in its store. */
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

static void
on_found_answer (StudioWindow *self, const char *response)
{
  const TosstStoreRun *found = studio_runner_get_found (self->project->runner);

  if (studio_project_is_busy (self->project) || found == NULL)
    return;
  if (g_strcmp0 (response, "open") == 0)
    studio_project_open_found (self->project);
  else if (g_strcmp0 (response, "again") == 0)
    studio_project_start_run (self->project, STUDIO_RUN_AGAIN);
}

static void
on_found (StudioWindow *self)
{
  const TosstStoreRun *found = studio_runner_get_found (self->project->runner);
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64)found->finished);
  g_autofree char *when = time != NULL ? g_date_time_format (time, "%x %H:%M") : g_strdup ("");
  g_autofree char *accuracy = studio_format_percent (found->accuracy, 1);
  /* Translators: the first is a date and a time, the second a number in percent. */
  const char *format = tosst_recipe_has_several_labels (studio_runner_get_recipe (self->project->runner))
                           ? _ ("With the same data and parameters, on %s: mean average precision %s.")
                           : _ ("With the same data and parameters, on %s: accuracy %s.");
  g_autofree char *text = g_strdup_printf (format, when, accuracy);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), _ ("Run Already Done"), text);

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "again", _ ("Run _Again"),
                                    "open", _ ("_Open"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "open", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "open");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_found_answer), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* An interrupted run. */

static void
on_interrupted (StudioWindow *self, const char *sentence)
{
  if (sentence != NULL)
    gtk_label_set_label (GTK_LABEL (self->recovery_label), sentence);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->recovery_bar), sentence != NULL);
}

void
studio_window_install_workspace_actions (GtkWidgetClass *widget_class)
{
  studio_window_install_action (widget_class, "win.open-workspace-as", NULL, open_workspace_as);
  studio_window_install_action (widget_class, "win.new-workspace-as", NULL, new_workspace_as);
  studio_window_install_action (widget_class, "win.open-workspace", "s", open_workspace);
  studio_window_install_action (widget_class, "win.own-workspace", NULL, own_workspace);
}

void
studio_window_workspace_init (StudioWindow *self)
{
  g_signal_connect_swapped (self->project->workspace, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->project, "found", G_CALLBACK (on_found), self);
  g_signal_connect_swapped (self->project, "interrupted", G_CALLBACK (on_interrupted), self);
  on_changed (self);
  studio_workspace_look (self->project->workspace);
}
