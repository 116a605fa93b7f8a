/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/each.h"
#include "core/report/report.h"
#include "studio/settings/state.h"
#include "studio/widgets/save-dialog.h"

/* The store that records runs, and the question about runs that it already has. */

static void
on_chosen (GtkWidget *widget, GFile *file)
{
  studio_workspace_open (((StudioWindow *)widget)->project->workspace, file);
}

static void
choose_workspace (GtkWidget *widget, const char *name)
{
  static const char *const suffixes[] = { "sqlite", NULL };
  gboolean make = strcmp (name, "win.new-workspace-as") == 0;
  GtkFileChooser *dialog
      = studio_file_dialog_new (widget, make ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN,
                                make ? _ ("New Workspace") : _ ("Open Workspace"), make ? _ ("_Create") : _ ("_Open"),
                                _ ("Workspaces"), suffixes, on_chosen);

  if (make)
    gtk_file_chooser_set_current_name (dialog, "runs.sqlite");
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
open_workspace (StudioWindow *self, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  studio_workspace_open (self->project->workspace, file);
}

static void
own_workspace (StudioWindow *self)
{
  g_autoptr (GFile) file = studio_workspace_get_own_file ();

  studio_workspace_open (self->project->workspace, file);
}

/* A run under way remains in its store. */
static void
on_changed (StudioWindow *self)
{
  GFile *file = self->project->workspace->file;
  gboolean own = studio_workspace_is_own (self->project->workspace);

  studio_enable (self, "win.own-workspace", !own);
  if (self->shown_workspace != NULL && !g_file_equal (self->shown_workspace, file))
    {
      g_autofree char *name = studio_workspace_dup_name (self->project->workspace);
      g_autofree char *text = g_strdup_printf (_ ("Runs are recorded in %s from now on"), name);

      studio_window_toast (self, text);
      studio_state_set_workspace (own ? NULL : file);
    }
  g_set_object (&self->shown_workspace, file);
  if (self->opened_store != NULL && g_file_equal (self->opened_store, file))
    {
      g_clear_object (&self->opened_store);
      if (!studio_project_is_busy (self->project))
        studio_project_open_run (self->project, 0, STUDIO_RUN_OPEN);
    }
}

/* An interrupted run. */

static void
on_interrupted (StudioWindow *self, const char *sentence)
{
  if (sentence != NULL)
    gtk_label_set_label (GTK_LABEL (self->recovery_label), sentence);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->recovery_bar), sentence != NULL);
}

/* Its runs: compared, and opened in the views of a run. */

static void
show_store (StudioWindow *self)
{
  studio_compare_view_set_store (STUDIO_COMPARE_VIEW (self->compare_view), self->project->workspace->file);
}

/* Its results are shown in the views of a run; without a finished split there are none. */
static void
on_open_run (StudioWindow *self, gint64 run)
{
  StudioRunRow *row = studio_run_list_find (STUDIO_COMPARE_VIEW (self->compare_view)->list, run);

  if (studio_project_is_busy (self->project))
    studio_window_toast (self, _ ("A run is in progress: others can be opened when it is finished"));
  else if (row != NULL && row->run->splits_done == 0)
    studio_window_toast (self, _ ("No split of this run is done: it has no results"));
  else
    {
      studio_project_open_run (self->project, run, STUDIO_RUN_OPEN);
      gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
      studio_window_show_view (self, "results");
    }
}

static void
compare_runs (StudioWindow *self, const char *name, GVariant *parameter)
{
  gsize n;
  const gint64 *runs = g_variant_get_fixed_array (parameter, &n, sizeof *runs);

  studio_compare_view_compare (STUDIO_COMPARE_VIEW (self->compare_view), runs, (guint)n);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  studio_window_show_view (self, "compare");
}

static void
open_run (StudioWindow *self, const char *name, GVariant *parameter)
{
  on_open_run (self, g_variant_get_int64 (parameter));
}

/* Adds the visible run to the compared ones. */
static void
compare_shown (StudioWindow *self)
{
  gint64 run = self->project->runner->run;

  if (run == 0)
    return;
  studio_compare_view_add (STUDIO_COMPARE_VIEW (self->compare_view), run);
  studio_window_show_view (self, "compare");
}

/* The run that ended last, with the one before it as the reference. */
static void
compare_previous (StudioWindow *self)
{
  const gint64 runs[] = { self->previous_run, self->last_run };

  if (self->previous_run == 0)
    return;
  studio_compare_view_compare (STUDIO_COMPARE_VIEW (self->compare_view), runs, G_N_ELEMENTS (runs));
  studio_window_show_view (self, "compare");
}

/* A run can be compared, and has a script, once it is in the store. */
static void
on_run (StudioWindow *self)
{
  gboolean stored = self->project->runner->run != 0;

  studio_enable (self, "win.compare-shown", stored);
  studio_enable (self, "win.copy-shown-script", stored);
  studio_enable (self, "win.save-shown-script-as", stored);
}

/* Programs that repeat a run, to the clipboard or to a file. */

typedef struct
{
  gint64 run;
  TosstScriptKind kind;
  GFile *file; /* NULL: the clipboard */
  char *text;
} Script;

