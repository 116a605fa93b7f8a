/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* In a thread; data is plain data. FALSE: failed, or nothing to report. */
typedef gboolean (*StudioTaskFunc) (gpointer data, GError **error);
/* On the main thread. */
typedef void (*StudioTaskDone) (gpointer object, gpointer data, const GError *error);

/* Runs func in a thread of GTask, then done. Takes data, and frees it with free_data in any thread. The object is not
 * kept alive: done is not called after its disposal. */
void studio_task_run (gpointer object, StudioTaskFunc func, gpointer data, GDestroyNotify free_data,
                      StudioTaskDone done);

/* Calls func (data) once after some time, unless *source, a member of data, is the id of an earlier call that is still to
 * come: then that one. *source is 0 from func on, and as long as there is none. */
#define studio_later(source, ms, func, data) studio_later_at (source, G_PRIORITY_DEFAULT, ms, G_CALLBACK (func), data)
void studio_later_at (guint *source, int priority, guint ms, GCallback func, gpointer data);

/* Draws and writes files in a thread, since drawing is slow and writing waits for the disk. */

/* In the thread; the job owns its data, copied from the widgets before. */
typedef gboolean (*StudioWriteFunc) (gpointer job, GFile *file, GError **error);
/* On the main thread; problem: why nothing was written, a sentence, or NULL. */
typedef void (*StudioWrittenFunc) (GObject *object, GFile *file, const char *problem);

/* Takes the job, and frees it with free_job. The object is not kept alive: written is not called after its disposal. */
void studio_write_in_background (GFile *file, StudioWriteFunc write, gpointer job, GDestroyNotify free_job,
                                 GObject *object, StudioWrittenFunc written);
