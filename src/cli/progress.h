/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"

/* A line on standard error with bar, rate and time left; nothing at all unless that is a terminal. */
typedef struct CliProgress CliProgress;

/* total things called unit ("tensors") make the whole; 0: no rate is shown. */
CliProgress *cli_progress_new (CliCall *call, const char *what, gsize total, const char *unit);
void cli_progress_free (CliProgress *self); /* wipes the line */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliProgress, cli_progress_free)

/* The next engine calls on context make the part from low to high of the whole. */
void cli_progress_span (CliProgress *self, TosstContext *context, double low, double high);
void cli_progress_set (CliProgress *self, double fraction);
/* Seconds left by an estimate of the caller; < 0: unknown. */
void cli_progress_set_left (CliProgress *self, double fraction, double seconds_left);
void cli_progress_set_what (CliProgress *self, const char *what);
/* Clears the line before something else is printed; the next report paints it again. */
void cli_progress_wipe (CliProgress *self);
