/* SPDX-License-Identifier: GPL-3.0-or-later */
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
  g_signal_connect_swapped (self->project, "interrupted", G_CALLBACK (on_interrupted), self);
  on_changed (self);
  studio_workspace_look (self->project->workspace);
}
