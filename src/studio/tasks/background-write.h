/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Draws and writes files in a thread, since drawing is slow and writing waits for the disk. */

/* In the thread; the job owns its data, copied from the widgets before. */
typedef gboolean (*StudioWriteFunc) (gpointer job, GFile *file, GError **error);
/* On the main thread; problem: why nothing was written, a sentence, or NULL. */
typedef void (*StudioWrittenFunc) (GObject *object, GFile *file, const char *problem);

/* Takes the job, and frees it with free_job. The object is not kept alive: written is not called after its disposal. */
void studio_write_in_background (GFile *file, StudioWriteFunc write, gpointer job, GDestroyNotify free_job,
                                 GObject *object, StudioWrittenFunc written);
