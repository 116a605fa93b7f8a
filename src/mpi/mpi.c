/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TosstRanks over MPI: a module that the program loads only under a launcher, so that it neither needs MPI nor starts
 * slower without one. Waiting is a loop of tests, which sees a cancellation and leaves the processor to others.
 */
#include <mpi.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/ranks/module.h"

/* Bytes of one message of MPI, whose counts are int; longer ones are sent in pieces. */
#define PIECE ((size_t)1 << 30)
/* A wait gives up its turn of the processor only, for so long and for the time of its bytes at this rate; then it
 * sleeps between tests. */
#define AWAKE_SECONDS 0.0002
#define AWAKE_BYTES 2e9
#define NAP_NANOSECONDS 20000

TosstProcesses *tosst_mpi_join (bool (*is_cancelled) (void));
void tosst_mpi_leave (TosstProcesses *self);
void tosst_mpi_library (char *text, size_t size);

static MPI_Comm world, mail;

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static int
pieces_of (const TosstMessage *message, int n)
{
  int pieces = 0;
  for (int i = 0; i < n; i++)
    pieces += message[i].bytes / PIECE + 1;
  return pieces;
}

/* Starts the messages; returns FALSE after a failure. */
static bool
start (const TosstMessage *message, int n, bool out, MPI_Request **request, double *bytes)
{
  for (int i = 0; i < n; i++)
    for (size_t at = 0;; at += PIECE)
      {
        size_t count = message[i].bytes - at < PIECE ? message[i].bytes - at : PIECE;
        char *data = (char *)message[i].data + at;
        int status = out ? MPI_Isend (data, (int)count, MPI_BYTE, message[i].rank, 0, world, *request)
                         : MPI_Irecv (data, (int)count, MPI_BYTE, message[i].rank, 0, world, *request);
        if (status != MPI_SUCCESS)
          return false;
        ++*request;
        *bytes += count;
        if (count < PIECE)
          break;
      }
  return true;
}

static TosstStatus
wait_for (TosstProcesses *self, MPI_Request *request, int n, double bytes)
{
  double since = now (), cancelled = 0, awake = AWAKE_SECONDS + bytes / AWAKE_BYTES;
  for (int done = 0;;)
    {
      if (MPI_Testall (n, request, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
        return TOSST_CANCELLED;
      if (done)
        return TOSST_OK;
      double time = now ();
      if (!cancelled && self->is_cancelled ())
        cancelled = time;
      if (cancelled && time - cancelled > self->patience + bytes / AWAKE_BYTES)
        return TOSST_CANCELLED;
      if (time - since < awake)
        sched_yield ();
      else
        nanosleep (&(struct timespec){ .tv_nsec = NAP_NANOSECONDS }, NULL);
    }
}

/* Messages on their way. */
static struct
{
  MPI_Request *request;
  int n;
  double bytes;
} begun;

static TosstStatus
begin (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  begun.n = pieces_of (out, outs) + pieces_of (in, ins);
  begun.bytes = 0;
  begun.request = malloc (sizeof (MPI_Request) * (begun.n + 1));
  MPI_Request *next = begun.request;
  if (!next)
    return TOSST_ERROR_MEMORY;
  bool fine = start (in, ins, false, &next, &begun.bytes) && start (out, outs, true, &next, &begun.bytes);
  return fine ? TOSST_OK : TOSST_CANCELLED;
}

static TosstStatus
end (void *data)
{
  TosstStatus status = wait_for (data, begun.request, begun.n, begun.bytes);
  /* Requests that never end keep their memory. */
  if (status == TOSST_OK)
    free (begun.request);
  return status;
}

static TosstStatus
transfer (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  TosstStatus status = begin (out, outs, in, ins, data);
  return status == TOSST_OK ? end (data) : status;
}

/* Mail has a communicator of its own, whose messages no exchange takes for its own. */

static void *
start_mail (bool out, int rank, void *data, size_t bytes)
{
  MPI_Request *request = malloc (sizeof *request);

  if (!request
      || (out ? MPI_Isend (data, (int)bytes, MPI_BYTE, rank, 0, mail, request)
              : MPI_Irecv (data, (int)bytes, MPI_BYTE, rank, 0, mail, request))
             != MPI_SUCCESS)
    {
      free (request);
      return NULL;
    }
  return request;
}

static void *
mail_send (int rank, const void *data, size_t bytes)
{
  return start_mail (true, rank, (void *)data, bytes);
}

static void *
mail_receive (int rank, void *data, size_t bytes)
{
  return start_mail (false, rank, data, bytes);
}

static TosstMailState
mail_state (void *request)
{
  int done = 0;
  TosstMailState state
      = MPI_Test (request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS ? TOSST_MAIL_FAILED : TOSST_MAIL_DONE;

  if (state == TOSST_MAIL_DONE && !done)
    return TOSST_MAIL_UNDERWAY;
  free (request);
  return state;
}

static bool
mail_next (int *rank, size_t *bytes)
{
  MPI_Status status;
  int waits = 0, count = 0;

  if (MPI_Iprobe (MPI_ANY_SOURCE, 0, mail, &waits, &status) != MPI_SUCCESS || !waits
      || MPI_Get_count (&status, MPI_BYTE, &count) != MPI_SUCCESS)
    return false;
  *rank = status.MPI_SOURCE;
  *bytes = (size_t)count;
  return true;
}

void
tosst_mpi_library (char *text, size_t size)
{
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version (version, &length);
  snprintf (text, size, "%.*s", (int)strcspn (version, ",\n"), version);
}

TosstProcesses *
tosst_mpi_join (bool (*is_cancelled) (void))
{
  int given;
  MPI_Comm node;
  TosstProcesses *self = calloc (1, sizeof *self);
  if (!self || MPI_Init_thread (NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
    {
      free (self);
      return NULL;
    }
  MPI_Comm_dup (MPI_COMM_WORLD, &world);
  MPI_Comm_dup (MPI_COMM_WORLD, &mail);
  MPI_Comm_set_errhandler (world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler (mail, MPI_ERRORS_RETURN);
  MPI_Comm_rank (world, &self->ranks.rank);
  MPI_Comm_size (world, &self->ranks.size);
  MPI_Comm_split_type (world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank (node, &self->node_rank);
  MPI_Comm_size (node, &self->node_size);
  MPI_Comm_free (&node);
  tosst_mpi_library (self->library, sizeof self->library);
  self->is_cancelled = is_cancelled;
  self->mail_send = mail_send;
  self->mail_receive = mail_receive;
  self->mail_state = mail_state;
  self->mail_next = mail_next;
  self->patience = TOSST_RANKS_PATIENCE;
  self->ranks.transfer = transfer;
  self->ranks.begin = begin;
  self->ranks.end = end;
  self->ranks.user_data = self;
  return self;
}

void
tosst_mpi_leave (TosstProcesses *self)
{
  MPI_Comm_free (&mail);
  MPI_Comm_free (&world);
  MPI_Finalize ();
  free (self);
}
