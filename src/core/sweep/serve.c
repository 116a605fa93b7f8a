/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A process that computes runs for the one with the store. A thread for each job executes the run that its last letter
 * names and posts what it reports; the calling thread sends and receives. Results that runs share are kept here for the
 * runs that come here: those with the same dictionary do.
 */
#include "core/base/error.h"
#include "core/run/transfer.h"
#include "core/sweep/private.h"

/* Interval of reports of a fraction, microseconds, and of signs of life while runs are being ended. */
#define EVERY 100000

struct Service;

/* A thread that executes runs one after another. */
typedef struct
{
  struct Service *service;
  GThread *thread;
  TosstContext *context;
  GAsyncQueue *letters; /* GBytes *; runs, and an empty message: nothing follows */
  int slot;
  gint busy; /* atomic */

  /* The current run. */
  int run;
  TosstRunStart *start;
  TosstStage stage;
  int split;
  gint64 staged, reported;
} Slot;

typedef struct Service
{
  const TosstSweepPlan *plan;
  const TosstSweepOptions *options;
  TosstContext *context;
  TosstMail *mail;
  TosstStageCache *cache;
  TosstSweepShare *share;
  Slot *slots;
  int n;
  guint8 *reserved; /* for each run: its shared results are */
  gint64 heard, told, idle, pumped;
  gboolean ended, away, alone, asked, failed;
} Service;

static void
post (Slot *self, TosstLetter letter, GBytes *content)
{
  letter.slot = self->slot;
  letter.run = self->run;
  tosst_letter_post (self->service->mail, 0, &letter, content);
}

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  Slot *self = data;
  gint64 now = g_get_monotonic_time ();

  if (stage == self->stage && split == self->split && now - self->staged < EVERY)
    return;
  self->stage = stage;
  self->split = split;
  self->staged = now;
  post (self, (TosstLetter){ .kind = TOSST_LETTER_STAGE, .stage = (int)stage, .split = split, .a = fraction }, NULL);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  Slot *self = data;
  gint64 now = g_get_monotonic_time ();

  if (now - self->reported < EVERY)
    return;
  self->reported = now;
  post (self, (TosstLetter){ .kind = TOSST_LETTER_PROGRESS, .a = fraction, .b = seconds_left }, NULL);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  g_autoptr (GBytes) content = g_bytes_new (iteration, sizeof *iteration);

  post (data, (TosstLetter){ .kind = TOSST_LETTER_ITERATION, .split = split }, content);
}

static void
on_split (const TosstSplitResult *result, gpointer data)
{
  Slot *self = data;
  const TosstSweepRun *run = tosst_sweep_plan_run (self->service->plan, (guint)self->run);
  g_autoptr (GBytes) content = tosst_run_pack_split (result, (int)run->dataset->classes->len);

  post (self, (TosstLetter){ .kind = TOSST_LETTER_SPLIT, .split = result->split }, content);
}

static void
save_checkpoint (int split, GBytes *checkpoint, gpointer data)
{
  post (data, (TosstLetter){ .kind = TOSST_LETTER_CHECKPOINT, .split = split }, checkpoint);
}

static GBytes *
load_checkpoint (int split, gpointer data)
{
  Slot *self = data;

  return split == self->start->split && self->start->checkpoint ? g_bytes_ref (self->start->checkpoint) : NULL;
}

static GFile *
place_checkpoint (int split, gpointer data)
{
  return tosst_run_start_file (((Slot *)data)->start, split);
}

/* Executes the run by itself or, with others, its part of it: the first one of these has checkpoints and reports. */
static TosstRunResult *
execute_run (Slot *self, const TosstSweepRun *run, TosstRunResult **partial, GError **error)
{
  Service *service = self->service;
  TosstRanks *ranks = service->options->ranks;
  gboolean reports = !ranks || ranks->rank == 0;
  const TosstRunObserver observer = { on_stage, on_progress, on_iteration, on_split, self };
  /* Large checkpoints are written where all processes see them, or not at all. */
  TosstRunOptions options = { .done = (const TosstSplitResult *)(const void *)self->start->done->data,
                              .n_done = (int)self->start->done->len,
                              .cache = service->cache,
                              .interval = service->options->checkpoint,
                              .save = reports ? save_checkpoint : NULL,
                              .load = reports ? load_checkpoint : NULL,
                              .place = reports && g_hash_table_size (self->start->files) > 0 ? place_checkpoint : NULL,
                              .ranks = ranks,
                              .data = self };

  tosst_ranks_start (ranks);
  TosstRunResult *result = tosst_run_execute_with (run->recipe, run->dataset, self->context, reports ? &observer : NULL,
                                                   &options, partial, error);
  if (ranks && !ranks->stopped)
    tosst_ranks_agree (ranks, result ? TOSST_OK : TOSST_ERROR_ARGUMENT);
  return result;
}

