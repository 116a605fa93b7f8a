/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Processes (ranks) that compute together. The engine knows one operation of the library that connects them: sending and
 * receiving messages. Sums are added in the order of ranks, so that the same number of ranks gives the same bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosst/context.h"

TOSST_BEGIN_DECLS

/* A message to or from another rank. */
typedef struct
{
  int rank;
  void *data; /* only read when sent */
  size_t bytes;
} TosstMessage;

/* A rank and its connection to the others. */
typedef struct
{
  int rank; /* 0 .. size - 1 */
  int size; /* number of ranks, >= 1 */
  /* Sends and receives messages, in any order, and returns after all of them. Messages from one rank to another are
   * received in the order in which they were sent. Called by one thread at a time, on the thread that made the engine
   * call. A status other than TOSST_OK, for a rank that does not answer any more, ends all exchange. */
  TosstStatus (*transfer) (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *user_data);
  void *user_data;   /* of transfer() */
  uint64_t messages; /* sent by this rank so far; counted by the engine */
  uint64_t bytes;    /* in these messages */
  double seconds;    /* in transfer(), which includes waiting for other ranks */
  bool stopped;      /* all ranks know that one of them failed or was cancelled; see tosst_ranks_start() */
  bool elsewhere;    /* and it was another rank */
  bool lost;         /* a transfer failed */
  /* The first of two steps of transfer(), or NULL: returns before the messages have arrived. No other transfer is made
   * before end(). */
  TosstStatus (*begin) (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *user_data);
  TosstStatus (*end) (void *user_data); /* waits for the messages of begin(); NULL if that is */
} TosstRanks;

/* Collective operations: called by all ranks in the same order, with the status of this rank so far. They do nothing
 * unless all ranks are at TOSST_OK, and return the largest status of any rank on all of them; after that they return
 * at once until the next tosst_ranks_start(). A rank that fails between two of them therefore calls
 * tosst_ranks_agree() once more. self may be NULL: a process alone, whose data are complete. */

/* Starts a computation, which ends with tosst_ranks_agree(). */
void tosst_ranks_start (TosstRanks *self);
TosstStatus tosst_ranks_agree (TosstRanks *self, TosstStatus status);
/* Copies data from the rank root to all others. */
TosstStatus tosst_ranks_broadcast (TosstRanks *self, TosstStatus status, int root, void *data, size_t bytes);
/* data: count units of `bytes` each, in blocks of `per` units. Block b is copied from rank b % size to all others. */
TosstStatus tosst_ranks_gather (TosstRanks *self, TosstStatus status, void *data, size_t bytes, size_t per,
                                size_t count);
/* rows: count rows of `width` values, in blocks of `per` rows. Block b becomes its sum over ranks, in their order, on
 * rank b % size; other blocks are not changed. */
TosstStatus tosst_ranks_reduce (TosstRanks *self, TosstStatus status, double *rows, size_t width, size_t per,
                                size_t count);
/* Replaces values by their sums over ranks, on all of them. */
TosstStatus tosst_ranks_sum (TosstRanks *self, TosstStatus status, double *values, size_t n);
/* Number of units in the blocks of this rank. */
size_t tosst_ranks_own (const TosstRanks *self, size_t per, size_t count);
/* Messages between two collective operations, counted. */
TosstStatus tosst_ranks_transfer (TosstRanks *self, const TosstMessage *out, int outs, const TosstMessage *in, int ins);
/* The same in two steps: data of the messages are in use until the end. */
TosstStatus tosst_ranks_begin (TosstRanks *self, const TosstMessage *out, int outs, const TosstMessage *in, int ins);
TosstStatus tosst_ranks_end (TosstRanks *self);

TOSST_END_DECLS
