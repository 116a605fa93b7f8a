/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Exits the program after all output is written and closed, without the exit handlers of libraries: where memory or
 * threads are limited, OpenBLAS waits in its handler for threads that it could not start. Builds with sanitizers or
 * coverage exit normally, as they report at exit. */
void tosst_leave (int status) G_GNUC_NORETURN;
