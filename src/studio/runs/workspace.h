/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/store.h"

G_BEGIN_DECLS

/* Which store of runs (core/store.h) a window records into: the user's own, tosst-studio/runs.sqlite in the user's data
 * folder, or one that was opened instead. It is a file name, never an open store: whoever reads or writes opens one for
 * a moment, off the main thread. Main thread. Signals:
 *   "changed"                        there may be other runs in it than before, or it is another store
 *   "notice" (const char *sentence)  what the user should see: it was salvaged, or cannot be written */
#define STUDIO_TYPE_WORKSPACE (studio_workspace_get_type ())
G_DECLARE_FINAL_TYPE (StudioWorkspace, studio_workspace, STUDIO, WORKSPACE, GObject)

StudioWorkspace *studio_workspace_new (GFile *file); /* NULL: the user's own */
GFile *studio_workspace_get_own_file (void);         /* the user's own, new */

GFile *studio_workspace_get_file (StudioWorkspace *self); /* where runs are recorded */
gboolean studio_workspace_is_own (StudioWorkspace *self); /* the user's own */
char *studio_workspace_dup_name (StudioWorkspace *self);  /* for the user: without folder, new */

/* Another store, made when it is not there. Looked at in the background; "changed" once it is the one that is recorded
 * into. One that cannot be opened is said in "notice", and the old one stays. */
void studio_workspace_open (StudioWorkspace *self, GFile *file);
/* Looks at it in the background, if it is there: it may have to be salvaged, and runs of programs that ended in the
 * middle are stopped from then on. */
void studio_workspace_look (StudioWorkspace *self);

/* Runs were added, ended, changed or deleted by this program. */
void studio_workspace_changed (StudioWorkspace *self);

/* In a thread, with the store open; data is what studio_workspace_run() was given. */
typedef gboolean (*StudioStoreFunc) (TosstStore *store, gpointer data, GError **error);
/* callback on the main thread, with a GTask as its result, whose task data is data: g_task_propagate_boolean() says whether func has succeeded, with its
 * error or that of opening the store. A store that is not there is TOSST_FAILED_INPUT with TOSST_STORE_READ. */
void studio_workspace_run (StudioWorkspace *self, TosstStoreMode mode, StudioStoreFunc func, gpointer data,
                           GDestroyNotify free_data, GAsyncReadyCallback callback, gpointer user_data);

/* Any thread. Opens a store, and the folder for it when it is to be written and not there. */
TosstStore *studio_workspace_open_store (GFile *file, TosstStoreMode mode, GError **error);

G_END_DECLS
