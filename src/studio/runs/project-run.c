/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/project-private.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#include "core/base/each.h"
#include "studio/runs/run-list.h"
#include "studio/settings/state.h"
#include "studio/widgets/format.h"

/* The estimated cost of the run of the recipe; a run that exceeds memory or disk is refused. */

static void
say (StudioProject *self, const char *text, gboolean wrong)
{
  g_signal_emit_by_name (self, "forecast", text, wrong);
}

static gboolean
is_done (StudioProject *self)
{
  return self->forecast->count[TOSST_RUN_DONE] > 0;
}

/* The doubt about a value, on a line of its own. */
static void
append_doubt (char **text, const TosstRecipe *recipe)
{
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      const char *doubt = tosst_recipe_caution (recipe, p);

      if (doubt == NULL)
        continue;
      g_autofree char *before = *text;
      *text = g_strdup_printf ("%s\n%s: %s", before, _ (p->label), _ (doubt));
      return;
    }
}

/* "About 20 s, up to 1 GB of memory and 3 GB on the disk" */
static char *
describe_needs (StudioProject *self)
{
  const TosstSweepEstimate *estimate = studio_sweep_planner_get_estimate (self->forecast);
  const TosstRunEstimate *needs = &self->forecast->needs;
  g_autofree char *memory = g_format_size (needs->bytes), *disk = g_format_size (needs->disk), *time = NULL;

  if (estimate == NULL || isnan (estimate->seconds))
    return needs->disk > 0 ? g_strdup_printf (_ ("Up to %s of memory and %s on the disk"), memory, disk)
                           : g_strdup_printf (_ ("Up to %s of memory"), memory);
  time = studio_format_rough_duration (estimate->seconds);
  /* Translators: a duration, an amount of memory, and one of space on the disk */
  return needs->disk > 0 ? g_strdup_printf (_ ("About %s, up to %s of memory and %s on the disk"), time, memory, disk)
                         /* Translators: a duration and an amount of memory */
                         : g_strdup_printf (_ ("About %s and up to %s of memory"), time, memory);
}

static void
on_estimated (StudioProject *self)
{
  const char *problem = self->forecast->problem;
  char *text = is_done (self)    ? g_strdup (_ ("Already run. Start shows the results"))
               : problem != NULL ? g_strdup (problem)
                                 : describe_needs (self);

  append_doubt (&text, self->model->recipe);
  say (self, text, problem != NULL && !is_done (self));
  g_free (text);
}

static void
forget_forecast (StudioProject *self)
{
  studio_sweep_planner_set_sweep (self->forecast, NULL, 1);
}

/* FALSE, with another message, if there is nothing to estimate. */
static gboolean
is_wanted (StudioProject *self)
{
  g_autoptr (GError) error = NULL;

  if (self->dataset == NULL || studio_project_is_working (self))
    say (self, NULL, FALSE);
  else if (!studio_project_check (self, &error))
    say (self, error->message, TRUE);
  else
    return TRUE;
  return FALSE;
}

static void
update (StudioProject *self)
{
  const TosstRecipe *recipe = self->model->recipe;
  const TosstSweep *present = self->forecast->sweep;
  gboolean opening = self->opening != NULL || self->reopen_source != 0;

  if (!is_wanted (self))
    {
      forget_forecast (self);
      return;
    }
  /* A change of the data set is handled by opening. */
  if (!opening && present != NULL && tosst_recipe_equal (present->base, recipe))
    return;
  forget_forecast (self);
  say (self, _ ("Estimating time and memory…"), FALSE);
  if (!opening)
    studio_sweep_planner_set_run (self->forecast, recipe, self->dataset, studio_runner_get_kept_bytes (self->runner));
}

/* Whether the run is known to exceed memory or disk; reports it to the user. */
static gboolean
studio_project_refuses (StudioProject *self, StudioRunWish wish)
{
  const char *problem = self->forecast->problem;

  if (problem == NULL || (is_done (self) && wish == STUDIO_RUN_UNLESS_DONE)
      || !tosst_recipe_equal (self->forecast->sweep->base, self->model->recipe))
    return FALSE;
  g_signal_emit_by_name (self, "problem", problem);
  return TRUE;
}

/* The runs of the store may have changed. */
static void
on_workspace (StudioProject *self)
{
  forget_forecast (self);
  update (self);
}

void
studio_project_forecast_init (StudioProject *self)
{
  studio_project_connect (self, self->forecast, "estimated", G_CALLBACK (on_estimated));
  studio_project_connect (self, self, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->model, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->workspace, "changed", G_CALLBACK (on_workspace));
}

/* Runs: started, stepped, stopped, and opened from the workspace. */

