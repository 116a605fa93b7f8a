/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/forecast.h"

#include <math.h>

#include "core/sweep/sweep.h"
#include "studio/tasks/computing.h"

struct StudioForecast
{
  gatomicrefcount references;
  TosstRecipe *recipe; /* this and the members up to computing: constant */
  TosstDataset *dataset;
  GFile *workspace;
  int threads;
  StudioWaker *waker;

  StudioComputing computing;

  GMutex lock; /* guards the members below */
  StudioForecastNews news;
};

void
studio_forecast_news_clear (StudioForecastNews *news)
{
  g_clear_pointer (&news->refusal, g_free);
}

static void
forecast_unref (StudioForecast *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  tosst_recipe_free (self->recipe);
  tosst_dataset_unref (self->dataset);
  g_object_unref (self->workspace);
  studio_waker_unref (self->waker);
  studio_computing_clear (&self->computing);
  g_mutex_clear (&self->lock);
  studio_forecast_news_clear (&self->news);
  g_free (self);
}

/* Worker. An unreadable store counts as empty; recording into it reports the error. */
static gboolean
is_done (StudioForecast *self, const TosstSweepPlan *plan)
{
  g_autoptr (TosstSweepResult) found = NULL;

  return tosst_sweep_read_status (plan, self->workspace, NULL, &found, NULL) && found->count[TOSST_RUN_DONE] > 0;
}

/* Worker. TRUE if the time is to be estimated. */
static gboolean
tell_size (StudioForecast *self, const TosstSweepPlan *plan)
{
  StudioForecastNews news = { .known = TRUE, .done = is_done (self, plan), .seconds = NAN };
  g_autoptr (GError) error = NULL;

  tosst_run_estimate (self->recipe, self->dataset, self->threads, &news.needs);
  if (!tosst_run_fits (&news.needs, &error))
    news.refusal = g_strdup (error->message);
  news.timed = news.done || news.refusal != NULL;
  g_mutex_lock (&self->lock);
  self->news = news;
  g_mutex_unlock (&self->lock);
  studio_waker_ring (self->waker, 0);
  return !news.timed;
}

/* Worker. */
static void
tell_time (StudioForecast *self, const TosstSweepPlan *plan)
{
  const TosstSweepOptions options = { .workspace = self->workspace, .jobs = 1 };
  TosstContext *context = studio_computing_begin (&self->computing, self->threads);
  TosstSweepEstimate estimate;
  gboolean fine = tosst_sweep_estimate (plan, &options, context, &estimate, NULL);

  studio_computing_end (&self->computing);
  g_mutex_lock (&self->lock);
  self->news.timed = TRUE;
  self->news.seconds = fine ? estimate.seconds : NAN;
  g_mutex_unlock (&self->lock);
  studio_waker_ring (self->waker, 0);
}

static gpointer
work (gpointer data)
{
  StudioForecast *self = data;
  g_autoptr (TosstSweepPlan) plan = tosst_sweep_plan_new_run (self->recipe, self->dataset);

  studio_computing_yield ();
  if (tell_size (self, plan))
    tell_time (self, plan);
  forecast_unref (self);
  return NULL;
}

StudioForecast *
studio_forecast_start (const TosstRecipe *recipe, TosstDataset *dataset, GFile *workspace, int threads,
                       StudioWakeFunc wake, gpointer data)
{
  StudioForecast *self = g_new0 (StudioForecast, 1);

  g_atomic_ref_count_init (&self->references);
  g_atomic_ref_count_inc (&self->references); /* of the worker */
  self->recipe = tosst_recipe_copy (recipe);
  self->dataset = tosst_dataset_ref (dataset);
  self->workspace = g_object_ref (workspace);
  self->threads = threads;
  self->waker = studio_waker_new (wake, data);
  studio_computing_init (&self->computing);
  g_mutex_init (&self->lock);
  g_thread_unref (g_thread_new ("forecast", work, self));
  return self;
}

void
studio_forecast_take (StudioForecast *self, StudioForecastNews *news)
{
  g_mutex_lock (&self->lock);
  *news = self->news;
  news->refusal = g_strdup (self->news.refusal);
  g_mutex_unlock (&self->lock);
}

void
studio_forecast_release (StudioForecast *self)
{
  studio_waker_silence (self->waker);
  studio_computing_cancel (&self->computing);
  forecast_unref (self);
}
