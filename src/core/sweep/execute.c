/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Execution of a plan: runs are queued in the store, jobs execute them, and the calling thread reports progress and
 * forwards pause and cancel.
 */
#include "config.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/sweep/private.h"

/* Interval of checking the caller's context and of reporting progress, microseconds. */
#define TICK 50000

/* Share of the available memory for the cache of shared results. */
#define CACHE_FRACTION 0.3

void
tosst_sweep_result_free (TosstSweepResult *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->runs; i++)
    g_free (self->outcome[i].reason);
  g_free (self->outcome);
  g_free (self);
}

static void
report_notice (const TosstSweepWork *self, const char *sentence)
{
  if (self->observer && self->observer->notice)
    self->observer->notice (sentence, self->observer->data);
}

/* Takes ownership of the outcome. */
static void
take_outcome (TosstSweepWork *self, guint run, const TosstSweepOutcome *outcome)
{
  g_free (self->result->outcome[run].reason);
  self->result->outcome[run] = *outcome;
  if (self->observer && self->observer->run)
    self->observer->run (run, outcome, self->observer->data);
}

static gboolean
queue_runs (TosstSweepWork *self, TosstStore *store, GError **error)
{
  guint n = self->plan->runs->len;
  g_autofree TosstRunOrigin *origins = g_new0 (TosstRunOrigin, n);
  g_autofree TosstRunSpec *specs = g_new0 (TosstRunSpec, n);
  gint64 sweep;
  gboolean ok;

  for (guint i = 0; i < n; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (self->plan, i);

      tosst_run_origin_init (&origins[i], run->recipe, run->dataset, tosst_context_threads (self->context));
      specs[i] = (TosstRunSpec){ .recipe = run->recipe, .origin = origins[i].origin, .problem = run->problem };
      specs[i].origin.title = run->title;
    }
  ok = tosst_store_find_sweep (store, self->plan->text, &sweep, error);
  if (ok && sweep == 0)
    ok = (sweep = tosst_store_add_sweep (store, self->options->title, self->plan->text, error)) > 0;
  self->result->sweep = sweep;
  ok = ok && tosst_store_queue_runs (store, sweep, specs, n, self->options->retry_failed, self->ids, error);
  for (guint i = 0; i < n; i++)
    tosst_run_origin_clear (&origins[i]);
  return ok;
}

/* Reads the outcome of each run before the first one starts. */
static gboolean
read_outcomes (TosstSweepWork *self, TosstStore *store, GError **error)
{
  for (guint i = 0; i < self->plan->runs->len; i++)
    {
      TosstSweepOutcome outcome;

      if (!tosst_sweep_outcome_read (store, self->ids[i], &outcome, error))
        return FALSE;
      outcome.earlier = outcome.state == TOSST_RUN_DONE;
      self->state[i] = outcome.state == TOSST_RUN_QUEUED    ? TOSST_SWEEP_RUN_WAITING
                       : outcome.state == TOSST_RUN_RUNNING ? TOSST_SWEEP_RUN_ELSEWHERE
                                                            : TOSST_SWEEP_RUN_ENDED;
      take_outcome (self, i, &outcome);
    }
  return TRUE;
}

static gboolean
prepare (TosstSweepWork *self, GError **error)
{
  g_autoptr (TosstStore) store = tosst_store_open (self->options->workspace, TOSST_STORE_WRITE, error);

  if (!store)
    return FALSE;
  tosst_store_set_cancel (store, NULL, self->context);
  if (tosst_store_notice (store))
    report_notice (self, tosst_store_notice (store));
  return queue_runs (self, store, error) && read_outcomes (self, store, error);
}

