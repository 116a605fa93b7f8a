/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the program and its module for MPI (src/mpi) know of each other.
 */
#pragma once

#include "tosst/ranks.h"

typedef enum
{
  TOSST_MAIL_UNDERWAY,
  TOSST_MAIL_DONE,
  TOSST_MAIL_FAILED,
} TosstMailState;

/* This process among those that a launcher started. */
typedef struct
{
  TosstRanks ranks;
  int node_rank, node_size; /* among the processes on this machine */
  char library[256];        /* name and version of the MPI library, one line */
  bool (*is_cancelled) (void);
  /* Mail: messages at any time, beside the exchange of ranks, by the thread that joined. Those from one process to
   * another arrive in the order in which they were sent. A request is NULL after a failure; its data must remain until
   * mail_state() ends it, by any other state than TOSST_MAIL_UNDERWAY. */
  void *(*mail_send) (int rank, const void *data, size_t bytes);
  void *(*mail_receive) (int rank, void *data, size_t bytes); /* the message that mail_next() has named */
  TosstMailState (*mail_state) (void *request);
  bool (*mail_next) (int *rank, size_t *bytes); /* whether a message waits to be received */
  /* The processes of this group among all, which know each other by their numbers in it; every process calls it once, with
   * the number of its group. Its functions may be called by another thread than the one that joined. Waits end once
   * *given_up is not 0. Lives until the processes leave; NULL: the library cannot do it. */
  TosstRanks *(*split) (int group, const int *given_up);
  double patience; /* seconds of a wait after is_cancelled() tells true; TOSST_RANKS_PATIENCE at first */
} TosstProcesses;

/* Joins the other processes. is_cancelled: asked while waiting for others. After it tells true, a wait of more than
 * `patience`, which it may change, is given up: the others have ended. NULL: MPI could not be started; it has said why. */
typedef TosstProcesses *(*TosstRanksJoin) (bool (*is_cancelled) (void));
/* To be called by all processes, unless the exchange is lost. */
typedef void (*TosstRanksLeave) (TosstProcesses *self);
/* Name and version of the library, at most `size` bytes; without joining. */
typedef void (*TosstRanksLibrary) (char *text, size_t size);

#define TOSST_RANKS_JOIN "tosst_mpi_join"
#define TOSST_RANKS_LEAVE "tosst_mpi_leave"
#define TOSST_RANKS_LIBRARY "tosst_mpi_library"
#define TOSST_RANKS_PATIENCE 0.3 /* seconds; Open MPI kills processes a second after asking them to end */
/* The same where nothing kills: all have agreed to stop and rank 0 saves, and the launcher kills it if another one leaves. */
#define TOSST_RANKS_SAVING 300
