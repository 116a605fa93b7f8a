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
#define POLL_EVERY 300000

static void
send (TosstSweepJob *self, TosstSweepEvent event)
{
  g_async_queue_push (self->work->events, g_memdup2 (&event, sizeof event));
}

/* Returns FALSE, so that a caller writes: return report_error (...). */
static gboolean
report_error (TosstSweepJob *self, GError *error)
{
  send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_FAILURE, .error = error });
  return FALSE;
}

/* run: of a list sorted by objective. */
void
tosst_sweep_outcome_from_list (const TosstStoreRun *run, TosstSweepOutcome *outcome)
{
  g_auto (GStrv) tags = g_strsplit (run->tags ? run->tags : "", " ", -1);

  *outcome = (TosstSweepOutcome){ .id = run->id,
                                  .state = run->state,
                                  .reason = *run->reason ? g_strdup (run->reason) : NULL,
                                  .accuracy = run->accuracy,
                                  .deviation = run->deviation,
                                  .objective = run->key && *run->key ? g_ascii_strtod (run->key, NULL) : NAN,
                                  .seconds = run->seconds > 0 ? run->seconds : NAN,
                                  .shared = run->shared,
                                  .splits = run->splits,
                                  .splits_done = run->splits_done,
                                  .starred = g_strv_contains ((const char *const *)tags, TOSST_STORE_STAR) };
}

gboolean
tosst_sweep_outcome_read (TosstStore *store, gint64 id, TosstSweepOutcome *outcome, GError **error)
{
  g_autofree char *filter = g_strdup_printf ("id=%" PRId64, id);
  g_autoptr (GPtrArray) runs = tosst_store_list (store, "objective", filter, error);

  if (!runs)
    return FALSE;
  if (runs->len == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("run %" PRId64 " was deleted during its sweep"), id);
  tosst_sweep_outcome_from_list (g_ptr_array_index (runs, 0), outcome);
  return TRUE;
}

static gboolean
report_run (TosstSweepJob *self, guint run)
{
  TosstSweepEvent event = { .kind = TOSST_EVENT_RUN, .run = run };
  GError *error = NULL;

  if (!tosst_sweep_outcome_read (self->store, self->work->ids[run], &event.outcome, &error))
    return report_error (self, error);
  send (self, event);
  return TRUE;
}

#define LOCK(work) g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&(work)->lock)

static void
set_state (TosstSweepJob *self, guint run, TosstSweepRunState state)
{
  LOCK (self->work);
  self->work->state[run] = state;
}

static TosstSweepRunState
get_state (TosstSweepJob *self, guint run)
{
  LOCK (self->work);
  return self->work->state[run];
}

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  TosstSweepJob *self = data;

  LOCK (self->work);
  self->stage = stage;
  self->split = split;
  self->stage_fraction = fraction;
  self->changed = TRUE;
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  TosstSweepJob *self = data;

  LOCK (self->work);
  self->fraction = fraction;
}

static void
set_run (TosstSweepJob *self, int run)
{
  LOCK (self->work);
  self->run = run;
  self->fraction = 0;
  self->changed = FALSE;
}

/* Ends the run and releases its reserved shared results in all processes. */
static void
end_run (TosstSweepJob *self, guint run)
{
  const TosstSweepRun *what = tosst_sweep_plan_run (self->work->plan, run);
  const TosstLetter letter = { .kind = TOSST_LETTER_RELEASE, .slot = -1, .run = (int)run };

  for (int r = 1; r < self->work->processes; r++)
    tosst_letter_post (self->work->options->mail, r, &letter, NULL);
  tosst_stage_cache_release (self->work->cache, what->recipe, what->dataset);
  set_state (self, run, TOSST_SWEEP_RUN_ENDED);
}

static gboolean
is_stopped (TosstSweepJob *self)
{
  LOCK (self->work);
  return self->work->stop;
}

/* The run of a process that does not answer any more waits again, with what is recorded of it. */
static gboolean
hand_back (TosstSweepJob *self, guint run)
{
  g_autofree char *sentence
      = g_strdup_printf (_ ("process %d does not answer any more: its run is handed out again"), self->gone);
  GError *error = NULL;

  tosst_sweep_give_up (self);
  if (!tosst_store_requeue_run (self->store, self->work->ids[run], &error))
    return report_error (self, error);
  send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_NOTICE, .text = g_steal_pointer (&sentence) });
  g_mutex_lock (&self->work->lock);
  self->work->away = TRUE;
  self->work->state[run] = TOSST_SWEEP_RUN_WAITING;
  for (guint i = 0; i < self->work->plan->runs->len * TOSST_N_RUN_PARTS; i++)
    if (self->work->place[i] == self->rank)
      self->work->place[i] = -1;
  self->run = -1;
  g_mutex_unlock (&self->work->lock);
  return report_run (self, run);
}

/* Ends a run that was executed; cause: why it has no result. */
static gboolean
conclude_run (TosstSweepJob *self, guint run, const GError *cause)
{
  gboolean cancelled = self->rank > 0 && g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED);

  if (cancelled && self->lost && !self->work->options->ranks && !is_stopped (self))
    return hand_back (self, run);
  set_run (self, -1);
  end_run (self, run);
  if (!report_run (self, run))
    return FALSE;
  /* A process that was asked to end asks all. */
  return !cancelled || is_stopped (self) || report_error (self, g_error_copy (cause));
}