/* Number of jobs: limited by the groups to execute and by memory. */
static int
count_jobs (TosstSweepWork *self)
{
  guint n = self->plan->runs->len;
  g_autofree gboolean *pending = g_new (gboolean, n);
  int wanted;
  TosstSweepEstimate fit = { 0 };
  gboolean elsewhere = FALSE;

  for (guint i = 0; i < n; i++)
    {
      pending[i] = self->state[i] == TOSST_SWEEP_RUN_WAITING;
      elsewhere = elsewhere || self->state[i] == TOSST_SWEEP_RUN_ELSEWHERE;
    }
  tosst_sweep_costs (self->plan, self->order, pending, (const double[]){ 1, 1, 1, 1, 1 }, self->cost);
  wanted = MIN (self->options->jobs * tosst_sweep_ranks (self->options),
                (int)tosst_sweep_count_groups (self->plan, pending, self->group));
  if (wanted < 1)
    return elsewhere;
  /* The jobs end at once if this is cancelled. */
  if (tosst_sweep_fit (self->plan, pending, self->options, self->context, wanted, &fit, NULL) && fit.jobs < wanted)
    {
      g_autofree char *needed = g_format_size (fit.bytes), *there = g_format_size (fit.available);
      g_autofree char *sentence
          = g_strdup_printf (_ ("a run may need %s of memory and %s are available: parallel runs are %d instead of %d"),
                             needed, there, fit.jobs, wanted);

      report_notice (self, sentence);
    }
  return MAX (fit.jobs, 1);
}

TosstStageCache *
tosst_sweep_cache_new_for (int processes)
{
  return tosst_stage_cache_new ((gsize)(CACHE_FRACTION * (double)tosst_memory_available () / processes));
}

TosstStageCache *
tosst_sweep_cache_new (void)
{
  return tosst_sweep_cache_new_for (1);
}

/* Reserves shared results for each run to execute. */
static void
prepare_share (TosstSweepWork *self)
{
  self->cache = self->options->cache
                    ? self->options->cache
                    : tosst_sweep_cache_new_for (self->options->mail ? tosst_mail_node_size (self->options->mail) : 1);
  for (guint i = 0; i < self->plan->runs->len; i++)
    if (self->state[i] == TOSST_SWEEP_RUN_WAITING || self->state[i] == TOSST_SWEEP_RUN_ELSEWHERE)
      {
        const TosstSweepRun *run = tosst_sweep_plan_run (self->plan, i);

        tosst_stage_cache_reserve (self->cache, run->recipe, run->dataset);
      }
}

/* Number of the jobs 0 .. n - 1, which are dealt to the processes or groups in turn, that one of them has. */
static int
jobs_of (const TosstSweepWork *self, int number, int n)
{
  int ranks = tosst_sweep_ranks (self->options);

  return (n - number + ranks - 1) / ranks;
}

/* A job of another process has a thread here that computes nothing. */
static gboolean
init_job (TosstSweepWork *self, TosstSweepJob *job, int i, int n)
{
  int ranks = tosst_sweep_ranks (self->options);

  job->work = self;
  job->run = job->group = -1;
  job->rank = i % ranks * tosst_sweep_together (self->options);
  job->slot = i / ranks;
  job->threads = MAX (1, tosst_context_threads (self->context) / jobs_of (self, i % ranks, n));
  job->context = tosst_context_new (job->rank == 0 ? job->threads : 1);
  job->letters = job->rank > 0 ? g_async_queue_new_full ((GDestroyNotify)g_bytes_unref) : NULL;
  return job->context != NULL;
}

/* Starts the jobs; the threads are divided among those of a process. */
static gboolean
start_jobs (TosstSweepWork *self, GError **error)
{
  int n = count_jobs (self);

  self->jobs = g_new0 (TosstSweepJob, n);
  for (int i = 0; i < n; i++)
    {
      self->n_jobs++;
      self->open++;
      if (!init_job (self, &self->jobs[i], i, n))
        return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%d threads could not be started; lower --threads or --jobs"),
                           tosst_context_threads (self->context));
    }
  if (self->options->mail)
    tosst_sweep_call_ranks (self);
  for (int i = 0; i < self->n_jobs; i++)
    self->jobs[i].thread = g_thread_new ("sweep", tosst_sweep_job_main, &self->jobs[i]);
  return TRUE;
}

static void
free_job (TosstSweepJob *job)
{
  if (job->thread)
    g_thread_join (job->thread);
  tosst_context_free (job->context);
  g_clear_pointer (&job->letters, g_async_queue_unref);
}

