/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/app/progress-ring.h"
#include "studio/recipe/value-text.h"
#include "studio/widgets/format.h"

#define LIGHT_CHARS(bold) ((bold)*7 / 5) /* of usual letters, in the space of so many bold ones */
#define LONG_RUN (10 * G_USEC_PER_SEC)   /* shortest run with a notification at its end */

/* Starting, pausing and stopping runs and sweeps, and their state in the header bar. */

static void
update_actions (StudioWindow *self)
{
  StudioRunnerState state = self->project->runner->state;
  gboolean busy = state != STUDIO_RUNNER_IDLE, stopping = state == STUDIO_RUNNER_STOPPING;
  gboolean paused = state == STUDIO_RUNNER_PAUSED, open = self->project->dataset != NULL;
  const char *pause = paused ? _ ("Resume") : _ ("Pause");

  /* Each button keeps its place, and so do the views beside them: the progress has its space without a run, too. */
  gtk_stack_set_visible_child (GTK_STACK (self->run_button), busy ? self->pause_button : self->start_button);
  gtk_widget_set_visible (self->run_button, open || busy);
  gtk_widget_set_visible (self->stop_button, open || busy);
  gtk_widget_set_visible (self->step_button, open || busy);
  gtk_widget_set_visible (self->progress, open || busy);
  gtk_stack_set_visible_child (GTK_STACK (self->progress), busy ? self->progress_box : self->no_progress);
  studio_window_fit_switcher (self);
  studio_enable (self, "win.start", open && !busy);
  studio_enable (self, "win.pause", busy && !stopping);
  studio_enable (self, "win.stop", busy && !stopping);
  gtk_widget_set_tooltip_text (self->stop_button, studio_project_is_sweeping (self->project)
                                                      ? _ ("Stop the sweep (Ctrl+.)")
                                                      : _ ("Stop the run (Ctrl+.)"));
  gtk_button_set_icon_name (GTK_BUTTON (self->pause_button),
                            paused ? "media-playback-start-symbolic" : "media-playback-pause-symbolic");
  gtk_widget_set_tooltip_text (self->pause_button, paused ? _ ("Resume (Ctrl+P)") : _ ("Pause (Ctrl+P)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->pause_button), GTK_ACCESSIBLE_PROPERTY_LABEL, pause, -1);
}

/* "34 % · 1 min 12 s left · split 2 of 10"; of a sweep, or where that has no space, without the split and in minutes */
static char *
describe_progress (StudioWindow *self, gboolean brief)
{
  StudioRunner *runner = self->project->runner;
  gboolean sweep = runner->sweep != NULL;
  int split = sweep || brief ? -1 : studio_runner_get_current_split (runner);
  int splits = sweep ? 0 : runner->recipe->dataset.splits;
  double left = runner->status.seconds_left;
  g_autofree char *percent = studio_format_percent (100 * runner->status.fraction, 0);
  g_autofree char *duration = studio_format_rough_duration (brief && left > 60 ? 60 * round (left / 60) : left);
  GString *text = g_string_new (NULL);

  g_string_append (text, percent);
  if (runner->state == STUDIO_RUNNER_PAUSED)
    g_string_append (text, _ (" · paused"));
  else if (left >= 0)
    g_string_append_printf (text, _ (" · %s left"), duration);
  if (split >= 0 && splits > 1)
    g_string_append_printf (text, _ (" · split %d of %d"), split + 1, splits);
  return g_string_free (text, FALSE);
}

/* The header bar keeps the same width for it: shorter words where others would be cut off. The tooltip has them all. */
static void
show_fitting (GtkWidget *label, int most, const char *text, const char *brief)
{
  gtk_label_set_label (GTK_LABEL (label), g_utf8_strlen (text, -1) <= most ? text : brief);
  gtk_widget_set_tooltip_text (label, text);
}

static void
on_progress (StudioWindow *self)
{
  StudioRunner *runner = self->project->runner;
  gboolean stopping = runner->state == STUDIO_RUNNER_STOPPING;
  int most = gtk_label_get_max_width_chars (GTK_LABEL (self->progress_stage));
  g_autofree char *time = describe_progress (self, FALSE), *brief_time = describe_progress (self, TRUE),
                  *stage = stopping ? g_strdup (_ ("Stopping…")) : studio_runner_get_stage (runner),
                  *brief_stage = studio_runner_get_brief_stage (runner);

  studio_progress_ring_set_fraction (STUDIO_PROGRESS_RING (self->progress_ring), runner->status.fraction);
  show_fitting (self->progress_stage, most, stage, brief_stage);
  show_fitting (self->progress_time, LIGHT_CHARS (most), time, brief_time);
}

static char *
describe_run (StudioWindow *self)
{
  const TosstRunResult *result = self->project->runner->result;

  if (self->project->runner->outcome == STUDIO_OUTCOME_STOPPED && !self->project->runner->opened)
    return g_strdup (_ ("The run was stopped"));
  if (result == NULL)
    return g_strdup (_ ("The run failed"));
  g_autofree char *accuracy = studio_format_percent (result->accuracy_mean, 1);
  if (result->score != TOSST_SCORE_ACCURACY)
    return g_strdup_printf ("%s %s", tosst_score_label (result->score), accuracy);
  if (result->splits < 2)
    return g_strdup_printf (_ ("Accuracy %s"), accuracy);
  return g_strdup_printf (
      ngettext ("Accuracy %s ± %.1f over %d split", "Accuracy %s ± %.1f over %d splits", result->splits), accuracy,
      result->accuracy_std, result->splits);
}

static char *
describe_sweep (StudioWindow *self)
{
  StudioSweepPlanner *sweep = self->project->sweep;
  guint n = g_list_model_get_n_items (sweep->rows);
  guint done = sweep->count[TOSST_RUN_DONE];
  guint failed = sweep->count[TOSST_RUN_FAILED];

  if (failed > 0)
    return g_strdup_printf (_ ("%u of %u runs done, %u failed"), done, n, failed);
  return g_strdup_printf (ngettext ("%u of %u run done", "%u of %u runs done", n), done, n);
}

static void
inhibit (StudioWindow *self, gboolean on)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  if (on && self->inhibit_cookie == 0 && application != NULL)
    self->inhibit_cookie = gtk_application_inhibit (
        application, GTK_WINDOW (self), GTK_APPLICATION_INHIBIT_LOGOUT | GTK_APPLICATION_INHIBIT_SUSPEND,
        studio_project_is_sweeping (self->project) ? _ ("A sweep is in progress") : _ ("A run is in progress"));
  else if (!on && self->inhibit_cookie != 0)
    {
      gtk_application_uninhibit (application, self->inhibit_cookie);
      self->inhibit_cookie = 0;
    }
}

static void
on_started (StudioWindow *self)
{
  self->run_started = g_get_monotonic_time ();
  inhibit (self, TRUE);
  on_progress (self);
}

static void
on_state (StudioWindow *self)
{
  if (studio_project_is_sweeping (self->project))
    {
      if (self->project->runner->state == STUDIO_RUNNER_RUNNING && self->inhibit_cookie == 0)
        self->run_started = g_get_monotonic_time ();
      inhibit (self, TRUE);
    }
  if (studio_project_is_working (self->project))
    on_progress (self);
}

static void
notify (StudioWindow *self, const char *title, const char *text)
{
  GApplication *application = G_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  gint64 took = g_get_monotonic_time () - self->run_started;
  gboolean hidden = !gtk_widget_get_visible (GTK_WIDGET (self));

  if ((took < LONG_RUN && !hidden) || gtk_window_is_active (GTK_WINDOW (self)) || application == NULL
      || self->project->closing)
    return;
  g_autoptr (GNotification) notification = g_notification_new (title);
  g_notification_set_body (notification, text);
  g_notification_set_default_action (notification, "app.activate");
  g_application_send_notification (application, "run", notification);
}

/* Only runs with results can be compared. */
static void
note_run (StudioWindow *self)
{
  gint64 run = self->project->runner->run;

  if (run == 0 || run == self->last_run || self->project->runner->result == NULL)
    return;
  self->previous_run = self->last_run;
  self->last_run = run;
}

/* Another data set: the score is not of it. */
static void
forget_score (StudioWindow *self)
{
  gtk_label_set_label (GTK_LABEL (self->no_progress), "");
  gtk_widget_set_tooltip_text (self->no_progress, NULL);
}

static void
on_ended (StudioWindow *self, gboolean sweep, gboolean tell)
{
  g_autofree char *outcome = sweep ? describe_sweep (self) : describe_run (self);
  gboolean failed = !sweep && self->project->runner->outcome == STUDIO_OUTCOME_FAILED;

  if (!sweep)
    {
      note_run (self);
      /* The score of the run that has ended, in the place of its progress. */
      const TosstRunResult *result = self->project->runner->result;
      studio_label_take (self->no_progress, result != NULL && result->splits > 0
                                                ? studio_format_percent (result->accuracy_mean, 1)
                                                : g_strdup (""));
      gtk_widget_set_tooltip_text (self->no_progress, outcome);
    }
  inhibit (self, FALSE);
  if (self->project->closing)
    gtk_window_close (GTK_WINDOW (self));
  else if (tell)
    {
      if (!failed)
        {
          gboolean has_result = sweep || self->project->runner->result != NULL;

          if (has_result)
            studio_window_toast_result (self, outcome, sweep ? "sweep" : "results", !sweep && self->previous_run != 0);
          else
            studio_window_toast (self, outcome);
        }
      notify (self, sweep ? _ ("Sweep Finished") : _ ("Run Finished"), outcome);
    }
}

static void
on_forecast (StudioWindow *self, const char *text, gboolean wrong)
{
  const char *start = _ ("Learn, code and classify (Ctrl+R)");
  g_autofree char *tooltip = text != NULL ? g_strdup_printf ("%s\n%s", start, text) : g_strdup (start);

  studio_recipe_panel_say (STUDIO_RECIPE_PANEL (self->panel), text, wrong);
  gtk_widget_set_tooltip_text (self->start_button, tooltip);
}

/* The recipe of the run that is shown. */

#define MOST_DIFFERENCES 4

/* "K 20, λ 0.01": values of the run that the recipe of the window has otherwise, of parameters with influence. New; NULL: none. */
static char *
list_differences (const TosstRecipe *run, const TosstRecipe *own)
{
  guint found = 0;
  g_autoptr (GString) text = g_string_new (NULL);

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autofree char *value = tosst_recipe_get (run, p), *other = tosst_recipe_get (own, p);

      if (strcmp (value, other) == 0
          || (tosst_recipe_why_inactive (run, p) != NULL && tosst_recipe_why_inactive (own, p) != NULL))
        continue;
      if (found++ < MOST_DIFFERENCES)
        {
          g_autofree char *name = studio_parameter_text (p), *shown = studio_value_text (p, value);

          g_string_append_printf (text, "%s%s %s", found > 1 ? ", " : "", name, shown);
        }
    }
  if (found > MOST_DIFFERENCES)
    g_string_append_printf (text, ", …");
  return found > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* Above the views of a run. */
static void
show_differences (StudioWindow *self)
{
  static const char *const views[] = { "learn", "atoms", "inspect", "results", NULL };
  const char *view = adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views));
  const TosstRecipe *run = self->project->runner->recipe;
  g_autofree char *list = run != NULL ? list_differences (run, self->project->model->recipe) : NULL;
  gboolean of_run
      = view != NULL && g_strv_contains (views, view)
        && (strcmp (view, "atoms") != 0 || self->project->atoms == NULL || self->project->atoms->file == NULL);

  if (list != NULL)
    /* Translators: values of parameters, such as “K 20, λ 0.01” */
    studio_label_take (self->differences, g_strdup_printf (_ ("The recipe of this run is another one: %s"), list));
  gtk_widget_set_visible (self->other_recipe, list != NULL && of_run);
  studio_enable (self, "win.use-run-recipe", list != NULL);
}

