/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/app/measure.h"
#include "studio/settings/state.h"

static void
on_chosen (GtkNativeDialog *dialog, int response, StudioWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      studio_window_open (self, file);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
choose (StudioWindow *self, const char *title, GtkFileChooserAction action, const char *filter_name,
        const char *const *suffixes)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (title, GTK_WINDOW (self), action, _ ("_Open"), NULL);
  g_autoptr (GFile) folder = studio_state_get_folder ();

  if (suffixes != NULL)
    {
      g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

      gtk_file_filter_set_name (filter, filter_name);
      for (guint i = 0; suffixes[i] != NULL; i++)
        gtk_file_filter_add_suffix (filter, suffixes[i]);
      gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
    }
  if (folder != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
open_folder (GtkWidget *widget, const char *name, GVariant *parameter)
{
  choose (STUDIO_WINDOW (widget), _ ("Open Dataset"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, NULL);
}

static void
open_recipe (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const char *const suffixes[] = { "ini", "recipe", "tosst", NULL };

  choose (STUDIO_WINDOW (widget), _ ("Open Recipe"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Recipes"), suffixes);
}

static void
open_dictionary (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const char *const suffixes[] = { "npz", NULL };

  choose (STUDIO_WINDOW (widget), _ ("Open Dictionary"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Dictionaries"), suffixes);
}

static void
open_samples (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_open_samples (STUDIO_WINDOW (widget));
}

static void
open_path (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  studio_window_open (STUDIO_WINDOW (widget), file);
}

static void
start (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_start (STUDIO_WINDOW (widget));
}

static void
toggle_pause (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_project_toggle_pause (STUDIO_WINDOW (widget)->project);
}

static void
stop (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_measure_stop_requested (widget);
  studio_project_stop_work (STUDIO_WINDOW (widget)->project);
}

static void
undo (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_undo (STUDIO_WINDOW (widget));
}

static void
redo (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_redo (STUDIO_WINDOW (widget));
}

/* All defaults, but the same data set. */
static void
reset_recipe (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = STUDIO_WINDOW (widget);
  const TosstRecipe *now = studio_recipe_model_peek (self->project->model);
  TosstRecipe *recipe = tosst_recipe_new ();

  recipe->dataset.kind = now->dataset.kind;
  g_free (recipe->dataset.path);
  recipe->dataset.path = g_strdup (now->dataset.path);
  studio_recipe_model_take (self->project->model, recipe);
  studio_window_toast (self, _ ("All parameters have their defaults again"));
}

static void
show_view (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = STUDIO_WINDOW (widget);
  const char *view = g_variant_get_string (parameter, NULL);

  /* Runs of the past need no data. */
  if (strcmp (view, "compare") == 0)
    gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  else if (self->dataset == NULL && self->atoms == NULL)
    return;
  studio_window_show_view (self, view);
}

static void
toggle_recipe (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AdwFlap *flap = ADW_FLAP (STUDIO_WINDOW (widget)->flap);

  adw_flap_set_reveal_flap (flap, !adw_flap_get_reveal_flap (flap));
}

static void
copy_command (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_copy_command (STUDIO_WINDOW (widget));
}

static void
dismiss_problem (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_show_problem (STUDIO_WINDOW (widget), NULL);
}

/* "win.export-chart" takes a path, "win.export-chart-as" asks for one. */
static char *
export_kind (const char *action)
{
  g_autofree char *kind = g_strdup (action + strlen ("win.export-"));

  if (g_str_has_suffix (kind, "-as"))
    kind[strlen (kind) - strlen ("-as")] = 0;
  return g_steal_pointer (&kind);
}

static void
export_to (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *kind = export_kind (name);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  studio_window_export (STUDIO_WINDOW (widget), kind, file);
}

static void
export_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *kind = export_kind (name);

  studio_window_export_dialog (STUDIO_WINDOW (widget), kind);
}

void
studio_window_install_actions (StudioWindowClass *klass)
{
  static const char *const kinds[] = { "picture", "numbers", "dictionary", "curve",  "chart", "confusion",
                                       "patch",   "atom",    "atoms",      "report", "recipe" };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_install_action (widget_class, "win.open-folder", NULL, open_folder);
  gtk_widget_class_install_action (widget_class, "win.open-recipe", NULL, open_recipe);
  gtk_widget_class_install_action (widget_class, "win.open-dictionary", NULL, open_dictionary);
  gtk_widget_class_install_action (widget_class, "win.open-samples", NULL, open_samples);
  gtk_widget_class_install_action (widget_class, "win.open", "s", open_path);
  studio_window_install_workspace_actions (widget_class);
  studio_window_install_usage_actions (widget_class);
  studio_window_install_compare_actions (widget_class);
  studio_window_install_step_actions (widget_class);
  gtk_widget_class_install_action (widget_class, "win.start", NULL, start);
  gtk_widget_class_install_action (widget_class, "win.pause", NULL, toggle_pause);
  gtk_widget_class_install_action (widget_class, "win.stop", NULL, stop);
  gtk_widget_class_install_action (widget_class, "win.undo", NULL, undo);
  gtk_widget_class_install_action (widget_class, "win.redo", NULL, redo);
  gtk_widget_class_install_action (widget_class, "win.reset-recipe", NULL, reset_recipe);
  gtk_widget_class_install_action (widget_class, "win.view", "s", show_view);
  gtk_widget_class_install_action (widget_class, "win.toggle-recipe", NULL, toggle_recipe);
  gtk_widget_class_install_action (widget_class, "win.dismiss-problem", NULL, dismiss_problem);
  gtk_widget_class_install_action (widget_class, "win.copy-command", NULL, copy_command);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *to = g_strconcat ("win.export-", kinds[i], NULL);
      g_autofree char *as = g_strconcat (to, "-as", NULL);

      gtk_widget_class_install_action (widget_class, g_intern_string (to), "s", export_to);
      gtk_widget_class_install_action (widget_class, g_intern_string (as), NULL, export_as);
    }
}
