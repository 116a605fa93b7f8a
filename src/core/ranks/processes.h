/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes that a launcher of MPI (mpirun, srun) started together.
 */
#pragma once

#include <glib.h>

#include "core/ranks/module.h"

/* Number of processes that the launcher announces in the environment, and the number of this one: 1 and 0 without. */
int tosst_launched_tasks (void);
int tosst_launched_rank (void);

/* Joins the processes of the launcher by the module for MPI. Returns NULL without error for a process alone, and with
 * error if the module is not there. is_cancelled: see module.h. */
TosstProcesses *tosst_processes_join (bool (*is_cancelled) (void), GError **error);
/* Leaves them; NULL is allowed. */
void tosst_processes_leave (TosstProcesses *self);

/* Name and version of the MPI library behind the module; NULL: the module is not installed. New. */
char *tosst_processes_library (void);

/* Fails unless all processes have the same text, which states what their results depend on. Collective. */
gboolean tosst_processes_check_same (TosstRanks *ranks, const char *text, GError **error);
/* Bytes of each process to process 0: an array of GBytes there, else NULL. Collective; *status: of all processes. */
GPtrArray *tosst_processes_collect (TosstRanks *ranks, GBytes *own, TosstStatus *status);
