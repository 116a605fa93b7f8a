/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/run-row.h"

G_BEGIN_DECLS

/* The runs of one store: one object for all lists of the store, so that a star set in one appears in the others. Main
 * thread. Signals: "changed" once per batch of changes, with a boolean: runs were added or removed; "failed" with a
 * sentence when an edit could not be written. */
#define STUDIO_TYPE_RUN_BOOK (studio_run_book_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunBook, studio_run_book, STUDIO, RUN_BOOK, GObject)

StudioRunBook *studio_run_book_get (GFile *file); /* a reference; edits are written before the last one is dropped */

GFile *studio_run_book_get_file (StudioRunBook *self);
gboolean studio_run_book_is_loaded (StudioRunBook *self);
const char *studio_run_book_get_problem (StudioRunBook *self); /* why the store cannot be read, or NULL */
const GPtrArray *
studio_run_book_get_rows (StudioRunBook *self); /* StudioRunRow *, by id, without those being removed */
StudioRunRow *studio_run_book_find (StudioRunBook *self, gint64 id); /* borrowed; NULL: unknown id */
void studio_run_book_poke (StudioRunBook *self);

/* One of TAG, NOTE and TITLE: shown at once, written in the background. */
void studio_run_book_edit (StudioRunBook *self, StudioRunRow *row, StudioRunEditKind kind, const char *text,
                           gboolean on);

/* Removes runs from the lists at once, and from the store on commit; until then they can be restored. Returns a number
 * for both. */
guint studio_run_book_remove (StudioRunBook *self, const GPtrArray *rows);
void studio_run_book_put_back (StudioRunBook *self, guint removal);
void studio_run_book_remove_for_good (StudioRunBook *self, guint removal);
guint studio_run_book_get_last_removal (StudioRunBook *self); /* latest removal that can still be undone; 0: none */

G_END_DECLS
