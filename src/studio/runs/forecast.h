/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* Estimates the cost of a run before it begins. A separate thread checks whether the store has the run, computes its
 * memory, then estimates its time from earlier runs or from a sample of the work. Plain data shared by both threads.
 *
 *   main thread                        worker
 *   start()                   ----->   done, needs and refusal; then, up to a second later, seconds
 *   wake()                    <-----   after each of the two
 *   take(): copies the present state
 *   release(): cancels, returns         ends by itself and releases its reference
 */
typedef struct StudioForecast StudioForecast;

typedef struct
{
  gboolean known;         /* the members up to refusal are set */
  gboolean done;          /* the store has its results */
  TosstRunEstimate needs; /* memory */
  char *refusal;          /* why the run exceeds the memory, one sentence; NULL: it fits */
  gboolean timed;         /* the estimate is final */
  double seconds;         /* NAN: unknown */
} StudioForecastNews;

void studio_forecast_news_clear (StudioForecastNews *news);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StudioForecastNews, studio_forecast_news_clear)

/* Main thread. The recipe must pass tosst_recipe_check(); the data set is the one of the recipe. wake is called with
 * data until studio_forecast_release(). */
StudioForecast *studio_forecast_start (const TosstRecipe *recipe, TosstDataset *dataset, GFile *workspace, int threads,
                                       StudioWakeFunc wake, gpointer data);
void studio_forecast_take (StudioForecast *self, StudioForecastNews *news); /* fills it in; clear it afterwards */
void studio_forecast_release (StudioForecast *self);                        /* returns at once */

G_END_DECLS
