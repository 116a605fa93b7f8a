/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that repeat a run, to the clipboard or to a file.
 */
#include <glib/gi18n.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/each.h"
#include "core/report/report.h"
#include "studio/app/window-private.h"
#include "studio/widgets/save-dialog.h"

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
make_script (TosstStore *store, gpointer data, GError **error)
{
  Script *script = data;
  g_autoptr (TosstReportRun) run = tosst_report_run_load (store, script->run, error);

  script->text = run != NULL ? tosst_script_new (run, script->kind, error) : NULL;
  return script->text != NULL
         && (script->file == NULL || tosst_atomic_write (script->file, script->text, strlen (script->text), error));
}

static void
on_made (gpointer object, gpointer data, const GError *error)
{
  StudioWindow *self = object;
  Script *script = data;
  g_autofree char *text = NULL;

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
  text = studio_written_sentence (script->file, NULL);
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
copy_script (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *kind;
  gint64 run;

  g_variant_get (parameter, "(x&s)", &run, &kind);
  begin_script ((StudioWindow *)widget, run, kind_of_name (kind), NULL);
}

static void
copy_shown (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = (StudioWindow *)widget;
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
  static const StudioSaveKind kinds[] = { { "script", N_ ("Save Script (Shell or Python)"), "run.sh", "sh py" } };

  self->script_run = run;
  studio_save_dialog (GTK_WIDGET (self), kinds, G_N_ELEMENTS (kinds), "script", on_file_chosen);
}

static void
save_script (GtkWidget *widget, const char *name, GVariant *parameter)
{
  ask_file ((StudioWindow *)widget, g_variant_get_int64 (parameter));
}

static void
save_shown (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = (StudioWindow *)widget;
  gint64 run = self->project->runner->run;

  if (run != 0)
    ask_file (self, run);
}

static void
write_script (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = NULL;
  const char *path;
  gint64 run;

  g_variant_get (parameter, "(x&s)", &run, &path);
  file = g_file_new_for_commandline_arg (path);
  begin_script ((StudioWindow *)widget, run, kind_of_file (file), file);
}

/* Only runs of the store have a script. */
void
studio_window_enable_script (StudioWindow *self, gboolean enabled)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.copy-shown-script", enabled);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.save-shown-script-as", enabled);
}

void
studio_window_install_script_actions (GtkWidgetClass *widget_class)
{
  studio_window_install_action (widget_class, "win.copy-script", "(xs)", copy_script);
  studio_window_install_action (widget_class, "win.save-script-as", "x", save_script);
  studio_window_install_action (widget_class, "win.save-script", "(xs)", write_script);
  studio_window_install_action (widget_class, "win.copy-shown-script", "s", copy_shown);
  studio_window_install_action (widget_class, "win.save-shown-script-as", NULL, save_shown);
}
