/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops often follow each other within microseconds, and waking a thread takes as long. A waiting thread therefore
 * spins before it sleeps; the spin time of a worker adapts to the recent intervals between loops and is at most the
 * time of sleeping and waking. With more threads than processors, threads do not spin.
 */
#define _GNU_SOURCE
#include "engine/base/thread-pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "engine/base/tuning.h"

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

TosstThreadPool *
tosst_thread_pool_new (int threads, TosstThreadPoolFunc func, void *data)
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
  tosst_thread_pool_free (self);
  return NULL;
}

void
tosst_thread_pool_free (TosstThreadPool *self)
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

void
tosst_thread_pool_run (TosstThreadPool *self, int wanted)
{
  atomic_store (&self->gate, (uint64_t)(loops (self) + 1) * ONE_LOOP | OPEN);
  if (atomic_load (&self->asleep) > 0)
    wake (self, wanted);
  self->func (0, self->data);
  atomic_fetch_and (&self->gate, ~OPEN);
  wait_until_empty (self);
}
