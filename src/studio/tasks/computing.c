/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef __linux__
#include <sys/resource.h>
#endif

#include "studio/tasks/computing.h"

#define NICENESS 5

void
studio_computing_init (StudioComputing *self)
{
  *self = (StudioComputing){ 0 };
  g_mutex_init (&self->lock);
}

void
studio_computing_clear (StudioComputing *self)
{
  g_mutex_clear (&self->lock);
}

/* On Linux a thread has a priority of its own, and those it starts inherit it. */
void
studio_lower_thread_priority (void)
{
#ifdef __linux__
  setpriority (PRIO_PROCESS, 0, NICENESS);
#endif
}

TosstContext *
studio_computing_begin (StudioComputing *self, int threads)
{
  TosstContext *context = tosst_context_new (threads);

  if (context == NULL)
    g_error ("out of memory");
  g_mutex_lock (&self->lock);
  self->context = context;
  if (self->paused)
    tosst_context_pause (context);
  if (self->cancelled)
    tosst_context_cancel (context);
  g_mutex_unlock (&self->lock);
  return context;
}

void
studio_computing_end (StudioComputing *self)
{
  g_mutex_lock (&self->lock);
  TosstContext *context = g_steal_pointer (&self->context);
  g_mutex_unlock (&self->lock);
  tosst_context_free (context);
}

void
studio_computing_pause (StudioComputing *self, gboolean pause)
{
  g_mutex_lock (&self->lock);
  self->paused = pause;
  if (self->context != NULL && pause)
    tosst_context_pause (self->context);
  else if (self->context != NULL)
    tosst_context_resume (self->context);
  g_mutex_unlock (&self->lock);
}

void
studio_computing_cancel (StudioComputing *self)
{
  g_mutex_lock (&self->lock);
  self->cancelled = TRUE;
  if (self->context != NULL)
    tosst_context_cancel (self->context);
  g_mutex_unlock (&self->lock);
}
