/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>

#include "studio/app/measure.h"
#include "studio/settings/state.h"
#include "studio/widgets/format.h"
#include "studio/widgets/progress-ring.h"

#define WIDE_WINDOW 1500               /* pixels: progress and names beside icons have room */
#define LONG_RUN (10 * G_USEC_PER_SEC) /* whose end is worth a notification */

/* Starting, pausing and stopping, and what the header bar says meanwhile. */

static void
enable (StudioWindow *self, const char *action, gboolean enabled)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), action, enabled);
}

/* Beside the buttons of a run and its progress there is room for the names of views below their icons only, but in a wide
 * window; libadwaita would take the switcher out of the header bar at once. */
static void
fit_switcher_below (GtkWidget *widget, gboolean narrow)
{
  if (ADW_IS_VIEW_SWITCHER (widget))
    {
      adw_view_switcher_set_policy (ADW_VIEW_SWITCHER (widget),
                                    narrow ? ADW_VIEW_SWITCHER_POLICY_NARROW : ADW_VIEW_SWITCHER_POLICY_WIDE);
      return;
    }
  if (ADW_IS_SQUEEZER (widget))
    adw_squeezer_set_switch_threshold_policy (ADW_SQUEEZER (widget), narrow ? ADW_FOLD_THRESHOLD_POLICY_MINIMUM
                                                                            : ADW_FOLD_THRESHOLD_POLICY_NATURAL);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    fit_switcher_below (child, narrow);
}

void
studio_window_fit_switcher (StudioWindow *self)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (self));

  fit_switcher_below (self->view_title, surface == NULL || gdk_surface_get_width (surface) < WIDE_WINDOW);
}

