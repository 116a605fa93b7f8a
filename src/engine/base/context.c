/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <cblas.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/memory.h"
#include "engine/base/tuning.h"
#include "tosst/context.h"

/* Worker threads of a context. A loop is open from the caller's entry until its exit; workers that find it open
 * join, so that the caller never waits for a worker that the scheduler does not run. */
typedef struct TosstThreadPool TosstThreadPool;

/* Body of a loop; returns when no item remains to be started. worker: 0 for the calling thread, 1 .. threads - 1 for
 * workers. */
typedef void (*TosstThreadPoolFunc) (int worker, void *data);

static void pool_free (TosstThreadPool *self);

/* Loops often follow each other within microseconds, and waking a thread takes as long. A waiting thread therefore
 * spins before it sleeps; the spin time of a worker adapts to the recent intervals between loops and is at most the
 * time of sleeping and waking. With more threads than processors, threads do not spin. */

/* Bits of the gate: number of loops, whether the last one is open, whether the caller sleeps until all workers have
 * left it, number of workers inside. */
#define ONE_LOOP ((uint64_t)1 << 32)
#define OPEN ((uint64_t)1 << 31)
#define AWAITED ((uint64_t)1 << 30)
#define INSIDE (AWAITED - 1)

typedef struct
{
  TosstThreadPool *pool;
  pthread_t thread;
  int index;
  int64_t patience; /* spin time in ns */
} Worker;

struct TosstThreadPool
{
  TosstThreadPoolFunc func;
  void *data;
  int started; /* number of workers started */
  int64_t longest;
  Worker *workers;
  pthread_mutex_t lock;
  pthread_cond_t work; /* signals a new loop, or termination */
  pthread_cond_t left; /* signals that the last worker has left the loop */
  atomic_bool quit;
  atomic_int asleep; /* number of workers waiting for `work`; written under the lock */
  _Alignas(64) atomic_uint_least64_t gate;
  char alone[64 - sizeof (uint64_t)]; /* padding: data written by other threads stays out of the gate's cache line */
};

static int64_t
nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C (1000000000) + now.tv_nsec;
}

/* Pauses briefly, which frees resources of the core and saves power. */
static inline void
pause_shortly (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

static uint32_t
loops (TosstThreadPool *self)
{
  return atomic_load (&self->gate) / ONE_LOOP;
}

/* Enters the loop if it is open and differs from the last one. */
static bool
enter (TosstThreadPool *self, uint32_t *last)
{
  uint64_t gate = atomic_load (&self->gate);
  while ((gate & OPEN) && gate / ONE_LOOP != *last)
    if (atomic_compare_exchange_weak (&self->gate, &gate, gate + 1))
      {
        *last = gate / ONE_LOOP;
        return true;
      }
  return false;
}

static void
leave (TosstThreadPool *self)
{
  uint64_t before = atomic_fetch_sub (&self->gate, 1);
  if (!(before & AWAITED) || (before & INSIDE) > 1)
    return;
  pthread_mutex_lock (&self->lock);
  pthread_cond_signal (&self->left);
  pthread_mutex_unlock (&self->lock);
}

/* Waits, first spinning, then sleeping, until there is a loop other than `known`, open or not; adapts the spin time
 * to the time this took. */
static void
wait_for_loop (Worker *worker, uint32_t known)
{
  TosstThreadPool *self = worker->pool;
  int64_t begin = nanoseconds ();
  while (loops (self) == known && nanoseconds () - begin < worker->patience)
    for (int i = 0; i < SPIN_PAUSES && loops (self) == known; i++)
      pause_shortly ();
  if (loops (self) == known)
    {
      pthread_mutex_lock (&self->lock);
      atomic_fetch_add (&self->asleep, 1);
      while (loops (self) == known && !atomic_load (&self->quit))
        pthread_cond_wait (&self->work, &self->lock);
      atomic_fetch_sub (&self->asleep, 1);
      pthread_mutex_unlock (&self->lock);
    }
  bool is_short = nanoseconds () - begin < self->longest;
  int64_t patience = is_short ? 2 * worker->patience : worker->patience / 2;
  worker->patience = patience > self->longest ? self->longest : patience < SHORTEST_SPIN ? SHORTEST_SPIN : patience;
}

static void *
worker_main (void *data)
{
  Worker *worker = data;
  TosstThreadPool *self = worker->pool;
  uint32_t last = 0;
  while (!atomic_load (&self->quit))
    {
      uint32_t known = loops (self);
      if (enter (self, &last))
        {
          self->func (worker->index, self->data);
          leave (self);
        }
      else
        wait_for_loop (worker, known);
    }
  return NULL;
}

/* Starts threads - 1 workers, joined by pool_free(). Returns NULL if a thread cannot be created. */
static TosstThreadPool *
pool_new (int threads, TosstThreadPoolFunc func, void *data)
{
  TosstThreadPool *self = aligned_alloc (_Alignof(TosstThreadPool), sizeof *self);
  if (!self)
    return NULL;
  /* Spinning is useful only if every thread has a processor. */
  cpu_set_t set;
  bool enough = sched_getaffinity (0, sizeof set, &set) == 0 && CPU_COUNT (&set) >= threads;
  *self = (TosstThreadPool){ .func = func, .data = data, .longest = enough ? LONGEST_SPIN : SHORTEST_SPIN };
  self->workers = calloc (threads, sizeof *self->workers);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->work, NULL);
  pthread_cond_init (&self->left, NULL);
  bool fine = self->workers != NULL;
  for (int i = 1; fine && i < threads; i++)
    {
      self->workers[i] = (Worker){ .pool = self, .index = i, .patience = SHORTEST_SPIN };
      fine = pthread_create (&self->workers[i].thread, NULL, worker_main, &self->workers[i]) == 0;
      self->started += fine;
    }
  if (fine)
    return self;
  pool_free (self);
  return NULL;
}

