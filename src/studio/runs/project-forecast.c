/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/project-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/format.h"

/* The estimated cost of the run of the recipe; a run that exceeds the memory is refused. */

#define SETTLE_MS 400 /* without another change */

static void
say (StudioProject *self, const char *text, gboolean wrong)
{
  g_signal_emit_by_name (self, "forecast", text, wrong);
}

/* NULL: not yet known. */
static char *
describe (const StudioForecastNews *news)
{
  g_autofree char *bytes = g_format_size (news->needs.bytes), *seconds = NULL;

  if (!news->known || !news->timed)
    return NULL;
  if (news->done)
    return g_strdup (_ ("Already run. Start shows the results"));
  if (news->refusal != NULL)
    return g_strdup (news->refusal);
  if (isnan (news->seconds))
    return g_strdup_printf (_ ("Up to %s of memory"), bytes);
  seconds = studio_format_rough_duration (news->seconds);
  /* Translators: a duration and an amount of memory */
  return g_strdup_printf (_ ("About %s and up to %s of memory"), seconds, bytes);
}

static void
on_news (gpointer data)
{
  StudioProject *self = data;
  g_auto (StudioForecastNews) news = { 0 };
  g_autofree char *text = NULL;

  studio_forecast_take (self->forecast, &news);
  text = describe (&news);
  if (text != NULL)
    say (self, text, news.refusal != NULL && !news.done);
}

void
studio_project_forget_forecast (StudioProject *self)
{
  g_clear_handle_id (&self->forecast_source, g_source_remove);
  g_clear_pointer (&self->forecast, studio_forecast_release);
  g_clear_pointer (&self->forecast_recipe, tosst_recipe_free);
}

static gboolean
on_settled (gpointer data)
{
  StudioProject *self = data;

  self->forecast_source = 0;
  self->forecast
      = studio_forecast_start (self->forecast_recipe, self->dataset, studio_workspace_get_file (self->workspace),
                               g_get_num_processors (), on_news, self);
  return G_SOURCE_REMOVE;
}

/* FALSE, with another message, if there is nothing to estimate. */
static gboolean
is_wanted (StudioProject *self)
{
  g_autoptr (GError) error = NULL;

  if (self->dataset == NULL || studio_project_is_working (self))
    say (self, NULL, FALSE);
  else if (!tosst_recipe_check (studio_recipe_model_peek (self->model), &error))
    say (self, error->message, TRUE);
  else
    return TRUE;
  return FALSE;
}

static void
update (StudioProject *self)
{
  const TosstRecipe *recipe = studio_recipe_model_peek (self->model);
  gboolean opening = self->opening != NULL || self->reopen_source != 0;

  if (!is_wanted (self))
    {
      studio_project_forget_forecast (self);
      return;
    }
  /* A change of the data set is handled by opening. */
  if (!opening && self->forecast_recipe != NULL && tosst_recipe_equal (self->forecast_recipe, recipe))
    return;
  studio_project_forget_forecast (self);
  say (self, _ ("Estimating time and memory…"), FALSE);
  if (opening)
    return;
  self->forecast_recipe = tosst_recipe_copy (recipe);
  self->forecast_source = g_timeout_add (SETTLE_MS, on_settled, self);
}

gboolean
studio_project_refuses (StudioProject *self, StudioRunWish wish)
{
  g_auto (StudioForecastNews) news = { 0 };

  if (self->forecast == NULL || !tosst_recipe_equal (self->forecast_recipe, studio_recipe_model_peek (self->model)))
    return FALSE;
  studio_forecast_take (self->forecast, &news);
  if (news.refusal == NULL || (news.done && wish == STUDIO_RUN_UNLESS_DONE))
    return FALSE;
  studio_project_problem (self, news.refusal);
  return TRUE;
}

/* The runs of the store may have changed. */
static void
on_workspace (StudioProject *self)
{
  studio_project_forget_forecast (self);
  update (self);
}

void
studio_project_forecast_init (StudioProject *self)
{
  studio_project_connect (self, self, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->model, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->workspace, "changed", G_CALLBACK (on_workspace));
}
