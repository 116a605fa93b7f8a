/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linked into the test programs under the thread sanitizer. GLib is not built with it, and its locks are futexes, which the
 * sanitizer does not know. The functions here stand before those of GLib that engine, core and their tests call: each calls GLib's
 * and reports the lock, or the order of two threads. Threads need nothing, as GLib starts and joins them by pthread functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <gio/gio.h>

#define REAL(name) ((__typeof__ (&name))dlsym (RTLD_NEXT, #name))

void
g_mutex_lock (GMutex *mutex)
{
  __tsan_mutex_pre_lock (mutex, 0);
  REAL (g_mutex_lock) (mutex);
  __tsan_mutex_post_lock (mutex, 0, 0);
}

gboolean
g_mutex_trylock (GMutex *mutex)
{
  gboolean locked;

  __tsan_mutex_pre_lock (mutex, __tsan_mutex_try_lock);
  locked = REAL (g_mutex_trylock) (mutex);
  __tsan_mutex_post_lock (mutex, __tsan_mutex_try_lock | (locked ? 0 : __tsan_mutex_try_lock_failed), 0);
  return locked;
}

void
g_mutex_unlock (GMutex *mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  REAL (g_mutex_unlock) (mutex);
  __tsan_mutex_post_unlock (mutex, 0);
}

void
g_mutex_clear (GMutex *mutex)
{
  __tsan_mutex_destroy (mutex, 0);
  REAL (g_mutex_clear) (mutex);
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  REAL (g_cond_wait) (cond, mutex);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end)
{
  gboolean woken;

  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  woken = REAL (g_cond_wait_until) (cond, mutex, end);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
  return woken;
}

void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  __tsan_release (queue);
  REAL (g_async_queue_push) (queue, data);
}

gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  gpointer data = REAL (g_async_queue_pop) (queue);

  __tsan_acquire (queue);
  return data;
}

gpointer
g_async_queue_timeout_pop (GAsyncQueue *queue, guint64 timeout)
{
  gpointer data = REAL (g_async_queue_timeout_pop) (queue, timeout);

  __tsan_acquire (queue);
  return data;
}

/* The other half, g_once_init_enter(), is an atomic read in the caller. */
void (g_once_init_leave) (volatile void *location, gsize result)
{
  __tsan_release ((void *)location);
  REAL (g_once_init_leave) (location, result);
}

gboolean (g_atomic_ref_count_dec) (gatomicrefcount *count)
{
  gboolean last;

  __tsan_release (count);
  last = REAL (g_atomic_ref_count_dec) (count);
  if (last)
    __tsan_acquire (count);
  return last;
}
