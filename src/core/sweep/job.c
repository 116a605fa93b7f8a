/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A job of a sweep: executes waiting runs one after the other. Other programs may work on the same runs: the store has
 * the owner of each, and a run of another program is watched until it ends or is abandoned.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#include "core/base/error.h"
#include "core/sweep/private.h"

/* Interval of reading the state of runs of other programs, microseconds. */
#define LOOK_EVERY 300000

static void
send (TosstSweepJob *self, TosstSweepEvent event)
{
  g_async_queue_push (self->work->events, g_memdup2 (&event, sizeof event));
}

/* Returns FALSE, so that a caller writes: return report_error (...). */
static gboolean
report_error (TosstSweepJob *self, GError *error)
{
  send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_TROUBLE, .error = error });
  return FALSE;
}

/* run: of a list sorted by objective. */
gboolean
tosst_sweep_outcome_from_list (TosstStore *store, const TosstStoreRun *run, TosstSweepOutcome *outcome, GError **error)
{
  g_auto (GStrv) tags = g_strsplit (run->tags ? run->tags : "", " ", -1);
  double seconds[TOSST_N_STAGES], total, shared;

  if (!tosst_store_seconds (store, run->id, seconds, &total, &shared, error))
    return FALSE;
  *outcome = (TosstSweepOutcome){ .id = run->id,
                                  .state = run->state,
                                  .reason = *run->reason ? g_strdup (run->reason) : NULL,
                                  .accuracy = run->accuracy,
                                  .deviation = run->deviation,
                                  .objective = run->key && *run->key ? g_ascii_strtod (run->key, NULL) : NAN,
                                  .seconds = total > 0 ? total : NAN,
                                  .shared = shared,
                                  .splits = run->splits,
                                  .splits_done = run->splits_done,
                                  .starred = g_strv_contains ((const char *const *)tags, TOSST_STORE_STAR) };
  return TRUE;
}

gboolean
tosst_sweep_outcome_read (TosstStore *store, gint64 id, TosstSweepOutcome *outcome, GError **error)
{
  g_autofree char *filter = g_strdup_printf ("id=%" PRId64, id);
  g_autoptr (GPtrArray) runs = tosst_store_list (store, "objective", filter, error);
  const TosstStoreRun *run;

  if (!runs)
    return FALSE;
  if (runs->len == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("run %" PRId64 " was deleted while its sweep went on"), id);
  run = g_ptr_array_index (runs, 0);
  return tosst_sweep_outcome_from_list (store, run, outcome, error);
}

static gboolean
tell (TosstSweepJob *self, guint run)
{
  TosstSweepEvent event = { .kind = TOSST_EVENT_RUN, .run = run };
  GError *error = NULL;

  if (!tosst_sweep_outcome_read (self->store, self->work->ids[run], &event.outcome, &error))
    return report_error (self, error);
  send (self, event);
  return TRUE;
}

static void
set_state (TosstSweepJob *self, guint run, TosstSweepRunState state)
{
  g_mutex_lock (&self->work->lock);
  self->work->state[run] = state;
  g_mutex_unlock (&self->work->lock);
}

static TosstSweepRunState
get_state (TosstSweepJob *self, guint run)
{
  TosstSweepRunState state;

  g_mutex_lock (&self->work->lock);
  state = self->work->state[run];
  g_mutex_unlock (&self->work->lock);
  return state;
}

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  TosstSweepJob *self = data;

  g_mutex_lock (&self->work->lock);
  self->stage = stage;
  self->split = split;
  self->stage_fraction = fraction;
  self->changed = TRUE;
  g_mutex_unlock (&self->work->lock);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  TosstSweepJob *self = data;

  g_mutex_lock (&self->work->lock);
  self->fraction = fraction;
  g_mutex_unlock (&self->work->lock);
}