/* Learn, Atoms and Inspect are of a dictionary: of the recipe, of the run that is shown or, the last two, of a file. */
static void
show_views_of_dictionary (StudioWindow *self)
{
  static const char *const names[] = { "learn", "atoms", "inspect" };
  const TosstRecipe *run = self->project->runner->recipe;
  gboolean learns = tosst_recipe_has_dictionary (self->project->model->recipe)
                    || (run != NULL && tosst_recipe_has_dictionary (run));

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GtkWidget *view = adw_view_stack_get_child_by_name (ADW_VIEW_STACK (self->views), names[i]);

      adw_view_stack_page_set_visible (adw_view_stack_get_page (ADW_VIEW_STACK (self->views), view),
                                       learns || (i > 0 && self->project->atoms != NULL));
    }
  studio_window_fit_switcher (self);
}

static void
use_run_recipe (StudioWindow *self)
{
  StudioProject *project = self->project;
  const TosstRecipe *recipe = project->runner->recipe;

  if (recipe != NULL)
    studio_recipe_model_take (project->model, tosst_recipe_copy (recipe));
}

/* Learning one block at a time: the button and the actions. */

/* Enabled also during a block, when a step has no effect: an insensitive button would lose the keyboard focus. */
static void
update_steps (StudioWindow *self)
{
  gboolean may = studio_project_can_step (self->project);
  g_autofree char *next = studio_stepper_describe_next (self->project->stepper);
  g_autofree char *tooltip
      = next != NULL ? g_strdup_printf (_ ("Step: %s (F8)"), next) : g_strdup (_ ("Learn one block at a time (F8)"));

  gtk_widget_set_tooltip_text (self->step_button, tooltip);
  studio_enable (self, "win.step", may);
  studio_enable (self, "win.step-back",
                 studio_stepper_can_back (self->project->stepper) || self->project->stepper->busy);
  studio_enable (self, "win.step-end", self->project->stepper->work != NULL);
}

