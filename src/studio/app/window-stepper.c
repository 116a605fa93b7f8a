/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>

#include "studio/learn/stepper-panel.h"

/* Learning one block at a time: the button and actions, and what becomes of it when a run starts. */

/* Also in the middle of a block, when a step does nothing: a button that went grey for that long would lose the keyboard. */
static gboolean
may_step (StudioWindow *self)
{
  StudioRunnerState state = studio_runner_get_state (self->project->runner);

  return self->dataset != NULL && (state == STUDIO_RUNNER_IDLE || state == STUDIO_RUNNER_PAUSED);
}

static void
enable (StudioWindow *self, const char *action, gboolean enabled)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), action, enabled);
}

void
studio_window_update_step_actions (StudioWindow *self)
{
  g_autofree char *next = studio_stepper_describe_next (self->project->stepper);
  g_autofree char *tooltip
      = next != NULL ? g_strdup_printf (_ ("Step: %s (F8)"), next) : g_strdup (_ ("Learn one block at a time (F8)"));

  gtk_widget_set_visible (self->step_button, may_step (self));
  gtk_widget_set_tooltip_text (self->step_button, tooltip);
  enable (self, "win.step", may_step (self));
  enable (self, "win.step-back",
          studio_stepper_can_back (self->project->stepper) || studio_stepper_is_busy (self->project->stepper));
  enable (self, "win.step-end", studio_stepper_is_open (self->project->stepper));
}

/* The run at hand, if it is of this recipe and was left in the middle: steps go on from its last checkpoint. */
static gint64
run_to_go_on_from (StudioWindow *self, const TosstRecipe *recipe)
{
  gboolean halfway = studio_runner_get_state (self->project->runner) == STUDIO_RUNNER_PAUSED
                     || studio_runner_get_outcome (self->project->runner) == STUDIO_OUTCOME_STOPPED;

  return halfway && tosst_recipe_equal (recipe, studio_runner_get_recipe (self->project->runner))
             ? studio_runner_get_run (self->project->runner)
             : 0;
}

static void
begin (StudioWindow *self)
{
  const TosstRecipe *recipe;

  gtk_root_set_focus (GTK_ROOT (self), NULL); /* an entry being edited takes its value now */
  recipe = studio_recipe_model_peek (self->project->model);
  studio_window_show_problem (self, NULL);
  studio_stepper_begin (self->project->stepper, recipe,
                        self->reopen_source == 0 && self->opening == NULL ? self->dataset : NULL,
                        studio_workspace_get_file (self->project->workspace), run_to_go_on_from (self, recipe));
}

void
studio_window_step (StudioWindow *self)
{
  if (!may_step (self))
    return;
  if (studio_stepper_is_open (self->project->stepper))
    studio_stepper_step (self->project->stepper);
  else
    begin (self);
  studio_window_show_view (self, "learn");
}

static void
step (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_window_step (STUDIO_WINDOW (widget));
}

static void
step_back (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_stepper_back (STUDIO_WINDOW (widget)->project->stepper);
  studio_window_show_view (STUDIO_WINDOW (widget), "learn");
}

static void
step_end (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_stepper_end (STUDIO_WINDOW (widget)->project->stepper);
}

static void
on_changed (StudioWindow *self)
{
  const char *problem = studio_stepper_get_problem (self->project->stepper);

  studio_window_update_step_actions (self);
  if (problem != NULL)
    studio_window_show_problem (self, problem);
}

/* The run goes on, or another one begins. */
static void
on_run (StudioWindow *self)
{
  if (studio_runner_get_state (self->project->runner) == STUDIO_RUNNER_RUNNING)
    studio_stepper_end (self->project->stepper);
}

void
studio_window_install_step_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.step", NULL, step);
  gtk_widget_class_install_action (widget_class, "win.step-back", NULL, step_back);
  gtk_widget_class_install_action (widget_class, "win.step-end", NULL, step_end);
}

void
studio_window_stepper_init (StudioWindow *self)
{
  studio_learn_view_set_stepper (STUDIO_LEARN_VIEW (self->learn_view), self->project->stepper);
  g_signal_connect_swapped (self->project->stepper, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->project->runner, "notify::state", G_CALLBACK (on_run), self);
}
