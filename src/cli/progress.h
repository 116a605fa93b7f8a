/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"

/* A progress line on standard error with bar, rate and remaining time; only if that is a terminal. */
typedef struct CliProgress CliProgress;

/* total: number of items of the whole, called unit ("tensors"); 0: no rate is shown. */
CliProgress *cli_progress_new (CliCall *call, const char *what, gsize total, const char *unit);
void cli_progress_free (CliProgress *self); /* clears the line */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliProgress, cli_progress_free)

/* Maps the progress of the next engine calls on context to the range from low to high of the whole. */
void cli_progress_span (CliProgress *self, TosstContext *context, double low, double high);
void cli_progress_set (CliProgress *self, double fraction);
/* Sets the fraction, with the remaining seconds estimated by the caller; < 0: unknown. */
void cli_progress_set_left (CliProgress *self, double fraction, double seconds_left);
void cli_progress_set_what (CliProgress *self, const char *what);
/* Clears the line before other output; the next report draws it again. */
void cli_progress_wipe (CliProgress *self);