static void
step_back (StudioWindow *self)
{
  studio_stepper_back (self->project->stepper);
  studio_window_show_view (self, "learn");
}

static void
step_end (StudioWindow *self)
{
  studio_stepper_end (self->project->stepper);
}

static void
on_stepped (StudioWindow *self)
{
  const char *problem = self->project->stepper->problem;

  update_steps (self);
  if (problem != NULL)
    studio_window_show_problem (self, problem);
}

/* The preset of the recipe: shown and chosen in the recipe panel. */

static StudioPresetChooser *
chooser_of (StudioWindow *self)
{
  return STUDIO_PRESET_CHOOSER (STUDIO_RECIPE_PANEL (self->panel)->presets);
}

static void
show_preset (StudioWindow *self)
{
  const TosstRecipe *recipe = self->project->model->recipe;
  gboolean there = self->project->dataset != NULL, changed;
  TosstPreset preset = studio_project_get_preset (self->project, &changed);
  g_autofree char *sentence = there ? tosst_preset_sentence (recipe, &self->project->facts) : NULL;

  studio_preset_chooser_show (chooser_of (self), preset, changed, tosst_recipe_has_dictionary (recipe), sentence);
  gtk_widget_set_visible (GTK_WIDGET (chooser_of (self)), there);
}

static void
on_preset_time (StudioWindow *self, guint preset, double seconds)
{
  studio_preset_chooser_set_time (chooser_of (self), preset, seconds);
}

