/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/inspect/code.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* Codes of one patch while lambda, gamma and the number of atoms are dragged. A thread of its own describes the patch
 * and codes it, from the last code on; of the questions asked meanwhile only the newest counts. What both threads hold
 * is plain data: the worker never owns an object of the window.
 *
 *   main thread                        worker
 *   ask(): puts the question  ----->   takes the newest question
 *   wake()                    <-----   puts the answer, in place of one that was not taken
 *   take(): moves it out
 *   free(): cancels, goes on           ends by itself and lets go of its part
 */
typedef struct StudioRecoder StudioRecoder;

/* Main thread. wake is called there with data until studio_recoder_free(), when there is something to take. */
StudioRecoder *studio_recoder_new (int threads, StudioWakeFunc wake, gpointer data);
void studio_recoder_free (StudioRecoder *self); /* returns at once */
void studio_recoder_ask (StudioRecoder *self, const StudioCodeQuestion *question);
StudioCode *studio_recoder_take (StudioRecoder *self); /* the caller's; NULL: nothing new */

G_END_DECLS
