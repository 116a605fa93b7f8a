/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs that other processes compute for the one that has the store. Each of their jobs has a thread here, which claims
 * a run, sends what it starts from, and records what arrives as if it were computed here. Only the calling thread of the
 * sweep sends and receives: it passes letters to these threads.
 */
#include "core/base/base.h"
#include "core/dictionary/model.h"
#include "core/run/transfer.h"
#include "core/sweep/private.h"

/* Interval at which a job looks for a cancellation, microseconds. */
#define REMOTE_TICK 20000

/* A run in another process. */
typedef struct
{
  TosstSweepJob *job;
  const TosstRunObserver *observer;
  const TosstRunOptions *options;
  int classes;
  guint room; /* splits of the run */
  gboolean ended, paused;
  gint64 cancelled; /* monotonic time; 0: not yet */
  GBytes *end;
} RemoteRun;

/* Sends a letter to the other processes of the group of process `first`, and to that one unless it is this one. */
static void
tosst_sweep_post_group (TosstSweepWork *self, int first, const TosstLetter *letter, GBytes *content)
{
  for (int r = MAX (first, 1); r < first + tosst_sweep_together (self->options); r++)
    tosst_letter_post (self->options->mail, r, letter, content);
}

static void
post (RemoteRun *self, int kind, GBytes *content)
{
  const TosstLetter letter = { .kind = kind, .slot = self->job->slot, .run = self->job->run };

  tosst_sweep_post_group (self->job->work, self->job->rank, &letter, content);
}

static void
take_split (RemoteRun *self, GBytes *content)
{
  TosstSplitResult split;
  TosstModel *model;

  if (!content || self->job->splits->len >= self->room)
    return;
  gboolean fine = tosst_run_unpack_split (content, self->classes, &split, &model);

  if (model)
    g_ptr_array_add (self->job->models, model);
  if (!fine)
    {
      tosst_run_split_clear (&split);
      return;
    }
  /* The observer keeps a pointer to it. */
  g_array_append_val (self->job->splits, split);
  self->observer->split (&g_array_index (self->job->splits, TosstSplitResult, self->job->splits->len - 1),
                         self->observer->data);
}

static void
take_iteration (RemoteRun *self, int split, GBytes *content)
{
  TosstIteration iteration;

  if (!content || g_bytes_get_size (content) != sizeof iteration)
    return;
  memcpy (&iteration, g_bytes_get_data (content, NULL), sizeof iteration);
  self->observer->iteration (split, &iteration, NULL, NULL, self->observer->data);
}

static void
take_letter (RemoteRun *self, GBytes *message)
{
  g_autoptr (GBytes) content = NULL;
  TosstLetter letter;

  if (!tosst_letter_read (message, &letter, &content))
    return;
  switch (letter.kind)
    {
    case TOSST_LETTER_STAGE:
      self->observer->stage (letter.stage, letter.split, letter.a, self->observer->data);
      break;
    case TOSST_LETTER_PROGRESS:
      self->observer->progress (letter.a, letter.b, self->observer->data);
      break;
    case TOSST_LETTER_ITERATION:
      take_iteration (self, letter.split, content);
      break;
    case TOSST_LETTER_SPLIT:
      take_split (self, content);
      break;
    case TOSST_LETTER_CHECKPOINT:
      if (content)
        self->options->save (letter.split, content, self->options->data);
      break;
    case TOSST_LETTER_FINISHED:
      self->ended = TRUE;
      self->end = g_steal_pointer (&content);
      break;
    default:
      break;
    }
}

/* The first one of these processes that is silent since `since` or its last letter; -1: none. */
static int
find_silent (TosstSweepWork *work, int first, int n, gint64 since, double patience)
{
  int found = -1;

  g_mutex_lock (&work->lock);
  gint64 now = work->pumped;
  for (int r = first; r < first + n && found < 0; r++)
    if (r > 0
        && (tosst_mail_is_lost (work->options->mail, r)
            || (double)(now - MAX (work->heard[r], since)) > patience * G_USEC_PER_SEC))
      found = r;
  g_mutex_unlock (&work->lock);
  return found;
}