void
studio_window_update_run_actions (StudioWindow *self)
{
  StudioRunnerState state = studio_project_get_work_state (self->project);
  gboolean busy = state != STUDIO_RUNNER_IDLE, stopping = state == STUDIO_RUNNER_STOPPING;
  gboolean paused = state == STUDIO_RUNNER_PAUSED, open = self->dataset != NULL;
  const char *pause = paused ? _ ("Resume") : _ ("Pause"), *stop = stopping ? _ ("Stopping…") : _ ("Stop");

  gtk_widget_set_visible (self->start_button, open && !busy);
  gtk_widget_set_visible (self->pause_button, busy);
  gtk_widget_set_visible (self->stop_button, busy);
  gtk_widget_set_visible (self->progress, busy);
  studio_window_fit_switcher (self);
  enable (self, "win.start", open && !busy);
  enable (self, "win.pause", busy && !stopping);
  enable (self, "win.stop", busy && !stopping);
  adw_button_content_set_label (ADW_BUTTON_CONTENT (self->stop_content), stop);
  gtk_widget_set_tooltip_text (self->stop_button, studio_project_is_sweeping (self->project)
                                                      ? _ ("Stop the sweep (Ctrl+.)")
                                                      : _ ("Stop the run (Ctrl+.)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->stop_button), GTK_ACCESSIBLE_PROPERTY_LABEL, stop, -1);
  gtk_button_set_icon_name (GTK_BUTTON (self->pause_button),
                            paused ? "media-playback-start-symbolic" : "media-playback-pause-symbolic");
  gtk_widget_set_tooltip_text (self->pause_button, paused ? _ ("Resume (Ctrl+P)") : _ ("Pause (Ctrl+P)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->pause_button), GTK_ACCESSIBLE_PROPERTY_LABEL, pause, -1);
  studio_window_update_step_actions (self);
  studio_window_update_forecast (self);
  studio_window_update_exports (self);
  studio_window_update_usage (self);
}

/* "split 2 of 10 · 34 % · 12 s left" */
static char *
describe_progress (StudioWindow *self)
{
  int split = studio_runner_get_current_split (self->project->runner);
  int splits = studio_runner_get_recipe (self->project->runner)->dataset.splits;
  double left = studio_runner_get_seconds_left (self->project->runner);
  g_autofree char *percent = studio_format_percent (100 * studio_runner_get_fraction (self->project->runner), 0);
  g_autofree char *duration = studio_format_rough_duration (left);
  g_autoptr (GString) text = g_string_new (NULL);

  if (split >= 0 && splits > 1)
    g_string_append_printf (text, _ ("split %d of %d · "), split + 1, splits);
  g_string_append (text, percent);
  if (studio_runner_get_state (self->project->runner) == STUDIO_RUNNER_PAUSED)
    g_string_append (text, _ (" · paused"));
  else if (left >= 0)
    g_string_append_printf (text, _ (" · %s left"), duration);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
studio_window_show_work (StudioWindow *self, double fraction, const char *stage, const char *time)
{
  studio_progress_ring_set_fraction (STUDIO_PROGRESS_RING (self->progress_ring), fraction);
  gtk_label_set_label (GTK_LABEL (self->progress_stage), stage);
  gtk_widget_set_tooltip_text (self->progress_stage, stage);
  gtk_label_set_label (GTK_LABEL (self->progress_time), time);
}

static void
show_progress (StudioWindow *self)
{
  g_autofree char *time = describe_progress (self);

  studio_window_show_work (self, studio_runner_get_fraction (self->project->runner),
                           studio_runner_get_stage (self->project->runner), time);
}

void
studio_window_inhibit (StudioWindow *self, gboolean on)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  if (on && self->inhibit_cookie == 0 && application != NULL)
    self->inhibit_cookie = gtk_application_inhibit (
        application, GTK_WINDOW (self), GTK_APPLICATION_INHIBIT_LOGOUT | GTK_APPLICATION_INHIBIT_SUSPEND,
        studio_project_is_sweeping (self->project) ? _ ("A sweep is under way") : _ ("A run is under way"));
  else if (!on && self->inhibit_cookie != 0)
    {
      gtk_application_uninhibit (application, self->inhibit_cookie);
      self->inhibit_cookie = 0;
    }
}

static void
on_state (StudioWindow *self)
{
  studio_window_update_run_actions (self);
  if (studio_project_is_busy (self->project))
    show_progress (self);
}

static void
on_started (StudioWindow *self)
{
  self->start_again = FALSE;
  studio_window_recovery_answered (self);
  self->run_started = g_get_monotonic_time ();
  self->next_run_said = FALSE;
  studio_window_inhibit (self, TRUE);
  studio_window_show_problem (self, NULL);
  show_progress (self);
}

static char *
describe_outcome (StudioWindow *self)
{
  const TosstRunResult *result = studio_runner_get_result (self->project->runner);
  g_autofree char *accuracy = NULL;

  if (studio_runner_get_outcome (self->project->runner) == STUDIO_OUTCOME_STOPPED
      && !studio_runner_is_opened (self->project->runner))
    return g_strdup (_ ("The run was stopped"));
  if (result == NULL)
    return g_strdup (_ ("The run failed"));
  accuracy = studio_format_percent (result->accuracy_mean, 1);
  if (result->splits < 2)
    return g_strdup_printf (_ ("Accuracy %s"), accuracy);
  return g_strdup_printf (_ ("Accuracy %s ± %.1f over %d splits"), accuracy, result->accuracy_std, result->splits);
}

void
studio_window_notify (StudioWindow *self, const char *title, const char *text)
{
  g_autoptr (GNotification) notification = NULL;
  GApplication *application = G_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));

  gint64 took = g_get_monotonic_time () - self->run_started;

  gboolean hidden = !gtk_widget_get_visible (GTK_WIDGET (self));

  if ((took < LONG_RUN && !hidden) || gtk_window_is_active (GTK_WINDOW (self)) || application == NULL
      || self->close_when_idle)
    return;
  notification = g_notification_new (title);
  g_notification_set_body (notification, text);
  g_notification_set_default_action (notification, "app.activate");
  g_application_send_notification (application, "run", notification);
}

gboolean
studio_window_work_ended (StudioWindow *self)
{
  gboolean close = self->close_when_idle;

  studio_measure_stop_effective ();
  studio_window_inhibit (self, FALSE);
  studio_window_update_run_actions (self);
  if (close)
    gtk_window_close (GTK_WINDOW (self));
  return close;
}

static void
on_finished (StudioWindow *self)
{
  g_autofree char *outcome = describe_outcome (self);

  if (studio_window_work_ended (self))
    return;
  studio_workspace_changed (self->project->workspace);
  if (self->start_again)
    {
      studio_window_start_run (self, STUDIO_RUN_AGAIN);
      return;
    }
  if (studio_runner_get_outcome (self->project->runner) == STUDIO_OUTCOME_FOUND)
    {
      studio_window_offer_found (self);
      return;
    }
  if (studio_runner_is_opened (self->project->runner)
      && studio_runner_get_outcome (self->project->runner) != STUDIO_OUTCOME_FAILED)
    {
      studio_window_session_step (self);
      return;
    }
  if (studio_runner_get_outcome (self->project->runner) == STUDIO_OUTCOME_FAILED)
    studio_window_show_problem (self, studio_runner_get_problem (self->project->runner));
  else
    studio_window_toast (self, outcome);
  studio_window_notify (self, _ ("Run Finished"), outcome);
  studio_window_session_step (self);
}

/* What the views show is this very run, to its end. */
static gboolean
is_shown (StudioWindow *self, const TosstRecipe *recipe)
{
  TosstDataset *dataset = studio_runner_get_dataset (self->project->runner);

  return studio_runner_get_outcome (self->project->runner) == STUDIO_OUTCOME_DONE
         && studio_runner_get_run (self->project->runner) != 0 && dataset != NULL
         && tosst_recipe_equal (recipe, studio_runner_get_recipe (self->project->runner))
         && g_strcmp0 (tosst_dataset_fingerprint (dataset), tosst_dataset_fingerprint (self->dataset)) == 0;
}

void
studio_window_start_run (StudioWindow *self, StudioRunWish wish)
{
  StudioRunOrder order = { .store = studio_workspace_get_file (self->project->workspace),
                           .wish = wish,
                           .checkpoint = studio_state_get_checkpoint_interval () };
  g_autoptr (GError) error = NULL;

  if (studio_project_is_sweeping (self->project))
    studio_window_toast (self, _ ("A sweep is going on: stop it, or wait for it, before a run begins"));
  if (studio_project_is_working (self->project))
    return;
  if (self->dataset == NULL)
    {
      self->start_when_open = self->opening != NULL;
      return;
    }
  gtk_root_set_focus (GTK_ROOT (self), NULL); /* an entry being edited takes its value now */
  order.recipe = studio_recipe_model_peek (self->project->model);
  if (!tosst_recipe_check (order.recipe, &error))
    {
      studio_window_show_problem (self, error->message);
      return;
    }
  /* A data set that no longer fits the recipe is opened anew by the run itself. */
  if (self->reopen_source == 0 && self->opening == NULL)
    order.dataset = self->dataset;
  if (wish == STUDIO_RUN_UNLESS_DONE && order.dataset != NULL && is_shown (self, order.recipe))
    {
      studio_window_toast_action (self, _ ("This run is done: these are its results"), _ ("_Run Again"),
                                  "win.start-over");
      studio_window_show_view (self, "results");
      return;
    }
  if (studio_window_refuses (self, wish))
    return;
  studio_runner_begin (self->project->runner, &order);
  studio_window_show_view (self, tosst_recipe_has_dictionary (order.recipe) ? "learn" : "results");
}

void
studio_window_start (StudioWindow *self)
{
  studio_window_start_run (self, STUDIO_RUN_UNLESS_DONE);
}

static void
on_recorded (StudioWindow *self)
{
  studio_workspace_changed (self->project->workspace);
  if (studio_runner_is_continued (self->project->runner))
    studio_window_toast_action (self, _ ("The run goes on where it was stopped"), _ ("_Start Over"), "win.start-over");
}

void
studio_window_run_init (StudioWindow *self)
{
  g_signal_connect_swapped (self->project->runner, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect_swapped (self->project->runner, "started", G_CALLBACK (on_started), self);
  g_signal_connect_swapped (self->project->runner, "progress", G_CALLBACK (show_progress), self);
  g_signal_connect_swapped (self->project->runner, "finished", G_CALLBACK (on_finished), self);
  g_signal_connect_swapped (self->project->runner, "recorded", G_CALLBACK (on_recorded), self);
  g_signal_connect_swapped (self->project->runner, "notice", G_CALLBACK (studio_window_notice), self);
}
