/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One job of a sweep: it takes a run that waits, does what is missing of it, and takes the next. Other programs may work
 * on the same runs: the store says who has which, and what another one has begun is looked at until it ends or is left
 * behind.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#include "error.h"
#include "sweep-private.h"

/* Between two looks at what other programs do, microseconds. */
#define LOOK_EVERY 300000

static void
send (TosstSweepJob *self, TosstSweepEvent event)
{
  g_async_queue_push (self->work->events, g_memdup2 (&event, sizeof event));
}

/* FALSE, so that a caller writes: return trouble (...). */
static gboolean
trouble (TosstSweepJob *self, GError *error)
{
  send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_TROUBLE, .error = error });
  return FALSE;
}

gboolean
tosst_sweep_outcome_read (TosstStore *store, gint64 id, TosstSweepOutcome *outcome, GError **error)
{
  g_autofree char *filter = g_strdup_printf ("id=%" PRId64, id);
  g_autoptr (GPtrArray) runs = tosst_store_list (store, NULL, filter, error);
  double seconds[TOSST_N_STAGES], total;
  const TosstStoreRun *run;

  if (!runs)
    return FALSE;
  if (runs->len == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("run %" PRId64 " was deleted while its sweep went on"), id);
  if (!tosst_store_seconds (store, id, seconds, &total, error))
    return FALSE;
  run = g_ptr_array_index (runs, 0);
  *outcome = (TosstSweepOutcome){ .id = id,
                                  .state = run->state,
                                  .reason = *run->reason ? g_strdup (run->reason) : NULL,
                                  .accuracy = run->accuracy,
                                  .deviation = run->deviation,
                                  .seconds = total > 0 ? total : NAN,
                                  .splits = run->splits,
                                  .splits_done = run->splits_done };
  return TRUE;
}

static gboolean
tell (TosstSweepJob *self, TosstStore *store, guint run)
{
  TosstSweepEvent event = { .kind = TOSST_EVENT_RUN, .run = run };
  GError *error = NULL;

  if (!tosst_sweep_outcome_read (store, self->work->ids[run], &event.outcome, &error))
    return trouble (self, error);
  send (self, event);
  return TRUE;
}

static void
set_turn (TosstSweepJob *self, guint run, TosstTurn turn)
{
  g_mutex_lock (&self->work->lock);
  self->work->turn[run] = turn;
  g_mutex_unlock (&self->work->lock);
}

static TosstTurn
get_turn (TosstSweepJob *self, guint run)
{
  TosstTurn turn;

  g_mutex_lock (&self->work->lock);
  turn = self->work->turn[run];
  g_mutex_unlock (&self->work->lock);
  return turn;
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
  tosst_run_record_stage (self->record, stage);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  TosstSweepJob *self = data;

  g_mutex_lock (&self->work->lock);
  self->fraction = fraction;
  g_mutex_unlock (&self->work->lock);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  TosstSweepJob *self = data;

  tosst_run_record_iteration (self->record, split, iteration);
}

static void
on_split (const TosstSplitResult *result, gpointer data)
{
  TosstSweepJob *self = data;

  tosst_run_record_split (self->record, result);
}

/* The run itself; an error is of the store, what fails of the run is in the store then. */
static gboolean
execute (TosstSweepJob *self, TosstStore *store, const TosstSweepRun *run, GError **error)
{
  const TosstRunObserver observer = { on_stage, on_progress, on_iteration, on_split, self };
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstRunResult) partial = NULL;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GArray) done = tosst_store_splits (store, tosst_run_record_id (self->record),
                                                (int)tosst_dataset_classes (run->dataset), error);
  TosstRunOptions options = { 0 };

  if (!done)
    return FALSE;
  options.done = (const TosstSplitResult *)(const void *)done->data;
  options.n_done = (int)done->len;
  result = tosst_run_execute_with (run->recipe, run->dataset, self->context, &observer, &options, &partial, &cause);
  return tosst_run_record_finish (self->record, result ? result : partial, cause, error);
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

