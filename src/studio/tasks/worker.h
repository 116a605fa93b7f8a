/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

#include "tosst/context.h"

/* Notifies the main thread of news from a worker. The news are held by the caller behind its own lock: the worker
 * stores them and queues a notification, and notify (data) is called once on the main thread to take them. Those
 * queued until then are merged; one queued after notify was entered causes another call, so that no news are missed.
 *
 * Reference-counted: a pending notification holds the notifier, never data. */
typedef struct StudioNotifier StudioNotifier;
typedef void (*StudioNotifyFunc) (gpointer data);

StudioNotifier *studio_notifier_new (StudioNotifyFunc notify, gpointer data); /* main thread */

/* Any thread that holds a reference. delay_ms: how long news may accumulate; that of the first notification counts. */
void studio_notifier_queue (StudioNotifier *self, guint delay_ms);

/* Main thread, also within notify: notify is not called from now on, and data may be freed. */
void studio_notifier_disconnect (StudioNotifier *self);

void studio_notifier_unref (StudioNotifier *self); /* any thread */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioNotifier, studio_notifier_unref)

/* A thread that answers the requests of one object: of those made while it is busy only the newest counts, unless they
 * are queued; one request may have several answers. Requests and answers are plain data whose ownership is transferred; the thread never owns
 * an object of the window. */
typedef struct StudioWorker StudioWorker;

typedef struct
{
  /* void (*) (StudioWorker *, TosstContext *, Question *, Session **), in the thread: calls studio_worker_put() any number of
   * times. The session is private to it, NULL at first, kept between requests. */
  GCallback work;
  GDestroyNotify free_question, free_answer, free_session; /* free_session may be NULL */
  /* void (*) (Object *, Answer *), on the main thread: gets each answer, which is freed afterwards. NULL: notify takes them. */
  GCallback take;
  gboolean keeps;      /* take() owns the answer instead */
  gboolean interrupts; /* a new request cancels the previous one; else that is finished first */
  gboolean parallel;   /* with one low-priority thread for each processor; else with one thread */
  /* Every request is answered, in order; studio_worker_free() waits for the last one, with a cancelled context. */
  gboolean queued;
} StudioWork;

/* Main thread. work: static. notify (data), or NULL, is called there, until studio_worker_free(), when answers are available
 * or were taken. */
#define studio_worker_new(work, notify, data) studio_worker_new_for (work, (StudioNotifyFunc)G_CALLBACK (notify), data)
StudioWorker *studio_worker_new_for (const StudioWork *work, StudioNotifyFunc notify, gpointer data);
void studio_worker_free (StudioWorker *self); /* returns at once unless queued; the thread ends by itself */
void studio_worker_ask (StudioWorker *self, gpointer question); /* takes ownership */
/* The same to *self, which is made where it is NULL. */
#define studio_worker_ask_first(self, work, notify, data, question)                                                    \
  studio_worker_ask (*(self) != NULL ? *(self) : (*(self) = studio_worker_new (work, notify, data)), question)
gpointer studio_worker_take (StudioWorker *self); /* the oldest answer, owned by the caller; NULL: none */
gboolean studio_worker_is_busy (StudioWorker *self);

/* Worker. Takes ownership of the answer. */
void studio_worker_put (StudioWorker *self, gpointer answer);
