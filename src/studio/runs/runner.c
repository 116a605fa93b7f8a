/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/runner.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "studio/widgets/build.h"

/* Share of the memory available at the first run that results kept for the next run may use. */
#define CACHE_SHARE 0.3

enum
{
  PROP_STATE = 1,
  N_PROPERTIES,
};
static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (StudioRunner, studio_runner, G_TYPE_OBJECT)

static void
reset_progress (StudioRunner *self)
{
  self->status = (StudioStatus){ .number = -1, .stage = TOSST_STAGE_DESCRIBE, .seconds_left = -1 };
}

static void
forget_last_run (StudioRunner *self)
{
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_pointer (&self->atoms, studio_atoms_unref);
  g_clear_pointer (&self->learned, studio_atom_set_unref);
  g_clear_pointer (&self->model, tosst_model_free);
  g_clear_pointer (&self->result, tosst_run_result_free);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->look, g_free);
  g_array_set_size (self->first, 0);
  g_ptr_array_set_size (self->iterations, 0);
  g_array_set_size (self->splits, 0);
  g_ptr_array_set_size (self->dictionaries, 0);
  self->run = 0;
  self->continued = self->opened = FALSE;
  self->outcome = STUDIO_OUTCOME_NONE;
  self->last_split = -1;
  reset_progress (self);
}

STUDIO_DEFINE_DISPOSE (StudioRunner, studio_runner, (job, studio_job_release), (sweep, g_object_unref))

STUDIO_DEFINE_FINALIZE_WITH (StudioRunner, studio_runner, forget_last_run (self), (cache, tosst_stage_cache_free),
                             (first, g_array_unref), (iterations, g_ptr_array_unref), (dictionaries, g_ptr_array_unref),
                             (splits, g_array_unref))

static void
studio_runner_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATE)
    g_value_set_int (value, STUDIO_RUNNER (object)->state);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
studio_runner_class_init (StudioRunnerClass *klass)
{
  static const char *const names[]
      = { "started", "progress", "iterations", "atoms", "learned", "model", "split", "finished", "recorded" };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = studio_runner_dispose;
  object_class->finalize = studio_runner_finalize;
  object_class->get_property = studio_runner_get_property;
  properties[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, STUDIO_RUNNER_IDLE, STUDIO_RUNNER_STOPPING, 0,
                                             G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    studio_add_signal (klass, names[i], 0);
  studio_add_signal (klass, "notice", 1, G_TYPE_STRING);
}

static void
studio_runner_init (StudioRunner *self)
{
  self->first = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  self->iterations = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  self->splits = g_array_new (FALSE, FALSE, sizeof (StudioSplit));
  self->dictionaries = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_dictionary_free);
  forget_last_run (self);
}