static void
pool_free (TosstThreadPool *self)
{
  if (!self)
    return;
  pthread_mutex_lock (&self->lock);
  atomic_store (&self->quit, true);
  pthread_cond_broadcast (&self->work);
  pthread_mutex_unlock (&self->lock);
  for (int i = 1; i <= self->started; i++)
    pthread_join (self->workers[i].thread, NULL);
  pthread_cond_destroy (&self->left);
  pthread_cond_destroy (&self->work);
  pthread_mutex_destroy (&self->lock);
  free (self->workers);
  free (self);
}

/* A sleeping worker that has been in this loop already may consume the signal meant for another one, which then
 * misses this loop but is counted as asleep for the next one. */
static void
wake (TosstThreadPool *self, int wanted)
{
  pthread_mutex_lock (&self->lock);
  int asleep = atomic_load (&self->asleep);
  if (asleep <= wanted)
    pthread_cond_broadcast (&self->work);
  else
    for (int i = 0; i < wanted; i++)
      pthread_cond_signal (&self->work);
  pthread_mutex_unlock (&self->lock);
}

/* Waits until the closed loop is empty. */
static void
wait_until_empty (TosstThreadPool *self)
{
  int64_t begin = 0;
  while (atomic_load (&self->gate) & INSIDE)
    {
      int64_t now = nanoseconds ();
      begin = begin ? begin : now;
      if (now - begin >= self->longest)
        break;
      for (int i = 0; i < SPIN_PAUSES && (atomic_load (&self->gate) & INSIDE); i++)
        pause_shortly ();
    }
  if (!(atomic_load (&self->gate) & INSIDE))
    return;
  pthread_mutex_lock (&self->lock);
  atomic_fetch_or (&self->gate, AWAITED);
  while (atomic_load (&self->gate) & INSIDE)
    pthread_cond_wait (&self->left, &self->lock);
  pthread_mutex_unlock (&self->lock);
}

/* Calls func (0, data) on the calling thread and func (worker, data) on the workers that are awake and at most
 * `wanted` sleeping ones. Returns when all calls have returned. Memory is synchronised on entry and on return. */
static void
pool_run (TosstThreadPool *self, int wanted)
{
  atomic_store (&self->gate, (uint64_t)(loops (self) + 1) * ONE_LOOP | OPEN);
  if (atomic_load (&self->asleep) > 0)
    wake (self, wanted);
  self->func (0, self->data);
  atomic_fetch_and (&self->gate, ~OPEN);
  wait_until_empty (self);
}

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

double
tosst_seconds (void)
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
  context->pool = pool_new (context->threads, run_items, context);
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
  pool_free (context->pool);
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
    context->paused_since = tosst_seconds ();
  atomic_store (&context->paused, true);
  pthread_mutex_unlock (&context->lock);
}

void
tosst_context_resume (TosstContext *context)
{
  pthread_mutex_lock (&context->lock);
  if (atomic_load (&context->paused))
    context->paused_total += tosst_seconds () - context->paused_since;
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
  double now = atomic_load (&context->paused) ? context->paused_since : tosst_seconds ();
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
  if (!context)
    return status;
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
    pool_run (context->pool, others < workers ? others : workers);
  else
    run_items (0, context);

  int status = atomic_load (&context->status);
  return status ?: tosst_context_is_cancelled (context) ? TOSST_CANCELLED : TOSST_OK;
}

TosstStatus
tosst_parallel (TosstContext *context, size_t items, TosstTaskFunc task, void *data, double fraction0, double fraction1)
{
  TOSST_REQUIRE (context, context && task);
  return run_loop (context, items, true, task, data, fraction0, fraction1);
}

TosstStatus
tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task, void *data)
{
  TOSST_REQUIRE (context, context && task);
  return run_loop (context, items, work >= SERIAL_WORK, task, data, 0, 0);
}

const char *
tosst_version (void)
{
  return VERSION (TOSST_MAJOR_VERSION, TOSST_MINOR_VERSION, TOSST_MICRO_VERSION);
}
