/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "tosst/context.h"

/* Handles SIGINT, SIGTERM, SIGHUP and SIGUSR1, which schedulers send before the end of a job's time and which never
 * insists: others may come with it. The first signal ends the program: immediately if nothing is being computed;
 * within half a second if a context is watched, which is cancelled; with cli_interrupt_hold(), after the finished
 * results are saved. The second signal ends it immediately, without partially written files. The exit status is 130. */
void cli_interrupt_install (void);
void cli_interrupt_name (const char *command); /* for the message; static string */
void cli_interrupt_launched (void); /* further signals of the launcher and its scheduler are the first one's copies */
void cli_interrupt_silence (gboolean silent);     /* no message of an interrupt: another process prints it */
void cli_interrupt_watch (TosstContext *context); /* NULL: none */
/* Sets whether the command saves its finished results after its context is cancelled. While it is set, the command
 * must check the context often. */
void cli_interrupt_hold (gboolean held);
/* Exits from any thread with an error message and without partially written files. */
void cli_interrupt_fail (const char *why) G_GNUC_NORETURN;
gboolean cli_interrupted (void);
gboolean cli_interrupt_is_urgent (void); /* by a signal that a launcher follows with SIGKILL: not SIGUSR1 alone */
