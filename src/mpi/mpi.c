/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TosstRanks over MPI: a module that the program loads only under a launcher, so that it neither needs MPI nor starts
 * slower without one. Waiting is a loop of tests, which sees a cancellation and leaves the processor to others.
 */
#include <mpi.h>

#include <pthread.h>
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
static int level; /* of threads, which the library supports */

/* Calls of the library by the thread that joined, and by one that exchanges in a group. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Ranks that exchange messages. */
typedef struct
{
  TosstProcesses *processes;
  TosstRanks ranks; /* of a group */
  MPI_Comm comm;
  const int *given_up; /* or NULL */
  /* Messages on their way. */
  MPI_Request *request;
  int n;
  double bytes;
} Channel;

static Channel all, group;

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
start (MPI_Comm comm, const TosstMessage *message, int n, bool out, MPI_Request **request, double *bytes)
{
  for (int i = 0; i < n; i++)
    for (size_t at = 0;; at += PIECE)
      {
        size_t count = message[i].bytes - at < PIECE ? message[i].bytes - at : PIECE;
        char *data = (char *)message[i].data + at;
        int status = out ? MPI_Isend (data, (int)count, MPI_BYTE, message[i].rank, 0, comm, *request)
                         : MPI_Irecv (data, (int)count, MPI_BYTE, message[i].rank, 0, comm, *request);
        if (status != MPI_SUCCESS)
          return false;
        ++*request;
        *bytes += count;
        if (count < PIECE)
          break;
      }
  return true;
}

/* Whether waiting has no sense any more: a process of the group is lost, or this one is to end and the others do not
 * answer. */
static bool
is_in_vain (Channel *self, double time, double *cancelled)
{
  if (self->given_up && __atomic_load_n (self->given_up, __ATOMIC_ACQUIRE))
    return true;
  if (!*cancelled && self->processes->is_cancelled ())
    *cancelled = time;
  return *cancelled && time - *cancelled > self->processes->patience + self->bytes / AWAKE_BYTES;
}

static TosstStatus
wait_for (Channel *self)
{
  double since = now (), cancelled = 0, awake = AWAKE_SECONDS + self->bytes / AWAKE_BYTES;
  for (int done = 0;;)
    {
      pthread_mutex_lock (&lock);
      int status = MPI_Testall (self->n, self->request, &done, MPI_STATUSES_IGNORE);
      pthread_mutex_unlock (&lock);
      if (status != MPI_SUCCESS)
        return TOSST_CANCELLED;
      if (done)
        return TOSST_OK;
      double time = now ();
      if (is_in_vain (self, time, &cancelled))
        return TOSST_CANCELLED;
      if (time - since < awake)
        sched_yield ();
      else
        nanosleep (&(struct timespec){ .tv_nsec = NAP_NANOSECONDS }, NULL);
    }
}

static TosstStatus
begin (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  Channel *self = data;
  self->n = pieces_of (out, outs) + pieces_of (in, ins);
  self->bytes = 0;
  self->request = malloc (sizeof (MPI_Request) * (self->n + 1));
  MPI_Request *next = self->request;
  if (!next)
    return TOSST_ERROR_MEMORY;
  pthread_mutex_lock (&lock);
  bool fine = start (self->comm, in, ins, false, &next, &self->bytes)
              && start (self->comm, out, outs, true, &next, &self->bytes);
  pthread_mutex_unlock (&lock);
  return fine ? TOSST_OK : TOSST_CANCELLED;
}

static TosstStatus
end (void *data)
{
  Channel *self = data;
  TosstStatus status = wait_for (self);
  /* Requests that never end keep their memory. */
  if (status == TOSST_OK)
    free (self->request);
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
  if (!request)
    return NULL;
  pthread_mutex_lock (&lock);
  int status = out ? MPI_Isend (data, (int)bytes, MPI_BYTE, rank, 0, mail, request)
                   : MPI_Irecv (data, (int)bytes, MPI_BYTE, rank, 0, mail, request);
  pthread_mutex_unlock (&lock);
  if (status == MPI_SUCCESS)
    return request;
  free (request);
  return NULL;
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
  pthread_mutex_lock (&lock);
  TosstMailState state
      = MPI_Test (request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS ? TOSST_MAIL_FAILED : TOSST_MAIL_DONE;
  pthread_mutex_unlock (&lock);

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

  pthread_mutex_lock (&lock);
  bool found = MPI_Iprobe (MPI_ANY_SOURCE, 0, mail, &waits, &status) == MPI_SUCCESS && waits
               && MPI_Get_count (&status, MPI_BYTE, &count) == MPI_SUCCESS;
  pthread_mutex_unlock (&lock);
  if (!found)
    return false;
  *rank = status.MPI_SOURCE;
  *bytes = (size_t)count;
  return true;
}

static void
connect (Channel *self, TosstRanks *ranks, MPI_Comm comm)
{
  self->comm = comm;
  MPI_Comm_set_errhandler (comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank (comm, &ranks->rank);
  MPI_Comm_size (comm, &ranks->size);
  ranks->transfer = transfer;
  ranks->begin = begin;
  ranks->end = end;
  ranks->user_data = self;
}

static TosstRanks *
split (int number, const int *given_up)
{
  MPI_Comm comm;
  if (level < MPI_THREAD_SERIALIZED || MPI_Comm_split (world, number, all.processes->ranks.rank, &comm) != MPI_SUCCESS)
    return NULL;
  group.processes = all.processes;
  group.given_up = given_up;
  connect (&group, &group.ranks, comm);
  return &group.ranks;
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
  MPI_Comm node;
  TosstProcesses *self = calloc (1, sizeof *self);
  if (!self || MPI_Init_thread (NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
    {
      free (self);
      return NULL;
    }
  MPI_Comm_dup (MPI_COMM_WORLD, &world);
  MPI_Comm_dup (MPI_COMM_WORLD, &mail);
  MPI_Comm_set_errhandler (mail, MPI_ERRORS_RETURN);
  all.processes = self;
  connect (&all, &self->ranks, world);
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
  self->split = split;
  return self;
}

void
tosst_mpi_leave (TosstProcesses *self)
{
  if (group.processes)
    MPI_Comm_free (&group.comm);
  MPI_Comm_free (&mail);
  MPI_Comm_free (&world);
  MPI_Finalize ();
  free (self);
}
