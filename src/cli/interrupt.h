/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/base/context.h"

/* Ctrl+C, SIGTERM, or a terminal that closes. The first one ends the program: at once where nothing is computed; within
 * half a second where a context is watched, which is cancelled; and where what is finished is kept, as soon as it is. The
 * second one ends it at once, without files that are half written. The exit status is 130. */
void cli_interrupt_install (void);
void cli_interrupt_name (const char *command);    /* for the message; static */
void cli_interrupt_watch (TosstContext *context); /* NULL: none */
/* Whether the command keeps what it has finished when its context is cancelled. From then on it must look at the context
 * often, until it does not hold any more. */
void cli_interrupt_hold (gboolean held);
/* Ends the program from any place, with one sentence and no file that is half written. */
void cli_interrupt_fail (const char *why) G_GNUC_NORETURN;
gboolean cli_interrupted (void);
