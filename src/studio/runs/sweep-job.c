/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/sweep-job.h"

#include "studio/runs/workspace.h"
#include "studio/tasks/computing.h"

#define WAKE_MS 50 /* a sweep of short runs has frequent news */

struct StudioSweepJob
{
  /* Set before the thread starts, then constant. */
  StudioSweepPlan *plan;
  GFile *workspace;
  char *title;
  TosstSweepOptions options; /* with the two above */
  int threads;
  GThread *thread;
  StudioWaker *waker;

  StudioComputing computing;

  GMutex lock; /* guards the members below */
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

/* Worker, with the lock held: releases it and requests a wake-up. */
static void
unlock_and_wake (StudioSweepJob *self)
{
  g_mutex_unlock (&self->lock);
  studio_waker_ring (self->waker, WAKE_MS);
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
  unlock_and_wake (self);
}

static void
on_stage (guint run, TosstStage stage, int split, double fraction, gpointer data)
{
  StudioSweepJob *self = data;

  g_mutex_lock (&self->lock);
  self->update.run = (int)run;
  self->update.stage = stage;
  self->update.split = split;
  unlock_and_wake (self);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  StudioSweepJob *self = data;

  g_mutex_lock (&self->lock);
  self->update.fraction = fraction;
  self->update.seconds_left = seconds_left;
  unlock_and_wake (self);
}

static void
on_notice (const char *sentence, gpointer data)
{
  StudioSweepJob *self = data;

  g_mutex_lock (&self->lock);
  g_free (self->update.notice);
  self->update.notice = g_strdup (sentence);
  unlock_and_wake (self);
}

/* Also creates its folder. */
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

  studio_computing_yield ();
  context = studio_computing_begin (&self->computing, self->threads);
  if (make_store (self, &error))
    tosst_sweep_execute (self->plan->plan, &self->options, context, &observer, &result, &error);
  studio_computing_end (&self->computing);

  g_mutex_lock (&self->lock);
  self->update.finished = TRUE;
  self->update.error = g_steal_pointer (&error);
  unlock_and_wake (self);
  return NULL;
}

StudioSweepJob *
studio_sweep_job_start (StudioSweepPlan *plan, const TosstSweepOptions *options, int threads, StudioWakeFunc wake,
                        gpointer data)
{
  StudioSweepJob *self = g_new0 (StudioSweepJob, 1);

  g_mutex_init (&self->lock);
  studio_computing_init (&self->computing);
  self->update.seconds_left = -1;
  self->update.run = -1;
  self->plan = studio_sweep_plan_ref (plan);
  self->workspace = g_object_ref (options->workspace);
  self->title = g_strdup (options->title);
  self->options = *options;
  self->options.workspace = self->workspace;
  self->options.title = self->title;
  self->threads = threads;
  self->waker = studio_waker_new (wake, data);
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
  studio_computing_pause (&self->computing, pause);
}

void
studio_sweep_job_cancel (StudioSweepJob *self)
{
  studio_computing_cancel (&self->computing);
}

void
studio_sweep_job_release (StudioSweepJob *self)
{
  studio_waker_silence (self->waker);
  studio_sweep_job_cancel (self);
  g_thread_join (self->thread);
  studio_waker_unref (self->waker);
  studio_sweep_update_clear (&self->update);
  studio_sweep_plan_unref (self->plan);
  g_object_unref (self->workspace);
  g_free (self->title);
  studio_computing_clear (&self->computing);
  g_mutex_clear (&self->lock);
  g_free (self);
}
