/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/store-watcher.h"

/* A run of a store, as lists show it. Edits go through StudioRunList. Main thread. Signal "changed". */
#define STUDIO_TYPE_RUN_ROW (studio_run_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunRow, studio_run_row, STUDIO, RUN_ROW, GObject)

gint64 studio_run_row_get_id (StudioRunRow *self);
/* The record in the store: state, reason, accuracy ... Valid until the row changes. Title, note and tags below are the
 * latest ones of the user. */
const TosstStoreRun *studio_run_row_get_run (StudioRunRow *self);
gboolean studio_run_row_has_tag (StudioRunRow *self, const char *name);
const char *studio_run_row_get_tags (StudioRunRow *self); /* except the two below, separated by spaces */

#define STUDIO_TAG_STAR "star"
#define STUDIO_TAG_HIDDEN "hidden"

/* Titles of runs of sweeps list their parameters, "dictionary.atoms=60 ...": these are no names. */
const char *studio_run_row_get_name (StudioRunRow *self);  /* "" without one */
const char *studio_run_row_get_title (StudioRunRow *self); /* as stored */
const char *studio_run_row_get_note (StudioRunRow *self);
char *studio_run_row_get_tag_words (StudioRunRow *self); /* "#best #thesis"; new, "" without tags */
char *studio_run_row_get_words (StudioRunRow *self);     /* the name, then these; new, "" without both */
char *studio_run_row_get_heading (StudioRunRow *self);   /* "Run 12", or "Run 12: Name" with the name cut short; new */

/* A parameter (dictionary.atoms), as stored; "" and NAN where the run has none. */
const char *studio_run_row_get_parameter (StudioRunRow *self, const char *name);
/* A numeric parameter, or a figure of the run: id, accuracy, deviation, best (percent), objective, nonzeros, seconds
 * (including those of other runs for results shared with them), queued, started, finished (s since 1970 UTC), splits.
 * NAN: unknown. */
double studio_run_row_get_number (StudioRunRow *self, const char *key);
/* A parameter, or a property of the run: state, reason, title, note, tags, dataset; numbers of
 * studio_run_row_get_number() in the user's locale. New. */
char *studio_run_row_get_text (StudioRunRow *self, const char *key);
/* Of the number "accuracy": "Accuracy", "Mean average precision". */
const char *studio_run_row_get_score_label (StudioRunRow *self);
/* Only for runs/run-list.c. Edits are numbered. */
StudioRunRow *studio_run_row_new (StudioRunRecord *record);
void studio_run_row_set_record (StudioRunRow *self, StudioRunRecord *record);
void studio_run_row_set_tag (StudioRunRow *self, const char *name, gboolean on, guint64 edit);
void studio_run_row_set_title (StudioRunRow *self, const char *title, guint64 edit);
void studio_run_row_set_note (StudioRunRow *self, const char *note, guint64 edit);
void studio_run_row_set_edit_number (StudioRunRow *self, guint64 number); /* the last edit of this row */
guint64 studio_run_row_get_edit_number (StudioRunRow *self);