/* The same of the job's group. */
static int
find_silent_of (TosstSweepJob *job, gint64 since, double patience)
{
  return find_silent (job->work, job->rank, tosst_sweep_together (job->work->options), since, patience);
}

/* Forwards pause and cancel; notices a process that is silent. */
static void
watch (RemoteRun *self, TosstContext *context)
{
  gint64 now = g_get_monotonic_time ();
  gboolean paused = tosst_context_is_paused (context);

  if (!self->cancelled && tosst_context_is_cancelled (context))
    {
      self->cancelled = now;
      post (self, TOSST_LETTER_CANCEL, NULL);
    }
  if (paused != self->paused)
    post (self, paused ? TOSST_LETTER_PAUSE : TOSST_LETTER_RESUME, NULL);
  self->paused = paused;
  self->job->gone = find_silent_of (self->job, 0, TOSST_LETTER_SILENCE);
  self->job->lost
      = self->job->gone >= 0
        || (self->cancelled && find_silent_of (self->job, self->cancelled, TOSST_LETTER_LAST / 1000.0) >= 0);
}

/* For TosstRecorded: another process executes the run of a TosstSweepJob, whose letters come by its queue. */
static TosstRunResult *
tosst_sweep_execute_remote (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                            const TosstRunObserver *observer, const TosstRunOptions *options, gpointer executor,
                            TosstRunResult **partial, GError **error)
{
  RemoteRun self = { .job = executor, .observer = observer, .options = options, .classes = (int)dataset->classes->len };
  g_autoptr (GBytes) start = tosst_run_pack_start (recipe, dataset, options);
  g_autoptr (GError) cause = NULL;

  *partial = NULL;
  /* Earlier splits are those of the caller, which frees what they own. Splits stay where they are: there is room for
   * all. */
  self.room = tosst_dataset_splits (dataset, recipe);
  self.job->models = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_model_free);
  self.job->splits = g_array_sized_new (FALSE, FALSE, sizeof (TosstSplitResult), self.room);
  self.job->earlier = (guint)options->n_done;
  g_array_append_vals (self.job->splits, options->done, MIN (self.job->earlier, self.room));
  post (&self, TOSST_LETTER_RUN, start);
  while (!self.ended && !self.job->lost)
    {
      g_autoptr (GBytes) message = g_async_queue_timeout_pop (self.job->letters, REMOTE_TICK);

      if (message)
        take_letter (&self, message);
      else
        watch (&self, context);
    }
  /* The result of the splits so far. */
  TosstRunResult *result = tosst_run_sum_up (recipe, dataset, self.job->splits, NULL);
  if (result && self.end)
    tosst_run_unpack_end (self.end, result, &cause);
  g_clear_pointer (&self.end, g_bytes_unref);
  if (!self.ended)
    tosst_fail (&cause, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
  if (!cause)
    return result;
  *partial = result;
  return tosst_pass_error (error, &cause), NULL;
}

/* The same here, together with the other processes of the group. */
static TosstRunResult *
tosst_sweep_execute_together (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                              const TosstRunObserver *observer, const TosstRunOptions *options, gpointer executor,
                              TosstRunResult **partial, GError **error)
{
  TosstSweepJob *job = executor;
  const TosstSweepOptions *with = job->work->options;
  const TosstRunOptions earlier = { .done = options->done, .n_done = options->n_done };
  g_autoptr (GBytes) start = tosst_run_pack_start (recipe, dataset, &earlier);
  const TosstLetter letter = { .kind = TOSST_LETTER_RUN, .slot = job->slot, .run = job->run };
  TosstRunOptions own = *options;

  own.ranks = with->ranks;
  tosst_sweep_post_group (job->work, 0, &letter, start);
  tosst_ranks_start (own.ranks);
  TosstRunResult *result = tosst_run_execute_with (recipe, dataset, context, observer, &own, partial, error);
  if (!own.ranks->stopped)
    tosst_ranks_agree (own.ranks, result ? TOSST_OK : TOSST_ERROR_ARGUMENT);
  return result;
}

/* --- the thread that sends and receives --- */

static void
post_all (TosstSweepWork *self, const TosstLetter *letter, GBytes *content)
{
  for (int r = 1; r < tosst_mail_size (self->options->mail); r++)
    tosst_letter_post (self->options->mail, r, letter, content);
}