static void
execute (Slot *self, const TosstLetter *letter, GBytes *content)
{
  Service *service = self->service;
  const TosstSweepRun *run = tosst_sweep_plan_run (service->plan, (guint)letter->run);
  g_autoptr (TosstRunResult) result = NULL, partial = NULL;
  g_autoptr (GError) error = NULL;
  TosstStageCounts counts;

  self->run = letter->run;
  self->stage = TOSST_N_STAGES;
  self->start = tosst_run_unpack_start (content, (int)run->dataset->classes->len);
  if (self->start)
    result = execute_run (self, run, &partial, &error);
  else
    tosst_fail (&error, TOSST_FAILED_INPUT, _ ("another process sent what this one cannot read"));
  /* What the cache of this process did so far. */
  tosst_stage_cache_count (self->service->cache, &counts);
  g_autoptr (GBytes) counted = g_bytes_new (&counts, sizeof counts);
  post (self, (TosstLetter){ .kind = TOSST_LETTER_COUNTS }, counted);
  g_autoptr (GBytes) end = tosst_run_pack_end (result ? result : partial, error);
  post (self, (TosstLetter){ .kind = TOSST_LETTER_FINISHED }, end);
  g_clear_pointer (&self->start, tosst_run_start_free);
}

static gpointer
slot_main (gpointer data)
{
  Slot *self = data;

  for (;;)
    {
      g_autoptr (GBytes) message = g_async_queue_pop (self->letters), content = NULL;
      TosstLetter letter;

      if (!tosst_letter_read (message, &letter, &content))
        return NULL;
      g_atomic_int_set (&self->busy, TRUE);
      if (content)
        execute (self, &letter, content);
      g_atomic_int_set (&self->busy, FALSE);
    }
}

static void
reserve (Service *self, GBytes *pending)
{
  gsize n = 0;
  const guint8 *is_pending = pending ? g_bytes_get_data (pending, &n) : NULL;

  self->reserved = g_new0 (guint8, self->plan->runs->len);
  for (guint i = 0; i < MIN (n, self->plan->runs->len); i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (self->plan, i);

      self->reserved[i] = is_pending[i] && run->dataset;
      if (self->reserved[i])
        tosst_stage_cache_reserve (self->cache, run->recipe, run->dataset);
    }
}

static void
release (Service *self, int run)
{
  const TosstSweepRun *what = tosst_sweep_plan_run (self->plan, (guint)run);

  if (!self->reserved || !self->reserved[run])
    return;
  self->reserved[run] = FALSE;
  tosst_stage_cache_release (self->cache, what->recipe, what->dataset);
}

/* Starts n jobs, among which the threads are divided. */
static void
start_slots (Service *self, int n)
{
  int threads = tosst_context_threads (self->context);

  self->slots = g_new0 (Slot, MAX (n, 1));
  for (int i = 0; i < n; i++)
    {
      Slot *slot = &self->slots[i];

      *slot = (Slot){ .service = self, .slot = i, .context = tosst_context_new (MAX (1, threads / n)) };
      if (!slot->context)
        {
          self->failed = TRUE;
          return;
        }
      slot->letters = g_async_queue_new_full ((GDestroyNotify)g_bytes_unref);
      slot->thread = g_thread_new ("sweep", slot_main, slot);
      self->n++;
    }
}

static void
cancel_slots (Service *self)
{
  for (int i = 0; i < self->n; i++)
    tosst_context_cancel (self->slots[i].context);
}

/* No process waits for the others of its group any more, nor takes leave of them. */
static void
give_up (Service *self)
{
  self->away = TRUE;
  if (self->options->given_up)
    g_atomic_int_set (self->options->given_up, TRUE);
}

static void
tell_slot (Service *self, const TosstLetter *letter, GBytes *message)
{
  if (letter->slot < 0 || letter->slot >= self->n)
    return;
  Slot *slot = &self->slots[letter->slot];

  if (letter->kind == TOSST_LETTER_PAUSE)
    tosst_context_pause (slot->context);
  else if (letter->kind == TOSST_LETTER_RESUME)
    tosst_context_resume (slot->context);
  else if (letter->kind == TOSST_LETTER_CANCEL)
    {
      if (letter->away)
        give_up (self);
      tosst_context_cancel (slot->context);
    }
  else
    {
      g_atomic_int_set (&slot->busy, TRUE);
      g_async_queue_push (slot->letters, g_bytes_ref (message));
    }
}

