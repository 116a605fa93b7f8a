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
/* Bytes of each process to all of them: an array of GBytes, or NULL. */
GPtrArray *tosst_processes_exchange (TosstRanks *ranks, GBytes *own, TosstStatus *status);

/* Mail between processes: messages of any size at any time, beside the exchange of TosstRanks, which all take part in. */

typedef struct TosstMail TosstMail;

TosstMail *tosst_mail_new (TosstProcesses *processes); /* borrowed */
/* Messages that are still underway keep their memory. */
void tosst_mail_free (TosstMail *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstMail, tosst_mail_free)

int tosst_mail_rank (const TosstMail *self); /* of this process */
int tosst_mail_size (const TosstMail *self); /* number of processes */
int tosst_mail_node_size (const TosstMail *self);

/* Sends a message (taken) as soon as tosst_mail_pump() comes to it. From any thread. body: NULL, or the second part of a
 * message (taken): a large one is not copied. */
void tosst_mail_post (TosstMail *self, int rank, GBytes *head, GBytes *body);

typedef void (*TosstMailFunc) (int rank, GBytes *message, gpointer data);

/* Goes on with what is underway, by the thread that joined, and calls func for each message that has arrived. Returns
 * whether anything moved. */
gboolean tosst_mail_pump (TosstMail *self, TosstMailFunc func, gpointer data);
/* Whether all messages have been sent. */
gboolean tosst_mail_is_sent (TosstMail *self);

/* A process that does not answer any more: messages to it are dropped. */
void tosst_mail_forget (TosstMail *self, int rank);
gboolean tosst_mail_is_lost (TosstMail *self, int rank); /* forgotten, or sending failed */
