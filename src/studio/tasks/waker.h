/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How a worker tells the main thread that there is news. The news themselves are the caller's, behind a lock of its own:
 * the worker puts them there and rings, wake (data) is called once on the main thread and takes them. Rings until then
 * are one with the first; a ring after wake was entered is heard again, so that nothing put there is missed.
 *
 * Reference-counted: one that is on its way holds the waker, never data. */
typedef struct StudioWaker StudioWaker;
typedef void (*StudioWakeFunc) (gpointer data);

StudioWaker *studio_waker_new (StudioWakeFunc wake, gpointer data); /* main thread */

/* Any thread that holds a reference. delay_ms: how long news may gather; that of the first ring counts. */
void studio_waker_ring (StudioWaker *self, guint delay_ms);

/* Main thread, also within wake: wake is not called from now on, and data may go. */
void studio_waker_silence (StudioWaker *self);

void studio_waker_unref (StudioWaker *self); /* any thread */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioWaker, studio_waker_unref)

G_END_DECLS
