/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/sweep-ranks.h"

#include <string.h>

#include "cli/interrupt.h"
#include "cli/ranks.h"

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
cli_sweep_ranks_serve (CliCall *call, const TosstSweepPlan *plan, const TosstSweepOptions *options, GError **error)
{
  gboolean away = FALSE, fine;

  cli_interrupt_hold (TRUE);
  fine = tosst_sweep_serve (plan, options, cli_call_context (call), &away, error);
  cli_interrupt_hold (cli_interrupted ());
  if (away)
    cli_sweep_ranks_give_up ();
  return fine;
}

void
cli_sweep_ranks_give_up (void)
{
  cli_ranks ()->lost = cli_ranks ()->stopped = TRUE;
}
