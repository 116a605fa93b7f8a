/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/tasks/worker.h"

#include "studio/tasks/computing.h"

struct StudioWorker
{
  gatomicrefcount references; /* held by the owner and the thread */
  const StudioWork *work;
  GThread *thread;
  StudioNotifier *notifier;
  StudioNotifyFunc notify; /* NULL: none */
  gpointer data;

  GMutex lock; /* guards the members below */
  GCond asked;
  gboolean quit, busy;
  GQueue questions; /* at most one, unless they are queued */
  GQueue answers;
  TosstContext *context; /* NULL until the thread runs: its threads inherit from it */
};

typedef void (*WorkFunc) (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session);
typedef void (*TakeFunc) (gpointer data, gpointer answer);

static void
worker_unref (StudioWorker *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_queue_clear_full (&self->questions, self->work->free_question);
  g_queue_clear_full (&self->answers, self->work->free_answer);
  g_clear_pointer (&self->context, tosst_context_free);
  studio_notifier_unref (self->notifier);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->asked);
  g_free (self);
}

void
studio_worker_put (StudioWorker *self, gpointer answer)
{
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->answers, answer);
  g_mutex_unlock (&self->lock);
  studio_notifier_queue (self->notifier, 0);
}

/* Waits for a request; NULL when the thread has to end. */
static gpointer
next_question (StudioWorker *self)
{
  g_mutex_lock (&self->lock);
  if (self->busy && g_queue_is_empty (&self->questions))
    {
      self->busy = FALSE;
      studio_notifier_queue (self->notifier, 0);
    }
  while (g_queue_is_empty (&self->questions) && !self->quit)
    g_cond_wait (&self->asked, &self->lock);
  gpointer question = self->quit && !self->work->queued ? NULL : g_queue_pop_head (&self->questions);
  if (question != NULL && self->quit)
    tosst_context_cancel (self->context);
  else if (question != NULL)
    tosst_context_reset (self->context);
  g_mutex_unlock (&self->lock);
  return question;
}

/* Under the lock. Without a context no work has begun. */
static void
cancel (StudioWorker *self)
{
  if (self->context != NULL)
    tosst_context_cancel (self->context);
}

static gpointer
run (StudioWorker *self)
{
  gpointer question, session = NULL;

  if (self->work->parallel)
    studio_lower_thread_priority ();
  TosstContext *context = tosst_context_new (self->work->parallel ? (int)g_get_num_processors () : 1);
  if (context == NULL)
    g_error ("out of memory");
  g_mutex_lock (&self->lock);
  self->context = context;
  g_mutex_unlock (&self->lock);
  while ((question = next_question (self)) != NULL)
    {
      ((WorkFunc)self->work->work) (self, self->context, question, &session);
      self->work->free_question (question);
    }
  if (session != NULL && self->work->free_session != NULL)
    self->work->free_session (session);
  worker_unref (self);
  return NULL;
}

gpointer
studio_worker_take (StudioWorker *self)
{
  g_mutex_lock (&self->lock);
  gpointer answer = g_queue_pop_head (&self->answers);
  g_mutex_unlock (&self->lock);
  return answer;
}

/* What is called may free the worker. */
static void
on_answers (gpointer data)
{
  StudioWorker *self = data;
  gpointer answer;

  g_atomic_ref_count_inc (&self->references);
  while (self->work->take != NULL && !self->quit && (answer = studio_worker_take (self)) != NULL)
    {
      ((TakeFunc)self->work->take) (self->data, answer);
      if (!self->work->keeps)
        self->work->free_answer (answer);
    }
  if (self->notify != NULL && !self->quit)
    self->notify (self->data);
  worker_unref (self);
}

StudioWorker *
studio_worker_new_for (const StudioWork *work, StudioNotifyFunc notify, gpointer data)
{
  StudioWorker *self = g_new0 (StudioWorker, 1);

  g_atomic_ref_count_init (&self->references);
  g_atomic_ref_count_inc (&self->references); /* owned by the thread */
  g_mutex_init (&self->lock);
  g_cond_init (&self->asked);
  g_queue_init (&self->questions);
  g_queue_init (&self->answers);
  self->work = work;
  self->notify = notify;
  self->data = data;
  self->notifier = studio_notifier_new (on_answers, self);
  self->thread = g_thread_new ("answers", (GThreadFunc)run, self);
  return self;
}

void
studio_worker_free (StudioWorker *self)
{
  studio_notifier_disconnect (self->notifier);
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  cancel (self);
  g_cond_signal (&self->asked);
  g_mutex_unlock (&self->lock);
  if (self->work->queued)
    g_thread_join (self->thread);
  else
    g_thread_unref (self->thread);
  worker_unref (self);
}

void
studio_worker_ask (StudioWorker *self, gpointer question)
{
  g_mutex_lock (&self->lock);
  gpointer old = self->work->queued ? NULL : g_queue_pop_head (&self->questions);
  g_queue_push_tail (&self->questions, question);
  if (self->work->interrupts && self->busy)
    {
      cancel (self);
      g_queue_clear_full (&self->answers, self->work->free_answer);
    }
  self->busy = TRUE;
  g_cond_signal (&self->asked);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&old, self->work->free_question);
}

gboolean
studio_worker_is_busy (StudioWorker *self)
{
  g_mutex_lock (&self->lock);
  gboolean busy = self->busy;
  g_mutex_unlock (&self->lock);
  return busy;
}

struct StudioNotifier
{
  gatomicrefcount references; /* of its owner, and of a pending notification */
  gint pending;               /* atomic: whether a notification is pending */

  /* Main thread only. */
  StudioNotifyFunc notify; /* NULL: disconnected */
  gpointer data;
};

StudioNotifier *
studio_notifier_new (StudioNotifyFunc notify, gpointer data)
{
  StudioNotifier *self = g_new0 (StudioNotifier, 1);

  g_atomic_ref_count_init (&self->references);
  self->notify = notify;
  self->data = data;
  return self;
}

void
studio_notifier_unref (StudioNotifier *self)
{
  if (g_atomic_ref_count_dec (&self->references))
    g_free (self);
}

/* Main thread. The flag is cleared before notify reads the news: later news queue another notification. */
static gboolean
on_queued (gpointer data)
{
  StudioNotifier *self = data;

  g_atomic_int_set (&self->pending, FALSE);
  if (self->notify != NULL)
    self->notify (self->data);
  return G_SOURCE_REMOVE;
}

void
studio_notifier_queue (StudioNotifier *self, guint delay_ms)
{
  if (!g_atomic_int_compare_and_exchange (&self->pending, FALSE, TRUE))
    return;
  g_atomic_ref_count_inc (&self->references);
  g_timeout_add_full (G_PRIORITY_DEFAULT, delay_ms, on_queued, self, (GDestroyNotify)studio_notifier_unref);
}

void
studio_notifier_disconnect (StudioNotifier *self)
{
  self->notify = NULL;
}
