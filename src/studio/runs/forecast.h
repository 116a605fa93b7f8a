/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* What a run will take, before it begins. A thread of its own looks whether the store has it, reckons its memory, and
 * then its time: by earlier runs, or by a sample of the work. Plain data that both threads hold.
 *
 *   main thread                        worker
 *   start()                   ----->   done, needs and refusal; then, maybe a second later, seconds
 *   wake()                    <-----   after each of the two
 *   take(): copies what there is
 *   release(): cancels, goes on        ends by itself and lets go of its part
 */
typedef struct StudioForecast StudioForecast;

typedef struct
{
  gboolean known;         /* what follows, up to refusal */
  gboolean done;          /* the store has its results */
  TosstRunEstimate needs; /* memory */
  char *refusal;          /* why it would not fit, one sentence; NULL: it fits */
  gboolean timed;         /* nothing more is to come */
  double seconds;         /* NAN: not known */
} StudioForecastNews;

void studio_forecast_news_clear (StudioForecastNews *news);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StudioForecastNews, studio_forecast_news_clear)

/* Main thread. The recipe must pass tosst_recipe_check(); the data set is the recipe's. wake is called with data until
 * studio_forecast_release(). */
StudioForecast *studio_forecast_start (const TosstRecipe *recipe, TosstDataset *dataset, GFile *workspace, int threads,
                                       StudioWakeFunc wake, gpointer data);
void studio_forecast_take (StudioForecast *self, StudioForecastNews *news); /* fills it in; clear it afterwards */
void studio_forecast_release (StudioForecast *self);                        /* returns at once */

G_END_DECLS