/* Whether the views show this run with its final results. */
static gboolean
is_shown (StudioProject *self, const TosstRecipe *recipe)
{
  TosstDataset *dataset = self->runner->dataset;

  return self->runner->outcome == STUDIO_OUTCOME_DONE && self->runner->run != 0 && dataset != NULL
         && tosst_recipe_equal (recipe, self->runner->recipe)
         && g_strcmp0 (dataset->fingerprint, self->dataset->fingerprint) == 0;
}

static void
say_done (StudioProject *self)
{
  g_signal_emit_by_name (self, "toast", _ ("This run was done before: these are its results"), _ ("_Run Again"),
                         "win.start-over");
  g_signal_emit_by_name (self, "show-view", "results");
}

#define LOOK_AFTER_S 25.0  /* a first split that takes longer is preceded by a first look */
#define LOOK_S 10.0        /* of which a part passes before the first image */
#define LOOK_IMAGES 16     /* where the time is not known */
#define DESCRIBE_SHARE 0.5 /* of the time of a run, about: all splits share it */

/* Images of the first look: as many as are described, coded and classified in LOOK_S, by the estimate. */
static guint
count_look (StudioProject *self, const TosstRecipe *recipe)
{
  const TosstSweepEstimate *estimate = studio_project_find_estimate (self, recipe);
  double images = tosst_dataset_own_images (self->dataset), splits = tosst_dataset_splits (self->dataset, recipe);

  if (recipe->dataset.within > 0) /* of a part of the images */
    return 0;
  if (estimate == NULL || isnan (estimate->seconds))
    return images > 2 * LOOK_IMAGES ? LOOK_IMAGES : 0;
  double seconds = estimate->seconds * (DESCRIBE_SHARE + (1 - DESCRIBE_SHARE) / MAX (splits, 1));
  return seconds > LOOK_AFTER_S ? (guint)ceil (images * LOOK_S / seconds) : 0;
}

static void
start_run (StudioProject *self, StudioRunWish wish)
{
  StudioOrder order
      = { .store = self->workspace->file, .wish = wish, .checkpoint = studio_state_get_checkpoint_interval () };
  g_autoptr (GError) error = NULL;
  gboolean awaited;

  if (studio_project_is_sweeping (self))
    g_signal_emit_by_name (self, "toast", _ ("A sweep is running: stop it or wait for it before starting a run"), NULL,
                           NULL);
  if (studio_project_is_working (self))
    return;
  g_signal_emit_by_name (self, "commit");
  awaited = self->reopen_source != 0 && self->refused != NULL; /* the parameter was edited for that folder */
  if (awaited)
    studio_project_reopen (self);
  if (self->dataset == NULL || awaited)
    {
      self->start_when_open = self->opening != NULL;
      return;
    }
  order.recipe = self->model->recipe;
  if (!studio_project_check (self, &error))
    {
      g_signal_emit_by_name (self, "problem", error->message);
      return;
    }
  /* A data set that no longer fits the recipe is reopened by the run itself. */
  if (self->reopen_source == 0 && self->opening == NULL)
    order.dataset = self->dataset;
  if (wish == STUDIO_RUN_UNLESS_DONE && order.dataset != NULL && is_shown (self, order.recipe))
    {
      say_done (self);
      return;
    }
  if (studio_project_refuses (self, wish))
    return;
  order.look = count_look (self, order.recipe);
  self->starting = TRUE;
  self->shown = self->runner->result != NULL ? self->runner->run : 0;
  studio_runner_begin (self->runner, &order);
  g_signal_emit_by_name (self, "show-view", tosst_recipe_has_dictionary (order.recipe) ? "learn" : "results");
}

void
studio_project_start (StudioProject *self)
{
  start_run (self, STUDIO_RUN_UNLESS_DONE);
}

void
studio_project_start_over (StudioProject *self)
{
  if (!studio_project_is_busy (self))
    {
      start_run (self, STUDIO_RUN_AGAIN);
      return;
    }
  self->start_again = TRUE;
  studio_runner_stop (self->runner);
}

void
studio_project_start_sweep (StudioProject *self, gboolean retry_failed)
{
  if (!studio_project_is_working (self))
    studio_runner_begin_sweep (self->runner, self->sweep, retry_failed, studio_state_get_checkpoint_interval ());
}

void
studio_project_toggle_pause (StudioProject *self)
{
  studio_runner_pause (self->runner, self->runner->state == STUDIO_RUNNER_RUNNING);
}

void
studio_project_stop_work (StudioProject *self)
{
  studio_runner_stop (self->runner);
}

void
studio_project_close (StudioProject *self)
{
  self->closing = TRUE;
  studio_project_stop_work (self);
}

/* Runs of the workspace. */

typedef struct
{
  gint64 id;
  StudioRunWish wish;
  TosstStoreRun *run;  /* NULL: missing */
  TosstRecipe *recipe; /* of the run */
} ReadRun;

