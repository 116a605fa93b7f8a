/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Notifies the main thread of news from a worker. The news are held by the caller behind its own lock: the worker
 * stores them and queues a notification, and wake (data) is called once on the main thread to take them. Notifications
 * queued until then are merged; one queued after wake was entered causes another call, so that no news are missed.
 *
 * Reference-counted: a pending notification holds the waker, never data. */
typedef struct StudioWaker StudioWaker;
typedef void (*StudioWakeFunc) (gpointer data);

StudioWaker *studio_waker_new (StudioWakeFunc wake, gpointer data); /* main thread */

/* Any thread that holds a reference. delay_ms: how long news may accumulate; that of the first notification counts. */
void studio_waker_ring (StudioWaker *self, guint delay_ms);

/* Main thread, also within wake: wake is not called from now on, and data may be freed. */
void studio_waker_silence (StudioWaker *self);

void studio_waker_unref (StudioWaker *self); /* any thread */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioWaker, studio_waker_unref)

G_END_DECLS
