/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/base/context.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* A thread that answers one widget: of the questions asked while it is at work only the newest counts; it may give
 * several answers to one. Questions and answers are plain data that change hands; the thread never owns an object of
 * the window. */
typedef struct StudioWorker StudioWorker;

typedef struct
{
  /* Worker: calls studio_worker_put() as often as it likes. *session is its own, NULL at first, kept from one
   * question to the next. */
  void (*work) (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session);
  GDestroyNotify free_question, free_answer, free_session; /* the last one may be NULL */
  gboolean interrupts; /* a new question cancels the work on the old one; else that is finished first */
  gboolean parallel;   /* with a thread for each processor, that yield to the window; else with one */
} StudioWork;

/* Main thread. work: static. wake (data) is called there, until studio_worker_free(), when there are answers. */
StudioWorker *studio_worker_new (const StudioWork *work, StudioWakeFunc wake, gpointer data);
void studio_worker_free (StudioWorker *self);                   /* returns at once; the thread ends by itself */
void studio_worker_ask (StudioWorker *self, gpointer question); /* takes it */
gpointer studio_worker_take (StudioWorker *self);               /* the oldest answer, the caller's; NULL: none */
gboolean studio_worker_is_busy (StudioWorker *self);

/* Worker. Takes the answer. */
void studio_worker_put (StudioWorker *self, gpointer answer);

G_END_DECLS
