/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/project-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/format.h"

/* The estimated cost of the run of the recipe; a run that exceeds memory or disk is refused. */

static void
say (StudioProject *self, const char *text, gboolean wrong)
{
  g_signal_emit_by_name (self, "forecast", text, wrong);
}

static gboolean
is_done (StudioProject *self)
{
  return studio_sweep_planner_count (self->forecast, TOSST_RUN_DONE) > 0;
}

/* The doubt about a value, on a line of its own. */
static void
append_doubt (char **text, const TosstRecipe *recipe)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      const char *doubt = tosst_recipe_doubt (recipe, &p[i]);
      g_autofree char *before = NULL;

      if (doubt == NULL)
        continue;
      before = *text;
      *text = g_strdup_printf ("%s\n%s: %s", before, _ (p[i].label), _ (doubt));
      return;
    }
}

/* "About 20 s, up to 1 GB of memory and 3 GB on the disk" */
static char *
describe_needs (StudioProject *self)
{
  const TosstSweepEstimate *estimate = studio_sweep_planner_get_estimate (self->forecast);
  const TosstRunEstimate *needs = studio_sweep_planner_get_needs (self->forecast);
  g_autofree char *memory = g_format_size (needs->bytes), *disk = g_format_size (needs->disk), *time = NULL;

  if (estimate == NULL || isnan (estimate->seconds))
    return needs->disk > 0 ? g_strdup_printf (_ ("Up to %s of memory and %s on the disk"), memory, disk)
                           : g_strdup_printf (_ ("Up to %s of memory"), memory);
  time = studio_format_rough_duration (estimate->seconds);
  /* Translators: a duration, an amount of memory, and one of space on the disk */
  return needs->disk > 0 ? g_strdup_printf (_ ("About %s, up to %s of memory and %s on the disk"), time, memory, disk)
                         /* Translators: a duration and an amount of memory */
                         : g_strdup_printf (_ ("About %s and up to %s of memory"), time, memory);
}

static void
on_estimated (StudioProject *self)
{
  const char *problem = studio_sweep_planner_get_problem (self->forecast);
  char *text = is_done (self)    ? g_strdup (_ ("Already run. Start shows the results"))
               : problem != NULL ? g_strdup (problem)
                                 : describe_needs (self);

  append_doubt (&text, studio_recipe_model_peek (self->model));
  say (self, text, problem != NULL && !is_done (self));
  g_free (text);
}

static void
forget_forecast (StudioProject *self)
{
  studio_sweep_planner_set_sweep (self->forecast, NULL, 1);
}

/* FALSE, with another message, if there is nothing to estimate. */
static gboolean
is_wanted (StudioProject *self)
{
  g_autoptr (GError) error = NULL;

  if (self->dataset == NULL || studio_project_is_working (self))
    say (self, NULL, FALSE);
  else if (!studio_project_check (self, &error))
    say (self, error->message, TRUE);
  else
    return TRUE;
  return FALSE;
}

static void
update (StudioProject *self)
{
  const TosstRecipe *recipe = studio_recipe_model_peek (self->model);
  const TosstSweep *present = studio_sweep_planner_get_sweep (self->forecast);
  gboolean opening = self->opening != NULL || self->reopen_source != 0;

  if (!is_wanted (self))
    {
      forget_forecast (self);
      return;
    }
  /* A change of the data set is handled by opening. */
  if (!opening && present != NULL && tosst_recipe_equal (present->base, recipe))
    return;
  forget_forecast (self);
  say (self, _ ("Estimating time and memory…"), FALSE);
  if (!opening)
    studio_sweep_planner_set_run (self->forecast, recipe, self->dataset, studio_runner_get_kept_bytes (self->runner));
}

gboolean
studio_project_refuses (StudioProject *self, StudioRunWish wish)
{
  const char *problem = studio_sweep_planner_get_problem (self->forecast);

  if (problem == NULL || (is_done (self) && wish == STUDIO_RUN_UNLESS_DONE)
      || !tosst_recipe_equal (studio_sweep_planner_get_sweep (self->forecast)->base,
                              studio_recipe_model_peek (self->model)))
    return FALSE;
  studio_project_problem (self, problem);
  return TRUE;
}

/* The runs of the store may have changed. */
static void
on_workspace (StudioProject *self)
{
  forget_forecast (self);
  update (self);
}

void
studio_project_forecast_init (StudioProject *self)
{
  studio_project_connect (self, self->forecast, "estimated", G_CALLBACK (on_estimated));
  studio_project_connect (self, self, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->model, "changed", G_CALLBACK (update));
  studio_project_connect (self, self->workspace, "changed", G_CALLBACK (on_workspace));
}