static void
set_state (StudioRunner *self, StudioRunnerState state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
add_iterations (StudioRunner *self, const GArray *news)
{
  for (guint i = 0; i < news->len; i++)
    {
      const StudioIteration *entry = &g_array_index (news, StudioIteration, i);

      if (entry->split == STUDIO_FIRST_LOOK)
        {
          g_array_append_val (self->first, entry->iteration);
          continue;
        }
      while ((int)self->iterations->len <= entry->split)
        g_ptr_array_add (self->iterations, g_array_new (FALSE, FALSE, sizeof (TosstIteration)));
      g_array_append_val (g_ptr_array_index (self->iterations, entry->split), entry->iteration);
      self->last_split = entry->split;
    }
}

static StudioOutcome
outcome_of (const GError *error)
{
  if (error == NULL)
    return STUDIO_OUTCOME_DONE;
  if (g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return STUDIO_OUTCOME_STOPPED;
  return STUDIO_OUTCOME_FAILED;
}

/* Replaces *have by *news, unless that is NULL, and tells of it by the signal. */
static void
take (StudioRunner *self, gpointer have, gpointer news, GDestroyNotify free_old, const char *signal)
{
  gpointer *to = have, *from = news;

  if (*from == NULL)
    return;
  g_clear_pointer (to, free_old);
  *to = g_steal_pointer (from);
  g_signal_emit_by_name (self, signal);
}

static void
take_run_news (StudioRunner *self, StudioJobUpdate *update)
{
  if (update->status.run != self->run)
    {
      self->run = update->status.run;
      self->continued = update->status.continued;
      self->opened |= update->status.found;
      g_signal_emit_by_name (self, "recorded");
    }
  if (update->notice != NULL)
    g_signal_emit_by_name (self, "notice", update->notice);
  if (update->look != NULL)
    self->look = g_steal_pointer (&update->look);
  g_signal_emit_by_name (self, "progress");
  if (update->iterations != NULL)
    {
      add_iterations (self, update->iterations);
      g_signal_emit_by_name (self, "iterations");
    }
  take (self, &self->atoms, &update->atoms, (GDestroyNotify)studio_atoms_unref, "atoms");
  take (self, &self->learned, &update->learned, (GDestroyNotify)studio_atom_set_unref, "learned");
  if (update->dictionaries != NULL)
    g_ptr_array_extend_and_steal (self->dictionaries, g_steal_pointer (&update->dictionaries));
  take (self, &self->model, &update->model, (GDestroyNotify)tosst_model_free, "model");
  if (update->splits != NULL)
    {
      g_array_append_vals (self->splits, update->splits->data, update->splits->len);
      g_signal_emit_by_name (self, "split");
    }
}

/* A handler may end the runner. */
static void
take_sweep_news (StudioRunner *self, const StudioJobUpdate *update)
{
  g_autoptr (StudioSweepPlanner) sweep = g_object_ref (self->sweep);

  for (guint i = 0; update->news != NULL && i < update->news->len; i++)
    {
      const StudioSweepNews *news = &g_array_index (update->news, StudioSweepNews, i);

      studio_sweep_planner_update_run (sweep, news->run, &news->outcome);
    }
  g_signal_emit_by_name (sweep, "progress");
  if (update->notice != NULL)
    g_signal_emit_by_name (sweep, "notice", update->notice);
}

/* Called for the current job only: notifications of a released job are dropped. */
static void
on_notify (gpointer data)
{
  g_autoptr (StudioRunner) self = g_object_ref (data);
  g_auto (StudioJobUpdate) update = { 0 };
  StudioJob *job = self->job;

  studio_job_take (job, &update);
  self->status = update.status;
  if (self->sweep != NULL)
    take_sweep_news (self, &update);
  else
    take_run_news (self, &update);
  if (!update.status.finished || self->job != job)
    return;
  g_clear_pointer (&self->job, studio_job_release);
  if (self->sweep != NULL)
    {
      g_autoptr (StudioSweepPlanner) sweep = g_steal_pointer (&self->sweep);

      if (outcome_of (update.error) == STUDIO_OUTCOME_FAILED)
        studio_sweep_planner_set_problem (sweep, update.error->message);
      set_state (self, STUDIO_RUNNER_IDLE);
      g_signal_emit_by_name (sweep, "finished");
    }
  else
    {
      self->outcome = outcome_of (update.error);
      self->problem = self->outcome == STUDIO_OUTCOME_FAILED ? g_strdup (update.error->message) : NULL;
      self->result = g_steal_pointer (&update.result);
      self->dataset = g_steal_pointer (&update.dataset);
      set_state (self, STUDIO_RUNNER_IDLE);
      g_signal_emit_by_name (self, "finished");
    }
}

static void
begin (StudioRunner *self, const StudioOrder *order)
{
  StudioOrder own = *order;

  if (self->cache == NULL)
    self->cache = tosst_stage_cache_new ((gsize)(CACHE_SHARE * (double)tosst_memory_available ()));
  own.cache = self->cache;
  self->job = studio_job_start (&own, g_get_num_processors (), on_notify, self);
  set_state (self, STUDIO_RUNNER_RUNNING);
}

void
studio_runner_begin (StudioRunner *self, const StudioOrder *order)
{
  forget_last_run (self);
  self->id++;
  self->recipe = tosst_recipe_copy (order->recipe);
  self->opened = order->wish == STUDIO_RUN_OPEN;
  begin (self, order);
  g_signal_emit_by_name (self, "started");
}

void
studio_runner_begin_sweep (StudioRunner *self, StudioSweepPlanner *sweep, gboolean retry_failed, double checkpoint)
{
  StudioOrder order = { .checkpoint = checkpoint, .retry_failed = retry_failed };
  g_autofree char *title = studio_sweep_planner_begin (sweep, &order);

  order.title = title;
  self->sweep = g_object_ref (sweep);
  reset_progress (self);
  begin (self, &order);
  g_signal_emit_by_name (sweep, "progress");
}

void
studio_runner_pause (StudioRunner *self, gboolean pause)
{
  StudioRunnerState from = pause ? STUDIO_RUNNER_RUNNING : STUDIO_RUNNER_PAUSED;

  if (self->job == NULL || self->state != from)
    return;
  studio_job_pause (self->job, pause);
  set_state (self, pause ? STUDIO_RUNNER_PAUSED : STUDIO_RUNNER_RUNNING);
}

void
studio_runner_stop (StudioRunner *self)
{
  if (self->job == NULL || self->state == STUDIO_RUNNER_STOPPING)
    return;
  set_state (self, STUDIO_RUNNER_STOPPING);
  studio_job_cancel (self->job);
}

gboolean
studio_runner_is_busy (StudioRunner *self)
{
  return self->state != STUDIO_RUNNER_IDLE && self->sweep == NULL;
}

gsize
studio_runner_get_kept_bytes (StudioRunner *self)
{
  return self->cache != NULL ? tosst_stage_cache_bytes (self->cache) : 0;
}

/* In a sweep the run and its stage. */
static char *
describe_stage (StudioRunner *self, const char *stage)
{
  if (self->sweep == NULL)
    return g_strdup (stage);
  if (self->status.number < 0)
    return g_strdup (_ ("Sweep"));
  /* Translators: a run of a sweep and what it does: "Run 3: Learning the dictionary" */
  return g_strdup_printf (_ ("Run %d: %s"), self->status.number + 1, stage);
}

char *
studio_runner_get_stage (StudioRunner *self)
{
  if (self->status.looking)
    return g_strdup (_ ("First look at a few images"));
  return describe_stage (self, _ (tosst_stage_label (self->status.stage, self->sweep == NULL ? self->recipe : NULL)));
}

char *
studio_runner_get_brief_stage (StudioRunner *self)
{
  static const char *const labels[TOSST_N_STAGES]
      = { N_ ("Describing"), N_ ("Learning"), N_ ("Coding"), N_ ("Training"), N_ ("Testing") };

  if (self->status.looking)
    return g_strdup (_ ("First look"));
  return describe_stage (self, _ (labels[self->status.stage]));
}

int
studio_runner_get_current_split (StudioRunner *self)
{
  return self->status.stage == TOSST_STAGE_DESCRIBE ? -1 : self->status.stage_split;
}

const GArray *
studio_runner_get_iterations (StudioRunner *self, int split)
{
  if (split == STUDIO_FIRST_LOOK)
    return self->first;
  if (split < 0 || split >= (int)self->iterations->len)
    return NULL;
  return g_ptr_array_index (self->iterations, split);
}

int
studio_runner_get_n_dictionaries (StudioRunner *self)
{
  /* The atoms of a first look have a name. */
  return self->learned != NULL && self->learned->file == NULL ? 1 + (int)self->dictionaries->len : 0;
}

const TosstDictionary *
studio_runner_get_dictionary (StudioRunner *self, int split)
{
  return g_ptr_array_index (self->dictionaries, split - 1);
}