/* Starts the other processes, with the number of jobs of each. */
static void
tosst_sweep_call_ranks (TosstSweepWork *self)
{
  guint n = self->plan->runs->len;
  guint8 *pending = g_new (guint8, n);
  g_autoptr (GBytes) content = g_bytes_new_take (pending, n);
  g_autofree int *slots = g_new0 (int, tosst_mail_size (self->options->mail));

  for (guint i = 0; i < n; i++)
    pending[i] = self->state[i] == TOSST_SWEEP_RUN_WAITING || self->state[i] == TOSST_SWEEP_RUN_ELSEWHERE;
  for (int i = 0; i < self->n_jobs; i++)
    for (int r = 0; r < tosst_sweep_together (self->options); r++)
      slots[self->jobs[i].rank + r]++;
  self->pumped = g_get_monotonic_time ();
  for (int r = 0; r < self->processes; r++)
    self->heard[r] = self->pumped;
  for (int r = 1; r < tosst_mail_size (self->options->mail); r++)
    tosst_letter_post (self->options->mail, r, &(TosstLetter){ .kind = TOSST_LETTER_START, .slot = slots[r] }, content);
}

static void
on_mail (int rank, GBytes *message, gpointer data)
{
  TosstSweepWork *self = data;
  g_autoptr (GBytes) content = NULL;
  TosstLetter letter;

  if (!tosst_letter_read (message, &letter, &content))
    return;
  g_mutex_lock (&self->lock);
  self->heard[rank] = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);
  if (tosst_sweep_share_take (self->share, rank, &letter, content))
    return;
  if (letter.kind == TOSST_LETTER_COUNTS && content && g_bytes_get_size (content) == sizeof *self->counts)
    memcpy (&self->counts[rank], g_bytes_get_data (content, NULL), sizeof *self->counts);
  g_mutex_lock (&self->lock);
  for (int i = 0; i < self->n_jobs; i++)
    if (self->jobs[i].rank == rank && self->jobs[i].slot == letter.slot && letter.kind != TOSST_LETTER_ALIVE)
      g_async_queue_push (self->jobs[i].letters, g_bytes_ref (message));
  g_mutex_unlock (&self->lock);
}

