/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "tosst/context.h"

/* The context of a worker, paused and cancelled by the main thread: requests made before the worker computes apply from
 * the beginning, requests made afterwards are harmless. Embedded in its job. */
typedef struct
{
  GMutex lock;           /* guards the members below */
  TosstContext *context; /* owned by the worker while it computes, else NULL */
  gboolean paused, cancelled;
} StudioComputing;

void studio_computing_init (StudioComputing *self);
void studio_computing_clear (StudioComputing *self); /* after the worker has ended */

/* Lowers the priority of a computing thread and of the threads it starts, so that the window is drawn while as many
 * threads compute as there are cores. */
void studio_lower_thread_priority (void);

/* Worker. The threads of the context begin and end with these, not on the main thread, and inherit the low priority. */
TosstContext *studio_computing_begin (StudioComputing *self, int threads); /* valid until the end; never NULL */
void studio_computing_end (StudioComputing *self);

/* Main thread; return at once. */
void studio_computing_pause (StudioComputing *self, gboolean pause);
void studio_computing_cancel (StudioComputing *self);
