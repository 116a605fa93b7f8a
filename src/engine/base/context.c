/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/context.h"

#include <cblas.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* How often a paused thread looks whether it has been cancelled: cancelling must be safe inside a signal handler, so it
 * only stores a flag and wakes nobody. */
#define PAUSE_POLL_NS 20000000L

typedef struct
{
  TosstContext *context;
  pthread_t thread;
  int index; /* worker number, 1 .. threads - 1; the caller is worker 0 */
} Worker;

struct TosstContext
{
  int threads;
  int started; /* workers that really run */
  Worker *workers;

  TosstProgressFunc progress;
  void *progress_data;
  TosstRange range; /* where 0 .. 1 of the call at hand lies in the whole */
  char message[512];

  atomic_bool cancelled;
  atomic_bool paused;

  pthread_mutex_t lock; /* guards what follows, and the two conditions */
  pthread_cond_t work;  /* a new loop, or the end */
  pthread_cond_t idle;  /* the last worker left the loop */
  double paused_since;  /* monotonic seconds; valid while paused */
  double paused_total;
  unsigned generation; /* counts loops, so that a worker knows a new one */
  int busy;            /* workers still in the loop */
  bool quit;

  /* The loop at hand; written by the caller before it wakes the workers. */
  TosstTaskFunc task;
  void *task_data;
  size_t items;
  atomic_size_t next;
  atomic_size_t done;
  atomic_int status; /* first TosstStatus that is not TOSST_OK */
};

static double
monotonic_seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

bool
tosst_context_is_cancelled (TosstContext *context)
{
  return atomic_load_explicit (&context->cancelled, memory_order_relaxed);
}

bool
tosst_context_is_paused (TosstContext *context)
{
  return atomic_load_explicit (&context->paused, memory_order_relaxed);
}

bool
tosst_context_checkpoint (TosstContext *context)
{
  while (atomic_load_explicit (&context->paused, memory_order_relaxed) && !tosst_context_is_cancelled (context))
    nanosleep (&(struct timespec){ .tv_nsec = PAUSE_POLL_NS }, NULL);
  return tosst_context_is_cancelled (context);
}

/* Products of very small features would be subnormal, and arithmetic on those is up to a hundred times slower on some
 * processors. Inside a loop they are flushed to zero; outside the caller's mode is as it was. */
static unsigned
flush_subnormals (void)
{
#if defined(__SSE__)
  unsigned mode = _mm_getcsr ();
  _mm_setcsr (mode | 0x8040);
  return mode;
#else
  return 0;
#endif
}

static void
restore_mode (unsigned mode)
{
#if defined(__SSE__)
  _mm_setcsr (mode);
#endif
}

/* Takes items until none is left, one failed or the user cancelled. */
static void
run_items (TosstContext *context, int worker, double fraction0, double fraction1)
{
  unsigned mode = flush_subnormals ();
  while (!tosst_context_checkpoint (context) && atomic_load (&context->status) == TOSST_OK)
    {
      size_t item = atomic_fetch_add (&context->next, 1);
      if (item >= context->items)
        break;
      int status = context->task (item, worker, context->task_data);
      int none = TOSST_OK;
      if (status != TOSST_OK)
        atomic_compare_exchange_strong (&context->status, &none, status);
      size_t done = atomic_fetch_add (&context->done, 1) + 1;
      if (worker == 0 && fraction1 > fraction0)
        tosst_context_progress (context, fraction0 + (fraction1 - fraction0) * done / context->items);
    }
  restore_mode (mode);
}

static void *
worker_main (void *data)
{
  Worker *self = data;
  TosstContext *context = self->context;
  unsigned seen = 0;

  pthread_mutex_lock (&context->lock);
  for (;;)
    {
      while (context->generation == seen && !context->quit)
        pthread_cond_wait (&context->work, &context->lock);
      if (context->quit)
        break;
      seen = context->generation;
      pthread_mutex_unlock (&context->lock);
      run_items (context, self->index, 0, 0);
      pthread_mutex_lock (&context->lock);
      if (--context->busy == 0)
        pthread_cond_signal (&context->idle);
    }
  pthread_mutex_unlock (&context->lock);
  return NULL;
}