TOSST_DEFINE_FREE (ReadRun, read_run_free, (run, tosst_store_run_free), (recipe, tosst_recipe_free))

static gboolean
read_run (TosstStore *store, ReadRun *self, GError **error)
{
  g_autofree char *filter = self->id != 0 ? g_strdup_printf ("id=%" PRId64, self->id) : NULL;
  g_autoptr (GPtrArray) runs = tosst_store_list (store, NULL, filter, error);

  if (runs == NULL)
    return FALSE;
  for (guint i = runs->len; i > 0 && self->run == NULL; i--)
    {
      const TosstStoreRun *run = g_ptr_array_index (runs, i - 1);

      if (self->id != 0 || run->splits_done > 0)
        self->run = g_ptr_array_steal_index (runs, i - 1);
    }
  if (self->run == NULL)
    return TRUE;
  self->id = self->run->id;
  self->recipe = tosst_store_recipe (store, self->id, error);
  return self->recipe != NULL;
}

/* mode: opening for writing marks runs of crashed programs as stopped. */
static void
ask_run (StudioProject *self, gint64 run, StudioRunWish wish, TosstStoreMode mode, StudioTaskDone done)
{
  ReadRun *read = g_new0 (ReadRun, 1);

  read->id = run;
  read->wish = wish;
  studio_workspace_run (self->workspace, mode, read_run, read, read_run_free, self, done);
}

/* The run is there, and can be shown. */
static gboolean
is_read (StudioProject *self, const ReadRun *read, const GError *error)
{
  if (error != NULL)
    g_debug ("%s", error->message);
  return error == NULL && read->run != NULL && !self->disposed && !studio_project_is_busy (self);
}

static void
on_run_read (gpointer object, gpointer data, const GError *error)
{
  StudioProject *self = object;
  const ReadRun *read = data;
  gboolean open = read->wish == STUDIO_RUN_OPEN;

  if (is_read (self, read, error) && (open ? read->run->splits_done > 0 : read->run->state == TOSST_RUN_STOPPED))
    {
      studio_runner_begin (self->runner, &(StudioOrder){ .recipe = read->recipe,
                                                         .store = self->workspace->file,
                                                         .wish = read->wish,
                                                         .run = read->id,
                                                         .checkpoint = studio_state_get_checkpoint_interval () });
      /* Without images the recipe of the window is nobody's yet. */
      if (open && self->dataset == NULL && !self->unfit)
        studio_recipe_model_take_based (self->model, tosst_recipe_copy (read->recipe), tosst_recipe_new (), NULL);
      if (!open)
        g_signal_emit_by_name (self, "show-view", tosst_recipe_has_dictionary (read->recipe) ? "learn" : "results");
    }
  else if (!self->disposed)
    g_signal_emit_by_name (self, "settled");
}

void
studio_project_open_run (StudioProject *self, gint64 run, StudioRunWish wish)
{
  ask_run (self, run, wish, TOSST_STORE_READ, on_run_read);
}

static void
on_interrupted_read (gpointer object, gpointer data, const GError *error)
{
  StudioProject *self = object;
  const ReadRun *read = data;

  if (!is_read (self, read, error) || read->run->state != TOSST_RUN_STOPPED)
    return;
  self->interrupted_run = read->id;
  g_autofree char *text
      = g_strdup_printf (_ ("A run on %s was interrupted with %d of %d splits done. It can be resumed."),
                         read->run->dataset, read->run->splits_done, read->run->splits);
  g_signal_emit_by_name (self, "interrupted", text);
}

void
studio_project_offer_interrupted (StudioProject *self, gint64 run)
{
  ask_run (self, run, STUDIO_RUN_UNLESS_DONE, TOSST_STORE_WRITE, on_interrupted_read);
}

void
studio_project_interrupted_answered (StudioProject *self)
{
  self->interrupted_run = 0;
  g_signal_emit_by_name (self, "interrupted", NULL);
}

void
studio_project_continue (StudioProject *self)
{
  if (self->interrupted_run != 0)
    studio_project_open_run (self, self->interrupted_run, STUDIO_RUN_UNLESS_DONE);
}

/* Shows the stored run in the views of a run. */
void
studio_project_open_sweep_run (StudioProject *self, StudioSweepRow *row)
{
  const TosstSweepRun *run = tosst_sweep_plan_run (row->plan->plan, row->index);
  StudioOrder order = { .recipe = run->recipe,
                        .dataset = run->dataset,
                        .store = self->workspace->file,
                        .wish = STUDIO_RUN_OPEN,
                        .run = row->outcome.id };

  if (studio_project_is_working (self))
    return;
  studio_runner_begin (self->runner, &order);
  g_signal_emit_by_name (self, "show-view", "results");
}

/* Steps. */

