/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

/* The caller's handle on a computation: how many threads it may use, where it reports, and how it is paused or
 * stopped. One context serves one computation at a time; every function below that says "any thread" may be
 * called while that computation runs. */
typedef struct TosstContext TosstContext;

/* Called on the thread that made the engine call, never concurrently. fraction is in [0, 1]. */
typedef void (*TosstProgressFunc) (double fraction, void *user_data);

/* threads >= 1 is obeyed exactly: threads - 1 workers are started here and joined by tosst_context_free().
 * OpenBLAS is set to one thread per caller; the engine splits its products itself. NULL if out of memory. */
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

/* The sentence that explains the last failure; "" if there was none. Owned by the context. */
const char *tosst_context_message (const TosstContext *context);

/* Maps the progress 0 .. 1 of nested calls to [low, high] of the current range; returns the former range for
 * tosst_context_set_range(). */
typedef struct
{
  double low, high;
} TosstRange;
TosstRange tosst_context_narrow (TosstContext *context, double low, double high);
void tosst_context_set_range (TosstContext *context, TosstRange range);

/* To be called regularly inside a computation: sleeps while paused; returns true once cancelled. */
bool tosst_context_checkpoint (TosstContext *context);

/* Seconds on a steady clock with pauses left out; only differences mean anything. */
double tosst_context_seconds (TosstContext *context);

/* Reports progress; only from the thread that made the engine call. */
void tosst_context_progress (TosstContext *context, double fraction);

/* Stores a printf-style sentence and returns status, so that a caller writes: return tosst_context_fail (...). */
TosstStatus tosst_context_fail (TosstContext *context, TosstStatus status, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Calls task (item, worker, data) for item = 0 .. items - 1 on all threads, in any order, and waits. worker is in
 * [0, threads): the index of a per-worker buffer. Stops handing out items once cancelled (checked before each
 * item; sleeps there while paused) and returns TOSST_CANCELLED then. The first status other than TOSST_OK
 * ends the loop and is returned. Progress is reported between fraction0 and fraction1; equal values report nothing. */
typedef TosstStatus (*TosstTaskFunc) (size_t item, int worker, void *data);
TosstStatus tosst_parallel (TosstContext *context, size_t items, TosstTaskFunc task, void *data, double fraction0,
                            double fraction1);

/* The same without progress. work: total number of multiply-adds, roughly; little work runs on the calling thread alone, because
 * waking a worker takes longer. */
TosstStatus tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task, void *data);
