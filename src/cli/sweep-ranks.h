/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep over the processes of a launcher: process 0 reads the recipe and has the store, the others make the same plan.
 */
#pragma once

#include "cli/call.h"
#include "core/sweep/sweep.h"

G_BEGIN_DECLS

/* The sweep of process 0 on all of them; sweep: NULL on others. Collective; NULL with error. New. */
TosstSweep *cli_sweep_ranks_share (const TosstSweep *sweep, GError **error);
/* Whether all have the same runs of the same data. Collective. */
gboolean cli_sweep_ranks_check (CliCall *call, const TosstSweepPlan *plan, GError **error);
/* Makes groups of so many processes, each of which executes a run together: tosst_sweep_execute(). Collective. */
gboolean cli_sweep_ranks_divide (CliCall *call, const TosstSweepPlan *plan, TosstSweepOptions *options, GError **error);
/* Computes runs for process 0 until it has ended. */
gboolean cli_sweep_ranks_serve (CliCall *call, const TosstSweepPlan *plan, const TosstSweepOptions *options,
                                GError **error);
/* A process was lost: the others leave without it. */
void cli_sweep_ranks_give_up (void);

G_END_DECLS
