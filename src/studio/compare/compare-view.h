/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/compare/compare-set.h"

G_BEGIN_DECLS

/* Runs of the workspace, chosen from a list and laid side by side. Signals: "open-run" (gint64 id) when one is to be seen
 * in the Results view, "message" (const char *) for a toast, "changed" when others are compared. */
#define STUDIO_TYPE_COMPARE_VIEW (studio_compare_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareView, studio_compare_view, STUDIO, COMPARE_VIEW, AdwBin)

void studio_compare_view_set_store (StudioCompareView *self, GFile *file); /* of runs; NULL: none any more */
void studio_compare_view_poke (StudioCompareView *self);                   /* the store may have changed */
void studio_compare_view_set_toasts (StudioCompareView *self, AdwToastOverlay *toasts); /* for “Undo” */
/* These instead of those chosen so far; ids (gint64) of the store. */
void studio_compare_view_compare (StudioCompareView *self, const gint64 *runs, guint n);
void studio_compare_view_add (StudioCompareView *self, gint64 run);      /* beside those */
StudioCompareSet *studio_compare_view_get_set (StudioCompareView *self); /* NULL without a store */
StudioRunList *studio_compare_view_get_list (StudioCompareView *self);   /* the same */

/* kind: "objective", "nonzeros", "accuracy" (.svg, .pdf, .png, .csv), "numbers" (.csv), "report" (.html, .pdf). What
 * came of it is said in "message". */
void studio_compare_view_export (StudioCompareView *self, const char *kind, GFile *file);

G_END_DECLS
