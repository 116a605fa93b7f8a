/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/sweep-runner.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"
#include "studio/recipe/value-text.h"
#include "studio/runs/sweep-job.h"
#include "studio/settings/state.h"

#define SETTLE_MS 250 /* delay after the last change before planning */

struct _StudioSweepRunner
{
  GObject parent_instance;
  StudioWorkspace *workspace;
  StudioRunnerState state;

  StudioSweepPlanner *planner;
  TosstSweep *sweep;
  int jobs;
  guint settle_source;
  guint question; /* number of the latest request; 0: none pending */
  StudioSweepPlan *plan;
  GListStore *rows;
  TosstSweepEstimate estimate;
  gboolean planned; /* the plan is of this sweep */
  gboolean estimated;
  char *problem;

  StudioSweepJob *job; /* NULL: idle */
  int run;
  TosstStage stage;
  int split;
  double fraction, seconds_left;
};

enum
{
  PLANNED,
  ESTIMATED,
  RUN,
  PROGRESS,
  FINISHED,
  NOTICE,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

enum
{
  PROP_STATE = 1,
  N_PROPERTIES,
};
static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (StudioSweepRunner, studio_sweep_runner, G_TYPE_OBJECT)

static void
studio_sweep_runner_dispose (GObject *object)
{
  StudioSweepRunner *self = STUDIO_SWEEP_RUNNER (object);

  g_clear_handle_id (&self->settle_source, g_source_remove);
  g_clear_pointer (&self->job, studio_sweep_job_release);
  g_clear_pointer (&self->planner, studio_sweep_planner_free);
  g_clear_object (&self->workspace);
  G_OBJECT_CLASS (studio_sweep_runner_parent_class)->dispose (object);
}

static void
studio_sweep_runner_finalize (GObject *object)
{
  StudioSweepRunner *self = STUDIO_SWEEP_RUNNER (object);

  g_clear_pointer (&self->sweep, tosst_sweep_free);
  g_clear_pointer (&self->plan, studio_sweep_plan_unref);
  g_clear_object (&self->rows);
  g_free (self->problem);
  G_OBJECT_CLASS (studio_sweep_runner_parent_class)->finalize (object);
}

static void
studio_sweep_runner_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATE)
    g_value_set_int (value, STUDIO_SWEEP_RUNNER (object)->state);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static guint
new_signal (GObjectClass *klass, const char *name, GType argument)
{
  return g_signal_new (name, G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                       argument != G_TYPE_NONE, argument);
}