static void
stop_jobs (TosstSweepWork *self)
{
  if (!self->stop && self->options->ranks)
    tosst_sweep_post_group (self, 0, &(TosstLetter){ .kind = TOSST_LETTER_CANCEL }, NULL);
  g_mutex_lock (&self->lock);
  self->stop = TRUE;
  g_mutex_unlock (&self->lock);
  for (int i = 0; i < self->n_jobs; i++)
    tosst_context_cancel (self->jobs[i].context);
}

static void
forward_pause (TosstSweepWork *self, gboolean *paused)
{
  gboolean now = tosst_context_is_paused (self->context);

  if (now == *paused)
    return;
  for (int i = 0; i < self->n_jobs; i++)
    if (now)
      tosst_context_pause (self->jobs[i].context);
    else
      tosst_context_resume (self->jobs[i].context);
  *paused = now;
}

static void
report_stages (TosstSweepWork *self)
{
  for (int i = 0; i < self->n_jobs; i++)
    {
      TosstSweepJob *job = &self->jobs[i];

      g_mutex_lock (&self->lock);
      const TosstSweepJob now = { .run = job->changed ? job->run : -1,
                                  .stage = job->stage,
                                  .split = job->split,
                                  .stage_fraction = job->stage_fraction };
      job->changed = FALSE;
      g_mutex_unlock (&self->lock);
      if (now.run >= 0 && self->observer && self->observer->stage)
        self->observer->stage ((guint)now.run, now.stage, now.split, now.stage_fraction, self->observer->data);
    }
}

/* Progress relative to the runs that were unfinished at the start of the sweep. */
static void
report_progress (TosstSweepWork *self, double start)
{
  double ended = 0, all = 0, elapsed = tosst_context_seconds (self->context) - start;

  if (!self->observer || !self->observer->progress)
    return;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->plan->runs->len; i++)
    {
      all += self->cost[i];
      ended += self->state[i] == TOSST_SWEEP_RUN_ENDED ? self->cost[i] : 0;
    }
  for (int i = 0; i < self->n_jobs; i++)
    ended += self->jobs[i].run >= 0 ? self->jobs[i].fraction * self->cost[self->jobs[i].run] : 0;
  g_mutex_unlock (&self->lock);
  double fraction = all > 0 ? CLAMP (ended / all, 0, 1) : 0;
  self->observer->progress (fraction, fraction > 0.02 && elapsed > 1 ? elapsed * (1 - fraction) / fraction : -1,
                            self->observer->data);
}

/* Returns FALSE after the end of a job. */
static gboolean
handle (TosstSweepWork *self, TosstSweepEvent *event, GError **error)
{
  switch (event->kind)
    {
    case TOSST_EVENT_RUN:
      take_outcome (self, event->run, &event->outcome);
      return TRUE;
    case TOSST_EVENT_FAILURE:
      /* The first error is kept, as it is the cause; a final one, which names the copy of a deleted store, replaces
       * it. */
      if (event->final)
        g_clear_error (error);
      if (error && !*error)
        g_propagate_error (error, event->error);
      else
        g_error_free (event->error);
      stop_jobs (self);
      return TRUE;
    case TOSST_EVENT_NOTICE:
      report_notice (self, event->text);
      g_free (event->text);
      return TRUE;
    case TOSST_EVENT_LEFT:
    default:
      return FALSE;
    }
}

/* Handles events until all jobs have ended. */
static void
watch_jobs (TosstSweepWork *self, GError **error)
{
  double start = tosst_context_seconds (self->context);
  gint64 reported = 0;
  gboolean paused = FALSE;
  int left = self->n_jobs;

  while (left > 0)
    {
      g_autofree TosstSweepEvent *event
          = g_async_queue_timeout_pop (self->events, self->options->mail ? TOSST_LETTER_TICK : TICK);

      if (event && !handle (self, event, error))
        left--;
      if (self->options->mail)
        tosst_sweep_read_mail (self);
      if (tosst_context_is_cancelled (self->context))
        stop_jobs (self);
      forward_pause (self, &paused);
      if (g_get_monotonic_time () - reported < TICK)
        continue;
      report_stages (self);
      report_progress (self, start);
      reported = g_get_monotonic_time ();
    }
}

