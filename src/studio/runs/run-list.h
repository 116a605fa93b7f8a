/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/run-row.h"

/* The runs of a store as a GListModel of StudioRunRow, by id: read in a thread, and kept up to date with writes of all
 * programs to the store (those of others are polled once a second). There is one list for each store, so that a star
 * set in one view appears in the others. Hidden runs are included: filters decide whether to show them. Main thread.
 *
 * Signals: "changed" when rows, is_loaded or the problem changed, once per batch and after items-changed, so that views
 * sort and filter again; "failed" with a sentence when an edit could not be written and its rows were reverted. */
#define STUDIO_TYPE_RUN_LIST (studio_run_list_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunList, studio_run_list, STUDIO, RUN_LIST, GObject)

StudioRunList *studio_run_list_get (GFile *file); /* a reference; edits are written before the last one is dropped */
GFile *studio_run_list_get_file (StudioRunList *self);
gboolean studio_run_list_is_loaded (StudioRunList *self);      /* the store was read once; before, the list is empty */
const char *studio_run_list_get_problem (StudioRunList *self); /* why the store cannot be read, or NULL */
StudioRunRow *studio_run_list_find (StudioRunList *self, gint64 id); /* borrowed; NULL: unknown id */
void studio_run_list_refresh (GFile *file); /* after a write to the store by this program; any file */

/* One word; shown at once, written in the background. */
void studio_run_list_set_tag (StudioRunList *self, StudioRunRow *row, const char *tag, gboolean on);
/* In the same way: the title, the note, and the tags except star and hidden, as words separated by spaces or commas. */
void studio_run_list_describe (StudioRunList *self, StudioRunRow *row, const char *title, const char *note,
                               const char *tags);

/* Removes rows (StudioRunRow *) from the list, and from the store once the toast with its “Undo” has closed. Runs under
 * way stay, and the toast says so. */
void studio_run_list_delete (StudioRunList *self, const GPtrArray *rows, AdwToastOverlay *toasts);
gboolean studio_run_list_undo_delete (StudioRunList *self); /* the latest removal; FALSE: too late, or there was none */