/* Executes a run. Errors are those of the store; a failure of the run is recorded in the store. */
static gboolean
execute_run (TosstSweepJob *self, guint run)
{
  const TosstSweepRun *what = tosst_sweep_plan_run (self->work->plan, run);
  const TosstRunObserver observer = { .stage = on_stage, .progress = on_progress, .data = self };
  const TosstRecorded recorded = { .store = self->store,
                                   .run = self->work->ids[run],
                                   .cache = self->work->cache,
                                   .checkpoint = self->work->options->checkpoint,
                                   .execute = self->rank > 0               ? tosst_sweep_execute_remote
                                              : self->work->options->ranks ? tosst_sweep_execute_together
                                                                           : NULL,
                                   .executor = self };
  g_autoptr (GError) cause = NULL;
  GError *error = NULL;

  if (!report_run (self, run))
    return FALSE;
  set_run (self, (int)run);
  tosst_run_result_free (tosst_run_execute_recorded (what->recipe, what->dataset, self->context, &observer, &recorded,
                                                     NULL, &error, &cause));
  tosst_sweep_end_remote (self);
  if (!error)
    return conclude_run (self, run, cause);
  set_run (self, -1);
  end_run (self, run);
  return report_error (self, error);
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

/* Called with the lock held. What a run costs beside its own work: nothing in the job's last group; another process would
 * send its tensors; and two jobs in one group would wait for each other's results. */
static int
price (const TosstSweepJob *self, guint run)
{
  const TosstSweepWork *work = self->work;
  int place = work->place[work->tensors[run]];

  if (work->group[run] == self->group)
    return 0;
  return (place == self->rank ? 1 : place < 0 ? 2 : 3) + (is_worked_on (work, work->group[run]) ? 3 : 0);
}

/* Called with the lock held. The first one of the cheapest runs; -1 if none is waiting. */
static int
choose (const TosstSweepJob *self)
{
  const TosstSweepWork *work = self->work;
  int best = -1, least = G_MAXINT;

  for (guint i = 0; i < work->plan->runs->len && least > 0; i++)
    {
      guint run = work->order[i];
      int now = work->state[run] == TOSST_SWEEP_RUN_WAITING ? price (self, run) : G_MAXINT;

      if (now < least)
        {
          least = now;
          best = (int)run;
        }
    }
  return best;
}

/* Assigns a waiting run to this job; FALSE if there is none. */
static gboolean
take_run (TosstSweepJob *self, guint *run)
{
  TosstSweepWork *work = self->work;
  LOCK (work);
  int found = work->stop ? -1 : choose (self);

  if (found < 0)
    return FALSE;
  work->state[found] = TOSST_SWEEP_RUN_TAKEN;
  self->run = found;
  self->group = work->group[found];
  if (work->place[work->tensors[found]] < 0)
    work->place[work->tensors[found]] = self->rank;
  *run = (guint)found;
  return TRUE;
}

/* A run of another process may come back. */
static gboolean
has_remote_runs (TosstSweepJob *self)
{
  LOCK (self->work);
  for (int i = 0; i < self->work->n_jobs; i++)
    if (self->work->jobs[i].rank > 0 && self->work->jobs[i].run >= 0)
      return TRUE;
  return FALSE;
}

/* Reads the state of runs of other programs; *some: other programs or processes still have runs. */
static gboolean
poll_elsewhere (TosstSweepJob *self, gboolean *some)
{
  TosstSweepWork *work = self->work;

  *some = has_remote_runs (self);
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

/* TRUE for one job of this process only, which watches the runs of other programs. */
static gboolean
becomes_watch (TosstSweepJob *self)
{
  LOCK (self->work);
  return self->rank == 0 && !self->work->watched && (self->work->watched = TRUE);
}

/* Executes runs until none is waiting, or its process is lost. */
static gboolean
execute_waiting (TosstSweepJob *self)
{
  guint run;

  while (!self->lost && take_run (self, &run))
    {
      gboolean mine;
      GError *error = NULL;

      if (!tosst_store_claim_run (self->store, self->work->ids[run], self->threads, &mine, &error))
        return report_error (self, error);
      if (mine && !execute_run (self, run))
        return FALSE;
      if (tosst_store_has_moved (self->store))
        return FALSE;
      if (!mine)
        {
          set_run (self, -1);
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
      if (!poll_elsewhere (self, &some) || !execute_waiting (self))
        return;
      if (some)
        g_usleep (POLL_EVERY);
    }
}

static gboolean
is_last (TosstSweepJob *self)
{
  LOCK (self->work);
  return --self->work->open == 0;
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
  /* A deleted or replaced store is accessible while it is open; the last job saves a copy of it. */
  if (is_last (self) && self->store && !tosst_store_keep (self->store, &error))
    send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_FAILURE, .error = error, .final = TRUE });
  g_clear_pointer (&self->store, tosst_store_free);
  send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_LEFT });
  return NULL;
}
