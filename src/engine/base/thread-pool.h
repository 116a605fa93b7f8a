/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Worker threads of a context. A loop is open from the caller's entry until its exit; workers that find it open
 * join, so that the caller never waits for a worker that the scheduler does not run. */
typedef struct TosstThreadPool TosstThreadPool;

/* Body of a loop; returns when no item remains to be started. worker: 0 for the calling thread, 1 .. threads - 1 for
 * workers. */
typedef void (*TosstThreadPoolFunc) (int worker, void *data);

/* Starts threads - 1 workers, joined by tosst_thread_pool_free(). Returns NULL if a thread cannot be created. */
TosstThreadPool *tosst_thread_pool_new (int threads, TosstThreadPoolFunc func, void *data);
void tosst_thread_pool_free (TosstThreadPool *self);

/* Calls func (0, data) on the calling thread and func (worker, data) on the workers that are awake and at most
 * `wanted` sleeping ones. Returns when all calls have returned. Memory is synchronised on entry and on return. */
void tosst_thread_pool_run (TosstThreadPool *self, int wanted);
