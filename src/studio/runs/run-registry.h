/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/run-row.h"

G_BEGIN_DECLS

/* The runs of one store: one object for all lists of the store, so that a star set in one appears in the others. Main
 * thread. Signals: "changed" once per batch of changes, with a boolean: runs were added or removed; "failed" with a
 * sentence when an edit could not be written. */
#define STUDIO_TYPE_RUN_REGISTRY (studio_run_registry_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunRegistry, studio_run_registry, STUDIO, RUN_REGISTRY, GObject)

StudioRunRegistry *
studio_run_registry_get (GFile *file); /* a reference; edits are written before the last one is dropped */

GFile *studio_run_registry_get_file (StudioRunRegistry *self);
gboolean studio_run_registry_is_loaded (StudioRunRegistry *self);
const char *studio_run_registry_get_problem (StudioRunRegistry *self); /* why the store cannot be read, or NULL */
const GPtrArray *
studio_run_registry_get_rows (StudioRunRegistry *self); /* StudioRunRow *, by id, without those being removed */
StudioRunRow *studio_run_registry_find (StudioRunRegistry *self, gint64 id); /* borrowed; NULL: unknown id */
void studio_run_registry_refresh (GFile *file); /* after a write to the store by this program; any file */

/* One of TAG, NOTE and TITLE: shown at once, written in the background. */
void studio_run_registry_edit (StudioRunRegistry *self, StudioRunRow *row, StudioRunEditKind kind, const char *text,
                               gboolean on);

/* Removes runs from the lists at once, and from the store on commit; until then they can be restored. Returns a number
 * for both. */
guint studio_run_registry_remove (StudioRunRegistry *self, const GPtrArray *rows);
void studio_run_registry_put_back (StudioRunRegistry *self, guint removal);
void studio_run_registry_remove_for_good (StudioRunRegistry *self, guint removal);
guint
studio_run_registry_get_last_removal (StudioRunRegistry *self); /* latest removal that can still be undone; 0: none */

G_END_DECLS
