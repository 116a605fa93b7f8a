/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"

/* Runs of the workspace: compared, and opened in the views of a run. */

static void
on_workspace (StudioWindow *self)
{
  studio_compare_view_set_store (STUDIO_COMPARE_VIEW (self->compare_view),
                                 studio_workspace_get_file (self->project->workspace));
}

/* Its results are shown in the views of a run; without a finished split there are none. */
static void
on_open_run (StudioWindow *self, gint64 run)
{
  StudioRunRow *row
      = studio_run_list_find (studio_compare_view_get_list (STUDIO_COMPARE_VIEW (self->compare_view)), run);

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
compare_runs (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = (StudioWindow *)widget;
  gsize n;
  const gint64 *runs = g_variant_get_fixed_array (parameter, &n, sizeof *runs);

  studio_compare_view_compare (STUDIO_COMPARE_VIEW (self->compare_view), runs, (guint)n);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  studio_window_show_view (self, "compare");
}

static void
open_run (GtkWidget *widget, const char *name, GVariant *parameter)
{
  on_open_run ((StudioWindow *)widget, g_variant_get_int64 (parameter));
}

/* Adds the visible run to the compared ones. */
static void
compare_shown (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = (StudioWindow *)widget;
  gint64 run = self->project->runner->run;

  if (run == 0)
    return;
  studio_compare_view_add (STUDIO_COMPARE_VIEW (self->compare_view), run);
  studio_window_show_view (self, "compare");
}

/* The run that ended last, with the one before it as the reference. */
static void
compare_previous (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = (StudioWindow *)widget;
  const gint64 runs[] = { self->previous_run, self->last_run };

  if (self->previous_run == 0)
    return;
  studio_compare_view_compare (STUDIO_COMPARE_VIEW (self->compare_view), runs, G_N_ELEMENTS (runs));
  studio_window_show_view (self, "compare");
}

/* A run can be compared once it is in the store. */
static void
on_run (StudioWindow *self)
{
  gboolean stored = self->project->runner->run != 0;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.compare-shown", stored);
  studio_window_enable_script (self, stored);
}

void
studio_window_install_compare_actions (GtkWidgetClass *widget_class)
{
  studio_window_install_action (widget_class, "win.compare-runs", "ax", compare_runs);
  studio_window_install_action (widget_class, "win.open-run", "x", open_run);
  studio_window_install_action (widget_class, "win.compare-shown", NULL, compare_shown);
  studio_window_install_action (widget_class, "win.compare-previous", NULL, compare_previous);
}

void
studio_window_compare_init (StudioWindow *self)
{
  StudioCompareView *view = STUDIO_COMPARE_VIEW (self->compare_view);

  studio_compare_view_set_toasts (view, ADW_TOAST_OVERLAY (self->toasts));
  studio_connect (view, "open-run", on_open_run, self);
  studio_connect (view, "message", studio_window_toast, self);
  studio_connect (self->project->workspace, "changed", on_workspace, self);
  g_signal_connect_swapped (self->project->runner, "started", G_CALLBACK (on_run), self);
  g_signal_connect_swapped (self->project->runner, "recorded", G_CALLBACK (on_run), self);
  g_signal_connect_swapped (self->project->runner, "finished", G_CALLBACK (on_run), self);
  on_run (self);
  on_workspace (self);
}
