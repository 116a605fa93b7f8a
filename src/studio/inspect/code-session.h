/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/inspect/code.h"
#include "studio/tasks/worker.h"

G_BEGIN_DECLS

/* Codes of one patch while lambda, gamma and the number of atoms are dragged: answers one question after the other and
 * keeps what the next may need again: the pixels of the image, the tensor of the patch, the atoms in use and their codes.
 * One thread at a time. */
typedef struct StudioCodeSession StudioCodeSession;

StudioCodeSession *studio_code_session_new (TosstContext *context); /* the context outlives it */
void studio_code_session_free (StudioCodeSession *self);
/* NULL when the context was cancelled. */
StudioCode *studio_code_session_answer (StudioCodeSession *self, const StudioCodeQuestion *question);

/* Such a session in a thread of its own. Main thread; wake as studio_worker_new() has it. */
StudioWorker *studio_code_worker_new (StudioWakeFunc wake, gpointer data);
void studio_code_worker_ask (StudioWorker *worker, const StudioCodeQuestion *question); /* copies it */
StudioCode *studio_code_worker_take (StudioWorker *worker); /* the newest answer, the caller's; NULL: nothing new */

G_END_DECLS
