/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

/* State of a computation: number of threads, progress callback, and pause and cancel flags. A context serves one
 * computation at a time; functions documented as "any thread" may be called while it runs. */
typedef struct TosstContext TosstContext;

/* Called on the thread that made the engine call, never concurrently. fraction is in [0, 1]. */
typedef void (*TosstProgressFunc) (double fraction, void *user_data);

/* Allocates a context with exactly `threads` >= 1 threads: threads - 1 workers are started here and joined by
 * tosst_context_free(). OpenBLAS is set to one thread per caller; the engine splits its products itself. Returns
 * NULL if out of memory. */
TosstContext *tosst_context_new (int threads);
void tosst_context_free (TosstContext *context);

int tosst_context_threads (const TosstContext *context);
void tosst_context_set_progress (TosstContext *context, TosstProgressFunc func, void *user_data);

/* Any thread. A cancelled computation returns TOSST_CANCELLED within milliseconds; a paused one sleeps at its
 * next checkpoint until resumed or cancelled. tosst_context_reset() clears both before the context is used again. */
void tosst_context_cancel (TosstContext *context);
void tosst_context_pause (TosstContext *context);
void tosst_context_resume (TosstContext *context);
void tosst_context_reset (TosstContext *context);
bool tosst_context_is_cancelled (TosstContext *context);
bool tosst_context_is_paused (TosstContext *context);

/* Returns the message of the last failure; "" if there was none. Owned by the context. */
const char *tosst_context_message (const TosstContext *context);

/* Maps the progress 0 .. 1 of nested calls to [low, high] of the current range. Returns the previous range for
 * tosst_context_set_range(). */
typedef struct
{
  double low, high;
} TosstRange;
TosstRange tosst_context_narrow (TosstContext *context, double low, double high);
void tosst_context_set_range (TosstContext *context, TosstRange range);

/* To be called regularly inside a computation: sleeps while paused; returns true after a cancellation. */
bool tosst_context_checkpoint (TosstContext *context);

/* Seconds on a monotonic clock, excluding pauses; only differences are meaningful. */
double tosst_context_seconds (TosstContext *context);

/* Reports progress; only from the thread that made the engine call. */
void tosst_context_progress (TosstContext *context, double fraction);

/* Stores a printf-style message and returns status, for use as: return tosst_context_fail (...). */
TosstStatus tosst_context_fail (TosstContext *context, TosstStatus status, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Calls task (item, worker, data) for item = 0 .. items - 1 on all threads, in any order, and waits. worker is in
 * [0, threads): the index of a per-worker buffer. After a cancellation (checked before each item; sleeps there while
 * paused) no further items are started, and TOSST_CANCELLED is returned. The first status other than TOSST_OK ends
 * the loop and is returned. Progress is reported between fraction0 and fraction1; equal values disable it. */
typedef TosstStatus (*TosstTaskFunc) (size_t item, int worker, void *data);
TosstStatus tosst_parallel (TosstContext *context, size_t items, TosstTaskFunc task, void *data, double fraction0,
                            double fraction1);

/* tosst_parallel() without progress. work: approximate total number of multiply-adds; small loops run on the calling
 * thread alone, because waking a worker takes longer. */
TosstStatus tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task, void *data);
