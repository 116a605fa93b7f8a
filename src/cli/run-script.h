/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "core/store/store.h"

/* "shell" or "python" */
gboolean cli_run_script_is_known (const char *kind);
/* The result of the call is a program that repeats the run. kind must be known. */
gboolean cli_run_script (CliCall *call, TosstStore *store, gint64 run, const char *kind, GError **error);
