/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The threads behind a context. A loop is open from when the caller enters it until he leaves; whoever else finds it open enters too, so that
 * the caller never waits for a thread that another program keeps from running. */
typedef struct TosstThreadPool TosstThreadPool;

/* What everybody does in a loop; returns when nothing is left to begin. worker: 0 is the caller, others count from 1. */
typedef void (*TosstThreadPoolFunc) (int worker, void *data);

/* threads - 1 workers are started, and joined by tosst_thread_pool_free(). NULL if that fails. */
TosstThreadPool *tosst_thread_pool_new (int threads, TosstThreadPoolFunc func, void *data);
void tosst_thread_pool_free (TosstThreadPool *self);

/* Calls func (0, data) here and func (worker, data) on at most `wanted` workers that were asleep, besides those that were not. Returns
 * once all have left. What was written before is seen by all of them, and what they write is seen afterwards. */
void tosst_thread_pool_run (TosstThreadPool *self, int wanted);
