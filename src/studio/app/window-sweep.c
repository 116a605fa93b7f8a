/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/window-private.h"

#include <glib/gi18n.h>

#include "studio/widgets/format.h"

/* A sweep in its window: one thing is done at a time, and what a sweep found can be looked at and run. */

/* "34 % · 12 s left", "34 % · paused" */
static void
on_progress (StudioWindow *self)
{
  StudioSweepRunner *sweep = self->project->sweep;
  double fraction = studio_sweep_runner_get_fraction (sweep), left = studio_sweep_runner_get_seconds_left (sweep);
  g_autofree char *stage = studio_sweep_runner_get_stage (sweep), *percent = studio_format_percent (100 * fraction, 0);
  g_autofree char *duration = studio_format_rough_duration (left), *time = NULL;

  if (!studio_project_is_sweeping (self->project))
    return;
  if (studio_sweep_runner_get_state (sweep) == STUDIO_RUNNER_PAUSED)
    time = g_strconcat (percent, _ (" · paused"), NULL);
  else
    time = left < 0 ? g_strdup (percent) : g_strdup_printf (_ ("%s · %s left"), percent, duration);
  studio_window_show_work (self, fraction, stage, time);
}

static void
on_state (StudioWindow *self)
{
  studio_window_update_run_actions (self);
  if (!studio_project_is_sweeping (self->project))
    return;
  if (studio_sweep_runner_get_state (self->project->sweep) == STUDIO_RUNNER_RUNNING && self->inhibit_cookie == 0)
    self->run_started = g_get_monotonic_time ();
  studio_window_inhibit (self, TRUE);
  on_progress (self);
}

static char *
describe_outcome (StudioWindow *self)
{
  StudioSweepRunner *sweep = self->project->sweep;
  guint n = g_list_model_get_n_items (studio_sweep_runner_get_rows (sweep));
  guint done = studio_sweep_runner_count (sweep, TOSST_RUN_DONE);
  guint failed = studio_sweep_runner_count (sweep, TOSST_RUN_FAILED);

  if (failed > 0)
    return g_strdup_printf (_ ("%u of %u runs done, %u failed"), done, n, failed);
  return g_strdup_printf (ngettext ("%u of %u run done", "%u of %u runs done", n), done, n);
}

static void
on_finished (StudioWindow *self)
{
  g_autofree char *outcome = describe_outcome (self);

  if (studio_window_work_ended (self))
    return;
  studio_window_toast (self, outcome);
  studio_window_notify (self, _ ("Sweep Finished"), outcome);
}

/* As the store has it, with the views of a run. */
static void
on_open_run (StudioWindow *self, StudioSweepRow *row)
{
  const TosstSweepRun *run = studio_sweep_row_run (row);
  StudioRunOrder order = { .recipe = run->recipe,
                           .dataset = run->dataset,
                           .store = studio_workspace_get_file (self->project->workspace),
                           .wish = STUDIO_RUN_OPEN,
                           .run = row->outcome.id };

  if (studio_project_is_working (self->project))
    return;
  studio_runner_begin (self->project->runner, &order);
  studio_window_show_view (self, "results");
}

void
studio_window_sweep_init (StudioWindow *self)
{
  StudioSweepView *view = STUDIO_SWEEP_VIEW (self->sweep_view);

  studio_sweep_view_set_project (view, self->project);
  g_signal_connect_object (view, "toast", G_CALLBACK (studio_window_toast), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "open-run", G_CALLBACK (on_open_run), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "run-again", G_CALLBACK (studio_window_start), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self->project->sweep, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect_swapped (self->project->sweep, "progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->project->sweep, "finished", G_CALLBACK (on_finished), self);
}