/* Passes on what has arrived and asks which processes are alive. */
static void
tosst_sweep_read_mail (TosstSweepWork *self)
{
  gint64 now = g_get_monotonic_time ();

  /* Sets the time of looking for letters. */
  gint64 gap = now - self->pumped;

  g_mutex_lock (&self->lock);
  for (int r = 0; gap > TOSST_LETTER_GAP * G_USEC_PER_SEC && r < self->processes; r++)
    self->heard[r] += gap;
  self->pumped = now;
  g_mutex_unlock (&self->lock);
  if (now - self->told > TOSST_LETTER_EVERY * G_USEC_PER_SEC)
    {
      post_all (self, &(TosstLetter){ .kind = TOSST_LETTER_ALIVE }, NULL);
      self->told = now;
    }
  tosst_mail_pump (self->options->mail, on_mail, self);
  /* Looks for a process that is lost; the exchange of the own group may be before that is known. */
  if (!self->options->ranks || self->away || tosst_context_is_cancelled (self->context))
    return;
  int gone = find_silent (self, 0, self->processes, 0, TOSST_LETTER_SILENCE);
  if (gone < 0 && !self->options->ranks->lost)
    return;
  /* Processes that compute runs together end together: no exchange of theirs is sound once one of them is lost, and a
   * run that waits for it would never end. */
  TosstSweepEvent event = { .kind = TOSST_EVENT_FAILURE };

  if (gone >= 0)
    tosst_mail_forget (self->options->mail, gone);
  tosst_fail (&event.error, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
  g_mutex_lock (&self->lock);
  self->away = self->stop = TRUE;
  g_mutex_unlock (&self->lock);
  g_atomic_int_set (self->options->given_up, TRUE);
  post_all (self, &(TosstLetter){ .kind = TOSST_LETTER_CANCEL, .away = TRUE }, NULL);
  g_async_queue_push (self->events, g_memdup2 (&event, sizeof event));
}

static void
ignore (int rank, GBytes *message, gpointer data)
{
}

static void
on_answer (int rank, GBytes *message, gpointer data)
{
  gboolean *answered = data;
  g_autoptr (GBytes) content = NULL;
  TosstLetter letter;

  if (tosst_letter_read (message, &letter, &content) && letter.kind == TOSST_LETTER_CLOSE)
    answered[rank] = TRUE;
}

/* Whether all processes are there. One that was lost without a run is not missed before, and the others would wait for it
 * as they take leave. */
static gboolean
all_answer (TosstSweepWork *self)
{
  g_autofree gboolean *answered = g_new0 (gboolean, self->processes);
  gint64 start = g_get_monotonic_time (), told = start, now = start;
  int missing = self->processes - 1;

  post_all (self, &(TosstLetter){ .kind = TOSST_LETTER_CLOSE }, NULL);
  for (; missing > 0 && now - start < (gint64)TOSST_LETTER_SILENCE * G_USEC_PER_SEC; now = g_get_monotonic_time ())
    {
      if (tosst_context_is_cancelled (self->context))
        return FALSE;
      if (now - told > TOSST_LETTER_EVERY * G_USEC_PER_SEC)
        {
          post_all (self, &(TosstLetter){ .kind = TOSST_LETTER_ALIVE }, NULL);
          told = now;
        }
      if (!tosst_mail_pump (self->options->mail, on_answer, answered))
        g_usleep (TOSST_LETTER_TICK);
      missing = 0;
      for (int r = 1; r < self->processes; r++)
        missing += !answered[r];
    }
  for (int r = 1; r < self->processes; r++)
    if (!answered[r])
      tosst_mail_forget (self->options->mail, r);
  return missing == 0;
}

/* Ends the other processes, once no job is left. */
static void
tosst_sweep_dismiss_ranks (TosstSweepWork *self)
{
  gint64 start, patience = (gint64)TOSST_LETTER_SILENCE * G_USEC_PER_SEC;

  if (!self->away && !tosst_context_is_cancelled (self->context) && !all_answer (self))
    self->away = !tosst_context_is_cancelled (self->context);
  start = g_get_monotonic_time ();
  post_all (self, &(TosstLetter){ .kind = TOSST_LETTER_END, .away = self->away }, NULL);
  if (tosst_context_is_cancelled (self->context))
    patience = (gint64)TOSST_LETTER_LAST * G_USEC_PER_SEC / 1000;
  while (!tosst_mail_is_sent (self->options->mail) && g_get_monotonic_time () - start < patience)
    if (!tosst_mail_pump (self->options->mail, ignore, NULL))
      g_usleep (TOSST_LETTER_TICK);
}

/* A job of a sweep: executes waiting runs one after the other. Other programs may work on the same runs: the store has
 * the owner of each, and a run of another program is watched until it ends or is abandoned. */

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

void
tosst_sweep_outcome_from_list (const TosstStoreRun *run, TosstSweepOutcome *outcome)
{
  g_auto (GStrv) tags = g_strsplit (run->tags ? run->tags : "", " ", -1);

  *outcome = (TosstSweepOutcome){ .id = run->id,
                                  .state = run->state,
                                  .reason = *run->reason ? g_strdup (run->reason) : NULL,
                                  .accuracy = run->accuracy,
                                  .deviation = run->deviation,
                                  .objective = run->state == TOSST_RUN_DONE ? run->objective : NAN,
                                  .residual = run->state == TOSST_RUN_DONE ? run->residual : NAN,
                                  .nonzeros = run->state == TOSST_RUN_DONE ? run->nonzeros : NAN,
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
  g_autoptr (GPtrArray) runs = tosst_store_list (store, "id", filter, error);

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

  /* The others give up its run. */
  tosst_mail_forget (self->work->options->mail, self->gone);
  tosst_sweep_share_forget (self->work->share, self->gone);
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
  /* What the results of its last run consist of. */
  for (guint i = self->earlier; self->splits && i < self->splits->len; i++)
    tosst_run_split_clear (&g_array_index (self->splits, TosstSplitResult, i));
  g_clear_pointer (&self->splits, g_array_unref);
  g_clear_pointer (&self->models, g_ptr_array_unref);
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

/* Thread function of a job; data: TosstSweepJob *. */
static gpointer
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

/* Execution of a plan: runs are queued in the store, jobs execute them, and the calling thread reports progress and
 * forwards pause and cancel. */

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

  for (guint i = 0; i < n; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (self->plan, i);

      tosst_run_origin_init (&origins[i], run->recipe, run->dataset, tosst_context_threads (self->context));
      specs[i] = (TosstRunSpec){
        .recipe = run->recipe, .origin = origins[i].origin, .dataset = run->dataset, .problem = run->problem
      };
      specs[i].origin.title = run->title;
    }
  gboolean ok = tosst_store_find_sweep (store, self->plan->text, &sweep, error);
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
  TosstSweepEstimate fit = { 0 };
  gboolean elsewhere = FALSE;

  for (guint i = 0; i < n; i++)
    {
      pending[i] = self->state[i] == TOSST_SWEEP_RUN_WAITING;
      elsewhere = elsewhere || self->state[i] == TOSST_SWEEP_RUN_ELSEWHERE;
    }
  tosst_sweep_costs (self->plan, self->order, pending, (const double[]){ 1, 1, 1, 1, 1 }, self->cost);
  int wanted = MIN (self->options->jobs * tosst_sweep_ranks (self->options),
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
tosst_sweep_cache_new (int processes)
{
  return tosst_stage_cache_new ((gsize)(CACHE_FRACTION * (double)tosst_memory_available () / processes));
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
  job->threads = MAX (1, tosst_context_threads (self->context) / ((n - i % ranks + ranks - 1) / ranks));
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

static gboolean
conclude (TosstSweepWork *self, GError *cause, GError **error)
{
  TosstSweepResult *result = self->result;

  for (guint i = 0; i < result->runs; i++)
    result->count[result->outcome[i].state]++;
  if (cause)
    return tosst_pass_error (error, &cause);
  gsize open = result->runs - result->count[TOSST_RUN_DONE] - result->count[TOSST_RUN_FAILED];
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
  guint n = plan->runs->len;
  TosstSweepWork self = { .plan = plan, .options = options, .context = context, .observer = observer };
  double start = tosst_context_seconds (context);
  GError *cause = NULL;

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
  gboolean fine = prepare (&self, error);
  if (fine)
    {
      self.cache = options->cache ? options->cache
                                  : tosst_sweep_cache_new (options->mail ? tosst_mail_node_size (options->mail) : 1);
      /* Reserves shared results for each run to execute. */
      for (guint i = 0; i < n; i++)
        if (self.state[i] == TOSST_SWEEP_RUN_WAITING || self.state[i] == TOSST_SWEEP_RUN_ELSEWHERE)
          tosst_stage_cache_reserve (self.cache, tosst_sweep_plan_run (plan, i)->recipe,
                                     tosst_sweep_plan_run (plan, i)->dataset);
      self.share = options->mail && !options->ranks ? tosst_sweep_share_new (options->mail, self.cache) : NULL;
      if (start_jobs (&self, &cause))
        watch_jobs (&self, &cause);
      for (int i = 0; i < self.n_jobs; i++)
        {
          if (self.jobs[i].thread)
            g_thread_join (self.jobs[i].thread);
          tosst_context_free (self.jobs[i].context);
          g_clear_pointer (&self.jobs[i].letters, g_async_queue_unref);
        }
      g_free (self.jobs);
      tosst_stage_cache_count (self.cache, &self.counts[0]);
      /* Over all processes. A cache that other sweeps share, too, has theirs. */
      for (int r = 0; r < self.processes; r++)
        for (int part = 0; part < TOSST_N_RUN_PARTS; part++)
          {
            self.result->made[part] += self.counts[r].made[part];
            self.result->received[part] += self.counts[r].received[part];
          }
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
  TOSST_CLEAR_MEMBERS (&self, (events, g_async_queue_unref), (ids, g_free), (state, g_free), (order, g_free),
                       (group, g_free), (tensors, g_free), (place, g_free), (counts, g_free), (heard, g_free),
                       (cost, g_free));
  return fine;
}
