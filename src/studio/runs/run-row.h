/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/store-watcher.h"

G_BEGIN_DECLS

/* A run of a store, as lists show it. Read-only properties, which notify: "star", "hidden", "note", "title", "tags",
 * and "serial", a number that changes with any of them, for expressions and cells. Edits go through StudioRunList. Main
 * thread. */
#define STUDIO_TYPE_RUN_ROW (studio_run_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunRow, studio_run_row, STUDIO, RUN_ROW, GObject)

gint64 studio_run_row_get_id (StudioRunRow *self);
/* The record in the store: state, reason, accuracy ... Valid until the row changes. The getters below return the latest
 * note, title and tags of the user. */
const TosstStoreRun *studio_run_row_get_run (StudioRunRow *self);

gboolean studio_run_row_get_star (StudioRunRow *self);     /* tag "star" */
gboolean studio_run_row_get_hidden (StudioRunRow *self);   /* tag "hidden" */
const char *studio_run_row_get_title (StudioRunRow *self); /* "": none */
const char *studio_run_row_get_note (StudioRunRow *self);
const char *studio_run_row_get_tags (StudioRunRow *self); /* other tags, separated by spaces */

/* A parameter (dictionary.atoms), as stored; "" and NAN where the run has none. */
const char *studio_run_row_get_parameter (StudioRunRow *self, const char *name);
/* A numeric parameter, or a figure of the run: id, accuracy, deviation, best (percent), objective, nonzeros, seconds
 * (including those of other runs for results shared with them), queued, started, finished (s since 1970 UTC), splits.
 * NAN: unknown. */
double studio_run_row_get_number (StudioRunRow *self, const char *key);
/* A parameter, or a property of the run: state, reason, title, note, tags, dataset; numbers of
 * studio_run_row_get_number() in the user's locale. New. */
char *studio_run_row_get_text (StudioRunRow *self, const char *key);
/* number: its position in the sweep; may be NULL. */
gboolean studio_run_row_is_in_sweep (StudioRunRow *self, gint64 sweep, int *number);

/* Only for runs/run-registry.c. */
StudioRunRow *studio_run_row_new (StudioRunRecord *record);
void studio_run_row_set_record (StudioRunRow *self, StudioRunRecord *record);
void studio_run_row_edit (StudioRunRow *self, StudioRunEditKind kind, const char *text, gboolean on);
void studio_run_row_set_edit_number (StudioRunRow *self, guint64 number); /* the last edit of this row */
guint64 studio_run_row_get_edit_number (StudioRunRow *self);

#define STUDIO_TAG_STAR "star"
#define STUDIO_TAG_HIDDEN "hidden"

G_END_DECLS
