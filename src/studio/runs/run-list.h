/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/run-row.h"

G_BEGIN_DECLS

/* The runs of a store, or those of one sweep, as a GListModel of StudioRunRow: read in a thread, and kept up to date
 * with writes of all programs to the store (polled once a second). Sorted by id; the runs of a sweep in the order of
 * the sweep. All lists of one store share their rows. Hidden runs are included: filters decide whether to show them.
 * Main thread.
 *
 * Properties: "sweep", "loaded" (the store was read once; before that, and without a store, the list is empty),
 * "problem" (why the store cannot be read, or NULL). Signals: "changed" when rows changed in place, once per batch and
 * after items-changed, so that views sort and filter again; "failed" with a sentence when an edit could not be written
 * and its rows were reverted. */
#define STUDIO_TYPE_RUN_LIST (studio_run_list_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunList, studio_run_list, STUDIO, RUN_LIST, GObject)

StudioRunList *studio_run_list_new (GFile *file, gint64 sweep); /* 0: all */
GFile *studio_run_list_get_file (StudioRunList *self);
void studio_run_list_set_sweep (StudioRunList *self, gint64 sweep);
gint64 studio_run_list_get_sweep (StudioRunList *self);
gboolean studio_run_list_is_loaded (StudioRunList *self);
const char *studio_run_list_get_problem (StudioRunList *self);
StudioRunRow *studio_run_list_find (StudioRunList *self, gint64 id); /* of the whole store; borrowed, or NULL */
void studio_run_list_refresh (StudioRunList *self);                  /* read the store now */

/* Shown at once, written in the background. */
void studio_run_list_set_star (StudioRunList *self, StudioRunRow *row, gboolean star);
void studio_run_list_set_hidden (StudioRunList *self, StudioRunRow *row, gboolean hidden);
void studio_run_list_set_tag (StudioRunList *self, StudioRunRow *row, const char *tag, gboolean on); /* one word */
void studio_run_list_set_note (StudioRunList *self, StudioRunRow *row, const char *note);
void studio_run_list_set_title (StudioRunList *self, StudioRunRow *row, const char *title);

/* Removes rows (StudioRunRow *) from all lists, and from the store once the toast with its “Undo” has closed. Runs
 * under way stay, and the toast says so. */
void studio_run_list_delete (StudioRunList *self, const GPtrArray *rows, AdwToastOverlay *toasts);
gboolean studio_run_list_undo_delete (StudioRunList *self); /* the latest removal; FALSE: too late, or there was none */

G_END_DECLS
