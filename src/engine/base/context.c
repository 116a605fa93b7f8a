/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/context.h"

#include <cblas.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/memory.h"
#include "engine/base/thread-pool.h"
#include "engine/base/tuning.h"

#pragma weak openblas_set_num_threads

#define TEXT_OF(number) #number
#define VERSION(major, minor, micro) TEXT_OF (major) "." TEXT_OF (minor) "." TEXT_OF (micro)

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

struct TosstContext
{
  int threads;
  TosstThreadPool *pool;

  TosstProgressFunc progress;
  void *progress_data;
  TosstRange range; /* range of the current call within the total progress */
  char message[512];

  atomic_bool cancelled;
  atomic_bool paused;

  pthread_mutex_t lock; /* guards message and the following members */
  double paused_since;  /* monotonic seconds; valid while paused */
  double paused_total;

  /* The current loop; written by the caller before others enter it. */
  TosstTaskFunc task;
  void *task_data;
  size_t items, piece;         /* piece: items taken by a thread at once */
  double fraction0, fraction1; /* of progress */
  atomic_int status;           /* first TosstStatus that is not TOSST_OK */
  _Alignas(TOSST_CACHE_LINE) atomic_size_t next;
  _Alignas(TOSST_CACHE_LINE) atomic_size_t done;
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

/* Products of very small features would be subnormal, and arithmetic on subnormals is up to a hundred times slower
 * on some processors. They are flushed to zero inside a loop; the caller's mode is restored afterwards. */
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

static bool
ends (TosstContext *context)
{
  return tosst_context_checkpoint (context) || atomic_load (&context->status) != TOSST_OK;
}

/* Processes pieces until none is left, an item fails or the computation is cancelled. */
static void
run_items (int worker, void *data)
{
  TosstContext *context = data;
  size_t items = context->items, piece = context->piece;
  unsigned mode = flush_subnormals ();
  while (!ends (context))
    {
      size_t first = atomic_fetch_add (&context->next, piece);
      if (first >= items)
        break;
      size_t end = piece < items - first ? first + piece : items;
      for (size_t item = first; item < end && !ends (context); item++)
        {
          int status = context->task (item, worker, context->task_data), none = TOSST_OK;
          if (status != TOSST_OK)
            atomic_compare_exchange_strong (&context->status, &none, status);
        }
      size_t done = atomic_fetch_add (&context->done, end - first) + end - first;
      double low = context->fraction0, high = context->fraction1;
      if (worker == 0 && high > low)
        tosst_context_progress (context, low + (high - low) * done / items);
    }
  restore_mode (mode);
}

TosstContext *
tosst_context_new (int threads)
{
  TosstContext *context = aligned_alloc (TOSST_CACHE_LINE, sizeof *context);
  if (!context)
    return NULL;
  memset (context, 0, sizeof *context);
  context->threads = threads > 1 ? threads : 1;
  context->range = (TosstRange){ 0, 1 };
  pthread_mutex_init (&context->lock, NULL);
  if (openblas_set_num_threads) /* absent in other libraries */
    openblas_set_num_threads (1);
  context->pool = tosst_thread_pool_new (context->threads, run_items, context);
  if (context->pool)
    return context;
  tosst_context_free (context);
  return NULL;
}

void
tosst_context_free (TosstContext *context)
{
  if (!context)
    return;
  tosst_thread_pool_free (context->pool);
  pthread_mutex_destroy (&context->lock);
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
    context->progress (context->range.low + (context->range.high - context->range.low) * fraction,
                       context->progress_data);
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
  /* Tasks may fail on several threads at once: one complete message is stored. */
  pthread_mutex_lock (&context->lock);
  vsnprintf (context->message, sizeof context->message, format, args);
  pthread_mutex_unlock (&context->lock);
  va_end (args);
  return status;
}

static TosstStatus
run_loop (TosstContext *context, size_t items, bool shared, TosstTaskFunc task, void *data, double fraction0,
          double fraction1)
{
  context->task = task;
  context->task_data = data;
  context->items = items;
  context->piece = items / (LOOP_PIECES * (size_t)context->threads) + 1;
  context->fraction0 = fraction0;
  context->fraction1 = fraction1;
  atomic_store (&context->next, 0);
  atomic_store (&context->done, 0);
  atomic_store (&context->status, TOSST_OK);
  size_t others = items > 0 ? items - 1 : 0, workers = context->threads - 1;
  if (shared && others > 0 && workers > 0)
    tosst_thread_pool_run (context->pool, others < workers ? others : workers);
  else
    run_items (0, context);

  int status = atomic_load (&context->status);
  if (status != TOSST_OK)
    return status;
  return tosst_context_is_cancelled (context) ? TOSST_CANCELLED : TOSST_OK;
}

TosstStatus
tosst_parallel (TosstContext *context, size_t items, TosstTaskFunc task, void *data, double fraction0, double fraction1)
{
  return run_loop (context, items, true, task, data, fraction0, fraction1);
}

TosstStatus
tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task, void *data)
{
  return run_loop (context, items, work >= SERIAL_WORK, task, data, 0, 0);
}

const char *
tosst_version (void)
{
  return VERSION (TOSST_MAJOR_VERSION, TOSST_MINOR_VERSION, TOSST_MICRO_VERSION);
}
