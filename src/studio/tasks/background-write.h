/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Drawing takes its time and writing waits for the disk, so both happen in a thread. */

/* In the thread; what is written belongs to the job: taken out of the widgets, or copied, before. */
typedef gboolean (*StudioWriteFunc) (gpointer job, GFile *file, GError **error);
/* On the main thread; problem: a sentence why nothing was written, or NULL. */
typedef void (*StudioWrittenFunc) (GObject *object, GFile *file, const char *problem);

/* Takes the job, and frees it with free_job. The object is not kept alive: written is not called once it is gone. */
void studio_write_in_background (GFile *file, StudioWriteFunc write, gpointer job, GDestroyNotify free_job,
                                 GObject *object, StudioWrittenFunc written);

G_END_DECLS
