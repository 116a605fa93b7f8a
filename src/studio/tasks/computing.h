/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/base/context.h"

G_BEGIN_DECLS

/* The context of a worker, as the main thread pauses and cancels it: what it asks for before the worker computes holds
 * from the beginning, what it asks for afterwards is harmless. Part of the job that it belongs to. */
typedef struct
{
  GMutex lock;           /* guards what follows */
  TosstContext *context; /* the worker's while it computes, else NULL */
  gboolean paused, cancelled;
} StudioComputing;

void studio_computing_init (StudioComputing *self);
void studio_computing_clear (StudioComputing *self); /* after the worker has ended */

/* A thread that computes says so first: the window is drawn before it goes on, though as many threads compute as there
 * are cores. Threads that it starts are as unhurried. */
void studio_computing_yield (void);

/* Worker. The context's threads begin and end with these, not on the main thread: they are as unhurried as this one. */
TosstContext *studio_computing_begin (StudioComputing *self, int threads); /* valid until the end; never NULL */
void studio_computing_end (StudioComputing *self);

/* Main thread; return at once. */
void studio_computing_pause (StudioComputing *self, gboolean pause);
void studio_computing_cancel (StudioComputing *self);

G_END_DECLS
