/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/inspect/recoder.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/inspect/code-session.h"
#include "studio/tasks/computing.h"

struct StudioRecoder
{
  gatomicrefcount references;
  int threads;
  StudioWaker *waker;

  GMutex lock; /* guards what follows */
  GCond asked;
  gboolean quit;
  StudioCodeQuestion *question; /* NULL: none waits */
  StudioCode *answer;           /* NULL: none waits */
  TosstContext *context;        /* the worker's, NULL before and after */
};

static void
recoder_unref (StudioRecoder *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->question, studio_code_question_free);
  g_clear_pointer (&self->answer, studio_code_unref);
  studio_waker_unref (self->waker);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->asked);
  g_free (self);
}

/* Worker. An answer that nobody took gives way. */
static void
put_answer (StudioRecoder *self, StudioCode *answer)
{
  g_autoptr (StudioCode) old = NULL;

  g_mutex_lock (&self->lock);
  old = self->answer;
  self->answer = answer;
  g_mutex_unlock (&self->lock);
  studio_waker_ring (self->waker, 0);
}

/* Worker: sleeps until there is a question; NULL when it is time to go. */
static StudioCodeQuestion *
next_question (StudioRecoder *self)
{
  StudioCodeQuestion *question;

  g_mutex_lock (&self->lock);
  while (self->question == NULL && !self->quit)
    g_cond_wait (&self->asked, &self->lock);
  question = self->quit ? NULL : g_steal_pointer (&self->question);
  g_mutex_unlock (&self->lock);
  return question;
}

static void
set_context (StudioRecoder *self, TosstContext *context)
{
  g_mutex_lock (&self->lock);
  self->context = context;
  if (context != NULL && self->quit)
    tosst_context_cancel (context);
  g_mutex_unlock (&self->lock);
}

static gpointer
work (gpointer data)
{
  StudioRecoder *self = data;
  StudioCodeQuestion *question;
  StudioCodeSession *session;
  TosstContext *context;

  studio_computing_yield ();
  context = tosst_context_new (self->threads);
  if (context == NULL)
    g_error ("out of memory");
  set_context (self, context);
  session = studio_code_session_new (context);
  while ((question = next_question (self)) != NULL)
    {
      StudioCode *answer = studio_code_session_answer (session, question);

      studio_code_question_free (question);
      if (answer != NULL)
        put_answer (self, answer);
    }
  studio_code_session_free (session);
  set_context (self, NULL);
  tosst_context_free (context);
  recoder_unref (self);
  return NULL;
}

StudioRecoder *
studio_recoder_new (int threads, StudioWakeFunc wake, gpointer data)
{
  StudioRecoder *self = g_new0 (StudioRecoder, 1);

  g_atomic_ref_count_init (&self->references);
  g_atomic_ref_count_inc (&self->references); /* the worker's */
  g_mutex_init (&self->lock);
  g_cond_init (&self->asked);
  self->threads = threads;
  self->waker = studio_waker_new (wake, data);
  g_thread_unref (g_thread_new ("recode", work, self));
  return self;
}

void
studio_recoder_free (StudioRecoder *self)
{
  studio_waker_silence (self->waker);
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  if (self->context != NULL)
    tosst_context_cancel (self->context);
  g_cond_signal (&self->asked);
  g_mutex_unlock (&self->lock);
  recoder_unref (self);
}

void
studio_recoder_ask (StudioRecoder *self, const StudioCodeQuestion *question)
{
  StudioCodeQuestion *copy = studio_code_question_copy (question), *old;

  g_mutex_lock (&self->lock);
  old = self->question;
  self->question = copy;
  g_cond_signal (&self->asked);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&old, studio_code_question_free);
}

StudioCode *
studio_recoder_take (StudioRecoder *self)
{
  StudioCode *answer;

  g_mutex_lock (&self->lock);
  answer = g_steal_pointer (&self->answer);
  g_mutex_unlock (&self->lock);
  return answer;
}
