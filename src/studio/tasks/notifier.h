/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

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
