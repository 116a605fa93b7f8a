/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "base/context.h"

/* Ctrl+C, SIGTERM, or a terminal that closes: the first one cancels the computation that runs, so that what is finished
 * can be kept; the second one ends the program at once, without files that are half written. */
void cli_interrupt_install (void);
void cli_interrupt_watch (TosstContext *context); /* NULL: none */
gboolean cli_interrupted (void);