static void
on_mail (int rank, GBytes *message, gpointer data)
{
  Service *self = data;
  g_autoptr (GBytes) content = NULL;
  TosstLetter letter;

  if (!tosst_letter_read (message, &letter, &content))
    return;
  if (rank == 0)
    self->heard = g_get_monotonic_time ();
  if (tosst_sweep_share_take (self->share, rank, &letter, content))
    return;
  switch (letter.kind)
    {
    case TOSST_LETTER_START:
      reserve (self, content);
      start_slots (self, letter.slot);
      if (self->asked)
        cancel_slots (self);
      break;
    case TOSST_LETTER_RELEASE:
      release (self, letter.run);
      break;
    case TOSST_LETTER_RUN:
    case TOSST_LETTER_PAUSE:
    case TOSST_LETTER_RESUME:
    case TOSST_LETTER_CANCEL:
      tell_slot (self, &letter, message);
      break;
    case TOSST_LETTER_CLOSE:
      tosst_letter_post (self->mail, 0, &(TosstLetter){ .kind = TOSST_LETTER_CLOSE, .slot = -1 }, NULL);
      break;
    case TOSST_LETTER_END:
      self->ended = TRUE;
      if (letter.away)
        give_up (self);
      break;
    default:
      break;
    }
}

static gboolean
is_busy (Service *self)
{
  for (int i = 0; i < self->n; i++)
    if (g_atomic_int_get (&self->slots[i].busy))
      return TRUE;
  return FALSE;
}

/* Until process 0 ends the sweep: when this process is asked to end, its last letters let it. */
static gboolean
serve (Service *self, GError **error)
{
  while (!self->ended)
    {
      gint64 now = g_get_monotonic_time (), gap = self->pumped ? now - self->pumped : 0;

      self->pumped = now;
      if (self->heard && gap > TOSST_LETTER_GAP * G_USEC_PER_SEC)
        self->heard += gap;
      gboolean moved = tosst_mail_pump (self->mail, on_mail, self);

      if (!self->asked && tosst_context_is_cancelled (self->context))
        {
          self->asked = TRUE;
          cancel_slots (self);
        }
      if (now - self->told > (self->asked ? EVERY : TOSST_LETTER_EVERY * G_USEC_PER_SEC))
        {
          tosst_letter_post (self->mail, 0, &(TosstLetter){ .kind = TOSST_LETTER_ALIVE, .slot = -1 }, NULL);
          self->told = now;
        }
      if (!self->asked || is_busy (self) || !tosst_mail_is_sent (self->mail))
        self->idle = now;
      else if (now - self->idle > TOSST_LETTER_SILENCE * G_USEC_PER_SEC)
        break;
      if (self->failed)
        return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%d threads could not be started; lower --threads or --jobs"),
                           tosst_context_threads (self->context));
      /* Whether process 0 still answers; it says nothing before the first letter. */
      self->alone = tosst_mail_is_lost (self->mail, 0)
                    || (self->heard && now - self->heard > (gint64)TOSST_LETTER_SILENCE * G_USEC_PER_SEC);
      /* Without the exchange of its group this process is of no use: its silence tells process 0. */
      if (self->alone
          || (self->options->ranks && self->options->ranks->lost && !self->away
              && !tosst_context_is_cancelled (self->context)))
        {
          give_up (self);
          return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
        }
      if (!moved)
        g_usleep (TOSST_LETTER_TICK);
    }
  return !self->asked || tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("interrupted"));
}

static void
clear (Service *self)
{
  cancel_slots (self);
  for (int i = 0; i < self->n; i++)
    {
      Slot *slot = &self->slots[i];

      g_async_queue_push (slot->letters, g_bytes_new (NULL, 0));
      g_thread_join (slot->thread);
      g_async_queue_unref (slot->letters);
      tosst_context_free (slot->context);
    }
  g_free (self->slots);
  g_free (self->reserved);
}

gboolean
tosst_sweep_serve (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context, gboolean *away,
                   gboolean *alone, GError **error)
{
  Service self = { .plan = plan, .options = options, .context = context, .mail = options->mail };

  self.cache = tosst_sweep_cache_new (tosst_mail_node_size (options->mail));
  self.share = options->ranks ? NULL : tosst_sweep_share_new (options->mail, self.cache);
  gboolean fine = serve (&self, error);
  clear (&self);
  tosst_sweep_share_free (self.share);
  tosst_stage_cache_free (self.cache);
  *away = self.away;
  *alone = self.alone;
  return fine;
}