void
studio_window_install_run_actions (GtkWidgetClass *widget_class)
{
  STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, ("win.use-run-recipe", NULL, use_run_recipe),
                                 ("win.step-back", NULL, step_back), ("win.step-end", NULL, step_end));
}

/* Applies the value of an entry being edited. */
static void
on_commit (StudioWindow *self)
{
  gtk_root_set_focus (GTK_ROOT (self), NULL);
}

void
studio_window_run_init (StudioWindow *self)
{
  studio_connect (self->project, "changed", update_actions, self);
  studio_connect (self->project, "changed", update_steps, self);
  studio_connect (self->project->stepper, "changed", on_stepped, self);
  studio_connect (self->project->model, "changed", show_preset, self);
  studio_connect (self->project, "dataset", show_preset, self);
  studio_connect (self->project, "preset-time", on_preset_time, self);
  studio_connect (self->project->runner, "notify::state", on_state, self);
  studio_connect (self->project, "ended", on_ended, self);
  studio_connect (self->project, "forecast", on_forecast, self);
  studio_connect (self->project, "commit", on_commit, self);
  studio_connect (self->project->runner, "started", on_started, self);
  studio_connect (self->project->runner, "started", show_differences, self);
  studio_connect (self->project->runner, "started", show_views_of_dictionary, self);
  studio_connect (self->project->model, "changed", show_differences, self);
  studio_connect (self->project, "atoms", show_differences, self);
  studio_connect (self->views, "notify::visible-child", show_differences, self);
  studio_connect (self->project->model, "changed", show_views_of_dictionary, self);
  studio_connect (self->project, "atoms", show_views_of_dictionary, self);
  studio_connect (self->project, "dataset", forget_score, self);
  studio_connect (self->project->runner, "progress", on_progress, self);
  studio_connect (self->project->sweep, "progress", on_progress, self);
  studio_connect (self->sweep_view, "toast", studio_window_toast, self);
  studio_connect (self->sweep_view, "run-again", studio_project_start, self->project);
  studio_connect (self->sweep_view, "open-run", studio_project_open_sweep_run, self->project);
  studio_connect (chooser_of (self), "opened", studio_project_estimate_presets, self->project);
  studio_connect (chooser_of (self), "chosen", studio_project_choose_preset, self->project);
  show_preset (self);
}