static gboolean
do_run (TosstSweepJob *self, TosstStore *store, guint run)
{
  const TosstSweepRun *what = tosst_sweep_plan_run (self->work->plan, run);
  GError *error = NULL;
  gboolean fine;

  if (!tell (self, store, run))
    return FALSE;
  enter (self, (int)run);
  self->record = tosst_run_record_continue (store, self->work->ids[run], what->dataset, &error);
  fine = self->record && execute (self, store, what, &error);
  g_clear_pointer (&self->record, tosst_run_record_free);
  enter (self, -1);
  set_turn (self, run, TOSST_TURN_ENDED);
  return fine ? tell (self, store, run) : trouble (self, error);
}

/* A run that waits is this job's from now on; FALSE: there is none. */
static gboolean
take (TosstSweepJob *self, guint *run)
{
  TosstSweepWork *work = self->work;
  gboolean found = FALSE;

  g_mutex_lock (&work->lock);
  for (guint i = 0; i < work->plan->runs->len && !found && !work->stop; i++)
    if (work->turn[i] == TOSST_TURN_WAITING)
      {
        work->turn[i] = TOSST_TURN_TAKEN;
        *run = i;
        found = TRUE;
      }
  g_mutex_unlock (&work->lock);
  return found;
}

/* What other programs have done meanwhile; *some: they have runs still. */
static gboolean
look_elsewhere (TosstSweepJob *self, TosstStore *store, gboolean *some)
{
  TosstSweepWork *work = self->work;

  *some = FALSE;
  for (guint i = 0; i < work->plan->runs->len; i++)
    {
      g_autoptr (GError) error = NULL;
      TosstSweepEvent event = { .kind = TOSST_EVENT_RUN, .run = i };

      if (get_turn (self, i) != TOSST_TURN_ELSEWHERE)
        continue;
      if (!tosst_sweep_outcome_read (store, work->ids[i], &event.outcome, &error))
        return trouble (self, g_steal_pointer (&error));
      *some = TRUE;
      if (event.outcome.state == TOSST_RUN_RUNNING)
        {
          g_free (event.outcome.reason);
          continue;
        }
      if (event.outcome.state == TOSST_RUN_STOPPED && !tosst_store_requeue_run (store, work->ids[i], &error))
        {
          g_free (event.outcome.reason);
          return trouble (self, g_steal_pointer (&error));
        }
      set_turn (self, i,
                event.outcome.state == TOSST_RUN_DONE || event.outcome.state == TOSST_RUN_FAILED ? TOSST_TURN_ENDED
                                                                                                 : TOSST_TURN_WAITING);
      send (self, event);
    }
  return TRUE;
}

/* One job is enough to look. */
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

/* Does runs until none waits. */
static gboolean
do_waiting (TosstSweepJob *self, TosstStore *store)
{
  guint run;

  while (take (self, &run))
    {
      gboolean mine;
      GError *error = NULL;

      if (!tosst_store_claim_run (store, self->work->ids[run], &mine, &error))
        return trouble (self, error);
      if (!mine)
        set_turn (self, run, TOSST_TURN_ELSEWHERE);
      else if (!do_run (self, store, run))
        return FALSE;
    }
  return TRUE;
}

static void
work (TosstSweepJob *self, TosstStore *store)
{
  gboolean some = TRUE;

  if (!do_waiting (self, store) || !becomes_watch (self))
    return;
  while (some && !is_stopped (self))
    {
      if (!look_elsewhere (self, store, &some) || !do_waiting (self, store))
        return;
      if (some)
        g_usleep (LOOK_EVERY);
    }
}

gpointer
tosst_sweep_job_main (gpointer data)
{
  TosstSweepJob *self = data;
  GError *error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (self->work->options->workspace, TOSST_STORE_WRITE, &error);

  if (!store)
    trouble (self, error);
  else
    {
      if (tosst_store_notice (store))
        send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_NOTICE, .text = g_strdup (tosst_store_notice (store)) });
      work (self, store);
    }
  send (self, (TosstSweepEvent){ .kind = TOSST_EVENT_LEFT });
  return NULL;
}