/* Over all processes. A cache that other sweeps share, too, has theirs. */
static void
sum_counts (TosstSweepWork *self)
{
  for (int r = 0; r < self->processes; r++)
    for (int part = 0; part < TOSST_N_RUN_PARTS; part++)
      {
        self->result->made[part] += self->counts[r].made[part];
        self->result->received[part] += self->counts[r].received[part];
      }
}

static gboolean
conclude (TosstSweepWork *self, GError *cause, GError **error)
{
  TosstSweepResult *result = self->result;
  gsize open;

  for (guint i = 0; i < result->runs; i++)
    result->count[result->outcome[i].state]++;
  if (cause)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  open = result->runs - result->count[TOSST_RUN_DONE] - result->count[TOSST_RUN_FAILED];
  if (open == 0)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_CANCELLED,
                     _ ("interrupted with %zu of %u runs done; finished parts of the others are kept"),
                     result->count[TOSST_RUN_DONE], result->runs);
}

gboolean
tosst_sweep_execute (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                     const TosstSweepObserver *observer, TosstSweepResult **result, GError **error)
{
  g_return_val_if_fail (plan != NULL, FALSE);
  g_return_val_if_fail (options != NULL, FALSE);
  g_return_val_if_fail (context != NULL, FALSE);
  g_return_val_if_fail (result != NULL, FALSE);

  guint n = plan->runs->len;
  TosstSweepWork self = { .plan = plan, .options = options, .context = context, .observer = observer };
  double start = tosst_context_seconds (context);
  GError *cause = NULL;
  gboolean fine;

  self.result = g_new0 (TosstSweepResult, 1);
  self.result->runs = n;
  self.result->outcome = g_new0 (TosstSweepOutcome, n);
  self.ids = g_new0 (gint64, n);
  self.state = g_new0 (TosstSweepRunState, n);
  self.order = g_new (guint, n);
  self.group = g_new (int, n);
  self.tensors = g_new (int, n);
  self.place = g_new (int, n *TOSST_N_RUN_PARTS);
  for (guint i = 0; i < n * TOSST_N_RUN_PARTS; i++)
    self.place[i] = -1;
  self.processes = options->mail ? tosst_mail_size (options->mail) : 1;
  self.counts = g_new0 (TosstStageCounts, self.processes);
  self.heard = g_new0 (gint64, self.processes);
  tosst_sweep_order (plan, self.order, self.group, self.tensors);
  self.cost = g_new0 (double, n);
  self.events = g_async_queue_new ();
  g_mutex_init (&self.lock);
  *result = NULL;
  fine = prepare (&self, error);
  if (fine)
    {
      prepare_share (&self);
      self.share = options->mail && !options->ranks ? tosst_sweep_share_new (options->mail, self.cache) : NULL;
      if (start_jobs (&self, &cause))
        watch_jobs (&self, &cause);
      for (int i = 0; i < self.n_jobs; i++)
        free_job (&self.jobs[i]);
      g_free (self.jobs);
      tosst_stage_cache_count (self.cache, &self.counts[0]);
      sum_counts (&self);
      tosst_sweep_share_free (self.share);
      if (!options->cache)
        tosst_stage_cache_free (self.cache);
      self.result->seconds = tosst_context_seconds (context) - start;
      fine = conclude (&self, cause, error);
      *result = self.result;
    }
  else
    tosst_sweep_result_free (self.result);
  if (options->mail)
    tosst_sweep_dismiss_ranks (&self);
  if (*result)
    (*result)->away = self.away;
  g_mutex_clear (&self.lock);
  g_async_queue_unref (self.events);
  g_free (self.ids);
  g_free (self.state);
  g_free (self.order);
  g_free (self.group);
  g_free (self.tensors);
  g_free (self.place);
  g_free (self.counts);
  g_free (self.heard);
  g_free (self.cost);
  return fine;
}
