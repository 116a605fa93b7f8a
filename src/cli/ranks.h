/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A command divided over the processes that mpirun or srun started. Files are written and results printed by rank 0.
 */
#pragma once

#include "cli/call.h"
#include "core/ranks/processes.h"

/* Joins the processes of the launcher, if there is one, for a command that can be divided over them; fails for others. */
gboolean cli_ranks_join (CliCall *call, const CliCommand *command, GError **error);
/* Ends the command on all ranks, after its last collective operation. ok: it succeeded on this one. *prints: this rank
 * prints its error. Returns whether it succeeded on all. */
gboolean cli_ranks_finish (gboolean ok, gboolean *prints);
/* The processes, or NULL for one alone. */
const TosstProcesses *cli_processes (void);
TosstRanks *cli_ranks (void);
/* Whether this process writes files and prints results. */
gboolean cli_is_writer (void);
/* Items first .. first + count - 1 of n are those of this rank. */
gsize cli_ranks_share (gsize n, gsize *first);
/* What the bits of results depend on must be the same on all ranks. Collective; TRUE for a process alone. */
gboolean cli_ranks_check_same (CliCall *call, GError **error);
/* Adds the messages, bytes, seconds and memory of each rank to a report. Collective. */
void cli_ranks_report (JsonObject *object);
