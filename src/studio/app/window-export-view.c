/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* The export menu follows the visible view: its picture, its numbers, and the functions that write them. */

typedef struct
{
  const char *view, *picture, *numbers;
} ViewExports;

static const ViewExports exports[] = {
  { "data", "image", "images" },         { "learn", "chart", "curve" },        { "atoms", "atom", "atoms" },
  { "inspect", "patch", "code" },        { "results", "confusion", "counts" }, { "sweep", "picture", "table" },
  { "compare", "objective", "numbers" }, { "predict", "map", "predictions" },
};

/* NULL: none of a project. */
static const char *
shown_view (StudioWindow *self)
{
  gboolean work = g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->pages)), "work") == 0;

  return work ? adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views)) : NULL;
}

gboolean
studio_window_shows_sweep (StudioWindow *self)
{
  return g_strcmp0 (shown_view (self), "sweep") == 0
         && studio_sweep_view_can_export (STUDIO_SWEEP_VIEW (self->sweep_view), "recipe");
}

/* The widget that writes the file, and the kind of export. */
typedef struct
{
  GtkWidget *view;  /* the Sweep, the Compare or the Predict view; NULL: the window */
  const char *kind; /* NULL: not available */
} Target;

/* A run with several labels an image has curves and scores instead of a confusion matrix. */
static const char *
kind_of_result (StudioWindow *self, const char *kind)
{
  const TosstRunResult *result = studio_runner_get_result (self->project->runner);

  if (result == NULL || result->score == TOSST_SCORE_ACCURACY)
    return kind;
  return strcmp (kind, "confusion") == 0 ? "precision" : strcmp (kind, "counts") == 0 ? "scores" : kind;
}

static Target
find_target (StudioWindow *self, const char *kind)
{
  const char *shown = shown_view (self);
  const ViewExports *of = NULL;
  gboolean picture = strcmp (kind, "picture") == 0, numbers = strcmp (kind, "numbers") == 0;

  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    if (g_strcmp0 (exports[i].view, shown) == 0)
      of = &exports[i];
  if (picture || numbers)
    kind = of == NULL ? NULL : picture ? of->picture : of->numbers;
  if (g_strcmp0 (shown, "sweep") == 0
      && (picture || numbers || (strcmp (kind, "recipe") == 0 && studio_window_shows_sweep (self))))
    return (Target){ self->sweep_view, kind };
  if (g_strcmp0 (shown, "compare") == 0 && (picture || numbers || strcmp (kind, "report") == 0))
    return (Target){ self->compare_view, kind };
  if (g_strcmp0 (shown, "predict") == 0 && (picture || numbers))
    return (Target){ self->predict_view, kind };
  return (Target){ NULL, kind != NULL ? kind_of_result (self, kind) : NULL };
}

static gboolean
can_export (StudioWindow *self, const char *kind)
{
  Target target = find_target (self, kind);
  StudioCompareSet *set;

  if (target.kind == NULL)
    return FALSE;
  if (target.view == NULL)
    return studio_window_can_write (self, target.kind);
  if (target.view == self->sweep_view)
    return studio_sweep_view_can_export (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind);
  if (target.view == self->predict_view)
    return studio_predict_view_can_export (STUDIO_PREDICT_VIEW (self->predict_view), target.kind);
  set = studio_compare_view_get_set (STUDIO_COMPARE_VIEW (self->compare_view));
  return set != NULL && studio_compare_set_length (set) > 0;
}

static void
export_kind (StudioWindow *self, const char *kind, GFile *file)
{
  Target target = find_target (self, kind);

  if (target.kind == NULL)
    studio_window_toast (self, _ ("There is nothing to export yet"));
  else if (target.view == NULL)
    studio_window_write (self, target.kind, file);
  else if (target.view == self->sweep_view)
    studio_sweep_view_export (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind, file);
  else if (target.view == self->predict_view)
    studio_predict_view_export (STUDIO_PREDICT_VIEW (self->predict_view), target.kind, file);
  else
    studio_compare_view_export (STUDIO_COMPARE_VIEW (self->compare_view), target.kind, file);
}

static void
show_dialog (StudioWindow *self, const char *kind)
{
  Target target = find_target (self, kind);

  if (target.kind == NULL)
    return;
  if (target.view == NULL)
    studio_window_write_dialog (self, target.kind);
  else if (target.view == self->sweep_view)
    studio_sweep_view_export_dialog (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind);
  else if (target.view == self->predict_view)
    studio_predict_view_export_dialog (STUDIO_PREDICT_VIEW (self->predict_view), target.kind);
  else
    gtk_widget_activate_action (target.view, "compare.export", "s", target.kind);
}

/* Actions. */

static void
copy_command (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = (StudioWindow *)widget;
  g_autofree char *command = NULL;

  if (find_target (self, "recipe").view != NULL)
    {
      gtk_widget_activate_action (self->sweep_view, "sweep.copy-command", NULL);
      return;
    }
  command = tosst_recipe_command (studio_recipe_model_peek (self->project->model));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), command);
  studio_window_toast (self, _ ("Command copied"));
}

/* "win.export-chart" takes a path, "win.export-chart-as" opens a file dialog. */
static char *
kind_of (const char *action)
{
  g_autofree char *kind = g_strdup (action + strlen ("win.export-"));

  if (g_str_has_suffix (kind, "-as"))
    kind[strlen (kind) - strlen ("-as")] = 0;
  return g_steal_pointer (&kind);
}

static void
export_to (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *kind = kind_of (name);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  export_kind ((StudioWindow *)widget, kind, file);
}

static void
export_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *kind = kind_of (name);

  show_dialog ((StudioWindow *)widget, kind);
}

static void
update_actions (StudioWindow *self)
{
  static const char *const kinds[]
      = { "picture", "numbers", "dictionary", "report", "curve", "chart", "confusion", "atom", "atoms", "patch" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *action = g_strdup_printf ("win.export-%s-as", kinds[i]);
      gtk_widget_action_set_enabled (GTK_WIDGET (self), action, can_export (self, kinds[i]));
    }
}

void
studio_window_install_export_actions (GtkWidgetClass *widget_class)
{
  static const char *const kinds[]
      = { "picture", "numbers", "dictionary", "curve",  "chart",   "confusion",     "patch",
          "atom",    "atoms",   "report",     "recipe", "project", "project-images" };

  studio_window_install_action (widget_class, "win.copy-command", NULL, copy_command);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *to = g_strconcat ("win.export-", kinds[i], NULL);
      g_autofree char *as = g_strconcat (to, "-as", NULL);

      studio_window_install_action (widget_class, g_intern_string (to), "s", export_to);
      studio_window_install_action (widget_class, g_intern_string (as), NULL, export_as);
    }
}

void
studio_window_exports_init (StudioWindow *self)
{
  StudioSweepPlanner *sweep = self->project->sweep;
  GtkPopover *menu = gtk_menu_button_get_popover (GTK_MENU_BUTTON (self->menu_button));
  const struct
  {
    gpointer object;
    const char *signal;
  } changes[] = {
    { self->project, "changed" },
    { self->inspect_view, "changed" },
    { self->atoms_view, "changed" },
    { self->pages, "notify::visible-child" },
    { self->views, "notify::visible-child" },
    { menu, "show" },
    { sweep, "planned" },
    { sweep, "run" },
    { self->compare_view, "changed" },
    { self->predict_view, "changed" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_signal_connect_object (changes[i].object, changes[i].signal, G_CALLBACK (update_actions), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  update_actions (self);
}
