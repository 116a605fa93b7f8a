/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* In a thread; data is plain data. FALSE: failed, or nothing to report. */
typedef gboolean (*StudioTaskFunc) (gpointer data, GError **error);
/* On the main thread. */
typedef void (*StudioTaskDone) (gpointer object, gpointer data, const GError *error);

/* Runs func in a thread of GTask, then done. Takes data, and frees it with free_data in any thread. The object is not
 * kept alive: done is not called after its disposal. Both functions may have the types of object and data. */
#define studio_task_run(object, func, data, free_data, done)                                                           \
  studio_task_run_with (object, (StudioTaskFunc)G_CALLBACK (func), data, free_data, (StudioTaskDone)G_CALLBACK (done))
void studio_task_run_with (gpointer object, StudioTaskFunc func, gpointer data, GDestroyNotify free_data,
                           StudioTaskDone done);

/* Calls func (data) once after some time, unless *source, a member of data, is the id of an earlier call that is still to
 * come: then that one. *source is 0 from func on, and as long as there is none. */
#define studio_later(source, ms, func, data) studio_later_at (source, G_PRIORITY_DEFAULT, ms, G_CALLBACK (func), data)
void studio_later_at (guint *source, int priority, guint ms, GCallback func, gpointer data);

/* Draws and writes files in a thread, since drawing is slow and writing waits for the disk. */

/* In the thread; the job owns its data, copied from the widgets before. */
typedef gboolean (*StudioWriteFunc) (gpointer job, GFile *file, GError **error);
/* On the main thread; problem: why nothing was written, a sentence, or NULL. */
typedef void (*StudioWrittenFunc) (gpointer object, GFile *file, const char *problem);

/* Takes the job, and frees it with free_job. The object is not kept alive: written is not called after its disposal. Both
 * functions may have the types of job and object. */
#define studio_write_in_background(file, write, job, free_job, object, written)                                        \
  studio_write_with (file, (StudioWriteFunc)G_CALLBACK (write), job, free_job, object,                                 \
                     (StudioWrittenFunc)G_CALLBACK (written))
void studio_write_with (GFile *file, StudioWriteFunc write, gpointer job, GDestroyNotify free_job, gpointer object,
                        StudioWrittenFunc written);
