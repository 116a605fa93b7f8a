/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/store.h"
#include "studio/tasks/task.h"

/* The store of runs (core/store/store.h) that a window records into: the default one, tosst-studio/runs.sqlite in the user's
 * data folder, or another that was opened instead. It is a file name, never an open store: each reader and writer opens
 * the store briefly, off the main thread. Main thread. Signals:
 *   "changed"                        its runs may have changed, or it is another store
 *   "notice" (const char *sentence)  message to the user: the store was salvaged, or cannot be written */
#define STUDIO_TYPE_WORKSPACE (studio_workspace_get_type ())
G_DECLARE_FINAL_TYPE (StudioWorkspace, studio_workspace, STUDIO, WORKSPACE, GObject)

/* Other files only read the members. */
struct _StudioWorkspace
{
  GObject parent_instance;
  GFile *file;   /* where runs are recorded */
  guint opening; /* number of the store being opened, 0: none */
};

StudioWorkspace *studio_workspace_new (GFile *file); /* NULL: the default one */
GFile *studio_workspace_get_own_file (void);         /* the default one, new */

gboolean studio_workspace_is_own (StudioWorkspace *self); /* whether it is the default one */
char *studio_workspace_dup_name (StudioWorkspace *self);  /* display name: without folder, new */

/* Switches to another store, created if missing. It is checked in the background; "changed" follows once it is in use.
 * A store that cannot be opened is reported with "notice", and the previous one stays. */
void studio_workspace_open (StudioWorkspace *self, GFile *file);
/* Checks the store in the background, if it exists: salvages it if necessary, and marks runs of crashed programs as
 * stopped. */
void studio_workspace_look (StudioWorkspace *self);

/* Runs were added, ended, changed or deleted by this program. */
void studio_workspace_changed (StudioWorkspace *self);

/* In a thread, with the store open; data is the argument of studio_workspace_run(). */
typedef gboolean (*StudioStoreFunc) (TosstStore *store, gpointer data, GError **error);
/* done: as studio_task_run(), with the error of func or of opening the store. A missing store is TOSST_FAILED_INPUT with
 * TOSST_STORE_READ. */
#define studio_workspace_run(self, mode, func, data, free_data, object, done)                                          \
  studio_workspace_run_with (self, mode, (StudioStoreFunc)G_CALLBACK (func), data, free_data, object,                  \
                             (StudioTaskDone)G_CALLBACK (done))
void studio_workspace_run_with (StudioWorkspace *self, TosstStoreMode mode, StudioStoreFunc func, gpointer data,
                                GDestroyNotify free_data, gpointer object, StudioTaskDone done);

/* Any thread. Opens a store, and creates its folder if it is to be written and missing. */
TosstStore *studio_workspace_open_store (GFile *file, TosstStoreMode mode, GError **error);
