/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs that other processes compute for the one that has the store. Each of their jobs has a thread here, which claims
 * a run, sends what it starts from, and records what arrives as if it were computed here. Only the calling thread of the
 * sweep sends and receives: it passes letters to these threads.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dictionary/model.h"
#include "core/run/travel.h"
#include "core/sweep/private.h"

/* Interval at which a job looks for a cancellation, microseconds. */
#define TICK 20000

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
} Errand;

static void
post (Errand *self, int kind, GBytes *content)
{
  const TosstLetter letter = { .kind = kind, .slot = self->job->slot, .run = self->job->run };

  tosst_sweep_post_group (self->job->work, self->job->rank, &letter, content);
}

static void
free_model (gpointer model)
{
  tosst_model_free (model);
}

static void
take_split (Errand *self, GBytes *content)
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
take_iteration (Errand *self, int split, GBytes *content)
{
  TosstIteration iteration;

  if (!content || g_bytes_get_size (content) != sizeof iteration)
    return;
  memcpy (&iteration, g_bytes_get_data (content, NULL), sizeof iteration);
  self->observer->iteration (split, &iteration, NULL, NULL, self->observer->data);
}

static void
take_letter (Errand *self, GBytes *message)
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
  gint64 now;
  int found = -1;

  g_mutex_lock (&work->lock);
  now = work->pumped;
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
watch (Errand *self, TosstContext *context)
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

/* The result of the splits so far. */
static TosstRunResult *
conclude (Errand *self, const TosstRecipe *recipe, TosstDataset *dataset, GError **cause)
{
  TosstRunResult *result = tosst_run_sum_up (recipe, dataset, self->job->splits, NULL);

  if (result && self->end)
    tosst_run_unpack_end (self->end, result, cause);
  return result;
}

/* Earlier splits are those of the caller, which frees what they own. Splits stay where they are: there is room for all. */
static void
begin (Errand *self, guint splits)
{
  self->job->models = g_ptr_array_new_with_free_func (free_model);
  self->job->splits = g_array_sized_new (FALSE, FALSE, sizeof (TosstSplitResult), splits);
  self->job->earlier = (guint)self->options->n_done;
  self->room = splits;
  g_array_append_vals (self->job->splits, self->options->done, MIN (self->job->earlier, splits));
}

TosstRunResult *
tosst_sweep_execute_remote (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                            const TosstRunObserver *observer, const TosstRunOptions *options, gpointer executor,
                            TosstRunResult **partial, GError **error)
{
  Errand self
      = { .job = executor, .observer = observer, .options = options, .classes = (int)tosst_dataset_classes (dataset) };
  g_autoptr (GBytes) start = tosst_run_pack_start (recipe, dataset, options);
  g_autoptr (GError) cause = NULL;
  TosstRunResult *result;

  *partial = NULL;
  begin (&self, tosst_dataset_splits (dataset, recipe));
  post (&self, TOSST_LETTER_RUN, start);
  while (!self.ended && !self.job->lost)
    {
      g_autoptr (GBytes) message = g_async_queue_timeout_pop (self.job->letters, TICK);

      if (message)
        take_letter (&self, message);
      else
        watch (&self, context);
    }
  result = conclude (&self, recipe, dataset, &cause);
  g_clear_pointer (&self.end, g_bytes_unref);
  if (!self.ended)
    tosst_fail (&cause, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
  if (!cause)
    return result;
  *partial = result;
  g_propagate_error (error, g_steal_pointer (&cause));
  return NULL;
}

TosstRunResult *
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
  TosstRunResult *result;

  own.ranks = with->ranks;
  tosst_sweep_post_group (job->work, 0, &letter, start);
  tosst_ranks_start (own.ranks);
  result = tosst_run_execute_with (recipe, dataset, context, observer, &own, partial, error);
  if (!own.ranks->stopped)
    tosst_ranks_agree (own.ranks, result ? TOSST_OK : TOSST_ERROR_ARGUMENT);
  return result;
}

void
tosst_sweep_give_up (TosstSweepJob *job)
{
  tosst_mail_forget (job->work->options->mail, job->gone);
  tosst_sweep_share_forget (job->work->share, job->gone);
}

void
tosst_sweep_post_group (TosstSweepWork *self, int first, const TosstLetter *letter, GBytes *content)
{
  for (int r = MAX (first, 1); r < first + tosst_sweep_together (self->options); r++)
    tosst_letter_post (self->options->mail, r, letter, content);
}

void
tosst_sweep_end_remote (TosstSweepJob *job)
{
  for (guint i = job->earlier; job->splits && i < job->splits->len; i++)
    tosst_run_split_clear (&g_array_index (job->splits, TosstSplitResult, i));
  g_clear_pointer (&job->splits, g_array_unref);
  g_clear_pointer (&job->models, g_ptr_array_unref);
}

/* --- the thread that sends and receives --- */

static void
post_all (TosstSweepWork *self, const TosstLetter *letter, GBytes *content)
{
  for (int r = 1; r < tosst_mail_size (self->options->mail); r++)
    tosst_letter_post (self->options->mail, r, letter, content);
}

void
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

/* Sets the time of looking for letters. */
static void
note_time (TosstSweepWork *self, gint64 now)
{
  gint64 gap = now - self->pumped;

  g_mutex_lock (&self->lock);
  for (int r = 0; gap > TOSST_LETTER_GAP * G_USEC_PER_SEC && r < self->processes; r++)
    self->heard[r] += gap;
  self->pumped = now;
  g_mutex_unlock (&self->lock);
}

/* Processes that compute runs together end together: no exchange of theirs is sound once one of them is lost, and a run
 * that waits for it would never end. */
static void
end_together (TosstSweepWork *self, int gone)
{
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

/* Looks for a process that is lost; the exchange of the own group may be before that is known. */
static void
watch_groups (TosstSweepWork *self)
{
  int gone;

  if (!self->options->ranks || self->away || tosst_context_is_cancelled (self->context))
    return;
  gone = find_silent (self, 0, self->processes, 0, TOSST_LETTER_SILENCE);
  if (gone >= 0 || self->options->ranks->lost)
    end_together (self, gone);
}

void
tosst_sweep_read_mail (TosstSweepWork *self)
{
  gint64 now = g_get_monotonic_time ();

  note_time (self, now);
  if (now - self->told > TOSST_LETTER_EVERY * G_USEC_PER_SEC)
    {
      post_all (self, &(TosstLetter){ .kind = TOSST_LETTER_ALIVE }, NULL);
      self->told = now;
    }
  tosst_mail_pump (self->options->mail, on_mail, self);
  watch_groups (self);
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

void
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