TOSST_DEFINE_FREE (Script, script_free, (file, g_object_unref), (text, g_free))

/* Thread. */
static gboolean
make_script (TosstStore *store, Script *script, GError **error)
{
  g_autoptr (TosstReportRun) run = tosst_report_run_load (store, script->run, error);

  script->text = run != NULL ? tosst_script_new (run, script->kind, error) : NULL;
  return script->text != NULL
         && (script->file == NULL || tosst_atomic_write (script->file, script->text, strlen (script->text), error));
}

static void
on_made (StudioWindow *self, Script *script, const GError *error)
{
  if (error != NULL)
    {
      studio_window_show_problem (self, error->message);
      return;
    }
  if (script->file == NULL)
    {
      gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), script->text);
      studio_window_toast (self, _ ("Script copied"));
      return;
    }
  g_autofree char *text = studio_written_sentence (script->file, NULL);
  studio_window_toast (self, text);
}

/* file: NULL: copies. Takes no reference. */
static void
begin_script (StudioWindow *self, gint64 run, TosstScriptKind kind, GFile *file)
{
  Script *script = g_new0 (Script, 1);

  script->run = run;
  script->kind = kind;
  script->file = file != NULL ? g_object_ref (file) : NULL;
  studio_workspace_run (self->project->workspace, TOSST_STORE_READ, make_script, script, script_free, self, on_made);
}

static TosstScriptKind
kind_of_name (const char *name)
{
  return strcmp (name, tosst_script_name (TOSST_SCRIPT_PYTHON)) == 0 ? TOSST_SCRIPT_PYTHON : TOSST_SCRIPT_SHELL;
}

static TosstScriptKind
kind_of_file (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);

  return g_str_has_suffix (name, ".py") ? TOSST_SCRIPT_PYTHON : TOSST_SCRIPT_SHELL;
}

static void
copy_script (StudioWindow *self, const char *name, GVariant *parameter)
{
  const char *kind;
  gint64 run;

  g_variant_get (parameter, "(x&s)", &run, &kind);
  begin_script (self, run, kind_of_name (kind), NULL);
}

static void
copy_shown (StudioWindow *self, const char *name, GVariant *parameter)
{
  gint64 run = self->project->runner->run;

  if (run != 0)
    begin_script (self, run, kind_of_name (g_variant_get_string (parameter, NULL)), NULL);
}

static void
on_file_chosen (GtkWidget *widget, const char *kind, GFile *file)
{
  StudioWindow *self = (StudioWindow *)widget;

  begin_script (self, self->script_run, kind_of_file (file), file);
}

static void
ask_file (StudioWindow *self, gint64 run)
{
  static const StudioSaveKind kind = { "script", N_ ("Save Script (Shell or Python)"), "run.sh", "sh py" };

  self->script_run = run;
  studio_save_dialog (GTK_WIDGET (self), &kind, on_file_chosen);
}

static void
save_script (StudioWindow *self, const char *name, GVariant *parameter)
{
  ask_file (self, g_variant_get_int64 (parameter));
}

static void
save_shown (StudioWindow *self)
{
  gint64 run = self->project->runner->run;

  if (run != 0)
    ask_file (self, run);
}

static void
write_script (StudioWindow *self, const char *name, GVariant *parameter)
{
  const char *path;
  gint64 run;

  g_variant_get (parameter, "(x&s)", &run, &path);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  begin_script (self, run, kind_of_file (file), file);
}

void
studio_window_install_workspace_actions (GtkWidgetClass *widget_class)
{
  STUDIO_INSTALL_WINDOW_ACTIONS (
      widget_class, ("win.open-workspace-as", NULL, choose_workspace), ("win.new-workspace-as", NULL, choose_workspace),
      ("win.open-workspace", "s", open_workspace), ("win.own-workspace", NULL, own_workspace),
      ("win.compare-runs", "ax", compare_runs), ("win.open-run", "x", open_run),
      ("win.compare-shown", NULL, compare_shown), ("win.compare-previous", NULL, compare_previous),
      ("win.copy-script", "(xs)", copy_script), ("win.save-script-as", "x", save_script),
      ("win.save-script", "(xs)", write_script), ("win.copy-shown-script", "s", copy_shown),
      ("win.save-shown-script-as", NULL, save_shown));
}

void
studio_window_workspace_init (StudioWindow *self)
{
  StudioCompareView *view = STUDIO_COMPARE_VIEW (self->compare_view);

  g_signal_connect_swapped (self->project->workspace, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->project, "interrupted", G_CALLBACK (on_interrupted), self);
  on_changed (self);
  studio_workspace_look (self->project->workspace);
  studio_compare_view_set_toasts (view, ADW_TOAST_OVERLAY (self->toasts));
  studio_connect (view, "open-run", on_open_run, self);
  studio_connect (view, "message", studio_window_toast, self);
  studio_connect (self->project->workspace, "changed", show_store, self);
  g_signal_connect_swapped (self->project->runner, "started", G_CALLBACK (on_run), self);
  g_signal_connect_swapped (self->project->runner, "recorded", G_CALLBACK (on_run), self);
  g_signal_connect_swapped (self->project->runner, "finished", G_CALLBACK (on_run), self);
  on_run (self);
  show_store (self);
}
