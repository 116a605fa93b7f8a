/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/forecast.h"

#include <math.h>

#include <glib/gi18n.h>

#include "cli/progress.h"
#include "core/run/run.h"
#include "core/sweep/sweep.h"

char *
cli_duration (double seconds)
{
  if (seconds < 9.5)
    return g_strdup_printf (_ ("%.1f s"), MAX (seconds, 0.1));
  if (seconds < 90)
    return g_strdup_printf (_ ("%.0f s"), seconds);
  if (seconds < 90 * 60)
    return g_strdup_printf (_ ("%.0f min"), seconds / 60);
  return g_strdup_printf (_ ("%.1f h"), seconds / 3600);
}

gboolean
cli_check_disk (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GFile *workspace, GError **error)
{
  TosstRunEstimate needs;

  tosst_run_estimate (recipe, dataset, cli_call_threads (call), &needs);
  return tosst_run_fits_disk (&needs, workspace, error);
}

gboolean
cli_estimate_time (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, double *seconds, GError **error)
{
  g_autoptr (TosstSweepPlan) plan = tosst_sweep_plan_new_run (recipe, dataset);
  const TosstSweepOptions options = { .jobs = 1 };
  TosstSweepEstimate estimate;
  CliProgress *progress = cli_progress_new (call, _ ("Measuring a few images"), 0, NULL);
  gboolean ok;

  cli_progress_set_left (progress, 0, -1);
  ok = tosst_sweep_estimate (plan, &options, cli_call_context (call), &estimate, error);
  cli_progress_free (progress);
  *seconds = ok ? estimate.seconds : NAN;
  return ok;
}

gboolean
cli_forecast (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GFile *workspace, GError **error)
{
  g_autofree char *memory = NULL, *disk = NULL;
  TosstRunEstimate needs;
  double seconds;

  tosst_run_estimate (recipe, dataset, cli_call_threads (call), &needs);
  if (!tosst_run_fits_disk (&needs, workspace, error))
    return FALSE;
  if (cli_call_flag (call, "quiet") || cli_call_flag (call, "json"))
    return TRUE;
  if (!tosst_run_fits (&needs, error) || !cli_estimate_time (call, recipe, dataset, &seconds, error))
    return FALSE;
  memory = g_format_size (needs.bytes);
  disk = needs.disk > 0 ? g_format_size (needs.disk) : g_strdup (_ ("nothing"));
  if (isfinite (seconds))
    {
      g_autofree char *time = cli_duration (seconds);

      fprintf (stderr, _ ("tosst: takes about %s, at most %s of memory, and %s on the disk\n"), time, memory, disk);
    }
  else
    fprintf (stderr, _ ("tosst: the time cannot be estimated; takes at most %s of memory, and %s on the disk\n"),
             memory, disk);
  return TRUE;
}
