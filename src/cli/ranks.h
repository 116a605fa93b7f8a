/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A command divided over the processes that mpirun or srun started. Files are written and results printed by rank 0.
 */
#pragma once

#include "cli/call.h"
#include "core/data/dataset.h"
#include "core/format/npy.h"
#include "core/ranks/processes.h"

/* Joins the processes of the launcher, if there is one, for a command that can be divided over them; fails for others. */
gboolean cli_ranks_join (CliCall *call, const CliCommand *command, GError **error);
/* Ends the command on all ranks, after its last collective operation. ok: it succeeded on this one. *prints: this rank
 * prints its error. Returns whether it succeeded on all. */
gboolean cli_ranks_finish (gboolean ok, gboolean *prints);
/* Then, when this process has written all of its output, leaves the others. */
void cli_ranks_leave (void);
/* This process prints its error, as process 0 is lost. */
void cli_ranks_speak (void);
/* The processes, or NULL for one alone. */
const TosstProcesses *cli_processes (void);
TosstRanks *cli_ranks (void);
/* Whether this process writes files and prints results. */
gboolean cli_is_writer (void);
/* Items first .. first + count - 1 of n are those of this rank. */
gsize cli_ranks_share (gsize n, gsize *first);
/* Bytes of rows that each rank computes before they are written. */
#define CLI_RANKS_BYTES ((gsize)64 << 20)

/* Opens the file of an output on rank 0; *writer is NULL on others. shape: as of tosst_npy_writer_new_shape(). */
gboolean cli_ranks_open (GFile *file, TosstNpyType type, int ndim, const gsize *shape, TosstNpyWriter **writer,
                         GError **error);
/* Writes n rows of `bytes` each of every rank in their order; n may be 0. Collective. */
gboolean cli_ranks_write (TosstNpyWriter *writer, gconstpointer rows, gsize n, gsize bytes, GError **error);
/* The same to memory on rank 0. *end: where the last rows ended, advanced. */
gboolean cli_ranks_copy (gpointer *end, gconstpointer rows, gsize n, gsize bytes, GError **error);
/* Saves the file, on rank 0. */
gboolean cli_ranks_keep (TosstNpyWriter *writer, GError **error);
/* On all ranks: sums of n values over ranks, in their order, or largest values. Collective. */
gboolean cli_ranks_sum (double *values, gsize n, GError **error);
gboolean cli_ranks_max (double *value, GError **error);

/* The bytes of process 0 on all of them; own: NULL on others. Collective; NULL with error. New. */
GBytes *cli_ranks_share_bytes (GBytes *own, GError **error);
/* n items, of which each process has every one of the numbers rank, rank + size ...: afterwards all have all of them. ok: this
 * process has made its own; otherwise it has set an error. Collective; TRUE for a process alone that is ok. */
gboolean cli_ranks_spread (GBytes **items, gsize n, gboolean ok, GError **error);
/* What the bits of results depend on must be the same on all ranks. Collective; TRUE for a process alone. */
gboolean cli_ranks_check_same (CliCall *call, GError **error);
/* Whether all ranks have the same images of a data set. Collective; TRUE for a process alone. */
gboolean cli_ranks_check_images (TosstDataset *dataset, GError **error);
/* Adds the messages, bytes, seconds and memory of each rank to a report. Collective. */
void cli_ranks_report (JsonObject *object);
