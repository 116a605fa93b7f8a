/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>

/* Learning one block at a time: the button and the actions. */

static void
enable (StudioWindow *self, const char *action, gboolean enabled)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), action, enabled);
}

/* Enabled also during a block, when a step has no effect: an insensitive button would lose the keyboard focus. */
static void
update_actions (StudioWindow *self)
{
  gboolean may = studio_project_can_step (self->project);
  g_autofree char *next = studio_stepper_describe_next (self->project->stepper);
  g_autofree char *tooltip
      = next != NULL ? g_strdup_printf (_ ("Step: %s (F8)"), next) : g_strdup (_ ("Learn one block at a time (F8)"));

  gtk_widget_set_tooltip_text (self->step_button, tooltip);
  enable (self, "win.step", may);
  enable (self, "win.step-back", studio_stepper_can_back (self->project->stepper) || self->project->stepper->busy);
  enable (self, "win.step-end", self->project->stepper->work != NULL);
}

static void
step_back (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioWindow *self = (StudioWindow *)widget;

  studio_stepper_back (self->project->stepper);
  studio_window_show_view (self, "learn");
}

static void
step_end (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_stepper_end (((StudioWindow *)widget)->project->stepper);
}

static void
on_changed (StudioWindow *self)
{
  const char *problem = self->project->stepper->problem;

  update_actions (self);
  if (problem != NULL)
    studio_window_show_problem (self, problem);
}

void
studio_window_install_step_actions (GtkWidgetClass *widget_class)
{
  studio_window_install_action (widget_class, "win.step-back", NULL, step_back);
  studio_window_install_action (widget_class, "win.step-end", NULL, step_end);
}

void
studio_window_stepper_init (StudioWindow *self)
{
  g_signal_connect_swapped (self->project->stepper, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->project, "changed", G_CALLBACK (update_actions), self);
}
