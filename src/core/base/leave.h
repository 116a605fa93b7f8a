/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Ends the program once all is written and closed, without what libraries do at exit: where memory or threads are limited,
 * OpenBLAS waits there for threads that it could not start. Builds with sanitizers or coverage exit as usual, as they report
 * at exit. */
void tosst_leave (int status) G_GNUC_NORETURN;

G_END_DECLS
