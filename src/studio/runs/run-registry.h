/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/run-row.h"

G_BEGIN_DECLS

/* The runs of one store: one object for all lists that show it, so that a star set in one is there in the others.
 * Main thread. Signals: "changed" once for all that came together, with a boolean: runs have come or gone, too;
 * "failed" with a sentence when an edit could not be written. */
#define STUDIO_TYPE_RUN_BOOK (studio_run_book_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunBook, studio_run_book, STUDIO, RUN_BOOK, GObject)

StudioRunBook *studio_run_book_get (GFile *file); /* a reference; edits are written before the last one is gone */

GFile *studio_run_book_get_file (StudioRunBook *self);
gboolean studio_run_book_is_loaded (StudioRunBook *self);
const char *studio_run_book_get_problem (StudioRunBook *self); /* why the store cannot be read, or NULL */
const GPtrArray *
studio_run_book_get_rows (StudioRunBook *self); /* StudioRunRow *, by id, without those on their way out */
StudioRunRow *studio_run_book_find (StudioRunBook *self, gint64 id); /* borrowed; NULL: there is none */
void studio_run_book_poke (StudioRunBook *self);

/* One of TAG, NOTE and TITLE: shown at once, written behind. */
void studio_run_book_edit (StudioRunBook *self, StudioRunRow *row, StudioRunEditKind kind, const char *text,
                           gboolean on);

/* Runs leave the lists at once, and the store when that is said: until then they can be put back. A number for both. */
guint studio_run_book_remove (StudioRunBook *self, const GPtrArray *rows);
void studio_run_book_put_back (StudioRunBook *self, guint removal);
void studio_run_book_remove_for_good (StudioRunBook *self, guint removal);
guint studio_run_book_get_last_removal (StudioRunBook *self); /* that can still be put back; 0: none */

G_END_DECLS
