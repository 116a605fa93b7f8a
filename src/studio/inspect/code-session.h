/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/inspect/code.h"
#include "studio/tasks/worker.h"

/* Codes of one patch while lambda, gamma and the number of atoms are dragged: answers requests one after the other and
 * caches intermediate results for the next: the pixels of the image, the tensor of the patch, the atoms in use and
 * their codes. One thread at a time. */
typedef struct StudioCodeSession StudioCodeSession;

StudioCodeSession *studio_code_session_new (TosstContext *context); /* the context must outlive it */
void studio_code_session_free (StudioCodeSession *self);
/* NULL when the context was cancelled. */
StudioCode *studio_code_session_answer (StudioCodeSession *self, const StudioCodeQuestion *question);

/* Such a session in a separate thread. Main thread; wake as for studio_worker_new(). */
StudioWorker *studio_code_worker_new (StudioNotifyFunc wake, gpointer data);
void studio_code_worker_ask (StudioWorker *worker, const StudioCodeQuestion *question); /* copies the request */
StudioCode *studio_code_worker_take (StudioWorker *worker); /* the newest answer, owned by the caller, or NULL */
