/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/sweep-ranks.h"

#include <glib/gi18n.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/ranks.h"
#include "core/base/error.h"

TosstSweep *
cli_sweep_ranks_share (const TosstSweep *sweep, GError **error)
{
  char *text = sweep ? tosst_sweep_to_text (sweep) : NULL;
  g_autoptr (GBytes) own = text ? g_bytes_new_take (text, strlen (text) + 1) : NULL;
  g_autoptr (GBytes) shared = cli_ranks_share_bytes (own, error);

  if (!shared)
    return NULL;
  return sweep ? tosst_sweep_copy (sweep) : tosst_sweep_parse (g_bytes_get_data (shared, NULL), "process 0", error);
}

gboolean
cli_sweep_ranks_check (CliCall *call, const TosstSweepPlan *plan, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *text = NULL;

  if (!cli_ranks_check_same (call, error))
    return FALSE;
  for (guint i = 0; i < plan->runs->len; i++)
    g_checksum_update (sum, (const guchar *)tosst_sweep_plan_run (plan, i)->hash, -1);
  text = g_strdup_printf ("data and recipes %.16s", g_checksum_get_string (sum));
  return tosst_processes_check_same (cli_ranks (), text, error);
}

gboolean
cli_sweep_ranks_divide (CliCall *call, const TosstSweepPlan *plan, TosstSweepOptions *options, GError **error)
{
  static int given_up;
  const TosstProcesses *processes = cli_processes ();

  if (options->together == 1)
    return TRUE;
  if (!processes || processes->ranks.size % options->together != 0)
    return cli_usage_error (error, _ ("--ranks-per-run %d does not divide the number of processes, %d"),
                            options->together, processes ? processes->ranks.size : 1);
  if (options->jobs > 1)
    return cli_usage_error (error, _ ("--ranks-per-run needs --jobs 1"));
  for (guint i = 0; i < plan->runs->len; i++)
    if (!tosst_sweep_plan_run (plan, i)->problem
        && !tosst_run_check_divided (tosst_sweep_plan_run (plan, i)->recipe, error))
      return FALSE;
  options->given_up = &given_up;
  options->ranks = processes->split (processes->ranks.rank / options->together, &given_up);
  return options->ranks || tosst_fail (error, TOSST_FAILED_INPUT, _ ("the MPI library has no groups of processes"));
}

gboolean
cli_sweep_ranks_serve (CliCall *call, const TosstSweepPlan *plan, const TosstSweepOptions *options, GError **error)
{
  gboolean away = FALSE, alone = FALSE, fine;
  g_autoptr (GError) cause = NULL;

  cli_interrupt_hold (TRUE);
  fine = tosst_sweep_serve (plan, options, cli_call_context (call), &away, &alone, &cause);
  cli_interrupt_hold (cli_interrupted ());
  if (away)
    cli_sweep_ranks_give_up ();
  if (alone && cli_ranks ()->rank == 1)
    {
      cli_ranks_speak ();
      tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("%s; resume with the same command and --resume"), cause->message);
    }
  else if (!fine)
    g_propagate_error (error, g_steal_pointer (&cause));
  return fine;
}

void
cli_sweep_ranks_give_up (void)
{
  cli_ranks ()->lost = cli_ranks ()->stopped = TRUE;
}