gboolean
studio_project_can_step (StudioProject *self)
{
  return self->dataset != NULL && (!studio_project_is_busy (self) || self->runner->state == STUDIO_RUNNER_PAUSED);
}

/* From the last checkpoint of the current run, if that is unfinished and of this recipe. */
static void
begin_steps (StudioProject *self)
{
  gboolean halfway = studio_project_is_busy (self) /* paused */
                     || self->runner->outcome == STUDIO_OUTCOME_STOPPED;

  g_signal_emit_by_name (self, "commit");
  const TosstRecipe *recipe = self->model->recipe;
  if (halfway)
    halfway = tosst_recipe_equal (recipe, self->runner->recipe);
  g_signal_emit_by_name (self, "problem", NULL);
  studio_stepper_begin (self->stepper, recipe, self->reopen_source == 0 && self->opening == NULL ? self->dataset : NULL,
                        self->workspace->file, halfway ? self->runner->run : 0);
}

void
studio_project_step (StudioProject *self)
{
  if (!studio_project_can_step (self))
    return;
  if (self->stepper->work != NULL)
    studio_stepper_step (self->stepper);
  else
    begin_steps (self);
  g_signal_emit_by_name (self, "show-view", "learn");
}

/* News of work. */

static void
on_started (StudioProject *self)
{
  self->start_again = self->next_run_said = FALSE;
  studio_project_interrupted_answered (self);
  g_signal_emit_by_name (self, "problem", NULL);
}

/* The store has new results, by this program. */
static void
on_written (StudioProject *self)
{
  studio_run_list_refresh (self->workspace->file);
}

static void
on_recorded (StudioProject *self)
{
  studio_workspace_changed (self->workspace);
  if (self->runner->continued)
    g_signal_emit_by_name (self, "toast", _ ("The run is resumed where it was stopped"), _ ("_Start Over"),
                           "win.start-over");
}

/* A run that was stopped before its first split leaves the results that were shown before. */
static gint64
earlier_run (StudioProject *self)
{
  const TosstRunResult *result = self->runner->result;
  gint64 run = self->shown;

  self->shown = 0;
  return self->runner->outcome == STUDIO_OUTCOME_STOPPED && (result == NULL || result->splits == 0) ? run : 0;
}

static void
on_finished (StudioProject *self)
{
  gint64 earlier = earlier_run (self);
  StudioOutcome outcome = self->runner->outcome;
  gboolean failed = outcome == STUDIO_OUTCOME_FAILED, opened = self->runner->opened;
  gboolean tell = !self->start_again && (failed || !opened);

  g_signal_emit_by_name (self, "changed");
  g_signal_emit_by_name (self, "ended", FALSE, tell);
  if (self->closing)
    return;
  studio_workspace_changed (self->workspace);
  if (self->start_again)
    start_run (self, STUDIO_RUN_AGAIN);
  else
    {
      if (opened && self->starting && !failed)
        say_done (self);
      self->starting = FALSE;
      if (earlier != 0)
        studio_project_open_run (self, earlier, STUDIO_RUN_OPEN);
      if (failed)
        g_signal_emit_by_name (self, "problem", self->runner->problem);
      g_signal_emit_by_name (self, "settled");
    }
}

static void
on_sweep_finished (StudioProject *self)
{
  g_signal_emit_by_name (self, "changed");
  g_signal_emit_by_name (self, "ended", TRUE, TRUE);
}

static void
on_state (StudioProject *self)
{
  if (studio_project_is_busy (self) && self->runner->state == STUDIO_RUNNER_RUNNING)
    studio_stepper_end (self->stepper); /* a run is resumed or started */
  g_signal_emit_by_name (self, "changed");
}

static void
on_recipe (StudioProject *self)
{
  if (!studio_project_is_busy (self) || self->next_run_said || (self->runner->opened && self->runner->sweep == NULL))
    return;
  self->next_run_said = TRUE;
  g_signal_emit_by_name (self, "toast", _ ("Applies to the next run"), NULL, NULL);
}

void
studio_project_run_init (StudioProject *self)
{
  studio_project_connect (self, self->runner, "notify::state", G_CALLBACK (on_state));
  studio_project_connect (self, self->runner, "started", G_CALLBACK (on_started));
  studio_project_connect (self, self->runner, "recorded", G_CALLBACK (on_recorded));
  studio_project_connect (self, self->runner, "split", G_CALLBACK (on_written));
  studio_project_connect (self, self->runner, "finished", G_CALLBACK (on_finished));
  studio_project_connect (self, self->sweep, "run", G_CALLBACK (on_written));
  studio_project_connect (self, self->sweep, "finished", G_CALLBACK (on_sweep_finished));
  studio_project_connect (self, self->model, "changed", G_CALLBACK (on_recipe));
}
