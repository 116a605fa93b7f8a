/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "sweep-job.h"

#ifdef __linux__
#include <sys/resource.h>
#endif

#include "workspace.h"

#define NICENESS 5 /* as many threads as cores must not keep the window waiting */
#define WAKE_MS 50 /* a sweep of short runs has much to tell */

struct StudioSweepJob
{
  gatomicrefcount references;

  /* Set before the thread starts, constant then. */
  StudioSweepPlan *plan;
  GFile *workspace;
  char *title;
  TosstSweepOptions options; /* with the two above */
  int threads;
  GThread *thread;

  /* Main thread only. */
  void (*wake) (gpointer data);
  gpointer wake_data;

  GMutex lock;           /* guards what follows */
  TosstContext *context; /* the worker's while it computes, else NULL */
  gboolean paused, cancelled, wake_pending;
  StudioSweepUpdate update;
};

static void
clear_news (gpointer data)
{
  g_free (((StudioSweepNews *)data)->outcome.reason);
}

void
studio_sweep_update_clear (StudioSweepUpdate *update)
{
  g_clear_pointer (&update->news, g_array_unref);
  g_clear_pointer (&update->notice, g_free);
  g_clear_error (&update->error);
}

static void
job_unref (StudioSweepJob *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  studio_sweep_update_clear (&self->update);
  studio_sweep_plan_unref (self->plan);
  g_object_unref (self->workspace);
  g_free (self->title);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Main thread. */
static gboolean
on_wake (gpointer data)
{
  StudioSweepJob *self = data;

  g_mutex_lock (&self->lock);
  self->wake_pending = FALSE;
  g_mutex_unlock (&self->lock);
  if (self->wake != NULL)
    self->wake (self->wake_data);
  return G_SOURCE_REMOVE;
}

/* Worker, with the lock held: gives it back and asks for a wake-up unless one is on its way. */
static void
unlock_and_wake (StudioSweepJob *self, guint delay)
{
  gboolean pending = self->wake_pending;

  self->wake_pending = TRUE;
  g_mutex_unlock (&self->lock);
  if (pending)
    return;
  g_atomic_ref_count_inc (&self->references);
  g_timeout_add_full (G_PRIORITY_DEFAULT, delay, on_wake, self, (GDestroyNotify)job_unref);
}

static void
on_run (guint run, const TosstSweepOutcome *outcome, gpointer data)
{
  StudioSweepJob *self = data;
  StudioSweepNews news = { run, *outcome };

  news.outcome.reason = g_strdup (outcome->reason);
  g_mutex_lock (&self->lock);
  if (self->update.news == NULL)
    {
      self->update.news = g_array_new (FALSE, FALSE, sizeof (StudioSweepNews));
      g_array_set_clear_func (self->update.news, clear_news);
    }
  g_array_append_val (self->update.news, news);
  unlock_and_wake (self, WAKE_MS);
}

static void
on_stage (guint run, TosstStage stage, int split, double fraction, gpointer data)
{
  StudioSweepJob *self = data;

  g_mutex_lock (&self->lock);
  self->update.run = (int)run;
  self->update.stage = stage;
  self->update.split = split;
  unlock_and_wake (self, WAKE_MS);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  StudioSweepJob *self = data;

  g_mutex_lock (&self->lock);
  self->update.fraction = fraction;
  self->update.seconds_left = seconds_left;
  unlock_and_wake (self, WAKE_MS);
}

static void
on_notice (const char *sentence, gpointer data)
{
  StudioSweepJob *self = data;

  g_mutex_lock (&self->lock);
  g_free (self->update.notice);
  self->update.notice = g_strdup (sentence);
  unlock_and_wake (self, WAKE_MS);
}

/* What was asked for meanwhile holds. */
static TosstContext *
begin_computing (StudioSweepJob *self)
{
  TosstContext *context = tosst_context_new (self->threads);

  if (context == NULL)
    g_error ("out of memory");
  g_mutex_lock (&self->lock);
  self->context = context;
  if (self->paused)
    tosst_context_pause (context);
  if (self->cancelled)
    tosst_context_cancel (context);
  g_mutex_unlock (&self->lock);
  return context;
}

static void
end_computing (StudioSweepJob *self)
{
  TosstContext *context;

  g_mutex_lock (&self->lock);
  context = g_steal_pointer (&self->context);
  g_mutex_unlock (&self->lock);
  tosst_context_free (context);
}

/* And the folder for it. */
static gboolean
make_store (StudioSweepJob *self, GError **error)
{
  g_autoptr (TosstStore) store = studio_workspace_open_store (self->workspace, TOSST_STORE_WRITE, error);

  if (store != NULL && tosst_store_notice (store) != NULL)
    on_notice (tosst_store_notice (store), self);
  return store != NULL;
}

static gpointer
work (gpointer data)
{
  StudioSweepJob *self = data;
  const TosstSweepObserver observer = { on_run, on_stage, on_progress, on_notice, self };
  g_autoptr (TosstSweepResult) result = NULL;
  g_autoptr (GError) error = NULL;
  TosstContext *context;

#ifdef __linux__
  setpriority (PRIO_PROCESS, 0, NICENESS); /* of this thread, and of those that it starts */
#endif
  context = begin_computing (self);
  if (make_store (self, &error))
    tosst_sweep_execute (self->plan->plan, &self->options, context, &observer, &result, &error);
  end_computing (self);

  g_mutex_lock (&self->lock);
  self->update.finished = TRUE;
  self->update.error = g_steal_pointer (&error);
  self->wake_pending = TRUE;
  g_mutex_unlock (&self->lock);
  /* The worker's own reference goes with this wake-up, so that the job is freed on the main thread. */
  g_timeout_add_full (G_PRIORITY_DEFAULT, 0, on_wake, self, (GDestroyNotify)job_unref);
  return NULL;
}

StudioSweepJob *
studio_sweep_job_start (StudioSweepPlan *plan, const TosstSweepOptions *options, int threads,
                        void (*wake) (gpointer data), gpointer data)
{
  StudioSweepJob *self = g_new0 (StudioSweepJob, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->lock);
  self->update.seconds_left = -1;
  self->update.run = -1;
  self->plan = studio_sweep_plan_ref (plan);
  self->workspace = g_object_ref (options->workspace);
  self->title = g_strdup (options->title);
  self->options = *options;
  self->options.workspace = self->workspace;
  self->options.title = self->title;
  self->threads = threads;
  self->wake = wake;
  self->wake_data = data;
  g_atomic_ref_count_inc (&self->references);
  self->thread = g_thread_new ("sweep", work, self);
  return self;
}

void
studio_sweep_job_take (StudioSweepJob *self, StudioSweepUpdate *update)
{
  g_mutex_lock (&self->lock);
  *update = self->update;
  self->update.news = NULL;
  self->update.notice = NULL;
  self->update.error = NULL;
  g_mutex_unlock (&self->lock);
}

void
studio_sweep_job_pause (StudioSweepJob *self, gboolean pause)
{
  g_mutex_lock (&self->lock);
  self->paused = pause;
  if (self->context != NULL && pause)
    tosst_context_pause (self->context);
  else if (self->context != NULL)
    tosst_context_resume (self->context);
  g_mutex_unlock (&self->lock);
}

void
studio_sweep_job_cancel (StudioSweepJob *self)
{
  g_mutex_lock (&self->lock);
  self->cancelled = TRUE;
  if (self->context != NULL)
    tosst_context_cancel (self->context);
  g_mutex_unlock (&self->lock);
}

void
studio_sweep_job_release (StudioSweepJob *self)
{
  self->wake = NULL;
  studio_sweep_job_cancel (self);
  g_thread_join (self->thread);
  job_unref (self);
}