static void
studio_sweep_runner_class_init (StudioSweepRunnerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = studio_sweep_runner_dispose;
  object_class->finalize = studio_sweep_runner_finalize;
  object_class->get_property = studio_sweep_runner_get_property;
  properties[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, STUDIO_RUNNER_IDLE, STUDIO_RUNNER_STOPPING, 0,
                                             G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  signals[PLANNED] = new_signal (object_class, "planned", G_TYPE_NONE);
  signals[ESTIMATED] = new_signal (object_class, "estimated", G_TYPE_NONE);
  signals[RUN] = new_signal (object_class, "run", STUDIO_TYPE_SWEEP_ROW);
  signals[PROGRESS] = new_signal (object_class, "progress", G_TYPE_NONE);
  signals[FINISHED] = new_signal (object_class, "finished", G_TYPE_NONE);
  signals[NOTICE] = new_signal (object_class, "notice", G_TYPE_STRING);
}

static void
studio_sweep_runner_init (StudioSweepRunner *self)
{
  self->rows = g_list_store_new (STUDIO_TYPE_SWEEP_ROW);
  self->jobs = 1;
  self->run = -1;
  self->seconds_left = -1;
}

StudioSweepRunner *
studio_sweep_runner_new (StudioWorkspace *workspace)
{
  StudioSweepRunner *self = g_object_new (STUDIO_TYPE_SWEEP_RUNNER, NULL);

  self->workspace = g_object_ref (workspace);
  return self;
}

static void
set_state (StudioSweepRunner *self, StudioRunnerState state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
set_problem (StudioSweepRunner *self, const char *problem)
{
  g_free (self->problem);
  self->problem = g_strdup (problem);
}

/* Planning. */

/* The plan was replaced or dropped. */
static void
take_plan (StudioSweepRunner *self, StudioSweepPlan *plan, GPtrArray *rows)
{
  g_clear_pointer (&self->plan, studio_sweep_plan_unref);
  self->plan = plan != NULL ? studio_sweep_plan_ref (plan) : NULL;
  self->planned = plan != NULL;
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       rows != NULL ? rows->pdata : NULL, rows != NULL ? rows->len : 0);
  g_signal_emit (self, signals[PLANNED], 0);
}

static void
on_answer (gpointer data)
{
  g_autoptr (StudioSweepRunner) self = g_object_ref (data);
  StudioSweepAnswer *next;

  while ((next = studio_sweep_planner_take (self->planner)) != NULL)
    {
      g_autoptr (StudioSweepAnswer) answer = next;

      if (answer->question != self->question)
        continue;
      if (answer->problem != NULL)
        set_problem (self, answer->problem);
      if (answer->plan == NULL || answer->rows != NULL)
        take_plan (self, answer->plan, answer->rows);
      if (answer->rows != NULL)
        continue; /* the estimate is pending */
      self->question = 0;
      self->estimated = answer->estimated;
      self->estimate = answer->estimate;
      g_signal_emit (self, signals[ESTIMATED], 0);
    }
}

static gboolean
on_settled (gpointer data)
{
  StudioSweepRunner *self = data;

  self->settle_source = 0;
  if (self->planner == NULL)
    self->planner = studio_sweep_planner_new (on_answer, self);
  self->question = studio_sweep_planner_ask (self->planner, tosst_sweep_copy (self->sweep),
                                             studio_workspace_get_file (self->workspace), self->jobs);
  return G_SOURCE_REMOVE;
}

static void
give_up_planning (StudioSweepRunner *self)
{
  g_clear_handle_id (&self->settle_source, g_source_remove);
  if (self->planner != NULL)
    studio_sweep_planner_ask (self->planner, NULL, NULL, 1);
  self->question = 0;
}

void
studio_sweep_runner_set_sweep (StudioSweepRunner *self, const TosstSweep *sweep, int jobs)
{
  g_return_if_fail (self->job == NULL);

  give_up_planning (self);
  g_clear_pointer (&self->sweep, tosst_sweep_free);
  self->sweep = sweep != NULL ? tosst_sweep_copy (sweep) : NULL;
  self->jobs = jobs;
  self->planned = self->estimated = FALSE;
  set_problem (self, NULL);
  if (sweep != NULL)
    self->settle_source = g_timeout_add (SETTLE_MS, on_settled, self);
  else
    take_plan (self, NULL, NULL);
}

/* Doing. */

static StudioSweepRow *
row_at (StudioSweepRunner *self, guint run)
{
  return g_list_model_get_item (G_LIST_MODEL (self->rows), run);
}

static void
take_news (StudioSweepRunner *self, const GArray *news)
{
  for (guint i = 0; i < news->len; i++)
    {
      const StudioSweepNews *one = &g_array_index (news, StudioSweepNews, i);
      g_autoptr (StudioSweepRow) row = row_at (self, one->run);

      studio_sweep_row_update (row, &one->outcome);
      g_signal_emit (self, signals[RUN], 0, row);
    }
}

static void
finish (StudioSweepRunner *self, const GError *error)
{
  g_clear_pointer (&self->job, studio_sweep_job_release);
  if (error != NULL && !g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    set_problem (self, error->message);
  self->run = -1;
  set_state (self, STUDIO_RUNNER_IDLE);
  g_signal_emit (self, signals[FINISHED], 0);
}

/* Only the current job wakes this function: the wake-ups of a released job are dropped. */
static void
on_wake (gpointer data)
{
  g_autoptr (StudioSweepRunner) self = g_object_ref (data);
  g_auto (StudioSweepUpdate) update = { 0 };

  studio_sweep_job_take (self->job, &update);
  self->run = update.run;
  self->stage = update.stage;
  self->split = update.split;
  self->fraction = update.fraction;
  self->seconds_left = update.seconds_left;
  if (update.news != NULL)
    take_news (self, update.news);
  g_signal_emit (self, signals[PROGRESS], 0);
  if (update.notice != NULL)
    g_signal_emit (self, signals[NOTICE], 0, update.notice);
  if (update.finished && self->job != NULL)
    finish (self, update.error);
}

/* "λ × K"; new. */
static char *
title_of (const TosstSweep *sweep)
{
  GString *title = g_string_new (NULL);

  for (guint i = 0; i < sweep->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (sweep->axes, i);
      g_autofree char *name = studio_parameter_text (axis->parameter);

      g_string_append_printf (title, "%s%s", i > 0 ? " × " : "", name);
    }
  return g_string_free (title, FALSE);
}

void
studio_sweep_runner_start (StudioSweepRunner *self, gboolean retry_failed)
{
  g_autofree char *title = self->sweep != NULL ? title_of (self->sweep) : NULL;
  TosstSweepOptions options = { .workspace = studio_workspace_get_file (self->workspace),
                                .title = title,
                                .jobs = self->jobs,
                                .retry_failed = retry_failed,
                                .checkpoint = studio_state_get_checkpoint_interval () };

  g_return_if_fail (self->job == NULL && self->planned);

  give_up_planning (self);
  set_problem (self, NULL);
  self->estimated = FALSE;
  self->fraction = 0;
  self->seconds_left = -1;
  self->run = -1;
  self->job = studio_sweep_job_start (self->plan, &options, g_get_num_processors (), on_wake, self);
  set_state (self, STUDIO_RUNNER_RUNNING);
  g_signal_emit (self, signals[PROGRESS], 0);
}

void
studio_sweep_runner_pause (StudioSweepRunner *self, gboolean pause)
{
  StudioRunnerState from = pause ? STUDIO_RUNNER_RUNNING : STUDIO_RUNNER_PAUSED;

  if (self->job == NULL || self->state != from)
    return;
  studio_sweep_job_pause (self->job, pause);
  set_state (self, pause ? STUDIO_RUNNER_PAUSED : STUDIO_RUNNER_RUNNING);
}

void
studio_sweep_runner_stop (StudioSweepRunner *self)
{
  if (self->job == NULL || self->state == STUDIO_RUNNER_STOPPING)
    return;
  set_state (self, STUDIO_RUNNER_STOPPING);
  studio_sweep_job_cancel (self->job);
}

StudioRunnerState
studio_sweep_runner_get_state (StudioSweepRunner *self)
{
  return self->state;
}

gboolean
studio_sweep_runner_is_planning (StudioSweepRunner *self)
{
  return self->settle_source != 0 || self->question != 0;
}

gboolean
studio_sweep_runner_is_planned (StudioSweepRunner *self)
{
  return self->planned;
}

StudioSweepPlan *
studio_sweep_runner_get_plan (StudioSweepRunner *self)
{
  return self->plan;
}

const TosstSweep *
studio_sweep_runner_get_sweep (StudioSweepRunner *self)
{
  return self->sweep;
}

GListModel *
studio_sweep_runner_get_rows (StudioSweepRunner *self)
{
  return G_LIST_MODEL (self->rows);
}

const char *
studio_sweep_runner_get_problem (StudioSweepRunner *self)
{
  return self->problem;
}

const TosstSweepEstimate *
studio_sweep_runner_get_estimate (StudioSweepRunner *self)
{
  return self->estimated ? &self->estimate : NULL;
}

guint
studio_sweep_runner_count (StudioSweepRunner *self, TosstRunState state)
{
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->rows)); i++)
    {
      g_autoptr (StudioSweepRow) row = row_at (self, i);
      n += row->outcome.state == state;
    }
  return n;
}

double
studio_sweep_runner_get_fraction (StudioSweepRunner *self)
{
  return self->fraction;
}

double
studio_sweep_runner_get_seconds_left (StudioSweepRunner *self)
{
  return self->seconds_left;
}

char *
studio_sweep_runner_get_stage (StudioSweepRunner *self)
{
  if (self->run < 0)
    return g_strdup (_ ("Sweep"));
  /* Translators: a run of a sweep and what it does: "Run 3: Learning the dictionary" */
  return g_strdup_printf (_ ("Run %d: %s"), self->run + 1, _ (tosst_stage_label (self->stage)));
}