/* Executes the run. Errors are those of the store; a failure of the run is recorded in the store. */
static gboolean
execute (TosstSweepJob *self, guint run, GError **error)
{
  const TosstSweepRun *what = tosst_sweep_plan_run (self->work->plan, run);
  const TosstRunObserver observer = { .stage = on_stage, .progress = on_progress, .data = self };
  const TosstRecorded recorded = { .store = self->store,
                                   .run = self->work->ids[run],
                                   .cache = self->work->cache,
                                   .checkpoint = self->work->options->checkpoint };
  g_autoptr (GError) cause = NULL;
  g_autoptr (TosstRunResult) result G_GNUC_UNUSED = tosst_run_execute_recorded (
      what->recipe, what->dataset, self->context, &observer, &recorded, NULL, &cause, NULL);

  if (!cause)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static void
enter (TosstSweepJob *self, int run)
{
  g_mutex_lock (&self->work->lock);
  self->run = run;
  self->fraction = 0;
  self->changed = FALSE;
  g_mutex_unlock (&self->work->lock);
}

/* Ends the run and releases its reserved shared results. */
static void
end_run (TosstSweepJob *self, guint run)
{
  const TosstSweepRun *what = tosst_sweep_plan_run (self->work->plan, run);

  tosst_stage_cache_release (self->work->cache, what->recipe, what->dataset);
  set_state (self, run, TOSST_SWEEP_RUN_ENDED);
}

static gboolean
execute_run (TosstSweepJob *self, guint run)
{
  GError *error = NULL;
  gboolean fine;

  if (!tell (self, run))
    return FALSE;
  enter (self, (int)run);
  fine = execute (self, run, &error);
  enter (self, -1);
  end_run (self, run);
  return fine ? tell (self, run) : report_error (self, error);
}

/* Called with the lock held. */
static gboolean
is_worked_on (const TosstSweepWork *work, int group)
{
  for (int i = 0; i < work->n_jobs; i++)
    if (work->jobs[i].run >= 0 && work->jobs[i].group == group)
      return TRUE;
  return FALSE;
}

/* Called with the lock held. Prefers a run of the job's last group, then of a group without a job, then any: two
 * jobs in one group would wait for each other's results. Returns -1 if no run is waiting. */
static int
choose (const TosstSweepJob *self)
{
  const TosstSweepWork *work = self->work;
  int other = -1, any = -1;

  for (guint i = 0; i < work->plan->runs->len; i++)
    {
      guint run = work->order[i];

      if (work->state[run] != TOSST_SWEEP_RUN_WAITING)
        continue;
      if (work->group[run] == self->group)
        return (int)run;
      if (other < 0 && !is_worked_on (work, work->group[run]))
        other = (int)run;
      if (any < 0)
        any = (int)run;
    }
  return other >= 0 ? other : any;
}

/* Assigns a waiting run to this job; FALSE if there is none. */
static gboolean
take_run (TosstSweepJob *self, guint *run)
{
  TosstSweepWork *work = self->work;
  int found;

  g_mutex_lock (&work->lock);
  found = work->stop ? -1 : choose (self);
  if (found >= 0)
    {
      work->state[found] = TOSST_SWEEP_RUN_TAKEN;
      self->run = found;
      self->group = work->group[found];
      *run = (guint)found;
    }
  g_mutex_unlock (&work->lock);
  return found >= 0;
}

/* Reads the state of runs of other programs; *some: other programs still have runs. */
static gboolean
look_elsewhere (TosstSweepJob *self, gboolean *some)
{
  TosstSweepWork *work = self->work;

  *some = FALSE;
  for (guint i = 0; i < work->plan->runs->len; i++)
    {
      g_autoptr (GError) error = NULL;
      TosstSweepEvent event = { .kind = TOSST_EVENT_RUN, .run = i };

      if (get_state (self, i) != TOSST_SWEEP_RUN_ELSEWHERE)
        continue;
      if (!tosst_sweep_outcome_read (self->store, work->ids[i], &event.outcome, &error))
        return report_error (self, g_steal_pointer (&error));
      *some = TRUE;
      if (event.outcome.state == TOSST_RUN_RUNNING)
        {
          g_free (event.outcome.reason);
          continue;
        }
      if (event.outcome.state == TOSST_RUN_STOPPED && !tosst_store_requeue_run (self->store, work->ids[i], &error))
        {
          g_free (event.outcome.reason);
          return report_error (self, g_steal_pointer (&error));
        }
      if (event.outcome.state == TOSST_RUN_DONE || event.outcome.state == TOSST_RUN_FAILED)
        end_run (self, i);
      else
        set_state (self, i, TOSST_SWEEP_RUN_WAITING);
      send (self, event);
    }
  return TRUE;
}

/* TRUE for one job only, which watches the runs of other programs. */
static gboolean
becomes_watch (TosstSweepJob *self)
{
  gboolean first;

  g_mutex_lock (&self->work->lock);
  first = !self->work->watched;
  self->work->watched = TRUE;
  g_mutex_unlock (&self->work->lock);
  return first;
}

static gboolean
is_stopped (TosstSweepJob *self)
{
  gboolean stop;

  g_mutex_lock (&self->work->lock);
  stop = self->work->stop;
  g_mutex_unlock (&self->work->lock);
  return stop;
}

/* Executes runs until none is waiting. */
static gboolean
execute_waiting (TosstSweepJob *self)
{
  guint run;

  while (take_run (self, &run))
    {
      gboolean mine;
      GError *error = NULL;

      if (!tosst_store_claim_run (self->store, self->work->ids[run], tosst_context_threads (self->context), &mine,
                                  &error))
        return report_error (self, error);
      if (mine && !execute_run (self, run))
        return FALSE;
      if (tosst_store_has_moved (self->store))
        return FALSE;
      if (!mine)
        {
          enter (self, -1);
          set_state (self, run, TOSST_SWEEP_RUN_ELSEWHERE);
        }
    }
  return TRUE;
}

static void
work (TosstSweepJob *self)
{
  gboolean some = TRUE;

  if (!execute_waiting (self) || !becomes_watch (self))
    return;
  while (some && !is_stopped (self))
    {
      if (!look_elsewhere (self, &some) || !execute_waiting (self))
        return;
      if (some)
        g_usleep (LOOK_EVERY);
    }
}

static gboolean
is_last (TosstSweepJob *self)
{
  gboolean last;

  g_mutex_lock (&self->work->lock);
  last = --self->work->open == 0;
  g_mutex_unlock (&self->work->lock);
  return last;
}

/* A deleted or replaced store is accessible while it is open; the last job saves a copy of it. */
static void
rescue (TosstSweepJob *self)
{
  GError *error = NULL;

  if (!tosst_store_keep (self->store, &error))
    send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_TROUBLE, .error = error, .final = TRUE });
}

gpointer
tosst_sweep_job_main (gpointer data)
{
  TosstSweepJob *self = data;
  GError *error = NULL;

  self->store = tosst_store_open (self->work->options->workspace, TOSST_STORE_WRITE, &error);
  if (!self->store)
    report_error (self, error);
  else
    {
      if (tosst_store_notice (self->store))
        send (self,
              (TosstSweepEvent){ .kind = TOSST_EVENT_NOTICE, .text = g_strdup (tosst_store_notice (self->store)) });
      work (self);
    }
  if (is_last (self) && self->store)
    rescue (self);
  g_clear_pointer (&self->store, tosst_store_free);
  send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_LEFT });
  return NULL;
}