TosstContext *
tosst_context_new (int threads)
{
  TosstContext *context = calloc (1, sizeof *context);
  if (!context)
    return NULL;
  context->threads = threads > 1 ? threads : 1;
  context->range = (TosstRange){ 0, 1 };
  context->workers = calloc (context->threads, sizeof *context->workers);
  pthread_mutex_init (&context->lock, NULL);
  pthread_cond_init (&context->work, NULL);
  pthread_cond_init (&context->idle, NULL);
  openblas_set_num_threads (1);

  bool fine = context->workers != NULL;
  for (int i = 1; fine && i < context->threads; i++)
    {
      context->workers[i] = (Worker){ .context = context, .index = i };
      fine = pthread_create (&context->workers[i].thread, NULL, worker_main, &context->workers[i]) == 0;
      context->started += fine;
    }
  if (!fine)
    {
      tosst_context_free (context);
      return NULL;
    }
  return context;
}

void
tosst_context_free (TosstContext *context)
{
  if (!context)
    return;
  pthread_mutex_lock (&context->lock);
  context->quit = true;
  pthread_cond_broadcast (&context->work);
  pthread_mutex_unlock (&context->lock);
  for (int i = 1; i <= context->started; i++)
    pthread_join (context->workers[i].thread, NULL);
  pthread_cond_destroy (&context->idle);
  pthread_cond_destroy (&context->work);
  pthread_mutex_destroy (&context->lock);
  free (context->workers);
  free (context);
}

int
tosst_context_threads (const TosstContext *context)
{
  return context->threads;
}

void
tosst_context_set_progress (TosstContext *context, TosstProgressFunc func, void *user_data)
{
  context->progress = func;
  context->progress_data = user_data;
}

void
tosst_context_cancel (TosstContext *context)
{
  atomic_store (&context->cancelled, true);
}

void
tosst_context_pause (TosstContext *context)
{
  pthread_mutex_lock (&context->lock);
  if (!atomic_load (&context->paused))
    context->paused_since = monotonic_seconds ();
  atomic_store (&context->paused, true);
  pthread_mutex_unlock (&context->lock);
}

void
tosst_context_resume (TosstContext *context)
{
  pthread_mutex_lock (&context->lock);
  if (atomic_load (&context->paused))
    context->paused_total += monotonic_seconds () - context->paused_since;
  atomic_store (&context->paused, false);
  pthread_mutex_unlock (&context->lock);
}

void
tosst_context_reset (TosstContext *context)
{
  tosst_context_resume (context);
  atomic_store (&context->cancelled, false);
  context->message[0] = '\0';
  context->range = (TosstRange){ 0, 1 };
}

double
tosst_context_seconds (TosstContext *context)
{
  pthread_mutex_lock (&context->lock);
  double now = atomic_load (&context->paused) ? context->paused_since : monotonic_seconds ();
  double seconds = now - context->paused_total;
  pthread_mutex_unlock (&context->lock);
  return seconds;
}

const char *
tosst_context_message (const TosstContext *context)
{
  return context->message;
}

void
tosst_context_progress (TosstContext *context, double fraction)
{
  if (context->progress)
    context->progress (context->range.low + (context->range.high - context->range.low) * fraction, context->progress_data);
}

void
tosst_context_set_range (TosstContext *context, TosstRange range)
{
  context->range = range;
}

TosstRange
tosst_context_narrow (TosstContext *context, double low, double high)
{
  TosstRange outer = context->range;
  double length = outer.high - outer.low;
  context->range = (TosstRange){ outer.low + low * length, outer.low + high * length };
  return outer;
}

TosstStatus
tosst_context_fail (TosstContext *context, TosstStatus status, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  /* Tasks may fail on several threads at once: one whole sentence must win. */
  pthread_mutex_lock (&context->lock);
  vsnprintf (context->message, sizeof context->message, format, args);
  pthread_mutex_unlock (&context->lock);
  va_end (args);
  return status;
}

TosstStatus
tosst_parallel (TosstContext *context, size_t items, TosstTaskFunc task, void *data, double fraction0, double fraction1)
{
  context->task = task;
  context->task_data = data;
  context->items = items;
  atomic_store (&context->next, 0);
  atomic_store (&context->done, 0);
  atomic_store (&context->status, TOSST_OK);

  bool shared = context->threads > 1 && items > 1;
  if (shared)
    {
      pthread_mutex_lock (&context->lock);
      context->generation++;
      context->busy = context->threads - 1;
      pthread_cond_broadcast (&context->work);
      pthread_mutex_unlock (&context->lock);
    }
  run_items (context, 0, fraction0, fraction1);
  if (shared)
    {
      pthread_mutex_lock (&context->lock);
      while (context->busy > 0)
        pthread_cond_wait (&context->idle, &context->lock);
      pthread_mutex_unlock (&context->lock);
    }

  int status = atomic_load (&context->status);
  if (status != TOSST_OK)
    return status;
  return tosst_context_is_cancelled (context) ? TOSST_CANCELLED : TOSST_OK;
}
